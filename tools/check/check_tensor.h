//===- check_tensor.h - tensors with error bounds -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check evaluates a launch once more, on the same inputs, element by element in f64, and keeps the distance that a
// right kernel may have from each element: docs/error_bounds.md. Numbers are rounded where the graph rounds them, so
// that an element is the very number that correctly rounded operations give.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_CHECK_TENSOR_H
#define STITCH_TOOLS_CHECK_CHECK_TENSOR_H

#include "runtime/element_type.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { CHECK_MAX_RANK = 16 };

typedef struct {
  int64_t rank;
  int64_t dims[CHECK_MAX_RANK];
} CheckShape;

int64_t checkShapeElements(const CheckShape *shape);
/// Row-major strides, in elements.
void checkShapeStrides(const CheckShape *shape, int64_t *strides);

typedef enum { CHECK_REAL, CHECK_COMPLEX, CHECK_INTEGER } CheckClass;

/// A dense row-major tensor. `error` bounds the distance of a right result from each element. Of a complex number that
/// is the magnitude of the difference; of an i1 or integer any number but 0 says that it may differ by so much.
/// Infinite or NaN: nothing is known of the element. NULL: all elements are exact.
typedef struct {
  StitchElementType type;
  CheckShape shape;
  int64_t count;
  union {
    double *real;           ///< floats, which the type holds
    double complex *number; ///< complex numbers
    int64_t *integer;       ///< integers in the range of the type; a ui64 as its bits; i1: 0 or 1
  };
  double *error;
  double *low; ///< of floats: no right element is less, or NaN; -INFINITY: `error` says as much. NULL: of all elements
  int uses;    ///< readers that are left; the tensor is freed with the last one
} CheckTensor;

CheckClass checkClassOf(StitchElementType type);
bool checkIsUnsigned(StitchElementType type);
/// Of an element: those that count, where it takes a byte and has fewer.
int checkBits(StitchElementType type);
/// An integer modulo the type's width, in its range.
int64_t checkWrap(StitchElementType type, int64_t value);

/// The type of a complex number's parts; any other type itself.
StitchElementType checkPartType(StitchElementType type);
/// 2^-(digits of the significand) of a float type or of a complex type's parts.
double checkUnitRoundoff(StitchElementType type);
/// The type in which elements of the type are summed up: f32 for narrower floats.
StitchElementType checkAccumulator(StitchElementType type);
/// A number rounded to a float type; narrower ones than f32 by way of f32, in which they are computed.
double checkRound(StitchElementType type, double value);
/// The same without the way of f32.
double checkRoundOnce(StitchElementType type, double value);

/// A new tensor with all elements zero; `uses` is 0. NULL without memory, as all functions that return one.
CheckTensor *checkTensorCreate(StitchElementType type, const CheckShape *shape);
/// From memory as a kernel has it.
CheckTensor *checkTensorLoad(StitchElementType type, const CheckShape *shape, const void *data);
/// To memory; rounded already.
void checkTensorStore(const CheckTensor *tensor, void *data);
/// The same elements in another shape of equally many.
CheckTensor *checkTensorReshape(const CheckTensor *tensor, const CheckShape *shape);
/// Gives a tensor its errors, all zero; false without memory.
bool checkTensorAddErrors(CheckTensor *tensor);
void checkTensorFree(CheckTensor *tensor);

static inline double checkErrorAt(const CheckTensor *tensor, int64_t i) {
  return tensor->error ? tensor->error[i] : 0.0;
}
/// The least right value of a float element: by its error, or by its least value.
static inline double checkLowAt(const CheckTensor *tensor, int64_t i) {
  double low = tensor->real[i] - checkErrorAt(tensor, i);
  return tensor->low && tensor->low[i] != -INFINITY && !(low >= tensor->low[i]) ? tensor->low[i] : low;
}
/// Has a right element be `low` at least, if that is positive or zero and says more than its error does. Nothing is
/// remembered without memory: its error is true all the same.
void checkRaise(CheckTensor *tensor, int64_t i, double low);
/// Forgets it.
static inline void checkForgetLow(CheckTensor *tensor, int64_t i) {
  if (tensor->low)
    tensor->low[i] = -INFINITY;
}
/// Copies an element, with its error and least value if there are errors.
void checkCopyElement(CheckTensor *to, int64_t i, const CheckTensor *from, int64_t j);

/// Counts through the indices of a shape in row-major order.
typedef struct {
  CheckShape shape;
  int64_t index[CHECK_MAX_RANK];
} CheckOdometer;

static inline CheckOdometer checkOdometer(const CheckShape *shape) { return (CheckOdometer){.shape = *shape}; }
static inline void checkAdvance(CheckOdometer *o) {
  for (int64_t d = o->shape.rank; d-- > 0;) {
    if (++o->index[d] < o->shape.dims[d])
      return;
    o->index[d] = 0;
  }
}

#endif // STITCH_TOOLS_CHECK_CHECK_TENSOR_H
