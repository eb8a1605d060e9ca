//===- tg_long_windows.c - tg-long-windows -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window of n elements is a loop of n combinations for each element of its result. Prefixes of a sequence, which
// frameworks write as windows, take as many as the square of its length. Takes tg.reduce_window and
// tg.general_reduce_window; leaves none whose loops take several times as long as doubling does. Prefixes by a body
// become tg.general_cumulative. Others become windows of 1, 2, 4, ... elements, each of two windows of half as many,
// one of which begins behind the other. Of these, in order, the window of n is made. The body combines whole tensors
// then. Its order is that of the window, as the meaning of both operations demands no more of a body than that it is
// associative. Padding and the holes between dilated elements hold the initial value.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg_body.h"
#include "ir/graph/tg_build.h"
#include "ir/graph/tg_window.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/plan.h"
#include "passes/common/collect.h"
#include "stitch.h"

#include <math.h>
#include <stdlib.h>

enum { STATISTIC_WINDOWS };

/// So many operands have a window.
enum { MOST_VALUES = 16 };

typedef struct {
  MlirOperation op;
  intptr_t count; ///< of values that are combined together
  IrShape sizes, strides, base, dilations, low, high;
} LongWindow;

/// One element of each value, or whole tensors of them.
typedef struct {
  MlirValue values[MOST_VALUES];
} WindowValues;

static bool hasBody(const LongWindow *w) { return tgKindOf(w->op) == TG_general_reduce_window; }

static LongWindow windowOf(MlirOperation op) {
  return (LongWindow){.op = op,
                      .count = mlirOperationGetNumResults(op),
                      .sizes = irGetDims(op, "window_dimensions"),
                      .strides = irGetDims(op, "window_strides"),
                      .base = irGetDims(op, "base_dilations"),
                      .dilations = irGetDims(op, "window_dilations"),
                      .low = irGetDims(op, "padding_low"),
                      .high = irGetDims(op, "padding_high")};
}

//===----------------------------------------------------------------------===//
// Which windows
//===----------------------------------------------------------------------===//

/// Combinations of a window that is doubled until it has so many elements.
static int64_t stepsFor(int64_t size) {
  int64_t steps = 0;
  for (int64_t rest = size; rest > 1; rest /= 2)
    steps += 1 + rest % 2;
  return steps;
}

/// Elements of a dimension with its holes and padding.
static int64_t paddedSize(const LongWindow *w, IrShape shape, intptr_t d) {
  return (shape.dims[d] - 1) * w->base.dims[d] + 1 + w->low.dims[d] + w->high.dims[d];
}

static bool isPrefix(const LongWindow *w, int64_t *dim, bool *isBackward) {
  TgWindow window = {w->sizes, w->strides, w->base, w->dilations, w->low, w->high};
  return tgIsPrefixWindow(&window, irShapeOf(irOperand(w->op, 0)), dim, isBackward);
}

static bool isLong(MlirOperation op) {
  enum { LEAST_ELEMENTS = 64, GAIN = 4 };
  if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_WINDOW || irHasOpenSize(op))
    return false;
  LongWindow w = windowOf(op);
  if (w.count > MOST_VALUES || (hasBody(&w) && !tgIsElementwiseBody(irBody(op, 0))))
    return false;
  IrShape shape = irShapeOf(irOperand(op, 0));
  double padded = 1, steps = 0, elements = (double)irNumElements(w.sizes);
  for (intptr_t d = 0; d < shape.rank; ++d) {
    padded *= (double)paddedSize(&w, shape, d);
    steps += (double)stepsFor(w.sizes.dims[d]);
  }
  int64_t dim;
  bool isBackward;
  double loops = elements * (double)irNumElements(irShapeOf(irResult(op, 0)));
  bool gains = loops > GAIN * steps * padded || (hasBody(&w) && isPrefix(&w, &dim, &isBackward));
  return elements >= LEAST_ELEMENTS && gains;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Applies the body to two tensors, element by element.
static WindowValues bodyOf(IrBuilder *b, const LongWindow *w, const WindowValues *first, const WindowValues *second) {
  MlirValue arguments[2 * MOST_VALUES];
  WindowValues combined;
  for (intptr_t i = 0; i < w->count; ++i) {
    arguments[i] = first->values[i];
    arguments[w->count + i] = second->values[i];
  }
  tgApplyBody(b, irBody(w->op, 0), arguments, irShapeOf(first->values[0]), combined.values);
  return combined;
}

