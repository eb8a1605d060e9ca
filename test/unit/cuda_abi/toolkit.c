//===- toolkit.c - our declarations against a CUDA toolkit's headers -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>

#if __has_include(<cudnn.h>) // cuDNN is no part of the toolkit
#include <cudnn.h>
#endif

#if __has_include(<nccl.h>) // neither is NCCL
#include <nccl.h>
#endif

// With the toolkit's types, our headers declare functions alone.
#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cuda_abi.h"
#include "runtime/cuda/cudnn_abi.h"
#include "runtime/cuda/cufft_abi.h"
#include "runtime/cuda/cusolver_abi.h"
#include "runtime/cuda/nccl_abi.h"
#include "test/unit/cuda_abi/check_facts.h"

#define CUDA_SYMBOL(name, version, parameters)                                                                         \
  _Static_assert(__builtin_types_compatible_p(CUresult(*) parameters, PFN_##name##_v##version), #name);
#include "runtime/cuda/cuda_symbols.def"
#undef CUDA_SYMBOL

_Static_assert(__builtin_types_compatible_p(StitchCudaGetProcAddress, PFN_cuGetProcAddress_v12000), "cuGetProcAddress");

// A second declaration that differs from the first is an error.
#define CUBLASLT_SYMBOL(result, name, parameters) result name parameters;
#include "runtime/cuda/cublaslt_symbols.def"
#undef CUBLASLT_SYMBOL

#define CUDNN_SYMBOL(result, name, parameters) result name parameters;
#include "runtime/cuda/cudnn_symbols.def"
#undef CUDNN_SYMBOL

#define CUFFT_SYMBOL(name, parameters) cufftResult name parameters;
#include "runtime/cuda/cufft_symbols.def"
#undef CUFFT_SYMBOL

#define CUSOLVER_SYMBOL(name, parameters) cusolverStatus_t name parameters;
#include "runtime/cuda/cusolver_symbols.def"
#undef CUSOLVER_SYMBOL

#define CUBLAS_SYMBOL(result, name, parameters) result name parameters;
#include "runtime/cuda/cublas_symbols.def"
#undef CUBLAS_SYMBOL

#define NCCL_SYMBOL(result, name, parameters) result name parameters;
#include "runtime/cuda/nccl_symbols.def"
#undef NCCL_SYMBOL

#ifdef NCCL_CONFIG_INITIALIZER
// Fields of later versions are not given.
#define NCCL_FIELD(field) _Static_assert(offsetof(StitchNcclConfig, field) == offsetof(ncclConfig_t, field), #field);
NCCL_FIELD(size)
NCCL_FIELD(magic)
NCCL_FIELD(version)
NCCL_FIELD(blocking)
NCCL_FIELD(cgaClusterSize)
NCCL_FIELD(minCTAs)
NCCL_FIELD(maxCTAs)
NCCL_FIELD(netName)
NCCL_FIELD(splitShare)
#endif
