//===- check_evaluate.c - the results of a launch, with error bounds ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a launch's graph and its inputs. Evaluates the operations in order by the table at the end, releases values
// after their last reader, and hands stored values to the checker.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_evaluate.h"

#include "tools/check/check_body.h"
#include "tools/check/operations.h"

#include <stdlib.h>

CheckShape checkShapeNow(const CheckType *type, const CheckOptions *options) {
  CheckShape shape = type->shape;
  if (type->symbol > 0)
    shape.dims[0] = shape.dims[0] / options->symbolHighs[type->symbol - 1] * options->symbolValues[type->symbol - 1];
  return shape;
}

void checkRelease(CheckTensor *tensor) {
  if (tensor && --tensor->uses <= 0)
    checkTensorFree(tensor);
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

static const struct {
  CheckKind kind;
  const char *(*evaluate)(const CheckCall *call);
} evaluators[] = {
    {CHECK_reshape, checkMovement},
    {CHECK_broadcast, checkMovement},
    {CHECK_transpose, checkMovement},
    {CHECK_slice, checkMovement},
    {CHECK_reverse, checkMovement},
    {CHECK_pad, checkMovement},
    {CHECK_concatenate, checkMovement},
    {CHECK_gather, checkMovement},
    {CHECK_dynamic_slice, checkMovement},
    {CHECK_dynamic_update_slice, checkMovement},
    {CHECK_iota, checkMovement},
    {CHECK_constant, checkMovement},
    {CHECK_reduce, checkReduce},
    {CHECK_arg_reduce, checkArgReduce},
    {CHECK_reduce_window, checkReduceWindow},
    {CHECK_select_and_scatter, checkSelectAndScatter},
    {CHECK_cumulative, checkCumulative},
    {CHECK_general_cumulative, checkGeneralCumulative},
    {CHECK_general_reduce, checkGeneralReduce},
    {CHECK_general_reduce_window, checkGeneralReduceWindow},
    {CHECK_general_select_and_scatter, checkGeneralSelectAndScatter},
    {CHECK_scatter, checkScatter},
    {CHECK_general_scatter, checkScatter},
    {CHECK_sort, checkSort},
    {CHECK_top_k, checkTopK},
    {CHECK_dot, checkDot},
    {CHECK_convolution, checkConvolution},
    {CHECK_fft, checkFourier},
    {CHECK_cholesky, checkCholesky},
    {CHECK_triangular_solve, checkTriangularSolve},
    {CHECK_all_reduce, checkCollective},
    {CHECK_all_gather, checkCollective},
    {CHECK_reduce_scatter, checkCollective},
    {CHECK_all_to_all, checkCollective},
    {CHECK_collective_broadcast, checkCollective},
    {CHECK_collective_permute, checkCollective},
    {CHECK_process_id, checkCollective},
};

static const char *evaluateCall(const CheckCall *call) {
  for (size_t i = 0; i < sizeof(evaluators) / sizeof(evaluators[0]); ++i)
    if (evaluators[i].kind == call->op->kind)
      return evaluators[i].evaluate(call);
  return checkElementwise(call);
}

//===----------------------------------------------------------------------===//
// A graph
//===----------------------------------------------------------------------===//

typedef struct {
  const CheckGraph *graph;
  const CheckOptions *options;
  const CheckShape *shape; ///< of all values; NULL: as their types say
  CheckCall flags;         ///< the flags of all calls
  CheckTensor **values;
  int64_t softmaxTiles; ///< of a kernel of attention; 0: it is none
  uint8_t *sources;     ///< then: the origin of each value, FROM_PRODUCT and FROM_EXPONENTIAL
} Evaluation;

enum { FROM_PRODUCT = 1, FROM_EXPONENTIAL = 2 };

/// How many operations and results read each value.
static void countUses(const CheckGraph *graph, int *uses) {
  for (int64_t i = 0; i < graph->numOps; ++i)
    for (int64_t k = 0; k < graph->ops[i].numOperands; ++k)
      ++uses[graph->ops[i].operands[k]];
  for (int64_t i = 0; i < graph->numResults; ++i)
    ++uses[graph->results[i]];
}

/// The least number of f16 or bf16, of which half is lost where numbers are subnormal.
static double leastOf(StitchElementType type) {
  return type == STITCH_ELEMENT_F16 ? 0x1p-24 : type == STITCH_ELEMENT_BF16 ? 0x1p-133 : 0.0;
}

/// From here on f16 rounds to infinity.
static const double endOfF16 = 65520.0;

/// A library may have rounded a narrow value that it did not store, or not.
static const char *loosen(CheckTensor *tensor) {
  bool isNarrow = checkClassOf(tensor->type) == CHECK_REAL && checkAccumulator(tensor->type) != tensor->type;
  if (!isNarrow)
    return NULL;
  if (!checkTensorAddErrors(tensor))
    return checkOutOfMemory;
  double least = leastOf(tensor->type) / 2;
  for (int64_t i = 0; i < tensor->count; ++i) {
    if (!isfinite(tensor->real[i]) || (tensor->real[i] == 0.0 && tensor->error[i] == 0.0)) // it stays so
      continue;
    if (tensor->low) // it may not have been rounded up
      tensor->low[i] =
          fmax(tensor->low[i] * (1.0 - checkUnitRoundoff(tensor->type)) - least, fmin(tensor->low[i], 0.0));
    tensor->error[i] += checkUnitRoundoff(tensor->type) * fabs(tensor->real[i]) + least;
    if (tensor->type == STITCH_ELEMENT_F16 && fabs(tensor->real[i]) + tensor->error[i] >= endOfF16)
      tensor->error[i] = INFINITY; // where it is rounded it is infinite
  }
  return NULL;
}

static const char *createResults(Evaluation *e, const CheckOp *op, const int *uses, CheckTensor **results) {
  for (int64_t i = 0; i < op->numResults; ++i) {
    const CheckType *type = &e->graph->types[op->firstResult + i];
    CheckShape shape = e->shape ? *e->shape : checkShapeNow(type, e->options);
    results[i] = checkTensorCreate(type->type, &shape);
    if (!results[i])
      return checkOutOfMemory;
    results[i]->uses = uses[op->firstResult + i];
    e->values[op->firstResult + i] = results[i];
  }
  return NULL;
}

static uint8_t sourcesOf(const Evaluation *e, const CheckOp *op) {
  uint8_t sources = 0;
  for (int64_t k = 0; e->sources && k < op->numOperands; ++k)
    sources |= e->sources[op->operands[k]];
  if (op->kind == CHECK_dot)
    sources |= FROM_PRODUCT;
  return op->kind == CHECK_exp && (sources & FROM_PRODUCT) ? sources | FROM_EXPONENTIAL : sources;
}

/// A running softmax has exp(x - m) as a product of exponentials, of less than the final maximum first, and then of the
/// differences of maxima (docs/error_bounds.md, "Running softmax").
static const char *loosenExponential(const Evaluation *e, const CheckTensor *x, CheckTensor *result) {
  enum { ROUNDOFFS_OF_TILE = CHECK_FUNCTION_ROUNDOFFS + 2 };
  if (!checkTensorAddErrors(result))
    return checkOutOfMemory;
  double tiles = (double)(ROUNDOFFS_OF_TILE * e->softmaxTiles) * checkUnitRoundoff(checkAccumulator(result->type));
  for (int64_t i = 0; i < result->count; ++i) {
    double error = checkErrorAt(x, i), greatest = exp(x->real[i] + error);
    if (!isfinite(x->real[i]) || !isfinite(result->real[i]) || !isfinite(error))
      continue;
    double relative = tiles + 2 * checkUnitRoundoff(x->type) * (fabs(x->real[i]) + error);
    result->error[i] += greatest * relative;
    if (result->low && result->low[i] > 0.0)
      result->low[i] *= relative < 1.0 ? 1.0 - relative : 0.0;
  }
  return NULL;
}

static const char *evaluateOp(Evaluation *e, const CheckOp *op, const int *uses) {
  const CheckTensor **operands = calloc((size_t)op->numOperands + 1, sizeof(*operands));
  CheckTensor **results = calloc((size_t)op->numResults + 1, sizeof(*results));
  const char *problem = operands && results ? createResults(e, op, uses, results) : checkOutOfMemory;
  if (!problem) {
    for (int64_t k = 0; k < op->numOperands; ++k)
      operands[k] = e->values[op->operands[k]];
    CheckCall call = e->flags;
    call.op = op;
    call.operands = operands;
    call.results = results;
    uint8_t sources = e->sources ? sourcesOf(e, op) : 0;
    call.roundsOnce |= (sources & FROM_EXPONENTIAL) != 0;
    problem = evaluateCall(&call);
    if (!problem && op->kind == CHECK_exp && (sources & FROM_EXPONENTIAL))
      problem = loosenExponential(e, operands[0], results[0]);
    for (int64_t i = 0; e->sources && i < op->numResults; ++i)
      e->sources[op->firstResult + i] = sources;
  }
  free(operands);
  free(results);
  return problem;
}

/// Releases the operands of which this was the last reader, and results without readers.
static void releaseAfter(Evaluation *e, const CheckOp *op) {
  for (int64_t k = 0; k < op->numOperands; ++k) {
    CheckTensor **value = &e->values[op->operands[k]];
    bool isLast = *value && (*value)->uses <= 1;
    checkRelease(*value);
    *value = isLast ? NULL : *value;
  }
  for (int64_t i = 0; i < op->numResults; ++i) {
    CheckTensor **value = &e->values[op->firstResult + i];
    if (*value && (*value)->uses == 0) {
      checkTensorFree(*value);
      *value = NULL;
    }
  }
}

/// The later operations of a library call read values that it may have rounded. So do those behind the exponentials of
/// a running softmax, where a kernel rounds values that have not been divided by the sum yet.
static bool mayBeRounded(const Evaluation *e, int64_t value) {
  bool isOfLibrary = e->flags.roundsOnce && value >= e->graph->numArguments;
  return isOfLibrary || (e->sources && (e->sources[value] & FROM_EXPONENTIAL));
}

static bool isKnown(const CheckTensor *tensor, int64_t i) { return !tensor->error || isfinite(tensor->error[i]); }

/// Whether all that an element may have been computed from is known: of operands of another size, all elements.
static bool isComputedFromKnown(const Evaluation *e, const CheckOp *op, const CheckTensor *result, int64_t i) {
  for (int64_t k = 0; k < op->numOperands; ++k) {
    const CheckTensor *operand = e->values[op->operands[k]];
    bool isSame = operand->count == result->count;
    for (int64_t j = isSame ? i : 0; j < (isSame ? i + 1 : operand->count); ++j)
      if (!isKnown(operand, j))
        return false;
  }
  return true;
}

/// Remembers which operations make the first elements of which nothing is known.
static void countLost(const Evaluation *e, const CheckOp *op) {
  for (int64_t k = 0; k < op->numResults; ++k) {
    const CheckTensor *result = e->values[op->firstResult + k];
    for (int64_t i = 0; i < result->count; ++i)
      *op->lost += !isKnown(result, i) && isComputedFromKnown(e, op, result, i);
  }
}

static const char *evaluateOps(Evaluation *e, const int *uses) {
  for (int64_t i = 0; i < e->graph->numOps; ++i) {
    const CheckOp *op = &e->graph->ops[i];
    for (int64_t k = 0; k < op->numOperands; ++k) {
      const char *problem = mayBeRounded(e, op->operands[k]) ? loosen(e->values[op->operands[k]]) : NULL;
      if (problem)
        return problem;
    }
    const char *problem = evaluateOp(e, op, uses);
    if (!problem)
      countLost(e, op);
    bool isStored = checkFindAttribute(op, "stitch.stored") || checkFindAttribute(op, "stitch.passing") ||
                    checkFindAttribute(op, "stitch.written");
    if (!problem && e->options && e->options->stored && isStored)
      problem = e->options->stored(e->options->context, op, &e->values[op->firstResult]);
    if (problem)
      return problem;
    releaseAfter(e, op);
  }
  return NULL;
}

/// Rounds a library's narrow results, which it stores.
static const char *roundResult(CheckTensor *tensor) {
  if (checkClassOf(tensor->type) != CHECK_REAL || checkAccumulator(tensor->type) == tensor->type)
    return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    double value = tensor->real[i], error = checkErrorAt(tensor, i);
    if (tensor->error)
      tensor->error[i] = 0.0;
    checkSettle(tensor, tensor->type, i, value, error);
    if (tensor->low)
      tensor->low[i] = checkRound(tensor->type, tensor->low[i]);
  }
  return NULL;
}

