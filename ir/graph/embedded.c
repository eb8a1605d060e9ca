//===- embedded.c - graphs among operations of other dialects ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a function that mixes tg with other dialects. Visits the graphs of its blocks in order, and outlines a graph
// into a function of its own for the caller.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/embedded.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"

#include <stdlib.h>
#include <string.h>

bool irIsOfGraphs(MlirOperation op) {
  MlirStringRef name = irOpName(op);
  return (name.length > 3 && memcmp(name.data, "tg.", 3) == 0) || irOpIs(op, "stitch.fusion") ||
         irOpIs(op, "stitch.library_call") || irOpIs(op, "stitch.adaptive");
}

//===----------------------------------------------------------------------===//
// Values that cross the border of a graph
//===----------------------------------------------------------------------===//

/// The operation of `block` that `op` is or lies in; null if it lies elsewhere.
static MlirOperation ancestorIn(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/// Whether an operation is one of the graph or lies in one.
static bool isInside(const IrEmbeddedGraph *graph, MlirOperation op) {
  MlirOperation ancestor = ancestorIn(graph->block, op);
  return !mlirOperationIsNull(ancestor) && irMapContains(&graph->isMember, ancestor.ptr);
}

static bool isDefinedInside(const IrEmbeddedGraph *graph, MlirValue value) {
  if (!mlirValueIsABlockArgument(value))
    return isInside(graph, irDefiningOp(value));
  MlirBlock owner = mlirBlockArgumentGetOwner(value);
  return !mlirBlockEqual(owner, graph->block) && isInside(graph, mlirBlockGetParentOperation(owner));
}

/// Whether a value is a constant of arith that tg.constant can be.
static bool isTensorConstant(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "arith.constant") || !mlirTypeIsARankedTensor(mlirValueGetType(value)) ||
      mlirTypeIsAIndex(irElementTypeOf(value)))
    return false;
  MlirAttribute data = irGetAttr(op, "value");
  return mlirAttributeIsADenseElements(data) || mlirAttributeIsADenseResourceElements(data);
}

typedef struct {
  IrEmbeddedGraph *graph;
  IrMap seen;
} InputWalk;

static MlirWalkResult collectInputs(MlirOperation op, void *data) {
  InputWalk *walk = data;
  IrEmbeddedGraph *graph = walk->graph;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = irOperand(op, i);
    if (irMapContains(&walk->seen, value.ptr) || isDefinedInside(graph, value))
      continue;
    irMapSet(&walk->seen, value.ptr, 1);
    if (isTensorConstant(value)) {
      IR_RESERVE_ONE(graph->constants, graph->numConstants, graph->constantCapacity);
      graph->constants[graph->numConstants++] = value;
    } else {
      IR_RESERVE_ONE(graph->inputs, graph->numInputs, graph->inputCapacity);
      graph->inputs[graph->numInputs++] = value;
    }
  }
  return MlirWalkResultAdvance;
}

static bool isReadOutside(const IrEmbeddedGraph *graph, MlirValue value) {
  IR_FOR_EACH_USE(use, value)
    if (!isInside(graph, mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static void collectBorder(IrEmbeddedGraph *graph) {
  InputWalk walk = {.graph = graph};
  for (intptr_t i = 0; i < graph->numOps; ++i) {
    mlirOperationWalk(graph->ops[i], collectInputs, &walk, MlirWalkPreOrder);
    for (intptr_t k = 0; k < mlirOperationGetNumResults(graph->ops[i]); ++k) {
      MlirValue value = irResult(graph->ops[i], k);
      if (!isReadOutside(graph, value))
        continue;
      IR_RESERVE_ONE(graph->outputs, graph->numOutputs, graph->outputCapacity);
      graph->outputs[graph->numOutputs++] = value;
    }
  }
  irMapDestroy(&walk.seen);
}

static void destroyGraph(IrEmbeddedGraph *graph) {
  free(graph->ops);
  free(graph->inputs);
  free(graph->constants);
  free(graph->outputs);
  irMapDestroy(&graph->isMember);
}

//===----------------------------------------------------------------------===//
// Graphs of a block
//===----------------------------------------------------------------------===//

/// Visits the graph so far, if there is one, and begins another.
static bool endGraph(IrEmbeddedGraph *graph, MlirOperation before, const IrGraphFinder *finder) {
  bool success = true;
  if (graph->numOps) {
    graph->before = before;
    collectBorder(graph);
    success = finder->visit(graph, finder->data);
  }
  destroyGraph(graph);
  *graph = (IrEmbeddedGraph){.block = graph->block};
  return success;
}

typedef struct {
  const IrEmbeddedGraph *graph;
  bool reads;
} ReadWalk;

static MlirWalkResult findRead(MlirOperation op, void *data) {
  ReadWalk *walk = data;
  for (intptr_t i = 0; !walk->reads && i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation definition = irDefiningOp(irOperand(op, i));
    walk->reads = !mlirOperationIsNull(definition) && irMapContains(&walk->graph->isMember, definition.ptr);
  }
  return walk->reads ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/// Whether an operation, or one that lies in it, reads a result of the graph.
static bool readsGraph(const IrEmbeddedGraph *graph, MlirOperation op) {
  ReadWalk walk = {graph, false};
  if (graph->numOps)
    mlirOperationWalk(op, findRead, &walk, MlirWalkPreOrder);
  return walk.reads;
}

static bool isOfGraphs(const IrGraphFinder *finder, MlirOperation op) {
  return finder->isOfGraphs ? finder->isOfGraphs(op, finder->data) : irIsOfGraphs(op);
}

static bool visitBlock(MlirBlock block, const IrGraphFinder *finder) {
  IrEmbeddedGraph graph = {.block = block};
  bool success = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); success && !mlirOperationIsNull(op); op = irNextOp(op)) {
    if (isOfGraphs(finder, op)) {
      IR_RESERVE_ONE(graph.ops, graph.numOps, graph.opCapacity);
      graph.ops[graph.numOps++] = op;
      irMapSet(&graph.isMember, op.ptr, 1);
      continue;
    }
    bool isLast = mlirOperationIsNull(irNextOp(op));
    if (isLast || readsGraph(&graph, op))
      success = endGraph(&graph, op, finder);
    success = success && irForEachEmbeddedGraph(op, finder);
  }
  if (success)
    return endGraph(&graph, (MlirOperation){NULL}, finder);
  destroyGraph(&graph);
  return false;
}

bool irForEachEmbeddedGraph(MlirOperation root, const IrGraphFinder *finder) {
  if (irOpIs(root, "builtin.module") || irOpIs(root, "gpu.module"))
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(root); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(root, i))
      if (!visitBlock(block, finder))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Functions of graphs
//===----------------------------------------------------------------------===//

typedef struct {
  const IrMap *numberOf;
  const MlirValue *values;
} Renaming;

static MlirWalkResult renameOperands(MlirOperation op, void *data) {
  const Renaming *renaming = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    int64_t number = irMapGet(renaming->numberOf, irOperand(op, i).ptr, -1);
    if (number >= 0)
      mlirOperationSetOperand(op, i, renaming->values[number]);
  }
  return MlirWalkResultAdvance;
}

static MlirType typeOfGraph(MlirContext context, const IrEmbeddedGraph *graph) {
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(graph->numInputs + graph->numOutputs + 1));
  for (intptr_t i = 0; i < graph->numInputs; ++i)
    types[i] = mlirValueGetType(graph->inputs[i]);
  for (intptr_t i = 0; i < graph->numOutputs; ++i)
    types[graph->numInputs + i] = mlirValueGetType(graph->outputs[i]);
  MlirType type = mlirFunctionTypeGet(context, graph->numInputs, types, graph->numOutputs, types + graph->numInputs);
  free(types);
  return type;
}

