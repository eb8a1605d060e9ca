//===- cpu_dot.c - tg.dot on the CPU --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the problem, brings its operands into the form [batch][rows][columns], and chooses who computes it.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_dot.h"

#include "runtime/library/dot_implementation.h"
#include "runtime/tensor.h"

#include <stdlib.h>
#include <string.h>

struct StitchDot {
  StitchDotShape shape;
  size_t resultBytes;
  StitchDotOneDnn *oneDnn; // NULL: the loop
  bool oneThread;          // for oneDNN
  void *dense;             // the result before it is permuted; NULL if it is not
};

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static StitchStatus checkTensor(const StitchLibraryTensor *tensor, const char *name) {
  if (stitchElementBytes(tensor->type) == 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: %s has the unknown element type %d", name,
                            (int)tensor->type);
  if (tensor->rank < 0 || tensor->rank > STITCH_LIBRARY_MAX_RANK)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: %s has rank %lld", name, (long long)tensor->rank);
  for (int64_t i = 0; i < tensor->rank; ++i)
    if (tensor->dims[i] < 0)
      return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: dimension %lld of %s is negative", (long long)i, name);
  return NULL;
}

/// Checks that `dims` are dimensions of the tensor that are not in `seen` yet, and adds them to it.
static StitchStatus checkDims(const StitchLibraryTensor *tensor, const StitchLibraryDims *dims, bool *seen,
                              const char *name) {
  if (dims->count < 0 || dims->count > STITCH_LIBRARY_MAX_RANK)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: %s has %lld dimensions", name, (long long)dims->count);
  for (int64_t i = 0; i < dims->count; ++i) {
    int64_t dim = dims->dims[i];
    if (dim < 0 || dim >= tensor->rank || seen[dim])
      return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: %s names dimension %lld, out of range or twice", name,
                              (long long)dim);
    seen[dim] = true;
  }
  return NULL;
}

/// Checks that two lists pair dimensions of equal sizes.
static StitchStatus checkPairs(const StitchLibraryTensor *lhs, const StitchLibraryDims *lhsDims,
                               const StitchLibraryTensor *rhs, const StitchLibraryDims *rhsDims, const char *name) {
  if (lhsDims->count != rhsDims->count)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: lhs has %lld %s dimensions, rhs %lld",
                            (long long)lhsDims->count, name, (long long)rhsDims->count);
  for (int64_t i = 0; i < lhsDims->count; ++i)
    if (lhs->dims[lhsDims->dims[i]] != rhs->dims[rhsDims->dims[i]])
      return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: %s dimension %lld has size %lld in lhs, %lld in rhs", name,
                              (long long)i, (long long)lhs->dims[lhsDims->dims[i]],
                              (long long)rhs->dims[rhsDims->dims[i]]);
  return NULL;
}

/// The dimensions of a tensor that are not in `seen`.
static StitchLibraryDims freeDims(const StitchLibraryTensor *tensor, const bool *seen) {
  StitchLibraryDims dims = {0};
  for (int64_t i = 0; i < tensor->rank; ++i)
    if (!seen[i])
      dims.dims[dims.count++] = i;
  return dims;
}

/// Appends the sizes of some dimensions of `from` to the expected result; false if it gets too many.
static bool appendSizes(StitchLibraryTensor *result, const StitchLibraryTensor *from, const StitchLibraryDims *dims) {
  for (int64_t i = 0; i < dims->count; ++i) {
    if (result->rank == STITCH_LIBRARY_MAX_RANK)
      return false;
    result->dims[result->rank++] = from->dims[dims->dims[i]];
  }
  return true;
}

/// The shape batch, free dimensions of lhs, free dimensions of rhs; false if these are too many.
static bool unpermutedResult(const StitchLibraryProblem *problem, const StitchLibraryDims *lhsFree,
                             const StitchLibraryDims *rhsFree, StitchLibraryTensor *result) {
  *result = (StitchLibraryTensor){.type = problem->operands[2].type};
  return appendSizes(result, &problem->operands[0], &problem->dot.lhsBatch) &&
         appendSizes(result, &problem->operands[0], lhsFree) && appendSizes(result, &problem->operands[1], rhsFree);
}

