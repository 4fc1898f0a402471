"""Programs that do harm while they are verified: each a function that scanlint would rewrite, with honest ones beside.

`TARGET` is a file of the project that they attack.
"""

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """Top-level statements, and what the function under test calls first; `harmless` where nothing comes of it."""

    loaded: str = "Y = 1.0"
    called: str = "pass"
    harmless: bool = False


CTYPES = "import ctypes\nLIB = ctypes.CDLL(None)\nY = 1.0\n"

HOSTILE = {
    "loops_at_import": Program("def forever():\n    while True:\n        pass\nY = forever()"),
    "loops_when_called": Program(called="while True:\n    pass"),
    "exits_at_import": Program("import sys\nY = sys.exit(3)"),
    "exits_when_called": Program("import sys\nY = 1.0", "sys.exit(0)"),
    "leaves_at_import": Program("import os\nY = os._exit(0)"),
    "leaves_when_called": Program("import os\nY = 1.0", "os._exit(0)"),
    "aborts": Program("import os\nY = 1.0", "os.abort()"),
    "crashes": Program(CTYPES, "ctypes.string_at(0)"),
    "fills_memory_with_arrays": Program("import numpy as np\nY = 1.0", "kept = [np.ones(2**27) for _ in range(1000)]"),
    "fills_memory_with_lists": Program("Y = 1.0", "kept = []\nwhile True:\n    kept.append([0] * 10_000_000)"),
    "maps_shared_memory": Program("import mmap\nY = 1.0", "kept = []\nwhile True:\n    kept.append(mmap.mmap(-1, 2**28))\n    kept[-1].write(b'x' * 2**28)"),
    "forks_without_end": Program("import os\nY = 1.0", "while True:\n    os.fork()"),
    "forks_through_ctypes": Program(CTYPES, "for _ in range(20):\n    LIB.fork()"),
    "forks_by_number": Program("import ctypes\nLIB = ctypes.PyDLL(None)\nFORK = LIB['fork']\nY = 1.0", "for _ in range(20):\n    FORK()"),
    "starts_a_program": Program("import subprocess\nY = subprocess.run(['touch', 'TARGET.new']).returncode"),
    "starts_a_shell": Program("import os\nY = 1.0", "os.system('rm -f TARGET')"),
    "removes_a_file": Program("import os\nY = 1.0", "os.remove('TARGET')"),
    "removes_the_folder": Program("import os, shutil\nY = 1.0", "shutil.rmtree(os.path.dirname('TARGET'), ignore_errors=True)"),
    "unlinks_by_path": Program("import pathlib\nY = 1.0", "pathlib.Path('TARGET').unlink()"),
    "unlinks_through_ctypes": Program(CTYPES, "LIB.unlink(b'TARGET')"),
    "empties_a_file": Program(called="open('TARGET', 'w').close()"),
    "appends_to_a_file": Program(called="with open('TARGET', 'a') as stream:\n    stream.write('x = 1')"),
    "maps_a_file": Program("import mmap\nY = 1.0", "with open('TARGET', 'r+b') as stream:\n    mmap.mmap(stream.fileno(), 0)[0] = 88"),
    "truncates_a_file": Program("import os\nY = 1.0", "os.truncate('TARGET', 0)"),
    "renames_a_file": Program("import os\nY = 1.0", "os.rename('TARGET', 'TARGET.away')"),
    "changes_a_mode": Program("import os\nY = 1.0", "os.chmod('TARGET', 0)"),
    "links_and_writes": Program("import os\nY = 1.0", "os.symlink('TARGET', 'here')\nopen('here', 'w').close()"),
    "makes_a_file": Program(called="open('TARGET.new', 'x').close()"),
    "writes_at_home": Program("import os\nY = 1.0", "open(os.path.expanduser('~/.profile'), 'a').write('evil')"),
    "connects": Program("import socket\nY = 1.0", "socket.create_connection(('127.0.0.1', 9), timeout=2)"),
    "listens": Program("import socket\nY = 1.0", "server = socket.socket()\nserver.bind(('127.0.0.1', 0))\nserver.listen()"),
    "prints_megabytes": Program(called="print('x' * 3_000_000)", harmless=True),
    "closes_its_output": Program("import os, sys\nY = 1.0", "sys.stdout = None\nos.close(1)\nos.closerange(0, 300)"),
    "replaces_jit": Program("jax.jit = lambda f, **k: f\nY = 1.0"),
    "replaces_make_jaxpr": Program("import jax\nY = 1.0", "jax.make_jaxpr = lambda f: print"),
    "replaces_a_comparison": Program("import numpy as np\nnp.array_equal = lambda a, b: True\nY = np.array_equal(1, 2) * 1.0"),
    "replaces_a_builtin": Program("import builtins\nbuiltins.abs = lambda x: 0\nY = builtins.abs(2.0) + 1.0"),
    "patches_the_verifier": Program("import sys\nJUDGE = sys.modules['_scanlint_worker.comparing.judge']\nJUDGE.compare = lambda *a, **k: None\nY = JUDGE and 1.0"),
    "walks_to_the_judge": Program("import sys\nY = 1.0", "frame = sys._getframe()\nwhile frame is not None:\n    found = frame.f_locals.get('self')\n    if type(found).__module__.startswith('_scanlint_worker'):\n        try:\n            found.check = found.proved = found.equal = found.verdict = lambda *a, **k: True\n        except Exception:\n            pass\n    frame = frame.f_back"),
    "looks_through_the_heap": Program("import gc\nY = 1.0", "for thing in gc.get_objects():\n    if type(thing).__name__ == 'Judge':\n        thing.after = thing.before"),
    "forges_a_verdict": Program("import os\nY = 1.0", "for pipe in range(3, 64):\n    try:\n        os.write(pipe, b'{\"answer\": {\"verdict\": \"proved\"}}\\n')\n    except OSError:\n        pass"),
    "starts_threads": Program("import threading, time\nY = 1.0", "for quiet in (True, False):\n    threading.Thread(target=time.sleep, args=(1000,), daemon=quiet).start()", harmless=True),
    "recurses": Program("import sys\nY = 1.0", "sys.setrecursionlimit(10**9)\ndef down(n):\n    return down(n + 1)\ndown(0)"),
    "ignores_signals": Program("import signal\nY = 1.0", "for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGPROF, signal.SIGINT):\n    signal.signal(number, signal.SIG_IGN)\nwhile True:\n    pass"),
    "swallows_everything": Program(called="while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"),
    "kills_its_parent": Program("import os, signal\nY = 1.0", "os.kill(os.getppid(), signal.SIGKILL)"),
    "kills_its_parent_in_c": Program("import ctypes, os\nLIB = ctypes.PyDLL(None)\nKILL = LIB['kill']\nY = 1.0", "KILL(os.getppid(), 9)"),
    "stops_itself": Program("import os, signal\nY = 1.0", "os.kill(os.getpid(), signal.SIGSTOP)"),
    "reads_a_secret": Program("import os\nY = float(os.environ['SCANLINT_TEST_SECRET'])"),
    "reads_its_parents_secrets": Program("import os, re\ndef look():\n    text = ''\n    for name in filter(str.isdigit, os.listdir('/proc')):\n        try:\n            text += open(f'/proc/{name}/environ').read()\n        except OSError:\n            continue\n    return float(re.search('SCANLINT_TEST_SECRET=([0-9]+)', text).group(1))\nY = look()"),
    "changes_folder": Program("import os\nY = 1.0", "os.chdir('/')\nopen('TARGET', 'w')"),
    "runs_at_exit": Program("import atexit, os\nY = 1.0", "atexit.register(os.remove, 'TARGET')", harmless=True),
    "leaves_its_session": Program("import os\nY = 1.0", "if os.fork() == 0:\n    os.setsid()\n    while True:\n        pass"),
    "sleeps": Program("import time\nY = 1.0", "time.sleep(10000)"),
    "sleeps_at_import": Program("import time\nY = time.sleep(10000)"),
    "fills_the_disk": Program("Y = 1.0", "n = 0\nwhile True:\n    with open(f'part{n}', 'wb') as stream:\n        stream.write(b'x' * 50_000_000)\n    n += 1"),
    "leaves_locked_folders": Program("import os\nY = 1.0", "os.makedirs('locked/inner', exist_ok=True)\nopen('locked/inner/file', 'w').close()\nos.chmod('locked', 0)"),
    "leaves_deep_folders": Program("import os\nY = 1.0", "for _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')"),
    "leaves_many_files": Program("Y = 1.0", "for n in range(3000):\n    open(f'part{n}', 'w').close()", harmless=True),
    "leaves_a_pipe": Program("import os\nY = 1.0", "os.mkfifo('pipe.py')"),
    "makes_a_device": Program("import os, stat\nY = 1.0", "os.mknod('disk', stat.S_IFBLK | 0o600, os.makedev(8, 0))"),
    "makes_a_file_of_root": Program("import os\nY = 1.0", "open('own', 'w').close()\nos.chmod('own', 0o4755)"),
    "opens_to_empty": Program("import os\nY = 1.0", "os.open('TARGET', os.O_RDONLY | os.O_TRUNC)"),
    "exchanges_names": Program(CTYPES, "CODE = LIB.renameat2(-100, b'TARGET', -100, b'here', 0)\nassert CODE == 0"),
    "sets_times": Program("import os\nY = 1.0", "os.utime('TARGET', (0, 0))"),
    "sets_attributes": Program("import os\nY = 1.0", "os.setxattr('TARGET', 'user.evil', b'x')"),
    "copies_over_a_file": Program("import shutil\nY = 1.0", "open('own', 'w').close()\nshutil.copyfile('own', 'TARGET')"),
    "moves_a_file_away": Program("import shutil\nY = 1.0", "shutil.move('TARGET', 'here')"),
    "limits_its_parent": Program("import os, resource\nY = 1.0", "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))"),
    "slows_its_parent": Program("import os\nY = 1.0", "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)"),
    "idles_its_parent": Program("import os\nY = 1.0", "os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))"),
    "stops_its_parent": Program("import os, signal\nY = 1.0", "os.kill(os.getppid(), signal.SIGSTOP)"),
    "kills_its_group": Program("import os, signal\nY = 1.0", "os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)"),
    "kills_everybody": Program("import os, signal\nY = 1.0", "os.kill(-1, signal.SIGKILL)"),
    "owns_signals_of_a_file": Program("import fcntl, os\nY = 1.0", "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())"),
    "sends_datagrams": Program("import socket\nY = 1.0", "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))"),
    "talks_to_a_socket_of_files": Program("import socket\nY = 1.0", "socket.socket(socket.AF_UNIX).connect('/run/systemd/notify')"),
    "asks_for_names": Program("import socket\nY = 1.0", "socket.getaddrinfo('example.org', 80)"),
    "leaves_a_message_queue": Program(CTYPES, "if LIB.msgget(0x5CA1, 0o1600) < 0:\n    raise OSError('refused')"),
    "leaves_shared_memory": Program(CTYPES, "if LIB.shmget(0x5CA1, 4096, 0o1600) < 0:\n    raise OSError('refused')"),
    "watches_its_parent": Program(CTYPES + "import os\n", "assert LIB.ptrace(16, os.getppid(), 0, 0) == 0"),
    "uses_a_pool": Program("from concurrent.futures import ProcessPoolExecutor\nY = 1.0", "with ProcessPoolExecutor(2) as pool:\n    list(pool.map(abs, [1, 2]))"),
    "uses_multiprocessing": Program("import multiprocessing\nY = 1.0", "multiprocessing.get_context('spawn').Process(target=print).start()"),
    "stops_the_clock": Program("import signal\nY = 1.0", "for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):\n    signal.setitimer(timer, 0)\nwhile True:\n    pass"),
    "lies_about_the_time": Program("import time\nY = 1.0", "time.process_time = time.monotonic = time.perf_counter = lambda: 0.0\nwhile True:\n    pass"),
    "waits_for_input": Program("import sys\nY = 1.0", "sys.stdin.readline()", harmless=True),
    "clears_the_environment": Program("import os\nY = 1.0", "os.environ.clear()", harmless=True),
    "clears_the_modules": Program("import sys\nY = 1.0", "for name in [n for n in sys.modules if n.startswith('_scanlint_worker')]:\n    del sys.modules[name]", harmless=True),
    "hangs_when_collected": Program("class Slow:\n    def __del__(self):\n        while True:\n            pass\nY = 1.0", "Slow()"),
    "hangs_at_exit": Program("import atexit\nY = 1.0\ndef forever():\n    while True:\n        pass\natexit.register(forever)", harmless=True),
    "traces_the_verifier": Program("import sys\nY = 1.0", "def trace(frame, event, argument):\n    while True:\n        pass\nsys.settrace(trace)\nlen([])"),
    "replaces_json": Program("import json\nY = 1.0", "json.dumps = lambda *a, **k: '{\"answer\": {\"verdict\": \"proved\"}}'"),
    "writes_over_its_memory": Program(CTYPES, "ctypes.memset(id(None), 0, 16)"),
}  # fmt: skip

HEADER = "import jax\nimport jax.numpy as jnp\n\n"
HONEST = """

@jax.jit
def honest_{name}(x):
    for _ in range(40):
        x = jnp.sin(x) + 0.5
    return x


@jax.jit
def honest_branch_{name}(x):
    if x > 0:
        return x * 2
    return x - 1
"""


def module(name: str, target: str) -> str:
    """The module of one hostile program."""
    program = HOSTILE[name]
    called = "".join(f"    {line}\n" for line in program.called.splitlines())
    attacked = f"\n\ndef harm():\n{called}\n\n@jax.jit\ndef hostile_{name}(x):\n    harm()\n    for _ in range(40):\n        x = jnp.sin(x) * Y\n    return x\n"
    return (HEADER + program.loaded + attacked + HONEST.format(name=name)).replace("TARGET", target)
