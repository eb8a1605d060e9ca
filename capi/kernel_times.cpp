//===- kernel_times.cpp - times of kernels that were planned already -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/kernel_times.h"

#include "dialects/stitch/stitch_dialect.h"

#include "mlir/CAPI/IR.h"

static stitch::KernelTimes &timesOf(MlirContext context) {
  return unwrap(context)->getOrLoadDialect<stitch::StitchDialect>()->kernelTimes();
}

bool stitchKernelTimeFind(MlirContext context, StitchKernelKey key, double *ns, MlirAttribute *mapping) {
  stitch::KernelTimes &times = timesOf(context);
  std::lock_guard<std::mutex> lock(times.mutex);
  auto found = times.known.find({key.words[0], key.words[1]});
  if (found == times.known.end())
    return false;
  *ns = found->second.first;
  if (mapping)
    *mapping = wrap(found->second.second);
  return true;
}

void stitchKernelTimeAdd(MlirContext context, StitchKernelKey key, double ns, MlirAttribute mapping) {
  stitch::KernelTimes &times = timesOf(context);
  std::lock_guard<std::mutex> lock(times.mutex);
  times.known.try_emplace({key.words[0], key.words[1]}, ns, unwrap(mapping));
}
