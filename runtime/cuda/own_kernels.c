//===- own_kernels.c - launching the runtime's own kernels ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the runtime's own kernels (kernels.h) into a context, and launches them with parameters made from library
// problems: packing, epilogues, sums.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/own_kernels.h"

#include "runtime/library/cpu_epilogue.h"

#include <string.h>

static const StitchModelKernel names[] = {
    [STITCH_OWN_PACK] = {.name = "stitch_pack"},
    [STITCH_OWN_DOT] = {.name = "stitch_dot"},
    [STITCH_OWN_CONVOLUTION] = {.name = "stitch_convolution"},
    [STITCH_OWN_EPILOGUE] = {.name = "stitch_epilogue"},
    [STITCH_OWN_SUMS] = {.name = "stitch_sums"},
    [STITCH_OWN_CHOLESKY_COLUMN] = {.name = "stitch_cholesky_column"},
    [STITCH_OWN_CHOLESKY_FINISH] = {.name = "stitch_cholesky_finish"},
    [STITCH_OWN_TRIANGULAR_SOLVE] = {.name = "stitch_triangular_solve"},
    [STITCH_OWN_ADDRESSES] = {.name = "stitch_addresses"},
    [STITCH_OWN_ADDRESS_LIST] = {.name = "stitch_address_list"},
    [STITCH_OWN_ROOTS] = {.name = "stitch_roots"},
    [STITCH_OWN_FOURIER] = {.name = "stitch_fourier"},
    [STITCH_OWN_SPECTRUM] = {.name = "stitch_spectrum"},
    [STITCH_OWN_COMBINE] = {.name = "stitch_combine"},
    [STITCH_OWN_TICK] = {.name = "stitch_tick"},
    [STITCH_OWN_SIGNAL] = {.name = "stitch_signal"},
};

/// Loads the kernels as those of a model, by a descriptor that is made here.
StitchStatus stitchOwnKernelsLoad(StitchCuda *cuda, StitchOwnKernels *kernels) {
  const char *text = (const char *)stitchRuntimeKernels;
  StitchModelImage image = {.arch = 70, .format = STITCH_IMAGE_PTX, .data = text, .bytes = (int64_t)strlen(text)};
  StitchModelDescriptor model = {
      .kernels = names,
      .numKernels = sizeof(names) / sizeof(names[0]),
      .images = &image,
      .numImages = 1,
  };
  kernels->cuda = cuda;
  return stitchStatusAnnotate(stitchCudaModuleLoad(cuda, &model, &kernels->module), "the runtime's own kernels");
}

void stitchOwnKernelsFree(StitchOwnKernels *kernels) {
  stitchCudaModuleFree(kernels->module);
  kernels->module = NULL;
}

StitchStatus stitchOwnKernelsLaunch(const StitchOwnKernels *kernels, StitchOwnKernel kernel, int64_t threads,
                                    void *parameters, CUstream stream) {
  enum { MAX_BLOCKS = 1 << 16 };
  int64_t blocks = (threads + STITCH_KERNEL_BLOCK - 1) / STITCH_KERNEL_BLOCK;
  CUlaunchConfig config = {
      .gridDimX = (unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS),
      .gridDimY = 1,
      .gridDimZ = 1,
      .blockDimX = STITCH_KERNEL_BLOCK,
      .blockDimY = 1,
      .blockDimZ = 1,
      .hStream = stream,
  };
  return CUDA_CALL(kernels->cuda, cuLaunchKernelEx, &config, kernels->module->kernels[kernel].function, &parameters,
                   NULL);
}

StitchKernelAxes stitchKernelAxesOf(const StitchAxes *axes) {
  StitchKernelAxes result = {.rank = axes->rank};
  memcpy(result.sizes, axes->sizes, sizeof(result.sizes));
  memcpy(result.strides, axes->strides, sizeof(result.strides));
  return result;
}

StitchStatus stitchOwnKernelsPack(const StitchOwnKernels *kernels, const StitchKernelAxes *axes, size_t elementBytes,
                                  const void *from, void *to, CUstream stream) {
  StitchPackParameters parameters = {
      .from = from,
      .to = to,
      .count = 1,
      .elementBytes = (int64_t)elementBytes,
      .axes = *axes,
  };
  for (int64_t i = 0; i < axes->rank; ++i)
    parameters.count *= axes->sizes[i];
  return stitchOwnKernelsLaunch(kernels, STITCH_OWN_PACK, parameters.count, &parameters, stream);
}

StitchStatus stitchOwnKernelsEpilogue(const StitchOwnKernels *kernels, const StitchLibraryProblem *problem,
                                      void *const *pointers, CUstream stream) {
  StitchEpilogueParameters parameters = {.data = stitchEpilogueDataOf(problem, pointers)};
  StitchStatus status = stitchEpilogueShapeOf(problem, &parameters.shape);
  if (status || parameters.shape.elements == 0)
    return status;
  return stitchOwnKernelsLaunch(kernels, STITCH_OWN_EPILOGUE, parameters.shape.elements, &parameters, stream);
}

StitchStatus stitchOwnKernelsSums(const StitchOwnKernels *kernels, const StitchSums *sums, void *const *pointers,
                                  CUstream stream) {
  StitchSumsParameters parameters = {
      .from = pointers[sums->from],
      .to = pointers[sums->to],
      .type = sums->type,
      .keptCount = stitchAxesSize(&sums->kept),
      .summedCount = stitchAxesSize(&sums->summed),
      .kept = stitchKernelAxesOf(&sums->kept),
      .summed = stitchKernelAxesOf(&sums->summed),
  };
  if (parameters.keptCount == 0)
    return NULL;
  return stitchOwnKernelsLaunch(kernels, STITCH_OWN_SUMS, parameters.keptCount, &parameters, stream);
}
