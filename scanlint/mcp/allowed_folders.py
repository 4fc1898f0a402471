"""The folders that a client may have looked at, and the paths that lie in them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from mcp.server.mcpserver.exceptions import ToolError


class OutsideError(ToolError):
    """A path that lies in none of the folders."""


class AllowedFolders:
    """The folders of a client; relative paths begin at the first one."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = [Path(os.path.realpath(folder)) for folder in folders]

    @property
    def home(self) -> Path:
        return self.folders[0]

    def path(self, text: str) -> Path:
        """The file or folder that a text names, links followed. Raises OutsideError where it lies outside."""
        found = Path(os.path.realpath(self.home / text))
        if not any(found.is_relative_to(folder) for folder in self.folders):
            listed = ", ".join(map(str, self.folders))
            raise OutsideError(f"{text}: lies outside of {listed}, which is all that this server looks at")
        return found


def folder_of(uri: str) -> Path | None:
    """The folder of a root as clients write it: `file:///home/me/project`."""
    parts = urlparse(uri)
    if parts.scheme != "file":
        return None
    return Path(url2pathname(unquote(parts.path)))
