//===- traffic.c - elements that operations read --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the bytes that an operation reads of an operand, and those that a fusion's body reads of an input.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/traffic.h"

#include "ir/graph/tg.h"
#include "ir/mlir/query.h"

static int64_t trafficOfValue(MlirValue value) { return irTensorBytes(mlirValueGetType(value)); }

/// Whether an operation takes only some elements of operand 0.
static bool takesPart(MlirOperation op) {
  switch (tgKindOf(op)) {
  case TG_gather:
  case TG_slice:
  case TG_dynamic_slice:
    return true;
  default:
    return false;
  }
}

int64_t irBytesReadOfOperand(MlirOperation op, intptr_t index) {
  int64_t whole = trafficOfValue(irOperand(op, index));
  int64_t part = index == 0 && takesPart(op) ? trafficOfValue(irResult(op, 0)) : whole;
  return part < whole ? part : whole;
}

int64_t irBytesReadOfInput(MlirValue input) {
  int64_t whole = trafficOfValue(input), sum = 0;
  IR_FOR_EACH_USE(use, input) {
    sum += irBytesReadOfOperand(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use));
    if (sum >= whole)
      return whole;
  }
  return sum;
}
