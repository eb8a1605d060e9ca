//===- cuda_convolution.c - tg.convolution on a GPU -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuDNN gets operands in one of the three forms of convolution_form.h, all of them dense and in one layout: with the
// features first or last. It would take other strides, too, and compute something else. Operands in that layout are
// used without a copy; others are packed into the workspace first. A result in another layout is computed there and
// copied to its tensor. A convolution without a form, or without a plan that rounds as it should, goes through a kernel
// of our own, which is right and slow.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/call.h"
#include "runtime/cuda/cudnn_plan.h"
#include "runtime/library/cpu_convolution.h"
#include "runtime/library/cpu_epilogue.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LHS, RHS, RESULT };

enum { MAX_PLANS = 8, KEY_BYTES = 768 };

/// Plans may use this much memory.
static const size_t maxWorkspace = (size_t)256 << 20;

/// A convolution, planned: a call of it only enqueues.
typedef struct {
  StitchCudaCalls *calls;
  StitchLibraryProblem problem;
  StitchConvolutionShape shape;
  StitchElementType types[3]; ///< of lhs, rhs, result
  StitchConvolutionForm form;
  StitchCudnnEpilogue epilogue; ///< the part of the problem's epilogue that the plans compute: all or nothing
  StitchFormPacking packing;    ///< how the operands become those of the form
  StitchCudnnPool pool;         ///< the graph and its plans
  StitchCudnnPlan plans[MAX_PLANS];
  int numPlans; ///< 0: the kernel of our own computes it
  int chosen;
  StitchCudnnPool packs; ///< one description of the data of the last call
  cudnnBackendDescriptor_t pack;
  StitchCudnnData packed; ///< the packed operand
} CudaConvolution;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Looks for plans of the form with an epilogue; leaves none if cuDNN has none.
static StitchStatus planForm(CudaConvolution *c, const StitchCudnnEpilogue *epilogue) {
  StitchCudaCalls *calls = c->calls;
  StitchCudnnRules rules = {
      .tensorCores = calls->tf32 || c->types[0] != STITCH_ELEMENT_F32,
      .maxWorkspace = maxWorkspace,
  };
  c->epilogue = *epilogue;
  cudnnBackendDescriptor_t graph = NULL;
  StitchStatus status = stitchCudnnConvolutionGraph(&c->pool, &c->form, epilogue, &graph);
  if (!status)
    status = stitchCudnnFindPlans(&c->pool, graph, &rules, calls->alternatives ? MAX_PLANS : 1, c->plans, &c->numPlans);
  if (c->numPlans)
    return status;
  stitchCudnnPoolShrink(&c->pool, 0);
  c->epilogue = (StitchCudnnEpilogue){.relu = false};
  if (stitchStatusCode(status) != STITCH_UNIMPLEMENTED)
    return status;
  stitchStatusFree(status); // cuDNN does not have the operation in this form
  return NULL;
}

static StitchStatus planForms(CudaConvolution *c, const StitchLibraryProblem *problem) {
  StitchConvolutionForm forms[3];
  int count = stitchConvolutionForms(problem, forms);
  StitchStatus status = count ? stitchCudaCallsOpenDnn(c->calls) : NULL;
  c->pool.dnn = c->packs.dnn = &c->calls->dnn;
  const StitchLibraryEpilogue *e = &problem->epilogue;
  const StitchCudnnEpilogue none = {.relu = false};
  const StitchCudnnEpilogue all = {
      .addend = e->hasAddend, .bias = e->hasBias, .relu = e->activation == STITCH_LIBRARY_RELU};
  for (int i = 0; i < count && c->numPlans == 0 && !status; ++i) {
    c->form = forms[i];
    stitchConvolutionFormPack(&c->form, &c->packing);
    // The addend is where the result will be, and so it does not have the layout of a packed one.
    bool fits = c->form.operation == STITCH_CONVOLUTION_FORWARD && !(e->hasAddend && c->packing.isPacked[RESULT]);
    if (stitchEpilogueExists(problem) && fits)
      status = planForm(c, &all);
    if (c->numPlans == 0 && !status)
      status = planForm(c, &none);
  }
  return status;
}

static void destroyConvolution(void *call) {
  CudaConvolution *c = call;
  if (!c)
    return;
  stitchCudnnPoolDestroy(&c->packs);
  stitchCudnnPoolDestroy(&c->pool);
  free(c);
}

