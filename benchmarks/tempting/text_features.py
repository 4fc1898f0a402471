"""Features of words: code points, counts and padded rows."""
import jax.numpy as jnp
import numpy as np


def encoded(words, width):
    rows = []
    for w in words:
        codes = [ord(c) for c in w[:width]]
        rows.append(codes + [0] * (width - len(codes)))
    return jnp.array(rows)


def bigrams(codes):
    table = jnp.zeros((4, 4))
    for a, b in zip(codes[:-1], codes[1:]):
        table = table.at[a % 4, b % 4].add(1)
    return table


def edit_distance(a, b):
    row = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        prev, row[0] = row[0], i
        for j in range(1, len(b) + 1):
            keep = row[j]
            row[j] = min(row[j] + 1, row[j - 1] + 1, prev + (a[i - 1] != b[j - 1]))
            prev = keep
    return row[-1]


# call: encoded(["ab", "hello", ""], 4)
# call: bigrams(jnp.array([1, 2, 1, 2, 9]))
# call: bigrams(jnp.array([3]))
# call: edit_distance("kitten", "sitting")
# call: edit_distance(np.array([1, 2, 3]), np.array([2, 3]))
