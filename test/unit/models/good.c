//===- good.c - a model file written by hand -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/model.h"

#include <stddef.h>

#ifndef ABI_VERSION
#define ABI_VERSION STITCH_MODEL_ABI_VERSION
#endif
#ifndef MAGIC
#define MAGIC STITCH_MODEL_MAGIC
#endif
#ifndef UPDATED
#define UPDATED 0
#endif
#ifndef NEXT
#define NEXT 0
#endif
#ifndef ELEMENT_TYPE
#define ELEMENT_TYPE STITCH_ELEMENT_F32
#endif

/// out = 2 * in; fails without a reason for a negative first element.
static int32_t reference(void *const *inputs, void *const *outputs, const StitchHostCallbacks *callbacks) {
  (void)callbacks;
  const float *in = inputs[0];
  float *out = outputs[0];
  for (int i = 0; i < 6; ++i)
    out[i] = 2.0f * in[i];
  return in[0] < 0.0f ? 7 : 0;
}

#ifdef RUN_ERROR
/// A stitched model without kernels: out = 2 * in, and RUN_ERROR more in the fifth element.
static int32_t runHost(const StitchHostCallbacks *callbacks, void *const *inputs, void *const *outputs, void *arena,
                       const void *const *constants) {
  (void)callbacks, (void)arena, (void)constants;
  const float *in = inputs[0];
  float *out = outputs[0];
  for (int i = 0; i < 6; ++i)
    out[i] = 2.0f * in[i] + (i == 4 ? RUN_ERROR : 0.0f);
  return 0;
}
#else
#define runHost NULL
#endif

static const int64_t dims[] = {2, 3};
static const StitchModelInput inputs[] = {
    {"x", ELEMENT_TYPE, 2, dims, STITCH_INPUT_POSITIVE, 0.5, 1.5, 0, NEXT, NULL, UPDATED, 0}};
static const StitchModelOutput outputs[] = {{"y", STITCH_ELEMENT_F32, 2, dims, 1e-14, 1e-7, 6e-8, 1, 1, 0, 0}};

extern const StitchModelDescriptor stitch_model;
const StitchModelDescriptor stitch_model = {
    .magic = MAGIC,
    .abiVersion = ABI_VERSION,
    .producer = "test",
    .device = "#stitch.device<simt>",
    .inputs = inputs,
    .numInputs = 1,
    .outputs = outputs,
    .numOutputs = 1,
    .run = runHost,
    .reference = reference,
};
