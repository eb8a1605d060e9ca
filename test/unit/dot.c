//===- dot.c - tests of runtime/library ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every order of batch, free and contracting dimensions, with odd sizes and random elements, against the definition of
// dot computed element by element in double (integers: in 64 bits).
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_dot.h"
#include "test/unit/check.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t randomState = 1;

static uint32_t randomBits(void) {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(randomState >> 33);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static double getFloat(const void *data, StitchElementType type, int64_t i) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    return ((const double *)data)[i];
  case STITCH_ELEMENT_F32:
    return ((const float *)data)[i];
  case STITCH_ELEMENT_F16:
    return (double)((const _Float16 *)data)[i];
  default: {
    uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
  }
  }
}

static int64_t getInteger(const void *data, StitchElementType type, int64_t i) {
  switch (type) {
  case STITCH_ELEMENT_I8:
    return ((const int8_t *)data)[i];
  case STITCH_ELEMENT_I16:
    return ((const int16_t *)data)[i];
  case STITCH_ELEMENT_I32:
  case STITCH_ELEMENT_UI32:
    return ((const int32_t *)data)[i];
  case STITCH_ELEMENT_I64:
  case STITCH_ELEMENT_UI64:
    return ((const int64_t *)data)[i];
  case STITCH_ELEMENT_UI16:
    return ((const uint16_t *)data)[i];
  default:
    return ((const uint8_t *)data)[i];
  }
}

/// Small multiples of 1/16 in [-1, 1) (exact in every float type), random bits for integers, 0 or 1 for i1.
static void setRandom(void *data, StitchElementType type, int64_t i) {
  float value = (float)((int)(randomBits() % 32) - 16) / 16;
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  switch (type) {
  case STITCH_ELEMENT_F64:
    ((double *)data)[i] = (double)randomBits() / (1u << 31) - 0.5;
    return;
  case STITCH_ELEMENT_F32:
    ((float *)data)[i] = (float)randomBits() / (1u << 31) - 0.5f;
    return;
  case STITCH_ELEMENT_F16:
    ((_Float16 *)data)[i] = (_Float16)value;
    return;
  case STITCH_ELEMENT_BF16:
    ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
    return;
  case STITCH_ELEMENT_I1:
    ((uint8_t *)data)[i] = randomBits() % 8 == 0;
    return;
  default:
    bits = randomBits();
    memcpy((char *)data + (size_t)i * stitchElementBytes(type), &bits,
           stitchElementBytes(type) < 4 ? stitchElementBytes(type) : 4);
  }
}

/// Half a unit in the last place relative to the value, and the error of summing.
static double relativeError(StitchElementType type) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    return DBL_EPSILON;
  case STITCH_ELEMENT_F32:
    return FLT_EPSILON;
  case STITCH_ELEMENT_F16:
    return 1.0 / 2048;
  default:
    return 1.0 / 256;
  }
}

//===----------------------------------------------------------------------===//
// The definition
//===----------------------------------------------------------------------===//

