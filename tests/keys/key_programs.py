"""Small programs with and without a mistake in their keys. `# !` stands where a mistake is, with the rule that names it.

`CHECKED` are run under `jax.debug_key_reuse` too, and have to get the same answer; `BEYOND` it does not see, or sees
more strictly: each says why.
"""

from __future__ import annotations

CHECKED = {
    # -- one key, two uses
    "two_draws": """
def f(key):
    x = jax.random.normal(key)
    return x + jax.random.uniform(key)  # ! key-reused
""",
    "two_draws_from_two_keys": """
def f(key):
    a, b = jax.random.split(key)
    return jax.random.normal(a) + jax.random.uniform(b)
""",
    "a_draw_after_the_split": """
def f(key):
    a, b = jax.random.split(key)
    return jax.random.normal(key) + jax.random.normal(a)  # ! key-after-split
""",
    "a_split_after_the_draw": """
def f(key):
    x = jax.random.normal(key)
    a, b = jax.random.split(key)  # ! key-after-split
    return x + jax.random.normal(a)
""",
    "two_splits": """
def f(key):
    a, b = jax.random.split(key)
    c, d = jax.random.split(key)  # ! key-reused
    return jax.random.normal(a) + jax.random.normal(d)
""",
    "a_key_under_another_name": """
def f(key):
    other = key
    x = jax.random.normal(key)
    return x + jax.random.normal(other)  # ! key-reused
""",
    "a_name_for_a_new_key": """
def f(key):
    key, sub = jax.random.split(key)
    x = jax.random.normal(sub)
    key, sub = jax.random.split(key)
    return x + jax.random.normal(sub) + jax.random.normal(key)
""",
    "a_clone_on_purpose": """
def f(key):
    x = jax.random.normal(key)
    return x + jax.random.normal(jax.random.clone(key)) * 0
""",
    "folded_with_different_data": """
def f(key):
    a = jax.random.fold_in(key, 0)
    b = jax.random.fold_in(key, 1)
    return jax.random.normal(a) + jax.random.normal(b)
""",
    "folded_and_drawn_twice_from": """
def f(key):
    a = jax.random.fold_in(key, 0)
    return jax.random.normal(a) + jax.random.uniform(a)  # ! key-reused
""",
    "drawn_from_and_folded": """
def f(key):
    x = jax.random.normal(key)
    return x + jax.random.normal(jax.random.fold_in(key, 1))
""",
    "a_key_by_keyword": """
def f(key):
    x = jax.random.normal(shape=(2,), key=key)
    return x + jax.random.normal(key=key, shape=(2,))  # ! key-reused
""",
    "a_key_in_one_expression": """
def f(key):
    return jax.random.normal(key) + jax.random.normal(key)  # ! key-reused
""",
    "a_key_made_and_used_twice": """
def f(key):
    fresh = jax.random.key(1)
    return jax.random.normal(fresh) + jax.random.bernoulli(fresh)  # ! key-reused
""",
    "a_walrus": """
def f(key):
    x = jax.random.normal(sub := jax.random.split(key)[0])
    return x + jax.random.normal(sub)  # ! key-reused
""",
    # -- rows of a split
    "rows_of_a_split": """
def f(key):
    keys = jax.random.split(key, 3)
    return jax.random.normal(keys[0]) + jax.random.normal(keys[1]) + jax.random.normal(keys[2])
""",
    "one_row_twice": """
def f(key):
    keys = jax.random.split(key, 3)
    return jax.random.normal(keys[1]) + jax.random.uniform(keys[1])  # ! key-reused
""",
    "the_rest_of_a_split": """
def f(key):
    key, *rest = jax.random.split(key, 4)
    return jax.random.normal(key) + jax.random.normal(rest[0]) + jax.random.normal(rest[1])
""",
    "one_of_the_rest_twice": """
def f(key):
    key, *rest = jax.random.split(key, 4)
    return jax.random.normal(rest[0]) + jax.random.normal(rest[0])  # ! key-reused
""",
    "the_loop_over_rows": """
def f(key):
    return sum(jax.random.normal(k) for k in jax.random.split(key, 3))
""",
    "the_loop_over_rows_by_number": """
def f(key):
    keys = jax.random.split(key, 3)
    total = 0.0
    for i in range(3):
        total += jax.random.normal(keys[i])
    return total
""",
    "rows_beside_names": """
def f(key):
    made = {}
    for name, k in zip(["a", "b", "c", "d", "e"], jax.random.split(key, 5)):
        made[name] = jax.random.normal(k)
    return made
""",
    "rows_by_enumerate": """
def f(key):
    total = 0.0
    for i, k in enumerate(jax.random.split(key, 3)):
        total += i * jax.random.normal(k)
    return total
""",
    "a_mapped_batch_of_rows": """
def f(key):
    return jax.vmap(jax.random.normal)(jax.random.split(key, 3))
""",
    # -- branches
    "one_draw_per_arm": """
def f(key, flag=True):
    if flag:
        return jax.random.normal(key)
    return jax.random.uniform(key)
""",
    "an_arm_and_what_follows": """
def f(key, flag=True):
    x = 0.0
    if flag:
        x = jax.random.normal(key)
    return x + jax.random.uniform(key)  # ! key-reused
""",
    "tests_that_exclude_each_other": """
def f(key, flag=True):
    x = 0.0
    if flag:
        x = jax.random.normal(key)
    if not flag:
        x = jax.random.uniform(key)
    return x
""",
    "a_choice_in_an_expression": """
def f(key, flag=True):
    return jax.random.normal(key) if flag else jax.random.uniform(key)
""",
    "a_choice_of_keys": """
def f(key, flag=True):
    a, b = jax.random.split(key)
    chosen = a if flag else b
    return jax.random.normal(chosen)
""",
    "an_early_return": """
def f(key, n=3):
    if n == 0:
        return jax.random.normal(key)
    key, sub = jax.random.split(key)
    return jax.random.normal(sub)
""",
    "modes_by_name": """
def f(key, mode="b"):
    if mode == "a":
        return jax.random.normal(key)
    elif mode == "b":
        return jax.random.uniform(key)
    else:
        return jax.random.gumbel(key)
""",
    "a_staged_branch": """
def f(key):
    return jax.lax.cond(True, lambda k: jax.random.normal(k), lambda k: jax.random.uniform(k), key)
""",
    "a_staged_branch_after_a_draw": """
def f(key):
    x = jax.random.normal(key)
    return x + jax.lax.cond(x > 0, lambda k: jax.random.normal(k), lambda k: jax.random.uniform(k), key)  # ! key-reused
""",
    # -- loops
    "a_loop_with_one_key": """
def f(key):
    total = 0.0
    for i in range(3):
        total += jax.random.normal(key)  # ! key-each-trip
    return total
""",
    "a_loop_that_splits": """
def f(key):
    total = 0.0
    for i in range(3):
        key, sub = jax.random.split(key)
        total += jax.random.normal(sub)
    return total + jax.random.normal(key)
""",
    "a_loop_that_draws_from_the_kept_half": """
def f(key):
    total = 0.0
    for i in range(3):
        key, sub = jax.random.split(key)  # ! key-after-split
        total += jax.random.normal(key)
    return total
""",
    "a_loop_that_folds": """
def f(key):
    total = 0.0
    for i in range(3):
        total += jax.random.normal(jax.random.fold_in(key, i))
    return total
""",
    "a_loop_that_splits_one_key": """
def f(key):
    total = 0.0
    for i in range(3):
        a, b = jax.random.split(key)  # ! key-each-trip
        total += jax.random.normal(a)
    return total
""",
    "a_while_loop": """
def f(key):
    total, i = 0.0, 0
    while i < 3:
        total += jax.random.normal(key)  # ! key-each-trip
        i += 1
    return total
""",
    "a_loop_that_is_left_at_once": """
def f(key):
    for i in range(3):
        return jax.random.normal(key)
""",
    "a_comprehension": """
def f(key):
    return [jax.random.normal(key) for _ in range(3)]  # ! key-each-trip
""",
    "a_draw_on_the_first_trip": """
def f(key):
    total = 0.0
    for i in range(3):
        if i == 0:
            total += jax.random.normal(key)
    return total
""",
    "a_loop_over_two_keys": """
def f(key):
    a, b = jax.random.split(key)
    return [jax.random.normal(k) for k in (a, b)]
""",
    "a_loop_over_one_key_twice": """
def f(key):
    return [jax.random.normal(k) for k in (key, key)]  # ! key-each-trip
""",
    "a_scan_that_closes_over_a_key": """
def f(key):
    def body(carry, _):
        return carry + jax.random.normal(key), None  # ! key-each-trip
    return jax.lax.scan(body, 0.0, None, length=3)[0]
""",
    "a_scan_over_rows": """
def f(key):
    def body(carry, k):
        return carry + jax.random.normal(k), None
    return jax.lax.scan(body, 0.0, jax.random.split(key, 3))[0]
""",
    "a_scan_that_carries_a_key": """
def f(key):
    def body(carry, _):
        total, k = carry
        k, sub = jax.random.split(k)
        return (total + jax.random.normal(sub), k), None
    return jax.lax.scan(body, (0.0, key), None, length=3)[0][0]
""",
    "a_scan_that_hands_its_key_on": """
def f(key):
    def body(carry, _):
        total, k = carry
        return (total + jax.random.normal(k), k), None  # ! key-each-trip
    return jax.lax.scan(body, (0.0, key), None, length=3)[0][0]
""",
    "a_fori_loop": """
def f(key):
    return jax.lax.fori_loop(0, 3, lambda i, c: c + jax.random.normal(jax.random.fold_in(key, i)), 0.0)
""",
    # -- containers
    "a_key_in_a_dict": """
def f(key):
    state = {"key": key, "x": 0.0}
    x = jax.random.normal(state["key"])
    return x + jax.random.normal(key)  # ! key-reused
""",
    "a_dict_that_gets_a_new_key": """
def f(key):
    state = {"key": key}
    state["key"], sub = jax.random.split(state["key"])
    x = jax.random.normal(sub)
    state["key"], sub = jax.random.split(state["key"])
    return x + jax.random.normal(sub)
""",
    "a_key_in_a_tuple": """
def f(key):
    pair = (key, 1.0)
    x = jax.random.normal(pair[0])
    return x * pair[1] + jax.random.uniform(pair[0])  # ! key-reused
""",
    "a_key_in_an_object": """
class Sampler:
    def __init__(self, key):
        self.key = key
    def draw(self):
        self.key, sub = jax.random.split(self.key)
        return jax.random.normal(sub)
def f(key):
    sampler = Sampler(key)
    return sampler.draw() + sampler.draw()
""",
    "an_object_that_keeps_its_key": """
class Sampler:
    def __init__(self, key):
        self.key = key
def f(key):
    sampler = Sampler(key)
    x = jax.random.normal(sampler.key)
    return x + jax.random.normal(key)  # ! key-reused
""",
    # -- functions
    "two_functions_that_draw": """
def one(k):
    return jax.random.normal(k)
def other(k):
    return jax.random.uniform(k)
def f(key):
    return one(key) + other(key)  # ! key-reused
""",
    "a_function_that_only_passes_it_on": """
def same(k):
    return k
def f(key):
    return jax.random.normal(same(key)) + jax.random.normal(key)  # ! key-reused
""",
    "a_function_that_splits_for_its_caller": """
def fresh(k):
    k, sub = jax.random.split(k)
    return k, sub
def f(key):
    key, a = fresh(key)
    key, b = fresh(key)
    return jax.random.normal(a) + jax.random.normal(b) + jax.random.normal(key)
""",
    "an_inner_function_called_twice": """
def f(key):
    def draw():
        return jax.random.normal(key)
    return draw() + draw()  # ! key-reused
""",
    "an_inner_function_with_its_own_key": """
def f(key):
    a, b = jax.random.split(key)
    draw = lambda k: jax.random.normal(k)
    return draw(a) + draw(b)
""",
    "a_jitted_function": """
@jax.jit
def draw(k, x):
    return x + jax.random.normal(k)
def f(key):
    x = draw(key, 1.0)
    return x + jax.random.uniform(key)  # ! key-reused
""",
    "a_derivative": """
def f(key):
    def loss(x):
        return jax.random.normal(key) * x
    value = jax.grad(loss)(1.0)
    return value + jax.random.normal(key)  # ! key-reused
""",
    "a_function_that_gives_back_the_key_it_drew_from": """
def noise(k):
    k, sub = jax.random.split(k)
    return sub, jax.random.normal(sub)
def f(key):
    total = 0.0
    for _ in range(3):
        key, x = noise(key)  # ! key-after-split
        total += x
    return total
""",
    "the_first_row_beside_a_batch_of_the_rest": """
def f(key):
    keys = jax.random.split(key, 4)
    return jax.random.normal(keys[0]) + jax.vmap(jax.random.normal)(keys[1:])
""",
    "a_key_that_is_split_in_one_arm_alone": """
def f(key, sticky=True):
    if not sticky:
        step = key
    else:
        first, step = jax.random.split(key)
    return jax.random.normal(step)
""",
    "the_last_key_of_a_loop_again": """
def f(key):
    total = 0.0
    for _ in range(3):
        key, sub = jax.random.split(key)
        total += jax.random.normal(sub)
    return total + jax.random.uniform(sub)  # ! key-reused
""",
    "given_twice_at_once": """
def two(a, b):
    return jax.random.normal(a) + jax.random.uniform(b)
def f(key):
    return two(key, key)  # ! key-reused
""",
    "a_partial": """
def draw(k, scale):
    return scale * jax.random.normal(k)
def f(key):
    from functools import partial
    sample = partial(draw, key)
    return sample(1.0) + jax.random.uniform(key)  # ! key-reused
""",
}
BEYOND = {
    "a_raw_key": """
def f():
    key = jax.random.PRNGKey(0)
    return jax.random.normal(key) + jax.random.uniform(key)  # ! key-reused
""",
    "folded_with_the_same_data_twice": """
def f(key):
    a = jax.random.normal(jax.random.fold_in(key, 7))
    return a + jax.random.uniform(jax.random.fold_in(key, 7))  # ! key-reused
""",
    "one_key_for_each_example": """
def f(key, xs):
    return jax.vmap(lambda k, x: x + jax.random.normal(k), in_axes=(None, 0))(key, xs)  # ! key-each-trip
""",
    "one_key_for_each_example_of_a_mapped_function": """
import functools
@functools.partial(jax.vmap, in_axes=(None, 0))
def noisy(k, x):
    return x + jax.random.normal(k)
def f(key, xs):
    return noisy(key, xs)  # ! key-each-trip
""",
    "keys_that_a_mapped_function_folds_with_its_step": """
@jax.vmap
def step(k, x, t):
    return x + jax.random.normal(jax.random.fold_in(k, t)), t + 1
def f(key, xs, t):
    keys = jax.random.split(key, 3)
    for _ in range(3):
        xs, t = step(keys, xs, t)
    return xs
""",
    "a_key_of_one_seed_on_each_trip": """
def f():
    total = 0.0
    for _ in range(3):
        total += jax.random.normal(jax.random.key(0))  # ! constant-key
    return total
""",
    "arms_that_nobody_takes_here": """
def f(key, first, second):
    x = 0.0
    if first:
        x += jax.random.normal(key)
    if second:
        x += jax.random.uniform(key)  # ! key-reused
    return x
""",
    "something_unknown_takes_the_key": """
def f(key, model, x):
    params = model.init(key, x)
    return params, jax.random.normal(key)  # ! key-reused
""",
    "a_method_that_may_renew_the_key": """
def f(state):
    total = 0.0
    for i in range(3):
        state.refresh(i)
        total += jax.random.normal(state.key)
    return total
""",
    "a_mask_of_the_same_rows_for_each_leaf": """
def f(key, tree):
    return jax.tree.map(lambda x: jax.random.permutation(key, x), tree)
""",
    "noise_alike_for_each_leaf": """
def f(key, tree):
    return jax.tree.map(lambda x: x + jax.random.normal(key, x.shape), tree)  # ! key-each-trip
""",
    "a_draw_from_a_row_that_a_batch_has_used": """
def f(key):
    keys = jax.random.split(key, 3)
    xs = jax.vmap(lambda k: jax.random.normal(k))(keys)
    return xs + jax.random.normal(keys[0])  # ! key-reused
""",
    # -- a key that stays in an object: JAX sees one call
    "the_half_that_stays": """
class Sampler:
    def __init__(self, key):
        self.key = key

    def draw(self):
        self.key, sub = jax.random.split(self.key)
        x = jax.random.normal(sub)
        return x + jax.random.normal(self.key)  # ! key-after-split


def f(key):
    return Sampler(key).draw()
""",
    "the_half_that_is_used_up": """
class Sampler:
    def __init__(self, key):
        self.key = key

    def draw(self):
        self.key, sub = jax.random.split(self.key)
        return jax.random.normal(sub)


def f(key):
    return Sampler(key).draw()
""",
    # -- two mistakes that meet at one split
    "from_before_the_scan_and_from_the_trip_before": """
def f(key):
    def step(key, _):
        a, b = jax.random.split(key)  # ! key-after-split # ! key-after-split
        return a, jax.random.normal(a) + jax.random.normal(b)

    x = jax.random.normal(key)
    return x, jax.lax.scan(step, key, length=3)
""",
}
