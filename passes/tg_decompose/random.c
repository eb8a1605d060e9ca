//===- random.c - random numbers -----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counter-based generators of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC
// 2011): Threefry-2x32 with 20 rounds and Philox-4x32 with 10. A block of random bits is a function of a key and a
// counter, so it is elementwise over an iota. Which counter gives which element is XLA's choice, and bit-exact with it:
//
//   three_fry  state [key, counter]. For 64 bits, element i has counter + i. For 32, the first dimension of even size
//   (or
//              else the largest) is split into halves of pairs: both words of a block are neighbours along it.
//   philox     state [key, counter low, counter high], or [key, counter low] with the key for the high word. The words
//   of
//              the blocks at counter, counter + 1, ... follow each other in the order of the elements.
//
// Fewer bits than 32 are the low ones of 32.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "passes/tg_decompose/decompose.h"

#include <math.h>
#include <stdlib.h>

enum { THREE_FRY = 1 };
enum { UNIFORM = 0 };

static MlirType unsignedType(IrBuilder *b, unsigned width) { return mlirIntegerTypeUnsignedGet(b->context, width); }

static MlirType vectorOf(int64_t count, MlirType element) {
  return mlirRankedTensorTypeGet(1, &count, element, mlirAttributeGetNull());
}

static MlirValue shiftedLeft(IrBuilder *b, MlirValue x, unsigned amount) {
  return tgBinary(b, "tg.shl", x, tgSplatBits(b, mlirValueGetType(x), amount));
}

static MlirValue shiftedRight(IrBuilder *b, MlirValue x, unsigned amount) {
  return tgBinary(b, "tg.shr_logic", x, tgSplatBits(b, mlirValueGetType(x), amount));
}

static MlirValue lowWord(IrBuilder *b, MlirValue x) { return tgConvert(b, x, unsignedType(b, 32)); }
static MlirValue highWord(IrBuilder *b, MlirValue x) { return lowWord(b, shiftedRight(b, x, 32)); }

static MlirValue fromWords(IrBuilder *b, MlirValue low, MlirValue high) {
  MlirType u64 = unsignedType(b, 64);
  return tgBinary(b, "tg.or", tgConvert(b, low, u64), shiftedLeft(b, tgConvert(b, high, u64), 32));
}

static MlirValue repeated(IrBuilder *b, MlirValue scalar, int64_t count) {
  IrShape none = {0};
  return tgBroadcast(b, scalar, vectorOf(count, irElementTypeOf(scalar)), none);
}

/// Elements [start, limit) of the state, as ui64.
static MlirValue stateElement(IrBuilder *b, MlirValue state, int64_t i) {
  IrShape scalar = {0};
  MlirValue element = tgSlice(b, state, 0, i, i + 1);
  return tgBitcast(b, tgReshape(b, element, tgWithShape(mlirValueGetType(state), scalar)), unsignedType(b, 64));
}

//===----------------------------------------------------------------------===//
// Threefry
//===----------------------------------------------------------------------===//

static MlirValue rotated(IrBuilder *b, MlirValue x, unsigned amount) {
  return tgBinary(b, "tg.or", shiftedLeft(b, x, amount), shiftedRight(b, x, 32 - amount));
}

/// Replaces the words of each counter by the words of its block.
static void threeFry(IrBuilder *b, MlirValue words[2], MlirValue key) {
  static const unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  int64_t count = irShapeOf(words[0]).dims[0];
  MlirValue keys[3] = {repeated(b, lowWord(b, key), count), repeated(b, highWord(b, key), count)};
  MlirValue parity = tgSplatBits(b, mlirValueGetType(words[0]), 0x1BD11BDA);
  keys[2] = tgBinary(b, "tg.xor", tgBinary(b, "tg.xor", parity, keys[0]), keys[1]);
  words[0] = tgAdd(b, words[0], keys[0]);
  words[1] = tgAdd(b, words[1], keys[1]);
  for (unsigned group = 0; group < 5; ++group) {
    for (int i = 0; i < 4; ++i) {
      words[0] = tgAdd(b, words[0], words[1]);
      words[1] = tgBinary(b, "tg.xor", words[0], rotated(b, words[1], rotations[group % 2][i]));
    }
    MlirValue number = tgSplatBits(b, mlirValueGetType(words[1]), group + 1);
    words[0] = tgAdd(b, words[0], keys[(group + 1) % 3]);
    words[1] = tgAdd(b, tgAdd(b, words[1], keys[(group + 2) % 3]), number);
  }
}

