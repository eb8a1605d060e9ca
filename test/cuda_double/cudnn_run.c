//===- cudnn_run.c - convolutions of the test double ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition, for all three operations: each product of an element of two tensors is added to one of the third, in
// the type that the descriptor computes in. A convolution writes over its workspace first: memory that is used for
// something else, too, does not survive it.
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/cudnn_run.h"

#include "test/cuda_double/elements.h"
#include "test/cuda_double/touches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *checkRunConvolution(const RunConvolution *run) {
  const RunTensor *x = &run->image, *w = &run->filter, *y = &run->output;
  if (run->numSpatial < 2 || run->numSpatial > 3 || x->rank != run->numSpatial + 2 || w->rank != x->rank ||
      y->rank != x->rank)
    return "ranks and spatial dimensions do not fit together";
  if (x->dims[0] != y->dims[0] || w->dims[0] != y->dims[1] || x->dims[1] % w->dims[1] != 0 ||
      w->dims[0] % (x->dims[1] / w->dims[1]) != 0)
    return "batch, features and groups do not fit together";
  for (int64_t i = 0; i < run->numSpatial; ++i) {
    int64_t window = (w->dims[2 + i] - 1) * run->dilations[i] + 1;
    int64_t room = x->dims[2 + i] + run->low[i] + run->high[i] - window;
    if (run->low[i] < 0 || run->high[i] < 0 || room < 0 || 1 + room / run->strides[i] != y->dims[2 + i])
      return "the output does not have the size that image, filter and padding give";
  }
  return NULL;
}

static bool hasLayout(const RunTensor *tensor, bool channelsLast) {
  int64_t stride = channelsLast ? tensor->dims[1] : 1;
  bool has = !channelsLast || tensor->strides[1] == 1;
  for (int64_t i = tensor->rank; i-- > 0;)
    if (!channelsLast || i != 1) {
      has = has && tensor->strides[i] == stride;
      stride *= tensor->dims[i];
    }
  return has;
}

/// Whether two tensors of the same size have the same strides, if these matter. Others are vectors, which have no
/// layout.
static bool areAlike(const RunTensor *tensor, const RunTensor *other) {
  bool alike = true;
  if (memcmp(tensor->dims, other->dims, sizeof(tensor->dims)) != 0)
    return true;
  for (int64_t i = 0; i < tensor->rank; ++i)
    alike = alike && (tensor->dims[i] == 1 || tensor->strides[i] == other->strides[i]);
  return alike;
}

bool hasOneLayout(const RunConvolution *run) {
  bool first = hasLayout(&run->image, false) && hasLayout(&run->filter, false) && hasLayout(&run->output, false);
  bool last = hasLayout(&run->image, true) && hasLayout(&run->filter, true) && hasLayout(&run->output, true);
  bool alike = true;
  for (int i = 0; i < run->numAdded; ++i)
    alike = alike && areAlike(&run->added[i], &run->output);
  return alike && (first || last);
}

static StitchElementType elementOf(cudnnDataType_t type) {
  switch (type) {
  case CUDNN_DATA_DOUBLE:
    return STITCH_ELEMENT_F64;
  case CUDNN_DATA_FLOAT:
    return STITCH_ELEMENT_F32;
  case CUDNN_DATA_HALF:
    return STITCH_ELEMENT_F16;
  case CUDNN_DATA_BFLOAT16:
    return STITCH_ELEMENT_BF16;
  case CUDNN_DATA_INT8:
    return STITCH_ELEMENT_I8;
  case CUDNN_DATA_INT32:
    return STITCH_ELEMENT_I32;
  }
  abort();
}

//===----------------------------------------------------------------------===//
// Dense copies
//===----------------------------------------------------------------------===//

static int64_t elementsOf(const RunTensor *tensor) {
  int64_t elements = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    elements *= tensor->dims[i];
  return elements;
}

/// Where element `index` of the dense tensor is.
static int64_t elementPlace(const RunTensor *tensor, int64_t index) {
  int64_t place = 0;
  for (int64_t i = tensor->rank; i-- > 0; index /= tensor->dims[i])
    place += index % tensor->dims[i] * tensor->strides[i];
  return place;
}

/// The memory of all elements; NULL if it is not device memory.
static void *memoryOf(const RunTensor *tensor) {
  size_t bytes = stitchElementBytes(elementOf(tensor->type));
  return translate(tensor->data, (size_t)(elementPlace(tensor, elementsOf(tensor) - 1) + 1) * bytes);
}

static void touchTensor(const RunTensor *tensor, bool isStore) {
  const char *memory = memoryOf(tensor);
  size_t bytes = stitchElementBytes(elementOf(tensor->type));
  for (int64_t i = 0; i < elementsOf(tensor); ++i)
    touch(memory + (size_t)elementPlace(tensor, i) * bytes, bytes, isStore);
}

static double *newDense(const RunTensor *tensor) {
  double *dense = calloc((size_t)elementsOf(tensor), sizeof(*dense));
  if (!dense)
    abort();
  return dense;
}

static double *loadDense(const RunTensor *tensor, bool roundsToTf32) {
  double *dense = newDense(tensor);
  const void *memory = memoryOf(tensor);
  for (int64_t i = 0; i < elementsOf(tensor); ++i) {
    dense[i] = loadElement(elementOf(tensor->type), memory, elementPlace(tensor, i));
    dense[i] = roundsToTf32 ? roundToTf32(dense[i]) : dense[i];
  }
  return dense;
}

