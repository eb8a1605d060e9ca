//===- image.c - a model's machine code, loaded on a GPU -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a model's images, cubins and PTX. Loads the one that suits the GPU best into the context, and shares it among
// sessions by reference count. A cubin or PTX that fails to load for a reason of its own is skipped for the next one.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/image.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 8192 };

struct StitchCudaImage {
  StitchCudaImage *next;
  StitchCuda *cuda;                 ///< retained; sessions with the same context may have others
  const StitchModelKernel *kernels; ///< of the model: the image's identity
  int64_t references;
  CUmodule module;
  bool waits; ///< its kernels, for those before them
  char name[64];
  int64_t numAllowed, capacity;
  struct {
    CUfunction function;
    int bytes;
  } *allowed; ///< more shared memory than every function has
};

/// All images of the process.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static StitchCudaImage *images = NULL;

//===----------------------------------------------------------------------===//
// Choosing an image
//===----------------------------------------------------------------------===//

/// How well an image suits; 0: not at all. PTX runs on its architecture and all later ones, a cubin on its own and on
/// later ones with the same major number. Code for an exact architecture (sm_90a) runs on its own alone, and is better
/// there.
static int suitability(const StitchModelImage *image, int arch) {
  enum { OLDER_CUBIN = 1000, PTX = 2000, EXACT_CUBIN = 3000, EXACT = 500 };
  if (image->arch > arch || (image->isExact && image->arch != arch))
    return 0;
  int exact = image->isExact ? EXACT : 0;
  if (image->format == STITCH_IMAGE_PTX)
    return PTX + exact + (int)image->arch;
  if (image->format != STITCH_IMAGE_CUBIN || image->arch / 10 != arch / 10)
    return 0;
  return (image->arch == arch ? EXACT_CUBIN : OLDER_CUBIN) + exact + (int)image->arch;
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
  snprintf(text, size, "%s_%lld%s %s", isPtx ? "compute" : "sm", (long long)image->arch, image->isExact ? "a" : "",
           isPtx ? "PTX" : "cubin");
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

/// Whether the image has a variable.
static StitchStatus findVariable(const StitchCudaImage *image, const char *name, bool *has) {
  CUdeviceptr address;
  size_t bytes;
  CUresult result = image->cuda->driver.cuModuleGetGlobal(&address, &bytes, image->module, name);
  *has = result == CUDA_SUCCESS;
  return result == CUDA_ERROR_NOT_FOUND ? NULL : stitchCudaCheck(&image->cuda->driver, result, "cuModuleGetGlobal");
}

static StitchStatus loadImage(StitchCudaImage *loaded, const StitchModelImage *image, CUresult *result) {
  StitchCuda *cuda = loaded->cuda;
  char *log = calloc(1, LOG_BYTES);
  if (!log)
    return stitchStatusOutOfMemory();
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)};
  nameImage(image, loaded->name, sizeof(loaded->name));
  *result = cuda->driver.cuModuleLoadDataEx(&loaded->module, image->data, 2, options, values);
  StitchStatus status = stitchCudaCheck(&cuda->driver, *result, "cuModuleLoadDataEx");
  trimEnd(log);
  if (status) {
    loaded->module = NULL;
    status = stitchStatusAnnotate(status, "cannot load the model's kernels (%s)%s%s", loaded->name,
                                  *log ? "; the compiler says\n" : "", log);
  }
  free(log);
  if (!status)
    status = findVariable(loaded, "stitch_waits_for_grids", &loaded->waits);
  if (status && loaded->module) {
    cuda->driver.cuModuleUnload(loaded->module);
    loaded->module = NULL;
  }
  return status;
}

/// Whether another image may do where this one does not: not if the GPU is out of memory or broken.
static bool isTheImagesFault(CUresult result) {
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
}

