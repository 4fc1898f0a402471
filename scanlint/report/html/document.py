"""The page of a run: it needs no other file, and nothing of the user's code becomes markup or script."""

from __future__ import annotations

import hashlib
import math
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scanlint import __version__
from scanlint.finding import Finding, Verification
from scanlint.report.closing import summary
from scanlint.report.html.markup import NOTHING, Content, Markup, element, joined
from scanlint.report.html.side_by_side import sides, table
from scanlint.report.result import Result, evidence, plural

HERE = Path(__file__).parent


def render(result: Result) -> str:
    """One page with all findings, by file."""
    style = Markup((HERE / "page.css").read_text(encoding="utf-8"))
    script = Markup((HERE / "page.js").read_text(encoding="utf-8"))
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        element("title", f"scanlint: {plural(len(result.findings), 'finding')}"),
        element("style", style),
    )
    body = element("body", _header(result), element("main", *_main(result)), element("script", script))
    return f"<!doctype html>\n{element('html', element('head', head), body, lang='en')}\n"


def _header(result: Result) -> Markup:
    verdicts = Counter(_state(finding) for finding in result.findings)
    tiles = [("findings", len(result.findings)), ("files", result.files), *sorted(verdicts.items())]
    spelled = (element("li", element("b", f"{count:,}"), f" {name}", class_=name) for name, count in tiles)
    button = element("button", "Light or dark", id="theme", type="button")
    title = element("div", element("h1", "scanlint"), button, class_="title")
    return element("header", title, element("ul", *spelled, class_="tiles"))


def _main(result: Result) -> Iterator[Markup]:
    if told := [*map(str, result.problems), *result.notes]:
        items = (element("li", text) for text in told)
        yield element("section", element("h2", summary(result)), element("ul", *items), class_="missing", role="alert")
    if not result.findings:
        yield element("p", f"{summary(result)}.")
        return
    ids = {id(finding): f"finding-{n}" for n, finding in enumerate(result.findings)}
    charts = [_chart(*asked, result, ids) for asked in (("Equations", "equations"), ("Compile time", "seconds"))]
    if any(charts):
        yield element("section", *charts, class_="charts")
    yield _filters(result)
    by_file: dict[str, list[Finding]] = {}
    for finding in result.findings:
        by_file.setdefault(finding.path, []).append(finding)
    for path, listed in by_file.items():
        title = element("h2", path, element("small", plural(len(listed), "finding")))
        cards = (_card(finding, ids[id(finding)], result) for finding in listed)
        yield element("section", title, *cards, class_="file", data_file=path)
    yield element("footer", f"scanlint {__version__}, {result.seconds:.1f} s")


def _chart(title: str, unit: str, result: Result, ids: dict[int, str]) -> Markup:
    """One pair per verified function, for all its rewrites were run together."""
    found: dict[tuple[str, str | None], Pair] = {}
    for finding in result.findings:
        if (known := finding.verification) is not None and known.verdict in ("proved", "tested"):
            before, after = _quantities(known, unit)
            if before is not None and after is not None:
                name = finding.function or f"{Path(finding.path).name}:{finding.start.line}"
                found.setdefault((finding.path, finding.function), Pair(name, ids[id(finding)], before, after))
    return chart(title, unit, list(found.values()))


def _quantities(known: Verification, unit: str) -> tuple[float | None, float | None]:
    if unit == "equations":
        return known.equations_before, known.equations_after
    return known.compile_seconds_before, known.compile_seconds_after


def _state(finding: Finding) -> str:
    """The state of a finding's rewrite, in one word."""
    if finding.verification is not None:
        return finding.verification.verdict
    return "not verified" if finding.fix.status == "available" else "without a rewrite"


def _filters(result: Result) -> Markup:
    words = Markup('<input id="words" type="search" placeholder="Filter: file, function, message" aria-label="Filter">')
    return element(
        "form",
        words,
        _choice("level", Counter(finding.level for finding in result.findings)),
        _choice("rule", Counter(finding.name for finding in result.findings)),
        _choice("state", Counter(map(_state, result.findings))),
        element("output", "", id="count"),
        class_="filters",
    )


def _choice(name: str, counts: Counter[str]) -> Markup:
    options = (element("option", f"{word} ({count})", value=word) for word, count in counts.most_common())
    label = {"level": "All levels", "rule": "All rules", "state": "All verdicts"}[name]
    return element("select", element("option", label, value=""), *options, id=name, aria_label=label)