/// The arguments are taken over.
static const char *evaluateGraph(Evaluation *e, CheckTensor *const *arguments, CheckTensor **results) {
  int *uses = calloc((size_t)e->graph->numValues + 1, sizeof(*uses));
  e->values = calloc((size_t)e->graph->numValues + 1, sizeof(*e->values));
  const char *problem = uses && e->values ? NULL : checkOutOfMemory;
  if (!problem)
    countUses(e->graph, uses);
  for (int64_t i = 0; i < e->graph->numArguments; ++i) {
    arguments[i]->uses = problem ? 0 : uses[i];
    if (arguments[i]->uses == 0)
      checkTensorFree(arguments[i]);
    else
      e->values[i] = arguments[i];
  }
  problem = problem ? problem : evaluateOps(e, uses);
  for (int64_t i = 0; i < e->graph->numResults; ++i)
    results[i] = problem ? NULL : e->values[e->graph->results[i]];
  for (int64_t i = 0; e->values && problem && i < e->graph->numValues; ++i)
    checkTensorFree(e->values[i]);
  free(uses);
  free(e->values);
  return problem;
}

/// A tensor with one use more, or a copy of one that a caller keeps.
static CheckTensor *copyOfTensor(const CheckTensor *tensor) { return checkTensorReshape(tensor, &tensor->shape); }

