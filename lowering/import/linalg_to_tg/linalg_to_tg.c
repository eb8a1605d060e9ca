//===- linalg_to_tg.c - linalg on tensors to the tensor graph ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes any module; leaves it with operations of tg in the place of those operations of linalg and tensor, and of arith
// and math on tensors, that have a counterpart: on tensors of static shape, named operations through upstream's
// generalisation. What has none stays where it is, and a remark counts it by name. Types of functions do not change.
//
// A tg operation computes as kernels do: sums in another order, 16-bit floats summed in f32.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/plan/hints.h"
#include "lowering/import/linalg_to_tg/conversion.h"
#include "stitch.h"

#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  MlirOperation *ops;
  intptr_t count, capacity;
} Operations;

/// Arithmetic on tensors.
static bool convertElementwise(IrBuilder *b, MlirOperation op, MlirValue *results) {
  MlirStringRef name = irOpName(op);
  bool isKnown = name.length > 5 && (memcmp(name.data, "arith", 5) == 0 || memcmp(name.data, "math.", 5) == 0);
  if (!isKnown || irOpIs(op, "arith.constant") || mlirOperationGetNumResults(op) != 1 ||
      !linalgIsTensor(mlirValueGetType(irResult(op, 0))))
    return false;
  LinalgBody body = {.b = b, .space = irShapeOf(irResult(op, 0))};
  bool success = linalgBodyOperation(&body, op);
  if (success)
    results[0] = linalgBodyValue(&body, irResult(op, 0));
  linalgBodyDestroy(&body);
  return success;
}

/// Whether an operation computes tensors and could have a counterpart.
static bool isCandidate(MlirOperation op) {
  MlirStringRef name = irOpName(op);
  static const char *const dialects[] = {"linalg.", "tensor.", "arith.", "math."};
  bool isOf = false;
  for (int i = 0; i < 4; ++i)
    isOf = isOf || (name.length > strlen(dialects[i]) && memcmp(name.data, dialects[i], strlen(dialects[i])) == 0);
  return isOf && mlirOperationGetNumResults(op) > 0 && mlirTypeIsARankedTensor(mlirValueGetType(irResult(op, 0))) &&
         !irOpIs(op, "arith.constant") && !irOpIs(op, "tensor.empty") && !irOpIs(op, "tensor.from_elements");
}

static MlirWalkResult collect(MlirOperation op, void *data) {
  Operations *operations = data;
  if (irOpIs(op, "gpu.module"))
    return MlirWalkResultSkip;
  if (!isCandidate(op))
    return MlirWalkResultAdvance;
  IR_RESERVE_ONE(operations->ops, operations->count, operations->capacity);
  operations->ops[operations->count++] = op;
  return MlirWalkResultSkip;
}

static bool convertBy(MlirOperation op, bool (*convert)(IrBuilder *, MlirOperation, MlirValue *)) {
  intptr_t count = mlirOperationGetNumResults(op);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  IrBuilder b = irBuilderAtEnd(block, mlirOperationGetLocation(op));
  b.context = mlirOperationGetContext(op);
  MlirValue *results = irAllocateZeroed((size_t)count + 1, sizeof(MlirValue));
  bool success = convert(&b, op, results);
  if (success) {
    IR_FOR_EACH_OP_REPLACING(made, block) {
      mlirOperationRemoveFromParent(made);
      mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, made);
    }
    for (intptr_t i = 0; i < count; ++i)
      mlirValueReplaceAllUsesOfWith(irResult(op, i), results[i]);
    mlirOperationDestroy(op);
  }
  mlirBlockDestroy(block);
  free(results);
  return success;
}

/// Converts what `convert` can; the others stay in the list.
static void convertAll(Operations *operations, bool (*convert)(IrBuilder *, MlirOperation, MlirValue *)) {
  intptr_t left = 0;
  for (intptr_t i = 0; i < operations->count; ++i)
    if (!convertBy(operations->ops[i], convert))
      operations->ops[left++] = operations->ops[i];
  operations->count = left;
}

static bool convertAny(IrBuilder *b, MlirOperation op, MlirValue *results) {
  return linalgConvertGeneric(b, op, results) || linalgConvertMovement(b, op, results) ||
         convertElementwise(b, op, results);
}

//===----------------------------------------------------------------------===//
// What is left
//===----------------------------------------------------------------------===//

static MlirWalkResult collectUnused(MlirOperation op, void *data) {
  Operations *operations = data;
  if ((irOpIs(op, "tensor.empty") || irOpIs(op, "arith.constant")) &&
      mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, 0)))) {
    IR_RESERVE_ONE(operations->ops, operations->count, operations->capacity);
    operations->ops[operations->count++] = op;
  }
  return MlirWalkResultAdvance;
}

static void eraseUnused(MlirOperation module) {
  Operations unused = {0};
  mlirOperationWalk(module, collectUnused, &unused, MlirWalkPreOrder);
  for (intptr_t i = 0; i < unused.count; ++i)
    mlirOperationDestroy(unused.ops[i]);
  free(unused.ops);
}

/// One remark for each name of operations that stay, at the first of them.
static void reportLeft(const Operations *left) {
  for (intptr_t i = 0; i < left->count; ++i) {
    MlirStringRef name = irOpName(left->ops[i]);
    int64_t count = 0;
    bool isFirst = true;
    for (intptr_t k = 0; k < left->count; ++k) {
      bool isSame = mlirStringRefEqual(irOpName(left->ops[k]), name);
      count += isSame;
      isFirst = isFirst && (!isSame || k >= i);
    }
    if (isFirst)
      stitchEmitRemark(mlirOperationGetLocation(left->ops[i]),
                       "convert-linalg-to-tg: %" PRId64
                       " of '%.*s' stay: tg has no counterpart of these forms or types",
                       count, (int)name.length, name.data);
  }
}

static void run(StitchPassRun pass, MlirOperation module) {
  Operations operations = {0};
  bool success = hintsTake(module);
  mlirOperationWalk(module, collect, &operations, MlirWalkPreOrder);
  intptr_t found = operations.count;
  convertAll(&operations, linalgConvertWindow);
  success = success && mlirLogicalResultIsSuccess(stitchPassRunPipeline(pass, "linalg-generalize-named-ops", module));
  operations.count = 0; // generalised ones are new
  if (success) {
    mlirOperationWalk(module, collect, &operations, MlirWalkPreOrder);
    convertAll(&operations, convertAny);
    eraseUnused(module);
    if (!stitchPassIsQuiet(pass))
      reportLeft(&operations);
  } else {
    stitchPassSignalFailure(pass);
  }
  stitchPassAddStatistic(pass, 0, found - operations.count);
  stitchPassAddStatistic(pass, 1, operations.count);
  free(operations.ops);
}

static const StitchPassStatistic statistics[] = {
    {"converted-ops", "operations that became ones of tg"},
    {"left-ops", "operations that stay"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__,
                                                      mlirGetDialectHandle__tensor__, mlirGetDialectHandle__linalg__};

const StitchPassInfo convertLinalgToTGPass = {
    .argument = "convert-linalg-to-tg",
    .description = "Convert linalg, tensor, arith and math on tensors to tensor graphs, where they have counterparts",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "linalg|tensor|arith|math",
    .run = run,
};
