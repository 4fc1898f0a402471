"""Makes each call of the system that a run makes fail in turn: none may end well with less than it finds undisturbed.

    python benchmarks/check_faults.py --runs 1000 --seed 1

Each run is a process of its own, forked from one that has everything imported. What it says is compared with what the
same run says undisturbed: the same findings, or a line that names what is missing and, where that was asked for, exit
code 2; no traceback, no file that is half written, and an end within seconds. Prints what was wrong; exit code 1 then.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import errno
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SECONDS = 40.0
LOOP = """\
import jax
import jax.numpy as jnp
from helpers import half


@jax.jit
def rollout(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return half(state)
"""
HELPERS = "def half(x):\n    if x > 0:\n        return x / 2\n    return x\n"
BRANCH = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.5 * x\n"
SETTINGS = '[project]\nname = "p"\n\n[tool.scanlint]\nselect = ["SCN1", "SCN2"]\n'
FILES = {
    "pyproject.toml": SETTINGS,
    "loop.py": LOOP,
    "helpers.py": HELPERS,
    "inner/branch.py": BRANCH,
    "inner/clean.py": "x = 1\n",
    ".gitignore": "ignored/\n",  # where it cannot be read nothing is ignored, as in git: more is found, not less
}
ERRORS = (errno.EACCES, errno.ENOENT, errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EINTR, errno.ESTALE, errno.EROFS)
CALLS = {
    os: (
        *(
            "open",
            "scandir",
            "stat",
            "lstat",
            "listdir",
            "replace",
            "rename",
            "unlink",
            "mkdir",
            "rmdir",
            "fsync",
            "close",
        ),
        *("chmod", "fork", "getcwd", "readlink", "access", "utime", "write", "read", "dup", "fstat", "truncate"),
    ),
    io: ("open",),
}
STREAM = ("read", "readinto", "readline", "readlines", "write", "flush", "close", "truncate")


class Action(NamedTuple):
    """A way to run; `whole` is what tells that it found and did everything."""

    name: str
    words: tuple[str, ...]
    editor: bool = False


ACTIONS = (
    Action("check", ("--output-format", "concise", ".")),
    Action("check, json", ("--output-format", "json", ".")),
    Action("check, no cache", ("--no-cache", "--output-format", "concise", ".")),
    Action("check, one file", ("--output-format", "concise", "helpers.py")),
    Action("check, report to a file", ("--output-format", "json", "-o", "report.json", ".")),
    Action("fix", ("--fix", "--no-cache", "--output-format", "concise", ".")),
    Action("fix, kept verdicts", ("--fix", "--output-format", "concise", ".")),
    Action("add ignores", ("--add-ignore", ".")),
    Action("write baseline", ("--baseline", "known.json", "--write-baseline", ".")),
    Action("watch once", ("--watch", "--output-format", "concise", ".")),
    Action("editor", (), editor=True),
)


class Faults:
    """Counts the calls of a run, and has one of them fail."""

    def __init__(self, failing: int | None = None, number: int = errno.EIO) -> None:
        self.count = 0
        self.failing = failing
        self.number = number
        self.at = ""

    def meet(self, name: str, subject: object) -> None:
        self.count += 1
        if self.count == self.failing and not self._answers(name, subject):
            self.at = f"{name}({subject!r:.60})"
            named = (subject,) if isinstance(subject, str | bytes | os.PathLike) else ()
            raise OSError(self.number, os.strerror(self.number), *map(os.fspath, named))

    def _answers(self, name: str, subject: object) -> bool:
        """The error is what a project without a configuration gives: no run can tell it from that."""
        asked = name in ("stat", "lstat") and str(subject).endswith("pyproject.toml")
        return asked and self.number == errno.ENOENT

    def wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def failing(*args: Any, **more: Any) -> Any:
            self.meet(name, args[0] if args else None)
            made = call(*args, **more)
            return Stream(made, self) if name == "open" and call is REAL_OPEN else made

        return failing

    def arm(self) -> None:
        """From now on calls are counted; only in a process that ends after the run."""
        for module, names in CALLS.items():
            for name in names:
                if hasattr(module, name):
                    setattr(module, name, self.wrapped(name, getattr(module, name)))
        builtins.open = io.open


REAL_OPEN = io.open


class Stream:
    """An open file whose calls may fail."""

    def __init__(self, stream: Any, faults: Faults) -> None:
        self._stream = stream
        self._faults = faults

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._stream, name)
        return self._faults.wrapped(name, found) if name in STREAM else found

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)


class Outcome(NamedTuple):
    """What a run said and left behind."""

    code: int
    out: str
    err: str
    at: str
    calls: int
    files: Mapping[str, bytes]

    @property
    def found(self) -> frozenset[str]:
        """Findings by place and code, whatever form they have, and what became of files."""
        try:
            listed = json.loads(self.files.get("report.json", b"").decode() or self.out)["findings"]
            return frozenset(f"{f['path']}:{f['line']} {f['code']}" for f in listed)
        except (ValueError, KeyError, TypeError):
            return frozenset(
                f"{m[1]}:{m[2]} {m[3]}" for m in re.finditer(r"^(\S+?):(\d+):\d+: (SCN\d+)", self.out, re.M)
            )

    @property
    def says(self) -> bool:
        """Whether it says that something was not done."""
        told = re.search(
            r"^(error|note|warning): |not checked|not done|not rewritten|in part", self.err + self.out, re.M
        )
        return bool(told or '"problems": [\n' in self.out or b'"problems": [\n' in self.files.get("report.json", b""))


def run_scanlint(action: Action) -> None:
    """The run itself, in a process of its own that ends with it."""
    if action.editor:
        edit()
        return
    sys.argv = ["scanlint", *action.words]
    from scanlint.cli import main

    main()


def edit() -> None:
    """What a process of the language server does for an open file; where it dies the server says so."""
    from scanlint.command.config import Overrides, load
    from scanlint.errors import UsageError
    from scanlint.lsp.child import Desk
    from scanlint.lsp.frames import Ask, Begin

    try:
        desk = Desk(Begin(load(Path(), None, Overrides(no_cache=True)), whole=True))
        told = desk.check(Ask(("helpers.py", "loop.py"), {"helpers.py": HELPERS, "loop.py": LOOP}, (), look=True))
    except (OSError, UsageError) as error:
        sys.stderr.write(f"error: the process ended: {error}\n")
        code = 2
    else:
        for found in told.findings.values():
            for f in found.findings:
                sys.stdout.write(f"{f.path}:{f.start.line}:{f.start.column}: {f.code}\n")
        for problem in (*told.problems, *getattr(told, "notes", ())):
            sys.stderr.write(f"error: {problem}\n")
        code = 2 if told.problems else 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def warm() -> None:
    """Import everything that the runs need, and give verdicts without JAX: not the verifier is tried here."""
    import scanlint.cli
    import scanlint.command.check
    import scanlint.command.watch_files
    import scanlint.fix.fixer
    import scanlint.lsp.child
    import scanlint.report.concise
    import scanlint.report.json
    import scanlint.rules.registry
    from scanlint.engine.team.pool import _import_ahead
    from scanlint.fix.questions import Questions

    _import_ahead()
    Questions._answer = lambda self, task: {"verdict": "proved"}  # type: ignore[method-assign]
    pause: Any = scanlint.command.watch_files.time

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    pause_module = type(pause)("time")
    pause_module.__dict__.update(vars(pause))
    pause_module.sleep = interrupted  # type: ignore[attr-defined]
    scanlint.command.watch_files.time = pause_module  # type: ignore[attr-defined]


def import_all(project: Path) -> None:
    """Check and rewrite once in this process: what is imported late is there when it forks."""
    from scanlint.fix.run import fix
    from scanlint.settings import Settings

    here = Path.cwd()
    os.chdir(project)
    fix([Path()], Settings(root=project, cache=False), lambda text: None)
    os.chdir(here)


@contextlib.contextmanager
def folder_for() -> Iterator[Path]:
    """A folder that this process removes, and none that is forked from it."""
    folder, own = Path(tempfile.mkdtemp(prefix="faults-")), os.getpid()
    try:
        yield folder
    finally:
        if os.getpid() == own:
            shutil.rmtree(folder, ignore_errors=True)


def attempt(action: Action, template: Path, failing: int | None, number: int) -> Outcome:
    """One run in a copy of the project, one of whose calls fails."""
    with folder_for() as folder:
        project = folder / "p"
        shutil.copytree(template, project, symlinks=True)
        said = [folder / "out", folder / "err", folder / "at"]
        child = os.fork()
        if child == 0:
            _disturbed(action, project, said, Faults(failing, number))
        code = _ended(child)
        files = {
            f.relative_to(project).as_posix(): f.read_bytes()
            for f in project.rglob("*")
            if f.is_file() and ".scanlint_cache" not in f.parts
        }
        at, _, calls = (said[2].read_text() if said[2].exists() else "\t0").partition("\t")
        texts = [f.read_text(errors="replace") if f.exists() else "" for f in said[:2]]
        return Outcome(code, texts[0], texts[1], at, int(calls or 0), files)


def _disturbed(action: Action, project: Path, said: Sequence[Path], faults: Faults) -> None:
    """The child: it ends here."""
    try:
        os.chdir(project)
        os.setsid()
        for number, file in enumerate(said[:2], 1):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT, 0o644), number)
        log = os.open(said[2], os.O_WRONLY | os.O_CREAT, 0o644)
        leave, put = os._exit, os.write

        def ending(code: int) -> None:
            put(log, f"{faults.at}\t{faults.count}".encode())
            leave(code)

        os._exit = ending  # type: ignore[assignment]
        faults.arm()
        run_scanlint(action)
    except SystemExit as end:  # it leaves so where a thread of its own is still at work
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(end.code if isinstance(end.code, int) else 99)
    except BaseException:  # noqa: BLE001  a run that ends so is one of the faults
        import traceback

        sys.stderr.write(traceback.format_exc())
        sys.stderr.flush()
    os._exit(99)


def _ended(child: int) -> int:
    """The exit code of a process; -9 where it does not end in time."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -9


def judged(run: Outcome, usual: Outcome, template: Mapping[str, bytes]) -> str | None:
    """What is wrong with a run that was disturbed."""
    if run.code == -9:
        return "it does not end"
    if run.code not in (0, 1, 2):
        return f"exit code {run.code}"
    if "Traceback" in run.err or "bug in scanlint" in run.err:
        return f"a traceback: {run.err.strip().splitlines()[-2:]}"
    if run.code == 2 and not run.says:
        return "exit code 2 without a word"
    for name in {*usual.files, *template}:
        if run.files.get(name) not in (usual.files.get(name), template.get(name)) and name not in (
            "report.json",
            "known.json",
        ):
            return f"{name} is neither as before nor as it should be"
    if run.code == 2 or run.says:
        return None
    if not usual.found <= run.found:
        return f"in silence less is found: {sorted(usual.found - run.found)}"
    if run.code != usual.code:
        return f"in silence exit code {run.code} and not {usual.code}"
    if any(run.files.get(name) != usual.files.get(name) for name in template):
        return "in silence a file is not written"
    return None


def check(runs: int, seed: int, names: Sequence[str] = ()) -> Iterator[tuple[Action, Outcome, int, str | None]]:
    """Runs of all actions in turn, each with another call that fails; with what is wrong with it."""
    warm()
    dice = random.Random(seed)
    actions = [action for action in ACTIONS if not names or action.name in names]
    with folder_for() as folder:
        template = folder / "p"
        for path, text in FILES.items():
            (template / path).parent.mkdir(parents=True, exist_ok=True)
            (template / path).write_text(text)
        (template / ".git").mkdir()
        import_all(template)
        before = {path: text.encode() for path, text in FILES.items()}
        usual = {action: attempt(action, template, None, 0) for action in actions}
        for action, outcome in usual.items():
            if outcome.code not in (0, 1) or (outcome.code == 1 and not outcome.found):
                yield action, outcome, 0, f"undisturbed it ends with {outcome.code}: {outcome.err[-300:]}"
        left: dict[Action, list[int]] = {}
        for number in range(runs):
            action = actions[number % len(actions)]
            if not left.get(action):
                left[action] = dice.sample(range(1, usual[action].calls + 1), usual[action].calls)
            error = dice.choice(ERRORS)
            outcome = attempt(action, template, left[action].pop(), error)
            yield action, outcome, error, judged(outcome, usual[action], before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--action", action="append", default=[], choices=[action.name for action in ACTIONS])
    options = parser.parse_args()
    tally: dict[str, Counter[int]] = {}
    wrong = 0
    for action, outcome, error, fault in check(options.runs, options.seed, options.action):
        tally.setdefault(action.name, Counter())[outcome.code] += 1
        if fault is not None:
            wrong += 1
            print(f"{action.name}: {outcome.at} {errno.errorcode.get(error, '')}: {fault}", flush=True)
    for name, codes in tally.items():
        print(f"{name:<26} {codes.total():>5} runs  " + "  ".join(f"exit {c}: {n}" for c, n in sorted(codes.items())))
    print(f"{sum(codes.total() for codes in tally.values())} runs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
