//===- embedded.h - graphs among operations of other dialects ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a mixed module, operations of tg stand between those of other dialects, which stay where they are and in their
// order. Operations of tg have no side effects, so a graph may go down to the first operation that reads a result of
// it. In one walk through a block, a graph takes in all operations of tg up to there.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_EMBEDDED_H
#define STITCH_IR_GRAPH_EMBEDDED_H

#include "ir/mlir/build.h"
#include "ir/mlir/map.h"

/// A graph, the operations of which can become one function that is called at one place.
typedef struct {
  MlirBlock block;
  MlirOperation before; ///< the insertion point of the graph: all readers of its results are this operation or behind
                        ///< it; null: end
  MlirOperation *ops;   ///< in their order
  intptr_t numOps, opCapacity;
  MlirValue *inputs; ///< values that it reads and another operation computes, except constants of arith
  intptr_t numInputs, inputCapacity;
  MlirValue *constants; ///< results of arith.constant that it reads
  intptr_t numConstants, constantCapacity;
  MlirValue *outputs; ///< of its results, those that something else reads
  intptr_t numOutputs, outputCapacity;
  IrMap isMember; ///< its operations
} IrEmbeddedGraph;

/// Options of finding graphs, and of outlining them.
typedef struct {
  /// Whether an operation is part of graphs. Null: whether irIsOfGraphs says so.
  bool (*isOfGraphs)(MlirOperation op, void *data);
  /// May move or erase the operations of the graph. False ends the walk.
  bool (*visit)(IrEmbeddedGraph *graph, void *data);
  void *data;
} IrGraphFinder;

/// Whether an operation is one of tg, or one that planning makes of some: stitch.fusion, stitch.library_call,
/// stitch.adaptive.
bool irIsOfGraphs(MlirOperation op);

/// Visits the graphs in all blocks nested in `root`, but for those within modules (builtin, gpu) and within operations
/// of graphs. False if a visit was.
bool irForEachEmbeddedGraph(MlirOperation root, const IrGraphFinder *finder);

/// Creates the function `name` of the graph, with its inputs as arguments and its outputs as results, and moves its
/// operations there; constants of arith that it reads become tg.constant. Readers of the outputs are left as they are.
MlirOperation irOutlineEmbeddedGraph(const IrEmbeddedGraph *graph, IrBuilder *b, const char *name);

/// Has readers of the outputs outside read `values` instead.
void irReplaceOutputs(const IrEmbeddedGraph *graph, const MlirValue *values);

#endif // STITCH_IR_GRAPH_EMBEDDED_H
