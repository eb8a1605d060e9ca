//===- padding.h - tensors of the largest sizes -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of stablehlo-refine-shapes for padded=true (Astra, ASPLOS 2019, section 5.5): a tensor with open sizes
// becomes one of the largest sizes. Its first elements along each dimension, as many as the run has there (its
// *extent*), are those of the model. The others, its *padding*, are anything, and no result of the model depends on
// them. They are masked where elements along a dimension are combined. Movement along one uses the run's sizes, which
// @main has as arguments. An operation without a rule for that is an error.
//
// Where dimensions have been merged, as 4 x t has to 4 * t, a dimension consists of several *parts*, each with an
// extent and a padded size of its own. A dimension with one part at most is *plain*.
//
// The layers, each calling those above: builders, masks and layouts (padding_build.c), movement between layouts
// (padding_layout.c), rules (padding_reduction.c, padding_window.c, padding_movement.c, padding_index.c), loops
// (padding_loop.c), the table of rules (padding.c).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_REFINE_SHAPES_PADDING_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_REFINE_SHAPES_PADDING_H

#include "lowering/import/stablehlo_refine_shapes/refine.h"
#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

enum { PADDING_MAX_PARTS = 6 };

typedef struct {
  RefineSize extent;
  int64_t padded;
} PaddingPart;

/// Outermost part first; none where the size is one.
typedef struct {
  intptr_t count;
  PaddingPart parts[PADDING_MAX_PARTS];
} PaddingDim;

typedef struct {
  intptr_t rank;
  PaddingDim dims[IR_MAX_RANK];
} PaddingLayout;

/// The padding of one operation, whose results have their types.
typedef struct {
  Refiner *r;
  MlirOperation op;
  HloConversion c; ///< to read attributes with
  IrBuilder b;     ///< before `op`
} Padding;

//===----------------------------------------------------------------------===//
// Builders (padding_build.c)
//===----------------------------------------------------------------------===//

static inline bool paddingIsOpen(RefineSize size) { return !refineIsConstant(size); }
bool paddingIsOpenShape(const RefineShape *shape);
/// The largest value of a size that refineType has accepted.
int64_t paddingMost(const Refiner *r, RefineSize size);
int64_t paddingLeast(const Refiner *r, RefineSize size);

MlirType paddingType(const Padding *p, MlirType element, const IrShape *shape);
MlirValue paddingUnary(Padding *p, const char *name, MlirValue value, MlirType type);
MlirValue paddingBinary(Padding *p, const char *name, MlirValue a, MlirValue b);
MlirValue paddingCompare(Padding *p, const char *direction, MlirValue a, MlirValue b);
MlirValue paddingSelect(Padding *p, MlirValue mask, MlirValue a, MlirValue b);
/// A scalar of type `element` with the value that an attribute of this type says.
MlirValue paddingElement(Padding *p, MlirType element, MlirAttribute value);
/// A scalar of type `element`, an integer type.
MlirValue paddingInteger(Padding *p, MlirType element, int64_t value);
/// Zero (false) of any type.
MlirValue paddingZero(Padding *p, MlirType element);
/// The value of `size` in the run, a tensor<i32>.
MlirValue paddingSize(Padding *p, RefineSize size);
/// The same as a scalar of type `element`, an integer type.
MlirValue paddingSizeAs(Padding *p, RefineSize size, MlirType element);
/// A value whose dimension i becomes dimension dims[i] of `shape`.
MlirValue paddingBroadcast(Padding *p, MlirValue value, const IrShape *dims, const IrShape *shape);
MlirValue paddingSplat(Padding *p, MlirValue scalar, const IrShape *shape);
MlirValue paddingReshape(Padding *p, MlirValue value, const IrShape *shape);
/// Indices along `dim`, as i32 of `shape`.
MlirValue paddingIota(Padding *p, const IrShape *shape, intptr_t dim);
/// The same value by another name.
MlirValue paddingBarrier(Padding *p, MlirValue value);
/// `value` with `high` more elements of zero (fewer, if negative) behind the last ones along `dim`.
MlirValue paddingExtend(Padding *p, MlirValue value, intptr_t dim, int64_t high);
/// `value` from index `start` along `dim`, a tensor<i32> in bounds, `size` elements.
MlirValue paddingDynamicSlice(Padding *p, MlirValue value, intptr_t dim, MlirValue start, int64_t size);
/// Writes `update` at `start` along `dim`, in bounds.
MlirValue paddingDynamicUpdate(Padding *p, MlirValue value, MlirValue update, intptr_t dim, MlirValue start);

