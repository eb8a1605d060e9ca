//===- buckets.c - stitch-communication: several sums as one call ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes all_reduce calls of one kind, group and type. Leaves one call for several, at the place of the last one, while
// their bytes are below the bucket's size and none is read before.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/plan/communication.h"
#include "passes/common/collect.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_communication/steps.h"

#include <stdlib.h>

/// As many as the runtime takes (STITCH_LIBRARY_MAX_BUCKET).
enum { MOST_SUMS = 64 };

typedef struct {
  Operations calls;
  double bytes;
} Bucket;

/// The sum of a library call that is nothing else; null if it is none. Sizes have to be known.
static MlirOperation sumOf(MlirOperation call) {
  if (!irOpIs(call, "stitch.library_call"))
    return (MlirOperation){NULL};
  MlirOperation op = mlirBlockGetFirstOperation(irBody(call, 0));
  bool isAlone = mlirOperationEqual(irNextOp(op), mlirBlockGetTerminator(irBody(call, 0)));
  bool isKnown = tgKindOf(op) == TG_all_reduce && isAlone &&
                 mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(mlirValueGetType(irOperand(op, 0))));
  return isKnown ? op : (MlirOperation){NULL};
}

static double bytesOfSum(MlirOperation sum) { return (double)irTensorBytes(mlirValueGetType(irOperand(sum, 0))); }

static bool areAlike(MlirOperation a, MlirOperation b) {
  return mlirAttributeEqual(irGetAttr(a, "groups"), irGetAttr(b, "groups")) &&
         mlirAttributeEqual(irGetAttr(a, "kind"), irGetAttr(b, "kind")) &&
         mlirTypeEqual(irElementTypeOf(irOperand(a, 0)), irElementTypeOf(irOperand(b, 0)));
}

/// Whether anything before `call` reads the result of a member: together they would stand at `call`.
static bool isReadBefore(const Bucket *bucket, MlirOperation call) {
  MlirBlock block = mlirOperationGetBlock(call);
  for (intptr_t i = 0; i < bucket->calls.count; ++i)
    IR_FOR_EACH_USE(use, irResult(bucket->calls.data[i], 0)) {
      MlirOperation reader = communicationAncestor(block, mlirOpOperandGetOwner(use));
      if (mlirOperationEqual(reader, call) || mlirOperationIsBeforeInBlock(reader, call))
        return true;
    }
  return false;
}

/// Makes one call of the members, where the last one stands; returns their number.
static int64_t close(Bucket *bucket) {
  intptr_t count = bucket->calls.count;
  if (count > 1) {
    MlirOperation last = bucket->calls.data[count - 1];
    FusionBody body = fusionBodyCreate();
    ValueList results = {0};
    for (intptr_t i = 0; i < count; ++i) {
      MlirOperation call = bucket->calls.data[i], copy = mlirOperationClone(sumOf(call));
      MlirValue operand = fusionBodyOwnArgument(&body, irOperand(call, 0), mlirOperationGetLocation(call));
      mlirOperationSetOperand(copy, 0, operand);
      mlirBlockAppendOwnedOperation(body.block, copy);
      valueListAdd(&results, irResult(copy, 0));
    }
    MlirOperation made =
        fusionBodyClose(&body, "stitch.library_call", mlirOperationGetLocation(last), &results, irNextOp(last));
    for (intptr_t i = 0; i < count; ++i)
      mlirValueReplaceAllUsesOfWith(irResult(bucket->calls.data[i], 0), irResult(made, i));
    for (intptr_t i = 0; i < count; ++i)
      mlirOperationDestroy(bucket->calls.data[i]);
    valueListDestroy(&results);
  }
  free(bucket->calls.data);
  *bucket = (Bucket){0};
  return count > 1 ? count : 0;
}

int64_t communicationMakeBuckets(MlirBlock block, double bytes) {
  Bucket bucket = {0};
  int64_t joined = 0;
  IR_FOR_EACH_OP_REPLACING(op, block) {
    if (!planIsCommunication(op))
      continue;
    MlirOperation sum = sumOf(op);
    bool joins = !mlirOperationIsNull(sum) && bucket.calls.count > 0 && bucket.calls.count < MOST_SUMS &&
                 areAlike(sumOf(bucket.calls.data[0]), sum) && bucket.bytes + bytesOfSum(sum) <= bytes &&
                 !isReadBefore(&bucket, op);
    if (!joins)
      joined += close(&bucket);
    if (mlirOperationIsNull(sum))
      continue;
    addOperation(&bucket.calls, op);
    bucket.bytes += bytesOfSum(sum);
  }
  return joined + close(&bucket);
}
