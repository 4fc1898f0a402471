"""Regular expressions that are compiled when they are first asked: most runs ask few of them, and all cost a tenth."""

from __future__ import annotations

import re
from typing import cast


class _Uncompiled:
    """Stands for a pattern; what is asked of it once is answered by the pattern itself from then on."""

    def __init__(self, text: str, flags: re.RegexFlag) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        found: object = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def regex(text: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A pattern of the whole program, made without being compiled."""
    return cast("re.Pattern[str]", _Uncompiled(text, flags))
