//===- peer_windows.c - memory that other processes read ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the calls that give a process the operands of all members of its group (tg-peer-sums). Leaves places for them
// in windows of the arena, one behind the other, of one layout. The first holds the operands of this process. The
// others stand for the first windows of the members: a GPU maps their memory there, and such a call moves nothing.
// Otherwise the call copies.
//
// A window's ranges are never reused within a run, as others may still read them.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "ir/graph/in_place.h"
#include "lowering/kernel/host/library_sums.h"

static int64_t roundedTo(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

/// Whether an operation writes to the value's memory, in its own form or another shape.
static bool isUpdatedInPlace(MlirValue value) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool isReshape = tgKindOf(user) == TG_reshape;
    if (irUpdatesInPlace(user) || irScattersInPlace(user) || (isReshape && isUpdatedInPlace(irResult(user, 0))))
      return true;
  }
  return false;
}

/// Whether all results of the call can be the memory of others: nothing else has placed them, or writes there.
static bool canHaveWindows(Host *host, MlirOperation call, MlirAttribute groups) {
  MlirOperation first = mlirBlockGetFirstOperation(irBody(call, 0));
  if (libraryCountOperandsOfAll(call) == 0 ||
      (!mlirAttributeIsNull(groups) && !mlirAttributeEqual(groups, irGetAttr(first, "groups"))))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    if (hostPlaceOf(host, irResult(call, i)) || isUpdatedInPlace(irResult(call, i)))
      return false;
  return true;
}

/// Whether the operand itself can be in the window: a kernel or library makes it for this block alone.
static bool canBeMadeThere(Host *host, MlirOperation call) {
  MlirValue value = irWithoutReshapes(irOperand(call, 0));
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(call)) &&
         (hostIsKernel(op) || irOpIs(op, "stitch.library_call")) && !hostPlaceOf(host, value) &&
         mlirValueIsNull(irBufferOf(value)) && !isUpdatedInPlace(value);
}

typedef struct {
  int64_t first;  ///< offset of the first window in the arena
  int64_t bytes;  ///< of each
  int64_t number; ///< of them
} ArenaWindows;

static void placeIn(Host *host, MlirOperation call, const ArenaWindows *windows, int64_t slot) {
  if (canBeMadeThere(host, call))
    hostPlaceInArena(host, irWithoutReshapes(irOperand(call, 0)), windows->first + slot);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    hostPlaceInArena(host, irResult(call, i), windows->first + (1 + i) * windows->bytes + slot);
}

/// Calls of one table of groups have windows, that of the first such call.
void hostPlaceWindows(Host *host, MlirOperation function) {
  MlirAttribute groups = mlirAttributeGetNull();
  ArenaWindows windows = {.bytes = HOST_WINDOW_HEADER};
  int64_t slot = HOST_WINDOW_HEADER;
  IR_FOR_EACH_OP(op, irBody(host->source, 0)) {
    if (!irOpIs(op, "stitch.library_call") || !canHaveWindows(host, op, groups))
      continue;
    groups = irGetAttr(mlirBlockGetFirstOperation(irBody(op, 0)), "groups");
    windows.number = 1 + mlirOperationGetNumResults(op);
    windows.bytes += roundedTo(irTensorBytes(mlirValueGetType(irOperand(op, 0))), HOST_ARENA_ALIGNMENT);
  }
  if (windows.number == 0)
    return;
  windows.first = roundedTo(host->arena.size, HOST_WINDOW_ALIGNMENT);
  windows.bytes = roundedTo(windows.bytes, HOST_WINDOW_ALIGNMENT);
  IR_FOR_EACH_OP(op, irBody(host->source, 0)) {
    if (!irOpIs(op, "stitch.library_call") || !canHaveWindows(host, op, groups))
      continue;
    placeIn(host, op, &windows, slot);
    slot += roundedTo(irTensorBytes(mlirValueGetType(irOperand(op, 0))), HOST_ARENA_ALIGNMENT);
  }
  host->arena.size = windows.first + windows.number * windows.bytes;
  int64_t described[] = {windows.first, windows.bytes, windows.number};
  irSetAttr(function, "stitch.windows", mlirDenseI64ArrayGet(host->b.context, 3, described));
}
