//===- cuda_convolutions.c - convolutions on a test double of cuDNN ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems, with and without an epilogue, against the library of the CPU. The double refuses operands that are
// not in one layout; a refusal shows as a call of the runtime's own kernels. Elements are small integers, so that every
// type is exact. Then which operands are packed. NO GPU IS INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/convolution_form.h"
#include "runtime/cuda/cuda_library.h"
#include "runtime/float_elements.h"
#include "runtime/library/cpu_convolution.h"
#include "test/unit/cuda_session.h"
#include "test/unit/random_convolution.h"

enum { LHS, RHS, RESULT };

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static int64_t numElements(const StitchLibraryTensor *tensor) {
  int64_t count = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

static size_t numBytes(const StitchLibraryTensor *tensor) {
  return (size_t)numElements(tensor) * stitchElementBytes(tensor->type);
}

/// The operands of a problem: those that the CPU computes with, and those of the GPU.
typedef struct {
  void *host[STITCH_LIBRARY_MAX_OPERANDS], *device[STITCH_LIBRARY_MAX_OPERANDS];
} Operands;

static StitchStatus newOperands(StitchCuda *cuda, const StitchLibraryProblem *problem, CUstream stream,
                                Operands *operands) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < problem->numOperands && !status; ++i) {
    const StitchLibraryTensor *tensor = &problem->operands[i];
    CUdeviceptr memory = 0;
    operands->host[i] = malloc(numBytes(tensor));
    for (int64_t e = 0; e < numElements(tensor); ++e)
      stitchStoreFloat(tensor->type, operands->host[i], e, (double)randomIn(-1, 1));
    status = CUDA_CALL(cuda, cuMemAlloc, &memory, numBytes(tensor));
    operands->device[i] = (void *)(uintptr_t)memory;
    if (!status)
      status = CUDA_CALL(cuda, cuMemcpyHtoDAsync, memory, operands->host[i], numBytes(tensor), stream);
  }
  return status;
}

static void freeOperands(StitchCuda *cuda, const StitchLibraryProblem *problem, Operands *operands) {
  for (int64_t i = 0; i < problem->numOperands; ++i) {
    CHECK_OK(CUDA_CALL(cuda, cuMemFree, (CUdeviceptr)(uintptr_t)operands->device[i]));
    free(operands->host[i]);
  }
}

/// Calls the last version of the only problem, with a workspace that has not a byte more than it asks for.
static StitchStatus callOnce(StitchCuda *cuda, StitchCudaLibrary *library, void *const *pointers, CUstream stream) {
  size_t bytes = stitchCudaLibraryWorkspaceBytes(library);
  int64_t numVariables = 0;
  const StitchModelAdaptive *variables = stitchCudaLibraryVariables(library, &numVariables);
  int64_t last = numVariables ? variables[0].numVersions - 1 : 0;
  CUdeviceptr workspace = 0;
  StitchStatus status = bytes ? CUDA_CALL(cuda, cuMemAlloc, &workspace, bytes) : NULL;
  stitchCudaLibrarySetWorkspace(library, (void *)(uintptr_t)workspace);
  stitchCudaLibraryUse(library, &last);
  for (int call = 0; call < 2 && !status; ++call) // again: nothing is left over
    status = stitchCudaLibraryCall(library, 0, pointers, stream);
  if (!status)
    status = CUDA_CALL(cuda, cuStreamSynchronize, stream);
  if (bytes)
    CHECK_OK(CUDA_CALL(cuda, cuMemFree, workspace));
  return status;
}

static bool isRight(const StitchLibraryTensor *tensor, const void *got, const void *expected) {
  for (int64_t i = 0; i < numElements(tensor); ++i)
    if (stitchLoadFloat(tensor->type, got, i) != stitchLoadFloat(tensor->type, expected, i))
      return false;
  return true;
}

