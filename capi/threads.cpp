//===- threads.cpp - work side by side -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/threads.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

void stitchRunInThreads(MlirContext context, int count, void (*run)(void *data, int i), void *data) {
  parallelFor(unwrap(context), 0, static_cast<size_t>(count), [&](size_t i) { run(data, static_cast<int>(i)); });
}
