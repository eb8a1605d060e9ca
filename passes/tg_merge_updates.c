//===- tg_merge_updates.c - tg-merge-updates -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that writes element by element, x = x.at[i].set(f(x[j])), is a chain of scatters of one window, with a read
// of the value between two. Takes graphs of tg operations; leaves one scatter of such a chain, whose updates go into
// one kernel. Not in the papers.
//
//   1. A tg.slice of a scatter whose window is where constants say reads past it: the scatter's operand if the window
//      does not overlap the slice, its updates if they replace all of the slice.
//   2. Scatters of one window each, of which nothing else reads the results, are one scatter of several windows. It
//      combines the updates of an element in their order, as the chain did; of narrow floats, whose sums are rounded
//      once then, chains stay as they are.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/plan/plan.h"
#include "passes/common/collect.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_READS, STATISTIC_SCATTERS };

static bool isSlice(MlirOperation op) { return tgKindOf(op) == TG_slice; }

//===----------------------------------------------------------------------===//
// Scatters of one window
//===----------------------------------------------------------------------===//

/// Whether an operation is a scatter of one window, all of whose dimensions are inserted or of the window.
static bool hasOneWindow(MlirOperation op) {
  if (tgKindOf(op) != TG_scatter || irGetDims(op, "input_batching_dims").rank > 0)
    return false;
  return irShapeOf(irOperand(op, 2)).rank == irGetDims(op, "update_window_dims").rank &&
         irGetInt(op, "index_vector_dim", 0) == 0 && irShapeOf(irOperand(op, 1)).rank == 1;
}

/// Along each dimension of the tensor, the first element of a part and the one behind its last.
typedef struct {
  IrShape first, end;
} UpdatedBox;

static IrShape windowSizes(MlirOperation scatter) {
  IrShape sizes = irShapeOf(irOperand(scatter, 0)), inserted = irGetDims(scatter, "inserted_window_dims"),
          updates = irShapeOf(irOperand(scatter, 2));
  for (intptr_t d = 0, next = 0; d < sizes.rank; ++d)
    sizes.dims[d] = irContains(inserted, d) ? 1 : updates.dims[next++];
  return sizes;
}

/// Where a scatter of one window writes. False if that is not known, or not all of it is inside.
static bool boxOfScatter(MlirOperation scatter, UpdatedBox *box) {
  MlirOperation indices = irDefiningOp(irOperand(scatter, 1));
  IrShape mapped = irGetDims(scatter, "scatter_dims_to_operand_dims"), shape = irShapeOf(irOperand(scatter, 0)),
          sizes = windowSizes(scatter);
  if (mlirOperationIsNull(indices) || tgKindOf(indices) != TG_constant)
    return false;
  MlirAttribute value = irGetAttr(indices, "value");
  if (!mlirAttributeIsADenseElements(value))
    return false;
  *box = (UpdatedBox){.first = {.rank = shape.rank}, .end = sizes};
  for (intptr_t i = 0; i < mapped.rank; ++i) {
    MlirAttribute element = mlirElementsAttrGetValue(value, 1, &(uint64_t){(uint64_t)i});
    bool isUnsigned = irIsUnsigned(irElementTypeOf(irOperand(scatter, 1)));
    int64_t start = isUnsigned ? (int64_t)mlirIntegerAttrGetValueUInt(element) : mlirIntegerAttrGetValueInt(element);
    int64_t d = mapped.dims[i];
    if (start < 0 || start > shape.dims[d] - sizes.dims[d])
      return false;
    box->first.dims[d] = start;
    box->end.dims[d] = start + sizes.dims[d];
  }
  return true;
}

//===----------------------------------------------------------------------===//
// 1. Reads
//===----------------------------------------------------------------------===//

static bool areBeside(const UpdatedBox *a, const UpdatedBox *b) {
  for (intptr_t d = 0; d < a->first.rank; ++d)
    if (a->end.dims[d] <= b->first.dims[d] || b->end.dims[d] <= a->first.dims[d])
      return true;
  return false;
}

static bool isWithinBox(const UpdatedBox *part, const UpdatedBox *whole) {
  for (intptr_t d = 0; d < part->first.rank; ++d)
    if (part->first.dims[d] < whole->first.dims[d] || part->end.dims[d] > whole->end.dims[d])
      return false;
  return true;
}

