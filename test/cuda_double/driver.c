//===- driver.c - devices and contexts of the test double ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 8, MAX_STACK = 32 };

typedef struct {
  Object object;
  int retained;
} Context;

static Context *primary[MAX_DEVICES];
static _Thread_local Context *stack[MAX_STACK];
static _Thread_local int depth = 0;
static bool initialized = false;
static pid_t initializer; ///< a driver is of no use in processes that were forked behind cuInit

static const struct {
  const char *name;
  void *function;
} table[] = {
#define CUDA_SYMBOL(name, version, parameters) {#name, (void *)double_##name},
#include "runtime/cuda/cuda_symbols.def"
#undef CUDA_SYMBOL
    {"cuMemsetD32Async", (void *)double_cuMemsetD32Async},
};

/// The entry that the real library has, too.
EXPORTED CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                                      CUdriverProcAddressQueryResult *result);
EXPORTED CUresult cuDriverGetVersion(int *version);

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *result) {
  ENTER(cuGetProcAddress);
  (void)flags;
  if (version != STITCH_CUDA_ABI_VERSION)
    violation("cuGetProcAddress: asked for CUDA %d, and the declarations are of %d", version, STITCH_CUDA_ABI_VERSION);
  *function = NULL;
  *result = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i)
    if (strcmp(table[i].name, symbol) == 0 && !isMissing(symbol)) {
      *function = table[i].function;
      *result = CU_GET_PROC_ADDRESS_SUCCESS;
    }
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) { return double_cuDriverGetVersion(version); }

CUresult double_cuDriverGetVersion(int *version) {
  ENTER(cuDriverGetVersion);
  *version = config.driver;
  return CUDA_SUCCESS;
}

CUresult double_cuInit(unsigned int flags) {
  ENTER(cuInit);
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (initialized && initializer != getpid())
    return CUDA_ERROR_NOT_INITIALIZED;
  initialized = true;
  initializer = getpid();
  return config.devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

#define KNOWN_ERRORS(X)                                                                                                \
  X(CUDA_ERROR_INVALID_VALUE, "invalid argument")                                                                      \
  X(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")                                                                         \
  X(CUDA_ERROR_NOT_INITIALIZED, "initialization error")                                                                \
  X(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")                                                        \
  X(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid")                                                        \
  X(CUDA_ERROR_INVALID_CONTEXT, "invalid device context")                                                              \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device")                          \
  X(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed")                                                            \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain.")                \
  X(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle")                                                              \
  X(CUDA_ERROR_NOT_FOUND, "named symbol not found")                                                                    \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered")                                            \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch")                                     \
  X(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure")                                                            \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch")                                  \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing")                         \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture")

CUresult double_cuGetErrorName(CUresult error, const char **name) {
  switch (error) {
#define NAME(code, text)                                                                                               \
  case code:                                                                                                           \
    *name = #code;                                                                                                     \
    return CUDA_SUCCESS;
    KNOWN_ERRORS(NAME)
#undef NAME
  default:
    *name = NULL;
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult double_cuGetErrorString(CUresult error, const char **text) {
  switch (error) {
#define TEXT(code, description)                                                                                        \
  case code:                                                                                                           \
    *text = description;                                                                                               \
    return CUDA_SUCCESS;
    KNOWN_ERRORS(TEXT)
#undef TEXT
  default:
    *text = NULL;
    return CUDA_ERROR_INVALID_VALUE;
  }
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

CUresult double_cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount);
  *count = config.devices;
  return initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult double_cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(cuDeviceGet);
  *device = ordinal;
  return ordinal >= 0 && ordinal < config.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult double_cuDeviceGetName(char *name, int length, CUdevice device) {
  ENTER(cuDeviceGetName);
  snprintf(name, (size_t)length, "test double %d, not a GPU", device);
  return CUDA_SUCCESS;
}

CUresult double_cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  ENTER(cuDeviceGetAttribute);
  (void)device;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = config.sms;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = config.arch / 10;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = config.arch % 10;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    *value = 1;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = config.shared;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    *value = config.windows;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CUresult double_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain);
  if (device < 0 || device >= MAX_DEVICES)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!primary[device] || !primary[device]->object.alive)
    primary[device] = newObject(KIND_CONTEXT, sizeof(Context));
  ++primary[device]->retained;
  *context = (CUcontext)primary[device];
  return CUDA_SUCCESS;
}

CUresult double_cuDevicePrimaryCtxRelease(CUdevice device) {
  ENTER(cuDevicePrimaryCtxRelease);
  if (device < 0 || device >= MAX_DEVICES || !isObject(primary[device], KIND_CONTEXT, "cuDevicePrimaryCtxRelease"))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary[device]->retained == 0)
    destroyObject(primary[device]);
  return CUDA_SUCCESS;
}

CUresult double_cuCtxPushCurrent(CUcontext context) {
  ENTER(cuCtxPushCurrent);
  if (depth == MAX_STACK || !isObject(context, KIND_CONTEXT, "cuCtxPushCurrent"))
    return CUDA_ERROR_INVALID_CONTEXT;
  stack[depth++] = (Context *)context;
  return CUDA_SUCCESS;
}

CUresult double_cuCtxPopCurrent(CUcontext *context) {
  ENTER(cuCtxPopCurrent);
  if (depth == 0) {
    violation("cuCtxPopCurrent: there is no current context");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *context = (CUcontext)stack[--depth];
  return CUDA_SUCCESS;
}

int currentOrdinal(void) {
  for (int i = 0; i < MAX_DEVICES && depth > 0; ++i)
    if (primary[i] == stack[depth - 1])
      return i;
  return -1;
}

bool currentContext(const char *function) {
  if (depth > 0 && stack[depth - 1]->object.alive)
    return true;
  violation("%s: %s", function, depth ? "the context is destroyed" : "there is no current context");
  return false;
}