/// Whether an index along `dim` of a value of `shape` is less than `size`.
MlirValue paddingBelow(Padding *p, const IrShape *shape, intptr_t dim, RefineSize size);
/// `value` with `fill`, a scalar, in the padding of those dimensions in `dims` that have some.
MlirValue paddingMasked(Padding *p, MlirValue value, const IrShape *dims, MlirValue fill);

PaddingLayout paddingLayoutOf(const Refiner *r, MlirValue value);
/// Says how the elements of a value lie whose shape is known.
void paddingSetLayout(Refiner *r, MlirValue value, const PaddingLayout *layout);
bool paddingIsPlain(const PaddingLayout *layout);
bool paddingSameDim(const PaddingDim *a, const PaddingDim *b);
/// Whether `value` has padding along `dim`.
bool paddingHasPadding(const Refiner *r, MlirValue value, intptr_t dim);

//===----------------------------------------------------------------------===//
// Movement between layouts (padding_layout.c)
//===----------------------------------------------------------------------===//

/// `value` laid out with plain dimensions.
MlirValue paddingPlain(Padding *p, MlirValue value);
/// The same of operand i, in place.
void paddingPlainOperand(Padding *p, intptr_t i);
bool paddingReshapeRule(Padding *p);
/// Gives the arguments of @main, whose types and shapes are those of padded tensors, the types of the caller's tensors.
bool paddingArguments(Refiner *r);
/// The same for the results of @main.
bool paddingResults(Refiner *r);

//===----------------------------------------------------------------------===//
// Rules. They leave the operation, changed, in its place, or replace its results; false after an error.
//===----------------------------------------------------------------------===//

/// Replaces the only result by `value`, of the same shape.
bool paddingReplace(Padding *p, MlirValue value);

bool paddingReduce(Padding *p);
bool paddingDot(Padding *p);
bool paddingDotGeneral(Padding *p);
bool paddingSort(Padding *p);
bool paddingReduceWindow(Padding *p);
/// Whether a window of these sizes and paddings covers all elements up to each, or all from each on, of `extent`.
bool paddingIsCumulative(const Refiner *r, RefineSize window, RefineSize low, RefineSize high, RefineSize extent);
/// A reduce_window whose windows are like that, or of one element, and whose results have no types yet.
bool paddingCumulative(Padding *p);
bool paddingSelectAndScatter(Padding *p);
bool paddingConvolution(Padding *p);
bool paddingSlice(Padding *p);
bool paddingRealDynamicSlice(Padding *p);
bool paddingDynamicSliceRule(Padding *p);
bool paddingDynamicUpdateSlice(Padding *p);
bool paddingPad(Padding *p);
bool paddingDynamicPad(Padding *p);
bool paddingConcatenate(Padding *p);
bool paddingReverse(Padding *p);
bool paddingGather(Padding *p);
bool paddingDynamicGather(Padding *p);
bool paddingScatter(Padding *p);

//===----------------------------------------------------------------------===//
// Loops (padding_loop.c)
//===----------------------------------------------------------------------===//

/// Has a loop that counts up to an open size go round a known number of times. Its regions have been padded.
void paddingCountLoop(Refiner *r, MlirOperation op);

//===----------------------------------------------------------------------===//
// All rules (padding.c)
//===----------------------------------------------------------------------===//

/// Makes `op`, whose results have types, hold for all sizes.
bool paddingApply(Refiner *r, MlirOperation op);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_REFINE_SHAPES_PADDING_H
