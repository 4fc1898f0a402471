"""Host loops as people write them: each function is called with the array of its name in `arguments`."""

import jax
import jax.numpy as jnp
import numpy as np

EXAMPLES = 300
STEPS = 3000


def network(w, x):
    return jnp.tanh(jnp.tanh(x @ w) @ w.T)


def potential(x):
    return jnp.sum(x**2) + jnp.sum(jnp.cos(3 * x)) - jnp.prod(jnp.exp(-(x**2)))


def outputs(points: jax.Array, w: jax.Array):
    found = []
    for i in range(points.shape[0]):
        found.append(network(w, points[i]))
    return jnp.stack(found)


def forces(points: jax.Array):
    result = np.zeros(points.shape)
    for i in range(points.shape[0]):
        result[i] = jax.grad(potential)(points[i])
    return result


def energies(points: jax.Array):
    return np.array([float(potential(x)) for x in points])


def solutions(matrices: jax.Array, points: jax.Array):
    return jnp.stack([jnp.linalg.solve(a, b) for a, b in zip(matrices, points, strict=True)])


def filtered(points: jax.Array, window: jax.Array):
    out = jnp.zeros(points.shape)
    for i in range(points.shape[0]):
        out = out.at[i].set(jnp.convolve(points[i], window, mode="same"))
    return out


def landscape(points: jax.Array):
    widths = np.linspace(0.1, 2.0, 20)
    heights = np.linspace(0.5, 1.5, 15)
    surface = np.zeros((20, 15))
    for i, width in enumerate(widths):
        for j, height in enumerate(heights):
            surface[i, j] = jnp.sum((points - height * jnp.exp(-width * points**2)) ** 2)
    return surface


def misfit(points: jax.Array, w: jax.Array):
    total = 0.0
    for i in range(points.shape[0]):
        total += jnp.sum(network(w, points[i]) ** 2)
    return total


def relaxed(points: jax.Array, w: jax.Array):
    x, velocity = points[0], jnp.zeros_like(points[0])
    for _ in range(STEPS):
        slope = 2 * x - 3 * jnp.sin(3 * x) + 0.1 * jnp.roll(x, 1) * jnp.exp(-jnp.abs(x)) + network(w, x)
        velocity = 0.9 * velocity - 0.01 * slope / (1.0 + jnp.linalg.norm(slope))
        x = jnp.clip(x + velocity, -3.0, 3.0)
    return x


def walk(points: jax.Array, key: jax.Array):
    x, visited = points[0], []
    for _ in range(STEPS):
        key, sub = jax.random.split(key)
        move = 0.1 * jax.random.normal(sub, x.shape)
        x = jnp.where(potential(x + move) < potential(x), x + move, x)
        visited.append(x)
    return jnp.stack(visited)


def oscillator(points: jax.Array):
    position, speed, path = points[0], jnp.zeros_like(points[0]), []
    for k in range(STEPS):
        drive = jnp.sin(0.1 * k) * jnp.exp(-0.001 * k) + 0.1 * jnp.cos(position)
        left, right = jnp.roll(position, 1), jnp.roll(position, -1)
        force = drive - position - 0.2 * speed - 0.1 * position**3 + 0.5 * (left + right - 2 * position)
        speed = speed + 0.01 * force
        position = jnp.where(jnp.abs(position) < 5.0, position + 0.01 * speed, -position)
        path.append(position)
    return jnp.stack(path)


def arguments():
    """The arguments of each function, by its name."""
    points = jnp.sin(jnp.arange(EXAMPLES * 8.0)).reshape(EXAMPLES, 8)
    w = jnp.cos(jnp.arange(64.0)).reshape(8, 8) / 4
    matrices = jnp.eye(8) * 4 + jnp.sin(jnp.arange(EXAMPLES * 64.0)).reshape(EXAMPLES, 8, 8) / 8
    return {
        "outputs": (points, w),
        "forces": (points,),
        "energies": (points,),
        "solutions": (matrices, points),
        "filtered": (points, jnp.array([0.25, 0.5, 0.25])),
        "landscape": (points[0],),
        "misfit": (points, w),
        "relaxed": (points, w),
        "walk": (points, jax.random.key(0)),
        "oscillator": (points,),
    }
