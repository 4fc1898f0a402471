"""Programs that look as if they stopped a trace, and do not."""

from __future__ import annotations

from tests.rules.stopped_programs import program

RIGHT = [
    program(
        "static self",
        None,
        "Model(3).f(X)",
        """
class Model:
    def __init__(self, n):
        self.n = n
        self.table = np.arange(4)
    @partial(jax.jit, static_argnums=0)
    def f(self, x):
        y = x[: self.n].reshape(self.n, 1) + jnp.zeros(self.n) + [1, 2, 3, 4][self.n]
        return y + self.table[self.n]
""",
    ),
    program(
        "closure",
        None,
        "make(3)(X)",
        """
def make(n):
    @jax.jit
    def f(x):
        return x[:n] + jnp.zeros(n) + [0.1, 0.2, 0.3, 0.4][n]
    return f
""",
    ),
    program(
        "cond arms",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    return lax.cond(x[0] > 0, lambda: x[:2], lambda: x[2:4])
""",
    ),
    program(
        "static names elsewhere",
        None,
        "f(X, 3)",
        """
STATIC = ("n",)
@partial(jax.jit, static_argnames=STATIC)
def f(x, n):
    return x[:n]
""",
    ),
    program(
        "static nums in a variable",
        None,
        "g(X, 3)",
        """
def f(x, n):
    return x[:n]
NUMS = (1,)
g = jax.jit(f, static_argnums=NUMS)
""",
    ),
    program(
        "checkpoint static",
        None,
        "f(X)",
        """
def g(x, n):
    return jnp.sin(x[:n]).sum()
@jax.jit
def f(x):
    return jax.checkpoint(g, static_argnums=(1,))(x, 3)
""",
    ),
    program(
        "custom_vjp nondiff",
        None,
        "h(X)",
        """
@partial(jax.custom_vjp, nondiff_argnums=(1,))
def g(x, n):
    return x[:n].sum()
def fwd(x, n):
    return g(x, n), x
def bwd(n, res, ct):
    return (jnp.zeros_like(res).at[:n].set(ct),)
g.defvjp(fwd, bwd)
@jax.jit
def h(x):
    return jax.grad(g)(x, 3)
""",
    ),
    program(
        "custom_jvp nondiff",
        None,
        "h(X)",
        """
@partial(jax.custom_jvp, nondiff_argnums=(1,))
def g(x, n):
    return x[:n].sum()
@g.defjvp
def jvp(n, primals, tangents):
    (x,), (t,) = primals, tangents
    return g(x, n), t[:n].sum()
@jax.jit
def h(x):
    return jax.grad(g)(x, 3)
""",
    ),
    program(
        "python loops",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    total = 0.0
    table = np.arange(4.0)
    for i, w in enumerate([0.1, 0.2, 0.3]):
        total = total + w * x[i : i + 2].sum() + table[i] + [1, 2, 3][i] + jnp.zeros(i).sum()
    k = 0
    while k < 3:
        total = total + x[:k].sum()
        k += 1
    return total
""",
    ),
    program(
        "callback writes",
        None,
        "f(X)",
        """
def host(x):
    y = np.array(x)
    y[0] = 1.0
    y[y > 2] = 0
    return y
@jax.jit
def f(x):
    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
""",
    ),
    program(
        "two callers",
        None,
        "both()",
        """
def head(x, n):
    return x[:n]
@jax.jit
def f(x):
    return head(x, 3)
@jax.jit
def g(x, y):
    return head(x, 2) * y
def both():
    return f(X), g(X, 2.0)
""",
    ),
    program(
        "numpy only",
        None,
        "f()",
        """
def f():
    x = np.arange(6)
    x[0] = 3
    x[x > 2] = 0
    return x[x > 0], np.nonzero(x), np.unique(x)
""",
    ),
    program(
        "numpy in jit",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    mask = np.tril(np.ones((6, 6), bool))
    rows, cols = np.nonzero(mask)
    keep = np.unique(rows)
    w = np.zeros(6)
    w[keep] = 1
    w[w > 2] = 0
    return (x[rows] * x[cols]).sum() + (x * w)[keep].sum()
""",
    ),
    program(
        "static bool",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    idx = np.where(np.array([True, False, True, True, True, True]))[0]
    return x[idx]
""",
    ),
    program(
        "jax constant in module",
        None,
        "f(X)",
        """
MASK = jnp.array([True, False, True, False, True, False])
SIZES = (2, 3)
@jax.jit
def f(x):
    return x[MASK][: SIZES[0]]
""",
    ),
    program(
        "register static",
        None,
        "Model(3).f(X)",
        """
@jax.tree_util.register_static
class Model:
    def __init__(self, n):
        self.n = n
    @jax.jit
    def f(self, x):
        return x[: self.n]
""",
    ),
    program(
        "base registers",
        None,
        "Model(X).f(X)",
        """
class Base:
    def __init_subclass__(cls):
        jax.tree_util.register_pytree_node(cls, lambda m: ((m.w,), None), lambda aux, parts: cls(*parts))
class Model(Base):
    def __init__(self, w):
        self.w = w
    @jax.jit
    def f(self, x):
        return self.w * x
""",
    ),
    program(
        "registered in a loop",
        None,
        "Model(X).f(X)",
        """
class Model:
    def __init__(self, w):
        self.w = w
    @jax.jit
    def f(self, x):
        return self.w * x
for kind in [Model]:
    jax.tree_util.register_pytree_node(kind, lambda m: ((m.w,), None), lambda aux, parts: Model(*parts))
""",
    ),
    program(
        "registered by a helper",
        None,
        "Model(X).f(X)",
        """
def as_tree(kind):
    return jax.tree_util.register_pytree_node_class(kind)
@as_tree
class Model:
    def __init__(self, w):
        self.w = w
    def tree_flatten(self):
        return (self.w,), None
    @classmethod
    def tree_unflatten(cls, aux, parts):
        return cls(*parts)
    @jax.jit
    def f(self, x):
        return self.w * x
""",
    ),
    program(
        "size from eval",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    out = jax.eval_shape(lambda y: y * 2, x)
    return jnp.zeros(out.shape, out.dtype) + jnp.full(x.shape, x[0]) + jnp.zeros(out.shape[0])
""",
    ),
    program(
        "shape arithmetic",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    n, = x.shape
    h = n // 2
    k = max(1, min(h, 2))
    a, b = jnp.split(x, [h])
    return a[:k].sum() + jnp.tile(b, k).sum() + lax.top_k(x, k)[0].sum() + x.reshape(h, -1).sum() + jnp.pad(x, (0, h)).sum()
""",
    ),
    program(
        "vmap axis name size",
        None,
        "jax.vmap(f, axis_name='i')(X)",
        """
def f(x):
    n = lax.psum(1, 'i')
    return x + jnp.zeros(n)[0]
""",
    ),
    program(
        "psum of one under jit",
        None,
        "g(X)",
        """
def f(x):
    n = lax.psum(1, 'i')
    return x + jnp.arange(n)[0]
g = jax.jit(jax.vmap(f, axis_name='i'))
""",
    ),
    program(
        "optional axis",
        None,
        "f(X)",
        """
@jax.jit
def f(x, axis=None):
    return x.sum(axis=axis)
""",
    ),
    program(
        "tree of arrays by name",
        None,
        "f({'a': X, 'b': X})",
        """
@jax.jit
def f(p):
    return sum(p[k] for k in p) + p['a']
""",
    ),
    program(
        "list of params by int",
        None,
        "f([X, X])",
        """
@jax.jit
def f(p):
    y = p[0]
    for i in range(len(p)):
        y = y + p[i]
    p[0] = y
    return p
""",
    ),
    program(
        "nested lists",
        None,
        "f([[X, X], [X]])",
        """
@jax.jit
def f(layers):
    x = X
    for layer in layers:
        for i, w in enumerate(layer):
            x = x * w
            layer[i] = x
    return layers
""",
    ),
    program(
        "dict of lists",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    out = {"a": []}
    out["a"].append(x)
    out["b"] = x[0]
    rows = [None] * 3
    for i in range(3):
        rows[i] = x[i]
    return out, jnp.stack(rows)
""",
    ),
    program(
        "numpy from outside",
        None,
        "g(np.arange(6.0))",
        """
def f(x):
    x[0] = 1.0
    return x
def g(x):
    y = jnp.sum(x)
    return f(x) + y
""",
    ),
    program(
        "setitem class",
        None,
        "f(X)",
        """
class Box:
    def __init__(self):
        self.held = {}
    def __setitem__(self, k, v):
        self.held[k] = v
    def __getitem__(self, k):
        return self.held[k]
@jax.jit
def f(x):
    box = Box()
    box[0] = x
    box["a"] = x * 2
    return box[0] + box["a"]
""",
    ),
    program(
        "astype of dtype argument static",
        None,
        "f(X, 'float16')",
        """
@partial(jax.jit, static_argnames="dtype")
def f(x, dtype):
    return x.astype(dtype) + jnp.zeros(3, dtype)[0]
""",
    ),
    program(
        "dtype of array",
        None,
        "f(X, X)",
        """
@jax.jit
def f(x, like):
    return jnp.zeros_like(like) + jnp.asarray(x, like.dtype) + jnp.ones(x.shape, like.dtype)
""",
    ),
    program(
        "jit inside with static",
        None,
        "f(X)",
        """
@partial(jax.jit, static_argnums=1)
def g(x, n):
    return x[:n]
@jax.jit
def f(x):
    return g(x, 3) + g(x, n=3)
""",
    ),
    program(
        "scan over static lengths",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    def body(c, i):
        return c + lax.dynamic_slice(x, (i,), (2,)).sum() + x[i] + x.at[i].set(0.0).sum(), None
    return lax.scan(body, 0.0, jnp.arange(3))[0]
""",
    ),
    program(
        "mean of mask",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    m = x > 1
    return x * m + jnp.where(m, x, -x) + x[jnp.argmax(m)] + x[m.astype(int)]
""",
    ),
    program(
        "int array index",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    idx = jnp.array([0, 2])
    return x[idx] + x[idx[0]] + jnp.take(x, idx) + x.at[idx].add(1.0)[:2]
""",
    ),
    program(
        "key arrays",
        None,
        "f(jax.random.key(0))",
        """
@jax.jit
def f(key):
    keys = jax.random.split(key, 3)
    return [jax.random.normal(keys[i], (2,)) for i in range(3)]
""",
    ),
    program(
        "flag passed positionally to np",
        None,
        "f(X, 3)",
        """
@partial(jax.jit, static_argnums=(1,))
def f(x, n):
    t = np.linspace(0, 1, n)
    t[0] = 0.5
    return x[:n] * t
""",
    ),
    program(
        "reading a loop var after",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    for i in range(3):
        x = x + i
    return x[:i] + [1, 2, 3][i]
""",
    ),
    program(
        "while_loop carry of python tuple",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    def cond(s):
        return s[0] < 3
    def body(s):
        return s[0] + 1, s[1] * 2
    return lax.while_loop(cond, body, (0, x))[1]
""",
    ),
    program(
        "fori_loop with python unrolled",
        None,
        "f(X)",
        """
@jax.jit
def f(x):
    ws = jnp.array([0.1, 0.2, 0.3])
    return lax.fori_loop(0, 3, lambda i, y: y * ws[i] + x[i], x)
""",
    ),
    program(
        "disable_jit",
        None,
        "g(X)",
        """
@jax.jit
def f(x):
    return x * 2
def g(x):
    with jax.disable_jit():
        y = f(x)
    return y[y > 1]
""",
    ),
    program(
        "jacobian eager",
        None,
        "jax.jacobian(f)(X)",
        """
def f(x):
    return x[x > 1] * jnp.nonzero(x)[0].shape[0]
""",
    ),
    program(
        "value_and_grad eager with sizes",
        None,
        "jax.value_and_grad(f)(X, 3)",
        """
def f(x, n):
    return x[:n].sum() + [1.0, 2.0, 3.0, 4.0][n]
g = jax.value_and_grad(f)
""",
    ),
    program(
        "linearize",
        None,
        "h(X)",
        """
def f(x):
    return x[x > 1].sum()
def h(x):
    return jax.vjp(f, x)[0]
""",
    ),
    program(
        "lru cached",
        None,
        "f(X)",
        """
import functools
@functools.lru_cache
def make(n):
    return np.arange(n)
@jax.jit
def f(x):
    return x[make(3)]
""",
    ),
    program(
        "string key",
        None,
        "f(X, 'a')",
        """
OPS = {"a": jnp.sin, "b": jnp.cos}
@partial(jax.jit, static_argnames=("how",))
def f(x, how):
    return OPS[how](x)
""",
    ),
    program(
        "named_call",
        None,
        "f(X)",
        """
@jax.jit
@jax.named_call
def f(x):
    return x[:3]
""",
    ),
    program(
        "numpy table in scan over python",
        None,
        "f(X)",
        """
W = np.linspace(0, 1, 6)
@jax.jit
def f(x):
    w = jnp.asarray(W)
    def body(c, i):
        return c + w[i] * x[i], None
    return lax.scan(body, 0.0, jnp.arange(6))[0] + W[2]
""",
    ),
    program(
        "np index by tuple",
        None,
        "f(X)",
        """
W = np.ones((6, 2))
@jax.jit
def f(x):
    return x * W[:, 0] + W[x.shape[0] - 1, 1] + W[: x.ndim].sum()
""",
    ),
]
