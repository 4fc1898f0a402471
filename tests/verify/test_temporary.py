"""Temporary folders: removed whatever lies in them, and after a run that was killed by the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from scanlint.verify.temporary import TemporaryFolder
from scanlint.verify.worker.session.removal import remove
from scanlint.verify.worker.session.watch import FOLDER_BYTES, size

posix = pytest.mark.skipif(os.name != "posix", reason="modes and locks of POSIX")
DEEP = """
import os, sys
os.chdir(sys.argv[1])
for _ in range(3000):
    os.mkdir("d" * 20)
    open("f", "w").close()
    os.chdir("d" * 20)
"""
HOLDS = """
import os, signal, sys
from scanlint.verify.temporary import TemporaryFolder
print(TemporaryFolder().name, flush=True)
signal.pause()
"""


@posix
def test_a_folder_of_three_thousand_levels_is_removed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-c", DEEP, str(home)], check=True)
    assert size(str(home)) > FOLDER_BYTES
    remove(str(home))
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_folder_without_permissions_is_removed_and_what_a_link_leads_to_stays(tmp_path: Path) -> None:
    home, kept = tmp_path / "home", tmp_path / "kept"
    (home / "shut" / "inner").mkdir(parents=True)
    (home / "shut" / "inner" / "file").write_text("x")
    kept.mkdir()
    (kept / "file").write_text("x")
    (home / "link").symlink_to(kept)
    (home / "shut" / "inner").chmod(0)
    (home / "shut").chmod(0)
    remove(str(home))
    assert list(tmp_path.iterdir()) == [kept]
    assert (kept / "file").read_text() == "x"


@posix
def test_the_next_run_removes_the_folder_of_one_that_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run = subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert run.stdout is not None
    held = Path(run.stdout.readline().strip())
    own = TemporaryFolder()
    assert sorted(tmp_path.iterdir()) == sorted([held, Path(own.name)])
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    other = TemporaryFolder()
    assert sorted(tmp_path.iterdir()) == sorted([Path(own.name), Path(other.name)])
    own.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_folder_that_is_gone_changes_nothing_around_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    remove(str(tmp_path / "gone"))
    assert tmp_path.stat().st_mode & 0o7777 == 0o755


@posix
def test_runs_that_begin_together_keep_their_folders(tmp_path: Path) -> None:
    code = "from scanlint.verify.temporary import TemporaryFolder as T\nfor _ in range(200):\n    T().close()"
    runs = [
        subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}) for _ in range(3)
    ]
    assert [run.wait(timeout=120) for run in runs] == [0, 0, 0]
    assert list(tmp_path.iterdir()) == []