/// The dimension along which the two words of a block are neighbours.
static int64_t pairedDim(IrShape shape) {
  int64_t largest = 0;
  for (int64_t d = 0; d < shape.rank; ++d) {
    if (shape.dims[d] % 2 == 0)
      return d;
    if (shape.dims[d] > shape.dims[largest])
      largest = d;
  }
  return largest;
}

/// Both words of `count` blocks, as 32-bit elements of a tensor of that shape.
static MlirValue pairedWords(IrBuilder *b, MlirValue words[2], IrShape shape) {
  if (shape.rank == 0)
    return tgReshape(b, words[0], tgWithShape(mlirValueGetType(words[0]), shape));
  int64_t dim = pairedDim(shape), half = (shape.dims[dim] + 1) / 2;
  IrShape split = {shape.rank + 1, {0}}, whole = shape;
  for (int64_t d = 0; d < split.rank; ++d)
    split.dims[d] = d == dim ? half : d == dim + 1 ? 1 : shape.dims[d > dim ? d - 1 : d];
  whole.dims[dim] = 2 * half;
  MlirType type = tgWithShape(mlirValueGetType(words[0]), split);
  MlirValue low = tgReshape(b, words[0], type), high = tgReshape(b, words[1], type);
  MlirValue pairs = tgConcatenate(b, IR_VALUES(low, high), dim + 1);
  return tgSlice(b, tgReshape(b, pairs, tgWithShape(type, whole)), dim, 0, shape.dims[dim]);
}

static int64_t numPairs(IrShape shape) {
  if (shape.rank == 0)
    return 1;
  int64_t dim = pairedDim(shape);
  shape.dims[dim] = (shape.dims[dim] + 1) / 2;
  return irNumElements(shape);
}

/// Random bits of that shape and 32 or 64 bits, and the next counter.
static MlirValue threeFryBits(IrBuilder *b, MlirValue key, MlirValue counter, IrShape shape, unsigned width,
                              MlirValue *nextCounter) {
  int64_t count = width == 64 ? irNumElements(shape) : numPairs(shape);
  MlirValue counters = tgAdd(b, repeated(b, counter, count), tgIota(b, vectorOf(count, unsignedType(b, 64)), 0));
  MlirValue words[2] = {lowWord(b, counters), highWord(b, counters)};
  threeFry(b, words, key);
  *nextCounter = tgAdd(b, counter, tgSplatBits(b, mlirValueGetType(counter), (uint64_t)count));
  if (width == 32)
    return pairedWords(b, words, shape);
  MlirValue bits = fromWords(b, words[0], words[1]);
  return tgReshape(b, bits, tgWithShape(mlirValueGetType(bits), shape));
}

//===----------------------------------------------------------------------===//
// Philox
//===----------------------------------------------------------------------===//

/// Replaces the words of each counter by the words of its block.
static void philox(IrBuilder *b, MlirValue words[4], MlirValue key) {
  static const uint64_t multipliers[2] = {0xD2511F53, 0xCD9E8D57}, weyl[2] = {0x9E3779B9, 0xBB67AE85};
  int64_t count = irShapeOf(words[0]).dims[0];
  MlirType u64 = vectorOf(count, unsignedType(b, 64)), u32 = mlirValueGetType(words[0]);
  MlirValue keys[2] = {repeated(b, lowWord(b, key), count), repeated(b, highWord(b, key), count)};
  for (int round = 0; round < 10; ++round) {
    MlirValue products[2];
    for (int i = 0; i < 2; ++i)
      products[i] = tgMul(b, tgConvert(b, words[2 * i], irElementType(u64)), tgSplatBits(b, u64, multipliers[i]));
    MlirValue first = tgBinary(b, "tg.xor", tgBinary(b, "tg.xor", highWord(b, products[1]), words[1]), keys[0]);
    MlirValue third = tgBinary(b, "tg.xor", tgBinary(b, "tg.xor", highWord(b, products[0]), words[3]), keys[1]);
    words[0] = first;
    words[1] = lowWord(b, products[1]);
    words[2] = third;
    words[3] = lowWord(b, products[0]);
    for (int i = 0; i < 2; ++i)
      keys[i] = tgAdd(b, keys[i], tgSplatBits(b, u32, weyl[i]));
  }
}

