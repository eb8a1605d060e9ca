//===- hlo_reduction.c - reductions ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes stablehlo.reduce. Leaves one tg.reduce for each result with a combiner of its own, tg.arg_reduce for a choice
// of the extreme and its index, and tg.general_reduce for any other body.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"

#include <math.h>
#include <stdlib.h>

/// A reduction of `count` operands together.
typedef struct {
  intptr_t count;
  MlirBlock body;
  MlirOperation end; ///< the body's stablehlo.return
  IrShape dims;
  MlirValue *values; ///< `count` operands, then as many initial values, in the types of the body
} ReducedOperands;

/// The body's arguments and result `i` must have one element type, in which operand and initial value are combined.
static bool readReducedValues(HloConversion *c, ReducedOperands *r, intptr_t i) {
  MlirType element = irElementType(hloResultType(c, i));
  for (int k = 0; k < 2; ++k)
    if (!mlirTypeEqual(element, irElementTypeOf(mlirBlockGetArgument(r->body, i + k * r->count))))
      return hloFail(c, "the body's arguments and result %ld must have one element type", (long)i);
  if (irShapeOf(hloOperand(c, r->count + i)).rank != 0)
    return hloFail(c, "initial value %ld must have rank 0", (long)i);
  r->values[i] = hloPromote(c, hloOperand(c, i), element);
  r->values[r->count + i] = hloPromote(c, hloOperand(c, r->count + i), element);
  return true;
}

static bool readReduction(HloConversion *c, ReducedOperands *r) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op);
  r->count = mlirOperationGetNumResults(c->op);
  if (numOperands != 2 * r->count || mlirOperationGetNumRegions(c->op) != 1)
    return hloFail(c, "it must have two operands for each result and one region");
  r->end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  if (mlirOperationIsNull(r->end) || mlirOperationGetNumOperands(r->end) != r->count)
    return hloFail(c, "its body must be one block that returns a value for each result");
  r->body = mlirOperationGetBlock(r->end);
  if (mlirBlockGetNumArguments(r->body) != numOperands)
    return hloFail(c, "its body must take two arguments for each result");
  if (!hloListAttr(c, "dimensions", &r->dims))
    return false;
  qsort(r->dims.dims, (size_t)r->dims.rank, sizeof(int64_t), compare64);
  r->values = IR_NEW_ARRAY(c->arena, MlirValue, numOperands + 1);
  for (intptr_t i = 0; i < r->count; ++i)
    if (!readReducedValues(c, r, i))
      return false;
  return true;
}

/// The kind of result `i` if the body combines the two elements of operand `i` and nothing else; otherwise -1.
static int combinerOf(const ReducedOperands *r, intptr_t i) {
  return hloCombinerKind(irOperand(r->end, i), mlirBlockGetArgument(r->body, i),
                         mlirBlockGetArgument(r->body, r->count + i));
}

/// Result `i` of a reduction that starts from its kind's identity, then combined with the program's initial value.
static void replaceByReduce(HloConversion *c, const ReducedOperands *r, intptr_t i, int kind) {
  MlirType type = hloResultType(c, i);
  MlirValue value = r->values[i], init = r->values[r->count + i];
  if (r->dims.rank > 0)
    value = irValueOf(&c->b, "tg.reduce", IR_VALUES(value), type,
                      IR_ATTRS(irI32(&c->b, "kind", kind), hloDims(c, "dims", &r->dims)));
  if (!hloIsIdentity(c, kind, init)) {
    IrShape none = {0};
    if (irTypeShape(type).rank > 0)
      init = irValueOf(&c->b, "tg.broadcast", IR_VALUES(init), type, IR_ATTRS(hloDims(c, "dims", &none)));
    value = irValueOf(&c->b, hloCombinerName(kind), IR_VALUES(value, init), type, IR_NO_ATTRS);
  }
  hloReplaceResult(c, i, value);
}

/// Whether each result has a combiner of its own; then they are replaced.
static bool convertSeparateReduce(HloConversion *c, const ReducedOperands *r) {
  bool matches = hloBlockLength(r->body) == r->count + 1;
  for (intptr_t i = 0; matches && i < r->count; ++i)
    matches = combinerOf(r, i) >= 0;
  for (intptr_t i = 0; matches && i < r->count; ++i)
    replaceByReduce(c, r, i, combinerOf(r, i));
  return matches;
}

