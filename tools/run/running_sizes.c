//===- running_sizes.c - the sizes of a run -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model may leave sizes open (docs/dynamic_shapes.md): a run has one value for each.
//
//===----------------------------------------------------------------------===//

#include "tools/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Sets the value that "NAME=SIZE" names.
static StitchStatus readDim(Run *run, const char *text) {
  size_t length = strcspn(text, "=");
  for (int64_t i = 0; i < stitchModelNumSymbols(run->model); ++i) {
    StitchSymbolInfo symbol = stitchModelSymbol(run->model, i);
    if (strlen(symbol.name) != length || memcmp(symbol.name, text, length) != 0)
      continue;
    char *end = NULL;
    errno = 0;
    run->values[i] = strtoll(text + length + 1, &end, 10);
    if (end == text + length + 1 || *end || errno || run->values[i] < symbol.low || run->values[i] > symbol.high)
      return stitchStatusMake(STITCH_INVALID_ARGUMENT, "--dim %s: '%s' must be from %lld to %lld", text, symbol.name,
                              (long long)symbol.low, (long long)symbol.high);
    return NULL;
  }
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "--dim %s: the model leaves no size of this name open", text);
}

/// Copies the dimensions behind `next`, for the run's sizes.
static const int64_t *runDims(const Run *run, int64_t **next, const StitchSize *sizes, int32_t rank,
                              const int64_t *dims) {
  int64_t *copy = *next;
  *next += rank;
  for (int32_t i = 0; i < rank; ++i)
    copy[i] = sizes ? stitchModelSize(run->model, sizes[i], run->values) : dims[i];
  return copy;
}

static size_t countDims(const Run *run) {
  size_t count = 1;
  for (int64_t i = 0; i < run->numInputs; ++i)
    count += (size_t)stitchModelInput(run->model, i).rank;
  for (int64_t i = 0; i < run->numOutputs; ++i)
    count += (size_t)stitchModelOutput(run->model, i).rank;
  return count;
}

static StitchStatus allocateInfos(Run *run) {
  run->inputInfos = calloc((size_t)run->numInputs + 1, sizeof(*run->inputInfos));
  run->outputInfos = calloc((size_t)run->numOutputs + 1, sizeof(*run->outputInfos));
  run->values = calloc((size_t)stitchModelNumSymbols(run->model) + 1, sizeof(*run->values));
  run->dims = calloc(countDims(run), sizeof(*run->dims));
  bool all = run->inputInfos && run->outputInfos && run->values && run->dims;
  return all ? NULL : stitchStatusOutOfMemory();
}

StitchStatus resolveSizes(const RunOptions *o, Run *run) {
  StitchStatus status = allocateInfos(run);
  if (status)
    return status;
  for (int64_t i = 0; i < stitchModelNumSymbols(run->model); ++i)
    run->values[i] = stitchModelSymbol(run->model, i).high;
  for (int i = 0; i < o->numDims && !status; ++i)
    status = readDim(run, o->dims[i]);
  int64_t *next = run->dims;
  for (int64_t i = 0; i < run->numInputs; ++i) {
    StitchInputInfo info = stitchModelInput(run->model, i);
    info.dims = runDims(run, &next, info.sizes, info.rank, info.dims);
    run->inputInfos[i] = info;
  }
  for (int64_t i = 0; i < run->numOutputs; ++i) {
    StitchOutputInfo info = stitchModelOutput(run->model, i);
    info.dims = runDims(run, &next, info.sizes, info.rank, info.dims);
    run->outputInfos[i] = info;
  }
  return status;
}
