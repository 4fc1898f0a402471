"""A process that has answered takes the next question about its function, and no other."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tasks are forked on Linux")
HEAD = """
import itertools, json, os
from scanlint.verify.worker.session.children import ForkedTask

def work(request, lines, stream, folder, token):
    for asked in itertools.chain([request], map(json.loads, lines)):
        if asked["new"] == "end":
            os._exit(3)
        answer = {"verdict": "proved", "process": os.getpid()}
        stream.write(f"{token} {json.dumps({'answer': answer, 'waits': asked['new'] != 'last'})}\\n")
        stream.flush()

def question(**more):
    folder = os.environ["TMPDIR"]
    return {"function": "f", "old": "", "new": "", "old_file": "", "folder": folder, "timeout": 20.0, **more}

reading, _ = os.pipe()
child = ForkedTask.forked(question(), work)
first = child.answer(question(), reading)
"""


def run(body: str, folder: object) -> None:
    """Run what asks a process, in one that has no threads: such a one may fork."""
    script = HEAD + dedent(body) + "\nchild.end()\n"
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, env={"TMPDIR": str(folder), "PYTHONPATH": ":".join(sys.path)}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_the_next_question_on_a_function_goes_to_the_same_process(tmp_path: object) -> None:
    run(
        """
        assert child.waits and child.takes(question(new="other", asked="called"))
        assert child.answer(question(), reading) == first
        """,
        tmp_path,
    )


def test_another_function_gets_a_process_of_its_own(tmp_path: object) -> None:
    run("assert child.waits and not child.takes(question(function='g'))", tmp_path)


def test_a_process_that_was_changed_is_not_asked_again(tmp_path: object) -> None:
    run(
        """
        assert child.takes(question(new="last"))
        assert child.answer(question(), reading) == first
        assert not child.waits and not child.takes(question())
        """,
        tmp_path,
    )


def test_versions_as_they_stand_are_compared_in_processes_of_their_own(tmp_path: object) -> None:
    run(
        """
        child.end()
        child = ForkedTask.forked(question(old_file="a.py"), work)
        assert child.answer(question(old_file="a.py"), reading)["verdict"] == "proved"
        assert not child.waits
        """,
        tmp_path,
    )


def test_a_process_that_ends_instead_of_an_answer_leaves_the_question_to_another_one(tmp_path: object) -> None:
    run(
        """
        assert child.takes(question(new="end"))
        assert child.answer(question(), reading) is None
        """,
        tmp_path,
    )
