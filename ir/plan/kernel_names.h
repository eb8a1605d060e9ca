//===- kernel_names.h - names of a kernel's operations --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates and the results of tuning outlive a compilation. They name an operation of a kernel by its computation, and
// a kernel by a key. Neither depends on the order of operations, on numbers of values, on clones that planning made, or
// on the plan.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_KERNEL_NAMES_H
#define STITCH_IR_PLAN_KERNEL_NAMES_H

#include "ir/graph/graph.h"

typedef struct {
  /// By node: "reduce_0" is the value of the first tg.reduce on the way from the kernel's results to its inputs,
  /// operands first. Clones, and copies (a tg.reshape to the same shape), have the name of the original.
  const char **names;
  uint64_t key; ///< of the kernel's graph and of the device that it is planned for
  IrArena arena;
} KernelNames;

/// Of a stitch.fusion, whose graph is given.
KernelNames kernelNamesCreate(MlirOperation fusion, const IrGraph *graph);
void kernelNamesDestroy(KernelNames *names);

#endif // STITCH_IR_PLAN_KERNEL_NAMES_H
