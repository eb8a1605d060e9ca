# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From graphs of ATen to StableHLO, for stitch.torch.

decompose.py and formulas.py say many operators by others; table.py says what a lowering is; pointwise.py, special.py, reductions.py, shapes.py, indexing.py,
searches.py, bags.py, products.py, distances.py, pools.py and spectral.py have them; builder.py writes StableHLO;
trace.py goes through a graph, with PyTorch's fake tensors beside the values, and compares each result with what these say.
"""
from . import bags, distances, indexing, pointwise, pools, prims, products, reductions, searches, shapes, special, spectral  # noqa: F401  (they fill the table)
from .decompose import decompositions
from .table import LOWERINGS, Left
from .trace import Argument, Program, Refused, Result, owner_of, placed, trace

__all__ = ["LOWERINGS", "Argument", "Left", "Program", "Refused", "Result", "decompositions", "owner_of", "placed", "trace"]