/// A counter of 128 bits plus an increment; all of one type.
static void increase(IrBuilder *b, MlirValue low, MlirValue high, MlirValue increment, MlirValue next[2]) {
  next[0] = tgAdd(b, low, increment);
  MlirValue carries = tgCompare(b, TG_LT, next[0], low);
  next[1] = tgSelect(b, carries, tgAdd(b, high, tgSplatBits(b, mlirValueGetType(high), 1)), high);
}

/// The words of as many blocks as hold `count` elements of 32 or 64 bits, one after the other, cut to `count`.
static MlirValue philoxElements(IrBuilder *b, MlirValue words[4], int64_t count, unsigned width) {
  int64_t blocks = irShapeOf(words[0]).dims[0], perBlock = width == 64 ? 2 : 4;
  MlirValue parts[4];
  IrShape column = {2, {blocks, 1}};
  for (int i = 0; i < perBlock; ++i) {
    MlirValue part = width == 64 ? fromWords(b, words[2 * i], words[2 * i + 1]) : words[i];
    parts[i] = tgReshape(b, part, tgWithShape(mlirValueGetType(part), column));
  }
  MlirValue rows = tgConcatenate(b, (IrValues){perBlock, parts}, 1);
  MlirValue flat = tgReshape(b, rows, vectorOf(blocks * perBlock, irElementTypeOf(rows)));
  return tgSlice(b, flat, 0, 0, count);
}

/// Random bits of that shape and 32 or 64 bits; `counter` (low, high) becomes the next one.
static MlirValue philoxBits(IrBuilder *b, MlirValue key, MlirValue counter[2], IrShape shape, unsigned width) {
  int64_t count = irNumElements(shape), perBlock = width == 64 ? 2 : 4;
  int64_t blocks = (count + perBlock - 1) / perBlock;
  MlirValue counters[2], next[2];
  increase(b, repeated(b, counter[0], blocks), repeated(b, counter[1], blocks),
           tgIota(b, vectorOf(blocks, unsignedType(b, 64)), 0), counters);
  MlirValue words[4] = {lowWord(b, counters[0]), highWord(b, counters[0]), lowWord(b, counters[1]),
                        highWord(b, counters[1])};
  philox(b, words, key);
  increase(b, counter[0], counter[1], tgSplatBits(b, mlirValueGetType(counter[0]), (uint64_t)blocks), next);
  counter[0] = next[0];
  counter[1] = next[1];
  MlirValue flat = philoxElements(b, words, count, width);
  return tgReshape(b, flat, tgWithShape(mlirValueGetType(flat), shape));
}

//===----------------------------------------------------------------------===//
// rng_bit_generator
//===----------------------------------------------------------------------===//

/// `values` (ui64, rank 0) as a state of that type.
static MlirValue stateOf(IrBuilder *b, MlirType type, intptr_t count, MlirValue *values) {
  MlirType one = vectorOf(1, irElementType(type));
  for (intptr_t i = 0; i < count; ++i)
    values[i] = tgReshape(b, tgBitcast(b, values[i], irElementType(type)), one);
  return tgConcatenate(b, (IrValues){count, values}, 0);
}

/// Bits of 32 or 64 as elements of type `element`.
static MlirValue elementsOfBits(IrBuilder *b, MlirValue bits, MlirType element) {
  unsigned width = irIsFloat(element) ? mlirFloatTypeGetWidth(element) : mlirIntegerTypeGetWidth(element);
  return tgBitcast(b, tgConvert(b, bits, unsignedType(b, width)), element);
}

