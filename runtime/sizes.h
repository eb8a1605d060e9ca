//===- sizes.h - a model with all sizes known ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model may leave the outermost sizes of some tensors open: they are multiples of symbols (docs/dynamic_shapes.md). A
// device runs a model for particular values of the symbols. Then all its shapes are known, those of library calls too,
// and the values themselves are inputs that the kernels read.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SIZES_H
#define STITCH_RUNTIME_SIZES_H

#include "runtime/model.h"

/// A copy of a model's descriptor for particular values of its symbols.
typedef struct {
  StitchModelDescriptor descriptor;
  int64_t *values; ///< of the symbols
  void *data;      ///< the same as the model's last inputs, 16 bytes apart
  void *memory;    ///< of the changed tables
} StitchSizes;

/// The number of inputs that a caller gives: without those that hold the values of symbols.
int64_t stitchNumGivenInputs(const StitchModelDescriptor *model);

/// The number of symbols that are not derived from others: they come first.
int64_t stitchNumFreeSymbols(const StitchModelDescriptor *model);

/// A size for these values of those symbols.
int64_t stitchSizeFor(const StitchModelDescriptor *model, StitchSize size, const int64_t *values);

/// The symbols' values that follow from the shapes of inputs, into `values`. Fails with STITCH_INVALID_ARGUMENT for a
/// size that the model cannot have; other deviations from the model's shapes are for later checks to find.
StitchStatus stitchSizesOfInputs(const StitchModelDescriptor *model, const StitchTensor *inputs, int64_t *values);

/// The program that has these values, each between the model's limits: the model itself, or one of its `programs`.
const StitchModelDescriptor *stitchProgramOfSizes(const StitchModelDescriptor *model, const int64_t *values);

/// Bytes that the model and each of its programs can have as arena.
int64_t stitchArenaBytes(const StitchModelDescriptor *model);

/// The model, or program, for these values, each between its limits. If `values` is NULL, each tensor has the largest
/// sizes that it has for any values, so that there is room for all; stitchSizesSet is to follow. Not all of these sizes
/// need be those for the same values (t and 64 - t). The model outlives it. The caller releases it with
/// stitchSizesDestroy.
StitchStatus stitchSizesCreate(const StitchModelDescriptor *model, const int64_t *values, StitchSizes **sizes);
void stitchSizesDestroy(StitchSizes *sizes);

/// Changes the values, where nothing that was prepared for others depends on them (stitchSizesAreFree).
void stitchSizesSet(StitchSizes *sizes, const int64_t *values);

/// Whether a program's library calls are the same for all values of its symbols: those of a padded program are.
bool stitchSizesAreFree(const StitchModelDescriptor *program);

/// The value of symbol `index` as an input.
StitchTensor stitchSizesInput(const StitchSizes *sizes, int64_t index);

#endif // STITCH_RUNTIME_SIZES_H
