//===- matrices.c - an operand of a dot as a batch of matrices -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an operand's dimensions in three groups. Leaves axes with strides, merges neighbours where a stride allows it,
// and packs or unpacks an operand run by run where it does not.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/matrices.h"

#include <string.h>

static StitchAxes axesOf(const StitchLibraryTensor *tensor, const StitchLibraryDims *dims) {
  int64_t strides[STITCH_LIBRARY_MAX_RANK];
  int64_t stride = 1;
  for (int64_t i = tensor->rank; i-- > 0; stride *= tensor->dims[i])
    strides[i] = stride;
  StitchAxes axes = {0};
  for (int64_t i = 0; i < dims->count; ++i) {
    int64_t dim = dims->dims[i];
    if (tensor->dims[dim] == 1)
      continue;
    axes.sizes[axes.rank] = tensor->dims[dim];
    axes.strides[axes.rank++] = strides[dim];
  }
  return axes;
}

StitchMatrices stitchMatricesOf(const StitchLibraryTensor *tensor, const StitchLibraryDims *batch,
                                const StitchLibraryDims *rows, const StitchLibraryDims *columns) {
  return (StitchMatrices){tensor->type, axesOf(tensor, batch), axesOf(tensor, rows), axesOf(tensor, columns)};
}

int64_t stitchAxesSize(const StitchAxes *axes) {
  int64_t size = 1;
  for (int64_t i = 0; i < axes->rank; ++i)
    size *= axes->sizes[i];
  return size;
}

/// Whether axis i + 1 continues axis i.
static bool continues(const StitchAxes *axes, int64_t i) {
  return axes->strides[i] == axes->sizes[i + 1] * axes->strides[i + 1];
}

static void merge(StitchAxes *axes, int64_t i) {
  axes->sizes[i + 1] *= axes->sizes[i];
  for (int64_t k = i; k + 1 < axes->rank; ++k) {
    axes->sizes[k] = axes->sizes[k + 1];
    axes->strides[k] = axes->strides[k + 1];
  }
  --axes->rank;
}

bool stitchAxesCollapse(StitchAxes *axes) {
  for (int64_t i = 0; i + 1 < axes->rank; ++i)
    if (!continues(axes, i))
      return false;
  while (axes->rank > 1)
    merge(axes, 0);
  return true;
}

void stitchMatricesMergeBatch(StitchMatrices *a, StitchMatrices *b, StitchMatrices *c) {
  for (int64_t i = 0; i + 1 < a->batch.rank;) {
    if (continues(&a->batch, i) && continues(&b->batch, i) && continues(&c->batch, i)) {
      merge(&a->batch, i);
      merge(&b->batch, i);
      merge(&c->batch, i);
    } else {
      ++i;
    }
  }
}

bool stitchMatricesAreStrided(const StitchMatrices *matrices) {
  StitchAxes rows = matrices->rows;
  StitchAxes columns = matrices->columns;
  if (!stitchAxesCollapse(&rows) || !stitchAxesCollapse(&columns))
    return false;
  return rows.rank == 0 || columns.rank == 0 || rows.strides[0] == 1 || columns.strides[0] == 1;
}

/// Gives `axes` the strides of a dense tensor whose inner dimensions have `stride` elements; returns the stride of the
/// next outer dimension.
static int64_t makeDense(StitchAxes *axes, int64_t stride) {
  for (int64_t i = axes->rank; i-- > 0; stride *= axes->sizes[i])
    axes->strides[i] = stride;
  return stride;
}

StitchMatrices stitchMatricesDense(const StitchMatrices *matrices) {
  StitchMatrices dense = *matrices;
  makeDense(&dense.batch, makeDense(&dense.rows, makeDense(&dense.columns, 1)));
  return dense;
}

static void append(StitchAxes *all, const StitchAxes *axes) {
  for (int64_t i = 0; i < axes->rank; ++i, ++all->rank) {
    all->sizes[all->rank] = axes->sizes[i];
    all->strides[all->rank] = axes->strides[i];
  }
}

/// Moves `position` to the next element of the outer axes (all but the innermost) and adjusts `offset`; false at the
/// end.
static bool advance(const StitchAxes *axes, int64_t *position, int64_t *offset) {
  for (int64_t i = axes->rank - 1; i-- > 0;) {
    *offset += axes->strides[i];
    if (++position[i] < axes->sizes[i])
      return true;
    *offset -= axes->strides[i] * axes->sizes[i];
    position[i] = 0;
  }
  return false;
}

void stitchMatricesForEachRun(const StitchMatrices *matrices, StitchMatricesVisit visit, void *data) {
  StitchAxes all = {0};
  append(&all, &matrices->batch);
  append(&all, &matrices->rows);
  append(&all, &matrices->columns);
  if (stitchAxesSize(&all) == 0)
    return;
  if (all.rank == 0) {
    visit(data, 0, 1, 1);
    return;
  }
  int64_t position[STITCH_LIBRARY_MAX_RANK] = {0};
  int64_t offset = 0;
  do
    visit(data, offset, all.strides[all.rank - 1], all.sizes[all.rank - 1]);
  while (advance(&all, position, &offset));
}

typedef struct {
  const char *from;
  char *to;
  size_t bytes; // of an element
} ThreadCopy;

static void copyRun(void *data, int64_t offset, int64_t stride, int64_t count) {
  ThreadCopy *copy = data;
  const char *from = copy->from + (size_t)offset * copy->bytes;
  for (int64_t i = 0; i < count; ++i)
    memcpy(copy->to + (size_t)i * copy->bytes, from + (size_t)(i * stride) * copy->bytes, copy->bytes);
  copy->to += (size_t)count * copy->bytes;
}

void stitchMatricesPack(const StitchMatrices *matrices, const void *from, void *to) {
  ThreadCopy copy = {from, to, stitchElementBytes(matrices->type)};
  stitchMatricesForEachRun(matrices, copyRun, &copy);
}

static void spreadRun(void *data, int64_t offset, int64_t stride, int64_t count) {
  ThreadCopy *copy = data;
  char *to = copy->to + (size_t)offset * copy->bytes;
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + (size_t)(i * stride) * copy->bytes, copy->from + (size_t)i * copy->bytes, copy->bytes);
  copy->from += (size_t)count * copy->bytes;
}

void stitchMatricesUnpack(const StitchMatrices *matrices, const void *from, void *to) {
  ThreadCopy copy = {from, to, stitchElementBytes(matrices->type)};
  stitchMatricesForEachRun(matrices, spreadRun, &copy);
}
