"""Real calls with long loops are made shorter where what bounds the loops is known by its name."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from scanlint.verify.worker.infer.shorter_calls import shorter

TREE = ast.parse("def f(cfg, xs, width):\n    for t in range(cfg.horizon):\n        xs = xs + width\n    return xs\n")


@dataclass(frozen=True)
class Config:
    horizon: int = 64
    hidden: int = 32


class World(NamedTuple):
    cfg: Config
    table: np.ndarray


def test_a_field_that_bounds_a_loop_and_the_axes_of_its_length_are_cut() -> None:
    found = shorter({"cfg": Config(), "xs": jnp.zeros((64, 3)), "width": 64}, TREE)
    assert found is not None
    assert found["cfg"] == Config(horizon=5)
    assert found["xs"].shape == (5, 3)  # type: ignore[attr-defined]
    assert found["width"] == 64


def test_fields_of_fields_are_found_and_what_is_given_does_not_change() -> None:
    world = World(Config(), np.zeros((64, 64)))
    found = shorter({"world": world, "xs": 1.0}, TREE)
    assert found is not None
    assert found["world"].cfg.horizon == 5  # type: ignore[attr-defined]
    assert found["world"].table.shape == (5, 5)  # type: ignore[attr-defined]
    assert world.cfg.horizon == 64


def test_a_call_without_long_loops_is_left_alone() -> None:
    assert shorter({"cfg": Config(horizon=4), "xs": jnp.zeros((64, 3)), "width": 64}, TREE) is None
