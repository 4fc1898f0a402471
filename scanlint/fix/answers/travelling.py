"""Kept answers as one file, by which they get into another cache: each under the digest of all that it rests on."""

from __future__ import annotations

import json
import re

from scanlint import __version__
from scanlint.engine.cache import Cache
from scanlint.errors import UsageError
from scanlint.verify.verifier import verification

FORM = "scanlint verdicts 1"
KEY = re.compile(r"[0-9a-f]{64}")
VERDICTS = frozenset(["proved", "tested", "refuted", "unknown"])


def exported(cache: Cache) -> tuple[bytes, int]:
    """All answers of a cache as the content of a file, and how many these are."""
    answers = {key: answer for key, data in cache.verdicts() if (answer := _answer(data)) is not None}
    written = json.dumps({"form": FORM, "scanlint": __version__, "answers": answers}, sort_keys=True, indent=0)
    return written.encode() + b"\n", len(answers)


def take_in(cache: Cache, data: bytes, name: str, *, trusted: bool) -> int:
    """Put the answers of a file into a cache, as of elsewhere unless trusted; says how many. Raises UsageError."""
    try:
        document = json.loads(data)
        form, answers = document["form"], document["answers"]
    except (ValueError, KeyError, TypeError, RecursionError):
        form, answers = None, None
    if form != FORM or not isinstance(answers, dict):
        raise UsageError(f"{name}: not a file of `scanlint cache --export`")
    written = {key: json.dumps(answer).encode() for key, answer in answers.items()}
    for key, answer in written.items():
        if KEY.fullmatch(key) is None or _answer(answer) is None:
            raise UsageError(f"{name}: `{key[:80]}` is no answer of a verifier")
    for key, answer in written.items():
        (cache.keep_verdict if trusted else cache.keep_foreign)(key, answer)
    return len(written)


def _answer(data: bytes) -> dict[str, object] | None:
    """The answer that some content is; None where it is something else that is kept, or no answer that can be read."""
    try:
        found = json.loads(data)
        if not isinstance(found, dict) or found.get("verdict") not in VERDICTS:
            return None
        verification(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # whoever asks leaves it out or says so
        return None
    return found
