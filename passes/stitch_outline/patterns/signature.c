//===- signature.c - which patterns are the same kernel ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model propose the same patterns over and over (FusionStitching 5.3: "only dozens of unique fusion
// patterns"). A pattern's key is that of its graph: operands and inputs count in the order in which they are met.
// Patterns of one key are one kernel, and are planned once.
//
//===----------------------------------------------------------------------===//

#include "passes/common/kernel_key.h"
#include "passes/stitch_outline/patterns/patterns.h"

typedef struct {
  const Outline *outline;
  const Fusion *fusion;
  IrMap numbers; ///< operation or input -> its number, from 1 on
  int64_t count; ///< of these
  StitchKernelKey *key;
  bool isWhole; ///< nothing of it is known by its address alone
} Signature;

static void put(Signature *s, int64_t number) { kernelKeyPut(s->key, (uint64_t)number); }

static void putAddress(Signature *s, const void *address) { put(s, (int64_t)(intptr_t)address); }

/// The number of an operation or input; true if it is new.
static bool numberOf(Signature *s, const void *key, int64_t *number) {
  *number = irMapGet(&s->numbers, key, 0);
  if (*number)
    return false;
  *number = ++s->count;
  irMapSet(&s->numbers, key, *number);
  return true;
}

static void putOperation(Signature *s, MlirOperation op);

static void putOperand(Signature *s, MlirValue value) {
  int64_t node = irNumberOf(&s->outline->numbering, value), number;
  bool isInside =
      node >= 0 && (s->outline->nodes[node].kind == NODE_FREE || fusionHasMember(s->outline, s->fusion, node));
  if (isInside) {
    MlirOperation op = s->outline->nodes[node].op;
    if (!irMapContains(&s->numbers, op.ptr))
      putOperation(s, op);
    numberOf(s, op.ptr, &number);
    put(s, number);
    put(s, mlirOpResultGetResultNumber(value));
    return;
  }
  bool isNew = numberOf(s, value.ptr, &number);
  put(s, -number);
  if (isNew)
    putAddress(s, mlirValueGetType(value).ptr);
}

static void putOperation(Signature *s, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    putOperand(s, irOperand(op, i));
  int64_t number;
  numberOf(s, op.ptr, &number);
  putAddress(s, mlirOperationGetName(op).ptr);
  kernelKeyPutAttributes(s->key, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    putAddress(s, mlirValueGetType(irResult(op, i)).ptr);
  if (mlirOperationGetNumRegions(op) > 0)
    s->isWhole &= kernelKeyPutOperation(s->key, op);
}

static void putPattern(Signature *s) {
  for (int64_t i = 0; i < s->fusion->count; ++i) {
    MlirOperation op = s->outline->nodes[s->fusion->members[i]].op;
    if (!irMapContains(&s->numbers, op.ptr))
      putOperation(s, op);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      put(s, isUsedOutsideFusion(s->outline, s->fusion, irResult(op, j)));
  }
}

bool keyOfPattern(Outline *outline, const Pattern *pattern, StitchKernelKey *key) {
  Fusion fusion = {.members = pattern->nodes, .count = pattern->count, .first = pattern->nodes[0]};
  Signature s = {.outline = outline, .fusion = &fusion, .key = key, .isWhole = true};
  fusionPlaceMembers(outline, &fusion);
  putPattern(&s);
  irMapDestroy(&s.numbers);
  return s.isWhole;
}
