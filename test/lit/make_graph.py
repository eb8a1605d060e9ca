# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints one of the graphs of bench/planning_time.

usage: make_graph.py KIND OPERATIONS
"""
import importlib.machinery
import importlib.util
import os
import sys

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
sys.path.insert(0, BENCH)
loader = importlib.machinery.SourceFileLoader("planning_time", os.path.join(BENCH, "planning_time"))
planning_time = importlib.util.module_from_spec(importlib.util.spec_from_loader("planning_time", loader))
loader.exec_module(planning_time)

graph = planning_time.Graph()
print(graph.text(planning_time.KINDS[sys.argv[1]](graph, int(sys.argv[2]))))