/// The values in the function that stand for those outside: arguments, then constants. The caller frees them.
static MlirValue *valuesInside(const IrEmbeddedGraph *graph, MlirBlock body, MlirLocation loc, IrMap *numberOf) {
  intptr_t count = 0;
  MlirValue *values = irAllocate(sizeof(MlirValue) * (size_t)(graph->numInputs + graph->numConstants + 1));
  for (intptr_t i = 0; i < graph->numInputs; ++i) {
    irMapSet(numberOf, graph->inputs[i].ptr, count);
    values[count++] = mlirBlockGetArgument(body, i);
  }
  for (intptr_t i = 0; i < graph->numConstants; ++i) {
    IrBuilder b = irBuilderAtEnd(body, loc);
    irMapSet(numberOf, graph->constants[i].ptr, count);
    values[count++] = irValueOf(&b, "tg.constant", IR_NO_VALUES, mlirValueGetType(graph->constants[i]),
                                IR_ATTRS(irAttr(&b, "value", irGetAttr(irDefiningOp(graph->constants[i]), "value"))));
  }
  return values;
}

MlirOperation irOutlineEmbeddedGraph(const IrEmbeddedGraph *graph, IrBuilder *b, const char *name) {
  MlirType type = typeOfGraph(b->context, graph);
  MlirType *arguments = irAllocate(sizeof(MlirType) * (size_t)(graph->numInputs + 1));
  for (intptr_t i = 0; i < graph->numInputs; ++i)
    arguments[i] = mlirValueGetType(graph->inputs[i]);
  MlirOperation function = irOpWithRegions(b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
                                           IR_ATTRS(irString(b, "sym_name", name), irType(b, "function_type", type)), 1,
                                           (IrTypes){graph->numInputs, arguments});
  free(arguments);
  MlirBlock body = irBody(function, 0);
  IrMap numberOf = {0};
  MlirValue *values = valuesInside(graph, body, b->loc, &numberOf);
  Renaming renaming = {&numberOf, values};
  for (intptr_t i = 0; i < graph->numOps; ++i) {
    mlirOperationRemoveFromParent(graph->ops[i]);
    mlirBlockAppendOwnedOperation(body, graph->ops[i]);
    mlirOperationWalk(graph->ops[i], renameOperands, &renaming, MlirWalkPreOrder);
  }
  IrBuilder end = irBuilderAtEnd(body, b->loc);
  irOp(&end, "func.return", (IrValues){graph->numOutputs, graph->outputs}, IR_NO_TYPES, IR_NO_ATTRS);
  free(values);
  irMapDestroy(&numberOf);
  return function;
}

/// Whether an operation reads a result of the graph from outside; it may have been moved to a function of its own.
static bool isOutside(const IrEmbeddedGraph *graph, MlirOperation owner, MlirBlock inside) {
  bool isMoved = !mlirBlockEqual(inside, graph->block);
  return isMoved ? mlirOperationIsNull(ancestorIn(inside, owner)) : !isInside(graph, owner);
}

void irReplaceOutputs(const IrEmbeddedGraph *graph, const MlirValue *values) {
  for (intptr_t i = 0; i < graph->numOutputs; ++i) {
    MlirBlock inside = mlirOperationGetBlock(irDefiningOp(graph->outputs[i]));
    MlirOpOperand next, use = mlirValueGetFirstUse(graph->outputs[i]);
    for (; !mlirOpOperandIsNull(use); use = next) {
      next = mlirOpOperandGetNextUse(use);
      MlirOperation owner = mlirOpOperandGetOwner(use);
      if (isOutside(graph, owner, inside))
        mlirOperationSetOperand(owner, mlirOpOperandGetOperandNumber(use), values[i]);
    }
  }
}
