"""The texts that the client has open, line by line as the protocol counts them: pygls also splits at form feeds."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from scanlint.finding import Edit
from scanlint.finding import Position as Place
from scanlint.syntax.edits import split_lines

Encoding = types.PositionEncodingKind | str | None


class TextIndex:
    """A text with its places as offsets, in the client's units and as findings give them (1-based, characters)."""

    def __init__(self, text: str, encoding: Encoding) -> None:
        self.text = text
        self.encoding = encoding

    @cached_property
    def lines(self) -> list[str]:
        """Lines with their ends; where the text ends with a line break, an empty one at the end."""
        lines = split_lines(self.text)
        return lines if lines and not lines[-1].endswith(("\n", "\r")) else [*lines, ""]

    @cached_property
    def starts(self) -> list[int]:
        starts = [0]
        for line in self.lines[:-1]:
            starts.append(starts[-1] + len(line))
        return starts

    def position(self, offset: int) -> types.Position:
        """The client's position of an offset."""
        line = bisect_right(self.starts, offset) - 1
        return types.Position(line, self._units(self.lines[line][: offset - self.starts[line]]))

    def offset(self, position: types.Position) -> int:
        """The offset of a client's position; one beyond the end of its line, or of the text, is that end."""
        if position.line >= len(self.lines):
            return len(self.text)
        line = self.lines[position.line].rstrip("\r\n")
        return self.starts[position.line] + self._characters(line, position.character)

    def place_offset(self, place: Place) -> int:
        """The offset of a place of a finding."""
        if place.line > len(self.lines):
            return len(self.text)
        line = max(place.line, 1) - 1
        return self.starts[line] + min(max(place.column, 1) - 1, len(self.lines[line]))

    def range(self, start: Place, end: Place) -> types.Range:
        return types.Range(self.position(self.place_offset(start)), self.position(self.place_offset(end)))

    def edit(self, edit: Edit) -> types.TextEdit:
        return types.TextEdit(self.range(edit.start, edit.end), edit.text)

    def line(self, number: int) -> str:
        """A line, counted from 1, without its end."""
        return self.lines[number - 1].rstrip("\r\n") if 0 < number <= len(self.lines) else ""

    def changed(self, change: types.TextDocumentContentChangeEvent) -> str:
        """The text after a change of the client."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            return change.text
        start, end = self.offset(change.range.start), self.offset(change.range.end)
        return self.text[:start] + change.text + self.text[max(start, end) :]

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == types.PositionEncodingKind.Utf32:
            return len(text)
        if self.encoding == types.PositionEncodingKind.Utf8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text) + sum(char > "\uffff" for char in text)

    def _characters(self, line: str, units: int) -> int:
        """The number of characters of a line that so many units span; a character that they end in is left out."""
        if line.isascii() or self.encoding == types.PositionEncodingKind.Utf32:
            return min(units, len(line))
        for count, char in enumerate(line):
            units -= self._units(char)
            if units < 0:
                return count
        return len(line)


class ExactDocument(TextDocument):
    """A document whose changes are applied where the protocol says."""

    @property
    def index(self) -> TextIndex:
        return TextIndex(self.source, self.position_codec.encoding)

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        self._source = self.index.changed(change)


class ExactWorkspace(Workspace):
    """Makes such documents."""

    @classmethod
    def like(cls, made: Workspace) -> ExactWorkspace:
        """The workspace that pygls has made, before anything is open in it."""
        kind = types.TextDocumentSyncKind.Incremental
        return cls(made.root_uri, kind, list(made.folders.values()), made.position_encoding)

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> ExactDocument:
        codec = self.position_codec
        return ExactDocument(doc_uri, source, version, language_id, sync_kind=self._sync_kind, position_codec=codec)
