//===- settings.c - tiles of reductions, before there are kernels ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO 4.2, algorithm 2 (consist_dim_and_param): two micro-graphs with reductions are one only if their tile sizes
// and their settings of blocks are the same. In the paper the lower layer has chosen these. Here they are those of the
// reduction as a kernel of its own, from stitch-dominants and stitch-thread-mapping. A context plans equal reductions
// once (capi/kernel_times.h).
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/build.h"
#include "passes/common/fusion_body.h"
#include "passes/common/kernel_key.h"
#include "passes/common/kernel_module.h"
#include "passes/stitch_outline/patterns/patterns.h"

#include <stdlib.h>

#define PASSES "stitch-dominants,stitch-thread-mapping"

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
  if (kernelModulePlan(module, PASSES, &problem))
    settings = irGetAttr(mlirBlockGetFirstOperation(irBody(kernelModuleFusion(module), 0)), "stitch.mapping");
  mlirOperationDestroy(module);
  free(problem);
  return settings;
}

MlirAttribute reductionSettings(MlirOperation reduction) {
  MlirContext context = mlirOperationGetContext(reduction);
  double ns;
  MlirAttribute settings;
  StitchKernelKey key = kernelKeyBegin();
  kernelKeyPutText(&key, PASSES);
  kernelKeyPutModule(&key, reduction);
  bool isWhole = kernelKeyPutOperation(&key, reduction);
  if (isWhole && stitchKernelTimeFind(context, key, &ns, &settings))
    return settings;
  settings = planSettings(reduction);
  if (isWhole)
    stitchKernelTimeAdd(context, key, /*ns=*/0, settings);
  return settings;
}
