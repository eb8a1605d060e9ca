//===- in_place.h - what loops update in place ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that stacks the results of its iterations, or keeps what earlier ones computed, carries a buffer, of which
// each iteration replaces a slice. Only the slice need be written if nothing reads the buffer as it was before. The
// same goes for an argument of a function whose memory becomes that of a result: a cache that a caller donates, or a
// variable.
//
// What reads the updated buffer can do so in the memory, behind the update; or it can compute the update again where it
// reads: it takes the elements of the slice from where they are computed, and only the others from the memory. Whether
// the slice is written there already makes no difference then, and it need not wait for it.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_IN_PLACE_H
#define STITCH_IR_GRAPH_IN_PLACE_H

#include "mlir-c/IR.h"

/// The unit attribute of an update in place whose result is read, too, or whose buffer is read by updates like it.
#define IR_IN_PLACE_ATTRIBUTE "stitch.in_place"

/// Whether `op` is a tg.dynamic_update_slice of a value that goes round a tg.while, in the loop's body, whose result is
/// the next such value, or of an argument of a function whose result may be in its memory (irResultInMemoryOf); whose
/// start indices follow from what is known when the block begins, by a few operations on scalars; and nothing reads the
/// value but `op`, and nothing the result, or `op` has the attribute.
bool irUpdatesInPlace(MlirOperation op);

/// Whether `op` could be one if only its result were not read, too.
bool irCouldUpdateInPlace(MlirOperation op);

/// Whether `op` is one of those operations on scalars and computes nothing but start indices of updates in place.
bool irComputesStartsOnly(MlirOperation op);

#endif // STITCH_IR_GRAPH_IN_PLACE_H
