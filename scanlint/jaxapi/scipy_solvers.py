"""Functions of SciPy that evaluate a function which they are handed again and again."""

from __future__ import annotations

from scanlint.jaxapi.words import words

OPTIMIZE = words(
    "minimize minimize_scalar root root_scalar least_squares curve_fit fmin fmin_bfgs fmin_l_bfgs_b fmin_cg fmin_ncg "
    "fmin_powell fsolve brentq newton bisect leastsq basinhopping differential_evolution dual_annealing shgo brute"
)
INTEGRATE = words("solve_ivp odeint quad dblquad nquad solve_bvp")
SCIPY_SOLVERS = frozenset(
    (*(f"scipy.optimize.{name}" for name in OPTIMIZE), *(f"scipy.integrate.{name}" for name in INTEGRATE))
)
