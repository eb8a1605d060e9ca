//===- graph.h - a block of operations as a numbered graph ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a stitch.fusion as arrays: analyses over them are loops over numbers. Program order is topological, so a
// loop upwards sees operands before users and a loop downwards users before operands.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_GRAPH_H
#define STITCH_IR_GRAPH_GRAPH_H

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

/// Operand of a node: the node that defines it, or an argument of the block.
typedef struct {
  int64_t node;   ///< -1 for a block argument
  int64_t number; ///< of the result of `node`, or of the block argument
  int64_t value;  ///< below the graph's numValues: the same for operands that are one value, and for no others
} GraphOperand;

/// An operation other than the terminator.
typedef struct {
  MlirOperation op;
  TgKind kind;
  TgClass class;
  int64_t elements; ///< of the first result
  int64_t value;    ///< of the first result; the others follow
  bool yielded;     ///< some result is an operand of the terminator
  int64_t numOperands;
  const GraphOperand *operands;
  int64_t numUsers;
  const int64_t *users; ///< once for each use, in rising order
} GraphNode;

/// A snapshot: it does not follow changes of the block.
typedef struct {
  MlirBlock block;
  MlirOperation terminator;
  int64_t numNodes;
  GraphNode *nodes;
  int64_t numValues; ///< that operands may be: results of nodes, arguments of the block
  IrMap numbers;     ///< operation -> node
  IrArena arena;
} IrGraph;

IrGraph irGraphCreate(MlirBlock block);
void irGraphDestroy(IrGraph *graph);

/// How many slices of the first result of a node others read, reshapes between looked through: rows of a thin operand,
/// say, of which each is multiplied with a matrix. 1 if none.
int64_t irSlicesOf(const IrGraph *graph, int64_t node);

/// The node of an operation, or -1.
int64_t irGraphNode(const IrGraph *graph, MlirOperation op);

#endif // STITCH_IR_GRAPH_GRAPH_H
