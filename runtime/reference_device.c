//===- reference_device.c - the model as plain loops on the CPU ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device "reference": runs the model's reference function, compiled without a plan, on host memory. Inputs that are
// updated in place are copied first, as the reference does not update.
//
//===----------------------------------------------------------------------===//

#include "runtime/device.h"
#include "runtime/tensor.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const StitchModelDescriptor *model;
  StitchLibrary *library;
} Reference;

static void referenceDestroy(void *state) {
  Reference *reference = state;
  stitchLibraryDestroy(reference->library);
  free(reference);
}

static StitchStatus referenceCreate(void *shared, const StitchModelDescriptor *model,
                                    const StitchSessionOptions *options, void **state) {
  (void)shared, (void)options;
  if (!model->reference)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION, "the model was compiled with --no-reference");
  Reference *reference = calloc(1, sizeof(*reference));
  if (!reference)
    return stitchStatusOutOfMemory();
  reference->model = model;
  const StitchModelLibraryCalls *calls = &model->referenceCalls;
  StitchStatus status = stitchLibraryCreate(calls->problems, calls->count, &reference->library);
  if (status) {
    free(reference);
    return status;
  }
  if (model->numProcesses > 1)
    stitchLibrarySetWorld(reference->library, stitchWorldCurrent());
  *state = reference;
  return NULL;
}

/// Copies of the inputs whose memory the caller has given to the outputs that they become: the reference updates
/// nothing in place. `inputs` has room for all pointers and gets them; the caller releases those that differ.
static StitchStatus keepUpdated(const StitchModelDescriptor *model, const StitchRunTensors *tensors, void **inputs) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < model->numInputs; ++i) {
    const StitchModelInput *input = &model->inputs[i];
    inputs[i] = tensors->inputData[i];
    size_t bytes = input->updated && tensors->outputData[input->updated - 1] == inputs[i] ? stitchInputBytes(input) : 0;
    void *copy = bytes && !status ? malloc(bytes) : NULL;
    if (bytes && !copy && !status)
      status = stitchStatusOutOfMemory();
    if (copy)
      inputs[i] = memcpy(copy, inputs[i], bytes);
  }
  return status;
}

static StitchStatus runReference(const Reference *reference, void *const *inputs, void *const *outputs) {
  StitchHostCallbacks callbacks = {.libraryContext = reference->library, .library = stitchLibraryCall};
  int32_t code = reference->model->reference(inputs, outputs, &callbacks);
  StitchStatus status = stitchLibraryTakeStatus(reference->library);
  if (!status && code)
    status = stitchStatusMake(STITCH_INTERNAL, "the reference returned %d without a reason", (int)code);
  return status;
}

static StitchStatus referenceRun(void *state, const StitchRunTensors *tensors) {
  const Reference *reference = state;
  const StitchModelDescriptor *model = reference->model;
  void **inputs = calloc((size_t)model->numInputs + 1, sizeof(*inputs));
  StitchStatus status = inputs ? keepUpdated(model, tensors, inputs) : stitchStatusOutOfMemory();
  if (!status)
    status = runReference(reference, inputs, tensors->outputData);
  for (int64_t i = 0; inputs && i < model->numInputs; ++i)
    if (inputs[i] != tensors->inputData[i])
      free(inputs[i]);
  free(inputs);
  return status;
}

const StitchDeviceInterface stitchReferenceDevice = {
    .create = referenceCreate, .run = referenceRun, .destroy = referenceDestroy};
