//===- tg_decompose.c - tg-decompose -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO section 3.2: opens compound operators, so that their parts can be stitched with their neighbours. Takes a
// module of tg operations, leaves it without softmax, log_softmax, gelu and its gradient, layer_norm, batch_norm_*, rng
// and rng_bit_generator: they become elementwise operations, shapes and reductions. A concatenation of many tensors
// becomes one of concatenations of some.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "passes/common/collect.h"
#include "passes/tg_decompose/decompose.h"
#include "stitch.h"

#include <stdlib.h>

static bool isLongConcatenation(MlirOperation op) {
  return tgKindOf(op) == TG_concatenate && mlirOperationGetNumOperands(op) > TG_MOST_PARTS &&
         mlirShapedTypeHasStaticShape(mlirValueGetType(irResult(op, 0)));
}

static bool decomposeConcatenate(MlirOperation op, IrBuilder *b, MlirValue *results) {
  IrValues parts = {mlirOperationGetNumOperands(op), NULL};
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)parts.count);
  for (intptr_t i = 0; i < parts.count; ++i)
    operands[i] = irOperand(op, i);
  parts.data = operands;
  results[0] = tgConcatenate(b, parts, irGetInt(op, "dim", 0));
  free(operands);
  return true;
}

static Decompose functionFor(TgKind kind) {
  switch (kind) {
  case TG_softmax:
    return decomposeSoftmax;
  case TG_log_softmax:
    return decomposeLogSoftmax;
  case TG_gelu:
    return decomposeGelu;
  case TG_gelu_gradient:
    return decomposeGeluGradient;
  case TG_layer_norm:
    return decomposeLayerNorm;
  case TG_batch_norm_training:
    return decomposeBatchNormTraining;
  case TG_batch_norm_inference:
    return decomposeBatchNormInference;
  case TG_batch_norm_grad:
    return decomposeBatchNormGrad;
  case TG_rng_bit_generator:
    return decomposeRngBitGenerator;
  case TG_concatenate:
    return decomposeConcatenate;
  default:
    return NULL;
  }
}

static bool isCompound(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return kind == TG_concatenate ? isLongConcatenation(op) : kind == TG_rng || functionFor(kind);
}

static void run(StitchPassRun pass, MlirOperation module) {
  bool succeeded = true;
  uint64_t numRng = 0;
  Operations found = collectOperations(module, isCompound, MlirWalkPreOrder);
  for (intptr_t i = 0; i < found.count; ++i) {
    MlirOperation op = found.data[i];
    IrBuilder b = irBuilderBefore(op);
    MlirValue results[DECOMPOSE_MAX_RESULTS];
    TgKind kind = tgKindOf(op);
    bool isOpen = kind == TG_rng ? decomposeRng(op, &b, results, numRng++) : functionFor(kind)(op, &b, results);
    succeeded = succeeded && isOpen;
    if (!isOpen)
      continue;
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op); ++k)
      mlirValueReplaceAllUsesOfWith(irResult(op, k), results[k]);
    mlirOperationDestroy(op);
  }
  free(found.data);
  if (!succeeded)
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo tgDecomposePass = {
    .argument = "tg-decompose",
    .description = "Open compound operations: normalisations, activations, random numbers",
    .anchor = "builtin.module",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = run,
};
