//===- in_place.h - updates of loop-carried values in place ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that stacks the results of its iterations, or keeps results of earlier ones, carries a buffer, of which each
// iteration replaces a slice. Only the slice need be written if nothing reads the buffer as it was before. The same
// goes for an argument of a function whose memory becomes that of a result: a cache that a caller donates, or a
// variable.
//
// A reader of the updated buffer can read the memory, behind the update. Or it can compute the update again: it takes
// the elements of the slice from where they are computed, and only the others from the memory. Whether the slice is
// written there already makes no difference then, and it need not wait for it.
//
// Scatters are kernels of their own. One with the attribute stitch.in_place writes the elements that its updates reach,
// and nothing else. Its result is in the memory of its operand wherever the operand is not read behind it (irBufferOf),
// through loops, branches and values that change places. Elsewhere the operand is copied before.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_GRAPH_IN_PLACE_H
#define STITCH_IR_GRAPH_IN_PLACE_H

#include "mlir-c/IR.h"

#include <stdint.h>

/// The unit attribute of two kinds of operation. A scatter that writes only the elements that its updates reach. A
/// tg.dynamic_update_slice in place whose result is also read, or whose buffer is read by updates like it.
#define IR_IN_PLACE_ATTRIBUTE "stitch.in_place"

/// Whether `op` is a tg.dynamic_update_slice in place. Its operand is a loop-carried value of a tg.while, in the loop's
/// body, and its result the next such value. Or it is an argument of a function whose result may be in its memory
/// (irResultInMemoryOf). Its start indices follow from values that are known when the block begins, by a few operations
/// on scalars. The value has no other reader, and the result none, or `op` has the attribute.
bool irUpdatesInPlace(MlirOperation op);

/// Whether `op` could be one if only its result were not read, too.
bool irCouldUpdateInPlace(MlirOperation op);

/// Whether `op` is one of those operations on scalars and computes nothing but start indices of updates in place.
bool irComputesStartsOnly(MlirOperation op);

/// Whether `op` is a tg.scatter or tg.general_scatter with the attribute. Result i is of operand i.
bool irScattersInPlace(MlirOperation op);

/// The value whose elements reshapes show in another shape: both are in one memory.
MlirValue irWithoutReshapes(MlirValue value);

/// The value, without reshapes, whose memory can be that of `value`. It is the updated operand of an update in place,
/// the operand that a branch receives of it, or the initial value of a loop whose iterations do so. Nothing reads it
/// behind the operation then. Null if there is none.
MlirValue irBufferOf(MlirValue value);

/// The value in whose memory `value` is by updates in place in the block, one after the other, and whether there are
/// some. `value` itself, without reshapes, if there are none.
MlirValue irFirstBufferOf(MlirBlock block, MlirValue value, bool *isUpdated);

/// For each loop-carried value of a tg.while, the number of the value in whose memory an iteration leaves it. It is its
/// own number if it is updated in place or stays as it is, and another one's if two values change places. It is -1 if
/// it gets new memory. `from` has room for all of them.
void irBuffersOfLoop(MlirOperation loop, int64_t *from);

/// Whether a scatter has the memory of all its results, if it has the attribute. Its memory is that of operations in
/// its block, of a result of the function, or of a loop-carried value. Where others read the operand, only the end of
/// the block reads the result, so that they stay before the scatter whatever becomes one kernel.
bool irOwnsBuffers(MlirOperation scatter);

#endif // STITCH_IR_GRAPH_IN_PLACE_H
