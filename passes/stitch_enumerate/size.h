//===- size.h - stitch-enumerate: how long versions make a model file ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_SIZE_H
#define STITCH_PASSES_STITCH_ENUMERATE_SIZE_H

#include "ir/mlir/map.h"

#include "mlir-c/IR.h"

#include <stdint.h>

/// In bytes of a file, about.
typedef struct {
  int64_t defaults; ///< of first versions, and of steps with one version
  int64_t others;   ///< of the other versions
} VersionSizes;

/// How much longer versions may make the file.
typedef struct {
  int64_t left;      ///< of kernels
  int64_t slack;     ///< further room, for products side by side and in batches
  int64_t constants; ///< in bytes
  IrMap joined;      ///< keys of constants that lie side by side already
} VersionRoom;

/// Of operations with those in their regions, outlined or planned.
VersionSizes versionSizes(const MlirOperation *ops, int64_t numOps);

/// Of a kernel that puts so many operands side by side, and of one that copies so many parts of tensors; 0: of none.
int64_t joiningBytes(int64_t numOperands);
int64_t splittingBytes(int64_t numResults);

/// The bytes of launches of kernels, so many times.
int64_t launchesBytes(int64_t numLaunches);

/// Of calls of libraries for so many products.
int64_t callsBytes(int64_t numCalls, int64_t numProducts);

/// Bytes of the constants of a function, as a file has them.
int64_t functionConstantBytes(MlirOperation function);

/// How much longer other versions may become, if they may have `growth` percent of the size of the default ones.
int64_t versionBudget(MlirOperation main, int64_t growth);

#endif // STITCH_PASSES_STITCH_ENUMERATE_SIZE_H
