//===- cublaslt_epilogue.c - epilogues of the test double's cuBLASLt -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gelu's tanh is off by as much as the GPU's instruction for it may be (tanh.approx.f32: a relative error of 2^-11):
// NVIDIA does not say which one the library uses. Epilogues of batches with more than a bias and relu it does not have,
// so that tests go without them, too.
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/cublaslt_epilogue.h"

#include "test/cuda_double/elements.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/touches.h"

#include <complex.h>
#include <math.h>

enum { BGRAD = 16, AUX = 128, LEADING_MULTIPLE = 8, ALIGNMENT = 16 };

static bool isKnown(uint32_t kind) {
  static const uint32_t kinds[] = {
      CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_RELU,
      CUBLASLT_EPILOGUE_BIAS,     CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS,
      CUBLASLT_EPILOGUE_GELU,     CUBLASLT_EPILOGUE_GELU_BIAS,
      CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DGELU,    CUBLASLT_EPILOGUE_DGELU_BGRAD,
      CUBLASLT_EPILOGUE_BGRADA,   CUBLASLT_EPILOGUE_BGRADB,
  };
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
    if (kinds[i] == kind)
      return true;
  return false;
}

static bool isGradientOfGelu(uint32_t kind) {
  return kind == CUBLASLT_EPILOGUE_DGELU || kind == CUBLASLT_EPILOGUE_DGELU_BGRAD;
}
static bool isSumOfOperand(uint32_t kind) {
  return kind == CUBLASLT_EPILOGUE_BGRADA || kind == CUBLASLT_EPILOGUE_BGRADB;
}
static bool isSum(uint32_t kind) { return isSumOfOperand(kind) || kind == CUBLASLT_EPILOGUE_DGELU_BGRAD; }
static bool hasBias(uint32_t kind) { return !isSum(kind) && !isGradientOfGelu(kind) && kind & CUBLASLT_EPILOGUE_BIAS; }
static bool hasMatrix(uint32_t kind) { return kind & AUX; }
static bool hasGelu(uint32_t kind) { return !isGradientOfGelu(kind) && kind & CUBLASLT_EPILOGUE_GELU; }

/// How many elements the vector has.
static int64_t vectorSize(const Epilogue *e, const EpilogueShape *shape) {
  return e->kind == CUBLASLT_EPILOGUE_BGRADB ? shape->columns : shape->rows;
}

cublasStatus_t checkEpilogue(const Epilogue *e, const EpilogueShape *shape, const char *function) {
  if (!isKnown(e->kind)) {
    violation("%s: there is no epilogue %u", function, e->kind);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if ((hasBias(e->kind) || isSum(e->kind)) && !e->vector)
    violation("%s: an algorithm for a vector without an address", function);
  if (hasMatrix(e->kind) && (!e->matrix || e->matrix % ALIGNMENT != 0 || e->leading % LEADING_MULTIPLE != 0 ||
                             e->leading < shape->rows || shape->batch != 1)) {
    violation("%s: no matrix for gelu: address %llx, leading dimension %lld, %lld rows, %lld of them", function,
              (unsigned long long)e->matrix, (long long)e->leading, (long long)shape->rows, (long long)shape->batch);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  bool isPlain = !hasGelu(e->kind) && !isGradientOfGelu(e->kind) && !isSum(e->kind);
  bool isTyped = shape->operand == shape->result && shape->batch == 1 &&
                 (shape->result == STITCH_ELEMENT_F16 || shape->result == STITCH_ELEMENT_BF16 ||
                  shape->result == STITCH_ELEMENT_F32);
  return isPlain || isTyped ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

bool beginEpilogue(const Epilogue *e, const EpilogueShape *shape, EpilogueRun *run) {
  size_t bytes = stitchElementBytes(shape->result);
  *run = (EpilogueRun){.epilogue = e, .shape = *shape};
  if (hasBias(e->kind) || isSum(e->kind)) {
    run->vector = translate(e->vector, (size_t)vectorSize(e, shape) * bytes);
    if (!run->vector)
      return false;
  }
  if (hasMatrix(e->kind))
    run->matrix = translate(e->matrix, (size_t)((shape->columns - 1) * e->leading + shape->rows) * bytes);
  return run->matrix || !hasMatrix(e->kind);
}

void touchEpilogue(const EpilogueRun *run) {
  const Epilogue *e = run->epilogue;
  const EpilogueShape *shape = &run->shape;
  size_t bytes = stitchElementBytes(shape->result);
  if (run->vector)
    touch(run->vector, (size_t)vectorSize(e, shape) * bytes, isSum(e->kind));
  if (run->matrix)
    touchStrided(run->matrix, (size_t)shape->columns, (size_t)e->leading * bytes, (size_t)shape->rows * bytes,
                 !isGradientOfGelu(e->kind));
}

/// The hyperbolic tangent with eleven digits.
static double approximateTanh(double x) {
  int exponent;
  double digits = frexp(tanh(x), &exponent);
  return ldexp(round(ldexp(digits, 11)), exponent - 11);
}

/// (1 + tanh) / 2, and its derivative.
static double weightOf(double x, double *slope) {
  double t = approximateTanh(sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x));
  *slope = 0.5 * (1.0 - t * t) * sqrt(2.0 / M_PI) * (1.0 + 3.0 * 0.044715 * x * x);
  return 0.5 * (1.0 + t);
}

double finishElement(const EpilogueRun *run, int64_t row, int64_t column, double sum) {
  uint32_t kind = run->epilogue->kind;
  StitchElementType type = run->shape.result;
  int64_t place = column * run->epilogue->leading + row;
  double slope;
  if (hasBias(kind))
    sum = (double)(float)(sum + loadElement(type, run->vector, row));
  if (kind == CUBLASLT_EPILOGUE_RELU || kind == (CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS))
    return sum < 0.0 ? 0.0 : sum;
  if (hasGelu(kind) && hasMatrix(kind))
    storeElement(type, run->matrix, place, sum);
  if (hasGelu(kind))
    return sum * weightOf(sum, &slope);
  if (isGradientOfGelu(kind)) {
    double x = loadElement(type, run->matrix, place), weight = weightOf(x, &slope);
    return sum * (weight + x * slope);
  }
  return sum;
}

void finishVector(const EpilogueRun *run, const double _Complex *a, const double _Complex *b,
                  const double _Complex *d) {
  const EpilogueShape *shape = &run->shape;
  uint32_t kind = run->epilogue->kind;
  bool isOfB = kind == CUBLASLT_EPILOGUE_BGRADB;
  const double _Complex *from = kind == CUBLASLT_EPILOGUE_BGRADA ? a : isOfB ? b : d;
  int64_t summed = isSumOfOperand(kind) ? shape->inner : shape->columns;
  int64_t across = isOfB ? 1 : summed, along = isOfB ? shape->columns : 1;
  for (int64_t i = 0; isSum(kind) && i < vectorSize(run->epilogue, shape); ++i) {
    float sum = 0.0f;
    for (int64_t k = 0; k < summed; ++k)
      sum += (float)creal(from[i * across + k * along]);
    storeElement(shape->result, run->vector, i, (double)sum);
  }
}
