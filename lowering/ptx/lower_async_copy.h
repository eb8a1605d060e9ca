//===- lower_async_copy.h - asynchronous copies to shared memory ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_LOWER_ASYNC_COPY_H
#define STITCH_LOWERING_PTX_LOWER_ASYNC_COPY_H

#include "mlir-c/IR.h"

/// Makes cp.async of each nvgpu.device_async_copy of 16 bytes within `root`; or, where an architecture has none, loads
/// and stores, for which there is nothing to wait. False, after an error, if there is one of another size.
bool lowerAsyncCopies(MlirOperation root, bool hasAsyncCopies);

#endif // STITCH_LOWERING_PTX_LOWER_ASYNC_COPY_H
