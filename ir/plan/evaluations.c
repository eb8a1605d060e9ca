//===- evaluations.c - how often a kernel computes a value ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/plan/evaluations.h"

#include "ir/mlir/arithmetic.h"

/// What a broadcast repeats in runs, along dimensions behind those of its operand.
static int64_t runOfBroadcast(MlirOperation broadcast) {
  IrShape dims = irGetDims(broadcast, "dims"), shape = irShapeOf(irResult(broadcast, 0)),
          operand = irShapeOf(irOperand(broadcast, 0));
  intptr_t behind = 0;
  for (intptr_t i = 0; i < dims.rank; ++i)
    behind = operand.dims[i] > 1 && dims.dims[i] >= behind ? dims.dims[i] + 1 : behind;
  int64_t run = 1;
  for (intptr_t d = behind; d < shape.rank; ++d)
    run *= shape.dims[d];
  return run;
}

double planShareOf(const GraphNode *node, int64_t j) {
  bool picks = node->kind == TG_slice || node->kind == TG_dynamic_slice || node->kind == TG_gather;
  int64_t elements = irNumElements(irShapeOf(irOperand(node->op, j)));
  return picks && j == 0 && node->elements < elements ? (double)node->elements / (double)elements : 1;
}

PlanReading planReadingOf(const IrGraph *graph, const PlanReading *user, int64_t from) {
  const GraphNode *node = &graph->nodes[user->node];
  PlanReading reading = *user;
  reading.node = from;
  if (node->kind == TG_slice)
    reading.slices *= irSlicesOf(graph, from);
  if (node->operands[0].node == from)
    reading.share *= planShareOf(node, 0);
  if (node->kind == TG_transpose)
    reading.run = 1;
  if (node->kind == TG_concatenate)
    reading.part *= (double)graph->nodes[from].elements / (double)node->elements;
  if (node->kind == TG_broadcast && node->elements > graph->nodes[from].elements) {
    int64_t run = runOfBroadcast(node->op);
    reading.run *= run;
    reading.isRepeated |= run * graph->nodes[from].elements < node->elements;
  }
  return reading;
}

/// Elements of a value that a thread needs for those of the root that it has in a task.
static int64_t elementsOfThread(const StitchMapping *root, int64_t run) {
  if (run >= planMappedElements(root))
    return 1;
  if (run >= root->columns)
    return root->kind == STITCH_MAPPING_COLUMN ? root->unroll : 1;
  int64_t ofVector = ceilDiv(root->vector, run);
  return root->kind == STITCH_MAPPING_COLUMN ? ofVector : ofVector * root->unroll;
}

double planEvaluationsOf(const StitchMapping *root, const GraphNode *node, const PlanReading *reading) {
  if (node->class == TG_CLASS_REDUCE)
    return (double)irNumElements(irShapeOf(irOperand(node->op, 0)));
  int64_t threads = planBlocksOfTasks(root) * planBlockSize(root), all = planMappedElements(root);
  if (!reading->isRepeated)
    return (double)max64(node->elements, min64(threads, all));
  int64_t times = reading->slices * min64(threads * elementsOfThread(root, reading->run), all);
  return (double)max64(node->elements, (int64_t)(reading->part * (double)times));
}