/// Reads a slice that a scatter replaces from its updates.
static void readUpdates(MlirOperation slice, MlirOperation scatter, const UpdatedBox *read, const UpdatedBox *window) {
  IrBuilder b = irBuilderBefore(slice);
  IrShape starts = read->first, limits = irGetDims(slice, "limits"), sizes = windowSizes(scatter);
  for (intptr_t d = 0; d < starts.rank; ++d) {
    starts.dims[d] -= window->first.dims[d];
    limits.dims[d] -= window->first.dims[d];
  }
  MlirValue updates = irOperand(scatter, 2);
  mlirOperationSetOperand(slice, 0, tgReshape(&b, updates, tgWithShape(mlirValueGetType(updates), sizes)));
  irSetAttr(slice, "starts", mlirDenseI64ArrayGet(b.context, starts.rank, starts.dims));
  irSetAttr(slice, "limits", mlirDenseI64ArrayGet(b.context, limits.rank, limits.dims));
}

/// Has a slice read past the scatters that it need not wait for. Whether there are some.
static bool readPast(StitchPassRun run, MlirOperation slice) {
  UpdatedBox read = {irGetDims(slice, "starts"), irGetDims(slice, "limits")}, window;
  for (bool isMoved = false;; isMoved = true) {
    MlirOperation scatter = irDefiningOp(irOperand(slice, 0));
    bool isPast = !mlirOperationIsNull(scatter) && hasOneWindow(scatter) && boxOfScatter(scatter, &window);
    bool replaces = isPast && irGetInt(scatter, "kind", 0) == TG_UPDATE_REPLACE && isWithinBox(&read, &window);
    if (isPast && areBeside(&read, &window)) {
      mlirOperationSetOperand(slice, 0, irOperand(scatter, 0));
      continue;
    }
    if (replaces)
      readUpdates(slice, scatter, &read, &window);
    if (replaces || isMoved)
      stitchPassAddStatistic(run, STATISTIC_READS, 1);
    return replaces || isMoved;
  }
}

//===----------------------------------------------------------------------===//
// 2. Chains
//===----------------------------------------------------------------------===//

/// Whether the updates of a chain can be combined in one go without another rounding.
static bool combinesExactly(MlirOperation scatter) {
  MlirType element = irElementTypeOf(irResult(scatter, 0));
  int64_t kind = irGetInt(scatter, "kind", 0);
  bool rounds = irIsFloat(element) && (kind == TG_REDUCE_ADD || kind == TG_REDUCE_MUL);
  return !rounds || mlirTypeEqual(planAccumulatorType(element), element);
}

static bool sameAttr(MlirOperation a, MlirOperation b, const char *name) {
  return mlirAttributeEqual(irGetAttr(a, name), irGetAttr(b, name));
}

/// The scatter of the chain before this one; null if it is the first.
static MlirOperation scatterBefore(MlirOperation scatter) {
  MlirOperation before = irDefiningOp(irOperand(scatter, 0));
  bool isBefore = !mlirOperationIsNull(before) && hasOneWindow(before) &&
                  mlirBlockEqual(mlirOperationGetBlock(before), mlirOperationGetBlock(scatter)) &&
                  irHasOneUse(irResult(before, 0)) && sameAttr(before, scatter, "kind") &&
                  sameAttr(before, scatter, "inserted_window_dims") &&
                  sameAttr(before, scatter, "scatter_dims_to_operand_dims") &&
                  mlirTypeEqual(mlirValueGetType(irOperand(before, 1)), mlirValueGetType(irOperand(scatter, 1))) &&
                  mlirTypeEqual(mlirValueGetType(irOperand(before, 2)), mlirValueGetType(irOperand(scatter, 2)));
  return isBefore ? before : (MlirOperation){NULL};
}

static bool isLastOfChain(MlirOperation op) {
  if (!hasOneWindow(op) || !combinesExactly(op) || mlirOperationIsNull(scatterBefore(op)))
    return false;
  if (!irHasOneUse(irResult(op, 0)))
    return true;
  MlirOperation user = mlirOpOperandGetOwner(mlirValueGetFirstUse(irResult(op, 0)));
  return !(hasOneWindow(user) && mlirOperationEqual(scatterBefore(user), op));
}

