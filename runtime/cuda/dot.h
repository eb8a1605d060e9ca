//===- dot.h - tg.dot on a GPU -------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are passed to cuBLASLt with their strides, transposed or not, in strided batches. An operand whose rows or
// columns have no single stride is packed first; types that cuBLASLt does not have go through a kernel of our own.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_DOT_H
#define STITCH_RUNTIME_CUDA_DOT_H

#include "runtime/cuda/choices.h"
#include "runtime/cuda/cublaslt.h"
#include "runtime/cuda/driver.h"
#include "runtime/library/dot_implementation.h"

/// What dots share. All borrowed.
typedef struct {
  StitchCuda *cuda;
  const StitchCublasLt *blas; ///< open if any dot needs it
  CUfunction pack, product;   ///< stitch_pack and stitch_dot of kernels.h
  bool tf32;
  bool autotune;
  StitchChoices *choices;
} StitchCudaDotContext;

/// A dot, planned: a call of it only enqueues.
typedef struct StitchCudaDot StitchCudaDot;

/// Whether cuBLASLt has products of these types.
bool stitchCudaDotNeedsBlas(const StitchDotShape *shape);

/// Looks up the algorithm: in the choices, else by the library's heuristics. The context is kept.
StitchStatus stitchCudaDotCreate(const StitchCudaDotContext *context, const StitchDotShape *shape, StitchCudaDot **dot);

/// Device memory that a call needs, in bytes; a multiple of 256.
size_t stitchCudaDotWorkspaceBytes(const StitchCudaDot *dot);

/// Enqueues the product. `workspace` is aligned to 256. With autotuning the first call waits for the stream and may
/// change the choices.
StitchStatus stitchCudaDotCall(StitchCudaDot *dot, const void *lhs, const void *rhs, void *result, void *workspace,
                               CUstream stream);

void stitchCudaDotFree(StitchCudaDot *dot);

#endif // STITCH_RUNTIME_CUDA_DOT_H