static WindowValues combineWindows(IrBuilder *b, const LongWindow *w, const WindowValues *first,
                                   const WindowValues *second) {
  static const char *const names[] = {
      [TG_REDUCE_ADD] = "tg.add", [TG_REDUCE_MUL] = "tg.mul", [TG_REDUCE_MIN] = "tg.min", [TG_REDUCE_MAX] = "tg.max",
      [TG_REDUCE_AND] = "tg.and", [TG_REDUCE_OR] = "tg.or",   [TG_REDUCE_XOR] = "tg.xor"};
  if (hasBody(w))
    return bodyOf(b, w, first, second);
  return (WindowValues){{tgBinary(b, names[irGetInt(w->op, "kind", 0)], first->values[0], second->values[0])}};
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

/// Bits of the least or the largest integer.
static uint64_t extremeBits(MlirType type, bool isLargest) {
  uint32_t width = mlirIntegerTypeGetWidth(type);
  uint64_t all = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, sign = UINT64_C(1) << (width - 1);
  bool isUnsigned = irIsUnsigned(type) || width == 1;
  return isLargest ? (isUnsigned ? all : all ^ sign) : (isUnsigned ? 0 : sign);
}

/// The padding of a window that has a kind: a neutral scalar.
static MlirValue identityOf(IrBuilder *b, TgReduceKind kind, MlirType type) {
  MlirType element = irElementType(type);
  bool isInteger = mlirTypeIsAInteger(element);
  switch (kind) {
  case TG_REDUCE_MUL:
    return tgSplat(b, type, 1);
  case TG_REDUCE_MIN:
    return isInteger ? tgSplatBits(b, type, extremeBits(element, true)) : tgSplat(b, type, INFINITY);
  case TG_REDUCE_MAX:
    return isInteger ? tgSplatBits(b, type, extremeBits(element, false)) : tgSplat(b, type, -INFINITY);
  case TG_REDUCE_AND:
    return tgSplatBits(b, type, UINT64_MAX);
  default:
    return tgSplat(b, type, 0);
  }
}

//===----------------------------------------------------------------------===//
// Doubling
//===----------------------------------------------------------------------===//

static MlirValue padded(IrBuilder *b, const LongWindow *w, MlirValue value, MlirValue padding) {
  IrShape shape = irShapeOf(value), interior = {shape.rank, {0}}, result = {shape.rank, {0}};
  for (intptr_t d = 0; d < shape.rank; ++d) {
    interior.dims[d] = w->base.dims[d] - 1;
    result.dims[d] = paddedSize(w, shape, d);
  }
  return irValueOf(b, "tg.pad", IR_VALUES(value, padding), tgWithShape(mlirValueGetType(value), result),
                   IR_ATTRS(irDims(b, "low", shape.rank, w->low.dims), irDims(b, "high", shape.rank, w->high.dims),
                            irDims(b, "interior", shape.rank, interior.dims)));
}

/// `count` elements of a dimension, from `start` on.
static WindowValues part(IrBuilder *b, const LongWindow *w, const WindowValues *all, intptr_t d, int64_t start,
                         int64_t count) {
  WindowValues some;
  for (intptr_t i = 0; i < w->count; ++i) {
    bool isWhole = start == 0 && irShapeOf(all->values[i]).dims[d] == count;
    some.values[i] = isWhole ? all->values[i] : tgSlice(b, all->values[i], d, start, start + count);
  }
  return some;
}

/// Windows of `first` with, behind each, at a distance along a dimension, one of `second`.
static WindowValues behind(IrBuilder *b, const LongWindow *w, const WindowValues *first, const WindowValues *second,
                           intptr_t d, int64_t distance) {
  int64_t size = irShapeOf(second->values[0]).dims[d] - distance;
  WindowValues x = part(b, w, first, d, 0, size), y = part(b, w, second, d, distance, size);
  return combineWindows(b, w, &x, &y);
}

/// The windows along one dimension, from each of its elements on that has all of its window.
static WindowValues along(IrBuilder *b, const LongWindow *w, WindowValues elements, intptr_t d) {
  int64_t size = w->sizes.dims[d], step = w->dilations.dims[d], done = 0;
  WindowValues all = elements, doubled = elements;
  for (int64_t length = 1; length <= size; length *= 2) {
    if (length > 1)
      doubled = behind(b, w, &doubled, &doubled, d, length / 2 * step);
    if (!(size & length))
      continue;
    all = done == 0 ? doubled : behind(b, w, &all, &doubled, d, done * step);
    done += length;
  }
  return all;
}

/// Those that the strides take, of all windows.
static MlirValue strided(IrBuilder *b, const LongWindow *w, MlirValue value, IrShape result) {
  IrShape shape = irShapeOf(value), starts = {shape.rank, {0}};
  if (irShapesEqual(shape, result))
    return value;
  return tgStridedSlice(b, value, starts, shape, w->strides);
}

/// The combined values, in the type of the sums.
static MlirValue input(IrBuilder *b, const LongWindow *w, intptr_t i) {
  MlirValue value = irOperand(w->op, i);
  return hasBody(w) ? value : tgConvert(b, value, planAccumulatorType(irElementTypeOf(value)));
}

/// The initial value, a scalar.
static MlirValue initial(IrBuilder *b, const LongWindow *w, MlirValue value, intptr_t i) {
  if (hasBody(w))
    return irOperand(w->op, w->count + i);
  MlirType scalar = tgWithShape(mlirValueGetType(value), (IrShape){0});
  return identityOf(b, (TgReduceKind)irGetInt(w->op, "kind", 0), scalar);
}

//===----------------------------------------------------------------------===//
// Prefixes
//===----------------------------------------------------------------------===//

/// Whether the initial values, combined with themselves, are constants that do not change.
static bool initsStay(const LongWindow *w) {
  MlirAttribute inits[2 * MOST_VALUES], combined[MOST_VALUES];
  for (intptr_t i = 0; i < w->count; ++i) {
    MlirOperation op = irDefiningOp(irOperand(w->op, w->count + i));
    if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant)
      return false;
    inits[i] = inits[w->count + i] = irGetAttr(op, "value");
  }
  tgFoldBody(irBody(w->op, 0), inits, combined);
  for (intptr_t i = 0; i < w->count; ++i)
    if (!mlirAttributeEqual(combined[i], inits[i]))
      return false;
  return true;
}

