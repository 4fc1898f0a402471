"""What really reaches a read, in runs of random programs, is always among its definitions."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from scanlint.dataflow.defuse import DefUse
