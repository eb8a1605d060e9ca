//===- kernel_times.h - times of kernels that were planned already -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans of different kinds, and equal layers of a model, ask for the time of one kernel many times. A context remembers
// the answers. They decide nothing: a kernel that is planned again has the same time.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_KERNEL_TIMES_H
#define STITCH_CAPI_KERNEL_TIMES_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// 128 bits of a hash of a kernel and of the passes that plan it. May be made of addresses of attributes and types,
/// which are unique in a context and live as long.
typedef struct {
  uint64_t words[2];
} StitchKernelKey;

/// The time under a key, in ns, and, where one was searched for, the mapping that has it; `mapping` may be null. False
/// if there is none yet. Any thread may call both.
bool stitchKernelTimeFind(MlirContext context, StitchKernelKey key, double *ns, MlirAttribute *mapping);
void stitchKernelTimeAdd(MlirContext context, StitchKernelKey key, double ns, MlirAttribute mapping);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_KERNEL_TIMES_H
