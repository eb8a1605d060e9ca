//===- plugin.cpp - StitchPlugin.so, for the tools of MLIR ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt and other tools with MLIR's plugin options, of the same LLVM, load it:
//
//   mlir-opt --load-dialect-plugin=StitchPlugin.so --load-pass-plugin=StitchPlugin.so
//            --pass-pipeline='builtin.module(stitch-pipeline)'
//
//===----------------------------------------------------------------------===//

#include "capi/plugin/flags.h"
#include "capi/statistics.h"
#include "dialects/stitch/stitch_dialect.h"
#include "stitch.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

static llvm::cl::opt<bool>
    remarks("stitch-remarks",
            llvm::cl::desc("Explain every decision of the Stitch passes as a remark at the op it concerns"));

static llvm::cl::opt<bool> statistics("stitch-statistics",
                                      llvm::cl::desc("Print the statistics of the Stitch passes when the program ends"),
                                      llvm::cl::callback([](const bool &asked) {
                                        if (asked)
                                          stitchPrintStatisticsAtExit();
                                      }));

static void registerPasses() {
  stitchRegisterPasses();
  stitchForEachPass(
      [](const char *argument, const char *description, void *) { stitchAddPassFlag(argument, description); }, nullptr);
}

/// Includes the readers of StableHLO unless the dialect itself is registered.
static void registerDialects(DialectRegistry *registry) {
  stitchRegisterDialects(wrap(registry));
  const MlirDialectHandle readers[] = {mlirGetDialectHandle__stablehlo__(), mlirGetDialectHandle__chlo__(),
                                       mlirGetDialectHandle__vhlo__(), mlirGetDialectHandle__sdy__()};
  for (MlirDialectHandle reader : readers)
    if (!llvm::is_contained(registry->getDialectNames(), unwrap(mlirDialectHandleGetNamespace(reader))))
      mlirDialectHandleInsertDialect(reader, wrap(registry));
  registry->addExtension(+[](MLIRContext *, stitch::StitchDialect *dialect) { dialect->enableRemarks(remarks); });
  registerPasses();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Stitch", STITCH_VERSION, registerDialects};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Stitch", STITCH_VERSION, registerPasses};
}
