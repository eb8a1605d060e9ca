//===- convolution.c - tg.convolution on a GPU ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuDNN gets operands where they are, with their strides, in one of the three forms of convolution_form.h. A filter
// that no strides describe is packed first. What has no form, or no plan that rounds as it should, goes through a
// kernel of our own, which is right and slow.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/convolution.h"
#include "runtime/cuda/call.h"
#include "runtime/cuda/cudnn_plan.h"
#include "runtime/library/epilogue.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  StitchCudnnEpilogue epilogue; ///< what the plans do of the problem's: all or nothing
  StitchFormTensor unpacked;    ///< the filter before it is packed
  size_t packedBytes;           ///< 0: it is not
  StitchCudnnPool pool;         ///< the graph and its plans
  StitchCudnnPlan plans[MAX_PLANS];
  int numPlans; ///< 0: the kernel of our own computes it
  int chosen;
  StitchCudnnPool packs; ///< one description of the data of the last call
  cudnnBackendDescriptor_t pack;
  StitchCudnnData packed; ///< what it describes
} Convolution;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Looks for plans of a form and an epilogue; leaves none if cuDNN has none.
static StitchStatus planForm(Convolution *c, const StitchConvolutionForm *form, const StitchCudnnEpilogue *epilogue) {
  StitchCudaCalls *calls = c->calls;
  StitchCudnnRules rules = {
      .tensorCores = calls->tf32 || c->types[0] != STITCH_ELEMENT_F32,
      .maxWorkspace = maxWorkspace,
  };
  c->form = *form;
  c->epilogue = *epilogue;
  const StitchFormTensor *filter = &c->form.operands[form->filter];
  if (stitchConvolutionFormPack(&c->form, &c->unpacked))
    c->packedBytes = stitchCudaAligned((size_t)stitchFormElements(filter) * stitchElementBytes(filter->type));
  cudnnBackendDescriptor_t graph = NULL;
  StitchStatus status = stitchCudnnConvolutionGraph(&c->pool, &c->form, epilogue, &graph);
  if (!status)
    status = stitchCudnnFindPlans(&c->pool, graph, &rules, calls->alternatives ? MAX_PLANS : 1, c->plans, &c->numPlans);
  if (c->numPlans)
    return status;
  stitchCudnnPoolShrink(&c->pool, 0);
  c->packedBytes = 0;
  c->epilogue = (StitchCudnnEpilogue){.relu = false};
  if (stitchStatusCode(status) != STITCH_UNIMPLEMENTED)
    return status;
  stitchStatusFree(status); // cuDNN does not have the operation in this form
  return NULL;
}

static StitchStatus planForms(Convolution *c, const StitchLibraryProblem *problem) {
  StitchConvolutionForm forms[3];
  int count = stitchConvolutionForms(problem, forms);
  StitchStatus status = count ? stitchCudaCallsOpenDnn(c->calls) : NULL;
  c->pool.dnn = c->packs.dnn = &c->calls->dnn;
  const StitchLibraryEpilogue *e = &problem->epilogue;
  const StitchCudnnEpilogue none = {.relu = false};
  const StitchCudnnEpilogue all = {
      .addend = e->hasAddend, .bias = e->hasBias, .relu = e->activation == STITCH_LIBRARY_RELU};
  for (int i = 0; i < count && c->numPlans == 0 && !status; ++i) {
    if (stitchEpilogueExists(problem) && forms[i].operation == STITCH_CONVOLUTION_FORWARD)
      status = planForm(c, &forms[i], &all);
    if (c->numPlans == 0 && !status)
      status = planForm(c, &forms[i], &none);
  }
  return status;
}

