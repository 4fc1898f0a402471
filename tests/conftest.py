"""Options and helpers of the whole test suite."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-pages", action="store_true", help="write what the tool does into the pages' after blocks"
    )
