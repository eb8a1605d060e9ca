//===- code.c - modules of a model as LLVM bitcode -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each module is translated without the parts that are in the descriptor's object file. Modules are copied for that:
// the descriptor is made of them, too.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/host/model_file/model_file.h"

#include <stdlib.h>
#include <string.h>

/// Translates a module and destroys it.
char *stitchModelProgramName(MlirOperation module) {
  MlirAttribute name = irGetAttr(module, STITCH_MODEL_PROGRAM);
  MlirStringRef text = mlirAttributeIsNull(name) ? (MlirStringRef){"", 0} : mlirStringAttrGetValue(name);
  char *copy = irAllocateZeroed(text.length + 1, 1);
  memcpy(copy, text.data, text.length);
  return copy;
}

static StitchHostCode *translate(MlirOperation copy, const char *name, bool longFunctionsRunOnce) {
  char *program = stitchModelProgramName(copy);
  StitchHostModule module = {
      .module = copy, .name = name, .program = program, .longFunctionsRunOnce = longFunctionsRunOnce};
  StitchHostCode *code = stitchTranslateHostModule(&module);
  free(program);
  mlirOperationDestroy(copy);
  return code;
}

/// Without operations that are not LLVM: the constants and the kernels.
StitchHostCode *stitchModelCodeOfHost(MlirOperation host) {
  MlirOperation copy = mlirOperationClone(host);
  IR_FOR_EACH_OP_REPLACING(op, irBody(copy, 0)) {
    if (!irOpIs(op, "llvm.func"))
      mlirOperationDestroy(op);
  }
  return translate(copy, "host", true);
}

StitchHostCode *stitchModelCodeOfSimt(MlirOperation simt) { return translate(mlirOperationClone(simt), "simt", false); }

StitchHostCode *stitchModelCodeOfPlainReference(MlirOperation reference) {
  return translate(mlirOperationClone(reference), "reference", true);
}

/// Without long constants.
StitchHostCode *stitchModelCodeOfReference(MlirOperation reference) {
  MlirOperation copy = mlirOperationClone(reference);
  stitchTakeConstants(copy);
  return translate(copy, "reference", true);
}
