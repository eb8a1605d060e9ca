//===- host_function.h - the host function under construction ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by host.c (the function), launch.c, places.c (the memory of each tensor), slices.c (results that go into
// slices of a loop's buffers), peer_windows.c (memory that other processes read), library_calls.c. Further files are
// control.c (loops and branches) and streams.c (steps on several streams). The function first makes all views of its
// memory, then launches and calls in order.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_KERNEL_HOST_HOST_FUNCTION_H
#define STITCH_LOWERING_KERNEL_HOST_HOST_FUNCTION_H

#include "lowering/kernel/host/host.h"

/// Where the elements of a tensor are.
typedef enum {
  PLACE_INPUT,
  PLACE_OUTPUT,
  PLACE_ARENA,
  PLACE_CONSTANT,
  PLACE_CARRIED ///< memory that changes from one iteration of a loop to the next, or that a branch writes for its op
} PlaceKind;

typedef struct {
  PlaceKind kind;
  int64_t number;     ///< INPUT, OUTPUT: of the argument; ARENA: offset
  MlirValue flat;     ///< 1-D memref, once created
  MlirAttribute data; ///< CONSTANT
  int64_t bytes;      ///< ARENA: to be released; -1 when that is done
  int64_t lastUse;    ///< ARENA: number of the operation that reads it last
} TensorPlace;

/// The function under construction.
typedef struct Host Host;
struct Host {
  MlirOperation source; ///< the planned function
  MlirBlock body;       ///< of the host function
  IrBuilder b;          ///< launches and calls in order
  IrBuilder entry;      ///< views of memory, before all of them
  MlirValue one;        ///< index constant
  HostModule *shared;
  HostArena arena;
  IrMap placeOf; ///< value -> index in places
  TensorPlace *places;
  intptr_t numPlaces, placeCapacity;
  intptr_t numInputs, numOutputs;
  int64_t zeroedBytes;
  int64_t counterBytes;    ///< of the zeroed bytes, those handed out
  const MlirValue *spares; ///< of the loop that is converted to one launch, by value that goes round
  IrMap numberOf;          ///< operation -> its number in order of execution, after its regions
  MlirValue arenaMemory;
  int64_t numSteps;       ///< of stitch.step, so far
  MlirAttribute epoch;    ///< stitch.streams of the last step that is not ended; null: none
  MlirAttribute measured; ///< the variable of streams that the current operations are measured for; null: none
  /// Converts the operations of a block: host.c, which stands above the loops and branches that have blocks. The
  /// terminator of a region is left to its operation. False after a diagnostic.
  bool (*convertBlock)(Host *host, MlirBlock block);
};

//===----------------------------------------------------------------------===//
// places.c
//===----------------------------------------------------------------------===//

/// Whether the operation becomes the launch of a kernel: a fusion, or an operation of class KERNEL.
bool hostIsKernel(MlirOperation op);

/// Decides which values of the planned function are in arguments and outputs; and where each other one is that has no
/// place, and when all are used last.
void hostPlaceArguments(Host *host);
void hostPlaceValues(Host *host);
/// The number of the output whose memory input `input` is updated in; -1 if it is not updated in place.
intptr_t hostUpdatedOutput(const Host *host, intptr_t input);

/// The place of a value, reshapes looked through. Null if nothing computes it. Valid until the next place is added.
TensorPlace *hostPlaceOf(Host *host, MlirValue value);

/// `value` is in the memory `flat`.
void hostPlaceAt(Host *host, MlirValue value, MlirValue flat);

/// The memory of a value, in one dimension. Null after a diagnostic that names `user`.
MlirValue hostFlatMemref(Host *host, MlirOperation user, MlirValue value);

/// The same, in the shape of the value.
MlirValue hostMemref(Host *host, MlirOperation user, MlirValue value);

/// `count` elements of the arena from byte `offset`, in one dimension.
MlirValue hostArenaView(Host *host, int64_t offset, MlirType element, int64_t count);

/// The memory of a constant, in one dimension. Null after a diagnostic that names `user`.
MlirValue hostConstantMemref(Host *host, MlirOperation user, MlirAttribute value);

/// Argument `number` of the host function in one dimension.
MlirValue hostArgumentMemref(Host *host, intptr_t number);

