"""What goes wrong around a run is one line that names it, with exit code 2; only our own mistakes ask for a report."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scanlint.fix import write
from scanlint.fix.write import NotWritten, write_new
from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the shell closes and redirects streams")


def shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `$S` is scanlint; its exit code is that of the first command of a pipe."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "S": f"{sys.executable} -m scanlint", **variables}
    line = f"{line}\nexit ${{PIPESTATUS[0]}}"
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        pytest.param(
            "$S . >/dev/full", 2, "standard output: cannot write: No space left", id="standard output is full"
        ),
        pytest.param("$S . >&-", 2, "standard output is closed", id="standard output is closed"),
        pytest.param("$S - <&-", 2, "standard input is closed", id="standard input is closed"),
        pytest.param("$S lsp <&-", 2, "one is closed", id="the input of the language server is closed"),
        pytest.param("$S rule >/dev/full", 2, "No space left", id="the list of rules on a full disk"),
        pytest.param("$S --version >/dev/full", 2, "No space left", id="the version on a full disk"),
        pytest.param(
            "$S . -o /dev/full", 2, "/dev/full: cannot write: No space", id="the report goes to a full device"
        ),
        pytest.param("$S . -o .", 2, "is a directory", id="the report is to be a folder"),
        pytest.param(
            "$S . -o none/report", 2, "none/report: cannot write: No such", id="the report in a missing folder"
        ),
        pytest.param("mkdir a; cd a; rmdir ../a; $S .", 2, "working directory does not exist", id="no working folder"),
        pytest.param("echo > .scanlint; $S record -- true", 2, "nothing can be recorded", id="a store that is a file"),
        pytest.param("$S loop.py/x", 2, "loop.py/x: no such file", id="a path below a file"),
        pytest.param("ln -s r r; $S r loop.py", 2, "r: cannot read: Too many levels", id="a link to itself"),
        pytest.param("$S $'a\\nb.py' loop.py", 2, "a\nb.py: no such file", id="a path of two lines"),
    ],
)
def test_it_is_one_line_and_no_bug(line: str, code: int, said: str, project: Path) -> None:
    done = shell(line, project)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr and "bug in scanlint" not in done.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("$S . --output-format json | head -c 1 >&2", (1, 141), id="a report"),
        pytest.param("$S --help | true", (0, 141), id="the help"),
        pytest.param("$S . | true", (141,), id="a reader that is gone"),
    ],
)
def test_a_reader_that_has_enough_ends_it_quietly(line: str, code: tuple[int, ...], project: Path) -> None:
    done = shell(line, project)
    assert done.returncode in code
    assert len(done.stderr.splitlines()) <= 1


def test_where_errors_cannot_be_written_the_report_and_the_code_say_it(project: Path) -> None:
    for stream in ("2>/dev/full", "2>&-"):
        done = shell(f"$S loop.py nothing.py --output-format concise {stream}", project)
        assert done.returncode == 2
        assert done.stdout.startswith("loop.py:7:5: SCN101")
        assert done.stdout.endswith("1 of 2 files was not checked: nothing.py\n")


def test_carriage_returns_alone_end_lines(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_bytes(
        b"import jax\r\r@jax.jit\rdef f(x):\r    if x > 0:\r        return x\r    return -x\r"
    )
    done = shell("$S old.py --output-format concise", tmp_path)
    assert done.stdout.startswith("old.py:5:5: SCN201") and done.returncode == 1


def test_a_log_that_standard_output_appends_to_is_appended_to(project: Path) -> None:
    (project / "log").write_text("kept\n")
    done = shell("$S loop.py --output-format concise -o /dev/stdout >>log", project)
    assert done.returncode == 1
    kept, found, _ = (project / "log").read_text().splitlines()
    assert kept == "kept" and found.startswith("loop.py:7:5: SCN101")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("$S loop.py --output-format concise -o >(cat >got); sleep 1; cat got", id="a process that reads"),
        pytest.param("$S loop.py --output-format concise -o /dev/fd/3 3>got; cat got", id="a descriptor of a file"),
        pytest.param("mkfifo p; cat p & $S loop.py --output-format concise -o p; wait; test -p p", id="a named pipe"),
        pytest.param(
            "ln -s /dev/stdout out; $S loop.py --output-format concise -o out", id="a link to standard output"
        ),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are looked up in /proc")
def test_what_is_no_file_is_written_to(line: str, project: Path) -> None:
    assert shell(line, project).stdout.startswith("loop.py:7:5: SCN101")


def test_a_device_stays_what_it_is(project: Path) -> None:
    assert shell("$S loop.py -o /dev/null", project).returncode == 1
    assert Path("/dev/null").is_char_device()


def test_a_pipe_that_nobody_reads_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "READER_SECONDS", 0.2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotWritten, match="pipe: cannot write"):
        write_new(tmp_path / "pipe", b"text")


def test_a_pipe_whose_reader_comes_later_gets_all(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Timer(0.5, lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_new(pipe, b"x" * 300_000)
    reader.join()
    assert got == [b"x" * 300_000]


@pytest.mark.skipif(not Path("/usr/bin/setpriv").exists(), reason="root is bound by no permission")
@pytest.mark.parametrize(
    ("made", "said"),
    [
        pytest.param("mkdir s; cp loop.py s; chmod 0 s", "s/loop.py: cannot read: Permission denied", id="a folder"),
        pytest.param("mkdir -m 0 .scanlint", ".scanlint: cannot read: Permission denied", id="the recordings"),
    ],
)
def test_what_may_not_be_read_is_named_and_the_others_are_checked(made: str, said: str, project: Path) -> None:
    drop = "-dac_override,-dac_read_search" if os.geteuid() == 0 else ""
    bound = f"setpriv --bounding-set={drop} --inh-caps={drop} " if drop else ""
    named = "s/loop.py loop.py" if "mkdir s" in made else "loop.py"
    done = shell(f"{made}; {bound}$S {named} --output-format concise", project)
    assert done.returncode == 2
    assert done.stdout.startswith("loop.py:7:5: SCN101")
    assert said in done.stderr
    (project / ".scanlint").exists() and (project / ".scanlint").chmod(0o755)