static int64_t numElements(const StitchLibraryTensor *tensor) {
  int64_t count = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

static int64_t linearIndex(const StitchLibraryTensor *tensor, const int64_t *position) {
  int64_t index = 0;
  for (int64_t i = 0; i < tensor->rank; ++i)
    index = index * tensor->dims[i] + position[i];
  return index;
}

/// Moves `position` within the given dimensions of the tensor; false at the end.
static bool next(const StitchLibraryTensor *tensor, const StitchLibraryDims *dims, int64_t *position) {
  for (int64_t i = dims->count; i-- > 0;) {
    if (++position[dims->dims[i]] < tensor->dims[dims->dims[i]])
      return true;
    position[dims->dims[i]] = 0;
  }
  return false;
}

typedef struct {
  double sum, magnitude;
  uint64_t bits;
} Expected;

/// The result's element at `lhsAt`, `rhsAt`, whose contracting positions are 0.
static Expected contract(const StitchLibraryProblem *problem, const void *lhs, const void *rhs, int64_t *lhsAt,
                         int64_t *rhsAt) {
  const StitchLibraryTensor *operands = problem->operands;
  Expected expected = {0};
  if (numElements(&operands[0]) == 0)
    return expected;
  do {
    for (int64_t i = 0; i < problem->dot.lhsContract.count; ++i)
      rhsAt[problem->dot.rhsContract.dims[i]] = lhsAt[problem->dot.lhsContract.dims[i]];
    int64_t l = linearIndex(&operands[0], lhsAt);
    int64_t r = linearIndex(&operands[1], rhsAt);
    if (stitchElementIsFloat(operands[0].type)) {
      double product = getFloat(lhs, operands[0].type, l) * getFloat(rhs, operands[1].type, r);
      expected.sum += product;
      expected.magnitude += fabs(product);
    } else {
      expected.bits += (uint64_t)getInteger(lhs, operands[0].type, l) * (uint64_t)getInteger(rhs, operands[1].type, r);
    }
  } while (next(&operands[0], &problem->dot.lhsContract, lhsAt));
  return expected;
}

static bool matches(const StitchLibraryTensor *tensor, const void *result, int64_t i, Expected expected) {
  StitchElementType type = tensor->type;
  if (stitchElementIsFloat(type)) {
    double bound = relativeError(type) * (fabs(expected.sum) + FLT_EPSILON) + 4 * FLT_EPSILON * expected.magnitude;
    if (type == STITCH_ELEMENT_F64)
      bound = 8 * DBL_EPSILON * expected.magnitude;
    return fabs(getFloat(result, type, i) - expected.sum) <= bound;
  }
  if (type == STITCH_ELEMENT_I1)
    return getInteger(result, type, i) == (expected.bits != 0);
  int shift = 64 - 8 * (int)stitchElementBytes(type);
  return (uint64_t)getInteger(result, type, i) << shift == expected.bits << shift;
}

static StitchLibraryDims freeOf(const StitchLibraryTensor *tensor, const StitchLibraryDims *batch,
                                const StitchLibraryDims *contracted) {
  StitchLibraryDims dims = {0};
  for (int64_t d = 0; d < tensor->rank; ++d) {
    bool isFree = true;
    for (int64_t i = 0; i < batch->count; ++i)
      isFree = isFree && batch->dims[i] != d;
    for (int64_t i = 0; i < contracted->count; ++i)
      isFree = isFree && contracted->dims[i] != d;
    if (isFree)
      dims.dims[dims.count++] = d;
  }
  return dims;
}

/// Where element `i` of the result, counted in the order of batch, lhs and rhs dimensions, is in the permuted one.
static int64_t permutedIndex(const StitchLibraryProblem *problem, int64_t i) {
  const StitchLibraryTensor *result = &problem->operands[2];
  const StitchLibraryDims *permutation = &problem->dot.resultPermutation;
  int64_t sizes[STITCH_LIBRARY_MAX_RANK], at[STITCH_LIBRARY_MAX_RANK], permuted[STITCH_LIBRARY_MAX_RANK];
  if (permutation->count == 0)
    return i;
  for (int64_t d = 0; d < result->rank; ++d)
    sizes[permutation->dims[d]] = result->dims[d];
  for (int64_t d = result->rank; d-- > 0; i /= sizes[d])
    at[d] = i % sizes[d];
  for (int64_t d = 0; d < result->rank; ++d)
    permuted[d] = at[permutation->dims[d]];
  return linearIndex(result, permuted);
}

/// Compares a result with the definition; returns the number of wrong elements.
static int64_t countWrong(const StitchLibraryProblem *problem, const void *lhs, const void *rhs, const void *result) {
  const StitchLibraryTensor *operands = problem->operands;
  StitchLibraryDims lhsFree = freeOf(&operands[0], &problem->dot.lhsBatch, &problem->dot.lhsContract);
  StitchLibraryDims rhsFree = freeOf(&operands[1], &problem->dot.rhsBatch, &problem->dot.rhsContract);
  int64_t lhsAt[STITCH_LIBRARY_MAX_RANK] = {0};
  int64_t rhsAt[STITCH_LIBRARY_MAX_RANK] = {0};
  int64_t wrong = 0;
  if (numElements(&operands[2]) == 0)
    return 0;
  int64_t i = 0;
  do {
    for (int64_t d = 0; d < problem->dot.lhsBatch.count; ++d)
      rhsAt[problem->dot.rhsBatch.dims[d]] = lhsAt[problem->dot.lhsBatch.dims[d]];
    do
      do
        wrong += !matches(&operands[2], result, permutedIndex(problem, i++), contract(problem, lhs, rhs, lhsAt, rhsAt));
      while (next(&operands[1], &rhsFree, rhsAt));
    while (next(&operands[0], &lhsFree, lhsAt));
  } while (next(&operands[0], &problem->dot.lhsBatch, lhsAt));
  return wrong;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

typedef struct {
  StitchElementType operand, result;
} Types;

static void shuffle(int64_t *values, int64_t count) {
  for (int64_t i = count; i-- > 1;) {
    int64_t other = randomBits() % (uint32_t)(i + 1);
    int64_t value = values[i];
    values[i] = values[other];
    values[other] = value;
  }
}

/// Places `count` dimensions with these sizes at the given places of the tensor.
static void place(StitchLibraryTensor *tensor, const int64_t *sizes, const int64_t *places, int64_t count,
                  StitchLibraryDims *dims) {
  dims->count = count;
  for (int64_t i = 0; i < count; ++i) {
    dims->dims[i] = places[i];
    tensor->dims[places[i]] = sizes[i];
  }
}

static void randomSizes(int64_t *sizes, int64_t count, uint32_t largest) {
  for (int64_t i = 0; i < count; ++i)
    sizes[i] = 1 + randomBits() % largest;
}

static void addResultDims(StitchLibraryProblem *problem, const StitchLibraryTensor *from,
                          const StitchLibraryDims *dims) {
  StitchLibraryTensor *result = &problem->operands[2];
  for (int64_t i = 0; i < dims->count; ++i)
    result->dims[result->rank++] = from->dims[dims->dims[i]];
}

/// Permutes the dimensions of every other result.
static void permuteResult(StitchLibraryProblem *problem) {
  StitchLibraryTensor *result = &problem->operands[2], unpermuted = *result;
  StitchLibraryDims *permutation = &problem->dot.resultPermutation;
  if (randomBits() % 2)
    return;
  permutation->count = result->rank;
  for (int64_t i = 0; i < result->rank; ++i)
    permutation->dims[i] = i;
  shuffle(permutation->dims, result->rank);
  for (int64_t i = 0; i < result->rank; ++i)
    result->dims[i] = unpermuted.dims[permutation->dims[i]];
}

static StitchLibraryProblem randomProblem(Types types, int64_t batch, int64_t lhsFree, int64_t rhsFree,
                                          int64_t contracted, uint32_t largest) {
  StitchLibraryProblem problem = {.kind = STITCH_LIBRARY_DOT, .numOperands = 3};
  StitchLibraryTensor *lhs = &problem.operands[0];
  StitchLibraryTensor *rhs = &problem.operands[1];
  *lhs = (StitchLibraryTensor){types.operand, batch + lhsFree + contracted, {0}};
  *rhs = (StitchLibraryTensor){types.operand, batch + rhsFree + contracted, {0}};
  problem.operands[2].type = types.result;
  int64_t lhsPlaces[STITCH_LIBRARY_MAX_RANK], rhsPlaces[STITCH_LIBRARY_MAX_RANK];
  for (int64_t i = 0; i < STITCH_LIBRARY_MAX_RANK; ++i)
    lhsPlaces[i] = rhsPlaces[i] = i;
  shuffle(lhsPlaces, lhs->rank);
  shuffle(rhsPlaces, rhs->rank);
  int64_t sizes[STITCH_LIBRARY_MAX_RANK];
  StitchLibraryDims unused;
  randomSizes(sizes, batch, 3);
  place(lhs, sizes, lhsPlaces, batch, &problem.dot.lhsBatch);
  place(rhs, sizes, rhsPlaces, batch, &problem.dot.rhsBatch);
  randomSizes(sizes, contracted, largest);
  place(lhs, sizes, lhsPlaces + batch, contracted, &problem.dot.lhsContract);
  place(rhs, sizes, rhsPlaces + batch, contracted, &problem.dot.rhsContract);
  randomSizes(sizes, lhsFree, largest);
  place(lhs, sizes, lhsPlaces + batch + contracted, lhsFree, &unused);
  randomSizes(sizes, rhsFree, largest);
  place(rhs, sizes, rhsPlaces + batch + contracted, rhsFree, &unused);

  StitchLibraryDims lhsRest = freeOf(lhs, &problem.dot.lhsBatch, &problem.dot.lhsContract);
  StitchLibraryDims rhsRest = freeOf(rhs, &problem.dot.rhsBatch, &problem.dot.rhsContract);
  addResultDims(&problem, lhs, &problem.dot.lhsBatch);
  addResultDims(&problem, lhs, &lhsRest);
  addResultDims(&problem, rhs, &rhsRest);
  permuteResult(&problem);
  return problem;
}

static void *randomData(const StitchLibraryTensor *tensor) {
  int64_t count = numElements(tensor);
  void *data = calloc((size_t)count + 1, stitchElementBytes(tensor->type));
  if (!data)
    abort();
  for (int64_t i = 0; i < count; ++i)
    setRandom(data, tensor->type, i);
  return data;
}

static void printTensor(const char *name, const StitchLibraryTensor *tensor) {
  fprintf(stderr, "  %s %s:", name, stitchElementName(tensor->type));
  for (int64_t i = 0; i < tensor->rank; ++i)
    fprintf(stderr, " %lld", (long long)tensor->dims[i]);
  fprintf(stderr, "\n");
}

/// Runs a problem twice on one prepared dot, with other data and addresses the second time.
static void checkProblem(const StitchLibraryProblem *problem) {
  StitchDot *dot = NULL;
  StitchStatus status = stitchDotCreate(problem, STITCH_LIBRARY_USUAL, &dot);
  CHECK_OK(status);
  for (int run = 0; dot && run < 2; ++run) {
    void *lhs = randomData(&problem->operands[0]);
    void *rhs = randomData(&problem->operands[1]);
    void *result = randomData(&problem->operands[2]);
    CHECK_OK(stitchDotExecute(dot, lhs, rhs, result));
    int64_t wrong = countWrong(problem, lhs, rhs, result);
    if (wrong) {
      fprintf(stderr, "%lld of %lld elements are wrong (%s)\n", (long long)wrong,
              (long long)numElements(&problem->operands[2]), stitchDotImplementation(dot));
      printTensor("lhs", &problem->operands[0]);
      printTensor("rhs", &problem->operands[1]);
      printTensor("result", &problem->operands[2]);
      CHECK(!wrong);
    }
    free(lhs);
    free(rhs);
    free(result);
  }
  stitchDotDestroy(dot);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

static void testLayouts(void) {
  static const Types types[] = {
      {STITCH_ELEMENT_F32, STITCH_ELEMENT_F32},   {STITCH_ELEMENT_BF16, STITCH_ELEMENT_BF16},
      {STITCH_ELEMENT_BF16, STITCH_ELEMENT_F32},  {STITCH_ELEMENT_F16, STITCH_ELEMENT_F16},
      {STITCH_ELEMENT_F16, STITCH_ELEMENT_F32},   {STITCH_ELEMENT_F64, STITCH_ELEMENT_F64},
      {STITCH_ELEMENT_I1, STITCH_ELEMENT_I1},     {STITCH_ELEMENT_I8, STITCH_ELEMENT_I8},
      {STITCH_ELEMENT_I8, STITCH_ELEMENT_I32},    {STITCH_ELEMENT_UI8, STITCH_ELEMENT_UI32},
      {STITCH_ELEMENT_I16, STITCH_ELEMENT_I16},   {STITCH_ELEMENT_UI16, STITCH_ELEMENT_UI16},
      {STITCH_ELEMENT_I32, STITCH_ELEMENT_I32},   {STITCH_ELEMENT_I64, STITCH_ELEMENT_I64},
      {STITCH_ELEMENT_UI64, STITCH_ELEMENT_UI64},
  };
  for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); ++t)
    for (int64_t shape = 0; shape < 81; ++shape) {
      StitchLibraryProblem problem =
          randomProblem(types[t], shape % 3, shape / 3 % 3, shape / 9 % 3, shape / 27 % 3, 7);
      checkProblem(&problem);
    }
}

/// Larger than the blocks of the implementations.
static void testSizes(void) {
  static const Types types[] = {{STITCH_ELEMENT_F32, STITCH_ELEMENT_F32},
                                {STITCH_ELEMENT_F64, STITCH_ELEMENT_F64},
                                {STITCH_ELEMENT_BF16, STITCH_ELEMENT_BF16},
                                {STITCH_ELEMENT_I32, STITCH_ELEMENT_I32}};
  for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); ++t)
    for (int repeat = 0; repeat < 8; ++repeat) {
      StitchLibraryProblem problem = randomProblem(types[t], repeat % 2, 1, 1, 1, 150);
      checkProblem(&problem);
    }
}

