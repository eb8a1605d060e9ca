//===- packed.h - bytes that are mostly zero -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A StitchLibraryProblem has room for any problem, so that nearly all of it is zero. In a model file it is a row of
// runs: how many zeros (two bytes, the lower one first), how many other bytes (two), and these.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_PACKED_H
#define STITCH_RUNTIME_LIBRARY_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Packs `bytes` bytes, and returns how many there are then. `packed` may be NULL: nothing is
/// written.
size_t stitchPack(const void *data, size_t bytes, uint8_t *packed);

/// Unpacks into `bytes` bytes, which are zero. False: these are not as many, or the runs are damaged.
bool stitchUnpack(const uint8_t *packed, size_t packedBytes, void *data, size_t bytes);

#endif // STITCH_RUNTIME_LIBRARY_PACKED_H
