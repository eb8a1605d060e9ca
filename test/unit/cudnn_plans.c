//===- cudnn_plans.c - plans of the real cuDNN ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-cudnn_plans MODEL.so [FOLDER]
//
// cuDNN makes plans for a GPU that it is only told about, so that descriptors, attributes and layouts are checked by
// the library itself, without a GPU. Prints a line for each convolution of the model file and each operation that it
// can be: the number of plans, and the first. Exits with 77 where there is no cuDNN, or one that cannot do that.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cudnn_plan.h"
#include "runtime/device.h"
#include "runtime/library/cpu_convolution.h"

#include <stdio.h>

/// An NVIDIA H200.
static const char gpu[] =
    "{\"deviceVer\":900,\"cudaDeviceId\":0,\"driverVer\":13000,\"maxGridSize\":[2147483647,65535,65535],"
    "\"maxBlockSize\":[1024,1024,64],\"regsPerBlock\":65536,\"multiProcessorCount\":132,\"warpSize\":32,"
    "\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":232448,\"reservedSharedMemoryPerBlock\":1024,"
    "\"maxRegistersPerSM\":65536,\"maxCtasPerSM\":32,\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":2048,"
    "\"pciDeviceId\":0,\"isTccDriver\":0,\"supportCoopLaunch\":1,\"totalGlobalMem\":150000000000,"
    "\"smClockRateKHz\":1980000,\"memClockRateKHz\":3201000,\"l2CacheSize\":62914560,\"deviceName\":\"NVIDIA H200\"}";

static int fail(StitchStatus status) {
  fprintf(stderr, "%s\n", stitchStatusMessage(status));
  stitchStatusFree(status);
  return 1;
}

static StitchStatus planForm(const StitchCudnn *dnn, const StitchConvolutionForm *form,
                             const StitchCudnnEpilogue *epilogue, bool tensorCores) {
  enum { MAX_PLANS = 8 };
  StitchCudnnPool pool = {.dnn = dnn};
  StitchCudnnPlan plans[MAX_PLANS] = {0};
  StitchCudnnRules rules = {.tensorCores = tensorCores, .maxWorkspace = (size_t)256 << 20};
  cudnnBackendDescriptor_t graph = NULL;
  int count = 0;
  StitchStatus status = stitchCudnnConvolutionGraph(&pool, form, epilogue, &graph);
  if (!status)
    status = stitchCudnnFindPlans(&pool, graph, &rules, MAX_PLANS, plans, &count);
  if (!status && count)
    printf(" %d plans, workspace %zu", count, plans[0].workspaceBytes);
  else
    printf(" no plan%s%s", status ? ": " : "", status ? stitchStatusMessage(status) : "");
  stitchStatusFree(status);
  stitchCudnnPoolDestroy(&pool);
  return NULL;
}

static const char *layoutOf(const StitchFormTensor *tensor) {
  bool first = stitchFormHasLayout(tensor, STITCH_CHANNELS_FIRST);
  bool last = stitchFormHasLayout(tensor, STITCH_CHANNELS_LAST);
  return first && last ? "both" : last ? "last" : first ? "first" : "other";
}

static void printForm(const StitchConvolutionForm *form, const StitchFormPacking *packing) {
  static const char *const operations[] = {"forward", "data gradient", "filter gradient"};
  static const char *const names[] = {"image", "filter", "output"};
  const int operands[] = {form->image, form->filter, form->output};
  printf("%s%s", operations[form->operation], form->flipped ? " flipped" : "");
  for (int i = 0; i < 3; ++i)
    printf(", %s %s%s", names[i], layoutOf(&form->operands[operands[i]]),
           packing->isPacked[operands[i]] ? " packed" : "");
}

static StitchStatus planProblem(const StitchCudnn *dnn, int64_t index, const StitchLibraryProblem *problem) {
  StitchConvolutionForm forms[3];
  StitchFormPacking packing;
  StitchConvolutionShape shape;
  StitchStatus status = stitchConvolutionShapeOf(problem, &shape);
  int count = status ? 0 : stitchConvolutionForms(problem, forms);
  for (int i = 0; i < count && !status; ++i) {
    stitchConvolutionFormPack(&forms[i], &packing);
    printf("%lld: ", (long long)index);
    printForm(&forms[i], &packing);
    printf(":");
    const StitchCudnnEpilogue none = {.relu = false}, all = {.bias = true, .addend = true, .relu = true};
    bool isF32 = problem->operands[0].type == STITCH_ELEMENT_F32;
    status = planForm(dnn, &forms[i], &none, !isF32);
    if (!status && isF32) {
      printf("; tf32:");
      status = planForm(dnn, &forms[i], &none, true);
    }
    if (!status && forms[i].operation == STITCH_CONVOLUTION_FORWARD) {
      printf("; epilogue:");
      status = planForm(dnn, &forms[i], &all, !isF32);
    }
    printf("\n");
  }
  if (!status && count == 0)
    printf("%lld: none\n", (long long)index);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: unit-cudnn_plans MODEL.so [FOLDER]\n");
    return 2;
  }
  StitchModel *model = NULL;
  StitchCudnn dnn = {0};
  StitchStatus status = stitchCudnnOpenForModel(argc > 2 ? argv[2] : NULL, gpu, &dnn);
  if (status) {
    fail(status);
    return 77;
  }
  status = stitchModelLoad(argv[1], &model);
  const StitchModelLibraryCalls *calls = status ? NULL : &stitchModelDescriptor(model)->libraryCalls;
  for (int64_t i = 0; calls && i < calls->count && !status; ++i)
    if (calls->problems[i].kind == STITCH_LIBRARY_CONVOLUTION)
      status = planProblem(&dnn, i, &calls->problems[i]);
  stitchModelFree(model);
  stitchCudnnClose(&dnn);
  return status ? fail(status) : 0;
}