/// The values with a dimension of size 1 before the others, one behind the other along it.
static MlirValue stacked(IrBuilder *b, const MlirValue *values, intptr_t count) {
  IrShape shape = irShapeOf(values[0]), longer = {.rank = shape.rank + 1, .dims = {1}};
  for (intptr_t d = 0; d < shape.rank; ++d)
    longer.dims[d + 1] = shape.dims[d];
  MlirValue *rows = irAllocate(sizeof(MlirValue) * (size_t)count);
  for (intptr_t i = 0; i < count; ++i)
    rows[i] = tgReshape(b, values[i], tgWithShape(mlirValueGetType(values[i]), longer));
  MlirValue result = tgConcatenate(b, (IrValues){count, rows}, 0);
  free(rows);
  return result;
}

static void mergeChain(StitchPassRun run, MlirOperation last) {
  intptr_t count = 0;
  MlirOperation first = last;
  for (MlirOperation op = last; !mlirOperationIsNull(op); op = scatterBefore(op)) {
    first = op;
    ++count;
  }
  MlirValue *indices = irAllocate(sizeof(MlirValue) * (size_t)count),
            *updates = irAllocate(sizeof(MlirValue) * (size_t)count);
  intptr_t next = count;
  for (MlirOperation op = last; !mlirOperationIsNull(op); op = scatterBefore(op)) {
    indices[--next] = irOperand(op, 1);
    updates[next] = irOperand(op, 2);
  }
  IrBuilder b = irBuilderBefore(last);
  IrShape window = irGetDims(last, "update_window_dims");
  for (intptr_t d = 0; d < window.rank; ++d)
    ++window.dims[d];
  MlirOperation merged = mlirOperationClone(last);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(last), last, merged);
  mlirOperationSetOperand(merged, 0, irOperand(first, 0));
  b = irBuilderBefore(merged);
  mlirOperationSetOperand(merged, 1, stacked(&b, indices, count));
  mlirOperationSetOperand(merged, 2, stacked(&b, updates, count));
  irSetAttr(merged, "update_window_dims", mlirDenseI64ArrayGet(b.context, window.rank, window.dims));
  irSetAttr(merged, "index_vector_dim", mlirIntegerAttrGet(mlirIntegerTypeGet(b.context, 64), 1));
  static const char *const claims[] = {"indices_are_sorted", "unique_indices"}; // that hold of each, not of all
  for (int i = 0; i < 2; ++i)
    mlirOperationRemoveAttributeByName(merged, mlirStringRefCreateFromCString(claims[i]));
  mlirValueReplaceAllUsesOfWith(irResult(last, 0), irResult(merged, 0));
  stitchRemark(merged, "%ld scatters of one window are one", (long)count);
  stitchPassAddStatistic(run, STATISTIC_SCATTERS, count - 1);
  for (MlirOperation op = last, before; !mlirOperationIsNull(op); op = before) {
    before = scatterBefore(op);
    mlirOperationDestroy(op);
  }
  free(indices);
  free(updates);
}

static void runMergeUpdates(StitchPassRun run, MlirOperation module) {
  bool changed = false;
  Operations reads = collectOperations(module, isSlice, MlirWalkPreOrder);
  for (intptr_t i = 0; i < reads.count; ++i)
    changed |= readPast(run, reads.data[i]);
  free(reads.data);
  Operations chains = collectOperations(module, isLastOfChain, MlirWalkPreOrder);
  for (intptr_t i = 0; i < chains.count; ++i)
    mergeChain(run, chains.data[i]);
  changed |= chains.count > 0;
  free(chains.data);
  if (changed && mlirLogicalResultIsFailure(stitchPassRunPipeline(run, "tg-simplify", module)))
    stitchPassSignalFailure(run);
}

static const StitchPassStatistic statistics[] = {
    {"reads", "slices that read past updates"},
    {"scatters", "scatters that are part of another one now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgMergeUpdatesPass = {
    .argument = "tg-merge-updates",
    .description = "Make one scatter of several that follow each other, and read past updates of other elements",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runMergeUpdates,
};
