//===- main.cpp - the mains of MLIR's tools -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/main.h"

#include "capi/diagnostics.h"
#include "dialects/stitch/stitch_dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;

int stitchOptMain(int argc, char **argv, const char *toolName, MlirDialectRegistry registry) {
  static llvm::cl::opt<bool> remarks(
      "stitch-remarks",
      llvm::cl::desc("Explain every decision of the Stitch passes as a remark at the op it concerns"));
  llvm::InitLLVM init(argc, argv);
  // A context loads a dialect after the command line has been parsed, so the extension sees the flag.
  unwrap(registry)->addExtension(+[](MLIRContext *, stitch::StitchDialect *dialect) {
    if (remarks)
      dialect->enableRemarks(true);
  });
  return asMainReturnCode(MlirOptMain(argc, argv, toolName, *unwrap(registry)));
}

int stitchLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}
