//===- parts.h - parts of a graph with other plans ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_PARTS_H
#define STITCH_PASSES_STITCH_ENUMERATE_PARTS_H

#include "passes/common/collect.h"

/// Parts of a block. Operations of a part stand together. `data` and that of each part is the caller's to free.
typedef struct {
  Operations *data;
  intptr_t count, capacity;
} PartList;

/// Kernels that hand values to each other, without a path between them through anything else. Moves them together.
PartList kernelParts(MlirBlock block);

/// Kernels, each by itself.
PartList eachKernel(MlirBlock block);

/// Products and convolutions with something behind them, each by itself.
PartList epilogueParts(MlirBlock block);

/// Products with the kernels that read them; of products with a batch, the products that these kernels are for, too.
/// Moves them together.
PartList productParts(MlirBlock block);

/// Kernels of attention, each by itself.
PartList attentionParts(MlirBlock block);

#endif // STITCH_PASSES_STITCH_ENUMERATE_PARTS_H