static void checkProblem(StitchCuda *cuda, const StitchLibraryProblem *problem, bool isOwn, CUstream stream) {
  const StitchLibraryTensor *result = &problem->operands[RESULT];
  StitchCudaLibraryOptions options = {.folder = folder, .alternatives = true};
  StitchLibrary *cpu = NULL;
  StitchCudaLibrary *gpu = NULL;
  Operands operands = {0};
  CHECK_OK(newOperands(cuda, problem, stream, &operands));
  CHECK_OK(stitchCudaLibraryCreate(cuda, problem, 1, &options, &gpu));
  CHECK_OK(stitchLibraryCreate(problem, 1, &cpu));
  CHECK_OK(stitchLibraryExecute(cpu, 0, operands.host));
  void *got = malloc(numBytes(result));
  if (gpu) {
    CHECK(strcmp(stitchCudaLibraryCallName(gpu, 0), isOwn ? "convolution_0 (own kernels)" : "convolution_0") == 0);
    CHECK_OK(callOnce(cuda, gpu, operands.device, stream));
    CHECK_OK(CUDA_CALL(cuda, cuMemcpyDtoHAsync, got, (CUdeviceptr)(uintptr_t)operands.device[RESULT], numBytes(result),
                       stream));
    CHECK_OK(CUDA_CALL(cuda, cuStreamSynchronize, stream));
    CHECK(isRight(result, got, operands.host[RESULT]));
  }
  free(got);
  stitchLibraryDestroy(cpu);
  stitchCudaLibraryFree(gpu);
  freeOperands(cuda, problem, &operands);
}

//===----------------------------------------------------------------------===//
// Random problems
//===----------------------------------------------------------------------===//

/// One that cuDNN has a form for more often than not: random ones have dilations and strides for that seldom enough.
static StitchLibraryProblem randomProblem(StitchElementType type, int64_t numSpatial) {
  StitchLibraryProblem problem = randomConvolution(type, numSpatial);
  int64_t ones = randomIn(0, 2);
  for (int64_t i = 0; i < numSpatial && ones < 2; ++i)
    (ones == 0 ? &problem.convolution.lhsDilation : &problem.convolution.strides)->dims[i] = 1;
  return problem;
}

static void addEpilogue(StitchLibraryProblem *problem) {
  const StitchLibraryTensor *result = &problem->operands[RESULT];
  int64_t feature = problem->convolution.outputFeature;
  problem->epilogue = (StitchLibraryEpilogue){
      .hasBias = randomIn(0, 1),
      .biasFirst = feature,
      .biasCount = 1,
      .hasAddend = randomIn(0, 1),
      .activation = randomIn(0, 1) ? STITCH_LIBRARY_RELU : STITCH_LIBRARY_NO_ACTIVATION,
  };
  if (problem->epilogue.hasBias)
    problem->operands[problem->numOperands++] = (StitchLibraryTensor){result->type, 1, {result->dims[feature]}};
  if (problem->epilogue.hasAddend)
    problem->operands[problem->numOperands++] = *result;
}

