//===- main.c - another compiler that appends Stitch's pipeline ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stitch.h"

#include "mlir-c/Dialect/Func.h"

#include <stdio.h>

static const char *graph = "func.func @main(%x: tensor<64x128xf32>) -> tensor<64xf32> {\n"
                           "  %e = tg.exp %x : tensor<64x128xf32>\n"
                           "  %s = tg.reduce add %e dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>\n"
                           "  return %s : tensor<64xf32>\n"
                           "}\n";

static void print(MlirStringRef text, void *file) { fwrite(text.data, 1, text.length, file); }

static int planAndPrint(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(graph));
  if (mlirModuleIsNull(module))
    return 1;
  MlirPassManager manager = mlirPassManagerCreateOnOperation(context, mlirStringRefCreateFromCString("builtin.module"));
  MlirLogicalResult result =
      stitchAppendPipeline(mlirPassManagerGetAsOpPassManager(manager), "device=a100", print, stderr);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  if (mlirLogicalResultIsSuccess(result))
    mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  return mlirLogicalResultIsFailure(result);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__func__(), registry);
  stitchRegisterPasses();
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/true);
  int status = planAndPrint(context);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return status;
}