/// Checks the result and finds where in it each dimension of batch, lhs and rhs is.
static StitchStatus checkResult(const StitchLibraryProblem *problem, const StitchLibraryDims *lhsFree,
                                const StitchLibraryDims *rhsFree, StitchLibraryDims *position) {
  const StitchLibraryTensor *result = &problem->operands[2];
  const StitchLibraryDims *permutation = &problem->dot.resultPermutation;
  StitchLibraryTensor expected;
  bool seen[STITCH_LIBRARY_MAX_RANK] = {false};
  bool fits = unpermutedResult(problem, lhsFree, rhsFree, &expected) && expected.rank == result->rank;
  StitchStatus status = checkDims(result, permutation, seen, "result_permutation");
  if (status)
    return status;
  fits &= permutation->count == 0 || permutation->count == result->rank;
  position->count = result->rank;
  for (int64_t i = 0; fits && i < result->rank; ++i) {
    int64_t from = permutation->count ? permutation->dims[i] : i;
    fits = expected.dims[from] == result->dims[i];
    position->dims[from] = i;
  }
  if (fits)
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "dot: the result's shape is not batch, free dimensions of lhs, free "
                                                   "dimensions of rhs, permuted by result_permutation");
}

/// Types of one kind multiply each other into a third: floats, complex numbers, integers. 8-bit floats and integers
/// below a byte are of none: the compiler converts them first.
typedef enum { KIND_NONE, KIND_INTEGER, KIND_FLOAT, KIND_COMPLEX } Kind;

static Kind kindOf(StitchElementType type) {
  StitchDataType dtype = stitchDataTypeOf(type);
  if (stitchElementIsComplex(type))
    return KIND_COMPLEX;
  if (stitchElementIsFloat(type))
    return dtype.bits > 8 ? KIND_FLOAT : KIND_NONE;
  return dtype.bits >= 8 ? KIND_INTEGER : KIND_NONE;
}

static StitchStatus checkTypes(const StitchLibraryProblem *problem) {
  Kind kind = kindOf(problem->operands[0].type);
  for (int i = 0; i < 3; ++i)
    if (kind == KIND_NONE || kindOf(problem->operands[i].type) != kind)
      return stitchStatusMake(
          STITCH_UNIMPLEMENTED, "dot of %s and %s into %s", stitchElementName(problem->operands[0].type),
          stitchElementName(problem->operands[1].type), stitchElementName(problem->operands[2].type));
  return NULL;
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

static StitchLibraryDims slice(const StitchLibraryDims *dims, int64_t begin, int64_t end) {
  StitchLibraryDims result = {.count = end - begin};
  memcpy(result.dims, dims->dims + begin, sizeof(int64_t) * (size_t)result.count);
  return result;
}

/// The result as a batch of matrices: `position` are its dimensions in the order batch, rows, columns.
static StitchMatrices resultMatrices(const StitchLibraryProblem *problem, const StitchLibraryDims *position,
                                     int64_t batch, int64_t rows) {
  StitchLibraryDims b = slice(position, 0, batch), r = slice(position, batch, batch + rows);
  StitchLibraryDims c = slice(position, batch + rows, position->count);
  return stitchMatricesOf(&problem->operands[2], &b, &r, &c);
}

StitchStatus stitchDotShapeOf(const StitchLibraryProblem *problem, StitchDotShape *shape) {
  static const char *const names[] = {"lhs", "rhs", "result"};
  const StitchLibraryTensor *lhs = &problem->operands[0];
  const StitchLibraryTensor *rhs = &problem->operands[1];
  const StitchLibraryDotDims *dims = &problem->dot;
  bool lhsSeen[STITCH_LIBRARY_MAX_RANK] = {false};
  bool rhsSeen[STITCH_LIBRARY_MAX_RANK] = {false};
  if (problem->kind != STITCH_LIBRARY_DOT || problem->numOperands < 3)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "not a dot of three operands");
  StitchStatus status = NULL;
  for (int i = 0; i < 3 && !status; ++i)
    status = checkTensor(&problem->operands[i], names[i]);
  if (!status)
    status = checkDims(lhs, &dims->lhsBatch, lhsSeen, "lhs_batch");
  if (!status)
    status = checkDims(lhs, &dims->lhsContract, lhsSeen, "lhs_contract");
  if (!status)
    status = checkDims(rhs, &dims->rhsBatch, rhsSeen, "rhs_batch");
  if (!status)
    status = checkDims(rhs, &dims->rhsContract, rhsSeen, "rhs_contract");
  if (!status)
    status = checkPairs(lhs, &dims->lhsBatch, rhs, &dims->rhsBatch, "batch");
  if (!status)
    status = checkPairs(lhs, &dims->lhsContract, rhs, &dims->rhsContract, "contracting");
  if (!status)
    status = checkTypes(problem);
  if (status)
    return status;

  StitchLibraryDims lhsFree = freeDims(lhs, lhsSeen);
  StitchLibraryDims rhsFree = freeDims(rhs, rhsSeen);
  shape->lhs = stitchMatricesOf(lhs, &dims->lhsBatch, &lhsFree, &dims->lhsContract);
  shape->rhs = stitchMatricesOf(rhs, &dims->rhsBatch, &dims->rhsContract, &rhsFree);
  StitchLibraryDims position;
  status = checkResult(problem, &lhsFree, &rhsFree, &position);
  if (status)
    return status;
  shape->result = resultMatrices(problem, &position, dims->lhsBatch.count, lhsFree.count);
  stitchMatricesMergeBatch(&shape->lhs, &shape->rhs, &shape->result);
  shape->batch = stitchAxesSize(&shape->lhs.batch);
  shape->m = stitchAxesSize(&shape->lhs.rows);
  shape->n = stitchAxesSize(&shape->rhs.columns);
  shape->k = stitchAxesSize(&shape->lhs.columns);
  return NULL;
}

