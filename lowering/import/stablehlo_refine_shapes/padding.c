//===- padding.c - padding: facts about all sizes of a bucket -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations on tensors with open sizes, padded=true. Leaves each on tensors of the largest size with the layout
// of its padding (padding.h), and masks where elements along a padded dimension are combined. Sizes that do not fit
// together are errors.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "mlir-c/Dialect/Quant.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Operations whose elements stay where they are
//===----------------------------------------------------------------------===//

/// Elements of all operands that have dimensions are combined with those in the same place.
static bool padElementwise(Padding *p) {
  intptr_t numOperands = mlirOperationGetNumOperands(p->op), numResults = mlirOperationGetNumResults(p->op);
  if (numResults == 0)
    return true;
  RefineShape shape = refineShapeOf(p->r, irResult(p->op, 0));
  PaddingLayout layout = {0};
  bool alike = true, found = false;
  for (intptr_t i = 0; i < numOperands; ++i) {
    RefineShape next = refineShapeOf(p->r, irOperand(p->op, i));
    if (next.rank == 0)
      continue;
    if (!refineEqualShapes(&shape, &next))
      return refineFail(p->op, "has operands and results of different shapes: %s and %s", refineShapeText(p->r, &next),
                        refineShapeText(p->r, &shape));
    PaddingLayout own = paddingLayoutOf(p->r, irOperand(p->op, i));
    for (intptr_t d = 0; found && d < own.rank; ++d)
      alike &= paddingSameDim(&layout.dims[d], &own.dims[d]);
    layout = own;
    found = true;
  }
  for (intptr_t i = 0; !alike && i < numOperands; ++i)
    paddingPlainOperand(p, i);
  for (intptr_t i = 0; alike && found && i < numResults; ++i)
    paddingSetLayout(p->r, irResult(p->op, i), &layout);
  return true;
}

/// Each result is the operand of the same number.
static bool padBarrier(Padding *p) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(p->op); ++i) {
    PaddingLayout layout = paddingLayoutOf(p->r, irOperand(p->op, i));
    paddingSetLayout(p->r, irResult(p->op, i), &layout);
  }
  return true;
}

static bool padSource(Padding *p) { return (void)p, true; }

static bool padBroadcast(Padding *p) {
  IrShape dims;
  if (!hloListAttr(&p->c, "broadcast_dimensions", &dims))
    return false;
  MlirValue operand = irOperand(p->op, 0), result = irResult(p->op, 0);
  RefineShape from = refineShapeOf(p->r, operand), to = refineShapeOf(p->r, result);
  PaddingLayout source = paddingLayoutOf(p->r, operand), layout = paddingLayoutOf(p->r, result);
  for (intptr_t i = 0; i < dims.rank && i < from.rank; ++i) {
    if (dims.dims[i] < 0 || dims.dims[i] >= to.rank)
      return refineFail(p->op, "names a dimension that its result has not");
    if (refineEqual(from.dims[i], refineConstant(1)))
      continue;
    if (!refineEqual(from.dims[i], to.dims[dims.dims[i]]))
      return refineFail(p->op, "makes %s elements of %s", refineSizeText(p->r, to.dims[dims.dims[i]]),
                        refineSizeText(p->r, from.dims[i]));
    layout.dims[dims.dims[i]] = source.dims[i];
  }
  paddingSetLayout(p->r, result, &layout);
  return true;
}

static bool padTranspose(Padding *p) {
  IrShape permutation;
  PaddingLayout from = paddingLayoutOf(p->r, irOperand(p->op, 0)), layout = {.rank = from.rank};
  if (!hloListAttr(&p->c, "permutation", &permutation) || permutation.rank != from.rank)
    return refineFail(p->op, "has a permutation of another rank than its operand");
  for (intptr_t i = 0; i < permutation.rank; ++i)
    layout.dims[i] = from.dims[permutation.dims[i] >= 0 && permutation.dims[i] < from.rank ? permutation.dims[i] : 0];
  paddingSetLayout(p->r, irResult(p->op, 0), &layout);
  return true;
}

/// Matrices in the last two dimensions, each by itself.
static bool padMatrices(Padding *p) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(p->op); ++i) {
    paddingPlainOperand(p, i);
    RefineShape shape = refineShapeOf(p->r, irOperand(p->op, i));
    for (intptr_t d = shape.rank > 2 ? shape.rank - 2 : 0; d < shape.rank; ++d)
      if (paddingIsOpen(shape.dims[d]))
        return refineFail(p->op, "has a matrix of an open size, %s", refineShapeText(p->r, &shape));
  }
  return true;
}

/// Operands of control flow have plain dimensions on all ways.
static bool padPlain(Padding *p) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(p->op); ++i)
    paddingPlainOperand(p, i);
  return true;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

