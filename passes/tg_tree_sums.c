//===- tg_tree_sums.c - tg-tree-sums --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sums=tree of stitch-pipeline (docs/devices.md). Takes a graph of tg operations. Sums and products of
// floats are the same balanced binary tree over samples, however many processes have them:
//
//   1. An all_reduce between 2, 4, 8 or 16 processes becomes a tree over the operands of all: neighbours first, and
//   each
//      node rounded to the tensor's type.
//   2. A reduction of @main over the outermost dimension, of 2, 4, ..., 64 elements, becomes such a tree over these. It
//      combines the other dimensions of each element before: one after the other if they are few, else as planned.
//
// A process's part of the samples is a subtree, so that the bits of the whole do not depend on the parts. What cannot
// be such a tree is an error where processes combine it.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "passes/common/collect.h"
#include "passes/common/peer_operands.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_CALLS, STATISTIC_REDUCTIONS };

/// More leaves would be too much code of a kernel.
enum { MOST_LEAVES = 64, MOST_LOADS = 256 };

static bool hasTree(int64_t count) { return count > 0 && (count & (count - 1)) == 0; }

/// Sums and products of floats have an order.
static bool hasOrder(MlirOperation op) {
  int64_t kind = irGetInt(op, "kind", -1);
  MlirType element = irElementTypeOf(irOperand(op, 0));
  bool isReal = mlirTypeIsAFloat(element) || mlirTypeIsAComplex(element);
  return isReal && (kind == TG_REDUCE_ADD || kind == TG_REDUCE_MUL);
}

static MlirValue combine(IrBuilder *b, MlirOperation op, MlirValue lhs, MlirValue rhs) {
  return tgBinary(b, irGetInt(op, "kind", -1) == TG_REDUCE_ADD ? "tg.add" : "tg.mul", lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static bool isOfSamples(MlirOperation op) {
  return tgKindOf(op) == TG_reduce && hasOrder(op) && irContains(irGetDims(op, "dims"), 0);
}

static bool canBeTree(MlirOperation reduce) {
  MlirType type = mlirValueGetType(irOperand(reduce, 0));
  int64_t samples = irTypeShape(type).dims[0];
  return mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)) && hasTree(samples) && samples <= MOST_LEAVES;
}

/// The reduction of samples behind a value; null if there is none.
static MlirOperation samplesOf(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && (tgKindOf(op) == TG_reshape || tgKindOf(op) == TG_transpose))
    op = irDefiningOp(irOperand(op, 0));
  return !mlirOperationIsNull(op) && isOfSamples(op) ? op : (MlirOperation){NULL};
}

/// What is left of a value's samples after neighbours have been combined.
static MlirValue halved(IrBuilder *b, MlirOperation reduce, MlirValue value) {
  IrShape starts = {.rank = irShapeOf(value).rank}, limits = irShapeOf(value), strides = limits;
  for (intptr_t d = 0; d < strides.rank; ++d)
    strides.dims[d] = d == 0 ? 2 : 1;
  MlirValue even = tgStridedSlice(b, value, starts, limits, strides);
  starts.dims[0] = 1;
  return combine(b, reduce, even, tgStridedSlice(b, value, starts, limits, strides));
}

/// Combines a dimension one after the other, and leaves it with one element.
static MlirValue inOrder(IrBuilder *b, MlirOperation reduce, MlirValue value, int64_t dim) {
  MlirValue result = tgSlice(b, value, dim, 0, 1);
  for (int64_t i = 1; i < irShapeOf(value).dims[dim]; ++i)
    result = combine(b, reduce, result, tgSlice(b, value, dim, i, i + 1));
  return result;
}

/// Combines what a sample has itself. The order of larger reductions is that of a plan, which depends on the shape.
static MlirValue withinSamples(IrBuilder *b, MlirOperation reduce, IrShape dims) {
  MlirValue value = irOperand(reduce, 0);
  int64_t loads = irShapeOf(value).dims[0];
  for (intptr_t i = 0; i < dims.rank; ++i)
    loads *= irShapeOf(value).dims[dims.dims[i]];
  if (loads > MOST_LOADS)
    return tgReduce(b, (TgReduceKind)irGetInt(reduce, "kind", 0), value, dims);
  for (intptr_t i = 0; i < dims.rank; ++i)
    value = inOrder(b, reduce, value, dims.dims[i]);
  return value;
}

