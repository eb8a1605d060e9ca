//===- tg_fold_empty.c - tg-fold-empty -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of tg operations. Leaves tensors without elements (a dimension has size 0) to constants and to the
// borders of functions. An operation all of whose results have no elements becomes constants. One that only reads such
// tensors becomes its value for no elements (a sum 0, a scatter of no updates its operand), and loops and branches
// carry none. A gather or scatter whose index vectors have no elements begins at the first element: its indices become
// zeros. Kernels and libraries never see one.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "passes/common/collect.h"
#include "stitch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool isEmpty(MlirValue value) {
  IrShape shape = irShapeOf(value);
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (shape.dims[i] == 0)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MlirValue emptyConstant(IrBuilder *b, MlirType type) {
  char *text = irTypeText(type);
  MlirAttribute value = irParseAttr(b->context, "dense<> : %s", text);
  free(text);
  return irValueOf(b, "tg.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", value)));
}

static MlirValue neutralInteger(IrBuilder *b, TgReduceKind kind, MlirType type) {
  MlirType element = irElementType(type);
  uint64_t bits = kind == TG_REDUCE_AND || kind == TG_REDUCE_MIN ? UINT64_MAX : 0;
  bool hasSign = !irIsUnsigned(element) && !irIsBool(element);
  if (hasSign && (kind == TG_REDUCE_MIN || kind == TG_REDUCE_MAX)) // 0111... or 1000...
    bits ^= UINT64_C(1) << (mlirIntegerTypeGetWidth(element) - 1);
  return tgSplatBits(b, type, kind == TG_REDUCE_MUL ? 1 : bits);
}

static MlirValue neutralFloat(IrBuilder *b, TgReduceKind kind, MlirType type) {
  double value = kind == TG_REDUCE_MUL   ? 1.0
                 : kind == TG_REDUCE_MIN ? INFINITY
                 : kind == TG_REDUCE_MAX ? -INFINITY
                                         : 0.0;
  bool isPowerOfTwo = mlirTypeIsAFloat8E8M0FNU(irElementType(type)); // it has 1 and neither 0 nor infinities
  return tgSplat(b, type, isPowerOfTwo && value != 1.0 ? NAN : value);
}

/// The result of a reduction of no elements.
static MlirValue neutral(IrBuilder *b, TgReduceKind kind, MlirType type) {
  MlirType element = irElementType(type);
  if (mlirTypeIsAComplex(element)) {
    MlirType parts = tgWithElement(type, mlirComplexTypeGetElementType(element));
    MlirValue re = neutralFloat(b, kind, parts), im = tgSplat(b, parts, 0.0);
    return irValueOf(b, "tg.complex", IR_VALUES(re, im), type, IR_NO_ATTRS);
  }
  return irIsFloat(element) ? neutralFloat(b, kind, type) : neutralInteger(b, kind, type);
}

