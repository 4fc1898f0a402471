"""Elements of HTML whose texts and attributes cannot be taken for markup."""

from __future__ import annotations

from html import escape

from scanlint.report.visible import visible_lines


class Markup(str):
    """Text that is markup already; any other text is escaped where it is put into an element."""

    __slots__ = ()


Content = str | Markup
NOTHING = Markup("")


def text(content: Content) -> Markup:
    """The content as markup: control characters are spelled out, and nothing of it is read as an element."""
    return content if isinstance(content, Markup) else Markup(escape(visible_lines(content)))


def element(tag: str, *contents: Content, **attributes: str | bool) -> Markup:
    """An element; `class_` stands for `class`, `data_rule` for `data-rule`, True for an attribute without a value."""
    spelled = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for name, value in attributes.items()
        if not isinstance(value, bool) or value
    )
    return Markup(f"<{tag}{spelled}>{joined(*contents)}</{tag}>")


def joined(*contents: Content) -> Markup:
    """Contents one after the other."""
    return Markup("".join(map(text, contents)))