static void testEmpty(void) {
  StitchLibraryProblem problem = randomProblem((Types){STITCH_ELEMENT_F32, STITCH_ELEMENT_F32}, 0, 1, 1, 1, 5);
  problem.operands[0].dims[problem.dot.lhsContract.dims[0]] = 0;
  problem.operands[1].dims[problem.dot.rhsContract.dims[0]] = 0;
  checkProblem(&problem);
  problem.operands[0].dims[1 - problem.dot.lhsContract.dims[0]] = 0;
  problem.operands[2].dims[problem.dot.resultPermutation.dims[0]] = 0;
  checkProblem(&problem);
}

/// Frequent problems of models must not fall back on oneDNN's reference code.
static void testImplementation(void) {
  static const StitchLibraryDims none = {0, {0}}, zero = {1, {0}}, one = {1, {1}}, two = {1, {2}}, three = {1, {3}};
  static const StitchLibraryDims heads = {2, {0, 2}}, outer = {2, {0, 1}};
  StitchLibraryProblem problems[] = {
      {.kind = STITCH_LIBRARY_DOT,
       .numOperands = 3,
       .operands = {{STITCH_ELEMENT_F32, 2, {7, 768}},
                    {STITCH_ELEMENT_F32, 2, {768, 96}},
                    {STITCH_ELEMENT_F32, 2, {7, 96}}},
       .dot = {none, none, one, zero, none}},
      {.kind = STITCH_LIBRARY_DOT,
       .numOperands = 3,
       .operands = {{STITCH_ELEMENT_F32, 2, {7, 768}},
                    {STITCH_ELEMENT_F32, 2, {96, 768}},
                    {STITCH_ELEMENT_F32, 2, {7, 96}}},
       .dot = {none, none, one, one, none}},
      {.kind = STITCH_LIBRARY_DOT,
       .numOperands = 3,
       .operands = {{STITCH_ELEMENT_F32, 3, {12, 7, 64}},
                    {STITCH_ELEMENT_F32, 3, {12, 7, 64}},
                    {STITCH_ELEMENT_F32, 3, {12, 7, 7}}},
       .dot = {zero, zero, two, two, none}},
      {.kind = STITCH_LIBRARY_DOT,
       .numOperands = 3,
       .operands = {{STITCH_ELEMENT_F32, 4, {2, 9, 12, 64}},
                    {STITCH_ELEMENT_F32, 4, {2, 9, 12, 64}},
                    {STITCH_ELEMENT_F32, 4, {2, 12, 9, 9}}},
       .dot = {heads, heads, three, three, none}},
      {.kind = STITCH_LIBRARY_DOT,
       .numOperands = 3,
       .operands = {{STITCH_ELEMENT_F32, 4, {2, 12, 9, 9}},
                    {STITCH_ELEMENT_F32, 4, {2, 9, 12, 64}},
                    {STITCH_ELEMENT_F32, 4, {2, 12, 9, 64}}},
       .dot = {outer, heads, three, one, none}},
  };
  for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); ++i) {
    StitchDot *dot = NULL;
    CHECK_OK(stitchDotCreate(&problems[i], STITCH_LIBRARY_USUAL, &dot));
    if (!dot)
      continue;
    printf("problem %zu: %s\n", i, stitchDotImplementation(dot));
    CHECK(strncmp(stitchDotImplementation(dot), "ref", 3) != 0 && strcmp(stitchDotImplementation(dot), "loop") != 0);
    stitchDotDestroy(dot);
    checkProblem(&problems[i]);
  }
}

