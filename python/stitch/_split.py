# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of which PyTorch runs some operators, and pieces are compiled."""
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node

Run = Callable[[list[Any]], Sequence[Any]]


def _has_effects(node: Node) -> bool:
    """Whether an operator draws random numbers, changes a tensor or is there for what it does: such ones keep their order."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return isinstance(node.target, torch._ops.HigherOrderOperator)
    return torch.Tag.nondeterministic_seeded in node.target.tags or _changes(node) or not node.users


def _changes(node: Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable  # pylint: disable=protected-access


def _groups(nodes: Sequence[Node], left: set[Node]) -> list[list[Node]]:
    """Nodes that are left, each with what takes its results apart, and pieces between them: as few as there can be, unless a node that is left
    changes a tensor, which may be read before and after."""
    taken = {n for n in nodes if n.target is operator.getitem and n.args[0] in left}
    waiting = [n for n in nodes if n not in taken]
    keeps_order = any(_changes(n) for n in left)
    done: set[Node] = set(taken)
    groups: list[list[Node]] = []

    def is_ready(node: Node, piece: set[Node]) -> bool:
        return all(i in done or i in piece or i.op in ("placeholder", "get_attr") for i in _real_inputs(node))

    def _real_inputs(node: Node) -> list[Node]:
        return [i.args[0] if i in taken else i for i in node.all_input_nodes]

    while waiting:
        piece: dict[Node, None] = {}
        for node in waiting:
            if node in left and keeps_order:
                break
            if node not in left and is_ready(node, set(piece)):
                piece[node] = None
        if piece:
            groups.append(list(piece))
            done.update(piece)
            waiting = [n for n in waiting if n not in piece]
        blocked = False
        for node in list(waiting):
            is_last = keeps_order and node is not waiting[0]
            if node in left and not is_last and not (blocked and _has_effects(node)) and is_ready(node, set()):
                groups.append([node, *(n for n in nodes if n in taken and n.args[0] is node)])
                done.add(node)
                waiting.remove(node)
            elif node in left and _has_effects(node):
                blocked = True
    return groups


def _piece(module: torch.fx.GraphModule, nodes: Sequence[Node]) -> tuple[torch.fx.GraphModule, list[Node], list[Node]]:
    """A graph of some nodes; what it takes, and what others need of it."""
    inside, graph = set(nodes), torch.fx.Graph()
    outside = dict.fromkeys(i for n in nodes for i in n.all_input_nodes if i not in inside)
    takes = [n for n in outside if n.op != "get_attr"]
    copies: dict[Node, Node] = {}
    for node in takes:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    for node in [n for n in outside if n.op == "get_attr"] + list(nodes):
        copies[node] = graph.node_copy(node, lambda n: copies[n])
    gives = [n for n in nodes if any(u not in inside for u in n.users)]
    graph.output(tuple(copies[n] for n in gives))
    return torch.fx.GraphModule(module, graph), takes, gives


class Split:
    """Runs a graph. `compiled` makes of a piece what runs it."""

    def __init__(self, module: torch.fx.GraphModule, left: set[Node], compiled: Callable[[torch.fx.GraphModule], Run]) -> None:
        self._module = module
        nodes = list(module.graph.nodes)
        self._placeholders = [n for n in nodes if n.op == "placeholder"]
        self._results = module.graph.output_node().args[0]
        self._constants = {n: self._attribute(n.target) for n in nodes if n.op == "get_attr"}
        self._steps: list[tuple[Run | None, list[Node], list[Node]]] = []
        for group in _groups([n for n in nodes if n.op == "call_function"], left):
            if group[0] in left:
                self._steps.append((None, group, []))
            else:
                piece, takes, gives = _piece(module, group)
                self._steps.append((compiled(piece), takes, gives))
        self._last = self._last_uses()

    def _attribute(self, target: str) -> Any:
        found: Any = self._module
        for part in target.split("."):
            found = getattr(found, part)
        return found

    def _last_uses(self) -> list[list[Node]]:
        """For each step what nobody needs behind it."""
        kept = {r for r in self._results if isinstance(r, Node)} | set(self._constants)
        last: dict[Node, int] = {}
        for i, (run, nodes, gives) in enumerate(self._steps):
            used = nodes if run else [j for n in nodes for j in (n, *n.all_input_nodes)]
            last.update(dict.fromkeys([*used, *gives], i))
        return [[n for n, at in last.items() if at == i and n not in kept] for i in range(len(self._steps))]

    def __call__(self, args: Sequence[Any]) -> list[Any]:
        values = dict(zip(self._placeholders, args, strict=True)) | self._constants

        def value(x: Any) -> Any:
            return values[x] if isinstance(x, Node) else x

        for (run, nodes, gives), unneeded in zip(self._steps, self._last, strict=True):
            if run:
                values.update(zip(gives, run([values[n] for n in nodes]), strict=True))
            else:
                for node in nodes:
                    values[node] = node.target(*torch.fx.node.map_aggregate(node.args, value), **torch.fx.node.map_aggregate(node.kwargs, value))
            for node in unneeded:
                values.pop(node, None)
        return [value(r) for r in self._results]