static MlirValue broadcastScalar(IrBuilder *b, MlirValue scalar, MlirType type) {
  return tgBroadcast(b, scalar, type, (IrShape){0});
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static TgReduceKind reduceKindOf(MlirOperation op, const char *name) {
  return (TgReduceKind)irGetInt(op, name, TG_REDUCE_ADD);
}

/// Result `i`, which has elements, of an operation with an operand that has none: of a scatter, its updates. Null: it
/// depends on other operands.
static MlirValue resultOfNothing(MlirOperation op, IrBuilder *b, intptr_t i) {
  MlirType type = mlirValueGetType(irResult(op, i));
  intptr_t count = mlirOperationGetNumResults(op);
  switch (tgKindOf(op)) {
  case TG_reduce:
  case TG_reduce_window:
    return neutral(b, reduceKindOf(op, "kind"), type);
  case TG_arg_reduce:
    return neutral(b, i == 0 ? reduceKindOf(op, "kind") : TG_REDUCE_ADD, type);
  case TG_general_reduce:
  case TG_general_reduce_window:
    return broadcastScalar(b, irOperand(op, count + i), type);
  case TG_dot:
  case TG_convolution:
    return neutral(b, TG_REDUCE_ADD, type);
  case TG_pad:
    return broadcastScalar(b, irOperand(op, 1), type);
  case TG_dynamic_update_slice:
    return irOperand(op, 0);
  case TG_scatter:
  case TG_general_scatter:
    return irOperand(op, i);
  case TG_select_and_scatter:
    return neutral(b, reduceKindOf(op, "scatter_kind"), type);
  case TG_general_select_and_scatter:
    return broadcastScalar(b, irOperand(op, 2), type);
  default: // a concatenation
    return (MlirValue){NULL};
  }
}

/// Leaves `op` with those of its operands that have elements.
static void dropEmptyOperands(MlirOperation op) {
  intptr_t count = 0, all = mlirOperationGetNumOperands(op);
  MlirValue *kept = irAllocate(sizeof(MlirValue) * (size_t)(all + 1));
  for (intptr_t i = 0; i < all; ++i)
    if (!isEmpty(irOperand(op, i)))
      kept[count++] = irOperand(op, i);
  mlirOperationSetOperands(op, count, kept);
  free(kept);
}

static void foldOperation(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  if (tgKindOf(op) == TG_concatenate && !isEmpty(irResult(op, 0))) {
    dropEmptyOperands(op);
    return;
  }
  bool isFolded = true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = irResult(op, i);
    MlirValue value = isEmpty(result) ? emptyConstant(&b, mlirValueGetType(result)) : resultOfNothing(op, &b, i);
    isFolded = isFolded && !mlirValueIsNull(value);
    if (!mlirValueIsNull(value))
      mlirValueReplaceAllUsesOfWith(result, value);
  }
  if (isFolded)
    mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Index vectors without elements
//===----------------------------------------------------------------------===//

/// The common attribute names of gathers and scatters.
typedef struct {
  const char *map, *batching, *removed;
} GatherAttrs;
static const GatherAttrs namesOfGather = {"start_index_map", "operand_batching_dims", "collapsed_slice_dims"};
static const GatherAttrs namesOfScatter = {"scatter_dims_to_operand_dims", "input_batching_dims",
                                           "inserted_window_dims"};

/// How many operands come before the indices.
static intptr_t numInputs(MlirOperation op) {
  return tgKindOf(op) == TG_general_scatter ? mlirOperationGetNumResults(op) : 1;
}

static bool hasEmptyVectors(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  bool isScatter = kind == TG_scatter || kind == TG_general_scatter;
  if (kind != TG_gather && !isScatter)
    return false;
  intptr_t inputs = numInputs(op);
  return isEmpty(irOperand(op, inputs)) && !isEmpty(isScatter ? irOperand(op, inputs + 1) : irResult(op, 0));
}

static void setDims(MlirOperation op, const char *name, const IrShape *dims) {
  irSetAttr(op, name, mlirDenseI64ArrayGet(mlirOperationGetContext(op), dims->rank, dims->dims));
}

static void appendDim(MlirOperation op, const char *name, int64_t value) {
  IrShape dims = irGetDims(op, name);
  dims.dims[dims.rank++] = value;
  setDims(op, name, &dims);
}

/// Gives the inputs, and the results that have their types, one more dimension, of size 1.
static void appendUnitDim(MlirOperation op, const GatherAttrs *names) {
  IrBuilder before = irBuilderBefore(op), after = irBuilderAfter(op);
  intptr_t rank = irShapeOf(irOperand(op, 0)).rank;
  for (intptr_t i = 0; i < numInputs(op); ++i) {
    MlirType type = mlirValueGetType(irOperand(op, i));
    IrShape shape = irShapeOf(irOperand(op, i));
    shape.dims[shape.rank++] = 1;
    MlirType wider = tgWithShape(type, shape);
    mlirOperationSetOperand(op, i, tgReshape(&before, irOperand(op, i), wider));
    if (tgKindOf(op) == TG_gather)
      continue;
    mlirValueSetType(irResult(op, i), wider);
    MlirValue narrow = tgReshape(&after, irResult(op, i), type);
    mlirValueReplaceAllUsesExcept(irResult(op, i), narrow, 1, (MlirOperation[]){irDefiningOp(narrow)});
  }
  appendDim(op, names->removed, rank);
  if (tgKindOf(op) == TG_gather)
    appendDim(op, "slice_sizes", 1);
}

/// Gives index vectors without elements one, which is 0.
static void startAtZero(MlirOperation op) {
  const GatherAttrs *names = tgKindOf(op) == TG_gather ? &namesOfGather : &namesOfScatter;
  IrShape batching = irGetDims(op, names->batching);
  intptr_t dim = 0, rank = irShapeOf(irOperand(op, 0)).rank;
  while (dim < rank && irContains(batching, dim))
    ++dim;
  if (dim == rank && rank == IR_MAX_RANK)
    return;        // refused where an index without elements is
  if (dim == rank) // there is none that an index could be of
    appendUnitDim(op, names);
  setDims(op, names->map, &(IrShape){.rank = 1, .dims = {dim}});
  IrBuilder b = irBuilderBefore(op);
  MlirValue indices = irOperand(op, numInputs(op));
  IrShape shape = irShapeOf(indices);
  shape.dims[irGetInt(op, "index_vector_dim", 0)] = 1;
  mlirOperationSetOperand(op, numInputs(op), tgSplatBits(&b, tgWithShape(mlirValueGetType(indices), shape), 0));
}

/// The result of a scatter of one update as large as its input, which has begun at the first element.
static MlirValue combineWhole(MlirOperation op) {
  static const char *const combiners[] = {"tg.add", "tg.mul", "tg.min", "tg.max", "tg.and", "tg.or", "tg.xor"};
  IrBuilder b = irBuilderBefore(op);
  int64_t kind = irGetInt(op, "kind", 0);
  MlirValue update = tgReshape(&b, irOperand(op, 2), mlirValueGetType(irResult(op, 0)));
  bool combines = kind >= 0 && kind < (int64_t)(sizeof(combiners) / sizeof(combiners[0]));
  return combines ? tgBinary(&b, combiners[kind], irOperand(op, 0), update) : update;
}

static void foldEmptyVectors(MlirOperation op) {
  IrShape indices = irShapeOf(irOperand(op, numInputs(op)));
  indices.dims[irGetInt(op, "index_vector_dim", 0)] = 1;
  bool isWhole = tgKindOf(op) == TG_scatter && irNumElements(indices) == 1 &&
                 irNumElements(irShapeOf(irOperand(op, 0))) == irNumElements(irShapeOf(irOperand(op, 2)));
  if (!isWhole) {
    startAtZero(op);
    return;
  }
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), combineWhole(op));
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Values of a region that have no elements become constants, and go round and out no more.
static void dropRegionValues(MlirBlock block) {
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(block));
  for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!isEmpty(argument))
      continue;
    mlirValueReplaceAllUsesOfWith(argument, emptyConstant(&b, mlirValueGetType(argument)));
    mlirBlockEraseArgument(block, (unsigned)i);
  }
  dropEmptyOperands(mlirBlockGetTerminator(block));
}

