//===- llvm_host_control.c - scalars, branches and their predicates -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one operation of the host function that is a scalar, a branch, an adaptive choice, a stream step or a return.
// Leaves its operation in the LLVM dialect, with the value or the predicate of the same name. Host memory of a value
// that is read back is an alloca; stitchReadDevice copies to it and waits.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/llvm_host.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

void hostConvertConstant(HostConversion *h, MlirOperation op) {
  int64_t value;
  MlirType type = hostConvertedType(h, mlirValueGetType(irResult(op, 0)));
  if (mlirTypeIsNull(type) || !hostConstantValue(irResult(op, 0), &value))
    return hostFail(h, op, "must be an integer in host code");
  hostSetValue(h, irResult(op, 0), hostConstant(&h->entry, type, value));
}

static void setBinary(HostConversion *h, MlirOperation op, const char *name, IrAttrs attributes) {
  MlirValue lhs = hostValueOf(h, op, irOperand(op, 0)), rhs = hostValueOf(h, op, irOperand(op, 1));
  MlirType type = hostConvertedType(h, mlirValueGetType(irResult(op, 0)));
  if (!h->failed)
    hostSetValue(h, irResult(op, 0), irValueOf(&h->b, name, IR_VALUES(lhs, rhs), type, attributes));
}

void hostConvertSelect(HostConversion *h, MlirOperation op) {
  MlirValue operands[3];
  for (int i = 0; i < 3; ++i)
    operands[i] = hostValueOf(h, op, irOperand(op, i));
  MlirType type = hostConvertedType(h, mlirValueGetType(irResult(op, 0)));
  if (!h->failed)
    hostSetValue(h, irResult(op, 0), irValueOf(&h->b, "llvm.select", (IrValues){3, operands}, type, IR_NO_ATTRS));
}

void hostConvertAdd(HostConversion *h, MlirOperation op) { setBinary(h, op, "llvm.add", IR_NO_ATTRS); }

/// The predicates of both dialects have the same numbers.
void hostConvertCompare(HostConversion *h, MlirOperation op) {
  setBinary(h, op, "llvm.icmp", IR_ATTRS(irI64(&h->b, "predicate", irGetInt(op, "predicate", 0))));
}

/// Host code has 64-bit indices and reads narrower integers.
void hostConvertIndexCast(HostConversion *h, MlirOperation op) {
  MlirValue from = hostValueOf(h, op, irOperand(op, 0));
  MlirType to = hostConvertedType(h, mlirValueGetType(irResult(op, 0)));
  if (h->failed)
    return;
  int64_t fromWidth = mlirIntegerTypeGetWidth(mlirValueGetType(from)), toWidth = mlirIntegerTypeGetWidth(to);
  const char *extension = irOpIs(op, "arith.index_castui") ? "llvm.zext" : "llvm.sext";
  const char *name = toWidth > fromWidth ? extension : "llvm.trunc";
  hostSetValue(h, irResult(op, 0),
               toWidth == fromWidth ? from : irValueOf(&h->b, name, IR_VALUES(from), to, IR_NO_ATTRS));
}

/// Host memory for values that the host reads from the device.
void hostConvertAlloca(HostConversion *h, MlirOperation op) {
  MlirType type = mlirValueGetType(irResult(op, 0));
  MlirValue bytes = hostConstant(&h->entry, h->i64, irTensorBytes(type));
  hostSetValue(h, irResult(op, 0),
               irValueOf(&h->entry, "llvm.alloca", IR_VALUES(bytes), h->pointer,
                         IR_ATTRS(irType(&h->b, "elem_type", mlirIntegerTypeGet(h->context, 8)),
                                  irI64(&h->b, "alignment", 16))));
}

/// gpu.memcpy from the device into an alloca.
void hostConvertRead(HostConversion *h, MlirOperation op) {
  intptr_t first = mlirOperationGetNumOperands(op) - 2; // after the tokens that it waits for
  MlirValue target = hostValueOf(h, op, irOperand(op, first)), source = hostValueOf(h, op, irOperand(op, first + 1));
  MlirOperation memory = irDefiningOp(irOperand(op, first));
  if (mlirOperationIsNull(memory) || !irOpIs(memory, "memref.alloca"))
    return hostFail(h, op, "must copy into a memref.alloca in host code");
  int64_t bytes = irTensorBytes(mlirValueGetType(irOperand(op, first)));
  if (h->failed)
    return;
  hostCallAt(h, op);
  hostCallAndCheck(h, "stitchReadDevice",
                   IR_VALUES(hostCallbacks(h), target, source, hostConstant(&h->b, h->i64, bytes)));
}

/// The callback of gpu.memcpy waits itself.
void hostConvertWait(HostConversion *h, MlirOperation op) {
  (void)h;
  (void)op;
}

void hostConvertLoad(HostConversion *h, MlirOperation op) {
  int64_t index = 0;
  MlirValue pointer = hostValueOf(h, op, irOperand(op, 0));
  MlirType type = mlirValueGetType(irResult(op, 0));
  if (mlirOperationGetNumOperands(op) != 2 || !hostConstantValue(irOperand(op, 1), &index) || !mlirTypeIsAInteger(type))
    return hostFail(h, op, "must load an integer from a constant place of a 1-D memref in host code");
  if (!h->failed)
    hostSetValue(h, irResult(op, 0),
                 irValueOf(&h->b, "llvm.load", IR_VALUES(hostElementPointer(h, &h->b, pointer, type, index)), type,
                           IR_NO_ATTRS));
}

