//===- in_place.c - updates in place whose buffers are read --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/ir.md, "Updates in place". An update with stitch.in_place promises that no reader of its buffer takes elements
// of the slice's place. A fusion that reads the buffer in another way than through an update of such a slice would find
// the old elements there, or the new ones.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"

/// Whether all that reads a buffer, or a fusion's input that is one, are updates of slices of the type of `update`'s,
/// or fusions of which this is true.
static bool isReadThroughUpdates(MlirValue buffer, MlirOperation update) {
  IR_FOR_EACH_USE(use, buffer) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    intptr_t number = mlirOpOperandGetOperandNumber(use);
    bool isUpdate = tgKindOf(user) == TG_dynamic_update_slice && number == 0 &&
                    mlirTypeEqual(mlirValueGetType(irOperand(user, 1)), mlirValueGetType(irOperand(update, 1)));
    bool isFusion = irOpIs(user, "stitch.fusion");
    if (!isUpdate && !(isFusion && isReadThroughUpdates(mlirBlockGetArgument(irBody(user, 0), number), update)))
      return false;
  }
  return true;
}

static MlirWalkResult verifyUpdate(MlirOperation op, void *data) {
  bool *isRight = data;
  if (!irHasAttr(op, IR_IN_PLACE_ATTRIBUTE) || irScattersInPlace(op)) // that is right wherever its memory is
    return MlirWalkResultAdvance;
  const char *problem = NULL;
  if (!irUpdatesInPlace(op))
    problem = "is no update in place: of an argument whose memory the result gets, returned once, with starts that are "
              "known before";
  else if (!isReadThroughUpdates(irOperand(op, 0), op))
    problem = "is in place, but its buffer is read as it was before, too";
  if (problem)
    stitchEmitOpError(op, "%s", problem);
  *isRight = *isRight && !problem;
  return MlirWalkResultAdvance;
}

bool verifyUpdatesInPlace(MlirOperation module) {
  bool isRight = true;
  mlirOperationWalk(module, verifyUpdate, &isRight, MlirWalkPreOrder);
  return isRight;
}