bool decomposeRngBitGenerator(MlirOperation op, IrBuilder *b, MlirValue *results) {
  MlirValue state = irOperand(op, 0);
  MlirType stateType = mlirValueGetType(state), element = irElementTypeOf(irResult(op, 1));
  IrShape stateShape = irTypeShape(stateType), shape = irShapeOf(irResult(op, 1));
  bool isThreeFry = irGetInt(op, "rng_algorithm", 0) == THREE_FRY;
  unsigned width = irIsFloat(element) ? mlirFloatTypeGetWidth(element) : mlirIntegerTypeGetWidth(element);
  int64_t words = stateShape.rank == 1 ? stateShape.dims[0] : 0;
  if (mlirIntegerTypeGetWidth(irElementType(stateType)) != 64 || (words != 2 && (words != 3 || isThreeFry))) {
    char *text = irTypeText(stateType);
    stitchEmitOpError(
        op, "has a state of type %s: expected 64-bit integers, two for three_fry, two or three for philox", text);
    free(text);
    return false;
  }
  MlirValue key = stateElement(b, state, 0), bits, next[3] = {key};
  unsigned generated = width == 64 ? 64 : 32;
  if (isThreeFry) {
    bits = threeFryBits(b, key, stateElement(b, state, 1), shape, generated, &next[1]);
  } else {
    MlirValue counter[2] = {stateElement(b, state, 1), words == 3 ? stateElement(b, state, 2) : key};
    bits = philoxBits(b, key, counter, shape, generated);
    next[1] = counter[0];
    next[2] = counter[1];
  }
  results[0] = stateOf(b, stateType, words, next);
  results[1] = elementsOfBits(b, bits, element);
  return true;
}

//===----------------------------------------------------------------------===//
// rng
//
// The specification fixes only the distribution. The numbers come from Philox with a key that is the number of the
// operation in the module: the same in each run, as a compiled model has no state.
//===----------------------------------------------------------------------===//

/// Numbers in [0, 1), multiples of the unit roundoff of the type, from 32 or 64 bits.
static MlirValue fractions(IrBuilder *b, MlirValue bits, MlirType element) {
  unsigned width = mlirIntegerTypeGetWidth(irElementTypeOf(bits)), precision = width == 64 ? 53 : 24;
  MlirValue whole = tgConvert(b, shiftedRight(b, bits, width - precision), element);
  return tgMul(b, whole, tgSplatLike(b, whole, ldexp(1, -(int)precision)));
}

static MlirValue scalarLike(IrBuilder *b, MlirValue scalar, MlirValue like) {
  IrShape none = {0};
  return tgBroadcast(b, tgConvert(b, scalar, irElementTypeOf(like)), mlirValueGetType(like), none);
}

/// The largest number below `high`, the next one in the order of bits.
static MlirValue below(IrBuilder *b, MlirValue high) {
  MlirType element = irElementTypeOf(high);
  unsigned width = mlirFloatTypeGetWidth(element);
  MlirValue bits = tgBitcast(b, high, unsignedType(b, width)), one = tgSplatLike(b, bits, 1);
  MlirValue nearerToZero = tgBitcast(b, tgSub(b, bits, one), element);
  if (mlirTypeIsAFloat8E8M0FNU(element)) // it has positive numbers only
    return nearerToZero;
  MlirValue zero = tgSplatLike(b, high, 0), isZero = tgCompare(b, TG_EQ, high, zero);
  MlirValue leastBits = tgSplatBits(b, mlirValueGetType(bits), (1ull << (width - 1)) + 1);
  MlirValue negative = tgSelect(b, isZero, leastBits, tgAdd(b, bits, one));
  return tgSelect(b, tgCompare(b, TG_GT, high, zero), nearerToZero, tgBitcast(b, negative, element));
}

