//===- main.cpp - the mains of MLIR's tools ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/main.h"

#include "capi/booleans.h"
#include "capi/diagnostics.h"
#include "capi/nesting.h"
#include "capi/parse.h"
#include "capi/statistics.h"
#include "dialects/stitch/stitch_dialect.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Refuses input that would crash MLIR, with an error.
static bool checkInput(llvm::StringRef name, const llvm::MemoryBuffer &file, DialectRegistry &registry) {
  if (!irCheckNesting(name.str().c_str(), file.getBufferStart(), file.getBufferSize()))
    return false;
  if (!isBytecode(file))
    return true;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  return stitchCheckBytecode(wrap(&context), file.getBufferStart(), file.getBufferSize());
}

/// The file in memory that may be changed, with a null byte behind it; null if it cannot be read.
static std::unique_ptr<llvm::MemoryBuffer> readInput(llvm::StringRef path, std::string &problem) {
  constexpr uint64_t pageSize = 4096;
  const llvm::Align alignment(64); // for bytecode
  uint64_t size = 0;
  bool isFile = path != "-" && !llvm::sys::fs::file_size(path, size);
  // A file that is mapped ends with zeros, unless it fills its last page.
  if (isFile && size % pageSize != 0) {
    auto mapped = llvm::WritableMemoryBuffer::getFile(path, /*IsVolatile=*/false, alignment);
    if (mapped)
      return std::move(*mapped);
  }
  auto file = openInputFile(path, &problem);
  if (!file)
    return nullptr;
  auto copy =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file->getBufferSize(), file->getBufferIdentifier(), alignment);
  if (copy)
    llvm::copy(file->getBuffer(), copy->getBufferStart());
  return copy;
}

/// As MlirOptMain does it, except for the checks of `checkInput` and the changes of stitchPackBooleans.
static LogicalResult runOnFile(llvm::StringRef input, llvm::StringRef output, DialectRegistry &registry) {
  std::string problem;
  auto file = readInput(input, problem);
  auto outputFile = file ? openOutputFile(output, &problem) : nullptr;
  if (!outputFile) {
    llvm::errs() << problem << "\n";
    return failure();
  }
  if (!checkInput(input == "-" ? "<stdin>" : input, *file, registry))
    return failure();
  stitchPackBooleans(const_cast<char *>(file->getBufferStart()), file->getBufferSize());
  if (failed(MlirOptMain(outputFile->os(), std::move(file), registry, MlirOptMainConfig::createFromCLOptions())))
    return failure();
  outputFile->keep();
  return success();
}

int stitchOptMain(int argc, char **argv, const char *toolName, MlirDialectRegistry registry) {
  static llvm::cl::opt<bool> remarks(
      "stitch-remarks",
      llvm::cl::desc("Explain every decision of the Stitch passes as a remark at the op it concerns"));
  static llvm::cl::opt<bool> statistics(
      "stitch-statistics", llvm::cl::desc("Print the statistics of the Stitch passes when the program ends"),
      llvm::cl::callback([](const bool &asked) {
        if (asked)
          stitchPrintStatisticsAtExit();
      }));
  llvm::InitLLVM init(argc, argv);
  // A context loads a dialect after the command line has been parsed, so the extension sees the flag.
  unwrap(registry)->addExtension(+[](MLIRContext *, stitch::StitchDialect *dialect) {
    if (remarks)
      dialect->enableRemarks(true);
  });
  auto [input, output] = registerAndParseCLIOptions(argc, argv, toolName, *unwrap(registry));
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.shouldListPasses() && !config.shouldShowDialects())
    return asMainReturnCode(runOnFile(input, output, *unwrap(registry)));
  return asMainReturnCode(MlirOptMain(argc, argv, input, output, *unwrap(registry)));
}

int stitchLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}

int stitchReduceMain(int argc, char **argv, MlirDialectRegistry registry) {
  registerReducerPasses();
  MLIRContext context(*unwrap(registry));
  return asMainReturnCode(mlirReduceMain(argc, argv, context));
}