//===----------------------------------------------------------------------===//
// Reductions to an index
//
// Exporters write argmax in many ways: compare, select, minimum of the indices where values are equal, special cases
// for NaN. So the body is not matched but run. Made of comparisons and choices only, its result depends on the order of
// its arguments alone, and there are few orders to try. NaN is not tried: a body that does not take NaN first, as
// tg.arg_reduce does, gives results that depend on the order of the reduction, which StableHLO leaves open.
//===----------------------------------------------------------------------===//

enum { MAX_BODY_VALUES = 40 };

/// The values of a body that runs.
typedef struct {
  int count;
  MlirValue values[MAX_BODY_VALUES];
  double numbers[MAX_BODY_VALUES];
} BodyEvaluation;

static bool define(BodyEvaluation *e, MlirValue value, double number) {
  if (e->count == MAX_BODY_VALUES)
    return false;
  e->values[e->count] = value;
  e->numbers[e->count++] = number;
  return true;
}

static bool lookUp(const BodyEvaluation *e, MlirValue value, double *number) {
  for (int i = 0; i < e->count; ++i)
    if (mlirValueEqual(e->values[i], value)) {
      *number = e->numbers[i];
      return true;
    }
  return false;
}

static bool evaluateCompare(HloConversion *c, MlirOperation op, double x, double y, double *result) {
  HloConversion inner = {.op = op, .b = c->b, .arena = c->arena};
  const bool results[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
  int direction = hloCompareDirection(&inner);
  if (direction >= 0)
    *result = results[direction];
  return direction >= 0;
}

/// One operation of the body; false if it is more than a comparison or a choice.
static bool evaluateOp(HloConversion *c, BodyEvaluation *e, MlirOperation op) {
  double in[3] = {0}, out;
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  if (numOperands < 1 || numOperands > 3 || mlirOperationGetNumResults(op) != 1)
    return false;
  for (intptr_t i = 0; i < numOperands; ++i)
    if (!lookUp(e, irOperand(op, i), &in[i]))
      return false;
  if (irOpIs(op, "stablehlo.compare") && numOperands == 2) {
    if (!evaluateCompare(c, op, in[0], in[1], &out))
      return false;
  } else if (irOpIs(op, "stablehlo.select") && numOperands == 3)
    out = in[0] != 0 ? in[1] : in[2];
  else if (irOpIs(op, "stablehlo.maximum") && numOperands == 2)
    out = fmax(in[0], in[1]);
  else if (irOpIs(op, "stablehlo.minimum") && numOperands == 2)
    out = fmin(in[0], in[1]);
  else if (!irIsBool(irElementTypeOf(irResult(op, 0))))
    return false;
  else if (irOpIs(op, "stablehlo.not") && numOperands == 1)
    out = !in[0];
  else if (irOpIs(op, "stablehlo.and") && numOperands == 2)
    out = in[0] && in[1];
  else if (irOpIs(op, "stablehlo.or") && numOperands == 2)
    out = in[0] || in[1];
  else if (irOpIs(op, "stablehlo.xor") && numOperands == 2)
    out = in[0] != in[1];
  else
    return false;
  return define(e, irResult(op, 0), out);
}

/// Runs the body of a reduction of two operands on two pairs of elements.
static bool evaluateBody(HloConversion *c, const ReducedOperands *r, const double arguments[4], double results[2]) {
  BodyEvaluation e = {0};
  for (int i = 0; i < 4; ++i)
    define(&e, mlirBlockGetArgument(r->body, i), arguments[i]);
  for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationEqual(op, r->end);
       op = mlirOperationGetNextInBlock(op))
    if (!evaluateOp(c, &e, op))
      return false;
  return lookUp(&e, irOperand(r->end, 0), &results[0]) && lookUp(&e, irOperand(r->end, 1), &results[1]);
}

/// Whether the body chooses the larger (KIND_MAX) or smaller element and, of equal ones, the least index. `value` says
/// which of the two operands has the elements.
static bool choosesExtreme(HloConversion *c, const ReducedOperands *r, int kind, int value) {
  static const double samples[][2] = {{1, 2}, {2, 1}, {1, 1}};
  static const double indices[][2] = {{3, 5}, {5, 3}};
  for (int s = 0; s < 3; ++s)
    for (int i = 0; i < 2; ++i) {
      double x = samples[s][0], y = samples[s][1], results[2];
      bool first = x == y ? indices[i][0] < indices[i][1] : (x > y) == (kind == KIND_MAX);
      double arguments[4];
      arguments[value] = x, arguments[2 + value] = y;
      arguments[1 - value] = indices[i][0], arguments[3 - value] = indices[i][1];
      if (!evaluateBody(c, r, arguments, results))
        return false;
      if (results[value] != (first ? x : y) || results[1 - value] != indices[i][first ? 0 : 1])
        return false;
    }
  return true;
}

