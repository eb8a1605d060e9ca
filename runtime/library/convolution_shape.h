//===- convolution_shape.h - where a convolution's elements are ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each image and group, with places of the result and elements of a window:
//
//   result[image, group, place, output] = sum over inner, feature of
//       lhs[image, group, place, inner, feature] * rhs[group, inner, feature, output]
//
// A batch of groups (batch_group_count) differs from groups of features only in where a group's windows lie: in other
// images instead of other features. The functions are also compiled for GPUs: no C library.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CONVOLUTION_SHAPE_H
#define STITCH_RUNTIME_LIBRARY_CONVOLUTION_SHAPE_H

#include <stdint.h>

enum { STITCH_CONVOLUTION_MAX_SPATIAL = 14 };

/// One spatial dimension. Strides are in elements.
typedef struct {
  int64_t lhsSize, rhsSize, resultSize;
  int64_t lhsStride, rhsStride, resultStride;
  int64_t step, low, lhsDilation, rhsDilation;
  int64_t reversed; ///< 0 or 1
} StitchConvolutionSpatial;

typedef struct {
  StitchConvolutionSpatial spatial[STITCH_CONVOLUTION_MAX_SPATIAL];
  int64_t numSpatial;
  int64_t groups, images;         ///< images of one group
  int64_t features, outputs;      ///< of one group
  int64_t places, windowElements; ///< of the result's spatial dimensions; of a window, without features
  int64_t lhsImageStride, lhsGroupStride, lhsFeatureStride;
  int64_t rhsFeatureStride, rhsOutputStride;
  int64_t resultImageStride, resultOutputStride;
} StitchConvolutionShape;

/// Takes the last position out of a number that counts positions in row-major order.
static inline int64_t stitchTakePosition(int64_t *number, int64_t size) {
  int64_t position = *number % size;
  *number /= size;
  return position;
}

/// The offset of the element of lhs under element `inner` of the window at `place`; -1 in the padding or between
/// dilated elements.
static inline int64_t stitchConvolutionLhsOffset(const StitchConvolutionShape *c, int64_t place, int64_t inner) {
  int64_t offset = 0;
  for (int64_t i = c->numSpatial; i-- > 0;) {
    const StitchConvolutionSpatial *s = &c->spatial[i];
    int64_t at = stitchTakePosition(&place, s->resultSize) * s->step - s->low;
    at += stitchTakePosition(&inner, s->rhsSize) * s->rhsDilation;
    if (at < 0 || at % s->lhsDilation != 0 || at / s->lhsDilation >= s->lhsSize)
      return -1;
    offset += at / s->lhsDilation * s->lhsStride;
  }
  return offset;
}

static inline int64_t stitchConvolutionRhsOffset(const StitchConvolutionShape *c, int64_t inner) {
  int64_t offset = 0;
  for (int64_t i = c->numSpatial; i-- > 0;) {
    const StitchConvolutionSpatial *s = &c->spatial[i];
    int64_t at = stitchTakePosition(&inner, s->rhsSize);
    offset += (s->reversed ? s->rhsSize - 1 - at : at) * s->rhsStride;
  }
  return offset;
}

static inline int64_t stitchConvolutionResultOffset(const StitchConvolutionShape *c, int64_t place) {
  int64_t offset = 0;
  for (int64_t i = c->numSpatial; i-- > 0;)
    offset += stitchTakePosition(&place, c->spatial[i].resultSize) * c->spatial[i].resultStride;
  return offset;
}

#endif // STITCH_RUNTIME_LIBRARY_CONVOLUTION_SHAPE_H
