"""Options and helpers of the whole test suite."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what runs once is compiled sooner than optimised


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take a minute or more begin before the others, so that no process waits for the last of them."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-pages", action="store_true", help="write what the tool does into the pages' after blocks"
    )
