//===- exchanges.c - stitch-communication: the operands of all members ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes calls of collective_broadcast that stand behind each other: of one tensor, from each member of the group in
// order (tg-peer-sums). Leaves one call for all of them, after which each process has the tensors of all.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/plan/communication.h"
#include "passes/common/collect.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_communication/steps.h"

#include <stdlib.h>

/// As many as the runtime takes (STITCH_LIBRARY_MAX_BUCKET).
enum { MOST_MEMBERS = 64 };

/// The broadcast of a library call that is nothing else; null if it is none.
static MlirOperation broadcastOf(MlirOperation call) {
  if (mlirOperationIsNull(call) || !irOpIs(call, "stitch.library_call"))
    return (MlirOperation){NULL};
  MlirOperation op = mlirBlockGetFirstOperation(irBody(call, 0));
  bool isAlone = mlirOperationEqual(irNextOp(op), mlirBlockGetTerminator(irBody(call, 0)));
  return isAlone && tgKindOf(op) == TG_collective_broadcast ? op : (MlirOperation){NULL};
}

/// The calls from `first` on that are from each member in order; none if some are missing.
static Operations findExchange(MlirOperation first) {
  Operations calls = {0};
  MlirOperation call = first, broadcast = broadcastOf(call);
  MlirAttribute groups = mlirOperationIsNull(broadcast) ? mlirAttributeGetNull() : irGetAttr(broadcast, "groups");
  int64_t members = mlirOperationIsNull(broadcast) ? 0 : irTypeShape(mlirAttributeGetType(groups)).dims[1];
  bool isNext = members > 1 && members <= MOST_MEMBERS;
  for (int64_t i = 0; isNext && i < members; ++i, call = irNextOp(call), broadcast = broadcastOf(call)) {
    isNext = !mlirOperationIsNull(broadcast) && mlirValueEqual(irOperand(call, 0), irOperand(first, 0)) &&
             mlirAttributeEqual(irGetAttr(broadcast, "groups"), planGroupsFrom(groups, i));
    if (isNext)
      addOperation(&calls, call);
  }
  calls.count = isNext ? calls.count : 0;
  return calls;
}

static MlirOperation joinBroadcasts(const Operations *calls) {
  MlirOperation first = calls->data[0];
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirValue operand = fusionBodyOwnArgument(&body, irOperand(first, 0), mlirOperationGetLocation(first));
  for (intptr_t i = 0; i < calls->count; ++i) {
    MlirOperation copy = mlirOperationClone(broadcastOf(calls->data[i]));
    mlirOperationSetOperand(copy, 0, operand);
    mlirBlockAppendOwnedOperation(body.block, copy);
    valueListAdd(&results, irResult(copy, 0));
  }
  MlirOperation made = fusionBodyClose(&body, "stitch.library_call", mlirOperationGetLocation(first), &results, first);
  for (intptr_t i = 0; i < calls->count; ++i)
    mlirValueReplaceAllUsesOfWith(irResult(calls->data[i], 0), irResult(made, i));
  for (intptr_t i = 0; i < calls->count; ++i)
    mlirOperationDestroy(calls->data[i]);
  valueListDestroy(&results);
  return made;
}

int64_t communicationMakeExchanges(MlirBlock block) {
  int64_t made = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = irNextOp(op)) {
    Operations calls = findExchange(op);
    if (calls.count > 0) {
      op = joinBroadcasts(&calls);
      ++made;
    }
    free(calls.data);
  }
  return made;
}
