"""JUnit XML: a test case per finding that is left, a suite per file; one passing case where there is none."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree

from scanlint.finding import Finding
from scanlint.report.result import Result


def render(result: Result) -> str:
    left = sorted(result.remaining, key=lambda finding: finding.path)
    count = str(len(left))
    root = ElementTree.Element("testsuites", name="scanlint", tests=str(max(len(left), 1)), failures=count, errors="0")
    for path, group in groupby(left, key=lambda finding: finding.path):
        _suite(root, path, list(group))
    if not left:
        suite = ElementTree.SubElement(root, "testsuite", name="scanlint", tests="1", failures="0", errors="0")
        ElementTree.SubElement(suite, "testcase", name="no findings", classname="scanlint")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, path: str, findings: list[Finding]) -> None:
    count = str(len(findings))
    suite = ElementTree.SubElement(root, "testsuite", name=path, tests=count, failures=count, errors="0")
    for finding in findings:
        name = f"{finding.code} {finding.name} at {finding.place.removeprefix(f'{path}:')}"
        case = ElementTree.SubElement(suite, "testcase", name=name, classname=path, file=path)
        case.set("line", str(finding.span[0].line))
        failure = ElementTree.SubElement(case, "failure", message=finding.message, type=finding.code)
        failure.text = f"{finding.place}: {finding.message}"
