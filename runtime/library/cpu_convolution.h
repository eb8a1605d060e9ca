//===- cpu_convolution.h - tg.convolution on the CPU ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dot of all windows of an image with the kernel. The windows are copied into the rows of a matrix ("im2col"), which
// resolves padding, dilation, reversal, groups and any order of dimensions. oneDNN's matmul does the arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_CONVOLUTION_H
#define STITCH_RUNTIME_LIBRARY_CPU_CONVOLUTION_H

#include "runtime/library/convolution_shape.h"
#include "runtime/library/cpu_dot.h"

/// A convolution problem, prepared, with memory for the windows of one image. Not thread-safe.
typedef struct StitchConvolution StitchConvolution;

/// Checks a problem and describes where its elements are. Fails with STITCH_INVALID_ARGUMENT if it contradicts itself.
StitchStatus stitchConvolutionShapeOf(const StitchLibraryProblem *problem, StitchConvolutionShape *shape);

/// Fails as stitchConvolutionShapeOf does, and with STITCH_UNIMPLEMENTED if no dot has its types. The caller releases
/// the result with stitchConvolutionDestroy.
StitchStatus stitchConvolutionCreate(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm,
                                     StitchConvolution **convolution);

/// The dot that computes its products.
const StitchDot *stitchConvolutionDot(const StitchConvolution *convolution);

/// `result` must not overlap the operands.
StitchStatus stitchConvolutionExecute(StitchConvolution *convolution, const void *lhs, const void *rhs, void *result);

/// Releases a convolution; NULL is allowed.
void stitchConvolutionDestroy(StitchConvolution *convolution);

#endif // STITCH_RUNTIME_LIBRARY_CPU_CONVOLUTION_H
