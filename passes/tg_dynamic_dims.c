//===- tg_dynamic_dims.c - tg-dynamic-dims -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a graph some of whose tensors have a symbol for their outermost size (ir/mlir/symbol.h), and leaves it as it
// is: checks that the shapes tell the truth. Whatever the symbols are, the first elements of each value, as many as it
// then has, must be those that the operations compute from the first elements of their operands. A value is either
// without a symbol or has the one that its operation gives it. Then a plan for the largest sizes holds for the smaller
// ones too.
//
// An operation for which this is not so is an error: it moves elements along the open dimension or asks for its size.
// So is one that nothing is known of. Graphs without symbols are not looked at.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/symbol.h"
#include "stitch.h"

#include <stdlib.h>

/// An operation with the shapes of its operands and result.
typedef struct {
  MlirOperation op;
  MlirValue operand; ///< the first; null if there is none
  MlirValue result;  ///< the first
} DimsCheck;

static bool isOpenType(MlirType type) { return !mlirAttributeIsNull(irSymbolName(type)); }
static bool isOpen(MlirValue value) { return isOpenType(mlirValueGetType(value)); }
static bool haveSameSymbol(MlirValue a, MlirValue b) { return irSameSymbol(mlirValueGetType(a), mlirValueGetType(b)); }

/// The symbol of the first of the operation's operands or results that has one.
static MlirAttribute symbolIn(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isOpen(irOperand(op, i)))
      return irSymbolName(mlirValueGetType(irOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (isOpen(irResult(op, i)))
      return irSymbolName(mlirValueGetType(irResult(op, i)));
  return mlirAttributeGetNull();
}

/// "'tg.op' op REASON ...: compile for one size"; returns false.
static bool refuse(MlirOperation op, const char *reason) {
  char *name = irSymbolText(symbolIn(op));
  stitchEmitOpError(
      op, "%s, whose size '%s' is open: compile for one size, as in --dim %s=8, or pad to the largest: --buckets",
      reason, name, name);
  free(name);
  return false;
}

static bool refuseMixture(MlirOperation op) {
  char *name = irSymbolText(symbolIn(op));
  stitchEmitOpError(op,
                    "has operands or results with and without the open size '%s': compile for one size, as in --dim "
                    "%s=8, or pad to the largest: --buckets",
                    name, name);
  free(name);
  return false;
}

static bool listHas(MlirOperation op, const char *list, int64_t value) {
  return irContains(irGetDims(op, list), value);
}

//===----------------------------------------------------------------------===//
// Rules: true if the operation does the same for all sizes
//===----------------------------------------------------------------------===//

/// Tensors of rank 0 aside, all operands and results have one symbol.
static bool checkElementwise(const DimsCheck *c) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); ++i)
    if (irShapeOf(irOperand(c->op, i)).rank > 0 && !haveSameSymbol(irOperand(c->op, i), c->result))
      return refuseMixture(c->op);
  return true;
}

/// Iota and constants: their first elements are the same in any size.
static bool checkSource(const DimsCheck *c) { return (void)c, true; }

/// A new dimension, or one of size one, becomes the open one; or the operand's stays.
static bool checkBroadcast(const DimsCheck *c) {
  IrShape from = irShapeOf(c->operand), dims = irGetDims(c->op, "dims");
  if (isOpen(c->operand))
    return (dims.dims[0] == 0 && haveSameSymbol(c->operand, c->result)) ||
           refuse(c->op, "moves the outermost dimension");
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (dims.dims[i] == 0 && from.dims[i] != 1)
      return refuseMixture(c->op);
  return true;
}

/// In row-major order the elements keep their places.
static bool checkReshape(const DimsCheck *c) { return haveSameSymbol(c->operand, c->result) || refuseMixture(c->op); }

static bool checkTranspose(const DimsCheck *c) {
  bool stays = irGetDims(c->op, "permutation").dims[0] == 0 && haveSameSymbol(c->operand, c->result);
  return stays || refuse(c->op, "moves the outermost dimension");
}

/// All of the outermost dimension.
static bool checkSlice(const DimsCheck *c) {
  bool isWhole = irGetDims(c->op, "starts").dims[0] == 0 && irGetDims(c->op, "strides").dims[0] == 1 &&
                 irShapeOf(c->operand).dims[0] == irShapeOf(c->result).dims[0] && haveSameSymbol(c->operand, c->result);
  return isWhole || refuse(c->op, "takes a part of the outermost dimension");
}

static bool checkDynamicSlice(const DimsCheck *c) {
  bool isWhole = irShapeOf(c->operand).dims[0] == irShapeOf(c->result).dims[0] && haveSameSymbol(c->operand, c->result);
  return isWhole || refuse(c->op, "takes a part of the outermost dimension");
}

