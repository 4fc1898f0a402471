"""Which definitions reach a read of an item or an attribute, by whatever name. The comments of each function say it."""

from __future__ import annotations

import ast

import pytest
from marked import expected, flow_of, found

from scanlint.dataflow.heap import memory

CASES = {
    "an item of a display": """
        def f(a):
            h = {"k": a}
            return h["k"]  # h['k']: 2
        """,
    "an item of a dict made with keywords": """
        def f(a):
            h = dict(k=a)
            return h["k"]  # h['k']: 2
        """,
    "an item that is set later": """
        def f(a):
            h = {}
            h["k"] = a
            return h["k"]  # h['k']: 3
        """,
    "a store hides the item before": """
        def f(a):
            h = {"k": a, "l": 2}
            h["k"] = 1
            return h["k"], h["l"]  # h['k']: 3; h['l']: 2
        """,
    "an item that is not there is missing": """
        def f(a):
            h = {"k": a}
            return h["l"]  # h['l']: missing
        """,
    "a deleted item is missing": """
        def f(a):
            h = {"k": a}
            del h["k"]
            return h["k"]  # h['k']: missing
        """,
    "an unknown key may be any": """
        def f(a, k):
            h = {"k": a}
            h[k] = 1
            return h["k"]  # h['k']: 2, 3
        """,
    "an unknown key reads all items": """
        def f(a, k):
            h = {"k": a}
            h["l"] = 1
            return h[k]  # h[k]: 2, 3, missing
        """,
    "places of a list": """
        def f(a):
            xs = [a, 1, 2]
            xs[1] = 3
            return xs[0], xs[1], xs[2]  # xs[0]: 2; xs[1]: 3; xs[2]: 2
        """,
    "a place from the end of a list of known length": """
        def f(a):
            xs = [a, 1, 2]
            xs[-1] = 3
            return xs[2], xs[1]  # xs[2]: 3; xs[1]: 2
        """,
    "a place from the end of a list that grows": """
        def f(a):
            xs = [a]
            xs.append(1)
            return xs[-1]  # xs[-1]: 2, 3
        """,
    "an append may set any place": """
        def f(a):
            xs = []
            xs.append(a)
            return xs[0]  # xs[0]: 3, missing
        """,
    "elements of a tuple": """
        def f(a, b):
            pair = (a, b)
            return pair[0], pair[-1]  # pair[0]: 2; pair[-1]: 2
        """,
    "an augmented item reads and sets it": """
        def f(a):
            h = {"k": a}
            h["k"] += 1  # h['k']: 2
            return h["k"]  # h['k']: 3
        """,
    "a store in one arm": """
        def f(a, c):
            h = {"k": a}
            if c:
                h["k"] = 1
            return h["k"]  # h['k']: 2, 4
        """,
    "an item goes from trip to trip": """
        def f(a, xs):
            h = {"k": a}
            for x in xs:
                h["k"] = h["k"] + x  # h['k']: 2, 4
            return h["k"]  # h['k']: 2, 4
        """,
    "a dict that each trip makes anew": """
        def f(a, xs):
            for x in xs:
                h = {}
                h["k"] = x
                y = h["k"]  # h['k']: 4
            return y
        """,
    "a dict of the trip before is another one": """
        def f(xs):
            old = {"k": 0}
            for x in xs:
                h = {"k": x}
                y = old["k"]  # old['k']: 2, 4, 6
                h["k"] = 1
                old = h
            return y
        """,
    "a binding to another object leaves the first": """
        def f(a):
            h = {"k": a}
            g = h
            h = {"k": 2}
            h["k"] = 3
            return g["k"], h["k"]  # g['k']: 2; h['k']: 5
        """,
    "two names of one object": """
        def f(a):
            h = {"k": a}
            g = h
            g["k"] = 1
            return h["k"]  # h['k']: 4
        """,
    "a name that may be either of two objects": """
        def f(a, c):
            h = {"k": a}
            g = {"k": 2}
            u = h if c else g
            u["k"] = 3
            return h["k"], g["k"]  # h['k']: 2, 5; g['k']: 3, 5
        """,
    "a join of two objects": """
        def f(a, c):
            h = {"k": a}
            if c:
                h = {"k": 2}
            return h["k"]  # h['k']: 2, 4
        """,
    "an inner container": """
        def f(a):
            h = {"y": []}
            ys = h["y"]
            ys.append(a)
            return h["y"][0]  # h['y']: 2; h['y'][0]: 4, missing
        """,
    "an inner container that is set later": """
        def f(a):
            h = {}
            h["y"] = []
            h["y"].append(a)
            return h["y"][0]  # h['y']: 3; h['y'][0]: 4, missing
        """,
    "a bound method changes its object": """
        def f(a):
            ys = [0]
            push = ys.append
            push(a)
            return ys[-1]  # ys[-1]: 2, 4
        """,
    "a pair in a list": """
        def f(a, b):
            ps = [(a, b)]
            return ps[0][1]  # ps[0][1]: 2
        """,
    "a tuple taken apart": """
        def f(a):
            h, g = {"k": a}, {"k": 2}
            h["k"] = 3
            return h["k"], g["k"]  # h['k']: 3; g['k']: 2
        """,
    "a loop over a list of dicts": """
        def f(a):
            hs = [{"k": a}, {"k": 1}]
            for h in hs:
                h["k"] = 2
            return hs[0]["k"]  # hs[0]['k']: 2, 4
        """,
    "a comprehension makes a list of its own": """
        def f(xs):
            ys = [x for x in xs]
            ys[0] = 1
            return ys[0], ys[1]  # ys[0]: 3; ys[1]: 2
        """,
    "a copy is another list": """
        def f(a):
            xs = [a]
            ys = list(xs)
            ys[0] = 1
            return xs[0], ys[0]  # xs[0]: 2; ys[0]: 4
        """,
    "a slice of a list is another list": """
        def f(a):
            xs = [a, 1]
            ys = xs[:1]
            ys[0] = 2
            return xs[0]  # xs[0]: 2
        """,
    "an update may set any key": """
        def f(a, g):
            h = {"k": a}
            h.update(g)
            return h["k"]  # h['k']: 2, 3
        """,
    "an attribute of a parameter": """
        def f(self):
            x = self.x  # self.x: before
            self.x = 1
            return self.x, self.y  # self.x: 3; self.y: before
        """,
    "a deeper path": """
        def f(self):
            self.a.b = 1
            return self.a.b, self.a.c  # self.a.b: 2; self.a.c: before
        """,
    "two parameters may be one object": """
        def f(a, b):
            a.x = 1
            b.x = 2
            return a.x, b.x  # a.x: 2, 3; b.x: 3
        """,
    "a parameter is no object that the function makes": """
        def f(a):
            h = {"k": 1}
            a["k"] = 2
            return h["k"]  # h['k']: 2
        """,
    "an unknown call may change what it is given": """
        def f(g):
            h = {"k": 1}
            g(h)
            return h["k"]  # h['k']: 2, 3
        """,
    "an unknown call may change what another one was given": """
        def f(g):
            h = {"k": 1}
            g(h)
            h["k"] = 2
            g()
            return h["k"]  # h['k']: 4, 5
        """,
    "an unknown call does not change what nobody has": """
        def f(g):
            h = {"k": 1}
            g()
            return h["k"]  # h['k']: 2
        """,
    "a known call changes nothing": """
        def f(g):
            h = {"k": 1}
            jnp.sum(h)
            print(h)
            return h["k"]  # h['k']: 2
        """,
    "an unknown call may change attributes of parameters": """
        def f(self, g):
            self.x = 1
            g()
            return self.x  # self.x: 2, 3
        """,
    "what a call returns may be what it was given": """
        def f(g):
            h = {"k": 1}
            u = g(h)
            u["k"] = 2
            return h["k"]  # h['k']: 2, 3, 4
        """,
    "an inner function changes what it takes from outside": """
        def f():
            h = {"k": 1}
            def g():
                h["k"] = 2
            g()
            return h["k"]  # h['k']: 2, 5
        """,
    "an inner function that only reads changes nothing": """
        def f():
            h = {"k": 1}
            def g():
                return h["k"]
            g()
            return h["k"]  # h['k']: 2
        """,
    "an inner function changes what it is given": """
        def f():
            h = {"k": 1}
            u = {"k": 2}
            def g(d, e):
                d["k"] = e["k"]
            g(h, u)
            return h["k"], u["k"]  # h['k']: 2, 6; u['k']: 3
        """,
    "an inner function hands it to itself": """
        def f(n):
            h = {"k": 1}
            u = {"k": 2}
            def g(d, e, n):
                if n:
                    g(e, d, n - 1)
                d["k"] = n
            g(h, u, n)
            return h["k"], u["k"]  # h['k']: 2, 8; u['k']: 3, 8
        """,
    "an inner function returns what it is given": """
        def f():
            h = {"k": 1}
            def g(d):
                return d
            u = g(h)
            u["k"] = 2
            return h["k"]  # h['k']: 2, 6
        """,
    "an exception may come before a store": """
        def f(g):
            h = {"k": 1}
            try:
                h["k"] = g(h["k"])  # h['k']: 2
                h["k"] = 2
            except ValueError:
                return h["k"]  # h['k']: 2, 4, 5
            return h["k"]  # h['k']: 5
        """,
    "a list that grows by an augmented assignment is the same list": """
        def f(a):
            xs = []
            ys = xs
            xs += [a]
            xs[0] = 1
            return ys[0]  # ys[0]: 5
        """,
}


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in CASES.items()])
def test_definitions_of_cells(code: str) -> None:
    assert found(code) == expected(code)


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in CASES.items()])
def test_where_there_is_too_much_more_may_reach(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_STEPS", -1)
    wide = found(code)
    assert all(lines - {"missing"} <= wide[key] for key, lines in expected(code).items())


SPELLINGS = ["h = {'y': []}", "h = dict(y=[])", "h = {}\n    h['y'] = []", "ys = []\n    h = {'y': ys}"]


@pytest.mark.parametrize("made", SPELLINGS)
def test_each_way_to_make_a_dict_of_lists_gives_the_same_accesses(made: str) -> None:
    flow = flow_of(f"def f(xs):\n    {made}\n    for x in xs:\n        h['y'].append(x)\n    return jnp.stack(h['y'])")
    lists = [n for n in ast.walk(flow.function) if isinstance(n, ast.List)]
    accesses = [a for a in flow.accesses(lists[0]) if a.role not in ("held", "whole")]
    assert [(str(a.role), a.method) for a in accesses] == [("method", "append"), ("argument", None)]


@pytest.mark.parametrize("call", ["ys.append(x)", "push(x)", "zs.append(x)", "h['y'].append(x)", "h.y.append(x)"])
def test_a_list_is_found_by_whatever_name_it_goes(call: str) -> None:
    flow = flow_of(
        f"def f(xs, h):\n    ys = []\n    push = ys.append\n    zs = ys\n    h = {{'y': zs}}\n    for x in xs:\n        {call}"
        if ".y" not in call
        else f"def f(xs):\n    class h: pass\n    ys = []\n    h.y = ys\n    for x in xs:\n        {call}"
    )
    made = next(n for n in ast.walk(flow.function) if isinstance(n, ast.List))
    assert "append" in {a.method for a in flow.accesses(made)}
