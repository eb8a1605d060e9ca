//===- thread.h - thread numbers in the runtime's own kernels -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's number comes from the compiler's built-in functions. A test double of the GPU compiles the kernels for the
// CPU and defines the thread's number.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_KERNELS_THREAD_H
#define STITCH_RUNTIME_CUDA_KERNELS_THREAD_H

#include "runtime/cuda/kernels.h"

#ifdef __NVPTX__
#define KERNEL __attribute__((nvptx_kernel))
static int64_t firstIndex(void) {
  return (int64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}
static void waitAWhile(void) {}
static int64_t indexStep(void) { return (int64_t)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x(); }
#else
#define KERNEL
extern _Thread_local int64_t stitchThreadIndex, stitchThreadCount;
void stitchThreadWait(void); ///< lets others go on
static void waitAWhile(void) { stitchThreadWait(); }
static int64_t firstIndex(void) { return stitchThreadIndex; }
static int64_t indexStep(void) { return stitchThreadCount; }
#endif

/// The offset of an element, whose number in row-major order is `index`.
static int64_t offsetOf(const StitchKernelAxes *axes, int64_t index) {
  int64_t offset = 0;
  for (int64_t i = axes->rank; i-- > 0; index /= axes->sizes[i])
    offset += index % axes->sizes[i] * axes->strides[i];
  return offset;
}

#endif // STITCH_RUNTIME_CUDA_KERNELS_THREAD_H
