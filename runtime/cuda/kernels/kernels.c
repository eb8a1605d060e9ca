//===- kernels.c - the runtime's own kernels, for NVPTX ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to PTX, without any header of CUDA: a thread's number comes from the compiler's built-in functions. Loops
// stride over the grid, so any number of blocks is right. (A test double of the GPU compiles the same file for the CPU
// and says what a thread is.)
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/kernels.h"
#include "runtime/float_elements.h"

#ifdef __NVPTX__
#define KERNEL __attribute__((nvptx_kernel))
static int64_t firstIndex(void) {
  return (int64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
static int64_t indexStep(void) { return (int64_t)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x(); }
#else
#define KERNEL
extern _Thread_local int64_t stitchThreadIndex, stitchThreadCount;
static int64_t firstIndex(void) { return stitchThreadIndex; }
static int64_t indexStep(void) { return stitchThreadCount; }
#endif

KERNEL void stitch_pack(StitchPackParameters p);
KERNEL void stitch_dot(StitchDotParameters p);
KERNEL void stitch_convolution(StitchConvolutionParameters p);
KERNEL void stitch_epilogue(StitchEpilogueParameters p);

/// The offset of an element, whose number in row-major order is `index`.
static int64_t offsetOf(const StitchKernelAxes *axes, int64_t index) {
  int64_t offset = 0;
  for (int64_t i = axes->rank; i-- > 0; index /= axes->sizes[i])
    offset += index % axes->sizes[i] * axes->strides[i];
  return offset;
}

KERNEL void stitch_pack(StitchPackParameters p) {
  for (int64_t i = firstIndex(); i < p.count; i += indexStep()) {
    int64_t offset = offsetOf(&p.axes, i);
    if (p.elementBytes == 8)
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
// Elements
//===----------------------------------------------------------------------===//

static uint64_t loadInteger(int64_t type, const void *data, int64_t i) {
  switch (type) {
  case STITCH_ELEMENT_I8:
    return (uint64_t)(int64_t)((const int8_t *)data)[i];
  case STITCH_ELEMENT_I16:
    return (uint64_t)(int64_t)((const int16_t *)data)[i];
  case STITCH_ELEMENT_I32:
    return (uint64_t)(int64_t)((const int32_t *)data)[i];
  case STITCH_ELEMENT_I1:
  case STITCH_ELEMENT_UI8:
    return ((const uint8_t *)data)[i];
  case STITCH_ELEMENT_UI16:
    return ((const uint16_t *)data)[i];
  case STITCH_ELEMENT_UI32:
    return ((const uint32_t *)data)[i];
  default:
    return ((const uint64_t *)data)[i];
  }
}

static void storeInteger(int64_t type, void *data, int64_t i, uint64_t value) {
  switch (type) {
  case STITCH_ELEMENT_I1: // a sum of products is a disjunction of conjunctions
    ((uint8_t *)data)[i] = value != 0;
    break;
  case STITCH_ELEMENT_I8:
  case STITCH_ELEMENT_UI8:
    ((uint8_t *)data)[i] = (uint8_t)value;
    break;
  case STITCH_ELEMENT_I16:
  case STITCH_ELEMENT_UI16:
    ((uint16_t *)data)[i] = (uint16_t)value;
    break;
  case STITCH_ELEMENT_I32:
  case STITCH_ELEMENT_UI32:
    ((uint32_t *)data)[i] = (uint32_t)value;
    break;
  default:
    ((uint64_t *)data)[i] = value;
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
  int isFloat = p.resultType <= STITCH_ELEMENT_BF16;
  for (int64_t i = firstIndex(); i < p.batch * p.m * p.n; i += indexStep()) {
    Origin at = originOf(&p, i);
    if (isFloat)
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
    for (int64_t f = 0; lhs >= 0 && f < c->features; ++f) {
      double a = stitchLoadFloat(p->lhsType, p->lhs, at.lhs + lhs + f * c->lhsFeatureStride);
      double b = stitchLoadFloat(p->rhsType, p->rhs, at.rhs + rhs + f * c->rhsFeatureStride);
      if (wide)
        sum64 += a * b;
      else
        sum32 += (float)a * (float)b;
    }
  }
  return wide ? sum64 : (double)sum32;
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
  int isFloat = p.resultType <= STITCH_ELEMENT_BF16;
  for (int64_t i = firstIndex(); i < c->images * c->places * c->groups * c->outputs; i += indexStep()) {
    Target at = targetOf(c, i);
    if (isFloat)
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
    stitchEpilogueApply(&p.shape, p.bias, p.addend, p.result, i);
}
