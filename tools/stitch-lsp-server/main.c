//===- main.c - stitch-lsp-server: editor support for Stitch's dialects --===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls MLIR's language server with all dialects of stitch.h.
//
//===----------------------------------------------------------------------===//

#include "capi/main.h"
#include "capi/allocate.h"
#include "stitch.h"

int main(int argc, char **argv) {
  stitchExitWithoutLLVMMemory("stitch-lsp-server");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  stitchRegisterEverything(registry);
  int status = stitchLspServerMain(argc, argv, registry);
  mlirDialectRegistryDestroy(registry);
  return status;
}