static StitchLibraryProblem square(void) {
  return (StitchLibraryProblem){
      .kind = STITCH_LIBRARY_DOT,
      .numOperands = 3,
      .operands = {{STITCH_ELEMENT_F32, 2, {2, 2}}, {STITCH_ELEMENT_F32, 2, {2, 2}}, {STITCH_ELEMENT_F32, 2, {2, 2}}},
      .dot = {{0}, {0}, {1, {1}}, {1, {0}}, {0}}};
}

static void testErrors(void) {
  StitchDot *dot = NULL;
  StitchLibraryProblem problem = square();
  problem.operands[1].dims[0] = 3;
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_INVALID_ARGUMENT,
               "size 2 in lhs, 3 in rhs");
  problem = square();
  problem.dot.lhsContract.dims[0] = 2;
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_INVALID_ARGUMENT,
               "lhs_contract names dimension 2");
  problem = square();
  problem.dot.lhsBatch.count = 1;
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_INVALID_ARGUMENT,
               "lhs has 1 batch dimensions, rhs 0");
  problem = square();
  problem.operands[2].dims[1] = 3;
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_INVALID_ARGUMENT, "result's shape");
  problem = square();
  problem.dot.resultPermutation = (StitchLibraryDims){2, {1, 1}};
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_INVALID_ARGUMENT,
               "result_permutation names dimension 1");
  problem = square();
  problem.dot.resultPermutation = (StitchLibraryDims){1, {0}};
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_INVALID_ARGUMENT, "result's shape");
  problem = square();
  problem.operands[2].type = STITCH_ELEMENT_I32;
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_UNIMPLEMENTED,
               "dot of f32 and f32 into i32");
  problem = square();
  problem.operands[0].type = (StitchElementType)99;
  CHECK_STATUS(stitchDotCreate(&problem, STITCH_LIBRARY_USUAL, &dot), STITCH_INVALID_ARGUMENT,
               "unknown element type 99");
  CHECK(!dot);
}

