//===- model_adaptive.h - adaptive variables of a model file --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_HOST_MODEL_FILE_MODEL_ADAPTIVE_H
#define STITCH_LOWERING_HOST_MODEL_FILE_MODEL_ADAPTIVE_H

#include "lowering/host/model_file/constants.h"

/// StitchModelAdaptive of each entry in `stitch.adaptive` of the host function; none if it is null.
LLVMValueRef adaptiveTable(Writer *w, MlirOperation host, int64_t *count);

/// StitchModelUpdate of each node in its `stitch.update`, which convert-stitch-to-gpu has checked.
LLVMValueRef updateTable(Writer *w, MlirOperation host, int64_t *count);

/// StitchModelStep of each entry in its `stitch.steps`, and how many streams they are on.
LLVMValueRef stepTable(Writer *w, MlirOperation host, int64_t *count, int64_t *numStreams);

#endif // STITCH_LOWERING_HOST_MODEL_FILE_MODEL_ADAPTIVE_H
