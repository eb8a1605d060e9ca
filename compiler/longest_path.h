//===- longest_path.h - how many kernels must follow each other ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_LONGEST_PATH_H
#define STITCH_COMPILER_LONGEST_PATH_H

#include "mlir-c/IR.h"

#include <stdint.h>

/// The least number of launches in one execution that stitching could leave of a planned module. It is the number of
/// kernels on the longest path through its memory-intensive operations, some of which library calls keep apart.
int64_t kernelsOnLongestPath(MlirOperation module);

#endif // STITCH_COMPILER_LONGEST_PATH_H