/// Whether the elements of `value` are their indices along `dim`.
static bool isIotaAlong(MlirValue value, int64_t dim) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && irOpIs(op, "tg.broadcast")) {
    IrShape list = irGetDims(op, "dims");
    intptr_t i = 0;
    while (i < list.rank && list.dims[i] != dim)
      ++i;
    if (i == list.rank || irShapeOf(irOperand(op, 0)).dims[i] != irShapeOf(irResult(op, 0)).dims[dim])
      return false;
    dim = i;
    op = irDefiningOp(irOperand(op, 0));
  }
  return !mlirOperationIsNull(op) && irOpIs(op, "tg.iota") && irGetInt(op, "dim", -1) == dim;
}

/// Whether the body chooses an extreme element and its index; then the operation is replaced.
static bool convertArgReduce(HloConversion *c, const ReducedOperands *r) {
  if (r->count != 2 || r->dims.rank != 1 || r->dims.dims[0] < 0 || r->dims.dims[0] >= irShapeOf(r->values[0]).rank ||
      !irShapesEqual(irShapeOf(r->values[0]), irShapeOf(r->values[1])))
    return false;
  int value = isIotaAlong(r->values[1], r->dims.dims[0]) ? 0 : 1;
  if (value == 1 && !isIotaAlong(r->values[0], r->dims.dims[0]))
    return false;
  if (mlirTypeIsAComplex(irElementTypeOf(r->values[value])))
    return false;
  int kind = choosesExtreme(c, r, KIND_MAX, value) ? KIND_MAX : KIND_MIN;
  if (!choosesExtreme(c, r, kind, value) || !hloIsIdentity(c, kind, r->values[2 + value]))
    return false;
  MlirOperation reduce = irOp(&c->b, "tg.arg_reduce", IR_VALUES(r->values[value]),
                              IR_TYPES(hloResultType(c, value), hloResultType(c, 1 - value)),
                              IR_ATTRS(irI32(&c->b, "kind", kind), irI64(&c->b, "dim", r->dims.dims[0])));
  hloReplaceResult(c, value, irResult(reduce, 0));
  return hloReplaceResult(c, 1 - value, irResult(reduce, 1));
}

//===----------------------------------------------------------------------===//
// Reductions by any body
//
// The initial values of tg.general_reduce take part at least once. A body that only chooses between its arguments does
// not mind how often. Any other body gets a flag for each tuple that says whether it holds anything. Where it does not,
// the other tuple stays as it is. The program's initial values are then combined with the results, once.
//===----------------------------------------------------------------------===//

/// Whether a value of a body is one of its arguments, whichever.
static bool isChoice(MlirBlock body, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return mlirBlockEqual(mlirBlockArgumentGetOwner(value), body);
  MlirOperation op = irDefiningOp(value);
  bool selects = irOpIs(op, "tg.select");
  if (!selects && !irOpIs(op, "tg.max") && !irOpIs(op, "tg.min"))
    return false;
  return isChoice(body, irOperand(op, selects)) && isChoice(body, irOperand(op, selects + 1));
}

static bool choosesOnly(MlirBlock body) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (!isChoice(body, irOperand(yield, i)))
      return false;
  return true;
}

/// (a..., b...) becomes (a..., p, b..., q): the body's results where p and q hold, the valid tuple where one of them
/// does.
static void addFlags(HloConversion *c, const ReducedOperands *r) {
  MlirType predicate = mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeGet(c->b.context, 1), mlirAttributeGetNull());
  MlirValue p = mlirBlockInsertArgument(r->body, r->count, predicate, c->b.loc);
  MlirValue q = mlirBlockAddArgument(r->body, predicate, c->b.loc);
  MlirOperation yield = mlirBlockGetTerminator(r->body);
  IrBuilder b = irBuilderBefore(yield);
  MlirValue *results = IR_NEW_ARRAY(c->arena, MlirValue, r->count + 1);
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirValue both = irOperand(yield, i), left = mlirBlockGetArgument(r->body, i);
    MlirValue right = mlirBlockGetArgument(r->body, r->count + 1 + i);
    MlirType type = mlirValueGetType(both);
    MlirValue atLeft = irValueOf(&b, "tg.select", IR_VALUES(q, both, left), type, IR_NO_ATTRS);
    results[i] = irValueOf(&b, "tg.select", IR_VALUES(p, atLeft, right), type, IR_NO_ATTRS);
  }
  results[r->count] = irValueOf(&b, "tg.or", IR_VALUES(p, q), predicate, IR_NO_ATTRS);
  irOp(&b, "tg.yield", (IrValues){r->count + 1, results}, IR_NO_TYPES, IR_NO_ATTRS);
  mlirOperationDestroy(yield);
}

