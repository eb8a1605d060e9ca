//===- driver.c - the CUDA driver and one GPU's primary context ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens libcuda, finds the functions of cuda_symbols.def by their version, and retains the primary context of one GPU.
// Reads the GPU's attributes once. All later failures of the driver become StitchStatus here.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/driver.h"

#include "runtime/shared_library.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static StitchStatusCode codeOf(CUresult result) {
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return STITCH_OUT_OF_MEMORY;
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
    return STITCH_NOT_FOUND;
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
  case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    return STITCH_FAILED_PRECONDITION;
  default:
    return STITCH_DEVICE_ERROR;
  }
}

StitchStatus stitchCudaCheck(const StitchCudaDriver *driver, CUresult result, const char *call) {
  if (result == CUDA_SUCCESS)
    return NULL;
  const char *name = NULL, *text = NULL;
  if (driver->cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = "an error that this driver does not know";
  if (driver->cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
    text = "no description";
  return stitchStatusMake(codeOf(result), "%s: %s (%d): %s", call, name, (int)result, text);
}

//===----------------------------------------------------------------------===//
// The table of functions
//===----------------------------------------------------------------------===//

static const char purpose[] = "CUDA driver";

/// The CUDA version of a driver too old to be asked for functions by version; 0 if it does not even tell that.
static int versionOfOldDriver(void *library) {
  CUresult (*getVersion)(int *) = NULL;
  int version = 0;
  StitchStatus status = stitchSharedLibrarySymbol(purpose, library, "cuDriverGetVersion", &getVersion);
  if (!status && getVersion(&version) != CUDA_SUCCESS)
    version = 0;
  stitchStatusFree(status);
  return version;
}

static StitchStatus tooOld(int version) {
  return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                          "the CUDA driver is too old: it supports CUDA %d.%d, and Stitch needs 12.0 or later",
                          version / 1000, version % 1000 / 10);
}

static StitchStatus findFunction(StitchCudaGetProcAddress find, const char *name, void *function) {
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  void **address = function;
  *address = NULL;
  CUresult result = find(name, address, STITCH_CUDA_ABI_VERSION, 0, &found);
  if (result == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS && *address)
    return NULL;
  return stitchStatusMake(STITCH_NOT_FOUND, "the %s has no function '%s' of CUDA %d.%d", purpose, name,
                          STITCH_CUDA_ABI_VERSION / 1000, STITCH_CUDA_ABI_VERSION % 1000 / 10);
}

static StitchStatus findFunctions(StitchCudaDriver *driver) {
  StitchCudaGetProcAddress find = NULL;
  StitchStatus missing = stitchSharedLibrarySymbol(purpose, driver->library, "cuGetProcAddress_v2", &find);
  if (missing) {
    stitchStatusFree(missing);
    return tooOld(versionOfOldDriver(driver->library));
  }
  StitchStatus status = NULL;
#define CUDA_SYMBOL(name, version, parameters)                                                                         \
  if (!status)                                                                                                         \
    status = findFunction(find, #name, &driver->name);
#include "runtime/cuda/cuda_symbols.def"
#undef CUDA_SYMBOL
  return status;
}

static StitchStatus openDriver(const char *folder, StitchCudaDriver *driver) {
  static const char *const names[] = {"libcuda.so.1", NULL};
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &driver->library);
  if (status)
    return status;
  status = findFunctions(driver);
  if (!status)
    status = stitchCudaCheck(driver, driver->cuDriverGetVersion(&driver->version), "cuDriverGetVersion");
  if (!status && driver->version < STITCH_CUDA_ABI_VERSION)
    status = tooOld(driver->version);
  if (!status)
    status = stitchCudaCheck(driver, driver->cuInit(0), "cuInit");
  return status;
}

//===----------------------------------------------------------------------===//
// The GPU
//===----------------------------------------------------------------------===//

static StitchStatus findDevice(StitchCuda *cuda, int ordinal) {
  int count = 0;
  StitchStatus status = CUDA_CALL(cuda, cuDeviceGetCount, &count);
  if (!status && (ordinal < 0 || ordinal >= count))
    status = stitchStatusMake(STITCH_NOT_FOUND, "there is no GPU %d: the CUDA driver shows %d", ordinal, count);
  if (!status)
    status = CUDA_CALL(cuda, cuDeviceGet, &cuda->device, ordinal);
  if (!status)
    status = CUDA_CALL(cuda, cuDeviceGetName, cuda->name, (int)sizeof(cuda->name), cuda->device);
  cuda->ordinal = ordinal;
  return status;
}

static StitchStatus readAttributes(StitchCuda *cuda) {
  int major = 0, minor = 0, cooperative = 0;
  const struct {
    CUdevice_attribute attribute;
    int *value;
  } attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &cuda->multiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &cuda->sharedPerBlock},
      {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, &cooperative},
  };
  StitchStatus status = NULL;
  for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !status; ++i)
    status = CUDA_CALL(cuda, cuDeviceGetAttribute, attributes[i].value, attributes[i].attribute, cuda->device);
  cuda->arch = 10 * major + minor;
  cuda->cooperative = cooperative != 0;
  return status;
}

StitchStatus stitchCudaCreate(const char *folder, int ordinal, StitchCuda **result) {
  StitchCuda *cuda = calloc(1, sizeof(*cuda));
  if (!cuda)
    return stitchStatusOutOfMemory();
  atomic_init(&cuda->references, 1);
  StitchStatus status = openDriver(folder, &cuda->driver);
  if (!status)
    status = findDevice(cuda, ordinal);
  if (!status)
    status = readAttributes(cuda);
  if (!status)
    status = CUDA_CALL(cuda, cuDevicePrimaryCtxRetain, &cuda->context, cuda->device);
  if (status) {
    cuda->context = NULL;
    stitchCudaRelease(cuda);
    return status;
  }
  *result = cuda;
  return NULL;
}

StitchCuda *stitchCudaRetain(StitchCuda *cuda) {
  atomic_fetch_add(&cuda->references, 1);
  return cuda;
}

void stitchCudaRelease(StitchCuda *cuda) {
  if (!cuda || atomic_fetch_sub(&cuda->references, 1) > 1)
    return;
  if (cuda->context)
    cuda->driver.cuDevicePrimaryCtxRelease(cuda->device);
  stitchSharedLibraryClose(cuda->driver.library);
  free(cuda);
}

StitchStatus stitchCudaEnter(StitchCuda *cuda) { return CUDA_CALL(cuda, cuCtxPushCurrent, cuda->context); }

void stitchCudaLeave(StitchCuda *cuda) {
  CUcontext context;
  cuda->driver.cuCtxPopCurrent(&context);
}

StitchStatus stitchCudaIsCapturing(StitchCuda *cuda, CUstream stream, bool *capturing) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  StitchStatus status = CUDA_CALL(cuda, cuStreamIsCapturing, stream, &capture);
  *capturing = capture != CU_STREAM_CAPTURE_STATUS_NONE;
  return status;
}
