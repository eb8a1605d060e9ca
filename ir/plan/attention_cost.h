//===- attention_cost.h - cost of attention kernels -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_ATTENTION_COST_H
#define STITCH_IR_PLAN_ATTENTION_COST_H

#include "ir/plan/attention_plan.h"
#include "ir/plan/kernel_cost.h"

/// Multiply-adds, those of products on tensor cores apart: of 16 bits by warps and by warpgroups, and of TF32.
typedef struct {
  double mma, wgmma, tf32, fma;
} AttentionMultiplyAdds;

/// A kernel's work: multiply-adds, with those that only fill up tiles, and those that a library would do. Further,
/// instructions of elements, the tiles of a block's loop, and their buffers.
typedef struct {
  AttentionMultiplyAdds own, library;
  double elementwise;
  int64_t tiles, buffers;
} AttentionWork;

/// Adds those of a product: whatever the kernel does, a library has operands of 16 bits, and those that may be rounded
/// to TF32, on tensor cores.
void attentionAddProduct(AttentionWork *work, const StitchAttention *plan, MlirOperation product, double own,
                         double library);

PlanCost attentionCostOfWork(MlirOperation fusion, const StitchLaunch *launch, const AttentionWork *work,
                             const StitchDevice *device);

/// Adds the bytes that a fusion reads and writes.
void attentionAddBytes(MlirOperation fusion, PlanCost *cost);

/// The cost of a fusion with stitch.attention. A library's computation is in no plan's cost. So the kernel's products
/// count only as far as they take longer than a library. False, after an error, if the fusion has no launch.
bool attentionCost(MlirOperation fusion, const StitchDevice *device, PlanCost *cost);

/// The same work as two library calls and a kernel between them.
PlanCost attentionCostApart(MlirOperation fusion, const AttentionSizes *sizes, const StitchDevice *device);

#endif // STITCH_IR_PLAN_ATTENTION_COST_H