static const char *evaluateBody(const CheckCall *call, const CheckGraph *body, const CheckTensor *const *arguments,
                                CheckTensor **results) {
  const CheckShape *shape = &arguments[0]->shape;
  CheckTensor *copies[2 * CHECK_MAX_RESULTS] = {NULL};
  if (body->numArguments > 2 * CHECK_MAX_RESULTS || body->numResults > CHECK_MAX_RESULTS)
    return "a body of too many values";
  bool enough = true;
  for (int64_t i = 0; i < body->numArguments; ++i)
    enough &= (copies[i] = copyOfTensor(arguments[i])) != NULL;
  if (!enough) {
    for (int64_t i = 0; i < body->numArguments; ++i)
      checkTensorFree(copies[i]);
    return checkOutOfMemory;
  }
  Evaluation e = {.graph = body, .shape = shape, .flags = *call};
  CheckTensor *shared[CHECK_MAX_RESULTS];
  const char *problem = evaluateGraph(&e, copies, shared);
  for (int64_t i = 0; i < body->numResults; ++i) { // results that are one tensor become two
    results[i] = problem ? NULL : copyOfTensor(shared[i]);
    enough &= problem || results[i];
  }
  for (int64_t i = 0; !problem && i < body->numResults; ++i)
    checkRelease(shared[i]);
  return problem ? problem : enough ? NULL : checkOutOfMemory;
}

const char *checkEvaluate(const CheckLaunch *launch, const CheckOptions *options, CheckTensor *const *inputs,
                          CheckTensor **results) {
  Evaluation e = {.graph = &launch->graph,
                  .options = options,
                  .softmaxTiles = launch->softmaxTiles,
                  .sources = launch->softmaxTiles ? calloc((size_t)launch->graph.numValues + 1, 1) : NULL,
                  .flags = {.roundsOnce = launch->isLibraryCall,
                            .approximatesTanh = launch->isLibraryCall,
                            .operandRoundoff = launch->isLibraryCall ? options->operandRoundoff : 0.0,
                            .evaluateBody = evaluateBody}};
  const char *problem = evaluateGraph(&e, inputs, results);
  problem = problem || !launch->softmaxTiles || e.sources ? problem : checkOutOfMemory;
  for (int64_t i = 0; !problem && i < launch->graph.numResults; ++i) {
    bool isFirst = mayBeRounded(&e, launch->graph.results[i]);
    for (int64_t k = 0; k < i; ++k)
      isFirst &= results[k] != results[i];
    problem = isFirst ? roundResult(results[i]) : NULL;
  }
  free(e.sources);
  return problem;
}
