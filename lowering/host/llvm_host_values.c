//===- llvm_host_values.c - values of the host function in LLVM -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of the host function during its conversion. These are the LLVM value that stands for each, constants, pointers
// to elements, and calls of the three callbacks, whose nonzero result ends the function.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/llvm_host.h"

#include "ir/mlir/location.h"

#include <stdlib.h>

#include "capi/diagnostics.h"

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void hostFail(HostConversion *h, MlirOperation op, const char *message) {
  stitchEmitOpError(op, "%s", message);
  h->failed = true;
}

bool hostConstantValue(MlirValue value, int64_t *result) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "arith.constant"))
    return false;
  MlirAttribute attribute = irGetAttr(op, "value");
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  *result = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

void hostSetValue(HostConversion *h, MlirValue from, MlirValue to) {
  irMapSet(&h->values, from.ptr, (int64_t)(intptr_t)to.ptr);
}

MlirValue hostValueOf(HostConversion *h, MlirOperation user, MlirValue from) {
  int64_t to = irMapGet(&h->values, from.ptr, 0);
  if (!to)
    hostFail(h, user, "has an operand that host code cannot compute");
  return (MlirValue){(void *)(intptr_t)to};
}

MlirType hostConvertedType(HostConversion *h, MlirType type) {
  if (mlirTypeIsAMemRef(type))
    return h->pointer;
  if (mlirTypeIsAIndex(type))
    return h->i64;
  return mlirTypeIsAInteger(type) ? type : (MlirType){NULL};
}

//===----------------------------------------------------------------------===//
// LLVM operations
//===----------------------------------------------------------------------===//

MlirValue hostConstant(IrBuilder *b, MlirType type, int64_t value) {
  return irValueOf(b, "llvm.mlir.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(b, "value", mlirIntegerAttrGet(type, value))));
}

MlirValue hostElementPointer(HostConversion *h, IrBuilder *b, MlirValue base, MlirType element, int64_t index) {
  if (index == 0)
    return base;
  if (index > INT32_MAX || index < INT32_MIN) {
    MlirAttribute dynamic = irParseAttr(h->context, "array<i32: -2147483648>");
    return irValueOf(b, "llvm.getelementptr", IR_VALUES(base, hostConstant(b, h->i64, index)), h->pointer,
                     IR_ATTRS(irType(b, "elem_type", element), irAttr(b, "rawConstantIndices", dynamic)));
  }
  MlirAttribute constant = irParseAttr(h->context, "array<i32: %lld>", (long long)index);
  return irValueOf(b, "llvm.getelementptr", IR_VALUES(base), h->pointer,
                   IR_ATTRS(irType(b, "elem_type", element), irAttr(b, "rawConstantIndices", constant)));
}

MlirValue hostLoadPointer(HostConversion *h, IrBuilder *b, MlirValue array, int64_t index) {
  return irValueOf(b, "llvm.load", IR_VALUES(hostElementPointer(h, b, array, h->pointer, index)), h->pointer,
                   IR_NO_ATTRS);
}

MlirValue hostCallbacks(HostConversion *h) { return mlirBlockGetArgument(irBody(h->function, 0), HOST_CALLBACKS); }

void hostCallAndCheck(HostConversion *h, const char *callee, IrValues operands) {
  IrBuilder *b = &h->b;
  MlirAttribute segments = irParseAttr(h->context, "array<i32: %ld, 0>", (long)operands.count);
  MlirAttribute bundles = irParseAttr(h->context, "array<i32>");
  MlirValue code = irValueOf(b, "llvm.call", operands, h->i32,
                             IR_ATTRS(irSymbol(b, "callee", callee), irAttr(b, "operandSegmentSizes", segments),
                                      irAttr(b, "op_bundle_sizes", bundles)));
  enum { LLVM_ICMP_NE = 1 };
  MlirValue failed = irValueOf(b, "llvm.icmp", IR_VALUES(code, hostConstant(b, h->i32, 0)),
                               mlirIntegerTypeGet(h->context, 1), IR_ATTRS(irI64(b, "predicate", LLVM_ICMP_NE)));
  MlirBlock next = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(mlirOperationGetRegion(h->function, 0), h->failure, next);
  irBranch(b, "llvm.cond_br", IR_VALUES(failed, code), IR_BLOCKS(h->failure, next),
           IR_ATTRS(irAttr(b, "operandSegmentSizes", irParseAttr(h->context, "array<i32: 1, 1, 0>"))));
  h->b.block = next;
}

void hostCallAt(HostConversion *h, MlirOperation op) {
  char *text = irLocationText(mlirOperationGetLocation(op));
  IrBuilder *b = &h->b;
  MlirAttribute site = irStringAttr(h->context, text);
  free(text);
  MlirValue number = hostConstant(b, h->i64, hostNumberSite(h, site));
  irOp(b, "llvm.call", IR_VALUES(hostCallbacks(h), number), IR_NO_TYPES,
       IR_ATTRS(irSymbol(b, "callee", "stitchAt"),
                irAttr(b, "operandSegmentSizes", irParseAttr(h->context, "array<i32: 2, 0>")),
                irAttr(b, "op_bundle_sizes", irParseAttr(h->context, "array<i32>"))));
}