/// A new operation before `op` with those of its results that have elements, which takes over its regions.
static MlirOperation withFewerResults(MlirOperation op) {
  intptr_t count = 0, numOperands = mlirOperationGetNumOperands(op), numRegions = mlirOperationGetNumRegions(op);
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(mlirOperationGetNumResults(op) + 1));
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(numOperands + 1));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!isEmpty(irResult(op, i)))
      types[count++] = mlirValueGetType(irResult(op, i));
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = irOperand(op, i);
  char name[32];
  snprintf(name, sizeof(name), "tg.%s", tgNameOfKind(tgKindOf(op)));
  IrBuilder b = irBuilderBefore(op);
  MlirOperation made = irOpWithRegions(&b, name, (IrValues){numOperands, operands}, (IrTypes){count, types},
                                       IR_NO_ATTRS, numRegions, IR_NO_TYPES);
  for (intptr_t i = 0; i < numRegions; ++i)
    mlirRegionTakeBody(mlirOperationGetRegion(made, i), mlirOperationGetRegion(op, i));
  if (irHasAttr(op, "trip_count"))
    irSetAttr(made, "trip_count", irGetAttr(op, "trip_count"));
  free(types);
  free(operands);
  return made;
}

static void foldControlFlow(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    dropRegionValues(irBody(op, i));
  dropEmptyOperands(op); // initial values; the operand that chooses a branch has an element
  MlirOperation made = withFewerResults(op);
  IrBuilder b = irBuilderBefore(op);
  for (intptr_t i = 0, next = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = irResult(op, i);
    MlirValue value = isEmpty(result) ? emptyConstant(&b, mlirValueGetType(result)) : irResult(made, next++);
    mlirValueReplaceAllUsesOfWith(result, value);
  }
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool touchesEmpty(MlirOperation op) {
  bool touches = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    touches = touches || isEmpty(irOperand(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    touches = touches || isEmpty(irResult(op, i));
  return touches;
}

static bool isChanged(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return kind != TG_NONE && kind != TG_constant && touchesEmpty(op);
}

/// Those in regions come before the operation of the region.
static void run(StitchPassRun pass, MlirOperation module) {
  (void)pass;
  Operations found = collectOperations(module, isChanged, MlirWalkPostOrder);
  for (intptr_t i = 0; i < found.count; ++i) {
    if (tgIsControlFlow(found.data[i]))
      foldControlFlow(found.data[i]);
    else if (hasEmptyVectors(found.data[i]))
      foldEmptyVectors(found.data[i]);
    else
      foldOperation(found.data[i]);
  }
  free(found.data);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo tgFoldEmptyPass = {
    .argument = "tg-fold-empty",
    .description = "Replace operations on tensors without elements by their results",
    .anchor = "builtin.module",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = run,
};