def _card(finding: Finding, mark: str, result: Result) -> Markup:
    state = _state(finding)
    place = finding.place.removeprefix(finding.path).lstrip(":")
    head = element(
        "summary",
        element("span", state, class_=f"state {state.split()[0]}"),
        element("span", finding.level, class_=f"level {finding.level}"),
        element("b", finding.name),
        element("code", finding.code),
        element("span", finding.message, class_="message"),
        element("span", place, class_="place"),
    )
    both = sides(finding, result)
    code = table(both) if both is not None else NOTHING
    words = " ".join([finding.path, finding.function or "", finding.code, finding.name, finding.message])
    return element(
        "details",
        head,
        element("dl", *_facts(finding)),
        code or element("pre", result.line(finding)),
        id=mark,
        open=True,
        data_level=finding.level,
        data_rule=finding.name,
        data_state=state,
        data_words=words.lower(),
    )


def _facts(finding: Finding) -> Iterator[Markup]:
    rows: list[tuple[str, Sequence[Content]]] = []
    if finding.function:
        rows.append(("function", [element("code", finding.function)]))
    if finding.chain:
        rows.append((finding.reasons, list(map(str, finding.chain))))
    if finding.help:
        rows.append(("help", [finding.help]))
    if (known := finding.verification) is not None:
        rows.append(("verdict", [evidence(known)]))
        rows += [("inputs", [_tried(known)])] if known.cases else []
        rows += [("note", [note]) for note in known.notes]
    if finding.fix.reason and not (known and evidence(known).startswith(finding.fix.reason)):
        rows.append(("not rewritten", [finding.fix.reason]))
    if known is not None and known.counterexample:
        rows.append(("counterexample", [element("pre", known.counterexample)]))
    if (cost := finding.cost) is not None:
        seconds = f"{cost.trace_seconds:.2g} s of tracing, {cost.compile_seconds:.2g} s of compiling"
        rows.append(("recorded", [f"{number(cost.equations)} of {number(cost.total_equations)} equations; {seconds}"]))
    for name, contents in rows:
        yield joined(element("dt", name), *(element("dd", content) for content in contents))


def _tried(known: Verification) -> str:
    """The number of inputs that were tried, their sources, and the largest difference of the outputs."""
    error = "" if known.max_abs_error is None else f"; largest difference {known.max_abs_error:.3g}"
    return f"{known.cases} {known.inputs}{error}"


MOST = 25


class Pair(NamedTuple):
    """One quantity of a rewrite, by the function's name and the place of its finding."""

    name: str
    target: str
    before: float
    after: float


def chart(title: str, unit: str, pairs: Sequence[Pair]) -> Markup:
    """The pairs that differ most first; nothing where there are none."""
    if not pairs:
        return NOTHING
    ranked = sorted(pairs, key=lambda pair: pair.after / pair.before if pair.before else 1.0)
    smallest, largest = _ends(ranked)
    head = element("h3", title, element("small", f"{unit}, logarithmic scale, the largest change first"))
    rows = [_row(pair, smallest, largest) for pair in ranked[:MOST]]
    more = element("p", f"and {len(ranked) - MOST} more", class_="more") if len(ranked) > MOST else NOTHING
    return element("figure", head, _legend(), joined(*rows), more, class_="chart")


def _ends(pairs: Sequence[Pair]) -> tuple[float, float]:
    """The ends of the scale: powers of ten around all values."""
    values = [value for pair in pairs for value in (pair.before, pair.after) if value > 0] or [1.0]
    low, high = math.floor(math.log10(min(values)) - 0.2), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _legend() -> Markup:
    marks = (element("span", element("i", class_=kind), kind) for kind in ("before", "after"))
    return element("p", *marks, class_="legend")


def _row(pair: Pair, smallest: float, largest: float) -> Markup:
    bars = (
        element("div", _bar(kind, value, smallest, largest), element("b", number(value)))
        for kind, value in (("before", pair.before), ("after", pair.after))
    )
    return element(
        "div", element("a", pair.name, href=f"#{pair.target}"), element("div", *bars, class_="bars"), class_="row"
    )


def _bar(kind: str, value: float, smallest: float, largest: float) -> Markup:
    part = (math.log10(value) - smallest) / (largest - smallest) if value > 0 else 0.0
    return element("i", class_=kind, style=f"width:{80 * max(part, 0.004):.2f}%")


def number(value: float) -> str:
    """A count with its thousands, or seconds with two digits."""
    return f"{int(value):,}" if value == int(value) else f"{value:.2g}"
