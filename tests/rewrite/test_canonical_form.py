"""How a function is laid out decides nothing of its rewrite, and what a rewrite leaves alone stays as it was written."""

from __future__ import annotations

import ast
from pathlib import Path

import jax.numpy as jnp
import pytest

from scanlint.finding import Position
from scanlint.project.files import decode
from scanlint.rewrite.canonical_form import canonical
from scanlint.rewrite.views import View
from scanlint.settings import Settings
from scanlint.trace.program.project import Project
from scanlint.trace.unit import Unit

XS = jnp.linspace(-1.0, 2.0, 12).reshape(6, 2)


def xs() -> object:
    return XS


def h() -> object:
    return XS[0]


LAYOUTS = {
    "a loop and its list on one line": (
        "    ys = []; k = 2.0\n    for x in xs: h = jnp.tanh(h + x); ys.append(h * k)\n    return jnp.stack(ys), h\n",
        "    k = 2.0\n\n    def step(h, x):\n        h = jnp.tanh(h + x)\n        return h, h * k\n\n    h, ys = lax.scan(step, h, xs)\n    return ys, h\n",
    ),
    "what stays is written as it was": (
        "    a = 1; b = 2  # both\n    for x in xs:\n        h = jnp.tanh(h + x); h = h * a; h = h + b\n    c = a; d = b;\n    return h * (c + d)\n",
        "    a = 1; b = 2  # both\n\n    def step(h, x):\n        h = jnp.tanh(h + x); h = h * a; h = h + b\n        return h, None\n\n    h, _ = lax.scan(step, h, xs)\n    c = a; d = b;\n",
    ),
    "a break on the line of its test": (
        "    for x in xs:\n        h = jnp.tanh(h + x); y = h.sum()\n        if y > 1.5: break\n    return h\n",
        "        h = jnp.tanh(h + x); y = h.sum()\n        done = y > 1.5\n",
    ),
    "an else on its own line": (
        "    if h.sum() > 0: y = jnp.log(h)\n    else: y = -h\n    return y\n",
        "    y = lax.cond(h.sum() > 0, lambda: jnp.log(h), lambda: -h)\n",
    ),
    "a string over several lines in what is moved": (
        '    for x in xs:\n        if h.sum() > 1e3:\n            continue\n        h = jnp.tanh(h + x) * len("""a\n  b\n""")\n    return h\n',
        '* len("""a\n  b\n""")',
    ),
    "backslashes": (
        "    for x in xs:\n        h = \\\n            jnp.tanh(h) + \\\n            x\n    return h\n",
        "    def step(h, x):\n        h = \\\n            jnp.tanh(h) + \\\n            x\n        return h, None\n",
    ),
    "comments where a step would move text": (
        "    ys = [h]  # the first\n    for x in xs:  # each\n        # the rule\n        ys.append(  # next\n            ys[-1] * 0.5  # half\n            + x\n        )\n    return jnp.stack(ys)\n",
        "# half",
    ),
    "a first trip over several lines": (
        "    best = None  # none yet\n    for x in xs:\n        best = x * h if best is None else jnp.minimum(best,  # the least\n            x * h)\n    return best\n",
        "# the least",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "piece"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_layout_keeps_nothing_from_being_rewritten(rewrite, body: str, piece: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(xs, h):\n{body}")
    assert piece in sample.new and sample.new != sample.old, sample.new
    assert "lax." in sample.body
    assert sample.reasons == []
    sample.agree("f", [xs, h])


WRITTEN = {
    "joined statements": "    a = 1; b = 2\n    for i in range(3): a = a + i; b = b * a\n    return a, b\n",
    "trailing semicolons and comments": "    a = 1;  # one\n    b = 2; c = 3;\n    return a + b + c\n",
    "spaces behind comments": "    a = 1; b = 2  # one \n    # two \n\n    return a + b\n",
    "strings": '    a = """one\n    two"""; b = len(a)\n    return f"""{a}\n  {b}""", """x\\\ny"""\n',
    "raw strings, and fields over several lines": '    a = 1; return r"""\\d\n""", rf"""{{\\d\n{a}""", f"""x\n{\na:\n>3}""", b"""\\\\\n"""\n',
    "backslashes": "    a = 1 + \\\n        2; b = a\n    if a > \\\n       b: return \\\n          a\n    return b\n",
    "blocks on header lines": "    try: a = 1\n    except ValueError: a = 2\n    finally: b = 3\n    while a < 3: a += 1; b += 1\n    else: b = 0\n    match a:\n        case 1: b = 5\n        case _: b = 6\n    return a, b\n",
    "nested functions": "    def g(x): return x + 1\n    class C: y = 2; z = 3\n    return g(\n        C.y  # y\n    )\n",
}  # fmt: skip

BRACKETS = "    a = [1,  # one\n         2,\n         ]\n    # two\n    return max(a,\n               key=lambda x:\n               -x,\n               ), a[\n        0]\n"


def unit_of(body: str) -> Unit:
    text = f"import jax\n\n\n@jax.jit\ndef f():\n    for _ in range(2):\n        pass\n{body}\n\ndef after(): return 1; 2\n"
    project = Project.load([decode(text.encode(), Path("sample.py"))], Settings(select=("ALL",)))
    return next(unit for unit in project.units() if unit.qualname == "f")


def form_of(body: str) -> tuple[Unit, View]:
    unit = unit_of(body)
    form = canonical(unit)
    assert form is not None
    return unit, form


@pytest.mark.parametrize("body", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_form_is_the_same_program_with_its_places_known(body: str) -> None:
    unit, form = form_of(body)
    assert ast.dump(unit.node) == ast.dump(form.unit.node)
    inside = {part for n in ast.walk(form.unit.node) if isinstance(n, ast.JoinedStr) for part in ast.walk(n)}
    for old, new in zip(ast.walk(unit.node), ast.walk(form.unit.node), strict=True):
        if isinstance(new, ast.stmt | ast.Name) and new not in inside:
            assert form.written(form.unit.source.start(new)) == unit.source.start(old)
    assert form.written(Position(1, 1)) == Position(1, 1)


@pytest.mark.parametrize("body", WRITTEN.values(), ids=WRITTEN.keys())
def test_what_is_not_touched_comes_back_as_it_was(body: str) -> None:
    unit, form = form_of(body)
    assert form.restored(form.unit.source).whole == unit.source.whole


@pytest.mark.parametrize("body", [*WRITTEN.values(), BRACKETS], ids=[*WRITTEN, "brackets"])
def test_a_form_is_in_that_form(body: str) -> None:
    form = canonical(unit_of(body))
    assert canonical(form.unit) is None if form is not None else body == BRACKETS


def test_findings_stand_where_they_were_written(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(xs, h):\n    a = 1; b = 2\n    if h.sum() > a: h = jnp.log(h); h = h * b\n    return h\n"
    )
    (report,) = sample.reports
    assert report.finding.start == Position(9, 5)
    assert [link.line for link in report.finding.chain][-1] == 6


def test_a_reason_speaks_of_the_lines_as_written(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(xs, h):\n    a = 1; b = 2\n    for i in range(100): h = jnp.sin(h) * a; print(h.shape); h = h + b\n    return h\n"
    )
    (report,) = sample.reports
    assert report.finding.fix.reason == "side-effect: `print(...)` is called for its effect at line 9"
