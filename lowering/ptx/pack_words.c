//===- pack_words.c - bytes that become words ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes kernels that make vectors of bytes, element by element: booleans, which are 0 or 1 in memory, and integers of 8
// bits. Leaves words, four bytes each, for which LLVM and ptxas would need more instructions:
//
//   booleans      The first is 0 or 1, and each other one adds its bit to the word if it is true: one instruction each,
//                 under a predicate. Logic of booleans that are loaded is logic of the words that they are in.
//   conversions   of floats, which saturate: two of them are one or two instructions that convert, saturate and pack.
//   integers      Sums and differences of four bytes are those of their words if nothing is carried from byte to byte:
//                 seven bits of each are added, and the eighth is added without a carry. Of products each byte needs
//                 the lowest bits alone, so that whatever is above a byte in a word may stay there.
//
// All of it is undone where a byte of a group is none of these: whatever LLVM makes of that is as good.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/pack_words.h"

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"
#include "lowering/ptx/lower_conversions.h"

#include <stdio.h>
#include <stdlib.h>

enum { PER_WORD = 4, BYTE_BITS = 8, MAX_WORDS = 4 };

/// cvt.pack began with sm_72; sm_75 is the first of them that Stitch knows.
enum { FIRST_WITH_PACKED_CONVERSIONS = 75 };

/// A bit of each byte, or several.
enum { LOWEST_BITS = 0x01010101, LOW_BITS = 0x7f7f7f7f };
#define HIGHEST_BITS INT32_C(~LOW_BITS)

/// The bytes of a word, the lowest first.
typedef struct {
  MlirValue values[PER_WORD];
} WordBytes;

static const MlirValue none = {NULL};

static bool isNone(MlirValue value) { return mlirValueIsNull(value); }

static MlirType wordType(IrBuilder *b) { return mlirIntegerTypeGet(b->context, PER_WORD * BYTE_BITS); }

static MlirValue constantWord(IrBuilder *b, int64_t bits) { return irConstantInt(b, wordType(b), (int32_t)bits); }

/// The operations that define each value of a group, if they are of one kind.
typedef struct {
  MlirOperation ops[PER_WORD];
} Definitions;

static bool definedBy(const WordBytes *group, const char *name, Definitions *definitions) {
  for (int i = 0; i < PER_WORD; ++i) {
    definitions->ops[i] = irDefiningOp(group->values[i]);
    if (mlirOperationIsNull(definitions->ops[i]) || !irOpIs(definitions->ops[i], name))
      return false;
  }
  return true;
}

static WordBytes operandsOf(const Definitions *definitions, intptr_t operand) {
  WordBytes group;
  for (int i = 0; i < PER_WORD; ++i)
    group.values[i] = irOperand(definitions->ops[i], operand);
  return group;
}

//===----------------------------------------------------------------------===//
// Values in a word, and known values
//===----------------------------------------------------------------------===//

/// The word of a vector that has the four bytes.
static MlirValue wordOfVector(IrBuilder *b, const WordBytes *group) {
  Definitions extracts;
  if (!definedBy(group, "vector.extract", &extracts))
    return none;
  MlirValue vector = irOperand(extracts.ops[0], 0);
  IrShape shape = irShapeOf(vector);
  for (int i = 0; i < PER_WORD; ++i) {
    IrShape position = irGetDims(extracts.ops[i], "static_position");
    if (mlirOperationGetNumOperands(extracts.ops[i]) != 1 || !mlirValueEqual(irOperand(extracts.ops[i], 0), vector) ||
        position.rank != 1 || position.dims[0] % PER_WORD != i ||
        position.dims[0] / PER_WORD != irGetDims(extracts.ops[0], "static_position").dims[0] / PER_WORD)
      return none;
  }
  if (shape.rank != 1 || shape.dims[0] % PER_WORD != 0)
    return none;
  int64_t count = shape.dims[0] / PER_WORD, number = irGetDims(extracts.ops[0], "static_position").dims[0] / PER_WORD;
  MlirValue words = irUnary(b, "vector.bitcast", vector, mlirVectorTypeGet(1, &count, wordType(b)));
  return irValueOf(b, "vector.extract", IR_VALUES(words), wordType(b),
                   IR_ATTRS(irDims(b, "static_position", 1, &number)));
}

/// Constants, of which `mask` is kept.
static MlirValue wordOfConstants(IrBuilder *b, const WordBytes *group, uint32_t mask) {
  Definitions constants;
  if (!definedBy(group, "arith.constant", &constants))
    return none;
  uint32_t bits = 0;
  for (int i = 0; i < PER_WORD; ++i)
    bits |= ((uint32_t)irGetInt(constants.ops[i], "value", 0) & mask) << BYTE_BITS * i;
  return constantWord(b, bits);
}

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