static int64_t countResults(const StitchConvolutionShape *shape) {
  return shape->images * shape->places * shape->groups * shape->outputs;
}

/// A sum of nothing.
static bool convolutionIsEmpty(const StitchConvolutionShape *shape) {
  return shape->windowElements * shape->features == 0;
}

/// An invariant one is computed by a kernel of our own: cuDNN takes its algorithms by the number of images.
static StitchStatus createConvolution(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **result) {
  CudaConvolution *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  c->calls = calls;
  c->problem = *problem;
  StitchEpilogueShape epilogue;
  StitchStatus status = stitchConvolutionShapeOf(problem, &c->shape);
  if (!status)
    status = stitchEpilogueShapeOf(problem, &epilogue);
  for (int i = 0; i < 3; ++i)
    c->types[i] = problem->operands[i].type;
  if (!status && countResults(&c->shape) && !convolutionIsEmpty(&c->shape) &&
      stitchCudnnHasConvolution(c->types[0], c->types[1], c->types[2]) && !problem->isInvariant)
    status = planForms(c, problem);
  if (status)
    destroyConvolution(c);
  else
    *result = c;
  return status;
}

/// Of the plans; packed operands lie behind it, one behind the other.
static size_t planBytes(const CudaConvolution *c) {
  size_t bytes = 0;
  for (int i = 0; i < c->numPlans; ++i)
    bytes = c->plans[i].workspaceBytes > bytes ? c->plans[i].workspaceBytes : bytes;
  return stitchCudaAligned(bytes);
}

/// Of an operand's copy.
static size_t packedBytes(const CudaConvolution *c, int i) {
  const StitchFormTensor *operand = &c->form.operands[i];
  if (c->numPlans == 0 || !c->packing.isPacked[i])
    return 0;
  return stitchCudaAligned((size_t)stitchFormElements(operand) * stitchElementBytes(operand->type));
}

