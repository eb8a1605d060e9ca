//===- stitch_jax.h - models as calls of XLA programs --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PYTHON_JAX_FFI_STITCH_JAX_H
#define STITCH_PYTHON_JAX_FFI_STITCH_JAX_H

#include "runtime/stitch_runtime.h"

/// A model that XLA programs call: its sessions, one for each stream. The attribute "call" of the custom call is its
/// number. An XLA program may be kept in a file and come back in a process that has no such call, which is an error.
typedef struct StitchJaxCall StitchJaxCall;

/// Loads a model file. `number`: one that no other call has, in no process. `explore`: versions are measured
/// (docs/adaptive.md).
StitchStatus stitchJaxCallCreate(const char *path, int64_t number, bool explore, StitchJaxCall **call);

/// The loaded model, while the call lives.
const StitchModel *stitchJaxCallModel(const StitchJaxCall *call);

/// Once no program calls it any more. NULL is allowed.
void stitchJaxCallFree(StitchJaxCall *call);

/// XLA's handlers (XLA_FFI_Handler): on the CPU's device simt, and on XLA's stream of a GPU.
struct XLA_FFI_Error *stitchJaxRunOnHost(struct XLA_FFI_CallFrame *frame);
struct XLA_FFI_Error *stitchJaxRunOnGpu(struct XLA_FFI_CallFrame *frame);

#endif // STITCH_PYTHON_JAX_FFI_STITCH_JAX_H
