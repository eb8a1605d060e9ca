//===- plan_module.c - planning a module on any thread -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass runs nested pipelines on its own thread alone (stitchPassRunPipeline). Modules that are made to be planned and
// thrown away have nothing in common with it, and can be planned side by side (capi/threads.h).
//
//===----------------------------------------------------------------------===//

#include "passes/common/plan_module.h"

#include "capi/diagnostics.h"
#include "capi/pass.h"

#include "mlir-c/Pass.h"

static void emitText(MlirStringRef text, void *module) {
  stitchEmitOpError(*(MlirOperation *)module, "%.*s", (int)text.length, text.data);
}

static bool plan(MlirOperation module, const char *passes, bool verifies) {
  MlirPassManager manager = mlirPassManagerCreateOnOperation(mlirOperationGetContext(module),
                                                             mlirStringRefCreateFromCString("builtin.module"));
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                                          mlirStringRefCreateFromCString(passes), emitText, &module);
  stitchQuietPasses(mlirPassManagerGetAsOpPassManager(manager));
  mlirPassManagerEnableVerifier(manager, verifies);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(manager, module);
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(result);
}

bool planModuleBy(MlirOperation module, const char *passes) { return plan(module, passes, /*verifies=*/true); }

bool planModuleUnverified(MlirOperation module, const char *passes) { return plan(module, passes, /*verifies=*/false); }