/// Host code's calls: the first failure stays until it is taken.
static void testLibrary(void) {
  StitchLibraryProblem problems[] = {square(), square()};
  problems[1].kind = (StitchLibraryKind)99;
  float lhs[] = {1, 2, 3, 4}, rhs[] = {5, 6, 7, 8}, result[4] = {0};
  void *pointers[] = {lhs, rhs, result};
  StitchLibrary *library = NULL;
  CHECK_STATUS(stitchLibraryCreate(problems, -1, &library), STITCH_INVALID_ARGUMENT, "-1 library calls");
  CHECK_OK(stitchLibraryCreate(problems, 2, &library));
  CHECK(stitchLibraryCall(library, 0, pointers) == 0);
  CHECK(result[0] == 19 && result[1] == 22 && result[2] == 43 && result[3] == 50);
  CHECK(stitchLibraryCall(library, 1, pointers) == STITCH_UNIMPLEMENTED);
  result[0] = 0;
  CHECK(stitchLibraryCall(library, 0, pointers) == STITCH_UNIMPLEMENTED);
  CHECK(result[0] == 0);
  CHECK_STATUS(stitchLibraryTakeStatus(library), STITCH_UNIMPLEMENTED, "library call 1: unknown kind 99");
  CHECK(stitchLibraryCall(library, 0, pointers) == 0);
  CHECK(result[0] == 19);
  CHECK_STATUS(stitchLibraryExecute(library, 2, pointers), STITCH_INTERNAL, "library call 2 of a model that has 2");
  stitchLibraryDestroy(library);
  stitchLibraryDestroy(NULL);
}

