//===- cuda_abi.c - declarations of CUDA's interfaces ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a CUDA toolkit is, test/unit/cuda_abi/toolkit.c, a part of the same program, compares them with its headers.
// All checks are made by the compiler.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_abi.h"
#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/cuda/cudnn_abi.h"
#include "runtime/cuda/cufft_abi.h"
#include "runtime/cuda/cusolver_abi.h"
#include "runtime/cuda/nccl_abi.h"
#include "test/unit/cuda_abi/check_facts.h"

int main(void) { return 0; }
