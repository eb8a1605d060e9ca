//===- module.c - a model's kernels, loaded on a GPU ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 8192 };

//===----------------------------------------------------------------------===//
// Choosing an image
//===----------------------------------------------------------------------===//

/// How well an image suits; 0: not at all. PTX runs on its architecture and all later ones, a cubin on its own and on
/// later ones with the same major number.
static int suitability(const StitchModelImage *image, int arch) {
  enum { OLDER_CUBIN = 1000, PTX = 2000, EXACT_CUBIN = 3000 };
  if (image->arch > arch)
    return 0;
  if (image->format == STITCH_IMAGE_PTX)
    return PTX + (int)image->arch;
  if (image->format != STITCH_IMAGE_CUBIN || image->arch / 10 != arch / 10)
    return 0;
  return (image->arch == arch ? EXACT_CUBIN : OLDER_CUBIN) + (int)image->arch;
}

/// The image that suits best among those less suitable than `below`; NULL if there is none.
static const StitchModelImage *bestImage(const StitchModelDescriptor *model, int arch, int below) {
  const StitchModelImage *best = NULL;
  int score = 0;
  for (int64_t i = 0; i < model->numImages; ++i) {
    int candidate = suitability(&model->images[i], arch);
    if (candidate > score && candidate < below) {
      best = &model->images[i];
      score = candidate;
    }
  }
  return best;
}

static void nameImage(const StitchModelImage *image, char *text, size_t size) {
  bool isPtx = image->format == STITCH_IMAGE_PTX;
  snprintf(text, size, "%s_%lld %s", isPtx ? "compute" : "sm", (long long)image->arch, isPtx ? "PTX" : "cubin");
}

/// No image suits: says which there are.
static StitchStatus wrongArchitecture(const StitchModelDescriptor *model, const StitchCuda *cuda) {
  if (model->numImages == 0)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                            "the model was compiled without kernels for GPUs: compile it with --target=sm_%d",
                            cuda->arch);
  char list[512];
  size_t length = 0;
  for (int64_t i = 0; i < model->numImages && length < sizeof(list); ++i) {
    char name[64];
    nameImage(&model->images[i], name, sizeof(name));
    length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s", i ? ", " : "", name);
  }
  return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                          "no kernels of the model run on this GPU (%s, sm_%d): it has %s; compile it with "
                          "--target=sm_%d",
                          cuda->name, cuda->arch, list, cuda->arch);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// The log without the empty lines at its end.
static void trimEnd(char *text) {
  for (size_t length = strlen(text); length > 0 && strchr(" \n", text[length - 1]); --length)
    text[length - 1] = '\0';
}

static StitchStatus loadImage(StitchCudaModule *m, const StitchModelImage *image, CUresult *result) {
  char *log = calloc(1, LOG_BYTES);
  if (!log)
    return stitchStatusOutOfMemory();
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)};
  nameImage(image, m->image, sizeof(m->image));
  *result = m->cuda->driver.cuModuleLoadDataEx(&m->module, image->data, 2, options, values);
  StitchStatus status = stitchCudaCheck(&m->cuda->driver, *result, "cuModuleLoadDataEx");
  trimEnd(log);
  if (status) {
    m->module = NULL;
    status = stitchStatusAnnotate(status, "cannot load the model's kernels (%s)%s%s", m->image,
                                  *log ? "; the compiler says\n" : "", log);
  }
  free(log);
  return status;
}

/// Whether another image may do where this one does not: not if the GPU is out of memory or broken.
static bool isTheImagesFault(CUresult result) {
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
}