/// Combinations of all elements up to each one, or from each one on, in the order of memory in both cases. The values
/// `inits` come before the first or behind the last, unless they are NULL.
static WindowValues prefixes(IrBuilder *b, const LongWindow *w, const WindowValues *elements, const WindowValues *inits,
                             int64_t dim, bool isBackward) {
  MlirOperation op =
      tgGeneralCumulative(b, w->count, elements->values, inits ? inits->values : NULL, w->count, dim, isBackward);
  MlirBlock body = irBody(op, 0);
  IrBuilder inside = irBuilderAtEnd(body, b->loc);
  WindowValues soFar, element, combined;
  for (intptr_t i = 0; i < w->count; ++i) {
    soFar.values[i] = mlirBlockGetArgument(body, i);
    element.values[i] = mlirBlockGetArgument(body, w->count + i);
    combined.values[i] = irResult(op, i);
  }
  WindowValues yielded = isBackward ? bodyOf(&inside, w, &element, &soFar) : bodyOf(&inside, w, &soFar, &element);
  irOp(&inside, "tg.yield", (IrValues){w->count, yielded.values}, IR_NO_TYPES, IR_NO_ATTRS);
  return combined;
}

/// The values of `first` at position 0 of a dimension, of `others` elsewhere.
static WindowValues firstOr(IrBuilder *b, const LongWindow *w, const WindowValues *first, const WindowValues *others,
                            int64_t dim) {
  WindowValues chosen;
  for (intptr_t i = 0; i < w->count; ++i) {
    MlirType type = mlirValueGetType(others->values[i]);
    MlirType indices = tgWithElement(type, mlirIntegerTypeGet(b->context, 32));
    MlirValue isFirst = tgCompare(b, TG_EQ, tgIota(b, indices, dim), tgSplat(b, indices, 0));
    chosen.values[i] = tgSelect(b, isFirst, first->values[i], others->values[i]);
  }
  return chosen;
}

