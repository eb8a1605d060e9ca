//===- settings.c - tiles of reductions, before there are kernels ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO 4.2, algorithm 2 (consist_dim_and_param): two micro-graphs with reductions are one only if their tile sizes
// and their settings of blocks are the same. What these are the lower layer has chosen; here it is what the reduction
// gets as a kernel of its own, from stitch-dominants and stitch-thread-mapping. Equal reductions are asked for once.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/patterns/settings.h"

#include "ir/mlir/build.h"
#include "passes/common/fusion_body.h"
#include "passes/common/kernel_module.h"

#include <stdlib.h>

/// The reduction alone in a fusion, of values that are in memory, in a module of its own.
static MlirOperation moduleOf(MlirOperation reduction) {
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirLocation loc = mlirOperationGetLocation(reduction);
  MlirOperation copy = mlirOperationClone(reduction);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(reduction); ++i)
    mlirOperationSetOperand(copy, i, fusionBodyOwnArgument(&body, irOperand(reduction, i), loc));
  mlirBlockAppendOwnedOperation(body.block, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(copy); ++i)
    valueListAdd(&results, irResult(copy, i));
  MlirOperation fusion = fusionBodyClose(&body, "stitch.fusion", loc, &results, reduction);
  MlirOperation module = kernelModuleCreate(fusion);
  mlirOperationDestroy(fusion);
  valueListDestroy(&results);
  return module;
}

static MlirAttribute planSettings(MlirOperation reduction) {
  char *problem = NULL;
  MlirOperation module = moduleOf(reduction);
  MlirAttribute settings = mlirAttributeGetNull();
  if (kernelModulePlan(module, "stitch-dominants,stitch-thread-mapping", &problem))
    settings = irGetAttr(mlirBlockGetFirstOperation(irBody(kernelModuleFusion(module), 0)), "stitch.mapping");
  mlirOperationDestroy(module);
  free(problem);
  return settings;
}

static bool isSameReduction(MlirOperation a, MlirOperation b) {
  bool same = mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) &&
              mlirOperationGetNumOperands(a) == mlirOperationGetNumOperands(b) &&
              mlirAttributeEqual(irGetAttr(a, "dims"), irGetAttr(b, "dims"));
  for (intptr_t i = 0; same && i < mlirOperationGetNumOperands(a); ++i)
    same = mlirTypeEqual(mlirValueGetType(irOperand(a, i)), mlirValueGetType(irOperand(b, i)));
  return same;
}

MlirAttribute reductionSettings(ReductionSettings *known, MlirOperation reduction) {
  for (int64_t i = 0; i < known->count; ++i)
    if (isSameReduction(known->reductions[i], reduction))
      return known->settings[i];
  IR_RESERVE_ONE(known->reductions, known->count, known->capacity);
  IR_RESERVE_ONE(known->settings, known->count, known->settingsCapacity);
  known->reductions[known->count] = reduction;
  known->settings[known->count] = planSettings(reduction);
  return known->settings[known->count++];
}

void reductionSettingsDestroy(ReductionSettings *known) {
  free(known->reductions);
  free(known->settings);
}
