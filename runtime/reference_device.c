//===- reference_device.c - the model as plain loops on the CPU ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device.h"

#include <stdlib.h>

typedef struct {
  const StitchModelDescriptor *model;
  StitchLibrary *library;
} Reference;

static void referenceDestroy(void *state) {
  Reference *reference = state;
  stitchLibraryDestroy(reference->library);
  free(reference);
}

static StitchStatus referenceCreate(const StitchModelDescriptor *model, const StitchSessionOptions *options,
                                    void **state) {
  (void)options;
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
  *state = reference;
  return NULL;
}

static StitchStatus referenceRun(void *state, const StitchRunTensors *tensors) {
  Reference *reference = state;
  StitchHostCallbacks callbacks = {.libraryContext = reference->library, .library = stitchLibraryCall};
  int32_t code = reference->model->reference(tensors->inputData, tensors->outputData, &callbacks);
  StitchStatus status = stitchLibraryTakeStatus(reference->library);
  if (!status && code)
    status = stitchStatusMake(STITCH_INTERNAL, "the reference returned %d without a reason", (int)code);
  return status;
}

const StitchDeviceInterface stitchReferenceDevice = {
    .create = referenceCreate, .run = referenceRun, .destroy = referenceDestroy};