/// Several dots in a call, one of which shares its operands with others.
static void testDots(void) {
  StitchLibraryProblem problem = square();
  problem.kind = STITCH_LIBRARY_DOTS;
  problem.count = 3;
  float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, first[4] = {0}, second[4] = {0}, third[5] = {0, 0, 0, 0, -1};
  void *pointers[] = {a, b, first, b, a, second, a, a, third};
  StitchLibrary *library = NULL;
  StitchLibraryAlgorithms algorithms;
  CHECK(stitchLibraryNumPointers(&problem) == 9);
  CHECK(strcmp(stitchLibraryKindName(problem.kind), "dots") == 0);
  CHECK_OK(stitchLibraryCreate(&problem, 1, &library));
  CHECK_OK(stitchLibraryListAlgorithms(library, 0, &algorithms));
  for (int64_t i = 0; i < algorithms.count; ++i) {
    first[0] = second[0] = third[3] = 0;
    stitchLibraryUse(library, 0, algorithms.algorithms[i]);
    CHECK_OK(stitchLibraryExecute(library, 0, pointers));
    CHECK(first[0] == 19 && first[3] == 50 && second[0] == 23 && second[3] == 46);
    CHECK(third[0] == 7 && third[1] == 10 && third[2] == 15 && third[3] == 22 && third[4] == -1);
  }
  stitchLibraryDestroy(library);
}

int main(void) {
  testDots();
  testLayouts();
  testSizes();
  testEmpty();
  testImplementation();
  testErrors();
  testLibrary();
  return checkResult();
}
