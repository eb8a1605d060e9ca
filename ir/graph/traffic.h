//===- traffic.h - elements that operations read --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_TRAFFIC_H
#define STITCH_IR_GRAPH_TRAFFIC_H

#include "mlir-c/IR.h"

#include <stdint.h>

/// Bytes that `op` reads of operand `index`. An operation that only takes elements of it (gather, slice, dynamic_slice)
/// reads no more than its own size.
int64_t irBytesReadOfOperand(MlirOperation op, intptr_t index);

/// Bytes that all users of an argument of a fusion's body read together: at most all of it, once.
int64_t irBytesReadOfInput(MlirValue input);

#endif // STITCH_IR_GRAPH_TRAFFIC_H
