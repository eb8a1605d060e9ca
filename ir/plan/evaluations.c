//===- evaluations.c - how often a kernel computes a value ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a root's mapping and the operations of its members. Leaves how often each is evaluated over the whole grid, for
// the instruction count of the cost model.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/evaluations.h"

#include "ir/mlir/arithmetic.h"

/// The number of neighbouring equal elements of a broadcast: the product of the dimensions behind its operand's.
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

PlanReading planReadingOfRoot(const IrGraph *graph, int64_t root) {
  return (PlanReading){.node = root,
                       .run = 1,
                       .slices = 1,
                       .part = 1,
                       .wanted = (double)graph->nodes[root].elements,
                       .picked = -1,
                       .windows = 1};
}

static double windowElements(const GraphNode *node) {
  return node->class == TG_CLASS_WINDOW ? (double)irNumElements(irGetDims(node->op, "window_dimensions")) : 1;
}

double planWantedOf(const IrGraph *graph, const PlanReading *reading, int64_t j) {
  const GraphNode *node = &graph->nodes[reading->node];
  double elements = (double)irNumElements(irShapeOf(irOperand(node->op, j)));
  double asked = reading->wanted * windowElements(node);
  return node->class == TG_CLASS_REDUCE || asked > elements ? elements : asked;
}

bool planPicks(const IrGraph *graph, const PlanReading *reading, int64_t j) {
  const GraphNode *node = &graph->nodes[reading->node];
  return planWantedOf(graph, reading, j) < (double)irNumElements(irShapeOf(irOperand(node->op, j))) &&
         !(node->class == TG_CLASS_ELEMENTWISE || node->kind == TG_reshape);
}

PlanReading planReadingOf(const IrGraph *graph, const PlanReading *user, int64_t j) {
  const GraphNode *node = &graph->nodes[user->node];
  int64_t from = node->operands[j].node;
  PlanReading reading = *user;
  reading.node = from;
  reading.wanted = planWantedOf(graph, user, j);
  bool picks = planPicks(graph, user, j);
  reading.picked = picks ? user->node : user->picked;
  reading.windows *= windowElements(node);
  if (node->kind == TG_slice)
    reading.slices *= irSlicesOf(graph, from);
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
  double times = (double)min64(threads, all);
  if (reading->isRepeated) {
    // Each of the slices is counted for the elements that it alone has.
    double slices = (double)reading->slices * reading->wanted / (double)node->elements;
    times =
        reading->part * (slices > 1 ? slices : 1) * (double)min64(threads * elementsOfThread(root, reading->run), all);
  }
  return reading->windows * (reading->wanted > times ? reading->wanted : times);
}
