//===- classes.c - stitch-dominants: candidates that can share a group ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes candidates with their shapes. Leaves classes of candidates that one iteration space can cover, within connected
// components: rows and columns of reduces first, then other candidates by how well a class suits their shape.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/union_find.h"
#include "ir/plan/cost.h"
#include "passes/common/fusions.h"
#include "passes/stitch_dominants/dominants.h"

//===----------------------------------------------------------------------===//
// Connection
//===----------------------------------------------------------------------===//

/// Operations are connected through values and through inputs of the fusion that they share. A value that a candidate
/// leaves connects too: where the spaces are compatible it stays in a register.
void findComponents(Dominants *d) {
  int64_t numArguments = mlirBlockGetNumArguments(d->graph.block), numNodes = d->graph.numNodes;
  int64_t *parent = unionFindCreate(&d->graph.arena, numNodes + numArguments);
  for (int64_t i = 0; i < numNodes; ++i)
    for (int64_t j = 0; j < d->graph.nodes[i].numOperands; ++j) {
      GraphOperand operand = d->graph.nodes[i].operands[j];
      unionFindUnite(parent, i, operand.node >= 0 ? operand.node : numNodes + operand.number);
    }
  d->component = IR_NEW_ARRAY(&d->graph.arena, int64_t, numNodes);
  for (int64_t i = 0; i < numNodes; ++i)
    d->component[i] = unionFindRoot(parent, i);
}

//===----------------------------------------------------------------------===//
// Space classes
//===----------------------------------------------------------------------===//

static int64_t addClass(Dominants *d, SpaceClass class) {
  IR_RESERVE_ONE(d->classes, d->numClasses, d->classCapacity);
  d->classes[d->numClasses] = class;
  return d->numClasses++;
}

static bool sameReducedShape(const Dominants *d, int64_t a, int64_t b) {
  MlirOperation x = d->graph.nodes[a].op, y = d->graph.nodes[b].op;
  return irShapesEqual(irShapeOf(irOperand(x, 0)), irShapeOf(irOperand(y, 0))) &&
         irShapesEqual(irGetDims(x, "dims"), irGetDims(y, "dims")) && irGetInt(x, "dim", -1) == irGetInt(y, "dim", -1);
}

static int64_t classOfReduce(Dominants *d, int64_t node) {
  IterationSpace space = irReduceSpace(d->graph.nodes[node].op);
  for (int64_t i = 0; d->merge && i < d->numClasses; ++i) {
    const SpaceClass *c = &d->classes[i];
    if (c->component == d->component[node] && c->reduce >= 0 && c->space.kind == space.kind &&
        c->space.rows == space.rows && c->space.columns == space.columns && c->space.natural == space.natural &&
        (space.natural || sameReducedShape(d, c->reduce, node)))
      return i;
  }
  return addClass(d, (SpaceClass){d->component[node], space, node, false});
}

enum { FROM_COLUMNS = 1, FROM_ROWS = 2 };

/// Finds the values that depend on the results of column reduces, and not on those of row reduces. Where there are as
/// many rows as columns the number of elements does not tell.
static void findPerColumn(Dominants *d) {
  uint8_t *from = IR_NEW_ARRAY(&d->graph.arena, uint8_t, d->graph.numNodes);
  d->perColumn = IR_NEW_ARRAY(&d->graph.arena, bool, d->graph.numNodes);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    const GraphNode *node = &d->graph.nodes[i];
    if (node->class == TG_CLASS_REDUCE)
      from[i] = irReduceSpace(node->op).kind == STITCH_MAPPING_COLUMN ? FROM_COLUMNS : FROM_ROWS;
    for (int64_t j = 0; node->class != TG_CLASS_REDUCE && j < node->numOperands; ++j) {
      int64_t operand = node->operands[j].node;
      if (operand >= 0 && d->graph.nodes[operand].elements == node->elements)
        from[i] |= from[operand];
    }
    d->perColumn[i] = from[i] == FROM_COLUMNS;
  }
}

/// How well a class suits a candidate of that shape that is no reduce; 0 if not at all. Its leading dimensions must be
/// the rows: the same number of elements alone may be a coincidence.
static int suitability(const SpaceClass *c, IrShape shape, bool isPerColumn) {
  int64_t elements = irNumElements(shape);
  bool isRow = c->space.kind == STITCH_MAPPING_ROW;
  bool full =
      c->space.natural && c->space.rows * c->space.columns == elements && irLeadingDims(shape, c->space.rows) >= 0;
  if (c->isFree)
    return c->space.columns == elements ? 1 : 0;
  if (!isRow)
    return full ? 2 : 0;
  if (full)
    return c->reduce >= 0 ? 6 : 4;
  if (c->space.rows == elements && !isPerColumn)
    return c->reduce >= 0 ? 5 : 3;
  return 0;
}

