//===- kernels.h - the runtime's own kernels -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels for computations without a library. They pack operands that no strides describe, and compute products and
// convolutions that the libraries do not have, one element a thread. They compute epilogues and their sums, and
// transforms, factors and solutions where a library is missing. Between processes they combine the operands that NCCL
// does not combine. The compiler of this project compiles kernels/kernel_code.c, C code, to PTX when the runtime is
// built. The structs here are kernel parameters and have one layout on both sides.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_KERNELS_H
#define STITCH_RUNTIME_CUDA_KERNELS_H

#include "runtime/library/convolution_shape.h"
#include "runtime/library/epilogue_shape.h"

#include <stdint.h>

enum { STITCH_KERNEL_MAX_RANK = 16, STITCH_KERNEL_BLOCK = 256 };

/// Dimensions, outermost first, with their strides in elements.
typedef struct {
  int64_t rank;
  int64_t sizes[STITCH_KERNEL_MAX_RANK];
  int64_t strides[STITCH_KERNEL_MAX_RANK];
} StitchKernelAxes;

/// stitch_pack: to[i] = element i of `axes` at `from`.
typedef struct {
  const void *from;
  void *to;
  int64_t count;
  int64_t elementBytes; ///< 1, 2, 4, 8 or 16
  StitchKernelAxes axes;
} StitchPackParameters;

/// stitch_dot: result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n]. Sums of f64 are in f64, of other floats in
/// f32 and rounded once; integers wrap around.
typedef struct {
  const void *lhs, *rhs;
  void *result;
  int64_t lhsType, rhsType, resultType; ///< StitchElementType
  int64_t batch, m, n, k;
  StitchKernelAxes lhsBatch, lhsRows, lhsColumns;
  StitchKernelAxes rhsBatch, rhsRows, rhsColumns;
  StitchKernelAxes resultBatch, resultRows, resultColumns;
} StitchDotParameters;

/// stitch_convolution: a convolution as its shape says; sums as those of stitch_dot.
typedef struct {
  const void *lhs, *rhs;
  void *result;
  int64_t lhsType, rhsType, resultType; ///< StitchElementType
  StitchConvolutionShape shape;
} StitchConvolutionParameters;

/// stitch_epilogue: applies the epilogue of the shape to each element of the result.
typedef struct {
  StitchEpilogueData data;
  StitchEpilogueShape shape;
} StitchEpilogueParameters;

/// stitch_sums: to[i] = sum over all elements of `summed` of those of `from` that element i of `kept` is at, of floats
/// of a StitchElementType. Sums as those of stitch_dot.
typedef struct {
  const void *from;
  void *to;
  int64_t type, keptCount, summedCount;
  StitchKernelAxes kept, summed;
} StitchSumsParameters;

/// Elements of f32, f64 and complex numbers of them. All arithmetic is in f64.
typedef struct {
  int64_t isComplex, isDouble; ///< 0 or 1
} StitchKernelNumber;

/// stitch_cholesky_column: column `column` of the factors of a batch of row-major matrices, from the columns before it;
/// a row of an upper factor. Behind the last column stitch_cholesky_finish writes zeros in the other triangle, and NaN
/// in the factor of a matrix whose last element is NaN, or whose `infos` is above 0.
typedef struct {
  const void *operand;
  void *result;
  const int *infos; ///< of each matrix; NULL: none
  StitchKernelNumber number;
  int64_t batch, size, isUpper, column;
} StitchCholeskyParameters;

/// stitch_triangular_solve: each thread solves a system: a column of b, or (isRight) a row.
typedef struct {
  const void *a, *b;
  void *result;
  StitchKernelNumber number;
  int64_t batch, size, systems;
  int64_t isUpper, isRight, transposition, hasUnitDiagonal; ///< StitchLibraryTriangle
} StitchTriangularSolveParameters;

/// stitch_addresses: addresses[i] = first + i * step.
typedef struct {
  void *addresses;
  uint64_t first, step;
  int64_t count;
} StitchAddressesParameters;

/// stitch_address_list: to[i] = addresses[i].
enum { STITCH_KERNEL_ADDRESSES = 96 };
typedef struct {
  void *to;
  int64_t count;
  uint64_t addresses[STITCH_KERNEL_ADDRESSES];
} StitchAddressListParameters;

/// stitch_roots: roots[k] = exp(-2 pi i k / points), two f64 each.
typedef struct {
  void *roots;
  int64_t points;
} StitchRootsParameters;

/// stitch_fourier: the sums that define a transform along one dimension of [outer][dimension][inner]. `fromCount`
/// elements of a line are there, and `toCount` are computed.
typedef struct {
  const void *from, *roots;
  void *to;
  StitchKernelNumber fromNumber, toNumber;
  int64_t outer, inner, points, fromCount, toCount;
  int64_t isInverse; ///< with conjugate roots, divided by `points`
  int64_t isHalf;    ///< elements of `from` stand for their conjugates, too; the result is real
} StitchFourierParameters;

/// stitch_spectrum: the input of cuFFT's inverse transforms. Each element is divided by the number of points of a
/// block, as cuFFT does not do. With isHalf, half a spectrum becomes that of real numbers. Where an element and its
/// conjugate are both in this half, each becomes the mean of the one and the other's conjugate.
typedef struct {
  const void *from;
  void *to;
  int64_t isDouble, isHalf;
  int64_t elements; ///< of all blocks, as they are in memory
  int64_t points;   ///< of a block, whole
  int64_t rank;
  int64_t sizes[3]; ///< of a block, whole
} StitchSpectrumParameters;

/// stitch_combine: to[i] = element i of each part, which follow each other, combined in their order
/// (combine_element.h).
typedef struct {
  const void *from;
  void *to;
  int64_t type, combiner; ///< StitchElementType, StitchLibraryCombiner
  int64_t parts, count;
} StitchCombineParameters;

/// stitch_tick: one more is counted, and the word gets the count in its upper half and a number in its lower one.
typedef struct {
  void *counter; ///< a uint64_t
  void *word;    ///< page-locked memory of the host
  uint64_t number;
} StitchTickParameters;

/// stitch_signal: one more is counted in `sequence`. Each member gets the count at word `place` of its window's header,
/// and the kernel ends when all words of its own header have it, or the host has written to `stop`. It ticks before and
/// behind that.
enum { STITCH_KERNEL_MEMBERS = 16 };
typedef struct {
  void *own, *sequence;
  void *stop;           ///< page-locked memory of the host, a uint64_t
  void *counter, *word; ///< as of a tick
  void *others[STITCH_KERNEL_MEMBERS];
  int64_t place, members;
  uint64_t number; ///< of a tick
} StitchSignalParameters;

/// PTX of the kernels for compute capability 7.0 and later, ended by a null byte.
extern const unsigned char stitchRuntimeKernels[];

#endif // STITCH_RUNTIME_CUDA_KERNELS_H
