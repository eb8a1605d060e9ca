//===- kernel_list.h - the kernels that templates can be of --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_KERNEL_LIST_H
#define STITCH_PASSES_COMMON_KERNEL_LIST_H

#include "passes/common/collect.h"

#include <stdint.h>

/// All fusions of a planned module, in program order, but those of attention, whose plan is an attribute of its own.
Operations plannedKernels(MlirOperation module);

/// The key of a fusion (kernel_names.h).
uint64_t kernelKeyOf(MlirOperation fusion);

/// The same kernel, as often as it is there.
typedef struct {
  MlirOperation fusion; ///< the first of them
  uint64_t key;         ///< kernel_names.h
  int64_t launches;     ///< of all of them in one execution of the module
} DistinctKernel;

/// Different kernels of a planned module, in the order of their first fusions. The caller releases `data` with free().
typedef struct {
  DistinctKernel *data;
  int64_t count, capacity;
} DistinctKernels;

DistinctKernels distinctKernels(MlirOperation module);

#endif // STITCH_PASSES_COMMON_KERNEL_LIST_H
