//===- main.c - stitch-opt: mlir-opt with Stitch's dialects and passes ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls mlir-opt's main function with all dialects and passes of stitch.h.
//
//===----------------------------------------------------------------------===//

#include "capi/main.h"
#include "capi/allocate.h"
#include "stitch.h"

int main(int argc, char **argv) {
  stitchExitWithoutLLVMMemory("stitch-opt");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  int status = stitchOptMain(argc, argv, "Stitch optimizer driver\n", registry);
  mlirDialectRegistryDestroy(registry);
  return status;
}
