//===- kernel_code.c - the runtime's own kernels, for NVPTX ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to PTX, without any header of CUDA. Loops stride over the grid, so any number of blocks is right.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/kernels/numbers.h"
#include "runtime/cuda/kernels/own_elements.h"
#include "runtime/cuda/kernels/thread.h"
#include "runtime/library/combine_element.h"
#include "runtime/library/cpu_library.h"

KERNEL void stitch_pack(StitchPackParameters p);
KERNEL void stitch_dot(StitchDotParameters p);
KERNEL void stitch_convolution(StitchConvolutionParameters p);
KERNEL void stitch_epilogue(StitchEpilogueParameters p);
KERNEL void stitch_sums(StitchSumsParameters p);
KERNEL void stitch_cholesky_column(StitchCholeskyParameters p);
KERNEL void stitch_cholesky_finish(StitchCholeskyParameters p);
KERNEL void stitch_triangular_solve(StitchTriangularSolveParameters p);
KERNEL void stitch_addresses(StitchAddressesParameters p);
KERNEL void stitch_address_list(StitchAddressListParameters p);
KERNEL void stitch_roots(StitchRootsParameters p);
KERNEL void stitch_fourier(StitchFourierParameters p);
KERNEL void stitch_spectrum(StitchSpectrumParameters p);
KERNEL void stitch_combine(StitchCombineParameters p);
KERNEL void stitch_tick(StitchTickParameters p);
KERNEL void stitch_signal(StitchSignalParameters p);

