//===- in_place.h - what loops update in place ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that stacks the results of its iterations carries a buffer, of which each iteration replaces a slice. Only the
// slice need be written if nothing else reads the buffer.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_IN_PLACE_H
#define STITCH_IR_GRAPH_IN_PLACE_H

#include "mlir-c/IR.h"

/// Whether `op` is a tg.dynamic_update_slice of a value that goes round a tg.while, in the loop's body, that nothing
/// but `op` reads, whose result is the next such value and nothing else, and whose start indices follow from what is
/// known when the body begins, by a few operations on scalars.
bool irUpdatesInPlace(MlirOperation op);

/// Whether `op` is one of those operations on scalars and computes nothing but start indices of updates in place.
bool irComputesStartsOnly(MlirOperation op);

#endif // STITCH_IR_GRAPH_IN_PLACE_H
