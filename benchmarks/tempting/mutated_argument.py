"""Arguments that are changed in place, as the caller expects."""
import numpy as np


def normalise_rows(a):
    for i in range(a.shape[0]):
        a[i] /= a[i].sum()
    return a


def relax(u, f):
    for i in range(1, len(u) - 1):
        u[i] = 0.5 * (u[i - 1] + u[i + 1] - f[i])
    return u.max()


def clip_to(rows, low):
    for row in rows:
        row[row < low] = low
    return len(rows)


def counted(tally, words):
    for w in words:
        tally[w] = tally.get(w, 0) + 1
    return tally


# call: normalise_rows(np.array([[1.0, 3.0], [2.0, 2.0]]))
# call: relax(np.array([0.0, 1.0, 2.0, 5.0]), np.array([1.0, 1.0, 1.0, 1.0]))
# call: clip_to(np.array([[1.0, -3.0], [2.0, -2.0]]), 0.0)
# call: counted({"a": 1}, ["a", "b", "a"])
