"""The page of a run: what stands on it, that nothing of the user's code becomes markup, and what a browser makes of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scanlint.finding import Edit, Finding, Fix, Link, Position, Verification
from scanlint.report.html import document
from scanlint.report.html.markup import element
from scanlint.report.result import Result

Make = Callable[..., Result]
Scanlint = Callable[..., subprocess.CompletedProcess[str]]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
EVIL = (
    "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">'\"&\x1b[31m\u202e"
)
VOID = {"meta", "input", "col"}


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text; an element that is not closed is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]


def evil(loop: Finding) -> Finding:
    """A finding of whose texts each tries to end its element."""
    assert loop.verification is not None
    return replace(
        loop,
        path=f"{EVIL}.py",
        function=EVIL,
        message=EVIL,
        help=EVIL,
        chain=(Link(EVIL, EVIL, 1, 1),),
        fix=Fix("withheld", EVIL, (Edit(Position(6, 5), Position(7, 26), EVIL),)),
        verification=replace(loop.verification, verdict="refuted", reason=EVIL, counterexample=EVIL, notes=(EVIL,)),
    )


def test_a_rewrite_stands_beside_the_old_code_with_its_verdict(loop: Finding, result: Make) -> None:
    page = Page(document.render(result(loop)))
    (card,) = page.tags("details")
    assert (card["data-rule"], card["data-state"]) == ("unrolled-loop", "proved")
    for words in ("proved, 12003 -> 14 equations", "12 synthesised", "state = new", "for t in range(1000):"):
        assert words in page.words
    cells = [attributes.get("class") for attributes in page.tags("td")]
    assert {"old", "new", "number old", "number new"} <= set(cells)


def test_the_chart_has_both_numbers_of_each_verified_function_once(loop: Finding, result: Make) -> None:
    assert loop.verification is not None
    measured = replace(loop.verification, compile_seconds_before=41.5, compile_seconds_after=0.125)
    page = Page(document.render(result(*[replace(loop, verification=measured)] * 2)))
    assert page.words.count("12,003") == 1
    assert page.words.count("0.12") >= 1
    bars = [i for i in page.tags("i") if i.get("style")]
    assert [bar["class"] for bar in bars] == ["before", "after"] * 2
    widths = [float(re.findall(r"[\d.]+", bar["style"] or "")[0]) for bar in bars]
    assert widths[0] > widths[1] and widths[2] > widths[3] and max(widths) <= 80


def test_what_was_not_shown_equal_is_in_no_chart(loop: Finding, result: Make) -> None:
    unknown = Verification("unknown", "no input", equations_before=12003, equations_after=14)
    assert not Page(document.render(result(replace(loop, verification=unknown)))).tags("figure")


def test_nothing_of_the_users_code_becomes_markup(loop: Finding, result: Make) -> None:
    text = document.render(result(evil(loop), source="\n" * 5 + f"{EVIL}\n{EVIL}\n"))
    page = Page(text)
    assert len(page.tags("script")) == 1 and not page.tags("img")
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "\x1b" not in text and "\u202e" not in text
    assert "document.title='taken'" in page.words


def test_the_page_needs_nothing_else_and_allows_nothing_else(loop: Finding, result: Make) -> None:
    text = document.render(result(loop))
    assert not re.findall(r"(?:src|href)=\"(?!#)|url\(|@import", text)
    policy = [meta.get("content") for meta in Page(text).tags("meta") if meta.get("http-equiv")]
    assert policy and (policy[0] or "").startswith("default-src 'none'")


def test_attributes_and_texts_are_escaped() -> None:
    assert element("a", "<b>", title='"x"') == '<a title="&quot;x&quot;">&lt;b&gt;</a>'


def test_the_command_verifies_writes_the_page_and_nothing_else(project: Path, run: Scanlint) -> None:
    before = (project / "loop.py").read_text()
    done = run("report", "--html", "page.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Would fix 1 finding (0 would remain), see page.html" in done.stderr
    assert (project / "loop.py").read_text() == before
    page = Page((project / "page.html").read_text(encoding="utf-8"))
    assert page.tags("details")[0]["data-state"] == "proved"
    assert "jax.lax.fori_loop(0, 50, body, state)" in page.words


def test_without_verification_none_of_the_code_is_run(project: Path, run: Scanlint) -> None:
    (project / "loop.py").write_text((project / "loop.py").read_text() + "\nopen('ran', 'w').close()\n")
    assert run("report", "--no-verify", "--html", "page.html").returncode == 1
    page = Page((project / "page.html").read_text(encoding="utf-8"))
    assert page.tags("details")[0]["data-state"] == "not verified"
    assert not (project / "ran").exists()


def test_a_page_without_findings_says_so_and_a_page_that_cannot_be_written_is_an_error(
    project: Path, run: Scanlint
) -> None:
    assert run("report", "--html", "page.html", "clean.py").returncode == 0
    assert "All checks passed" in (project / "page.html").read_text()
    assert run("report", "--html", "none/page.html", "clean.py").returncode == 2
    assert run("report", "clean.py").returncode == 2


needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path")


def browse(page: Path, *options: str) -> str:
    """The document as the browser has it after the page's script ran."""
    assert BROWSER is not None
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent / 'profile'}"]
    done = subprocess.run(
        [*words, *options, "--virtual-time-budget=2000", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


@needs_browser
def test_a_browser_runs_the_pages_script_and_no_other(tmp_path: Path, loop: Finding, result: Make) -> None:
    page = tmp_path / "page.html"
    page.write_text(document.render(result(loop, evil(loop))), encoding="utf-8")
    after = browse(page)
    assert ">2 shown</output>" in after
    assert "<title>scanlint: 2 findings</title>" in after
    assert not Page(after).tags("img")


@needs_browser
@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        ("document.getElementById('rule').value = 'unrolled-loop'", "1 shown"),
        ("document.getElementById('state').value = 'refuted'", "1 shown"),
        ("document.getElementById('words').value = 'OTHER.py clip'", "1 shown"),
        ("document.getElementById('words').value = 'nowhere'", "0 shown"),
    ],
    ids=["by rule", "by verdict", "by words", "by words that nothing has"],
)
def test_the_filter_shows_what_was_chosen(choice: str, shown: str, tmp_path: Path, loop: Finding, result: Make) -> None:
    refuted = Verification("refuted", "differs")
    other = replace(loop, path="src/other.py", function="clip", name="traced-if", verification=refuted)
    text = document.render(result(loop, other))
    # the page allows its own script only: the test's comes with a page that allows both
    script = f"<script>{choice}; document.querySelector('form').dispatchEvent(new Event('input'))</script></body>"
    open_policy = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", script)
    page = tmp_path / "page.html"
    page.write_text(open_policy, encoding="utf-8")
    assert f">{shown}</output>" in browse(page)


@needs_browser
@pytest.mark.parametrize("width", [1280, 400], ids=["wide", "narrow"])
def test_the_page_never_scrolls_sideways(width: int, tmp_path: Path, loop: Finding, result: Make) -> None:
    long = replace(loop, path=f"src/{'deep/' * 40}model.py", message="word" * 60)
    text = re.sub(r"<meta http-equiv[^>]*>", "", document.render(result(long)))
    script = "<script>document.title = 'wider by ' + (document.documentElement.scrollWidth - document.documentElement.clientWidth)</script></body>"
    frame = tmp_path / "inner.html"
    frame.write_text(text.replace("</body>", script), encoding="utf-8")
    assert "<title>wider by 0</title>" in browse(frame, f"--window-size={width},900")