//===----------------------------------------------------------------------===//
// StitchDot
//===----------------------------------------------------------------------===//

static StitchStatus createOneDnn(StitchDot *dot) {
  int before = dot->oneThread ? stitchDotOneDnnSetThreads(1) : 0;
  StitchStatus status = stitchDotOneDnnCreate(&dot->shape, &dot->oneDnn);
  if (dot->oneThread)
    stitchDotOneDnnSetThreads(before);
  return status;
}

static StitchStatus executeOneDnn(const StitchDot *dot, const void *lhs, const void *rhs, void *result) {
  int before = dot->oneThread ? stitchDotOneDnnSetThreads(1) : 0;
  StitchStatus status = stitchDotOneDnnExecute(dot->oneDnn, lhs, rhs, result);
  if (dot->oneThread)
    stitchDotOneDnnSetThreads(before);
  return status;
}

StitchStatus stitchDotCreate(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm, StitchDot **dot) {
  StitchDot *result = calloc(1, sizeof(*result));
  if (!result)
    return stitchStatusOutOfMemory();
  StitchStatus status = stitchDotShapeOf(problem, &result->shape);
  const StitchDotShape *shape = &result->shape;
  if (!status) {
    int64_t elements = shape->batch * shape->m * shape->n;
    result->resultBytes = (size_t)elements * stitchElementBytes(shape->result.type);
    result->oneThread = algorithm == STITCH_LIBRARY_ONE_THREAD;
    if (elements && shape->k && algorithm != STITCH_LIBRARY_LOOPS)
      status = createOneDnn(result);
    if (!status && problem->dot.resultPermutation.count && !(result->dense = malloc(result->resultBytes + 1)))
      status = stitchStatusOutOfMemory();
  }
  if (status)
    stitchDotDestroy(result);
  else
    *dot = result;
  return status;
}

StitchStatus stitchDotExecute(StitchDot *dot, const void *lhs, const void *rhs, void *result) {
  if (dot->resultBytes == 0)
    return NULL;
  if (dot->shape.k == 0) { // an empty sum; zero is all zero bits in every type
    memset(result, 0, dot->resultBytes);
    return NULL;
  }
  void *dense = dot->dense ? dot->dense : result;
  StitchStatus status = dot->oneDnn ? executeOneDnn(dot, lhs, rhs, dense) : stitchDotLoop(&dot->shape, lhs, rhs, dense);
  if (!status && dot->dense)
    stitchMatricesUnpack(&dot->shape.result, dot->dense, result);
  return status;
}

void stitchDotDestroy(StitchDot *dot) {
  if (!dot)
    return;
  stitchDotOneDnnDestroy(dot->oneDnn);
  free(dot->dense);
  free(dot);
}

bool stitchDotHasAlgorithm(const StitchDot *dot, StitchLibraryAlgorithm algorithm) {
  bool hasThreads = algorithm != STITCH_LIBRARY_ONE_THREAD || stitchDotLibraryThreads() > 1;
  return algorithm == STITCH_LIBRARY_USUAL || (dot->oneDnn && hasThreads);
}

const char *stitchDotImplementation(const StitchDot *dot) {
  return dot->oneDnn ? stitchDotOneDnnImplementation(dot->oneDnn) : "loop";
}