/// `value`, which has no place, is in the arena from byte `offset` on, for the whole run.
void hostPlaceInArena(Host *host, MlirValue value, int64_t offset);

/// Memory for those results of `op` that are not placed elsewhere.
void hostAllocateResults(Host *host, MlirOperation op);

/// Gives back the memory of values that `op` is the last to use.
void hostReleaseAfter(Host *host, MlirOperation op);

//===----------------------------------------------------------------------===//
// peer_windows.c
//===----------------------------------------------------------------------===//

/// A window begins with words by which processes signal each other; windows are mapped in units of the alignment.
enum { HOST_WINDOW_HEADER = 256, HOST_WINDOW_ALIGNMENT = 1 << 21 };

/// Places the operands and results of calls that give each process the operands of all, behind what the arena has, and
/// notes `stitch.windows` on the host function: first byte, bytes of each and number of the windows.
void hostPlaceWindows(Host *host, MlirOperation function);

//===----------------------------------------------------------------------===//
// launch.c
//===----------------------------------------------------------------------===//

/// Barrier counters stand this far apart: each is a kernel argument aligned to 16 bytes.
enum { HOST_COUNTER_STRIDE = 16 };

/// A fusion, or an operation that is a kernel of its own. False after a diagnostic.
bool hostConvertKernel(Host *host, MlirOperation op);

/// Launches a kernel that copies `source` to `target`, both of one dimension, whose size depends on `symbol` (null: is
/// known).
void hostCopy(Host *host, MlirValue source, MlirValue target, const IrSymbol *symbol);

//===----------------------------------------------------------------------===//
// library_calls.c
//===----------------------------------------------------------------------===//

bool hostConvertLibraryCall(Host *host, MlirOperation call);

//===----------------------------------------------------------------------===//
// persistent.c
//===----------------------------------------------------------------------===//

/// The result of the fusion that is the next value number `number` of a loop that a kernel has inside; null: that value
/// stays in its place.
MlirValue hostCarriedResult(MlirOperation loop, intptr_t number);

/// Gives a fusion whose kernel has the loop inside the loop-carried values (`stitch.loop`).
void hostAttachLoop(MlirOperation fusion);

/// Adds the memory that the second iteration of such a loop writes; how much that is.
intptr_t hostAddSpares(Host *host, MlirOperation fusion, MlirValue *arguments);

//===----------------------------------------------------------------------===//
// slices.c
//===----------------------------------------------------------------------===//

/// Whether a value is wanted only as slices of buffers that a loop updates in place: it has no memory of its own.
bool hostIsOnlySlice(MlirValue value);

/// Notes on a fusion which slices its kernel writes, and gives it the start indices as inputs.
void hostAttachSlices(MlirOperation fusion);

/// Calls `visit` for each update in place that writes the value, reshapes looked through. Whether the value has no
/// other use.
typedef void (*HostUpdateVisitor)(MlirOperation update, void *data);
bool hostForEachUpdate(MlirValue value, HostUpdateVisitor visit, void *data);

//===----------------------------------------------------------------------===//
// control.c
//===----------------------------------------------------------------------===//

/// Of tg.while, tg.if, tg.case and stitch.adaptive.
bool hostConvertControlFlow(Host *host, MlirOperation op);

//===----------------------------------------------------------------------===//
// streams.c: steps on several streams
//===----------------------------------------------------------------------===//

/// Whether a stitch.streams has the form of docs/ir.md, section 2: as many streams as versions, or neither.
bool hostIsStreams(MlirAttribute streams);

/// Before and behind the conversion of an operation of the planned function's body; one without stitch.streams comes
/// after all before it. False after a diagnostic.
bool hostBeginStep(Host *host, MlirOperation op);
void hostEndStep(Host *host, MlirOperation op);

/// Has each stitch.step of the finished function wait for those that use the same memory.
void hostOrderSteps(Host *host);

//===----------------------------------------------------------------------===//
// adaptive.c
//===----------------------------------------------------------------------===//

/// Has the host function list the adaptive variables of the planned function and the tree in which they are explored
/// (docs/ir.md, section 3). False after a diagnostic: a name stands for different versions, or the tree has no place,
/// or several, for a variable.
bool hostDescribeAdaptive(MlirOperation planned, MlirOperation function);

#endif // STITCH_LOWERING_KERNEL_HOST_HOST_FUNCTION_H
