//===- mask_share.c - how much of a softmax's scores a mask shows --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels leave out tiles that a mask hides from all rows of a block. So the cost of a causal attention is about half
// of the cost by its sizes. A mask is evaluated at the corners of tiles. One that is a band, as causal masks and
// windows are, shows a tile if it shows a corner or passes between two of them. Tiles as large as those of kernels
// leave little room for that.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/mask_share.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_mask.h"
#include "ir/plan/gradient_mask.h"

/// Most tiles of rows, and of keys, that are looked at; operations of a predicate that are followed.
enum { MOST_TILES = 16, MOST_DEPTH = 32 };

/// Variables and their values.
typedef struct {
  const IndexExpr *variables[2 * IR_MAX_RANK];
  int64_t values[2 * IR_MAX_RANK];
  intptr_t count;
} VariableValues;

/// Has the dimensions of a place, variables or the constant 0, stand for row or key number `number`.
static void bindNumber(VariableValues *numbers, const IndexExpr *const *dims, IrShape shape, int64_t number) {
  for (intptr_t i = shape.rank; i-- > 0; number /= shape.dims[i]) {
    if (indexIsConstant(dims[i]))
      continue;
    numbers->variables[numbers->count] = dims[i];
    numbers->values[numbers->count++] = number % shape.dims[i];
  }
}

static int64_t valueOf(const VariableValues *numbers, const IndexExpr *expression);

/// A variable that stands for nothing, as one of a batch, is 0.
static int64_t valueOfAtom(const VariableValues *numbers, const IndexAtom *atom) {
  if (atom->kind == INDEX_VARIABLE) {
    for (intptr_t i = 0; i < numbers->count; ++i)
      if (numbers->variables[i]->terms[0].atom == atom)
        return numbers->values[i];
    return 0;
  }
  int64_t inner = valueOf(numbers, atom->inner), quotient = inner / atom->divisor - (inner % atom->divisor < 0);
  return atom->kind == INDEX_DIV ? quotient : inner - quotient * atom->divisor;
}

static int64_t valueOf(const VariableValues *numbers, const IndexExpr *expression) {
  int64_t value = expression->constant;
  for (int32_t i = 0; i < expression->numTerms; ++i)
    value += expression->terms[i].coefficient * valueOfAtom(numbers, expression->terms[i].atom);
  return value;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

typedef struct {
  IndexContext *index;
  const VariableValues *numbers;
  bool isKnown; ///< false once there has been an operation that is not followed
} MaskEvaluation;

static int64_t unknown(MaskEvaluation *e) {
  e->isKnown = false;
  return 0;
}

static int64_t splatValue(MaskEvaluation *e, MlirOperation op) {
  MlirAttribute value = mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
  MlirType type = mlirAttributeGetType(value);
  if (!mlirAttributeIsAInteger(value) || mlirIntegerTypeGetWidth(type) > 64)
    return unknown(e);
  return mlirIntegerTypeIsSigned(type)     ? mlirIntegerAttrGetValueSInt(value)
         : mlirIntegerTypeIsUnsigned(type) ? (int64_t)mlirIntegerAttrGetValueUInt(value)
                                           : mlirIntegerAttrGetValueInt(value);
}

static int64_t compareValues(int64_t direction, int64_t x, int64_t y) {
  switch (direction) {
  case TG_EQ:
    return x == y;
  case TG_NE:
    return x != y;
  case TG_LT:
    return x < y;
  case TG_LE:
    return x <= y;
  case TG_GT:
    return x > y;
  default:
    return x >= y;
  }
}

/// An element of a tensor of integers or truth values that is made of numbers of elements.
static int64_t elementAt(MaskEvaluation *e, MlirValue value, IndexVector at, int depth) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || depth == 0 || irIsFloat(irElementTypeOf(value)))
    return unknown(e);
  if (tgKindOf(op) == TG_iota)
    return valueOf(e->numbers, at.dims[irGetInt(op, "dim", 0)]);
  if (tgIsSplat(op))
    return splatValue(e, op);
  TgClass class = tgClassOfKind(tgKindOf(op));
  int64_t operands[3] = {0};
  intptr_t count = mlirOperationGetNumOperands(op);
  if ((class != TG_CLASS_ELEMENTWISE && class != TG_CLASS_SHAPE) || count < 1 || count > 3)
    return unknown(e);
  for (intptr_t i = 0; i < count; ++i) {
    IndexVector of;
    operands[i] =
        indexPropagate(e->index, op, i, &at, &of) ? elementAt(e, irOperand(op, i), of, depth - 1) : unknown(e);
  }
  switch (tgKindOf(op)) {
  case TG_compare:
    return compareValues(irGetInt(op, "direction", TG_EQ), operands[0], operands[1]);
  case TG_add:
    return operands[0] + operands[1];
  case TG_sub:
    return operands[0] - operands[1];
  case TG_mul:
    return operands[0] * operands[1];
  case TG_and:
    return operands[0] & operands[1];
  case TG_or:
    return operands[0] | operands[1];
  case TG_not:
    return irIsBool(irElementTypeOf(value)) ? !operands[0] : ~operands[0];
  case TG_select:
    return operands[0] ? operands[1] : operands[2];
  case TG_convert:
    return operands[0];
  default:
    return class == TG_CLASS_SHAPE && count == 1 ? operands[0] : unknown(e);
  }
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

