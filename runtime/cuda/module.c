//===- module.c - a model's kernels, loaded on a GPU ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an image and the launches of a program. Checks each kernel's threads, shared memory, clusters and co-residency
// before its first launch, and launches it: cooperative, with clusters, or ahead of its predecessor's end (programmatic
// dependent launch).
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/module.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static StitchStatus findKernel(StitchCudaModule *m, StitchCudaKernel *kernel, const char *name) {
  StitchCuda *cuda = m->cuda;
  kernel->name = name;
  StitchStatus status = CUDA_CALL(cuda, cuModuleGetFunction, &kernel->function, stitchCudaImageModule(m->image), name);
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

/// The CUDA version from which on a graph can have edges of dependent launches.
enum { PROGRAMMATIC_EDGES = 12030 };

StitchStatus stitchCudaModuleLoad(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaModule **module) {
  StitchCudaModule *m = calloc(1, sizeof(*m));
  StitchCudaKernel *kernels = calloc((size_t)model->numKernels + 1, sizeof(*kernels));
  if (!m || !kernels) {
    free(m);
    free(kernels);
    return stitchStatusOutOfMemory();
  }
  *m = (StitchCudaModule){.cuda = cuda, .numKernels = model->numKernels, .kernels = kernels};
  StitchStatus status = model->numKernels ? stitchCudaImageAcquire(cuda, model, &m->image) : NULL;
  m->launchesAhead = m->image && stitchCudaImageWaits(m->image) && model->numStreams <= 1 &&
                     cuda->driver.version >= PROGRAMMATIC_EDGES;
  m->before = -1;
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
  stitchCudaImageRelease(m->image);
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

/// Shared memory beyond the default maximum of a kernel must be allowed.
static StitchStatus allowShared(StitchCudaModule *m, StitchCudaKernel *kernel, int64_t bytes) {
  const StitchCuda *cuda = m->cuda;
  if (bytes <= kernel->sharedAllowed)
    return NULL;
  if (bytes + kernel->staticShared > cuda->sharedPerBlock)
    return tooLarge(cuda, kernel, "bytes of shared memory for a block", bytes + kernel->staticShared,
                    cuda->sharedPerBlock);
  StitchStatus status = stitchCudaImageAllowShared(m->image, kernel->function, (int)bytes);
  if (!status)
    kernel->sharedAllowed = (int)bytes;
  return status;
}

enum { MOST_ATTRIBUTES = 3 };

/// The configuration of a launch. `attributes` has room for all that there are.
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

/// The number of resident blocks of such a launch.
static StitchStatus countResident(StitchCuda *cuda, const StitchCudaKernel *kernel, const StitchCudaLaunch *launch,
                                  int64_t *resident) {
  int count = 0;
  StitchStatus status = NULL;
  if (kernel->cluster > 1) {
    CUlaunchAttribute attributes[MOST_ATTRIBUTES];
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

static StitchStatus checkResources(StitchCudaModule *m, StitchCudaKernel *kernel, const StitchCudaLaunch *launch) {
  StitchCuda *cuda = m->cuda;
  if (launch->block > kernel->maxBlock)
    return tooLarge(cuda, kernel, "threads in a block", launch->block, kernel->maxBlock);
  if (kernel->cluster > 1 && launch->grid % kernel->cluster != 0)
    return stitchStatusMake(STITCH_INTERNAL, "kernel '%s': %lld blocks are no multiple of its clusters of %d",
                            kernel->name, (long long)launch->grid, kernel->cluster);
  StitchStatus status = allowShared(m, kernel, launch->sharedBytes);
  if (!status)
    status = countResident(cuda, kernel, launch, &kernel->residentBlocks);
  if (!status && kernel->residentBlocks == 0)
    status = kernel->cluster > 1 ? tooLarge(cuda, kernel, "co-resident blocks", kernel->cluster, 0)
                                 : tooLarge(cuda, kernel, "multiprocessors with room for a block", 1, 0);
  return status;
}

StitchStatus stitchCudaModulePrepare(StitchCudaModule *m, const StitchCudaLaunch *launch) {
  StitchCudaKernel *kernel = &m->kernels[launch->kernel];
  if (kernel->checkedBlock != launch->block || kernel->checkedShared != launch->sharedBytes) {
    StitchStatus status = checkResources(m, kernel, launch);
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
    return tooLarge(m->cuda, kernel, "co-resident blocks", launch->grid, kernel->residentBlocks);
  return NULL;
}

void stitchCudaModuleForget(StitchCudaModule *m) { m->before = -1; }

/// Whether a launch may begin while the one before it is at work: if its blocks spread over the multiprocessors as well
/// as later. Where the other has most multiprocessors, they would share the few that are free. (On an H200 attention in
/// a decoder, 13 us, took 27 when it was launched behind a copy of thousands of blocks.) Not if all blocks have to be
/// resident together.
static bool mayBeginEarly(const StitchCudaModule *m, const StitchCudaLaunch *launch) {
  enum { FEW = 8 }; // blocks for each of so many multiprocessors make no difference
  int64_t all = m->cuda->multiprocessors, few = all / FEW;
  if (!m->launchesAhead || launch->cooperative || m->before < 0)
    return false;
  return m->before <= few || launch->grid <= few || m->before + launch->grid <= all;
}

StitchStatus stitchCudaModuleLaunch(StitchCudaModule *m, const StitchCudaLaunch *launch, CUstream stream,
                                    void **parameters) {
  StitchStatus status = stitchCudaModulePrepare(m, launch);
  if (status)
    return status;
  const StitchCudaKernel *kernel = &m->kernels[launch->kernel];
  CUlaunchAttribute attributes[MOST_ATTRIBUTES];
  CUlaunchConfig config = configure(kernel, launch, stream, attributes);
  if (mayBeginEarly(m, launch))
    attributes[config.numAttrs++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                                        .value = {.programmaticStreamSerializationAllowed = 1}};
  for (int64_t i = 0; i < launch->numArguments; ++i)
    parameters[i] = (void *)(uintptr_t)&launch->arguments[i];
  m->before = launch->grid;
  CUresult result = m->cuda->driver.cuLaunchKernelEx(&config, kernel->function, parameters, NULL);
  if (result == CUDA_SUCCESS)
    return NULL;
  return stitchStatusAnnotate(stitchCudaCheck(&m->cuda->driver, result, "cuLaunchKernelEx"), "kernel '%s'",
                              kernel->name);
}
