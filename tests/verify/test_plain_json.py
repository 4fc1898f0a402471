"""Answers are written as `json` writes them, by nothing that a module could have replaced."""

from __future__ import annotations

import json
import math
from collections import OrderedDict

import pytest

from scanlint.verify.worker.session.plain_json import encoder

PLAIN = [
    None, True, False, 0, -7, 2**70, 1.5, -0.0, 1e-300, math.inf, -math.inf, "", 'a "quoted" line\n\t\x00', "für Ω 𝔘",
    [], [1, [2.0, None]], (1, "x"), {}, {"a": {"b": [True]}, "ü": ()}, {1: "one"}, OrderedDict(a=1),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_what_is_written_is_what_json_writes(value: object) -> None:
    assert encoder()(value) == json.dumps(value)


def test_a_nan_is_written_as_json_writes_it() -> None:
    assert encoder()([math.nan]) == "[NaN]"


def test_what_is_no_plain_data_is_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        encoder()({"a": {1, 2}})


def test_a_module_that_is_patched_afterwards_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = encoder()
    monkeypatch.setattr(json, "dumps", lambda *a, **k: "forged")
    monkeypatch.setattr(json.encoder, "encode_basestring_ascii", lambda text: '"forged"')
    assert encode({"verdict": "unknown"}) == '{"verdict": "unknown"}'
