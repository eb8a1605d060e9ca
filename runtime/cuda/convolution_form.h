//===- convolution_form.h - a tg.convolution as an operation of cuDNN ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuDNN has three operations on an image x, a filter w and an output y of the convolution y = x * w. They are the
// convolution itself, its gradient by the image, and its gradient by the filter. A tg.convolution can be each of them:
//
//   operation image filter output use
//   forward          lhs      rhs      result
//   data gradient    result   rhs      lhs      a dilated lhs (a transposed convolution)
//   filter gradient  lhs      result   rhs      a kernel larger than the result; groups of the batch
//
// A gradient's strides, padding and dilation are those of the convolution that it is the gradient of.
//
// cuDNN takes any strides and computes something else for most of them, silently. So all three operands have to be
// dense, and in the same one of two layouts; those that are not become copies that are.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CONVOLUTION_FORM_H
#define STITCH_RUNTIME_CUDA_CONVOLUTION_FORM_H

#include "runtime/library/cpu_library.h"

#include <stdbool.h>

typedef enum {
  STITCH_CONVOLUTION_FORWARD,
  STITCH_CONVOLUTION_DATA_GRADIENT,
  STITCH_CONVOLUTION_FILTER_GRADIENT,
} StitchConvolutionOperation;

enum { STITCH_FORM_MAX_SPATIAL = 3, STITCH_FORM_MAX_RANK = 2 + STITCH_FORM_MAX_SPATIAL };

/// How the elements of a dense tensor are ordered: as its dimensions are (NCHW, KCRS), or with features last (NHWC,
/// KRSC).
typedef enum { STITCH_CHANNELS_FIRST, STITCH_CHANNELS_LAST } StitchFormLayout;

/// An operand in cuDNN's order of dimensions: batch, features, spatial ones; of a filter: output features, input
/// features of a group, spatial ones. Strides are in elements; element 0 is `offset` elements behind the operand's.
typedef struct {
  StitchElementType type;
  int64_t rank;
  int64_t dims[STITCH_FORM_MAX_RANK], strides[STITCH_FORM_MAX_RANK];
  int64_t offset;
  /// More than 1: dims[0] is so many groups, `groupStride` apart, of elements strides[0] apart, which no strides say.
  int64_t groups, groupStride;
} StitchFormTensor;

typedef struct {
  StitchConvolutionOperation operation;
  int image, filter, output;    ///< which operand is which
  StitchFormTensor operands[3]; ///< lhs, rhs, result
  int64_t numSpatial;           ///< 2 or 3
  int64_t strides[STITCH_FORM_MAX_SPATIAL], dilations[STITCH_FORM_MAX_SPATIAL];
  int64_t paddingLow[STITCH_FORM_MAX_SPATIAL], paddingHigh[STITCH_FORM_MAX_SPATIAL];
  bool flipped; ///< the filter is: a convolution in the mathematical sense, not a cross-correlation
} StitchConvolutionForm;

/// Which operands of a form are copies, and the form of the originals. The result is the other way round: computed as
/// the form has it, then copied to where it is given.
typedef struct {
  bool isPacked[3];
  StitchFormTensor given[3];
} StitchFormPacking;

/// Describes a problem as `operation`; false if it cannot be one. The problem has been checked
/// (stitchConvolutionCheck), and its result is not empty.
bool stitchConvolutionFormOf(const StitchLibraryProblem *problem, StitchConvolutionOperation operation,
                             StitchConvolutionForm *form);

/// The operations that a problem can be described as, those first that suit it best. Returns their number.
int stitchConvolutionForms(const StitchLibraryProblem *problem, StitchConvolutionForm forms[3]);

/// Gives all operands of a form, which are as the problem has them, one layout: that in which the fewest bytes have to
/// be packed.
void stitchConvolutionFormPack(StitchConvolutionForm *form, StitchFormPacking *packing);

/// Whether the tensor is dense and has the layout. Strides of dimensions of one element do not matter, so it may have
/// both.
bool stitchFormHasLayout(const StitchFormTensor *tensor, StitchFormLayout layout);

int64_t stitchFormElements(const StitchFormTensor *tensor);

#endif // STITCH_RUNTIME_CUDA_CONVOLUTION_FORM_H