/// The failure of the last image that was tried, after those of the images before it.
static StitchStatus loadBestImage(StitchCudaModule *m, const StitchModelDescriptor *model) {
  int arch = m->cuda->arch;
  const StitchModelImage *image = bestImage(model, arch, INT32_MAX);
  StitchStatus failure = image ? NULL : wrongArchitecture(model, m->cuda);
  CUresult result = CUDA_ERROR_INVALID_IMAGE;
  for (; image && isTheImagesFault(result); image = bestImage(model, arch, suitability(image, arch))) {
    StitchStatus status = loadImage(m, image, &result);
    if (status && failure)
      status = stitchStatusAnnotate(status, "%s", stitchStatusMessage(failure));
    stitchStatusFree(failure);
    failure = status;
  }
  return failure;
}

static StitchStatus findKernel(StitchCudaModule *m, StitchCudaKernel *kernel, const char *name) {
  StitchCuda *cuda = m->cuda;
  kernel->name = name;
  StitchStatus status = CUDA_CALL(cuda, cuModuleGetFunction, &kernel->function, m->module, name);
  const struct {
    CUfunction_attribute attribute;
    int *value;
  } attributes[] = {
      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &kernel->maxBlock},
      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &kernel->staticShared},
      {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &kernel->sharedAllowed},
  };
  for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !status; ++i)
    status = CUDA_CALL(cuda, cuFuncGetAttribute, attributes[i].value, attributes[i].attribute, kernel->function);
  if (!status && cuda->arch >= 90) // clusters began there
    status = CUDA_CALL(cuda, cuFuncGetAttribute, &kernel->cluster, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                       kernel->function);
  return stitchStatusAnnotate(status, "kernel '%s'", name);
}

StitchStatus stitchCudaModuleLoad(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaModule **module) {
  StitchCudaModule *m = calloc(1, sizeof(*m));
  StitchCudaKernel *kernels = calloc((size_t)model->numKernels + 1, sizeof(*kernels));
  if (!m || !kernels) {
    free(m);
    free(kernels);
    return stitchStatusOutOfMemory();
  }
  *m = (StitchCudaModule){.cuda = cuda, .numKernels = model->numKernels, .kernels = kernels};
  StitchStatus status = model->numKernels ? loadBestImage(m, model) : NULL;
  for (int64_t i = 0; i < model->numKernels && !status; ++i)
    status = findKernel(m, &kernels[i], model->kernels[i].name);
  if (status)
    stitchCudaModuleFree(m);
  else
    *module = m;
  return status;
}

void stitchCudaModuleFree(StitchCudaModule *m) {
  if (!m)
    return;
  if (m->module)
    m->cuda->driver.cuModuleUnload(m->module);
  free(m->kernels);
  free(m);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static StitchStatus tooLarge(const StitchCuda *cuda, const StitchCudaKernel *kernel, const char *what, int64_t wanted,
                             int64_t limit) {
  return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                          "kernel '%s' was planned for another GPU: it needs %lld %s, and %s has %lld", kernel->name,
                          (long long)wanted, what, cuda->name, (long long)limit);
}

