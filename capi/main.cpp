//===- main.cpp - the mains of MLIR's tools ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/main.h"

#include "capi/bytecode.h"
#include "capi/diagnostics.h"
#include "capi/nesting.h"
#include "dialects/stitch/stitch_dialect.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Refuses what MLIR would not survive, with an error.
static bool checkInput(llvm::StringRef name, const llvm::MemoryBuffer &file, DialectRegistry &registry) {
  if (!irCheckNesting(name.str().c_str(), file.getBufferStart(), file.getBufferSize()))
    return false;
  if (!isBytecode(file))
    return true;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  return stitchCheckBytecode(wrap(&context), file.getBufferStart(), file.getBufferSize());
}

/// As MlirOptMain does it, but for what `checkInput` refuses.
static LogicalResult runOnStandardInput(llvm::StringRef output, DialectRegistry &registry) {
  std::string problem;
  auto file = openInputFile("-", &problem);
  auto outputFile = file ? openOutputFile(output, &problem) : nullptr;
  if (!outputFile) {
    llvm::errs() << problem << "\n";
    return failure();
  }
  if (!checkInput("<stdin>", *file, registry) ||
      failed(MlirOptMain(outputFile->os(), std::move(file), registry, MlirOptMainConfig::createFromCLOptions())))
    return failure();
  outputFile->keep();
  return success();
}

/// A file that cannot be read is reported later.
static bool checkFile(llvm::StringRef path, DialectRegistry &registry) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return !file || checkInput(path, **file, registry);
}

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
  auto [input, output] = registerAndParseCLIOptions(argc, argv, toolName, *unwrap(registry));
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (input == "-" && !config.shouldListPasses() && !config.shouldShowDialects())
    return asMainReturnCode(runOnStandardInput(output, *unwrap(registry)));
  if (!checkFile(input, *unwrap(registry)))
    return EXIT_FAILURE;
  return asMainReturnCode(MlirOptMain(argc, argv, input, output, *unwrap(registry)));
}

int stitchLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}
