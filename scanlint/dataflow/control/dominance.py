"""Dominators and dominance frontiers; blocks are numbered so that one pass in their order is enough."""

from __future__ import annotations

from scanlint.dataflow.control.blocks import FlowGraph


class Dominance:
    """The dominator tree of the blocks that can be reached; a common ancestor is found in logarithmic time."""

    def __init__(self, graph: FlowGraph) -> None:
        count = len(graph.blocks)
        self.parent = [0] * count
        self.children: list[list[int]] = [[] for _ in range(count)]
        self.frontier: list[list[int]] = [[] for _ in range(count)]
        self._depth = [0] * count
        self._jump = [0] * count
        for block in graph.blocks[1:]:
            forward = [b for b in block.before if b < block.id]
            if block.live and forward:
                common = forward[0]
                for other in forward[1:]:
                    common = self._common(common, other)
                self._place(block.id, common)
        for block in graph.blocks:
            if len(block.before) > 1:
                self._frontiers(block.id, block.before)

    def _place(self, block: int, parent: int) -> None:
        """Skip pointers as in a skew-binary list: each leads to an ancestor about twice as far up."""
        self.parent[block] = parent
        self.children[parent].append(block)
        self._depth[block] = self._depth[parent] + 1
        jump = self._jump[parent]
        even = self._depth[parent] - self._depth[jump] == self._depth[jump] - self._depth[self._jump[jump]]
        self._jump[block] = self._jump[jump] if even else parent

    def _common(self, left: int, right: int) -> int:
        depth, jump, parent = self._depth, self._jump, self.parent
        if depth[left] < depth[right]:
            left, right = right, left
        while depth[left] > depth[right]:
            left = jump[left] if depth[jump[left]] >= depth[right] else parent[left]
        while left != right:
            if jump[left] == jump[right]:
                left, right = parent[left], parent[right]
            else:
                left, right = jump[left], jump[right]
        return left

    def _frontiers(self, block: int, before: list[int]) -> None:
        """A block is in the frontier of all that dominate a block before it, but not it."""
        for runner in before:
            while runner != self.parent[block]:
                frontier = self.frontier[runner]
                if frontier and frontier[-1] == block:
                    break
                frontier.append(block)
                if runner == 0:
                    break
                runner = self.parent[runner]