static bool checkPad(const DimsCheck *c) {
  bool keeps = irGetDims(c->op, "low").dims[0] == 0 && irGetDims(c->op, "high").dims[0] == 0 &&
               irGetDims(c->op, "interior").dims[0] == 0 && haveSameSymbol(c->operand, c->result);
  return keeps || refuse(c->op, "pads the outermost dimension");
}

static bool checkConcatenate(const DimsCheck *c) {
  if (irGetInt(c->op, "dim", 0) == 0)
    return refuse(c->op, "joins along the outermost dimension");
  return checkElementwise(c);
}

static bool checkReverse(const DimsCheck *c) {
  return !listHas(c->op, "dims", 0) || refuse(c->op, "reverses the outermost dimension");
}

/// Whether the gather takes rows, each by an index of its own, of an operand whose number of rows is open. An index
/// beyond them is clamped to the last one.
static bool takesRows(const DimsCheck *c) {
  return irGetDims(c->op, "slice_sizes").dims[0] == 1 && listHas(c->op, "collapsed_slice_dims", 0) &&
         irGetDims(c->op, "start_index_map").rank == 1 && listHas(c->op, "start_index_map", 0) && !isOpen(c->result);
}

/// For open indices rows of a table without a symbol, or one of the row with the same number of an operand that has it
/// too. For others rows of an open operand, or windows that cover its outermost dimension.
static bool checkGather(const DimsCheck *c) {
  MlirValue indices = irOperand(c->op, 1);
  bool windowFirst = listHas(c->op, "offset_dims", 0);
  bool indicesFirst = irGetInt(c->op, "index_vector_dim", 0) != 0 && !windowFirst;
  bool pairsRows = irGetDims(c->op, "operand_batching_dims").rank > 0 &&
                   irGetDims(c->op, "operand_batching_dims").dims[0] == 0 &&
                   irGetDims(c->op, "start_indices_batching_dims").dims[0] == 0;
  if (isOpen(indices)) {
    bool fits = indicesFirst && haveSameSymbol(indices, c->result);
    bool reads = !isOpen(c->operand) || (pairsRows && haveSameSymbol(c->operand, indices));
    return (fits && reads) ||
           refuse(c->op, reads ? "moves the outermost dimension" : "picks elements along the outermost dimension");
  }
  if (takesRows(c))
    return true;
  bool isWhole = irGetDims(c->op, "slice_sizes").dims[0] == irShapeOf(c->operand).dims[0] &&
                 !listHas(c->op, "collapsed_slice_dims", 0) && !listHas(c->op, "operand_batching_dims", 0);
  bool fits = windowFirst && isWhole && haveSameSymbol(c->operand, c->result);
  return fits ||
         refuse(c->op, isWhole ? "moves the outermost dimension" : "picks elements along the outermost dimension");
}

/// A result has the symbol unless its dimension is reduced.
static bool checkReducedTo(const DimsCheck *c, bool reducesOutermost) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    MlirValue result = irResult(c->op, i);
    if (reducesOutermost ? isOpen(result) : !haveSameSymbol(c->operand, result))
      return refuseMixture(c->op);
  }
  return isOpen(c->operand) || refuseMixture(c->op);
}

static bool checkReduce(const DimsCheck *c) { return checkReducedTo(c, listHas(c->op, "dims", 0)); }
static bool checkArgReduce(const DimsCheck *c) { return checkReducedTo(c, irGetInt(c->op, "dim", -1) == 0); }

/// The role of a dimension of a dot's operand.
typedef enum { DOT_BATCH, DOT_CONTRACT, DOT_FREE } DotRole;

/// The role of the outermost dimension of operand `i`, and its position among the batch or contracted dimensions.
static DotRole outermostRole(MlirOperation op, intptr_t i, intptr_t *position) {
  IrShape batch = irGetDims(op, i ? "rhs_batch" : "lhs_batch"),
          contract = irGetDims(op, i ? "rhs_contract" : "lhs_contract");
  for (*position = 0; *position < batch.rank; ++*position)
    if (batch.dims[*position] == 0)
      return DOT_BATCH;
  for (*position = 0; *position < contract.rank; ++*position)
    if (contract.dims[*position] == 0)
      return DOT_CONTRACT;
  return DOT_FREE;
}

/// Whether the result's outermost dimension is that of an operand whose outermost one is free.
static bool isOutermostResult(MlirOperation op, intptr_t i) {
  bool hasBatch = irGetDims(op, "lhs_batch").rank > 0;
  intptr_t lhsFree = irShapeOf(irOperand(op, 0)).rank - irGetDims(op, "lhs_contract").rank;
  return !hasBatch && (i == 0 || lhsFree == 0);
}