/// The first number of a tile of `size` that is looked at in the place of number `i` of `looked`, of `all` numbers.
static int64_t firstOfTile(int64_t i, int64_t looked, int64_t all, int64_t size) {
  return i * ceilDiv(all, size) / looked * size;
}

double attentionShownShare(MlirOperation fusion, int64_t tileRows, int64_t tileKeys) {
  IndexContext *index = indexContextCreate();
  AttentionSizes s;
  Attention attention;
  AttentionMask mask;
  attentionSizesOf(irBody(fusion, 0), &s, &attention);
  AttentionPlace place = attentionAnyPlace(index, &s);
  double share = 1;
  if (attentionAnalyse(index, &s, &place, &attention) && attentionFindMask(index, &attention, &place, &mask)) {
    int64_t tiles = ceilDiv(s.keys, tileKeys), looked = min64(MOST_TILES, ceilDiv(s.rows, tileRows)), shown = 0;
    for (int64_t i = 0; i < looked; ++i) {
      int64_t first = firstOfTile(i, looked, s.rows, tileRows), last = min64(first + tileRows, s.rows) - 1;
      VariableValues ofFirst = {.count = 0}, ofLast = {.count = 0};
      bindNumber(&ofFirst, place.row, s.row, first);
      bindNumber(&ofLast, place.row, s.row, last);
      int64_t lastKey = max64(valueOf(&ofFirst, mask.lastKey), valueOf(&ofLast, mask.lastKey)), firstKey = 0;
      if (mask.firstKey)
        firstKey = max64(0, min64(valueOf(&ofFirst, mask.firstKey), valueOf(&ofLast, mask.firstKey)));
      shown += lastKey < firstKey ? 0 : max64(0, min64(tiles, lastKey / tileKeys + 1) - firstKey / tileKeys);
    }
    share = (double)shown / (double)(looked * tiles);
  }
  indexContextDestroy(index);
  return share;
}

/// Whether the predicate is true at a corner of a tile, or is not known.
static bool isShown(MaskEvaluation *e, const GradientSizes *s, const GradientPlace *place,
                    const GradientElement *predicate, const int64_t rows[2], const int64_t keys[2]) {
  for (int corner = 0; corner < 4; ++corner) {
    VariableValues numbers = {.count = 0};
    bindNumber(&numbers, place->row, s->row, rows[corner / 2]);
    bindNumber(&numbers, place->key, s->key, keys[corner % 2]);
    e->numbers = &numbers;
    if (elementAt(e, predicate->value, predicate->index, MOST_DEPTH) != 0 || !e->isKnown)
      return true;
  }
  return false;
}

double gradientShownShare(MlirOperation fusion, int64_t tileRows, int64_t tileKeys) {
  IndexContext *index = indexContextCreate();
  GradientSizes s;
  Gradient gradient;
  GradientMask mask;
  gradientSizesOf(irBody(fusion, 0), &s, &gradient);
  GradientPlace place = gradientAnyPlace(index, &s);
  double share = 1;
  if (gradientAnalyse(index, &s, &place, &gradient) && gradientFindMask(index, &s, &gradient, &mask)) {
    MaskEvaluation e = {.index = index, .isKnown = true};
    int64_t lookedRows = min64(MOST_TILES, ceilDiv(s.rows, tileRows)), shown = 0;
    int64_t lookedKeys = min64(MOST_TILES, ceilDiv(s.keys, tileKeys));
    for (int64_t i = 0; i < lookedRows * lookedKeys; ++i) {
      int64_t row = firstOfTile(i / lookedKeys, lookedRows, s.rows, tileRows),
              key = firstOfTile(i % lookedKeys, lookedKeys, s.keys, tileKeys);
      const int64_t rows[] = {row, min64(row + tileRows, s.rows) - 1},
                    keys[] = {key, min64(key + tileKeys, s.keys) - 1};
      shown += isShown(&e, &s, &place, &mask.predicate, rows, keys);
    }
    share = (double)shown / (double)(lookedRows * lookedKeys);
  }
  indexContextDestroy(index);
  return share;
}
