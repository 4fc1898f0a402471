"""The pairs of an edit and a program whose answers still differ, each with what would have to be seen.

A pair that no longer differs fails its test, and is taken out here.
"""

from __future__ import annotations

LENGTHS = "`len(xs)` and `xs[i]` do not tell an array from a list of arrays or a dict, to go over `xs` does"
SLICES = (
    "a list that is read at the number of the trip stands in the way of its loop, not of the function that reads it"
)
SCATTERED = "an addition that stands over several lines is mapped and added, not scattered at once"

GROUPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "rows by their number",
        LENGTHS,
        ("jit-in-loop.md 0", "wait-in-loop.md 0", "dropped-result.md 1", "growing-array.md 0", "test_loops.py 8fec06"),
    ),
    ("strings over several lines", SCATTERED, ("test_host_batches.py ca5bbe",)),
    ("the body in a local function", SLICES, ("test_state.py 31016e",)),
)
DIFFERING = {(edit, name): why for edit, why, names in GROUPS for name in names}
