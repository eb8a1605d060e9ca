//===- check_products.c - sums of products with error bounds --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds products with error bounds to a sum, by the formulas of docs/error_bounds.md, and runs loops over result
// elements on all CPU threads.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_products.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/// Whether a product that is infinite or NaN is so for all factors in their intervals, and if they are rounded first.
/// That is so if one factor is infinite or NaN, and the other one is not nearly zero. A kernel of attention leaves out
/// products with weights that are zero.
static bool isCertain(double x, double xError, double y, double yError) {
  static const double leastNormal = 0x1p-126;
  bool xIs = !isfinite(x), yIs = !isfinite(y);
  return isfinite(xError) && isfinite(yError) && (xIs || yIs) && (xIs || x - xError >= leastNormal) &&
         (yIs || y - yError >= leastNormal);
}

void checkAddProduct(CheckSum *sum, CheckClass class, const CheckTensor *a, int64_t i, const CheckTensor *b,
                     int64_t j) {
  double aError = checkErrorAt(a, i), bError = checkErrorAt(b, j), x, y;
  if (class == CHECK_INTEGER) {
    sum->integer += (int64_t)((uint64_t)a->integer[i] * (uint64_t)b->integer[j]);
    sum->error += aError + bError;
    return;
  }
  if (class == CHECK_COMPLEX) {
    sum->number += a->number[i] * b->number[j];
    x = cabs(a->number[i]), y = cabs(b->number[j]);
  } else {
    sum->real += a->real[i] * b->real[j];
    x = fabs(a->real[i]), y = fabs(b->real[j]);
  }
  sum->magnitude += x * y;
  double error = aError != 0.0 || bError != 0.0 ? x * bError + y * aError + aError * bError : 0.0;
  sum->error += error;
  if (class == CHECK_REAL)
    checkAddTerm(&sum->terms, a->real[i] * b->real[j], error, isCertain(x, aError, y, bError));
}

void checkFinishSum(const CheckCall *call, const CheckSum *sum, int64_t count, int64_t i) {
  CheckTensor *result = call->results[0];
  if (checkClassOf(result->type) == CHECK_INTEGER) {
    result->integer[i] = checkBits(result->type) == 1 ? sum->integer != 0 : checkWrap(result->type, sum->integer);
    if (result->error)
      result->error[i] = sum->error != 0.0 ? INFINITY : 0.0;
    return;
  }
  StitchElementType part = checkPartType(result->type), computed = checkAccumulator(part);
  bool isComplex = checkClassOf(result->type) == CHECK_COMPLEX;
  // The sum here is in f64: as far off as that of a kernel in f64.
  double u = checkUnitRoundoff(computed) * (computed == STITCH_ELEMENT_F64 ? 2.0 : 1.0);
  double roundoffs = checkSumRoundoffs(count) + (isComplex ? 3.0 : 1.0);
  double subnormal = computed == STITCH_ELEMENT_F32 ? (double)count * checkLeastF32 : 0.0; // of products
  // Both operands are rounded, wherever in their intervals they are: (1 + r)^2 - 1, relatively.
  double r = call->operandRoundoff, rounded = (2.0 * r + r * r) * (sum->magnitude + sum->error) + sum->lost;
  double error = sum->error + rounded + roundoffs * u * sum->magnitude + subnormal;
  if (isComplex) {
    checkSettleComplex(result, i, sum->number, error);
    return;
  }
  double value = sum->real, decided;
  CheckTerms terms = sum->terms;
  terms.finite += isinf(sum->lost) ? INFINITY : 0.0; // an operand may become infinite
  if (checkDecides(&terms, result->type, &decided)) {
    value = decided;
    error = 0.0;
  }
  checkSettle(result, checkRounding(call, result->type), i, value, error);
}

CheckSum checkSumOfReals(const double *a, const double *b, int64_t count) {
  double sum[4] = {0}, magnitude[4] = {0};
  int64_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (int64_t j = 0; j < 4; ++j) {
      double product = a[k + j] * b[k + j];
      sum[j] += product;
      magnitude[j] += fabs(product);
    }
  for (; k < count; ++k) {
    sum[0] += a[k] * b[k];
    magnitude[0] += fabs(a[k] * b[k]);
  }
  return (CheckSum){.real = (sum[0] + sum[1]) + (sum[2] + sum[3]),
                    .magnitude = (magnitude[0] + magnitude[1]) + (magnitude[2] + magnitude[3])};
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

typedef struct {
  int64_t count, part;
  void (*work)(void *context, int64_t first, int64_t last);
  void *context;
  _Atomic int64_t next;
} WorkParts;

static void *workOnParts(void *data) {
  WorkParts *parts = data;
  for (int64_t first; (first = atomic_fetch_add(&parts->next, parts->part)) < parts->count;)
    parts->work(parts->context, first, first + parts->part < parts->count ? first + parts->part : parts->count);
  return NULL;
}

void checkInParallel(int64_t count, void (*work)(void *context, int64_t first, int64_t last), void *context) {
  enum { MAX_THREADS = 64, PARTS_PER_THREAD = 8 };
  pthread_t threads[MAX_THREADS];
  int64_t most = sysconf(_SC_NPROCESSORS_ONLN), started = 0;
  most = most < 1 ? 1 : most > MAX_THREADS ? MAX_THREADS : most;
  WorkParts parts = {.count = count, .part = count / (most * PARTS_PER_THREAD) + 1, .work = work, .context = context};
  // The other threads do the work of a thread that cannot be started.
  while (started + 1 < most && pthread_create(&threads[started], NULL, workOnParts, &parts) == 0)
    ++started;
  workOnParts(&parts);
  for (int64_t i = 0; i < started; ++i)
    pthread_join(threads[i], NULL);
}