typedef struct {
  const char *name;
  bool (*pad)(Padding *p);
} PaddingRule;

static const PaddingRule rules[] = {
    {"stablehlo.batch_norm_inference", padPlain},
    {"stablehlo.broadcast_in_dim", padBroadcast},
    {"stablehlo.cholesky", padMatrices},
    {"stablehlo.concatenate", paddingConcatenate},
    {"stablehlo.constant", padSource},
    {"stablehlo.convolution", paddingConvolution},
    {"stablehlo.dot", paddingDot},
    {"stablehlo.dot_general", paddingDotGeneral},
    {"stablehlo.dynamic_broadcast_in_dim", padBroadcast},
    {"stablehlo.dynamic_gather", paddingDynamicGather},
    {"stablehlo.dynamic_iota", padSource},
    {"stablehlo.dynamic_pad", paddingDynamicPad},
    {"stablehlo.dynamic_reshape", paddingReshapeRule},
    {"stablehlo.dynamic_slice", paddingDynamicSliceRule},
    {"stablehlo.dynamic_update_slice", paddingDynamicUpdateSlice},
    {"stablehlo.gather", paddingGather},
    {"stablehlo.iota", padSource},
    {"stablehlo.optimization_barrier", padBarrier},
    {"stablehlo.pad", paddingPad},
    {"stablehlo.real_dynamic_slice", paddingRealDynamicSlice},
    {"stablehlo.reduce", paddingReduce},
    {"stablehlo.reduce_window", paddingReduceWindow},
    {"stablehlo.reshape", paddingReshapeRule},
    {"stablehlo.return", padPlain},
    {"stablehlo.reverse", paddingReverse},
    {"stablehlo.scatter", paddingScatter},
    {"stablehlo.select_and_scatter", paddingSelectAndScatter},
    {"stablehlo.slice", paddingSlice},
    {"stablehlo.sort", paddingSort},
    {"stablehlo.transpose", padTranspose},
    {"stablehlo.triangular_solve", padMatrices},
};

/// Operations that combine elements in the same place, and nothing else.
static const char *const elementwise[] = {
    "abs",
    "add",
    "and",
    "atan2",
    "bitcast_convert",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "convert",
    "cosine",
    "count_leading_zeros",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "map",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce_precision",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
};

static bool isElementwise(MlirOperation op) {
  MlirStringRef name = irOpName(op);
  if (name.length > 5 && memcmp(name.data, "chlo.", 5) == 0)
    return !irOpIs(op, "chlo.top_k");
  if (name.length < 10 || memcmp(name.data, "stablehlo.", 10) != 0)
    return false;
  for (size_t i = 0; i < sizeof(elementwise) / sizeof(elementwise[0]); ++i)
    if (strlen(elementwise[i]) == name.length - 10 && memcmp(elementwise[i], name.data + 10, name.length - 10) == 0)
      return true;
  return false;
}

static bool isOpenValue(const Refiner *r, MlirValue value) {
  RefineShape shape = refineShapeOf(r, value);
  return paddingIsOpenShape(&shape);
}

static bool hasOpenValues(const Refiner *r, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isOpenValue(r, irOperand(op, i)))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (isOpenValue(r, irResult(op, i)))
      return true;
  return false;
}

/// Operations with sizes as operands become those without, of no open shape, too.
static bool isDynamicForm(MlirOperation op) {
  static const char *const forms[] = {"stablehlo.dynamic_gather", "stablehlo.dynamic_pad",
                                      "stablehlo.real_dynamic_slice"};
  for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i)
    if (irOpIs(op, forms[i]))
      return true;
  return false;
}

static bool isQuantised(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAShaped(type) && mlirTypeIsAQuantizedType(mlirShapedTypeGetElementType(type));
}

static bool usesQuantised(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isQuantised(irOperand(op, i)))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (isQuantised(irResult(op, i)))
      return true;
  return false;
}

bool paddingApply(Refiner *r, MlirOperation op) {
  if (!isDynamicForm(op) && !hasOpenValues(r, op))
    return true;
  Padding p = {
      .r = r, .op = op, .c = {.op = op, .b = irBuilderBefore(op), .arena = &r->arena}, .b = irBuilderBefore(op)};
  if (usesQuantised(op))
    return refineFail(op,
                      "has a quantised type, which cannot be padded to the size of a bucket: compile for one size, as "
                      "in --dim b=8");
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i)
    if (irOpIs(op, rules[i].name))
      return rules[i].pad(&p);
  if (isElementwise(op))
    return padElementwise(&p);
  if (irOpIs(op, "func.return"))
    return true; // the layouts of its operands are known where it is
  return refineFail(
      op, "has no rule for tensors that are padded to the size of a bucket: compile for one size, as in --dim b=8");
}