/// Whether all of a group are compared with zero by one predicate.
static bool areTested(const Definitions *comparisons, IrCmpIPredicate predicate) {
  for (int i = 0; i < PER_WORD; ++i) {
    MlirOperation zero = irDefiningOp(irOperand(comparisons->ops[i], 1));
    if (irGetInt(comparisons->ops[i], "predicate", -1) != predicate || mlirOperationIsNull(zero) ||
        !irOpIs(zero, "arith.constant") || irGetInt(zero, "value", -1) != 0)
      return false;
  }
  return true;
}

/// Booleans that are loaded.
static MlirValue wordOfLoaded(IrBuilder *b, const WordBytes *booleans) {
  Definitions comparisons;
  if (!definedBy(booleans, "arith.cmpi", &comparisons) || !areTested(&comparisons, IR_CMPI_NE))
    return none;
  WordBytes bytes = operandsOf(&comparisons, 0);
  return wordOfVector(b, &bytes);
}

/// A word of booleans: the instruction has a predicate, which neither MLIR nor LLVM can express.
static MlirValue wordOfPredicates(IrBuilder *b, const WordBytes *booleans) {
  MlirValue word = irUnary(b, "arith.extui", booleans->values[0], wordType(b));
  for (int i = 1; i < PER_WORD; ++i) {
    char text[64];
    snprintf(text, sizeof text, "@$1 add.u32 $0, $0, 0x%x;", 1u << BYTE_BITS * i);
    word = irValueOf(b, "llvm.inline_asm", IR_VALUES(booleans->values[i], word), wordType(b),
                     IR_ATTRS(irString(b, "asm_string", text), irString(b, "constraints", "=r,b,0")));
  }
  return word;
}

/// The word of booleans some of which are in one, null if none is.
static MlirValue wordOfLogic(IrBuilder *b, const WordBytes *booleans) {
  static const char *const logic[] = {"arith.andi", "arith.ori", "arith.xori"};
  MlirValue loaded = wordOfLoaded(b, booleans);
  if (!isNone(loaded))
    return loaded;
  for (size_t i = 0; i < sizeof logic / sizeof *logic; ++i) {
    Definitions ops;
    if (!definedBy(booleans, logic[i], &ops))
      continue;
    WordBytes operands[] = {operandsOf(&ops, 0), operandsOf(&ops, 1)};
    MlirValue words[] = {wordOfLogic(b, &operands[0]), wordOfLogic(b, &operands[1])};
    if (isNone(words[0]) && isNone(words[1]))
      return none;
    for (int side = 0; side < 2; ++side) {
      if (isNone(words[side]))
        words[side] = wordOfConstants(b, &operands[side], 1);
      if (isNone(words[side]))
        words[side] = wordOfPredicates(b, &operands[side]);
    }
    return irValueOf(b, logic[i], (IrValues){2, words}, wordType(b), IR_NO_ATTRS);
  }
  return none;
}

