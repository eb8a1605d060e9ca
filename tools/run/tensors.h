//===- tensors.h - the tensors of a model's run --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_RUN_TENSORS_H
#define STITCH_TOOLS_RUN_TENSORS_H

#include "tools/run/run.h"

/// Memory for all outputs. They begin as all ones (NaN for floats), so that an element that is never written shows.
StitchStatus allocateOutputs(const Run *run, void ***result);

/// Reads the inputs that are given and makes up the others; a variable has its initial value, if there is one.
StitchStatus fillInputs(const RunOptions *options, Run *run);

/// Memory for the inputs, filled.
StitchStatus makeInputs(const RunOptions *options, Run *run);

/// The tensors of a session: views of host memory, or memory of its own on a GPU.
typedef struct {
  StitchTensor *tensors;              ///< inputs, then outputs
  DLManagedTensorVersioned **managed; ///< those on a GPU; NULL: host memory
  void **packed;                      ///< copies of inputs whose elements are packed
  int64_t count;
} Tensors;

/// Views of the run's inputs, copies of those that are packed, and of `outputs`. To be freed, also after a failure.
StitchStatus viewTensors(const Run *run, void *const *outputs, Tensors *tensors);
void freeTensors(Tensors *tensors);
/// Unpacks a session's outputs in host memory into the tools' form.
void unpackOutputs(const Run *run, void *const *outputs);

#endif // STITCH_TOOLS_RUN_TENSORS_H