static void testRandomProblems(StitchCuda *cuda, CUstream stream) {
  enum { ROUNDS = 120 };
  static const StitchElementType types[] = {STITCH_ELEMENT_F32, STITCH_ELEMENT_F16, STITCH_ELEMENT_BF16};
  int packed[3][3] = {{0}}, kept[3][3] = {{0}}, layouts[2] = {0};
  for (int round = 0; round < ROUNDS; ++round)
    for (size_t type = 0; type < sizeof(types) / sizeof(types[0]); ++type) {
      StitchLibraryProblem problem = randomProblem(types[type], round % 4);
      if (round % 3 == 0)
        addEpilogue(&problem);
      StitchConvolutionForm forms[3];
      StitchFormPacking packing;
      bool isOwn = stitchConvolutionForms(&problem, forms) == 0;
      if (!isOwn) {
        stitchConvolutionFormPack(&forms[0], &packing);
        for (int i = 0; i < 3; ++i)
          ++(packing.isPacked[i] ? packed : kept)[forms[0].operation][i];
        ++layouts[stitchFormHasLayout(&forms[0].operands[LHS], STITCH_CHANNELS_LAST)];
      }
      checkProblem(cuda, &problem, isOwn, stream);
    }
  for (int i = 0; i < 3; ++i) // each operand of each operation has been packed, and has been left where it is
    for (int k = 0; k < 3; ++k)
      CHECK(packed[i][k] > 0 && kept[i][k] > 0);
  CHECK(layouts[0] > 0 && layouts[1] > 0);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// A problem of two spatial dimensions, as in "b01f": of lhs, rhs, result.
typedef struct {
  const char *what;
  StitchElementType type;
  StitchConvolutionOperation operation;
  const char *names[3];
  int64_t images, features, outputs, groups, low[2];
  StitchFormLayout layout;
  bool isPacked[3];
} Case;

/// Where the dimensions of a tensor are that `letters` names, and their sizes.
static void describe(StitchLibraryTensor *tensor, const char *order, const char *letters, int64_t first, int64_t second,
                     const int64_t *sizes, int64_t *firstDim, int64_t *secondDim, StitchLibraryDims *spatial) {
  *firstDim = strchr(order, letters[0]) - order;
  *secondDim = strchr(order, letters[1]) - order;
  *spatial = (StitchLibraryDims){2, {strchr(order, '0') - order, strchr(order, '1') - order}};
  tensor->rank = 4;
  tensor->dims[*firstDim] = first;
  tensor->dims[*secondDim] = second;
  for (int64_t i = 0; i < 2; ++i)
    tensor->dims[spatial->dims[i]] = sizes[i];
}

/// 3x3 windows of images of 6x6, or as many as the result of a filter's gradient has.
static StitchLibraryProblem problemOf(const Case *c) {
  bool isGradient = c->operation == STITCH_CONVOLUTION_FILTER_GRADIENT;
  int64_t size = isGradient ? 6 : 3, image[] = {6, 6}, window[] = {size, size};
  int64_t places[] = {7 - size + 2 * c->low[0], 7 - size + 2 * c->low[1]};
  StitchLibraryProblem problem = {.kind = STITCH_LIBRARY_CONVOLUTION, .numOperands = 3};
  StitchLibraryConvolutionDims *d = &problem.convolution;
  for (int i = 0; i < 3; ++i)
    problem.operands[i].type = c->type;
  describe(&problem.operands[LHS], c->names[LHS], "bf", c->images, c->features, image, &d->inputBatch, &d->inputFeature,
           &d->inputSpatial);
  describe(&problem.operands[RHS], c->names[RHS], "io", c->features / c->groups, c->outputs, window, &d->kernelInput,
           &d->kernelOutput, &d->kernelSpatial);
  describe(&problem.operands[RESULT], c->names[RESULT], "bf", c->images, c->outputs, places, &d->outputBatch,
           &d->outputFeature, &d->outputSpatial);
  d->featureGroups = c->groups;
  d->batchGroups = 1;
  d->strides = d->lhsDilation = d->rhsDilation = (StitchLibraryDims){2, {1, 1}};
  d->paddingLow = (StitchLibraryDims){2, {c->low[0], c->low[1]}};
  return problem;
}

static void checkCase(StitchCuda *cuda, const Case *c, CUstream stream) {
  StitchLibraryProblem problem = problemOf(c);
  StitchConvolutionForm form;
  StitchFormPacking packing = {0};
  bool ok = stitchConvolutionFormOf(&problem, c->operation, &form);
  if (ok)
    stitchConvolutionFormPack(&form, &packing);
  for (int i = 0; i < 3; ++i)
    ok = ok && packing.isPacked[i] == c->isPacked[i] && stitchFormHasLayout(&form.operands[i], c->layout);
  if (!ok)
    fprintf(stderr, "%s: packed %d %d %d\n", c->what, packing.isPacked[LHS], packing.isPacked[RHS],
            packing.isPacked[RESULT]);
  CHECK(ok);
  checkProblem(cuda, &problem, false, stream);
}

static void testLayouts(StitchCuda *cuda, CUstream stream) {
  enum {
    F32 = STITCH_ELEMENT_F32,
    F16 = STITCH_ELEMENT_F16,
    FORWARD = STITCH_CONVOLUTION_FORWARD,
    DATA = STITCH_CONVOLUTION_DATA_GRADIENT,
    FILTER = STITCH_CONVOLUTION_FILTER_GRADIENT,
    FIRST = STITCH_CHANNELS_FIRST,
    LAST = STITCH_CHANNELS_LAST,
  };
  static const Case cases[] = {
      {"as it should be", F32, FORWARD, {"bf01", "oi01", "bf01"}, 2, 4, 4, 1, {1, 1}, FIRST, {0, 0, 0}},
      {"as it should be", F32, FORWARD, {"b01f", "o01i", "b01f"}, 2, 4, 4, 1, {1, 1}, LAST, {0, 0, 0}},
      {"JAX's filter", F32, FORWARD, {"b01f", "01io", "b01f"}, 2, 4, 4, 1, {1, 1}, LAST, {0, 1, 0}},
      {"JAX's filter", F16, FORWARD, {"bf01", "01io", "bf01"}, 2, 4, 4, 1, {1, 1}, FIRST, {0, 1, 0}},
      {"a filter of the other layout", F16, FORWARD, {"bf01", "o01i", "bf01"}, 2, 4, 4, 1, {1, 1}, FIRST, {0, 1, 0}},
      {"a small image", F32, FORWARD, {"b01f", "oi01", "bf01"}, 2, 2, 8, 1, {1, 1}, FIRST, {1, 0, 0}},
      {"a small result", F32, FORWARD, {"b01f", "o01i", "bf01"}, 2, 8, 2, 1, {1, 1}, LAST, {0, 0, 1}},
      {"neither layout", F32, FORWARD, {"b01f", "01io", "bf01"}, 2, 4, 4, 1, {1, 1}, FIRST, {1, 1, 0}},
      {"neither layout", F16, FORWARD, {"b01f", "01io", "bf01"}, 2, 4, 4, 1, {1, 1}, LAST, {0, 1, 1}},
      {"neither order", F32, FORWARD, {"f0b1", "0i1o", "01bf"}, 2, 4, 4, 1, {1, 1}, FIRST, {1, 1, 1}},
      {"one feature", F32, FORWARD, {"b01f", "01io", "b01f"}, 2, 1, 4, 1, {1, 1}, LAST, {0, 1, 0}},
      {"one feature", F32, FORWARD, {"bf01", "o01i", "bf01"}, 2, 1, 4, 1, {1, 1}, FIRST, {0, 0, 0}},
      {"one feature each", F32, FORWARD, {"01bf", "io01", "bf01"}, 1, 1, 1, 1, {1, 1}, LAST, {0, 0, 0}},
      {"depthwise", F32, FORWARD, {"b01f", "01io", "b01f"}, 2, 4, 8, 4, {1, 1}, LAST, {0, 1, 0}},
      {"depthwise", F32, FORWARD, {"bf01", "oi01", "bf01"}, 2, 4, 8, 4, {1, 1}, FIRST, {0, 0, 0}},
      {"cropped", F32, FORWARD, {"b01f", "o01i", "b01f"}, 2, 4, 4, 1, {-1, -1}, LAST, {1, 0, 0}},
      {"cropped", F32, FORWARD, {"bf01", "oi01", "bf01"}, 1, 4, 4, 1, {-1, -1}, FIRST, {1, 0, 0}},
      {"cropped outermost", F16, FORWARD, {"b01f", "o01i", "b01f"}, 1, 4, 4, 1, {-1, 1}, LAST, {0, 0, 0}},
      {"gradient of an image", F32, DATA, {"bf01", "io01", "bf01"}, 2, 4, 6, 1, {1, 1}, FIRST, {0, 0, 0}},
      {"gradient of an image", F32, DATA, {"b01f", "01io", "b01f"}, 2, 4, 6, 1, {1, 1}, LAST, {0, 1, 0}},
      {"gradient with groups", F32, DATA, {"b01f", "01io", "b01f"}, 2, 4, 6, 2, {1, 1}, LAST, {0, 1, 0}},
      {"gradient with groups", F32, DATA, {"bf01", "io01", "bf01"}, 2, 4, 6, 2, {1, 1}, FIRST, {0, 1, 0}},
      {"JAX's gradient of a filter", F32, FILTER, {"f01b", "i01o", "01bf"}, 4, 2, 8, 1, {1, 1}, LAST, {0, 0, 1}},
      {"gradient of a filter", F32, FILTER, {"fb01", "io01", "fb01"}, 4, 2, 8, 1, {1, 1}, FIRST, {0, 0, 0}},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
    checkCase(cuda, &cases[i], stream);
}

int main(void) {
  openDouble();
  doubled.configure(NULL);
  StitchCuda *cuda = NULL;
  CUstream stream = NULL;
  CHECK_OK(stitchCudaCreate(folder, 0, &cuda));
  if (!cuda)
    return checkResult();
  CHECK_OK(stitchCudaEnter(cuda));
  CHECK_OK(CUDA_CALL(cuda, cuStreamCreate, &stream, 0));
  testLayouts(cuda, stream);
  testRandomProblems(cuda, stream);
  CHECK_OK(CUDA_CALL(cuda, cuStreamDestroy, stream));
  stitchCudaLeave(cuda);
  stitchCudaRelease(cuda);
  CHECK_CLEAN();
  return checkResult();
}
