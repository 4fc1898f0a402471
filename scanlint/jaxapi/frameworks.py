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


def _framework(package: str, bases: str, *methods: str) -> Framework:
    """Each entry of `methods` is some names of methods, and behind a `=` the roles of their parameters."""
    said = [
        (names.split(), tuple(r.strip("-") for r in roles.split()))
        for names, _, roles in (m.partition("=") for m in methods)
    ]
    return Framework(package, frozenset(bases.split()), {name: roles for names, roles in said for name in names})


STATE_STEP = "step = tree array"
FRAMEWORKS = (
    _framework("jumanji", "Environment Wrapper", "reset = array", STATE_STEP),
    _framework("jumanji", "Generator", "__call__ = array"),
    _framework("jumanji", "RewardFn", "__call__ = tree tree tree tree tree"),
    _framework("brax", "Env PipelineEnv Wrapper", "reset = array", STATE_STEP),
    _framework("mujoco_playground", "MjxEnv Wrapper", "reset = array", STATE_STEP),
    _framework(
        "gymnax",
        "Environment",
        "reset reset_env = array tree",
        "step step_env = array tree array tree",
        "get_obs = tree tree array",
        "is_terminal is_terminated is_truncated discount = tree tree",
    ),
    _framework("pgx", "Env", "init _init = array", "step _step = tree array array", "observe _observe = tree array"),
    _framework("jaxmarl", "MultiAgentEnv", "reset = array", "step step_env = array tree tree", "get_obs = tree"),
    _framework("xminigrid", "Environment", "reset _generate_problem = - array", "step = - tree array"),
)  # fmt = skip
METHODS = frozenset(name for framework in FRAMEWORKS for name in framework.methods) | {"__call__"}
BASES = {(framework.package, base): framework for framework in FRAMEWORKS for base in framework.bases}
