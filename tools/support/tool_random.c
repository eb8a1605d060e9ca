//===- tool_random.c - the same random numbers on every machine -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills inputs by role (docs/random_inputs.md): Philox bits per element, rare values by seed, positive definite
// matrices, and perturbations for --check.
//
//===----------------------------------------------------------------------===//

#include "tools/support/tool_random.h"

#include "tools/support/number.h"

#include <float.h>
#include <math.h>

//===----------------------------------------------------------------------===//
// Philox4x32-10
//===----------------------------------------------------------------------===//

enum { PHILOX_ROUNDS = 10 };

static ToolRandomBlock philoxRound(ToolRandomBlock c, uint32_t key0, uint32_t key1) {
  uint64_t product0 = (uint64_t)0xD2511F53u * c.words[0], product1 = (uint64_t)0xCD9E8D57u * c.words[2];
  return (ToolRandomBlock){{(uint32_t)(product1 >> 32) ^ c.words[1] ^ key0, (uint32_t)product1,
                            (uint32_t)(product0 >> 32) ^ c.words[3] ^ key1, (uint32_t)product0}};
}

ToolRandomBlock toolPhilox(ToolRandomBlock counter, uint64_t key) {
  uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
  for (int round = 0; round < PHILOX_ROUNDS; ++round) {
    counter = philoxRound(counter, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The purpose of the numbers: different purposes never share bits. That of perturbation number i is
/// PURPOSE_PERTURBATION + i.
enum { PURPOSE_INPUT, PURPOSE_PERTURBATION, PURPOSE_RARE = 64 };

/// 64 random bits for one element: each block of the generator serves two.
static uint64_t randomBits(int purpose, uint64_t seed, int64_t tensor, int64_t element) {
  uint64_t block = (uint64_t)element / 2;
  ToolRandomBlock counter = {{(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)tensor, (uint32_t)purpose}};
  ToolRandomBlock bits = toolPhilox(counter, seed);
  int half = (int)(element % 2) * 2;
  return (uint64_t)bits.words[half + 1] << 32 | bits.words[half];
}

/// Uniform in [0, 1): 53 bits.
static double uniform(uint64_t bits) { return ldexp((double)(bits >> 11), -53); }

/// Close to normal(0, 1), of at most 3.47 in magnitude: the sum of four uniform 16-bit integers (Irwin-Hall), centred
/// and scaled to variance 1. No function of the C library is in it, so its bits are the same everywhere.
static double normal(uint64_t bits) {
  int64_t sum = (int64_t)(bits & 0xFFFF) + (int64_t)(bits >> 16 & 0xFFFF) + (int64_t)(bits >> 32 & 0xFFFF) +
                (int64_t)(bits >> 48);
  // Each uniform integer has mean 65535/2 and variance (65536^2 - 1)/12.
  static const double deviation = 37837.22723720648;
  return (double)(sum - 2 * 65535) / deviation;
}

static double randomValue(const StitchInputInfo *input, uint64_t bits) {
  switch (input->role) {
  case STITCH_INPUT_NORMAL:
  case STITCH_INPUT_FINITE:
    return normal(bits) * input->high;
  case STITCH_INPUT_POSITIVE:
    return input->low + uniform(bits) * (input->high - input->low);
  case STITCH_INPUT_MASK:
    return (double)(bits >> 63);
  case STITCH_INPUT_POSITIVE_DEFINITE: // by matrixValue
  case STITCH_INPUT_INDEX:
  case STITCH_INPUT_INTEGER:
    break;
  }
  double value = floor(input->low + uniform(bits) * (input->high - input->low));
  return value < input->high ? value : input->low;
}

//===----------------------------------------------------------------------===//
// Rare values
//===----------------------------------------------------------------------===//

/// Seeds with other than ordinary values, so that comparisons, clamps, masks and branches take their other side: by the
/// seed's remainder.
enum { SEEDS_ORDINARY, SEEDS_RARE, SEEDS_WILD, NUM_SEED_KINDS };

static int seedKind(uint64_t seed) { return (int)(seed % NUM_SEED_KINDS); }

typedef struct {
  uint64_t seed;
  int64_t tensor, element, elements;
} RareElement;

static uint64_t rareBits(const RareElement *element, int64_t stream) {
  return randomBits(PURPOSE_RARE, element->seed, stream, element->element);
}

/// Whether an element belongs to a channel whose weights are all zero: with seeds that are rare but not wild one number
/// of the last dimension, in factors of products.
static bool isDeadChannel(const StitchInputInfo *input, const RareElement *element) {
  bool isFactor = input->role == STITCH_INPUT_NORMAL && input->high < 1.0 && input->rank > 1;
  int64_t channels = isFactor ? input->dims[input->rank - 1] : 0;
  if (channels < 2 || seedKind(element->seed) != SEEDS_RARE)
    return false;
  RareElement first = {.seed = element->seed};
  int64_t dead = (int64_t)(rareBits(&first, 0) % (uint64_t)channels);
  return element->element / toolParts(input->dtype) % channels == dead;
}

/// Whether an element is in the row of a tensor that is all small, with every other one of the seeds that are rare but
/// not wild. There the constant that is added to the row's variance, so that its root is not zero, matters; other rows
/// do not change. Its number is the same in each tensor of as many rows.
static bool isInFaintRow(const StitchInputInfo *input, const RareElement *element) {
  enum { PERIOD = 2 * NUM_SEED_KINDS, FAINT = NUM_SEED_KINDS + SEEDS_RARE };
  bool hasRows = input->rank > 1 && toolPartType(input->dtype).bits >= 16 && input->role != STITCH_INPUT_POSITIVE;
  int64_t length = hasRows ? input->dims[input->rank - 1] * toolParts(input->dtype) : 0;
  if (element->seed % PERIOD != FAINT || length == 0 || element->elements / length < 2)
    return false;
  RareElement first = {.seed = element->seed};
  int64_t faint = (int64_t)((rareBits(&first, 0) >> 32) % (uint64_t)(element->elements / length));
  return element->element / length == faint;
}

/// Of floats: zero, a value that overflows where a maximum is left out, and with wild seeds infinity and NaN, if they
/// are not counted. Each has a share of the elements: one of 256, but two of a small tensor, and at most one of eight.
/// Where zeros are does not depend on the tensor, so that there are ties, and channels whose scale and shift are both
/// zero.
static double rareFloat(const StitchInputInfo *input, const RareElement *element, double value) {
  static const double large = 256.0, small = 0x1p-18;
  bool isNarrow = toolPartType(input->dtype).bits < 16; // has no such numbers
  double share = fmin(fmax(1.0 / 256.0, 2.0 / (double)element->elements), 0.125), largeShare = fmax(share, 1.0 / 64.0);
  if (uniform(rareBits(element, 0)) < share || isDeadChannel(input, element))
    return isNarrow && input->role == STITCH_INPUT_POSITIVE ? value : 0.0;
  if (isNarrow)
    return value;
  if (isInFaintRow(input, element))
    return value * small;
  double place = uniform(rareBits(element, 1 + element->tensor));
  if (place >= 1.0 - largeShare)
    return value * large;
  bool isWild = seedKind(element->seed) == SEEDS_WILD && input->poison < 0;
  if (isWild && input->role != STITCH_INPUT_FINITE && place < 2.0 * share)
    return place < share ? copysign(INFINITY, value) : NAN;
  return value;
}

/// The largest and the least number of a format of 16 bits and more.
static double largestNumber(StitchDataType dtype) {
  int exponent = dtype.bits == 64                                       ? DBL_MAX_EXP
                 : dtype.bits == 32 || dtype.code == STITCH_TYPE_BFLOAT ? FLT_MAX_EXP
                                                                        : 16;
  return ldexp(1.0 - toolUnitRoundoff(dtype), exponent);
}
static double leastNumber(StitchDataType dtype) {
  int exponent = dtype.bits == 64                                       ? DBL_MIN_EXP
                 : dtype.bits == 32 || dtype.code == STITCH_TYPE_BFLOAT ? FLT_MIN_EXP
                                                                        : -13;
  return ldexp(toolUnitRoundoff(dtype), exponent);
}

/// By turns NaN, infinity, the largest number with the element's sign, and the least one.
static double poison(StitchDataType dtype, uint64_t turn, double value) {
  switch (turn % 4) {
  case 0:
    return NAN;
  case 1:
    return copysign(INFINITY, value);
  case 2:
    return copysign(largestNumber(dtype), value);
  default:
    return leastNumber(dtype);
  }
}

/// Adds a few elements that leave most of the results as they are. The values at their places depend on the seed and
/// the tensor, even if there is only one.
static void addPoison(const StitchInputInfo *input, uint64_t seed, int64_t tensor, void *data) {
  StitchDataType part = toolPartType(input->dtype);
  int64_t parts = stitchTensorElements(input->rank, input->dims) * toolParts(input->dtype);
  for (int64_t i = 0; i < input->poison && parts > 0; ++i) {
    RareElement number = {.seed = seed, .tensor = tensor, .element = parts + i};
    int64_t place = (int64_t)(rareBits(&number, 1 + tensor) % (uint64_t)parts);
    uint64_t turn = seed / NUM_SEED_KINDS + (uint64_t)(tensor + i);
    toolStore(part, data, place, poison(part, turn, toolLoad(part, data, place)));
  }
}

/// An integer that is rare in one way or another. For seeds that are not wild it is a negative one. Else it is also an
/// index beyond the end, and one that is still negative when the length of its axis is added.
static double rareIntegerOf(const StitchInputInfo *input, uint64_t way, bool isWild, double value) {
  bool isSigned = input->dtype.code == STITCH_TYPE_INT, isIndex = input->role == STITCH_INPUT_INDEX;
  bool hasRoom = 2.0 * input->high <= ldexp(1.0, input->dtype.bits - isSigned);
  if (isWild && isIndex && way == 0)
    return hasRoom ? value + input->high : value;
  if (isWild && isIndex && isSigned && way == 1)
    return hasRoom ? -1.0 - value - input->high : value;
  return isSigned && way == (isWild && isIndex ? 2 : 0) ? -1.0 - value : value;
}

/// Of integers: of eight (or as many as there are, if fewer, but two at least) each way once. With wild seeds a scalar
/// that is no index is the largest of its type: a counter that is at its end.
static double rareInteger(const StitchInputInfo *input, const RareElement *element, double value) {
  bool isWild = seedKind(element->seed) == SEEDS_WILD, isSigned = input->dtype.code == STITCH_TYPE_INT;
  if (isWild && input->role != STITCH_INPUT_INDEX && input->rank == 0)
    return ldexp(1.0, input->dtype.bits - isSigned) - 1.0;
  int64_t period = element->elements < 2 ? 2 : element->elements < 8 ? element->elements : 8;
  RareElement first = {.seed = element->seed, .tensor = element->tensor};
  uint64_t offset = rareBits(&first, 1 + element->tensor) % (uint64_t)period;
  return rareIntegerOf(input, ((uint64_t)element->element + offset) % (uint64_t)period, isWild, value);
}

static double withRareValues(const StitchInputInfo *input, const RareElement *element, double value) {
  if (seedKind(element->seed) == SEEDS_ORDINARY)
    return value;
  switch (input->role) {
  case STITCH_INPUT_NORMAL:
  case STITCH_INPUT_POSITIVE:
  case STITCH_INPUT_FINITE:
    return rareFloat(input, element, value);
  case STITCH_INPUT_INDEX:
  case STITCH_INPUT_INTEGER:
    return rareInteger(input, element, value);
  case STITCH_INPUT_MASK:
  case STITCH_INPUT_POSITIVE_DEFINITE:
    break;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Part `part` (0: real, 1: imaginary) of an element of matrices with a dominant real diagonal, `low` to `high`. The
/// sum of the other magnitudes in a row is at most low / 2. The other triangle has the conjugates.
static double matrixValue(const StitchInputInfo *input, uint64_t bits, int64_t row, int64_t column, int64_t part) {
  double x = uniform(bits);
  if (row == column)
    return part ? 0.0 : input->low + x * (input->high - input->low);
  double value = (x - 0.5) * input->low / (double)(2 * input->dims[input->rank - 1]);
  return part && row < column ? -value : value;
}

/// Hermitian matrices: an element above the diagonal takes the bits of the one below it.
static void fillMatrices(const StitchInputInfo *input, uint64_t seed, int64_t index, void *data) {
  int64_t elements = stitchTensorElements(input->rank, input->dims), parts = toolParts(input->dtype);
  int64_t size = input->dims[input->rank - 1];
  for (int64_t i = 0; i < elements * parts; ++i) {
    int64_t element = i / parts, row = element / size % size, column = element % size;
    int64_t mirrored = element + (column - row) * (size - 1);
    int64_t source = (row < column ? mirrored : element) * parts + i % parts;
    uint64_t bits = randomBits(PURPOSE_INPUT, seed, index, source);
    toolStore(toolPartType(input->dtype), data, i, matrixValue(input, bits, row, column, i % parts));
  }
}

void toolFillRandom(const StitchInputInfo *input, uint64_t seed, int64_t index, void *data) {
  if (input->role == STITCH_INPUT_POSITIVE_DEFINITE) {
    fillMatrices(input, seed, index, data);
    return;
  }
  int64_t parts = stitchTensorElements(input->rank, input->dims) * toolParts(input->dtype);
  for (int64_t i = 0; i < parts; ++i) {
    double value = randomValue(input, randomBits(PURPOSE_INPUT, seed, index, i));
    RareElement element = {.seed = seed, .tensor = index, .element = i, .elements = parts};
    toolStore(toolPartType(input->dtype), data, i, withRareValues(input, &element, value));
  }
  if (seedKind(seed) == SEEDS_WILD)
    addPoison(input, seed, index, data);
}

void toolPerturb(StitchDataType dtype, uint64_t seed, int perturbation, int64_t index, double delta, int64_t elements,
                 void *data) {
  StitchDataType part = toolPartType(dtype);
  for (int64_t i = 0; i < elements * toolParts(dtype); ++i) {
    double r = (2.0 * uniform(randomBits(PURPOSE_PERTURBATION + perturbation, seed, index, i)) - 1.0) * delta;
    toolStore(part, data, i, toolLoad(part, data, i) * (1.0 + r));
  }
}