/// Shared memory beyond what every kernel may have must be allowed.
static StitchStatus allowShared(StitchCuda *cuda, StitchCudaKernel *kernel, int64_t bytes) {
  if (bytes <= kernel->sharedAllowed)
    return NULL;
  if (bytes + kernel->staticShared > cuda->sharedPerBlock)
    return tooLarge(cuda, kernel, "bytes of shared memory for a block", bytes + kernel->staticShared,
                    cuda->sharedPerBlock);
  StitchStatus status = CUDA_CALL(cuda, cuFuncSetAttribute, kernel->function,
                                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
  if (!status)
    kernel->sharedAllowed = (int)bytes;
  return status;
}

/// The configuration of a launch. `attributes` has room for two.
static CUlaunchConfig configure(const StitchCudaKernel *kernel, const StitchCudaLaunch *launch, CUstream stream,
                                CUlaunchAttribute *attributes) {
  CUlaunchConfig config = {
      .gridDimX = (unsigned)launch->grid,
      .gridDimY = 1,
      .gridDimZ = 1,
      .blockDimX = (unsigned)launch->block,
      .blockDimY = 1,
      .blockDimZ = 1,
      .sharedMemBytes = (unsigned)launch->sharedBytes,
      .hStream = stream,
      .attrs = attributes,
  };
  if (launch->cooperative)
    attributes[config.numAttrs++] =
        (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
  if (kernel->cluster > 1)
    attributes[config.numAttrs++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                                        .value = {.clusterDim = {(unsigned)kernel->cluster, 1, 1}}};
  return config;
}

/// How many blocks of such a launch run at once.
static StitchStatus countResident(StitchCuda *cuda, const StitchCudaKernel *kernel, const StitchCudaLaunch *launch,
                                  int64_t *resident) {
  int count = 0;
  StitchStatus status = NULL;
  if (kernel->cluster > 1) {
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = configure(kernel, launch, NULL, attributes);
    status = CUDA_CALL(cuda, cuOccupancyMaxActiveClusters, &count, kernel->function, &config);
    *resident = (int64_t)count * kernel->cluster;
  } else {
    status = CUDA_CALL(cuda, cuOccupancyMaxActiveBlocksPerMultiprocessor, &count, kernel->function, (int)launch->block,
                       (size_t)launch->sharedBytes);
    *resident = (int64_t)count * cuda->multiprocessors;
  }
  return status;
}

static StitchStatus checkResources(StitchCuda *cuda, StitchCudaKernel *kernel, const StitchCudaLaunch *launch) {
  if (launch->block > kernel->maxBlock)
    return tooLarge(cuda, kernel, "threads in a block", launch->block, kernel->maxBlock);
  if (kernel->cluster > 1 && launch->grid % kernel->cluster != 0)
    return stitchStatusMake(STITCH_INTERNAL, "kernel '%s': %lld blocks are no multiple of its clusters of %d",
                            kernel->name, (long long)launch->grid, kernel->cluster);
  StitchStatus status = allowShared(cuda, kernel, launch->sharedBytes);
  if (!status)
    status = countResident(cuda, kernel, launch, &kernel->residentBlocks);
  if (!status && kernel->residentBlocks == 0)
    status = tooLarge(cuda, kernel, "multiprocessors with room for a block", 1, 0);
  return status;
}

StitchStatus stitchCudaModulePrepare(StitchCudaModule *m, const StitchCudaLaunch *launch) {
  StitchCudaKernel *kernel = &m->kernels[launch->kernel];
  if (kernel->checkedBlock != launch->block || kernel->checkedShared != launch->sharedBytes) {
    StitchStatus status = checkResources(m->cuda, kernel, launch);
    if (status)
      return status;
    kernel->checkedBlock = launch->block;
    kernel->checkedShared = launch->sharedBytes;
  }
  if (!launch->cooperative)
    return NULL;
  if (!m->cuda->cooperative)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                            "kernel '%s' has a grid barrier, and %s has no cooperative "
                            "launches",
                            kernel->name, m->cuda->name);
  if (launch->grid > kernel->residentBlocks)
    return tooLarge(m->cuda, kernel, "blocks that run at once", launch->grid, kernel->residentBlocks);
  return NULL;
}

StitchStatus stitchCudaModuleLaunch(StitchCudaModule *m, const StitchCudaLaunch *launch, CUstream stream,
                                    void **parameters) {
  StitchStatus status = stitchCudaModulePrepare(m, launch);
  if (status)
    return status;
  const StitchCudaKernel *kernel = &m->kernels[launch->kernel];
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config = configure(kernel, launch, stream, attributes);
  for (int64_t i = 0; i < launch->numArguments; ++i)
    parameters[i] = (void *)(uintptr_t)&launch->arguments[i];
  CUresult result = m->cuda->driver.cuLaunchKernelEx(&config, kernel->function, parameters, NULL);
  if (result == CUDA_SUCCESS)
    return NULL;
  return stitchStatusAnnotate(stitchCudaCheck(&m->cuda->driver, result, "cuLaunchKernelEx"), "kernel '%s'",
                              kernel->name);
}
