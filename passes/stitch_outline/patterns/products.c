//===- products.c - thin products are in patterns as a whole -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of several rows and a matrix is a sum for each row, and a concatenation of these (stitch-thin-products).
// The sums read the matrix once if one kernel has all of them: a pattern that has one gets the others. Their
// concatenation costs nothing where they are in registers, and a choice among all of them for each element anywhere
// else; but there it may be in its reader's registers. So each pattern is proposed twice: as it is, and with the
// concatenations of its sums and without those of others.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "passes/stitch_outline/patterns/patterns.h"

#include <stdlib.h>
#include <string.h>

/// A product while its operations are found.
typedef struct {
  const Outline *outline;
  int64_t *nodes; ///< stitched ones
  bool *isBehind; ///< by node: it concatenates sums
  int64_t count;
  MlirOperation firstProducts; ///< the summands of the first sum
  MlirValue matrix;            ///< the operand of all sums
} PatternProduct;

static void addProductNode(PatternProduct *p, MlirOperation op, bool isBehind) {
  int64_t number = irNumberOf(&p->outline->numbering, irResult(op, 0));
  if (!isStitched(p->outline, number))
    return;
  p->nodes[p->count++] = number;
  p->isBehind[number] = isBehind;
}

static bool isOneOf(TgKind kind, const TgKind *kinds, int count) {
  for (int i = 0; i < count; ++i)
    if (kinds[i] == kind)
      return true;
  return false;
}

/// Adds a sum and the operations that make it a part of the concatenation. False if the value is something else.
static bool addSum(PatternProduct *p, MlirValue value) {
  static const TgKind behind[] = {TG_convert, TG_reshape, TG_transpose};
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && isOneOf(tgKindOf(op), behind, 3) && irHasOneUse(irResult(op, 0))) {
    addProductNode(p, op, true);
    op = irDefiningOp(irOperand(op, 0));
  }
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_reduce || !irHasOneUse(irResult(op, 0)))
    return false;
  MlirOperation products = irDefiningOp(irOperand(op, 0));
  if (mlirOperationIsNull(products) || tgKindOf(products) != TG_mul || !irHasOneUse(irResult(products, 0)))
    return false;
  addProductNode(p, op, false);
  addProductNode(p, products, false);
  if (mlirOperationIsNull(p->firstProducts))
    p->firstProducts = products;
  for (intptr_t i = 0; i < 2 && mlirValueIsNull(p->matrix) && !mlirOperationEqual(products, p->firstProducts); ++i)
    for (intptr_t j = 0; j < 2; ++j)
      if (mlirValueEqual(irOperand(products, i), irOperand(p->firstProducts, j)))
        p->matrix = irOperand(products, i);
  return true;
}

/// Whether all that is summed up are products with the same matrix.
static bool shareMatrix(const PatternProduct *p) {
  for (int64_t i = 0; i < p->count; ++i) {
    MlirOperation op = p->outline->nodes[p->nodes[i]].op;
    if (tgKindOf(op) == TG_mul && !mlirValueEqual(irOperand(op, 0), p->matrix) &&
        !mlirValueEqual(irOperand(op, 1), p->matrix))
      return false;
  }
  return true;
}

/// Finds the product that a concatenation ends.
static bool findProduct(PatternProduct *p, MlirOperation concatenation) {
  p->count = 0;
  p->firstProducts = (MlirOperation){NULL};
  p->matrix = (MlirValue){NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(concatenation); ++i)
    if (!addSum(p, irOperand(concatenation, i)))
      return false;
  if (mlirValueIsNull(p->matrix) || !shareMatrix(p))
    return false;
  addProductNode(p, concatenation, true);
  return true;
}

void findProducts(Patterns *patterns) {
  Outline *outline = patterns->outline;
  IrArena *arena = &outline->arena;
  patterns->productOf = IR_NEW_ARRAY(arena, int64_t, outline->numNodes + 1);
  patterns->products = IR_NEW_ARRAY(arena, NumberList, outline->numNodes + 1);
  patterns->isIn = IR_NEW_ARRAY(arena, bool, outline->numNodes + 1);
  patterns->completed = IR_NEW_ARRAY(arena, int64_t, outline->numNodes + 1);
  memset(patterns->productOf, -1, sizeof(int64_t) * (size_t)(outline->numNodes + 1));
  patterns->isBehind = IR_NEW_ARRAY(arena, bool, outline->numNodes + 1);
  PatternProduct p = {
      .outline = outline, .nodes = IR_NEW_ARRAY(arena, int64_t, outline->numNodes + 1), .isBehind = patterns->isBehind};
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    if (!isStitched(outline, i) || tgKindOf(outline->nodes[i].op) != TG_concatenate ||
        !findProduct(&p, outline->nodes[i].op))
      continue;
    int64_t *nodes = IR_NEW_ARRAY(arena, int64_t, p.count);
    memcpy(nodes, p.nodes, sizeof(*nodes) * (size_t)p.count);
    for (int64_t k = 0; k < p.count; ++k)
      patterns->productOf[nodes[k]] = patterns->numProducts;
    patterns->products[patterns->numProducts++] = (NumberList){nodes, p.count};
  }
}

static int compareNodes(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/// Adds the operations of a product to the set: its sums, and with `behind` their concatenation.
static int64_t putProduct(const Patterns *p, int64_t product, bool behind, int64_t length) {
  const NumberList *list = &p->products[product];
  for (int64_t i = 0; i < list->count; ++i)
    if (behind || !p->isBehind[list->data[i]])
      p->completed[length++] = list->data[i];
  return length;
}

bool completeProducts(Patterns *p, const int64_t **nodes, int64_t *count, bool behind) {
  int64_t length = 0, ofProducts = 0;
  for (int64_t i = 0; i < *count; ++i) {
    int64_t node = (*nodes)[i], product = p->productOf[node];
    ofProducts += product >= 0;
    if (product < 0 || (!behind && p->isBehind[node])) {
      p->completed[length++] = node;
    } else if (!p->isIn[product] && tgKindOf(p->outline->nodes[node].op) == TG_reduce) {
      p->isIn[product] = true;
      length = putProduct(p, product, behind, length);
    }
  }
  if (ofProducts == 0)
    return !behind;
  int64_t before = *count;
  qsort(p->completed, (size_t)length, sizeof(*p->completed), compareNodes);
  for (int64_t i = 0; i < length; ++i)
    if (p->productOf[p->completed[i]] >= 0)
      p->isIn[p->productOf[p->completed[i]]] = false;
  bool isSame = length == before && memcmp(p->completed, *nodes, sizeof(**nodes) * (size_t)length) == 0;
  *nodes = p->completed;
  *count = length;
  return isSame || (length > 1 && length <= p->outline->maxOps && isConvex(p->dependences, p->completed, length));
}