/// A window has the initial values once at its beginning, and once for each element of padding. `w` has a body.
static WindowValues prefixWindows(IrBuilder *b, const LongWindow *w, int64_t dim, bool isBackward) {
  WindowValues elements, inits, all;
  bool stay = initsStay(w);
  for (intptr_t i = 0; i < w->count; ++i) {
    elements.values[i] = irOperand(w->op, i);
    inits.values[i] = irOperand(w->op, w->count + i);
    all.values[i] = tgBroadcast(b, inits.values[i], mlirValueGetType(elements.values[i]), (IrShape){0});
  }
  if (stay && !isBackward)
    return prefixes(b, w, &elements, &inits, dim, false);
  WindowValues own = prefixes(b, w, &elements, NULL, dim, isBackward);
  if (!isBackward) {
    WindowValues before = prefixes(b, w, &all, NULL, dim, true);
    return bodyOf(b, w, &before, &own);
  }
  WindowValues behind = stay ? all : prefixes(b, w, &all, NULL, dim, false); // one more than there is padding
  for (intptr_t i = 0; i < w->count && !stay; ++i) {
    int64_t size = irShapeOf(all.values[i]).dims[dim];
    MlirValue first = tgSlice(b, all.values[i], dim, 0, 1), rest = tgSlice(b, behind.values[i], dim, 0, size - 1);
    behind.values[i] = tgConcatenate(b, IR_VALUES(first, rest), dim);
  }
  WindowValues padded = bodyOf(b, w, &own, &behind);
  padded = firstOr(b, w, &own, &padded, dim);
  return bodyOf(b, w, &all, &padded);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The windows by doubling.
static WindowValues doubledWindows(IrBuilder *b, const LongWindow *w) {
  WindowValues initials, windows, first;
  for (intptr_t i = 0; i < w->count; ++i) {
    MlirValue value = input(b, w, i);
    initials.values[i] = initial(b, w, value, i);
    windows.values[i] = padded(b, w, value, initials.values[i]);
  }
  for (intptr_t d = w->sizes.rank; d-- > 0;)
    windows = along(b, w, windows, d);
  for (intptr_t i = 0; i < w->count; ++i)
    windows.values[i] = strided(b, w, windows.values[i], irShapeOf(irResult(w->op, i)));
  for (intptr_t i = 0; i < w->count; ++i)
    first.values[i] = tgBroadcast(b, initials.values[i], mlirValueGetType(windows.values[i]), (IrShape){0});
  if (hasBody(w))
    windows = bodyOf(b, w, &first, &windows);
  return windows;
}

/// Opens a long window.
static void open(MlirOperation op) {
  LongWindow w = windowOf(op);
  IrBuilder b = irBuilderBefore(op);
  int64_t dim;
  bool isBackward;
  long long elements = (long long)irNumElements(w.sizes);
  WindowValues windows;
  if (hasBody(&w) && isPrefix(&w, &dim, &isBackward)) {
    stitchRemark(op, "windows of %lld elements that are prefixes of lines: it is made a cumulative operation",
                 elements);
    windows = prefixWindows(&b, &w, dim, isBackward);
  } else {
    stitchRemark(op, "a window of %lld elements: it is made of windows of 1, 2, 4, ... elements", elements);
    windows = doubledWindows(&b, &w);
  }
  for (intptr_t i = 0; i < w.count; ++i)
    mlirValueReplaceAllUsesOfWith(irResult(op, i), tgConvert(&b, windows.values[i], irElementTypeOf(irResult(op, i))));
  mlirOperationDestroy(op);
}

static void runLongWindows(StitchPassRun run, MlirOperation module) {
  Operations found = collectOperations(module, isLong, MlirWalkPreOrder);
  for (intptr_t i = 0; i < found.count; ++i) {
    open(found.data[i]);
    stitchPassAddStatistic(run, STATISTIC_WINDOWS, 1);
  }
  free(found.data);
}

static const StitchPassStatistic statistics[] = {{"windows", "windows that are made by doubling"}};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgLongWindowsPass = {
    .argument = "tg-long-windows",
    .description = "Make long windows of windows of half as many elements",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runLongWindows,
};
