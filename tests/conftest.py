"""Options of the whole test suite, and the real command in a subprocess, in an empty folder."""

from __future__ import annotations

import compileall
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from zlib import crc32

import pytest
from xdist.scheduler import LoadScopeScheduling

import scanlint
from tests.agreed import AGREED, Agreed, Written, joined, write
from tests.commands import Commands, needs_start

ROOT = Path(scanlint.__file__).parent.parent

CLEAN = "import jax\n\n\n@jax.jit\ndef double(x):\n    return 2 * x\n"
LOOP = """\
import jax
import jax.numpy as jnp


@jax.jit
def rollout(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state
"""

SHARED_OUT = "test_metamorphic.py"

Completed = subprocess.CompletedProcess[str]
Scanlint = Callable[..., Completed]

sys.dont_write_bytecode = False  # compiling the tests takes longer than most of them
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what runs once is compiled sooner than optimised
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell: what tests start would ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take a minute or more begin before the others, and the one that can be shared out is last."""
    leave_to_slow(items)
    items.sort(key=lambda item: (item.path.name == SHARED_OUT, item.get_closest_marker("long") is None))


def leave_to_slow(items: Iterable[pytest.Item]) -> None:
    """Of the cases of a test that is `many`, every day the first is run, and those that the digest of their name picks."""
    begun: set[str] = set()
    for item in items:
        mark, test = item.get_closest_marker("many"), item.nodeid.partition("[")[0]
        if mark is not None and test in begun and crc32(item.name.encode()) % mark.args[0]:
            item.add_marker(pytest.mark.slow)
        begun.add(test)


class ByFile(LoadScopeScheduling):
    """The tests of a file run in one process, one after the other; those of one file are shared out by their programs."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return f"{file}: {nodeid.rpartition(': ')[2]}" if file.endswith(SHARED_OUT) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    return ByFile(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-pages", action="store_true", help="write what the tool does into the pages' after blocks"
    )
    parser.addoption("--every-pair", action="store_true", help="run pairs of versions that agreed before, too")
    parser.addoption("--write-agreed", action="store_true", help="keep the pairs of versions that agreed in this run")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # what each command and each worker would compile again
        compileall.compile_dir(ROOT / "scanlint", quiet=2)
    every = config.getoption("--every-pair") or config.getoption("markexpr") == "slow"
    config.stash[AGREED] = Agreed.load(every)


@pytest.fixture(scope="session")
def agreed(pytestconfig: pytest.Config) -> Agreed:
    """The pairs of versions that agreed, now and before."""
    return pytestconfig.stash[AGREED]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of tests hands what it found to the one that began it, which writes it."""
    found = session.config.stash[AGREED].found
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["agreed"] = found
    elif session.config.getoption("--write-agreed"):
        write(found)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    kept: Agreed = node.config.stash[AGREED]  # type: ignore[attr-defined]
    found: Written = getattr(node, "workeroutput", {}).get("agreed", {})
    kept.found = joined(kept.found, found)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a clean file and one with a finding."""
    (tmp_path / "clean.py").write_text(CLEAN)
    (tmp_path / "loop.py").write_text(LOOP)
    return tmp_path


RESTRICTED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
"""What runs a command of root as one that permissions bind."""
BOUND = os.name == "posix" and (os.geteuid() != 0 or shutil.which("setpriv") is not None)


@pytest.fixture
def bound() -> tuple[str, ...]:
    """Words in front of a command that permissions are to bind."""
    if not BOUND:
        pytest.skip("root may read everything")
    return RESTRICTED if os.geteuid() == 0 else ()


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    """The process that has imported scanlint."""
    made = Commands(plain_environment({}))
    yield made
    made.close()


def plain_environment(changed: Mapping[str, str]) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return {**kept, "PYTHONPATH": path, **changed}


@pytest.fixture
def start(tmp_path: Path) -> Scanlint:
    """The command as a shell starts it, with a Python of its own."""

    def call(*words: str, stdin: str | None = None, under: Sequence[str] = (), **variables: str) -> Completed:
        return subprocess.run(
            [*under, sys.executable, "-m", "scanlint", *words],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env=plain_environment(variables),
        )

    return call


@pytest.fixture
def run(tmp_path: Path, start: Scanlint, request: pytest.FixtureRequest) -> Scanlint:
    """The command in a process that is forked from one with the imports done, where that makes no difference."""

    def call(*words: str, stdin: str | None = None, under: Sequence[str] = (), **variables: str) -> Completed:
        if under or needs_start(tmp_path, variables):
            return start(*words, stdin=stdin, under=under, **variables)
        commands: Commands = request.getfixturevalue("commands")
        return commands.run(words, tmp_path, stdin, plain_environment(variables))

    return call