/// The failure of the last image that was tried, after those of the images before it.
static StitchStatus loadBestImage(StitchCudaImage *loaded, const StitchModelDescriptor *model) {
  int arch = loaded->cuda->arch;
  const StitchModelImage *image = bestImage(model, arch, INT32_MAX);
  StitchStatus failure = image ? NULL : wrongArchitecture(model, loaded->cuda);
  CUresult result = CUDA_ERROR_INVALID_IMAGE;
  for (; image && isTheImagesFault(result); image = bestImage(model, arch, suitability(image, arch))) {
    StitchStatus status = loadImage(loaded, image, &result);
    if (status && failure)
      status = stitchStatusAnnotate(status, "%s", stitchStatusMessage(failure));
    stitchStatusFree(failure);
    failure = status;
  }
  return failure;
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

static StitchCudaImage *findImage(const StitchCuda *cuda, const StitchModelDescriptor *model) {
  for (StitchCudaImage *image = images; image; image = image->next)
    if (image->cuda->context == cuda->context && image->kernels == model->kernels)
      return image;
  return NULL;
}

static StitchStatus load(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaImage **result) {
  StitchCudaImage *image = calloc(1, sizeof(*image));
  if (!image)
    return stitchStatusOutOfMemory();
  *image = (StitchCudaImage){.cuda = stitchCudaRetain(cuda), .kernels = model->kernels};
  StitchStatus status = loadBestImage(image, model);
  if (status) {
    stitchCudaRelease(cuda);
    free(image);
    return status;
  }
  image->next = images;
  images = image;
  *result = image;
  return NULL;
}

StitchStatus stitchCudaImageAcquire(StitchCuda *cuda, const StitchModelDescriptor *model, StitchCudaImage **result) {
  pthread_mutex_lock(&mutex);
  StitchCudaImage *image = findImage(cuda, model);
  StitchStatus status = image ? NULL : load(cuda, model, &image);
  if (!status) {
    ++image->references;
    *result = image;
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

static void unload(StitchCudaImage *image) {
  StitchCudaImage **link = &images;
  while (*link != image)
    link = &(*link)->next;
  *link = image->next;
  image->cuda->driver.cuModuleUnload(image->module);
  stitchCudaRelease(image->cuda);
  free(image->allowed);
  free(image);
}

void stitchCudaImageRelease(StitchCudaImage *image) {
  if (!image)
    return;
  pthread_mutex_lock(&mutex);
  if (--image->references == 0)
    unload(image);
  pthread_mutex_unlock(&mutex);
}

CUmodule stitchCudaImageModule(const StitchCudaImage *image) { return image->module; }

bool stitchCudaImageWaits(const StitchCudaImage *image) { return image->waits; }

const char *stitchCudaImageName(const StitchCudaImage *image) { return image->name; }

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The bytes that a function has been allowed; NULL if there is no memory to note them.
static int *allowedBytes(StitchCudaImage *image, CUfunction function) {
  for (int64_t i = 0; i < image->numAllowed; ++i)
    if (image->allowed[i].function == function)
      return &image->allowed[i].bytes;
  if (image->numAllowed == image->capacity) {
    int64_t capacity = image->capacity ? 2 * image->capacity : 16;
    void *larger = realloc(image->allowed, (size_t)capacity * sizeof(*image->allowed));
    if (!larger)
      return NULL;
    image->allowed = larger;
    image->capacity = capacity;
  }
  image->allowed[image->numAllowed].function = function;
  image->allowed[image->numAllowed].bytes = 0;
  return &image->allowed[image->numAllowed++].bytes;
}

StitchStatus stitchCudaImageAllowShared(StitchCudaImage *image, CUfunction function, int bytes) {
  pthread_mutex_lock(&mutex);
  int *allowed = allowedBytes(image, function);
  StitchStatus status = NULL;
  if (!allowed)
    status = stitchStatusOutOfMemory();
  else if (*allowed < bytes)
    status =
        CUDA_CALL(image->cuda, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
  if (!status && *allowed < bytes)
    *allowed = bytes;
  pthread_mutex_unlock(&mutex);
  return status;
}
