"""Functions of JAX's libraries that run what they are given under a trace of their own: solvers, samplers, terms.

One row for each function: where the functions stand among its arguments, and which of their parameters are tracers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Slot(NamedTuple):
    """One function among the arguments of another: its place, its name, and what is traced of what it is given.

    `tracers`: how many of its first parameters are tracers; None: all. The others are whatever the caller gave, which
    may be numbers of Python or objects.
    """

    place: int
    name: str
    tracers: int | None = None


class Solver(NamedTuple):
    """A function that runs others under a trace, now or when the object that it makes is asked to."""

    name: str
    slots: tuple[Slot, ...]


ROWS = (
    ("jax.experimental.ode", "odeint", "0:func"),
    ("jax.experimental.sparse.linalg", "lobpcg_standard", "0:A"),
    ("jax.experimental.jet", "jet", "0:fun"),
    ("jax.scipy.optimize", "minimize", "0:fun"),
    ("jax.scipy.sparse.linalg", "cg gmres bicgstab", "0:A"),
    ("jax.numpy", "apply_along_axis", "0:func1d"),
    ("jax.numpy", "piecewise", "2:funclist"),
    ("jax.lax", "custom_root", "0:f"),
    ("jax.lax", "custom_linear_solve", "0:matvec"),
    ("diffrax", "ODETerm", "0:vector_field:2"),
    ("diffrax", "ControlTerm WeaklyDiagonalControlTerm UnderdampedLangevinDriftTerm", "0:vector_field:2"),
    ("diffrax", "SaveAt SubSaveAt", "-:fn:2"),
    ("diffrax", "Event", "0:cond_fn:2"),
    ("optimistix", "root_find least_squares minimise fixed_point", "0:fn:1"),
    ("lineax", "FunctionLinearOperator", "0:fn"),
    ("lineax", "JacobianLinearOperator", "0:fn:1"),
    (
        "jaxopt",
        "GradientDescent ProjectedGradient ProximalGradient MirrorDescent LBFGS LBFGSB BFGS NonlinearCG PolyakSGD "
        "ArmijoSGD BlockCoordinateDescent Broyden BacktrackingLineSearch ZoomLineSearch HagerZhangLineSearch "
        "ScipyMinimize ScipyBoundedMinimize ScipyLeastSquares ScipyBoundedLeastSquares",
        "0:fun:1",
    ),
    ("jaxopt", "GaussNewton LevenbergMarquardt", "0:residual_fun:1"),
    ("jaxopt", "FixedPointIteration AndersonAcceleration", "0:fixed_point_fun:1"),
    ("jaxopt", "Bisection ScipyRootFinding", "0:optimality_fun:1"),
    ("jaxopt", "OptaxSolver", "1:fun:1"),
    ("blackjax", "nuts hmc dynamic_hmc rmhmc", "0:logdensity_fn"),
    ("blackjax", "elliptical_slice", "0:loglikelihood_fn"),
    ("blackjax", "window_adaptation", "1:logdensity_fn"),
    ("blackjax", "chees_adaptation meads_adaptation pathfinder", "0:logdensity_fn"),
    ("blackjax", "tempered_smc adaptive_tempered_smc", "0:logprior_fn 1:loglikelihood_fn"),
    ("numpyro.infer", "NUTS HMC SA BarkerMH AIES ESS", "0:model:0 -:potential_fn"),
    ("numpyro.infer", "SVI", "0:model:0 1:guide:0"),
    ("numpyro.infer", "Predictive", "0:model:0 -:guide:0"),
    ("numpyro.infer.util", "initialize_model", "1:model:0"),
    (
        "numpyro.infer.autoguide",
        "AutoNormal AutoDelta AutoDiagonalNormal AutoMultivariateNormal AutoLowRankMultivariateNormal "
        "AutoLaplaceApproximation AutoBNAFNormal AutoIAFNormal AutoDAIS",
        "0:model:0",
    ),
    (
        "tensorflow_probability.substrates.jax.mcmc",
        "HamiltonianMonteCarlo NoUTurnSampler RandomWalkMetropolis MetropolisAdjustedLangevinAlgorithm",
        "0:target_log_prob_fn",
    ),
    ("mctx", "muzero_policy gumbel_muzero_policy stochastic_muzero_policy", "3:recurrent_fn"),
)
"""A module, its functions, and the places where those are handed others: `place:name`, or `place:name:tracers`.

What only calls its function (`blackjax.mala`, `rmh`) has no row: whether that is traced is up to the caller.
"""


def _rows() -> Iterator[Solver]:
    for module, names, places in ROWS:
        slots = tuple(_slot(place) for place in places.split())
        yield from (Solver(f"{module}.{name}", slots) for name in names.split())


def _slot(text: str) -> Slot:
    """A place of `-` is given by name alone."""
    place, name, *tracers = text.split(":")
    return Slot(-1 if place == "-" else int(place), name, int(tracers[0]) if tracers else None)


SOLVERS = {solver.name: solver for solver in _rows()}
DRAWS = frozenset(("numpyro.sample", "numpyro.param"))
"""What gives a tracer in a model that a sampler runs, unless the value is observed."""
HANDLED = (
    *("numpyro.sample", "numpyro.param", "numpyro.deterministic", "numpyro.factor", "numpyro.plate"),
    *("haiku.get_parameter", "haiku.get_state", "haiku.set_state", "haiku.next_rng_key"),
)
"""Calls of which a library keeps account, by their order or their names: the body of a `lax.scan` makes each once."""
