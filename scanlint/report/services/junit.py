"""JUnit XML: a suite per file, in it a failure per finding that is left, an error per thing that was not done."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from scanlint.finding import Finding
from scanlint.problem import Problem
from scanlint.report.closing import summary
from scanlint.report.result import Result

TOOL = "scanlint"
Case = Finding | Problem


def render(result: Result) -> str:
    left, problems = result.remaining, result.problems
    root = ElementTree.Element("testsuites", attrib={"name": TOOL, **_counts(left, problems)})
    by_file: dict[str, list[Case]] = {}
    cases: list[Case] = [*left, *problems]
    for case in sorted(cases, key=lambda case: case.path):
        by_file.setdefault(case.path, []).append(case)
    for path, cases in by_file.items():
        _suite(root, path, cases)
    if not by_file:
        suite = ElementTree.SubElement(root, "testsuite", name=TOOL, tests="1", failures="0", errors="0")
        ElementTree.SubElement(
            suite, "testcase", name="no findings" if result.files else summary(result), classname=TOOL
        )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _counts(findings: Sequence[Finding], problems: Sequence[Problem]) -> dict[str, str]:
    tests = max(len(findings) + len(problems), 1)
    return {"tests": str(tests), "failures": str(len(findings)), "errors": str(len(problems))}


def _suite(root: ElementTree.Element, path: str, cases: Sequence[Case]) -> None:
    findings = [case for case in cases if isinstance(case, Finding)]
    problems = [case for case in cases if isinstance(case, Problem)]
    suite = ElementTree.SubElement(root, "testsuite", attrib={"name": path or TOOL, **_counts(findings, problems)})
    for finding in findings:
        name = f"{finding.code} {finding.name} at {finding.place.removeprefix(f'{path}:')}"
        failure = _case(suite, path, name, finding.span[0].line, "failure")
        failure.attrib |= {"message": finding.message, "type": finding.code}
        failure.text = f"{finding.place}: {finding.message}"
    for problem in problems:
        error = _case(suite, path, problem.message, problem.line, "error")
        error.attrib |= {"message": problem.message, "type": problem.scope}
        error.text = str(problem)


def _case(suite: ElementTree.Element, path: str, name: str, line: int, kind: str) -> ElementTree.Element:
    """A case of a file, and in it what became of it."""
    case = ElementTree.SubElement(suite, "testcase", name=name, classname=path or TOOL)
    if path:
        case.set("file", path)
    if line:
        case.set("line", str(line))
    return ElementTree.SubElement(case, kind)