static void storeDense(const RunTensor *tensor, const double *dense) {
  void *memory = memoryOf(tensor);
  for (int64_t i = 0; i < elementsOf(tensor); ++i)
    storeElement(elementOf(tensor->type), memory, elementPlace(tensor, i), dense[i]);
}

//===----------------------------------------------------------------------===//
// The definition
//===----------------------------------------------------------------------===//

/// Sets `at` to the position of the image under an element of the window at a place; false if that is padding.
static bool imagePosition(const RunConvolution *run, int64_t place, int64_t inner, int64_t *at) {
  *at = 0;
  int64_t scale = 1;
  for (int64_t i = run->numSpatial; i-- > 0;) {
    int64_t o = place % run->output.dims[2 + i], r = inner % run->filter.dims[2 + i], size = run->image.dims[2 + i];
    int64_t position = o * run->strides[i] + r * run->dilations[i] - run->low[i];
    place /= run->output.dims[2 + i];
    inner /= run->filter.dims[2 + i];
    if (position < 0 || position >= size)
      return false;
    *at += position * scale;
    scale *= size;
  }
  return true;
}

static int64_t spatialSize(const RunTensor *tensor) { return elementsOf(tensor) / tensor->dims[0] / tensor->dims[1]; }

/// Adds all products. `x`, `w` and `y` are dense; the one that is computed begins with zeros.
static void addProducts(const RunConvolution *run, double *x, double *w, double *y) {
  int64_t images = run->image.dims[0], channels = run->image.dims[1], outputs = run->filter.dims[0];
  int64_t features = run->filter.dims[1], perGroup = outputs / (channels / features);
  int64_t pixels = spatialSize(&run->image), inners = spatialSize(&run->filter), places = spatialSize(&run->output);
  bool isNarrow = run->compute == CUDNN_DATA_FLOAT;
  for (int64_t n = 0; n < images; ++n)
    for (int64_t k = 0; k < outputs; ++k)
      for (int64_t place = 0; place < places; ++place)
        for (int64_t inner = 0; inner < inners; ++inner) {
          int64_t at = 0;
          if (!imagePosition(run, place, inner, &at))
            continue;
          for (int64_t c = 0; c < features; ++c) {
            int64_t channel = k / perGroup * features + c, r = run->flipped ? inners - 1 - inner : inner;
            double *px = &x[(n * channels + channel) * pixels + at], *py = &y[(n * outputs + k) * places + place];
            double *pw = &w[(k * features + c) * inners + r];
            double *target = run->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR         ? py
                             : run->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ? px
                                                                                                         : pw;
            double sum = *target + (target == py ? *px * *pw : target == px ? *py * *pw : *px * *py);
            *target = isNarrow ? (double)(float)sum : sum;
          }
        }
}

/// The place of an element of the result in a tensor that is as large or one element wide in each dimension.
static int64_t broadcastPlace(const RunTensor *tensor, const RunTensor *result, int64_t index) {
  int64_t place = 0;
  for (int64_t i = tensor->rank; i-- > 0; index /= result->dims[i])
    place += tensor->dims[i] == 1 ? 0 : index % result->dims[i] * tensor->strides[i];
  return place;
}

static void finish(const RunConvolution *run, double *dense) {
  for (int64_t i = 0; i < elementsOf(&run->output); ++i) {
    for (int k = 0; k < run->numAdded; ++k)
      dense[i] = (double)(float)(dense[i] + loadElement(elementOf(run->added[k].type), memoryOf(&run->added[k]),
                                                        broadcastPlace(&run->added[k], &run->output, i)));
    dense[i] = run->relu && dense[i] < 0.0 ? 0.0 : dense[i];
  }
}

bool runConvolution(const RunConvolution *run) {
  const RunTensor *tensors[] = {&run->image, &run->filter, &run->output};
  const RunTensor *target = run->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR         ? &run->output
                            : run->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ? &run->image
                                                                                                        : &run->filter;
  void *workspace = run->workspaceBytes ? translate(run->workspace, run->workspaceBytes) : NULL;
  bool ok = !run->workspaceBytes || workspace;
  for (int i = 0; i < 3; ++i)
    ok = ok && memoryOf(tensors[i]);
  for (int i = 0; i < run->numAdded; ++i)
    ok = ok && memoryOf(&run->added[i]);
  if (!ok) {
    fprintf(stderr, "cuda double: an operand of a convolution is not device memory\n");
    return false;
  }
  if (workspace)
    memset(workspace, 0xff, run->workspaceBytes);
  touch(workspace, run->workspaceBytes, true);
  for (int i = 0; i < run->numAdded; ++i)
    touchTensor(&run->added[i], false);
  double *dense[3];
  for (int i = 0; i < 3; ++i)
    touchTensor(tensors[i], tensors[i] == target);
  for (int i = 0; i < 3; ++i)
    dense[i] = tensors[i] == target ? newDense(tensors[i]) : loadDense(tensors[i], run->roundsToTf32);
  addProducts(run, dense[0], dense[1], dense[2]);
  finish(run, dense[2]);
  for (int i = 0; i < 3; ++i) {
    if (tensors[i] == target)
      storeDense(target, dense[i]);
    free(dense[i]);
  }
  return true;
}

/// Whether a graph with one can be updated to the other: all but the addresses are equal.
bool sameConvolution(const RunConvolution *a, const RunConvolution *b) {
  RunConvolution first = *a, second = *b;
  first.image.data = first.filter.data = first.output.data = first.workspace = 0;
  second.image.data = second.filter.data = second.output.data = second.workspace = 0;
  first.added[0].data = first.added[1].data = second.added[0].data = second.added[1].data = 0;
  return memcmp(&first, &second, sizeof(first)) == 0;
}
