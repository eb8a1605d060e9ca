//===- kernel_key.c - which kernels are the same -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations of a kernel. Leaves their hash: two rounds of multiplication and shift a word. Values count by the
// order in which they are defined, and thus not by their names.
//
//===----------------------------------------------------------------------===//

#include "passes/common/kernel_key.h"

#include "capi/operation_attributes.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "ir/plan/kernel_cost.h"

StitchKernelKey kernelKeyBegin(void) { return (StitchKernelKey){{0x243F6A8885A308D3, 0x13198A2E03707344}}; }

/// Two rounds of multiplication and shift by constants of MurmurHash3's and xxHash's.
void kernelKeyPut(StitchKernelKey *key, uint64_t word) {
  uint64_t a = (key->words[0] ^ word) * 0xFF51AFD7ED558CCD, b = (key->words[1] + word) * 0xC2B2AE3D27D4EB4F;
  key->words[0] = (a ^ (a >> 32)) + (b >> 17);
  key->words[1] = b ^ (b >> 29) ^ (a << 7);
}

static void putAddress(StitchKernelKey *key, const void *address) { kernelKeyPut(key, (uint64_t)(uintptr_t)address); }

void kernelKeyPutText(StitchKernelKey *key, const char *text) {
  for (; *text; ++text)
    kernelKeyPut(key, (unsigned char)*text);
  kernelKeyPut(key, 0);
}

/// Values of an operation, in the order in which they are defined.
typedef struct {
  StitchKernelKey *key;
  IrMap numbers; ///< value -> its number
  int64_t count;
  bool captures; ///< values from outside
} ValueNumbering;

static void define(ValueNumbering *n, MlirValue value) {
  irMapSet(&n->numbers, value.ptr, n->count++);
  putAddress(n->key, mlirValueGetType(value).ptr);
}

static void putInside(ValueNumbering *n, MlirOperation op);

static void putBlock(ValueNumbering *n, MlirBlock block) {
  kernelKeyPut(n->key, (uint64_t)mlirBlockGetNumArguments(block));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    define(n, mlirBlockGetArgument(block, i));
  IR_FOR_EACH_OP(op, block)
    putInside(n, op);
}

void kernelKeyPutAttributes(StitchKernelKey *key, MlirOperation op) {
  uint64_t words[2];
  stitchOperationAttributes(op, words);
  kernelKeyPut(key, words[0]);
  kernelKeyPut(key, words[1]);
}

static void putOperation(ValueNumbering *n, MlirOperation op) {
  putAddress(n->key, mlirOperationGetName(op).ptr);
  kernelKeyPutAttributes(n->key, op);
  kernelKeyPut(n->key, (uint64_t)mlirOperationGetNumRegions(op));
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      putBlock(n, block);
  kernelKeyPut(n->key, (uint64_t)mlirOperationGetNumResults(op));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    define(n, irResult(op, i));
}

static void putInside(ValueNumbering *n, MlirOperation op) {
  kernelKeyPut(n->key, (uint64_t)mlirOperationGetNumOperands(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = irOperand(op, i);
    int64_t number = irMapGet(&n->numbers, operand.ptr, -1);
    kernelKeyPut(n->key, (uint64_t)number);
    if (number >= 0)
      continue;
    putAddress(n->key, operand.ptr);
    n->captures = true;
  }
  putOperation(n, op);
}

bool kernelKeyPutOperation(StitchKernelKey *key, MlirOperation op) {
  ValueNumbering n = {.key = key};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    putAddress(key, mlirValueGetType(irOperand(op, i)).ptr);
  putOperation(&n, op);
  irMapDestroy(&n.numbers);
  return !n.captures;
}

/// The attribute of the nearest operation around that has it.
static void putAttribute(StitchKernelKey *key, MlirOperation op, const char *name) {
  while (!mlirOperationIsNull(op) && !irHasAttr(op, name))
    op = mlirOperationGetParentOperation(op);
  putAddress(key, mlirOperationIsNull(op) ? NULL : irGetAttr(op, name).ptr);
}

void kernelKeyPutModule(StitchKernelKey *key, MlirOperation op) {
  putAttribute(key, op, "stitch.device");
  putAttribute(key, op, PLAN_MEASURED);
}
