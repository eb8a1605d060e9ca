//===- plan_module.h - planning a module on any thread -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_PLAN_MODULE_H
#define STITCH_PASSES_COMMON_PLAN_MODULE_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Runs a textual pipeline on a module with a pass manager of its own. So several threads can do it for modules within
/// the one that a pass runs on. False after a diagnostic.
bool planModuleBy(MlirOperation module, const char *passes);
/// The same without verification behind each pass, which takes a fifth of the time of a small module. It is for modules
/// that a pass has made itself; the module that gets their operations is verified.
bool planModuleUnverified(MlirOperation module, const char *passes);

#endif // STITCH_PASSES_COMMON_PLAN_MODULE_H
