"""What was asked before its turn is not asked again when the file has changed elsewhere by then."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from scanlint.fix.questions import Foreseen
from scanlint.verify.verifier import Task

OLD = "def f(x):\n    for _ in range(9):\n        x = x + 1\n    return x\n"
NEW = "def f(x):\n    return x + 9\n"
ABOVE, OTHERWISE = "def g(y):\n    return y\n\n\n", "def g(y):\n    z = y\n    return z\n\n\n"
TASK = Task(path="a.py", function="f", old=ABOVE + OLD, new=ABOVE + NEW, root="/p", file="/p/a.py")
LATER = replace(TASK, old=OTHERWISE + OLD, new=OTHERWISE + NEW)


def answered(reason: str | None) -> Future[dict[str, object]]:
    answer: Future[dict[str, object]] = Future()
    answer.set_result({"verdict": "unknown", "reason": reason})
    return answer


def test_a_change_of_what_the_function_does_not_reach_asks_nothing_anew() -> None:
    foreseen = Foreseen()
    foreseen.ask(TASK, lambda task: answered(None))
    foreseen.ask(LATER, lambda task: answered("asked again"))
    assert foreseen.taken(LATER) == {"verdict": "unknown", "reason": None}
    assert foreseen.taken(LATER) is None


def test_lines_are_those_of_the_text_by_now() -> None:
    foreseen = Foreseen()
    foreseen.ask(TASK, lambda task: answered("it fails at line 6"))
    assert foreseen.taken(LATER) == {"verdict": "unknown", "reason": "it fails at line 7"}


def test_a_change_of_the_function_or_of_another_file_is_another_question() -> None:
    foreseen = Foreseen()
    foreseen.ask(TASK, lambda task: answered(None))
    assert foreseen.taken(replace(TASK, new=ABOVE + NEW.replace("9", "8"))) is None
    assert foreseen.taken(replace(TASK, changed={"/p/b.py": "y = 1\n"})) is None


def test_what_nobody_has_begun_to_answer_is_let_go() -> None:
    foreseen, waiting, running = Foreseen(), Future[dict[str, object]](), Future[dict[str, object]]()
    running.set_running_or_notify_cancel()
    foreseen.ask(TASK, lambda task: running)
    foreseen.ask(replace(TASK, function="g"), lambda task: waiting)
    foreseen.drop()
    assert waiting.cancelled()
    running.set_result({"verdict": "proved"})
    assert foreseen.taken(TASK) == {"verdict": "proved"}