/// Operands and successors as they are, in the new function.
static void convertBranch(HostConversion *h, MlirOperation op, const char *name, IrAttrs attributes) {
  intptr_t numOperands = mlirOperationGetNumOperands(op), numSuccessors = mlirOperationGetNumSuccessors(op);
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(numOperands + 1));
  MlirBlock *successors = irAllocate(sizeof(MlirBlock) * (size_t)(numSuccessors + 1));
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = hostValueOf(h, op, irOperand(op, i));
  for (intptr_t i = 0; i < numSuccessors; ++i)
    successors[i].ptr = (void *)(intptr_t)irMapGet(&h->blocks, mlirOperationGetSuccessor(op, i).ptr, 0);
  if (!h->failed)
    irBranch(&h->b, name, (IrValues){numOperands, operands}, (IrBlocks){numSuccessors, successors}, attributes);
  free(operands);
  free(successors);
}

void hostConvertJump(HostConversion *h, MlirOperation op) { convertBranch(h, op, "llvm.br", IR_NO_ATTRS); }

void hostConvertConditionalBranch(HostConversion *h, MlirOperation op) {
  convertBranch(h, op, "llvm.cond_br",
                IR_ATTRS(irAttr(&h->b, "operandSegmentSizes", irGetAttr(op, "operandSegmentSizes"))));
}

void hostConvertSwitch(HostConversion *h, MlirOperation op) {
  MlirAttribute values = irGetAttr(op, "case_values"), segments = irGetAttr(op, "case_operand_segments");
  MlirNamedAttribute attributes[3] = {
      irAttr(&h->b, "operandSegmentSizes", irGetAttr(op, "operandSegmentSizes")),
      irAttr(&h->b, "case_operand_segments", segments),
      irAttr(&h->b, "case_values", values),
  };
  convertBranch(h, op, "llvm.switch", (IrAttrs){mlirAttributeIsNull(values) ? 2 : 3, attributes});
}

/// A call of `callee` with the callbacks and the number of the operation's adaptive variable.
static MlirOperation callForVariable(HostConversion *h, MlirOperation op, const char *callee, IrTypes results) {
  int64_t number = irMapGet(&h->adaptive, irGetAttr(op, "variable").ptr, -1);
  if (number < 0)
    return hostFail(h, op, "names a variable that @main does not list in 'stitch.adaptive'"), (MlirOperation){NULL};
  IrBuilder *b = &h->b;
  return irOp(b, "llvm.call", IR_VALUES(hostCallbacks(h), hostConstant(b, h->i64, number)), results,
              IR_ATTRS(irSymbol(b, "callee", callee),
                       irAttr(b, "operandSegmentSizes", irParseAttr(h->context, "array<i32: 2, 0>")),
                       irAttr(b, "op_bundle_sizes", irParseAttr(h->context, "array<i32>"))));
}

void hostConvertChoose(HostConversion *h, MlirOperation op) {
  MlirOperation call = callForVariable(h, op, "stitchChoose", IR_TYPES(h->i64));
  if (!h->failed)
    hostSetValue(h, irResult(op, 0), irResult(call, 0));
}

void hostConvertChosen(HostConversion *h, MlirOperation op) { callForVariable(h, op, "stitchChosen", IR_NO_TYPES); }

static void callStep(HostConversion *h, int64_t number) {
  hostCallAndCheck(h, "stitchStep", IR_VALUES(hostCallbacks(h), hostConstant(&h->b, h->i64, number)));
}

/// The runtime knows a step by its place in `stitch.steps`.
void hostConvertStep(HostConversion *h, MlirOperation op) {
  static const char *const names[] = {"super_epoch", "after", "on", "variable"};
  MlirNamedAttribute entries[4];
  intptr_t count = irHasAttr(op, "variable") ? 4 : 2;
  for (intptr_t i = 0; i < count; ++i)
    entries[i] = irNamed(h->context, names[i], irGetAttr(op, names[i]));
  if (irHasAttr(op, "stream"))
    entries[count++] = irNamed(h->context, "stream", irGetAttr(op, "stream"));
  if (irGetInt(op, "number", -1) != h->steps.count)
    return hostFail(h, op, "must have the number of steps before it");
  hostAppend(&h->steps, mlirDictionaryAttrGet(h->context, count, entries));
  callStep(h, h->steps.count - 1);
}

void hostConvertJoin(HostConversion *h, MlirOperation op) {
  (void)op;
  callStep(h, -1);
}

void hostConvertReturn(HostConversion *h, MlirOperation op) {
  if (mlirOperationGetNumOperands(op) != 0)
    return hostFail(h, op, "must return nothing: outputs are arguments of the host function");
  irOp(&h->b, "llvm.return", IR_VALUES(hostConstant(&h->b, h->i32, 0)), IR_NO_TYPES, IR_NO_ATTRS);
}
