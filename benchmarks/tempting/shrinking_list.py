"""Lists that shrink or grow while they are used."""
import jax.numpy as jnp


def merged(intervals):
    out = []
    for lo, hi in intervals:
        if out and lo <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], hi))
        else:
            out.append((lo, hi))
    return out


def stack_machine(ops, x):
    stack = [x]
    for op in ops:
        if op == "dup":
            stack.append(stack[-1])
        elif op == "mul":
            stack.append(stack.pop() * stack.pop())
        else:
            stack.append(jnp.sin(stack.pop()))
    return stack


def queue(jobs, limit):
    done, waiting = [], list(jobs)
    while waiting and len(done) < limit:
        j = waiting.pop(0)
        done.append(j * 0.5)
        if j > 3:
            waiting.append(j - 3)
    return jnp.array(done)


# call: merged([(1, 3), (2, 6), (8, 9), (9, 9)])
# call: stack_machine(["dup", "mul", "sin"], jnp.arange(2.0))
# call: queue([5.0, 1.0, 8.0], 10)
# call: queue([5], 1)
