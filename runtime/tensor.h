//===- tensor.h - element types of tensors -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_TENSOR_H
#define STITCH_RUNTIME_TENSOR_H

#include "runtime/element_type.h"
#include "runtime/model.h"
#include "runtime/stitch_runtime.h"

/// DLPack's form of an element type; all zero if there is no such type.
StitchDataType stitchDataTypeOf(StitchElementType type);

/// Sets `type` to the element type that DLPack's form stands for; false if Stitch has none.
bool stitchElementTypeOf(StitchDataType dtype, StitchElementType *type);

size_t stitchInputBytes(const StitchModelInput *input);

/// Copies the inputs that a run updates in place to the outputs that they become, if these have other memory; all is in
/// host memory.
void stitchBeginUpdates(const StitchModelDescriptor *model, void *const *inputs, void *const *outputs);

#endif // STITCH_RUNTIME_TENSOR_H
