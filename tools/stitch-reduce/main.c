//===- main.c - stitch-reduce: a smaller module that shows the same ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls mlir-reduce's main function with all dialects and passes of stitch.h.
//
//===----------------------------------------------------------------------===//

#include "capi/main.h"
#include "capi/allocate.h"
#include "stitch.h"

int main(int argc, char **argv) {
  stitchExitWithoutLLVMMemory("stitch-reduce");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  int status = stitchReduceMain(argc, argv, registry);
  mlirDialectRegistryDestroy(registry);
  return status;
}
