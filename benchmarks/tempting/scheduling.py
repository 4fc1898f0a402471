"""Greedy schedules on the host with heaps and ties."""
import heapq

import jax.numpy as jnp
import numpy as np


def makespan(jobs, machines):
    loads = [0.0] * machines
    for j in jobs:
        k = loads.index(min(loads))
        loads[k] = loads[k] + j
    return loads


def array_makespan(jobs, machines):
    loads = jnp.zeros(machines)
    order = []
    for j in jobs:
        k = jnp.argmin(loads)
        loads = loads.at[k].add(j)
        order.append(k)
    return loads, jnp.stack(order)


def merged(jobs):
    heap = [float(j) for j in jobs]
    heapq.heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        s = heapq.heappop(heap) + heapq.heappop(heap)
        cost += s
        heapq.heappush(heap, s)
    return cost


# call: makespan([3, 1, 4, 1, 5], 2)
# call: array_makespan(jnp.array([3.0, 1.0, 4.0, 1.0, 5.0]), 2)
# call: array_makespan(jnp.array([3, jnp.nan, 1]), 3)
# call: merged(np.array([3.0, 1.0, 2.0]))