static void destroyConvolution(void *call) {
  Convolution *c = call;
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
static bool isEmpty(const StitchConvolutionShape *shape) { return shape->windowElements * shape->features == 0; }

static StitchStatus createConvolution(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **result) {
  Convolution *c = calloc(1, sizeof(*c));
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
  if (!status && countResults(&c->shape) && !isEmpty(&c->shape) &&
      stitchCudnnHasConvolution(c->types[0], c->types[1], c->types[2]))
    status = planForms(c, problem);
  if (status)
    destroyConvolution(c);
  else
    *result = c;
  return status;
}

/// Of the plans; the packed filter lies behind it.
static size_t planBytes(const Convolution *c) {
  size_t bytes = 0;
  for (int i = 0; i < c->numPlans; ++i)
    bytes = c->plans[i].workspaceBytes > bytes ? c->plans[i].workspaceBytes : bytes;
  return stitchCudaAligned(bytes);
}

static size_t workspaceBytes(const void *call) {
  const Convolution *c = call;
  return planBytes(c) + c->packedBytes;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static StitchStatus packFilter(const Convolution *c, const char *filter, void *packed, CUstream stream) {
  const StitchFormTensor *from = &c->unpacked;
  StitchKernelAxes axes = {.rank = from->rank + 1, .sizes = {from->groups}, .strides = {from->groupStride}};
  axes.sizes[1] = from->dims[0] / from->groups;
  axes.strides[1] = from->strides[0];
  for (int64_t i = 2; i < from->rank; ++i) { // the features come last
    axes.sizes[i] = from->dims[i];
    axes.strides[i] = from->strides[i];
  }
  axes.sizes[from->rank] = from->dims[1];
  axes.strides[from->rank] = from->strides[1];
  size_t bytes = stitchElementBytes(from->type);
  return stitchOwnKernelsPack(&c->calls->kernels, &axes, bytes, filter + (ptrdiff_t)(from->offset * (int64_t)bytes),
                              packed, stream);
}

static StitchStatus callKernel(const Convolution *c, void *const *pointers, CUstream stream) {
  StitchConvolutionParameters parameters = {
      .lhs = pointers[0],
      .rhs = pointers[1],
      .result = pointers[2],
      .lhsType = c->types[0],
      .rhsType = c->types[1],
      .resultType = c->types[2],
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
static StitchStatus describeData(Convolution *c, const StitchCudnnData *data) {
  if (c->pack && memcmp(data, &c->packed, sizeof(*data)) == 0)
    return NULL;
  stitchCudnnPoolShrink(&c->packs, 0);
  StitchStatus status = stitchCudnnPack(&c->packs, data, &c->pack);
  if (status)
    c->pack = NULL;
  c->packed = *data;
  return status;
}

/// cuDNN's convolution of operands of which the filter may have to be packed.
static StitchStatus callPlan(Convolution *c, void *const *pointers, void *workspace, CUstream stream) {
  StitchCudnnData data;
  memset(&data, 0, sizeof(data)); // padding too: it is compared
  data.workspace = workspace;
  for (int i = 0; i < 3; ++i)
    addData(&data, i,
            (char *)pointers[i] + (ptrdiff_t)(c->form.operands[i].offset * (int64_t)stitchElementBytes(c->types[i])));
  if (c->epilogue.bias)
    addData(&data, STITCH_CUDNN_BIAS_ID, pointers[stitchEpilogueBias(&c->problem)]);
  if (c->epilogue.addend)
    addData(&data, STITCH_CUDNN_ADDEND_ID, pointers[stitchEpilogueAddend(&c->problem)]);
  StitchStatus status = NULL;
  if (c->packedBytes) {
    data.pointers[c->form.filter] = (char *)workspace + planBytes(c);
    status = packFilter(c, pointers[c->form.filter], data.pointers[c->form.filter], stream);
  }
  if (!status)
    status = describeData(c, &data);
  return status ? status : stitchCudnnExecute(&c->calls->dnn, &c->plans[c->chosen], c->pack, stream);
}

static StitchStatus executeConvolution(void *call, void *const *pointers, void *workspace, CUstream stream) {
  Convolution *c = call;
  int64_t results = countResults(&c->shape);
  StitchStatus status = NULL;
  if (results == 0)
    return NULL;
  if (isEmpty(&c->shape)) // zero is all zero bits in every type
    status = CUDA_CALL(c->calls->cuda, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)pointers[2], 0,
                       (size_t)results * stitchElementBytes(c->types[2]), stream);
  else if (c->numPlans == 0)
    status = callKernel(c, pointers, stream);
  else
    status = callPlan(c, pointers, workspace, stream);
  bool isDone = c->epilogue.addend || c->epilogue.bias || c->epilogue.relu;
  if (!status && stitchEpilogueExists(&c->problem) && !isDone)
    status = stitchOwnKernelsEpilogue(&c->calls->kernels, &c->problem, pointers, stream);
  return status;
}

static bool isOwn(const void *call) {
  const Convolution *c = call;
  return c->numPlans == 0 && countResults(&c->shape) && !isEmpty(&c->shape);
}

static int64_t numVersions(const void *call) { return ((const Convolution *)call)->numPlans; }

static void nameVersion(const void *call, int64_t version, char *name, size_t size) {
  (void)call;
  snprintf(name, size, "plan_%d", (int)version);
}

static void useVersion(void *call, int64_t version) { ((Convolution *)call)->chosen = (int)version; }

const StitchCudaCallKind stitchCudaConvolution = {
    .name = "convolution",
    .create = createConvolution,
    .workspaceBytes = workspaceBytes,
    .execute = executeConvolution,
    .destroy = destroyConvolution,
    .isOwn = isOwn,
    .numVersions = numVersions,
    .nameVersion = nameVersion,
    .useVersion = useVersion,
};
