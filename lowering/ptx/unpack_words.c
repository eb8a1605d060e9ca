//===- unpack_words.c - stitch-unpack-words ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes kernels whose elements are extracted from vectors and then widened: bf16 to f32, or bytes that are compared
// with zero (booleans in memory). Leaves operations on words of the vector, one for each element. There ptxas would
// first cut an element of 16 or 8 bits out of its word and then convert it. A bf16 is the upper half of an f32, so that
// a shift or a mask makes it one; a mask tells whether a byte is zero.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Vector.h"

#include <stdlib.h>

enum { WORD_BITS = 32 };

/// An element of a vector whose length fills words.
typedef struct {
  MlirValue vector;
  int64_t number, perWord;
} Element;

static bool isElementOfWord(MlirValue value, Element *element) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "vector.extract") || mlirOperationGetNumOperands(op) != 1)
    return false;
  element->vector = irOperand(op, 0);
  IrShape shape = irShapeOf(element->vector), position = irGetDims(op, "static_position");
  if (shape.rank != 1 || position.rank != 1)
    return false;
  element->perWord = WORD_BITS / 8 / irElementBytes(mlirValueGetType(value));
  element->number = position.dims[0];
  return shape.dims[0] % element->perWord == 0;
}

/// The word that the element is in. (Each element has a view of its own; cse merges them.)
static MlirValue wordOf(IrBuilder *b, const Element *element) {
  int64_t count = irShapeOf(element->vector).dims[0] / element->perWord;
  MlirType i32 = mlirIntegerTypeGet(b->context, WORD_BITS);
  MlirValue words = irUnary(b, "vector.bitcast", element->vector, mlirVectorTypeGet(1, &count, i32));
  int64_t number = element->number / element->perWord;
  return irValueOf(b, "vector.extract", IR_VALUES(words), i32, IR_ATTRS(irDims(b, "static_position", 1, &number)));
}

/// The bits of the element in its word.
static MlirValue maskOf(IrBuilder *b, const Element *element) {
  int64_t bits = WORD_BITS / element->perWord, shift = element->number % element->perWord * bits;
  uint32_t mask = (uint32_t)(((UINT64_C(1) << bits) - 1) << shift);
  return irConstantInt(b, mlirIntegerTypeGet(b->context, WORD_BITS), (int32_t)mask);
}

static void replaceWord(MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

static void widen(MlirOperation op) {
  Element element;
  MlirType type = mlirValueGetType(irResult(op, 0));
  if (!mlirTypeIsABF16(mlirValueGetType(irOperand(op, 0))) || !mlirTypeIsAF32(type) ||
      !isElementOfWord(irOperand(op, 0), &element))
    return;
  IrBuilder b = irBuilderBefore(op);
  MlirValue word = wordOf(&b, &element), half = irConstantInt(&b, mlirValueGetType(word), WORD_BITS / 2);
  MlirValue bits = element.number % 2 ? irAndI(&b, word, maskOf(&b, &element)) : irShlI(&b, word, half);
  replaceWord(op, irUnary(&b, "arith.bitcast", bits, type));
}

static bool isZero(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && irOpIs(op, "arith.constant") && irGetInt(op, "value", -1) == 0;
}

static void compareWithZero(MlirOperation op) {
  Element element;
  int64_t predicate = irGetInt(op, "predicate", -1);
  bool isByte = irIsInteger(mlirValueGetType(irOperand(op, 0))) &&
                mlirIntegerTypeGetWidth(mlirValueGetType(irOperand(op, 0))) == 8;
  if (!isByte || (predicate != IR_CMPI_EQ && predicate != IR_CMPI_NE) || !isZero(irOperand(op, 1)) ||
      !isElementOfWord(irOperand(op, 0), &element))
    return;
  IrBuilder b = irBuilderBefore(op);
  MlirValue word = wordOf(&b, &element), bits = irAndI(&b, word, maskOf(&b, &element));
  replaceWord(op, irCmpI(&b, (IrCmpIPredicate)predicate, bits, irConstantInt(&b, mlirValueGetType(word), 0)));
}

static void run(StitchPassRun pass, MlirOperation root) {
  (void)pass;
  KernelOps ops = kernelOpsCalled(root, NULL);
  for (intptr_t i = 0; i < ops.count; ++i) {
    if (irOpIs(ops.data[i], "arith.extf"))
      widen(ops.data[i]);
    else if (irOpIs(ops.data[i], "arith.cmpi"))
      compareWithZero(ops.data[i]);
  }
  free(ops.data);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__vector__};

const StitchPassInfo unpackWordsPass = {
    .argument = "stitch-unpack-words",
    .description = "Convert elements of vectors from the words that they are in",
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
