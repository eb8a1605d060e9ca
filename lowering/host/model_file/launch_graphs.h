//===- launch_graphs.h - graphs of launches as bytes ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_HOST_MODEL_FILE_LAUNCH_GRAPHS_H
#define STITCH_LOWERING_HOST_MODEL_FILE_LAUNCH_GRAPHS_H

#include "ir/mlir/map.h"

#include "mlir-c/IR.h"

/// Texts that graphs name by their numbers, each once.
typedef struct {
  IrMap numberOf; ///< pointer of a string attribute -> number
  MlirAttribute *data;
  intptr_t count, capacity;
} GraphTexts;

void graphTextsDestroy(GraphTexts *texts);

/// Released with free(data).
typedef struct {
  uint8_t *data;
  intptr_t count, capacity;
} GraphBytes;

/// Appends the bytes of a function of the module @graphs (docs/ir.md, section 6). `main` has the model's symbols. False
/// after a located error.
bool graphWrite(MlirOperation function, MlirOperation main, GraphTexts *texts, GraphBytes *bytes);

#endif // STITCH_LOWERING_HOST_MODEL_FILE_LAUNCH_GRAPHS_H
