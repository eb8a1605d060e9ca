//===- matrices.h - an operand of a dot as a batch of matrices -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense tensor whose dimensions are taken in three groups, batch, rows and columns, each in any order. Where a group
// has one stride for all its elements it needs no copy to be seen as one dimension.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_MATRICES_H
#define STITCH_RUNTIME_LIBRARY_MATRICES_H

#include "runtime/library/cpu_library.h"

/// Dimensions, outermost first, with their strides in elements. Dimensions of size 1 are left out.
typedef struct {
  int64_t rank;
  int64_t sizes[STITCH_LIBRARY_MAX_RANK];
  int64_t strides[STITCH_LIBRARY_MAX_RANK];
} StitchAxes;

/// An operand as [batch...][rows...][columns...].
typedef struct {
  StitchElementType type;
  StitchAxes batch;
  StitchAxes rows;
  StitchAxes columns;
} StitchMatrices;

/// The dimensions of `tensor` in three groups.
StitchMatrices stitchMatricesOf(const StitchLibraryTensor *tensor, const StitchLibraryDims *batch,
                                const StitchLibraryDims *rows, const StitchLibraryDims *columns);

/// Number of elements.
int64_t stitchAxesSize(const StitchAxes *axes);

/// Whether one stride describes the axes; then they are replaced by at most one axis.
bool stitchAxesCollapse(StitchAxes *axes);

/// Merges neighbouring batch dimensions wherever all three, which have the same batch sizes, allow it.
void stitchMatricesMergeBatch(StitchMatrices *a, StitchMatrices *b, StitchMatrices *c);

/// Whether rows and columns can each be seen as one dimension, and one of the two is contiguous.
bool stitchMatricesAreStrided(const StitchMatrices *matrices);

/// The same matrices, dense, in the order batch, rows, columns.
StitchMatrices stitchMatricesDense(const StitchMatrices *matrices);

/// Copies the elements of `matrices` at `from` to `to`, in the order batch, rows, columns.
void stitchMatricesPack(const StitchMatrices *matrices, const void *from, void *to);

/// The inverse: the dense elements at `from` go to their places in `matrices` at `to`.
void stitchMatricesUnpack(const StitchMatrices *matrices, const void *from, void *to);

/// Calls `visit` for each row in the order of batch, rows and all outer columns: the `count` elements of the innermost
/// column axis are at `offset + i * stride`, in elements.
typedef void (*StitchMatricesVisit)(void *data, int64_t offset, int64_t stride, int64_t count);
void stitchMatricesForEachRun(const StitchMatrices *matrices, StitchMatricesVisit visit, void *data);

#endif // STITCH_RUNTIME_LIBRARY_MATRICES_H
