//===- library_sums.c - several operations between processes in one call --===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stitch-communication puts sums of one group into one stitch.library_call. To the library they are one tensor in
// several places. Another such call gives a process the operands of all members of its group.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/library_sums.h"

#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "ir/plan/communication.h"

#include <stdlib.h>

static bool areAlike(MlirOperation a, MlirOperation b) {
  return mlirAttributeEqual(irGetAttr(a, "groups"), irGetAttr(b, "groups")) &&
         mlirAttributeEqual(irGetAttr(a, "kind"), irGetAttr(b, "kind")) &&
         mlirTypeEqual(irElementTypeOf(irOperand(a, 0)), irElementTypeOf(irOperand(b, 0)));
}

/// Calls with the same body are one function for the host: operands are arguments, in order, and results those of the
/// sums.
intptr_t libraryCountSums(MlirOperation call) {
  MlirBlock body = irBody(call, 0);
  MlirOperation first = mlirBlockGetFirstOperation(body), yield = mlirBlockGetTerminator(body);
  intptr_t count = 0;
  IR_FOR_EACH_OP(op, body) {
    if (mlirOperationEqual(op, yield))
      break;
    bool isNext = tgKindOf(op) == TG_all_reduce && areAlike(op, first) && count < mlirBlockGetNumArguments(body) &&
                  count < mlirOperationGetNumOperands(yield) &&
                  mlirValueEqual(irOperand(op, 0), mlirBlockGetArgument(body, count)) &&
                  mlirValueEqual(irOperand(yield, count), irResult(op, 0)) &&
                  mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(mlirValueGetType(irOperand(op, 0))));
    if (!isNext)
      return 0;
    ++count;
  }
  bool isWhole = count == mlirOperationGetNumOperands(yield) && count == mlirBlockGetNumArguments(body);
  return count > 1 && isWhole ? count : 0;
}

MlirAttribute librarySumsProblem(IrBuilder *b, MlirOperation call, intptr_t count) {
  MlirOperation sum = mlirBlockGetFirstOperation(irBody(call, 0));
  int64_t *elements = irAllocate(sizeof(*elements) * (size_t)(count + 1)), total = 0;
  intptr_t number = 0;
  IR_FOR_EACH_OP(op, irBody(call, 0)) {
    if (number == count)
      break;
    elements[number] = irNumElements(irShapeOf(irOperand(op, 0)));
    total += elements[number++];
  }
  MlirAttribute type = mlirTypeAttrGet(
      mlirMemRefTypeContiguousGet(irElementTypeOf(irOperand(sum, 0)), 1, &total, mlirAttributeGetNull()));
  MlirAttribute types[] = {type, type};
  MlirNamedAttribute entries[] = {irString(b, "kind", "all_reduces"), irAttr(b, "combiner", irGetAttr(sum, "kind")),
                                  irAttr(b, "groups", irGetAttr(sum, "groups")),
                                  irAttr(b, "elements", mlirDenseI64ArrayGet(b->context, count, elements)),
                                  irAttr(b, "types", mlirArrayAttrGet(b->context, 2, types))};
  free(elements);
  return mlirDictionaryAttrGet(b->context, sizeof(entries) / sizeof(entries[0]), entries);
}

intptr_t librarySumsOperands(MlirOperation call, intptr_t count, MlirValue *operands) {
  MlirOperation sum = mlirBlockGetFirstOperation(irBody(call, 0));
  for (intptr_t i = 0; i < count; ++i, sum = mlirOperationGetNextInBlock(sum)) {
    operands[2 * i] = irOperand(sum, 0);
    operands[2 * i + 1] = irResult(sum, 0);
  }
  return 2 * count;
}

intptr_t libraryCountOperandsOfAll(MlirOperation call) {
  MlirBlock body = irBody(call, 0);
  MlirOperation first = mlirBlockGetFirstOperation(body), yield = mlirBlockGetTerminator(body);
  intptr_t count = planOperandsOfAll(call), number = 0;
  if (count == 0 || mlirBlockGetNumArguments(body) != 1 || mlirOperationGetNumOperands(yield) != count ||
      tgKindOf(first) != TG_collective_broadcast ||
      irTypeShape(mlirAttributeGetType(irGetAttr(first, "groups"))).dims[1] != count)
    return 0;
  IR_FOR_EACH_OP(op, body) {
    if (mlirOperationEqual(op, yield))
      break;
    bool isNext = number < count && tgKindOf(op) == TG_collective_broadcast &&
                  mlirValueEqual(irOperand(op, 0), mlirBlockGetArgument(body, 0)) &&
                  mlirValueEqual(irOperand(yield, number), irResult(op, 0)) &&
                  mlirAttributeEqual(irGetAttr(op, "groups"), planGroupsFrom(irGetAttr(first, "groups"), number)) &&
                  mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(mlirValueGetType(irOperand(op, 0))));
    if (!isNext)
      return 0;
    ++number;
  }
  return number == count ? count : 0;
}

MlirAttribute libraryOperandsOfAllProblem(IrBuilder *b, MlirOperation call, intptr_t count) {
  MlirOperation broadcast = mlirBlockGetFirstOperation(irBody(call, 0));
  int64_t total = irNumElements(irShapeOf(irOperand(broadcast, 0)));
  MlirAttribute type = mlirTypeAttrGet(
      mlirMemRefTypeContiguousGet(irElementTypeOf(irOperand(broadcast, 0)), 1, &total, mlirAttributeGetNull()));
  MlirAttribute types[] = {type, type};
  MlirNamedAttribute entries[] = {irString(b, "kind", "operands_of_all"), irI64(b, "members", count),
                                  irAttr(b, "groups", irGetAttr(broadcast, "groups")),
                                  irAttr(b, "types", mlirArrayAttrGet(b->context, 2, types))};
  return mlirDictionaryAttrGet(b->context, sizeof(entries) / sizeof(entries[0]), entries);
}