/// a + fraction * (b - a); values rounded up to b become the number below.
static MlirValue uniformFloats(MlirOperation op, IrBuilder *b, MlirValue bits, MlirType computed) {
  MlirValue fraction = fractions(b, bits, computed);
  MlirValue low = scalarLike(b, irOperand(op, 0), fraction), high = scalarLike(b, irOperand(op, 1), fraction);
  MlirValue value = tgAdd(b, low, tgMul(b, fraction, tgSub(b, high, low)));
  value = tgConvert(b, value, irElementTypeOf(irResult(op, 0)));
  MlirValue largest = scalarLike(b, below(b, irOperand(op, 1)), value);
  high = scalarLike(b, irOperand(op, 1), value);
  return tgSelect(b, tgCompare(b, TG_GE, value, high), largest, value);
}

/// The transformation of Box and Muller: sqrt(-2 log(1 - u)) cos(2 pi v).
static MlirValue normalFloats(MlirOperation op, IrBuilder *b, MlirValue bits[2], MlirType computed) {
  MlirValue u = fractions(b, bits[0], computed), v = fractions(b, bits[1], computed);
  MlirValue logarithm = tgUnary(b, "tg.log1p", tgUnary(b, "tg.neg", u));
  MlirValue radius = tgUnary(b, "tg.sqrt", tgMul(b, logarithm, tgSplatLike(b, u, -2)));
  MlirValue angle = tgMul(b, v, tgSplatLike(b, v, 2 * M_PI));
  MlirValue value = tgMul(b, radius, tgUnary(b, "tg.cos", angle));
  MlirValue mean = scalarLike(b, irOperand(op, 0), value), deviation = scalarLike(b, irOperand(op, 1), value);
  return tgConvert(b, tgAdd(b, mean, tgMul(b, value, deviation)), irElementTypeOf(irResult(op, 0)));
}

/// a + bits modulo (b - a), without sign.
static MlirValue uniformIntegers(MlirOperation op, IrBuilder *b, MlirValue bits) {
  MlirType element = irElementTypeOf(irResult(op, 0));
  MlirType sameBits = unsignedType(b, mlirIntegerTypeGetWidth(element));
  MlirValue low = tgBitcast(b, irOperand(op, 0), sameBits), high = tgBitcast(b, irOperand(op, 1), sameBits);
  MlirValue range = scalarLike(b, tgSub(b, high, low), bits);
  MlirValue offset = tgConvert(b, tgBinary(b, "tg.rem", bits, range), sameBits);
  return tgBitcast(b, tgAdd(b, scalarLike(b, low, offset), offset), element);
}

bool decomposeRng(MlirOperation op, IrBuilder *b, MlirValue *results, uint64_t number) {
  MlirType element = irElementTypeOf(irResult(op, 0));
  IrShape shape = irShapeOf(irResult(op, 0)), scalar = {0};
  bool isUniform = irGetInt(op, "distribution", UNIFORM) == UNIFORM;
  if (irIsBool(element) || (!isUniform && !irIsFloat(element))) {
    char *text = irTypeText(element);
    stitchEmitOpError(op, "has no %s distribution of %s", isUniform ? "uniform" : "normal", text);
    free(text);
    return false;
  }
  bool isWide = irIsFloat(element) ? mlirTypeIsAF64(element) : true;
  MlirType computed = isWide ? mlirF64TypeGet(b->context) : mlirF32TypeGet(b->context);
  MlirType u64 = mlirRankedTensorTypeGet(0, scalar.dims, unsignedType(b, 64), mlirAttributeGetNull());
  MlirValue key = tgSplatBits(b, u64, number), counter[2] = {tgSplatBits(b, u64, 0), tgSplatBits(b, u64, 0)}, bits[2];
  for (int i = 0; i < (isUniform ? 1 : 2); ++i)
    bits[i] = philoxBits(b, key, counter, shape, isWide ? 64 : 32);
  if (!isUniform)
    results[0] = normalFloats(op, b, bits, computed);
  else
    results[0] = irIsFloat(element) ? uniformFloats(op, b, bits[0], computed) : uniformIntegers(op, b, bits[0]);
  return true;
}
