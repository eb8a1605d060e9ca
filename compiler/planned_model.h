//===- planned_model.h - models that are plans already -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of --emit=plan, perhaps edited by a person, is a model, too: it is compiled as it is planned.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_PLANNED_MODEL_H
#define STITCH_COMPILER_PLANNED_MODEL_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// Whether a module holds fusions or library calls.
bool isPlannedModel(MlirOperation module);

/// Makes a plan the graph that it is a plan of: the operations of fusions and library calls replace these, and all plan
/// attributes are gone. False after an error: a plan with several versions (stitch.adaptive) has no such graph.
bool dissolvePlan(MlirOperation module);

/// Replaces a plan by a module with one of its kernels, by its key, as @main; false if there is none.
bool selectKernel(MlirOperation *module, uint64_t key);

#endif // STITCH_COMPILER_PLANNED_MODEL_H
