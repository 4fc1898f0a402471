"""Classes of well-known libraries whose methods run under a trace that stands elsewhere, and what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Roles = tuple[str, ...]
"""What each argument after `self` is: an "array", a "tree" of them, or "" where it may be a Python value."""


class Framework(NamedTuple):
    """Base classes of one library, by their last name, and the methods that are traced."""

    package: str
    bases: frozenset[str]
    methods: Mapping[str, Roles]


def _framework(package: str, bases: str, **methods: str) -> Framework:
    roles = {name: tuple(r.strip("-") for r in listed.split()) for name, listed in methods.items()}
    return Framework(package, frozenset(bases.split()), roles)


STATE_STEP = "tree array"
FRAMEWORKS = (
    _framework("jumanji", "Environment Wrapper", reset="array", step=STATE_STEP),
    _framework("jumanji", "Generator", __call__="array"),
    _framework("jumanji", "RewardFn", __call__="tree tree tree tree tree"),
    _framework("brax", "Env PipelineEnv Wrapper", reset="array", step=STATE_STEP),
    _framework("mujoco_playground", "MjxEnv Wrapper", reset="array", step=STATE_STEP),
    _framework(
        "gymnax",
        "Environment",
        reset="array tree",
        reset_env="array tree",
        step="array tree array tree",
        step_env="array tree array tree",
        get_obs="tree tree array",
        is_terminal="tree tree",
        is_terminated="tree tree",
        is_truncated="tree tree",
        discount="tree tree",
    ),
    _framework(
        "pgx",
        "Env",
        init="array",
        step="tree array array",
        observe="tree array",
        _init="array",
        _step="tree array array",
        _observe="tree array",
    ),
    _framework(
        "jaxmarl",
        "MultiAgentEnv",
        reset="array",
        step="array tree tree",
        step_env="array tree tree",
        get_obs="tree",
    ),
    _framework("xminigrid", "Environment", reset="- array", step="- tree array", _generate_problem="- array"),
)
METHODS = frozenset(name for framework in FRAMEWORKS for name in framework.methods) | {"__call__"}
BASES = {(framework.package, base): framework for framework in FRAMEWORKS for base in framework.bases}