static void makeTree(MlirOperation reduce) {
  IrBuilder b = irBuilderBefore(reduce);
  IrShape dims = irGetDims(reduce, "dims"), others = {.rank = 0};
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (dims.dims[i] != 0)
      others.dims[others.rank++] = dims.dims[i];
  MlirValue value = irOperand(reduce, 0), result = irResult(reduce, 0);
  if (others.rank)
    value = withinSamples(&b, reduce, others);
  while (irShapeOf(value).dims[0] > 1)
    value = halved(&b, reduce, value);
  mlirValueReplaceAllUsesOfWith(result, tgReshape(&b, value, mlirValueGetType(result)));
  mlirOperationDestroy(reduce);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool combinesProcesses(MlirOperation op) {
  return (tgKindOf(op) == TG_all_reduce || tgKindOf(op) == TG_reduce_scatter) && hasOrder(op);
}

/// Says what is wrong with a call; true if nothing is.
static bool checkCall(MlirOperation call, MlirBlock main) {
  MlirOperation samples = samplesOf(irOperand(call, 0));
  bool isAlone = irTypeShape(mlirAttributeGetType(irGetAttr(call, "groups"))).dims[1] == 1;
  if (!mlirBlockEqual(mlirOperationGetBlock(call), main))
    stitchEmitOpError(call, "is in a loop or branch: sums=tree takes sums between processes in @main itself");
  else if (tgKindOf(call) == TG_reduce_scatter)
    stitchEmitOpError(call, "gives each process a part: sums=tree takes all_reduce");
  else if (!isAlone && !hasTree(peersInGroup(call)))
    stitchEmitOpError(call, "is not between 2, 4, 8 or 16 processes in each group, as sums=tree needs");
  else if (!mlirOperationIsNull(samples) && !canBeTree(samples))
    stitchEmitOpError(samples,
                      "is a part of a sum between processes, but not of 2, 4, ..., %d samples, as sums=tree "
                      "needs",
                      MOST_LEAVES);
  else
    return true;
  return false;
}

static void replaceCall(MlirOperation call) {
  IrBuilder b = irBuilderBefore(call);
  MlirValue values[PEERS_MOST];
  int64_t count = peersInGroup(call);
  if (count == 0) // of one process
    return;
  peersOperands(&b, call, irOperand(call, 0), values);
  for (; count > 1; count /= 2)
    for (int64_t i = 0; i < count / 2; ++i)
      values[i] = combine(&b, call, values[2 * i], values[2 * i + 1]);
  mlirValueReplaceAllUsesOfWith(irResult(call, 0), values[0]);
  mlirOperationDestroy(call);
}

static void runTreeSums(StitchPassRun run, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  if (mlirOperationIsNull(main) || mlirBlockIsNull(irBody(main, 0)))
    return;
  MlirBlock body = irBody(main, 0);
  Operations calls = collectOperations(module, combinesProcesses, MlirWalkPreOrder);
  bool isValid = true;
  for (intptr_t i = 0; i < calls.count; ++i)
    isValid &= checkCall(calls.data[i], body);
  for (intptr_t i = 0; i < calls.count && isValid; ++i)
    replaceCall(calls.data[i]);
  stitchPassAddStatistic(run, STATISTIC_CALLS, calls.count);
  free(calls.data);
  if (!isValid) {
    stitchPassSignalFailure(run);
    return;
  }
  IR_FOR_EACH_OP_REPLACING(op, body) {
    if (!isOfSamples(op) || !canBeTree(op))
      continue;
    makeTree(op);
    stitchPassAddStatistic(run, STATISTIC_REDUCTIONS, 1);
  }
}

static const StitchPassStatistic statistics[] = {
    {"calls", "sums between processes that are trees"},
    {"reductions", "sums over samples that are trees"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo tgTreeSumsPass = {
    .argument = "tg-tree-sums",
    .description = "Sums over samples as one tree, however many processes have them",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runTreeSums,
};