KERNEL void stitch_pack(StitchPackParameters p) {
  for (int64_t i = firstIndex(); i < p.count; i += indexStep()) {
    int64_t offset = offsetOf(&p.axes, i);
    if (p.elementBytes == 16) {
      ((uint64_t *)p.to)[2 * i] = ((const uint64_t *)p.from)[2 * offset];
      ((uint64_t *)p.to)[2 * i + 1] = ((const uint64_t *)p.from)[2 * offset + 1];
    } else if (p.elementBytes == 8)
      ((uint64_t *)p.to)[i] = ((const uint64_t *)p.from)[offset];
    else if (p.elementBytes == 4)
      ((uint32_t *)p.to)[i] = ((const uint32_t *)p.from)[offset];
    else if (p.elementBytes == 2)
      ((uint16_t *)p.to)[i] = ((const uint16_t *)p.from)[offset];
    else
      ((uint8_t *)p.to)[i] = ((const uint8_t *)p.from)[offset];
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Where a thread's row of lhs and column of rhs begin, and its element of the result is.
typedef struct {
  int64_t lhs, rhs, result;
} Origin;

static Origin originOf(const StitchDotParameters *p, int64_t index) {
  int64_t batch = index / (p->m * p->n), row = index / p->n % p->m, column = index % p->n;
  return (Origin){offsetOf(&p->lhsBatch, batch) + offsetOf(&p->lhsRows, row),
                  offsetOf(&p->rhsBatch, batch) + offsetOf(&p->rhsColumns, column),
                  offsetOf(&p->resultBatch, batch) + offsetOf(&p->resultRows, row) +
                      offsetOf(&p->resultColumns, column)};
}

static double floatProduct(const StitchDotParameters *p, Origin at) {
  double sum64 = 0.0;
  float sum32 = 0.0f;
  int wide =
      p->lhsType == STITCH_ELEMENT_F64 || p->rhsType == STITCH_ELEMENT_F64 || p->resultType == STITCH_ELEMENT_F64;
  for (int64_t k = 0; k < p->k; ++k) {
    double a = stitchLoadFloat(p->lhsType, p->lhs, at.lhs + offsetOf(&p->lhsColumns, k));
    double b = stitchLoadFloat(p->rhsType, p->rhs, at.rhs + offsetOf(&p->rhsRows, k));
    if (wide)
      sum64 += a * b;
    else
      sum32 += (float)a * (float)b;
  }
  return wide ? sum64 : (double)sum32;
}

static Complex complexProduct(const StitchDotParameters *p, Origin at) {
  Complex sum = {0.0, 0.0};
  for (int64_t k = 0; k < p->k; ++k)
    sum = addComplexProduct(p->resultType, sum, loadComplex(p->lhsType, p->lhs, at.lhs + offsetOf(&p->lhsColumns, k)),
                            loadComplex(p->rhsType, p->rhs, at.rhs + offsetOf(&p->rhsRows, k)));
  return sum;
}

static uint64_t integerProduct(const StitchDotParameters *p, Origin at) {
  uint64_t sum = 0;
  int isBool = p->resultType == STITCH_ELEMENT_I1;
  for (int64_t k = 0; k < p->k; ++k) {
    uint64_t product = loadInteger(p->lhsType, p->lhs, at.lhs + offsetOf(&p->lhsColumns, k)) *
                       loadInteger(p->rhsType, p->rhs, at.rhs + offsetOf(&p->rhsRows, k));
    sum = isBool ? sum | product : sum + product;
  }
  return sum;
}

KERNEL void stitch_dot(StitchDotParameters p) {
  Arithmetic arithmetic = arithmeticOf(p.resultType);
  for (int64_t i = firstIndex(); i < p.batch * p.m * p.n; i += indexStep()) {
    Origin at = originOf(&p, i);
    if (arithmetic == COMPLEXES)
      storeComplex(p.resultType, p.result, at.result, complexProduct(&p, at));
    else if (arithmetic == FLOATS)
      stitchStoreFloat(p.resultType, p.result, at.result, floatProduct(&p, at));
    else
      storeInteger(p.resultType, p.result, at.result, integerProduct(&p, at));
  }
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// An element of the result: its place, and the offsets that do not depend on the window.
typedef struct {
  int64_t place, lhs, rhs, result;
} Target;

/// Elements are numbered by image, place, group and output.
static Target targetOf(const StitchConvolutionShape *c, int64_t index) {
  int64_t output = stitchTakePosition(&index, c->outputs), group = stitchTakePosition(&index, c->groups);
  int64_t place = stitchTakePosition(&index, c->places), image = index;
  int64_t feature = group * c->outputs + output;
  return (Target){
      .place = place,
      .lhs = image * c->lhsImageStride + group * c->lhsGroupStride,
      .rhs = feature * c->rhsOutputStride,
      .result =
          image * c->resultImageStride + feature * c->resultOutputStride + stitchConvolutionResultOffset(c, place),
  };
}

static double floatConvolution(const StitchConvolutionParameters *p, Target at) {
  const StitchConvolutionShape *c = &p->shape;
  double sum64 = 0.0;
  float sum32 = 0.0f;
  int wide =
      p->lhsType == STITCH_ELEMENT_F64 || p->rhsType == STITCH_ELEMENT_F64 || p->resultType == STITCH_ELEMENT_F64;
  for (int64_t inner = 0; inner < c->windowElements; ++inner) {
    int64_t lhs = stitchConvolutionLhsOffset(c, at.place, inner), rhs = stitchConvolutionRhsOffset(c, inner);
    for (int64_t f = 0; f < c->features; ++f) { // padding too: zero times infinity is NaN
      double a = lhs < 0 ? 0.0 : stitchLoadFloat(p->lhsType, p->lhs, at.lhs + lhs + f * c->lhsFeatureStride);
      double b = stitchLoadFloat(p->rhsType, p->rhs, at.rhs + rhs + f * c->rhsFeatureStride);
      if (wide)
        sum64 += a * b;
      else
        sum32 += (float)a * (float)b;
    }
  }
  return wide ? sum64 : (double)sum32;
}

static Complex complexConvolution(const StitchConvolutionParameters *p, Target at) {
  const StitchConvolutionShape *c = &p->shape;
  Complex sum = {0.0, 0.0};
  for (int64_t inner = 0; inner < c->windowElements; ++inner) {
    int64_t lhs = stitchConvolutionLhsOffset(c, at.place, inner), rhs = stitchConvolutionRhsOffset(c, inner);
    for (int64_t f = 0; f < c->features; ++f) {
      Complex a = {0.0, 0.0};
      if (lhs >= 0)
        a = loadComplex(p->lhsType, p->lhs, at.lhs + lhs + f * c->lhsFeatureStride);
      sum = addComplexProduct(p->resultType, sum, a,
                              loadComplex(p->rhsType, p->rhs, at.rhs + rhs + f * c->rhsFeatureStride));
    }
  }
  return sum;
}

static uint64_t integerConvolution(const StitchConvolutionParameters *p, Target at) {
  const StitchConvolutionShape *c = &p->shape;
  uint64_t sum = 0;
  int isBool = p->resultType == STITCH_ELEMENT_I1;
  for (int64_t inner = 0; inner < c->windowElements; ++inner) {
    int64_t lhs = stitchConvolutionLhsOffset(c, at.place, inner), rhs = stitchConvolutionRhsOffset(c, inner);
    for (int64_t f = 0; lhs >= 0 && f < c->features; ++f) {
      uint64_t product = loadInteger(p->lhsType, p->lhs, at.lhs + lhs + f * c->lhsFeatureStride) *
                         loadInteger(p->rhsType, p->rhs, at.rhs + rhs + f * c->rhsFeatureStride);
      sum = isBool ? sum | product : sum + product;
    }
  }
  return sum;
}

KERNEL void stitch_convolution(StitchConvolutionParameters p) {
  const StitchConvolutionShape *c = &p.shape;
  Arithmetic arithmetic = arithmeticOf(p.resultType);
  for (int64_t i = firstIndex(); i < c->images * c->places * c->groups * c->outputs; i += indexStep()) {
    Target at = targetOf(c, i);
    if (arithmetic == COMPLEXES)
      storeComplex(p.resultType, p.result, at.result, complexConvolution(&p, at));
    else if (arithmetic == FLOATS)
      stitchStoreFloat(p.resultType, p.result, at.result, floatConvolution(&p, at));
    else
      storeInteger(p.resultType, p.result, at.result, integerConvolution(&p, at));
  }
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

KERNEL void stitch_epilogue(StitchEpilogueParameters p) {
  for (int64_t i = firstIndex(); i < p.shape.elements; i += indexStep())
    stitchEpilogueApply(&p.shape, &p.data, i);
}

/// Neighbouring threads sum neighbouring columns.
KERNEL void stitch_sums(StitchSumsParameters p) {
  for (int64_t i = firstIndex(); i < p.keptCount; i += indexStep()) {
    int64_t start = offsetOf(&p.kept, i);
    float sum = 0.0f;
    double wide = 0.0;
    for (int64_t k = 0; k < p.summedCount; ++k) {
      double value = stitchLoadFloat(p.type, p.from, start + offsetOf(&p.summed, k));
      if (p.type == STITCH_ELEMENT_F64)
        wide += value;
      else
        sum += (float)value;
    }
    stitchStoreFloat(p.type, p.to, i, p.type == STITCH_ELEMENT_F64 ? wide : (double)sum);
  }
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

/// Element (row, column) of L in memory, where an upper factor is its adjoint.
static Number loadLower(const StitchCholeskyParameters *p, const void *data, int64_t matrix, int64_t row,
                        int64_t column) {
  int64_t inMatrix = p->isUpper ? column * p->size + row : row * p->size + column;
  return conjugateIf(p->isUpper, loadNumber(p->number, data, matrix * p->size * p->size + inMatrix));
}

/// A[row, column] - sum over k < column of L[row, k] conj(L[column, k])
static Number residual(const StitchCholeskyParameters *p, int64_t matrix, int64_t row) {
  Number sum = loadLower(p, p->operand, matrix, row, p->column);
  for (int64_t k = 0; k < p->column; ++k) {
    Number other = conjugateIf(1, loadLower(p, p->result, matrix, p->column, k));
    sum = difference(sum, product(loadLower(p, p->result, matrix, row, k), other));
  }
  return sum;
}

/// Every thread computes the element on the diagonal for itself.
KERNEL void stitch_cholesky_column(StitchCholeskyParameters p) {
  int64_t rows = p.size - p.column;
  for (int64_t i = firstIndex(); i < p.batch * rows; i += indexStep()) {
    int64_t matrix = i / rows, row = p.column + i % rows;
    double square = residual(&p, matrix, p.column).re, root = square > 0.0 ? __builtin_sqrt(square) : __builtin_nan("");
    Number value = {root, 0.0};
    if (row != p.column) {
      Number rest = residual(&p, matrix, row);
      value = (Number){rest.re / root, rest.im / root};
    }
    int64_t inMatrix = p.isUpper ? p.column * p.size + row : row * p.size + p.column;
    storeNumber(p.number, p.result, matrix * p.size * p.size + inMatrix, conjugateIf(p.isUpper, value));
  }
}

KERNEL void stitch_cholesky_finish(StitchCholeskyParameters p) {
  int64_t elements = p.size * p.size;
  for (int64_t i = firstIndex(); i < p.batch * elements; i += indexStep()) {
    int64_t row = i % elements / p.size, column = i % p.size;
    double last = loadNumber(p.number, p.result, (i / elements + 1) * elements - 1).re;
    int isGivenUp = p.infos && p.infos[i / elements] > 0;
    if (p.isUpper ? row > column : row < column)
      storeNumber(p.number, p.result, i, (Number){0.0, 0.0});
    else if (isGivenUp || last != last)
      storeNumber(p.number, p.result, i, (Number){__builtin_nan(""), __builtin_nan("")});
  }
}

//===----------------------------------------------------------------------===//
// Triangular solve
//===----------------------------------------------------------------------===//

/// The system M x = b of a thread.
typedef struct {
  int64_t matrix, first, stride; ///< where a begins, and x and b, whose elements are `stride` apart
  int64_t isTransposed;          ///< M, of a
} TriangularSystem;

static Number coefficient(const StitchTriangularSolveParameters *p, const TriangularSystem *s, int64_t row,
                          int64_t column) {
  int64_t inMatrix = s->isTransposed ? column * p->size + row : row * p->size + column;
  return conjugateIf(p->transposition == STITCH_LIBRARY_ADJOINT, loadNumber(p->number, p->a, s->matrix + inMatrix));
}

static void solve(const StitchTriangularSolveParameters *p, const TriangularSystem *s) {
  int isForward = (p->isUpper != 0) == (s->isTransposed != 0); // M's first row has one element
  for (int64_t step = 0; step < p->size; ++step) {
    int64_t row = isForward ? step : p->size - 1 - step;
    Number x = loadNumber(p->number, p->b, s->first + row * s->stride);
    for (int64_t before = 0; before < step; ++before) {
      int64_t k = isForward ? before : p->size - 1 - before;
      x = difference(x, product(coefficient(p, s, row, k), loadNumber(p->number, p->result, s->first + k * s->stride)));
    }
    if (!p->hasUnitDiagonal)
      x = quotient(x, coefficient(p, s, row, row));
    storeNumber(p->number, p->result, s->first + row * s->stride, x);
  }
}

KERNEL void stitch_triangular_solve(StitchTriangularSolveParameters p) {
  for (int64_t i = firstIndex(); i < p.batch * p.systems; i += indexStep()) {
    int64_t batch = i / p.systems, system = i % p.systems;
    TriangularSystem s = {
        .matrix = batch * p.size * p.size,
        .first = batch * p.size * p.systems + (p.isRight ? system * p.size : system),
        .stride = p.isRight ? 1 : p.systems,
        .isTransposed = (p.transposition != STITCH_LIBRARY_NOT_TRANSPOSED) == (p.isRight == 0),
    };
    solve(&p, &s);
  }
}

/// Of the matrices of a batch, which libraries take.
KERNEL void stitch_addresses(StitchAddressesParameters p) {
  for (int64_t i = firstIndex(); i < p.count; i += indexStep())
    ((uint64_t *)p.addresses)[i] = p.first + (uint64_t)i * p.step;
}

/// Of operands that lie anywhere.
KERNEL void stitch_address_list(StitchAddressListParameters p) {
  for (int64_t i = firstIndex(); i < p.count; i += indexStep())
    ((uint64_t *)p.to)[i] = p.addresses[i];
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

/// exp(-i x) of a small angle: Taylor's series, of which the next terms are below 2^-60 for |x| <= pi / 4.
static Number smallRotation(double x) {
  double square = x * x, cosine = 1.0, sine = 1.0;
  for (int k = 9; k >= 1; --k) {
    cosine = 1.0 - square * cosine / (double)((2 * k - 1) * (2 * k));
    sine = 1.0 - square * sine / (double)((2 * k) * (2 * k + 1));
  }
  return (Number){cosine, -x * sine};
}

/// The angle to the nearest quarter of the circle is small, and the quarters are exact.
KERNEL void stitch_roots(StitchRootsParameters p) {
  const double quarterTurn = 1.57079632679489661923;
  StitchKernelNumber complex128 = {1, 1};
  for (int64_t k = firstIndex(); k < p.points; k += indexStep()) {
    int64_t quarter = (4 * k + p.points / 2) / p.points;
    Number root = smallRotation((double)(4 * k - quarter * p.points) * (quarterTurn / (double)p.points));
    for (int64_t turn = quarter % 4; turn > 0; --turn)
      root = (Number){root.im, -root.re};
    storeNumber(complex128, p.roots, k, root);
  }
}

/// How much element k of a line contributes: in half a spectrum most elements stand for their conjugates, too.
static double weight(const StitchFourierParameters *p, int64_t k) {
  double one = p->isInverse ? 1.0 / (double)p->points : 1.0;
  return p->isHalf && k != 0 && 2 * k != p->points ? 2 * one : one;
}

KERNEL void stitch_fourier(StitchFourierParameters p) {
  StitchKernelNumber complex128 = {1, 1};
  for (int64_t i = firstIndex(); i < p.outer * p.toCount * p.inner; i += indexStep()) {
    int64_t inner = i % p.inner, n = i / p.inner % p.toCount, outer = i / p.inner / p.toCount;
    Number sum = {0.0, 0.0};
    for (int64_t k = 0, turn = 0; k < p.fromCount; ++k, turn = (turn + n) % p.points) {
      Number x = loadNumber(p.fromNumber, p.from, (outer * p.fromCount + k) * p.inner + inner);
      Number term = product(x, conjugateIf(p.isInverse, loadNumber(complex128, p.roots, turn)));
      sum.re += term.re * weight(&p, k);
      sum.im += term.im * weight(&p, k);
    }
    storeNumber(p.toNumber, p.to, i, sum);
  }
}

/// Whether the conjugate of element `index` of half a spectrum is in the same half: its last coordinate is its own
/// mirror image.
static int isShared(const StitchSpectrumParameters *p, int64_t index) {
  int64_t last = p->sizes[p->rank - 1], column = index % (last / 2 + 1);
  return column == 0 || 2 * column == last;
}

/// Where that conjugate is.
static int64_t mirrored(const StitchSpectrumParameters *p, int64_t index) {
  int64_t half = p->sizes[p->rank - 1] / 2 + 1, rest = index / half, result = index % half, stride = half;
  for (int64_t i = p->rank - 2; i >= 0; rest /= p->sizes[i], stride *= p->sizes[i], --i)
    result += (p->sizes[i] - rest % p->sizes[i]) % p->sizes[i] * stride;
  return result + rest * stride;
}

KERNEL void stitch_spectrum(StitchSpectrumParameters p) {
  StitchKernelNumber number = {1, p.isDouble};
  for (int64_t i = firstIndex(); i < p.elements; i += indexStep()) {
    Number x = loadNumber(number, p.from, i);
    if (p.isHalf && isShared(&p, i)) {
      Number y = loadNumber(number, p.from, mirrored(&p, i));
      x = (Number){(x.re + y.re) / 2.0, (x.im - y.im) / 2.0};
    }
    storeNumber(number, p.to, i, (Number){x.re / (double)p.points, x.im / (double)p.points});
  }
}

//===----------------------------------------------------------------------===//
// Between processes
//===----------------------------------------------------------------------===//

KERNEL void stitch_combine(StitchCombineParameters p) {
  for (int64_t i = firstIndex(); i < p.count; i += indexStep())
    stitchCombineElement((StitchElementType)p.type, p.combiner, p.from, p.parts, p.count, i, p.to);
}

static void tick(void *counter, void *word, uint64_t number) {
  __atomic_store_n((uint64_t *)word, ++*(uint64_t *)counter << 32 | number, __ATOMIC_RELAXED);
}

KERNEL void stitch_tick(StitchTickParameters p) {
  if (firstIndex() == 0)
    tick(p.counter, p.word, p.number);
}

/// What this GPU has written before is visible to who sees the count, and the other way round: releases and acquires of
/// the whole system. One thread does all of it.
KERNEL void stitch_signal(StitchSignalParameters p) {
  uint64_t *sequence = p.sequence, *words = p.own, *stop = p.stop;
  if (firstIndex() != 0)
    return;
  uint64_t count = *sequence + 1;
  *sequence = count;
  tick(p.counter, p.word, p.number);
  for (int64_t i = 0; i < p.members; ++i)
    __atomic_store_n((uint64_t *)p.others[i] + p.place, count, __ATOMIC_RELEASE);
  for (int64_t i = 0; i < p.members; ++i)
    while (__atomic_load_n(&words[i], __ATOMIC_ACQUIRE) < count) {
      if (__atomic_load_n(stop, __ATOMIC_RELAXED))
        return;
      waitAWhile();
    }
  tick(p.counter, p.word, p.number);
}