/// The class that suits a shape best, or -1.
static int64_t bestClass(const Dominants *d, int64_t node, IrShape shape) {
  int64_t best = -1;
  int bestSuitability = 0;
  for (int64_t i = 0; d->merge && i < d->numClasses; ++i) {
    int suits =
        d->classes[i].component == d->component[node] ? suitability(&d->classes[i], shape, d->perColumn[node]) : 0;
    if (suits > bestSuitability) {
      bestSuitability = suits;
      best = i;
    }
  }
  return best;
}

/// Whether an operation can store the elements of its operand where it moves them: a result that nothing else in the
/// fusion reads, of elements that the fusion computes.
static bool canStoreMoved(const Dominants *d, int64_t node) {
  const GraphNode *n = &d->graph.nodes[node];
  if (!n->yielded || n->numUsers > 0 || n->numOperands == 0 || n->operands[0].node < 0)
    return false;
  if (n->kind == TG_slice) {
    IrShape strides = irGetDims(n->op, "strides");
    for (intptr_t i = 0; i < strides.rank; ++i)
      if (strides.dims[i] != 1)
        return false;
    return true;
  }
  return n->kind == TG_transpose || n->kind == TG_reverse;
}

/// Stores of single elements take a sector of the cache each, of this many elements.
enum { ELEMENTS_OF_A_SECTOR = 8 };

/// A class of its own for a node without rows.
static int64_t flatClass(Dominants *d, int64_t node, int64_t elements) {
  IterationSpace flat = {STITCH_MAPPING_FLAT, 1, elements, true};
  return addClass(d, (SpaceClass){d->component[node], flat, -1, true});
}

/// The class of a reduce by whose rows an operation can go, as its operand does: it then reads within its thread, and
/// no barrier lies before it. It is -1 if there is none, or its own class keeps it within the rows, too, or scattering
/// its elements would cost more than the barrier.
static int64_t classByOperand(Dominants *d, int64_t node, int64_t own) {
  const GraphNode *n = &d->graph.nodes[node];
  if (!d->merge || !canStoreMoved(d, node))
    return -1;
  int64_t class = bestClass(d, node, irShapeOf(irOperand(n->op, 0)));
  if (irHasAttr(n->op, PLAN_JOINS_TILES))
    return class >= 0 ? class : flatClass(d, node, irNumElements(irShapeOf(irOperand(n->op, 0))));
  if (class < 0 || d->classes[class].reduce < 0 || d->classes[class].space.kind != STITCH_MAPPING_ROW ||
      d->classes[class].space.rows * d->classes[class].space.columns != irNumElements(irShapeOf(irOperand(n->op, 0))))
    return -1;
  bool ownRows = own >= 0 && d->classes[own].space.kind == STITCH_MAPPING_ROW;
  if (ownRows && irKeepsRows(d->index, n->op, 0, d->classes[own].space.rows))
    return -1;
  double moving = costOfMoving(&d->device, (double)irTensorBytes(mlirValueGetType(irResult(n->op, 0))));
  double scattering = n->kind == TG_slice ? 0 : moving * (ELEMENTS_OF_A_SECTOR - 1);
  if (scattering > (double)d->device.barrierNs + 2 * moving)
    return -1;
  stitchRemark(n->op, "goes by its operand's elements: storing them where they belong costs no barrier");
  return class;
}

static int64_t classOfOther(Dominants *d, int64_t node) {
  int64_t best = bestClass(d, node, irShapeOf(irResult(d->graph.nodes[node].op, 0)));
  int64_t byOperand = classByOperand(d, node, best);
  d->decisions[node].byOperand = byOperand >= 0;
  if (byOperand >= 0)
    return byOperand;
  if (best >= 0)
    return best;
  return flatClass(d, node, d->graph.nodes[node].elements);
}

/// An operation whose elements are read by the rows of a broadcast makes rows of its elements, unless a reduce has made
/// them before.
static void addBroadcastClass(Dominants *d, int64_t node) {
  int64_t rows = d->graph.nodes[node].elements, columns = d->decisions[node].broadcastColumns;
  for (int64_t i = 0; i < d->numClasses; ++i) {
    const SpaceClass *c = &d->classes[i];
    if (c->component == d->component[node] && c->space.kind == STITCH_MAPPING_ROW && c->space.rows == rows &&
        (c->reduce >= 0 || c->space.columns == columns))
      return;
  }
  addClass(d, (SpaceClass){d->component[node], (IterationSpace){STITCH_MAPPING_ROW, rows, columns, true}, -1, false});
}

void classifyCandidates(Dominants *d) {
  d->numClasses = 0;
  findPerColumn(d);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i) && d->graph.nodes[i].class == TG_CLASS_REDUCE)
      d->decisions[i].class = classOfReduce(d, i);
  for (int64_t i = 0; d->merge && i < d->graph.numNodes; ++i)
    if (isCandidate(d, i) && d->decisions[i].broadcastColumns > 0)
      addBroadcastClass(d, i);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i) && d->graph.nodes[i].class != TG_CLASS_REDUCE)
      d->decisions[i].class = classOfOther(d, i);
}