static MlirValue wordOfBooleans(IrBuilder *b, const WordBytes *group) {
  Definitions extensions;
  if (!definedBy(group, "arith.extui", &extensions))
    return none;
  WordBytes booleans = operandsOf(&extensions, 0);
  for (int i = 0; i < PER_WORD; ++i)
    if (!irIsBool(mlirValueGetType(booleans.values[i])))
      return none;
  MlirValue word = wordOfLogic(b, &booleans);
  return isNone(word) ? wordOfPredicates(b, &booleans) : word;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Two floats as bytes, below the low half of `above`.
static MlirValue packConverted(IrBuilder *b, const SaturatingConversion pair[2], MlirValue above) {
  MlirValue high = convertToWord(b, pair[1].x), low = convertToWord(b, pair[0].x);
  const char *text =
      pair[0].isSigned ? "cvt.pack.sat.s8.s32.b32 $0, $1, $2, $3;" : "cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;";
  return irValueOf(b, "llvm.inline_asm", IR_VALUES(high, low, above), wordType(b),
                   IR_ATTRS(irString(b, "asm_string", text), irString(b, "constraints", "=r,r,r,r")));
}

static MlirValue wordOfConversions(IrBuilder *b, const WordBytes *group) {
  SaturatingConversion conversions[PER_WORD];
  for (int i = 0; i < PER_WORD; ++i)
    if (!isSaturatingConversion(group->values[i], &conversions[i]) ||
        conversions[i].isSigned != conversions[0].isSigned)
      return none;
  return packConverted(b, conversions, packConverted(b, conversions + 2, constantWord(b, 0)));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Of the words' sum, or difference.
static MlirValue addBytes(IrBuilder *b, MlirValue x, MlirValue y, bool isDifference) {
  MlirValue low = constantWord(b, LOW_BITS), high = constantWord(b, HIGHEST_BITS);
  MlirValue lowY = irAndI(b, y, low), parity = irXorI(b, x, y);
  if (!isDifference)
    return irXorI(b, irAddI(b, irAndI(b, x, low), lowY), irAndI(b, parity, high));
  // With its highest bit set no byte borrows. That bit of the result is x ^ y ^ borrowed, where it was 1 ^ borrowed.
  MlirValue difference = irSubI(b, irOrI(b, x, high), lowY);
  return irXorI(b, difference, irAndI(b, irXorI(b, parity, constantWord(b, -1)), high));
}

/// Byte i of a product is that of x, with nothing below it, times byte i of y, with others above it.
static MlirValue multiplyBytes(IrBuilder *b, MlirValue x, MlirValue y) {
  MlirValue word = irMulI(b, x, y);
  for (int i = 1; i < PER_WORD; ++i) {
    uint32_t below = (1u << BYTE_BITS * i) - 1;
    MlirValue place = irAndI(b, x, constantWord(b, ~below));
    MlirValue product = irMulI(b, place, irShrUI(b, y, constantWord(b, BYTE_BITS * i)));
    word = irOrI(b, irAndI(b, word, constantWord(b, below)), product);
  }
  return word;
}

static MlirValue wordOfIntegers(IrBuilder *b, const WordBytes *group);

/// Both operands of a group of operations that nothing else reads.
static bool wordsOfOperands(IrBuilder *b, const Definitions *ops, MlirValue words[2]) {
  for (int i = 0; i < PER_WORD; ++i)
    if (!irHasOneUse(irResult(ops->ops[i], 0)))
      return false;
  for (intptr_t side = 0; side < 2; ++side) {
    WordBytes operands = operandsOf(ops, side);
    words[side] = wordOfIntegers(b, &operands);
    if (isNone(words[side]))
      return false;
  }
  return true;
}

static MlirValue wordOfIntegers(IrBuilder *b, const WordBytes *group) {
  static const char *const names[] = {"arith.addi", "arith.subi", "arith.muli",
                                      "arith.andi", "arith.ori",  "arith.xori"};
  MlirValue known = wordOfVector(b, group), words[2];
  if (isNone(known))
    known = wordOfConstants(b, group, 0xff);
  Definitions ops;
  for (size_t i = 0; isNone(known) && i < sizeof names / sizeof *names; ++i) {
    if (!definedBy(group, names[i], &ops) || !wordsOfOperands(b, &ops, words))
      continue;
    known = i < 2    ? addBytes(b, words[0], words[1], i == 1)
            : i == 2 ? multiplyBytes(b, words[0], words[1])
                     : irValueOf(b, names[i], (IrValues){2, words}, wordType(b), IR_NO_ATTRS);
  }
  return known;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static MlirValue wordOf(IrBuilder *b, const WordBytes *group, int arch) {
  MlirValue word = wordOfBooleans(b, group);
  if (isNone(word) && arch >= FIRST_WITH_PACKED_CONVERSIONS)
    word = wordOfConversions(b, group);
  return isNone(word) ? wordOfIntegers(b, group) : word;
}

static void packVector(MlirOperation op, int arch) {
  MlirType type = mlirValueGetType(irResult(op, 0));
  int64_t count = mlirOperationGetNumOperands(op), numWords = count / PER_WORD;
  MlirType byte = irElementType(type);
  if (!irIsInteger(byte) || mlirIntegerTypeGetWidth(byte) != BYTE_BITS || count % PER_WORD != 0 || numWords > MAX_WORDS)
    return;
  IrBuilder b = irBuilderBefore(op);
  MlirValue words[MAX_WORDS];
  for (int64_t i = 0; i < numWords; ++i) {
    WordBytes group;
    for (int64_t k = 0; k < PER_WORD; ++k)
      group.values[k] = irOperand(op, i * PER_WORD + k);
    words[i] = wordOf(&b, &group, arch);
    if (isNone(words[i]))
      return;
  }
  MlirValue vector = irValueOf(&b, "vector.from_elements", (IrValues){numWords, words},
                               mlirVectorTypeGet(1, &numWords, wordType(&b)), IR_NO_ATTRS);
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), irUnary(&b, "vector.bitcast", vector, type));
  mlirOperationDestroy(op);
}

void packWords(MlirOperation root, int arch) {
  KernelOps ops = kernelOpsCalled(root, "vector.from_elements");
  for (intptr_t i = 0; i < ops.count; ++i)
    packVector(ops.data[i], arch);
  free(ops.data);
}
