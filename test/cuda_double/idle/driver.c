//===- driver.c - a CUDA driver and cuBLASLt that do nothing -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every call succeeds at once, and nothing is computed: the time of a run on it is the host's own time, the runtime's
// and the program's. THERE IS NO GPU.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cuda_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma clang diagnostic ignored "-Wunused-parameter" // it does nothing with them

#define EXPORTED __attribute__((visibility("default")))

static char object; // the object of all handles
static CUgraphNode node = (CUgraphNode)(void *)&object;

/// For functions whose results nobody reads.
static CUresult succeed(void) { return CUDA_SUCCESS; }

/// For functions whose first parameter is where a handle goes.
static CUresult makeHandle(void **handle) {
  *handle = &object;
  return CUDA_SUCCESS;
}

static CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

static CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}

static CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

static CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  snprintf(name, (size_t)length, "a driver that does nothing");
  return CUDA_SUCCESS;
}

/// Of an H200.
static CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = 9;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 0;
    break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 132;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = 232448;
    break;
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    *value = 1;
    break;
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    *value = 0;
    break;
  }
  return CUDA_SUCCESS;
}

static CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  *pointer = (CUdeviceptr)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult cuMemFree(CUdeviceptr pointer) {
  free((void *)(uintptr_t)pointer);
  return CUDA_SUCCESS;
}

static CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  *pointer = malloc(bytes + 1);
  return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult cuMemFreeHost(void *pointer) {
  free(pointer);
  return CUDA_SUCCESS;
}

static CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  *milliseconds = 0.0f;
  return CUDA_SUCCESS;
}

static CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK           ? 1024
           : attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? 49152
                                                                          : 0;
  return CUDA_SUCCESS;
}

static CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block, size_t bytes) {
  *blocks = 16;
  return CUDA_SUCCESS;
}

static CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  *clusters = 16;
  return CUDA_SUCCESS;
}

static CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

static CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) { return makeHandle((void **)graph); }

static CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                       const CUgraphNode **dependencies, size_t *count) {
  *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  *id = 1;
  *graph = (CUgraph)(void *)&object;
  *dependencies = &node;
  *count = 1;
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                      CUdriverProcAddressQueryResult *result);

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *result) {
#define OWN(function)                                                                                                  \
  {                                                                                                                    \
    #function, (void *)(uintptr_t)function                                                                             \
  }
  static const struct {
    const char *name;
    void *function;
  } own[] = {
      OWN(cuDriverGetVersion),
      OWN(cuDeviceGetCount),
      OWN(cuDeviceGet),
      OWN(cuDeviceGetName),
      OWN(cuDeviceGetAttribute),
      OWN(cuMemAlloc),
      OWN(cuMemFree),
      OWN(cuMemHostAlloc),
      OWN(cuMemFreeHost),
      OWN(cuEventElapsedTime),
      OWN(cuFuncGetAttribute),
      OWN(cuOccupancyMaxActiveBlocksPerMultiprocessor),
      OWN(cuOccupancyMaxActiveClusters),
      OWN(cuStreamIsCapturing),
      OWN(cuStreamEndCapture),
      OWN(cuStreamGetCaptureInfo),
      {"cuDevicePrimaryCtxRetain", (void *)(uintptr_t)makeHandle},
      {"cuCtxPopCurrent", (void *)(uintptr_t)makeHandle},
      {"cuStreamCreate", (void *)(uintptr_t)makeHandle},
      {"cuEventCreate", (void *)(uintptr_t)makeHandle},
      {"cuModuleLoadDataEx", (void *)(uintptr_t)makeHandle},
      {"cuModuleGetFunction", (void *)(uintptr_t)makeHandle},
      {"cuGraphInstantiateWithFlags", (void *)(uintptr_t)makeHandle},
  };
#undef OWN
  *function = (void *)(uintptr_t)succeed;
  for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); ++i)
    if (strcmp(own[i].name, name) == 0)
      *function = own[i].function;
  *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// cuBLASLt
//===----------------------------------------------------------------------===//

#define CUBLASLT_SYMBOL(result, name, parameters) EXPORTED result name parameters;
#include "runtime/cuda/cublaslt_symbols.def"
#undef CUBLASLT_SYMBOL

#define MAKE(name, handle, ...)                                                                                        \
  cublasStatus_t name(handle *result __VA_OPT__(, ) __VA_ARGS__) {                                                     \
    *result = &object;                                                                                                 \
    return CUBLAS_STATUS_SUCCESS;                                                                                      \
  }
#define SUCCEED(name, ...)                                                                                             \
  cublasStatus_t name(__VA_ARGS__) { return CUBLAS_STATUS_SUCCESS; }

size_t cublasLtGetVersion(void) { return 130001; }
const char *cublasLtGetStatusName(cublasStatus_t status) { return status ? "?" : "CUBLAS_STATUS_SUCCESS"; }
const char *cublasLtGetStatusString(cublasStatus_t status) { return status ? "?" : "success"; }
MAKE(cublasLtCreate, cublasLtHandle_t)
MAKE(cublasLtMatmulDescCreate, cublasLtMatmulDesc_t, cublasComputeType_t compute, cudaDataType scale)
MAKE(cublasLtMatrixLayoutCreate, cublasLtMatrixLayout_t, cudaDataType type, uint64_t rows, uint64_t columns,
     int64_t leading)
MAKE(cublasLtMatmulPreferenceCreate, cublasLtMatmulPreference_t)
SUCCEED(cublasLtDestroy, cublasLtHandle_t handle)
SUCCEED(cublasLtMatmulDescDestroy, cublasLtMatmulDesc_t desc)
SUCCEED(cublasLtMatmulDescSetAttribute, cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
        const void *value, size_t bytes)
SUCCEED(cublasLtMatrixLayoutDestroy, cublasLtMatrixLayout_t layout)
SUCCEED(cublasLtMatrixLayoutSetAttribute, cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
        const void *value, size_t bytes)
SUCCEED(cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreference_t preference)
SUCCEED(cublasLtMatmulPreferenceSetAttribute, cublasLtMatmulPreference_t preference,
        cublasLtMatmulPreferenceAttributes_t attribute, const void *value, size_t bytes)
SUCCEED(cublasLtMatmul, cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
        cublasLtMatrixLayout_t aLayout, const void *b, cublasLtMatrixLayout_t bLayout, const void *beta, const void *c,
        cublasLtMatrixLayout_t cLayout, void *d, cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t *algo,
        void *workspace, size_t workspaceBytes, CUstream stream)

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t *results, int *count) {
  results[0] = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS};
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