static MlirValue flag(HloConversion *c, IrShape shape, bool value) {
  MlirType type =
      mlirRankedTensorTypeGet(shape.rank, shape.dims, mlirIntegerTypeGet(c->b.context, 1), mlirAttributeGetNull());
  MlirAttribute elements = mlirDenseElementsAttrBoolSplatGet(type, value);
  return irValueOf(&c->b, "tg.constant", IR_NO_VALUES, type, IR_ATTRS(irNamed(c->b.context, "value", elements)));
}

/// tg.general_reduce of the operands, and of flags if there are any; the body moves into it.
static MlirOperation createGeneralReduce(HloConversion *c, const ReducedOperands *r, bool hasFlags) {
  intptr_t count = r->count + hasFlags;
  MlirValue *operands = IR_NEW_ARRAY(c->arena, MlirValue, 2 * count);
  MlirType *types = IR_NEW_ARRAY(c->arena, MlirType, count);
  for (intptr_t i = 0; i < r->count; ++i) {
    operands[i] = r->values[i];
    operands[count + i] = r->values[r->count + i];
    types[i] = hloResultType(c, i);
  }
  if (hasFlags) {
    IrShape none = {0}, shape = irTypeShape(types[0]);
    operands[r->count] = flag(c, irShapeOf(r->values[0]), true);
    operands[count + r->count] = flag(c, none, false);
    types[r->count] =
        mlirRankedTensorTypeGet(shape.rank, shape.dims, mlirIntegerTypeGet(c->b.context, 1), mlirAttributeGetNull());
  }
  MlirOperation op = irOpWithRegions(&c->b, "tg.general_reduce", (IrValues){2 * count, operands},
                                     (IrTypes){count, types}, IR_ATTRS(hloDims(c, "dims", &r->dims)), 1, IR_NO_TYPES);
  mlirRegionTakeBody(mlirOperationGetRegion(op, 0), mlirOperationGetRegion(c->op, 0));
  return op;
}

static MlirValue repeated(HloConversion *c, MlirValue init, MlirType type) {
  IrShape none = {0};
  return irTypeShape(type).rank == 0
             ? init
             : irValueOf(&c->b, "tg.broadcast", IR_VALUES(init), type, IR_ATTRS(hloDims(c, "dims", &none)));
}

/// Combines the initial values with the results, by the body that has flags.
static bool combineInits(HloConversion *c, const ReducedOperands *r, MlirOperation reduce, MlirValue *results) {
  intptr_t count = r->count + 1;
  IrShape shape = irTypeShape(hloResultType(c, 0));
  MlirValue *arguments = IR_NEW_ARRAY(c->arena, MlirValue, 2 * count);
  for (intptr_t i = 0; i < r->count; ++i)
    arguments[i] = repeated(c, r->values[r->count + i], hloResultType(c, i));
  arguments[r->count] = flag(c, shape, true);
  for (intptr_t i = 0; i < count; ++i)
    arguments[count + i] = irResult(reduce, i);
  return hloMapBody(c, r->body, arguments, shape, results);
}

static bool convertGeneralReduce(HloConversion *c, const ReducedOperands *r) {
  if (!c->convertRegions(c->op, c->arena))
    return false;
  bool hasFlags = !choosesOnly(r->body);
  if (hasFlags)
    addFlags(c, r);
  MlirOperation reduce = createGeneralReduce(c, r, hasFlags);
  if (!hasFlags)
    return hloReplaceByResults(c, reduce);
  MlirValue *results = IR_NEW_ARRAY(c->arena, MlirValue, r->count + 1);
  if (!combineInits(c, r, reduce, results))
    return false;
  for (intptr_t i = 0; i < r->count; ++i)
    hloReplaceResult(c, i, results[i]);
  return true;
}

bool hloConvertReduce(HloConversion *c) {
  ReducedOperands r;
  return readReduction(c, &r) &&
         (convertSeparateReduce(c, &r) || convertArgReduce(c, &r) || convertGeneralReduce(c, &r));
}