static size_t convolutionWorkspaceBytes(const void *call) {
  const CudaConvolution *c = call;
  size_t bytes = planBytes(c);
  for (int i = 0; i < 3; ++i)
    bytes += packedBytes(c, i);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void addAxis(StitchKernelAxes *axes, int64_t size, int64_t stride) {
  axes->sizes[axes->rank] = size;
  axes->strides[axes->rank++] = stride;
}

/// The elements of `from` in the order in which those of `to`, which is dense, are in memory.
static StitchKernelAxes axesOf(const StitchFormTensor *from, const StitchFormTensor *to) {
  int64_t order[STITCH_FORM_MAX_RANK]; // dimensions, outermost first
  for (int64_t i = 0; i < to->rank; ++i) {
    int64_t at = i;
    for (; at > 0 && to->strides[order[at - 1]] < to->strides[i]; --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  StitchKernelAxes axes = {.rank = 0};
  for (int64_t i = 0; i < to->rank; ++i) {
    int64_t dim = order[i], groups = dim == 0 ? from->groups : 1;
    if (groups > 1)
      addAxis(&axes, groups, from->groupStride);
    addAxis(&axes, from->dims[dim] / groups, from->strides[dim]);
  }
  return axes;
}

static void *operandElements(const StitchFormTensor *tensor, void *operand) {
  return (char *)operand + (ptrdiff_t)(tensor->offset * (int64_t)stitchElementBytes(tensor->type));
}

/// Enqueues copying the elements of one description of an operand to where another one has them.
static StitchStatus copyOperand(const CudaConvolution *c, const StitchFormTensor *from, void *source,
                                const StitchFormTensor *to, void *target, CUstream stream) {
  StitchKernelAxes axes = axesOf(from, to);
  return stitchOwnKernelsPack(&c->calls->kernels, &axes, stitchElementBytes(from->type), operandElements(from, source),
                              operandElements(to, target), stream);
}

static StitchStatus callKernel(const CudaConvolution *c, void *const *pointers, CUstream stream) {
  StitchConvolutionParameters parameters = {
      .lhs = pointers[LHS],
      .rhs = pointers[RHS],
      .result = pointers[RESULT],
      .lhsType = c->types[LHS],
      .rhsType = c->types[RHS],
      .resultType = c->types[RESULT],
      .shape = c->shape,
  };
  return stitchOwnKernelsLaunch(&c->calls->kernels, STITCH_OWN_CONVOLUTION, countResults(&c->shape), &parameters,
                                stream);
}

static void addData(StitchCudnnData *data, int64_t id, void *pointer) {
  data->ids[data->count] = id;
  data->pointers[data->count++] = pointer;
}

/// Describes the data of a call, unless the last one had the same.
static StitchStatus describeData(CudaConvolution *c, const StitchCudnnData *data) {
  if (c->pack && memcmp(data, &c->packed, sizeof(*data)) == 0)
    return NULL;
  stitchCudnnPoolShrink(&c->packs, 0);
  StitchStatus status = stitchCudnnPack(&c->packs, data, &c->pack);
  if (status)
    c->pack = NULL;
  c->packed = *data;
  return status;
}

/// cuDNN's convolution of operands that may have to be packed.
static StitchStatus callPlan(CudaConvolution *c, void *const *pointers, void *workspace, CUstream stream) {
  const StitchFormTensor *operands = c->form.operands, *given = c->packing.given;
  const bool *isPacked = c->packing.isPacked;
  char *packed = (char *)workspace + planBytes(c);
  StitchCudnnData data;
  memset(&data, 0, sizeof(data)); // padding too: it is compared
  data.workspace = workspace;
  for (int i = 0; i < 3; packed += packedBytes(c, i++))
    addData(&data, i, operandElements(&operands[i], isPacked[i] ? packed : pointers[i]));
  if (c->epilogue.bias)
    addData(&data, STITCH_CUDNN_BIAS_ID, pointers[stitchEpilogueBias(&c->problem)]);
  if (c->epilogue.addend)
    addData(&data, STITCH_CUDNN_ADDEND_ID, pointers[stitchEpilogueAddend(&c->problem)]);
  StitchStatus status = describeData(c, &data);
  for (int i = 0; i < RESULT && !status; ++i)
    if (isPacked[i])
      status = copyOperand(c, &given[i], pointers[i], &operands[i], data.pointers[i], stream);
  if (!status)
    status = stitchCudnnExecute(&c->calls->dnn, &c->plans[c->chosen], c->pack, stream);
  if (!status && isPacked[RESULT])
    status = copyOperand(c, &operands[RESULT], data.pointers[RESULT], &given[RESULT], pointers[RESULT], stream);
  return status;
}

static StitchStatus executeConvolution(void *call, void *const *pointers, void *workspace, CUstream stream) {
  CudaConvolution *c = call;
  int64_t results = countResults(&c->shape);
  StitchStatus status = NULL;
  if (results == 0)
    return NULL;
  if (convolutionIsEmpty(&c->shape)) // zero is all zero bits in every type
    status = CUDA_CALL(c->calls->cuda, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)pointers[RESULT], 0,
                       (size_t)results * stitchElementBytes(c->types[RESULT]), stream);
  else if (c->numPlans == 0)
    status = callKernel(c, pointers, stream);
  else
    status = callPlan(c, pointers, workspace, stream);
  bool isDone = c->epilogue.addend || c->epilogue.bias || c->epilogue.relu;
  if (!status && stitchEpilogueExists(&c->problem) && !isDone)
    status = stitchOwnKernelsEpilogue(&c->calls->kernels, &c->problem, pointers, stream);
  return status;
}

static bool convolutionIsOwn(const void *call) {
  const CudaConvolution *c = call;
  return c->numPlans == 0 && countResults(&c->shape) && !convolutionIsEmpty(&c->shape);
}

static int64_t numVersions(const void *call) { return ((const CudaConvolution *)call)->numPlans; }

static void nameVersion(const void *call, int64_t version, char *name, size_t size) {
  (void)call;
  snprintf(name, size, "plan_%d", (int)version);
}

static void useVersion(void *call, int64_t version) { ((CudaConvolution *)call)->chosen = (int)version; }

const StitchCudaCallKind stitchCudaConvolution = {
    .name = "convolution",
    .create = createConvolution,
    .workspaceBytes = convolutionWorkspaceBytes,
    .execute = executeConvolution,
    .destroy = destroyConvolution,
    .isOwn = convolutionIsOwn,
    .numVersions = numVersions,
    .nameVersion = nameVersion,
    .useVersion = useVersion,
};
