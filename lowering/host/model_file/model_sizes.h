//===- model_sizes.h - the sizes of inputs and outputs in a model file ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_HOST_MODEL_FILE_MODEL_SIZES_H
#define STITCH_LOWERING_HOST_MODEL_FILE_MODEL_SIZES_H

#include "ir/mlir/function.h"
#include "ir/mlir/symbol.h"
#include "lowering/host/model_file/constants.h"

/// The caller's view of an argument or a result of @main.
typedef struct {
  IrShape shape; ///< for the largest sizes
  IrSize sizes[IR_MAX_RANK];
  bool isOpen;
} BorderSizes;

/// The sizes that an attribute says, or that of the outermost dimension, by the type; `list` is "arg_attrs" or
/// "res_attrs".
BorderSizes borderSizes(MlirOperation main, const char *list, intptr_t index, MlirType type);

/// The largest sizes.
LLVMValueRef constantDims(Writer *w, const BorderSizes *border);
/// The table of StitchSize; null if no size is open.
LLVMValueRef constantSizes(Writer *w, MlirOperation main, const BorderSizes *border);
LLVMValueRef constantSizeList(Writer *w, MlirOperation main, intptr_t count, const IrSize *list);

#endif // STITCH_LOWERING_HOST_MODEL_FILE_MODEL_SIZES_H