/// The open dimension is one batch dimension of both operands, contracted in both, or a free one: the rows of the
/// result.
static bool checkDot(const DimsCheck *c) {
  MlirValue lhs = irOperand(c->op, 0), rhs = irOperand(c->op, 1);
  intptr_t lhsPosition, rhsPosition;
  DotRole lhsRole = outermostRole(c->op, 0, &lhsPosition), rhsRole = outermostRole(c->op, 1, &rhsPosition);
  if (isOpen(lhs) && isOpen(rhs)) {
    bool paired = lhsRole == rhsRole && lhsRole != DOT_FREE && lhsPosition == rhsPosition && haveSameSymbol(lhs, rhs);
    bool fits = lhsRole == DOT_BATCH ? lhsPosition == 0 && haveSameSymbol(lhs, c->result) : !isOpen(c->result);
    return (paired && fits) || refuse(c->op, "combines different dimensions with the outermost one");
  }
  intptr_t open = isOpen(lhs) ? 0 : 1;
  bool isRow = (open ? rhsRole : lhsRole) == DOT_FREE && isOutermostResult(c->op, open) &&
               haveSameSymbol(irOperand(c->op, open), c->result);
  return isRow || refuse(c->op, "combines different dimensions with the outermost one");
}

/// Windows of one row.
static bool checkWindow(const DimsCheck *c) {
  bool isOne = irGetDims(c->op, "window_dimensions").dims[0] == 1 && irGetDims(c->op, "window_strides").dims[0] == 1 &&
               irGetDims(c->op, "base_dilations").dims[0] == 1 && irGetDims(c->op, "padding_low").dims[0] == 0 &&
               irGetDims(c->op, "padding_high").dims[0] == 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i)
    isOne = isOne && haveSameSymbol(irOperand(c->op, i), irResult(c->op, i));
  return isOne || refuse(c->op, "has windows along the outermost dimension");
}

/// A batch of images that is the outermost dimension of input and output.
static bool checkConvolution(const DimsCheck *c) {
  bool isBatch = irGetInt(c->op, "input_batch_dimension", -1) == 0 &&
                 irGetInt(c->op, "output_batch_dimension", -1) == 0 && irGetInt(c->op, "batch_group_count", 0) == 1;
  bool fits = isBatch && !isOpen(irOperand(c->op, 1)) && haveSameSymbol(c->operand, c->result);
  return fits || refuse(c->op, "needs an outermost dimension that is the batch of input and output");
}

/// The function's result types are those of its returned values.
static bool checkReturn(const DimsCheck *c) { return (void)c, true; }

static bool checkUnknown(const DimsCheck *c) { return refuse(c->op, "has no rule for an outermost dimension"); }

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

typedef bool (*DimsRule)(const DimsCheck *c);

static DimsRule ruleOf(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  switch (kind) {
  case TG_broadcast:
    return checkBroadcast;
  case TG_reshape:
    return checkReshape;
  case TG_transpose:
    return checkTranspose;
  case TG_slice:
    return checkSlice;
  case TG_dynamic_slice:
    return checkDynamicSlice;
  case TG_pad:
    return checkPad;
  case TG_concatenate:
    return checkConcatenate;
  case TG_reverse:
    return checkReverse;
  case TG_gather:
    return checkGather;
  case TG_reduce:
    return checkReduce;
  case TG_arg_reduce:
    return checkArgReduce;
  case TG_dot:
    return checkDot;
  case TG_convolution:
    return checkConvolution;
  case TG_reduce_window:
  case TG_general_reduce_window:
    return checkWindow;
  case TG_bitcast_convert:
    return checkReshape;
  default:
    break;
  }
  TgClass class = tgClassOfKind(kind);
  if (class == TG_CLASS_ELEMENTWISE || kind == TG_optimization_barrier)
    return checkElementwise;
  if (class == TG_CLASS_SOURCE)
    return checkSource;
  return irOpIs(op, "func.return") ? checkReturn : checkUnknown;
}

static bool checkOp(MlirOperation op) {
  if (mlirAttributeIsNull(symbolIn(op)))
    return true;
  DimsCheck c = {.op = op};
  if (mlirOperationGetNumOperands(op) > 0)
    c.operand = irOperand(op, 0);
  if (mlirOperationGetNumResults(op) > 0)
    c.result = irResult(op, 0);
  return ruleOf(op)(&c);
}

static MlirWalkResult visitDims(MlirOperation op, void *data) {
  bool *ok = data;
  *ok &= irOpIs(op, "func.func") || checkOp(op);
  return MlirWalkResultAdvance;
}

static void run(StitchPassRun pass, MlirOperation module) {
  bool ok = true;
  mlirOperationWalk(module, visitDims, &ok, MlirWalkPreOrder);
  if (!ok)
    stitchPassSignalFailure(pass);
}

const StitchPassInfo tgDynamicDimsPass = {
    .argument = "tg-dynamic-dims",
    .description = "Check that a graph does the same for all sizes that are open",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = run,
};
