//===- compile_kernels.c - kernels to PTX, side by side ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR translates the module once, to bitcode, from which each thread takes one kernel after the other: an LLVM context
// belongs to one thread. The PTX of the kernels is joined in their order.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/compile_kernels.h"

#include "capi/diagnostics.h"
#include "capi/threads.h"
#include "ir/mlir/arena.h"
#include "lowering/llvm/kernel_cache.h"
#include "lowering/ptx/compile_kernel.h"
#include "lowering/ptx/ptx_join.h"

#include <stdio.h>
#include <stdlib.h>

/// Bytes that the cache may take.
static const long long cacheLimit = 256ll << 20;

typedef struct {
  StitchLLVMCode code;
  char *error;
  bool wasBroken; ///< in the cache
} CompiledKernel;

/// The work of all threads.
typedef struct {
  const StitchLLVMCode *bitcode;
  const StitchLLVMTarget *target;
  const char *cache;
  char libraryHash[STITCH_CONTENT_HASH_TEXT];
  int count;
  CompiledKernel *kernels;
} KernelsWork;

static void compileOne(void *data, int i) {
  KernelsWork *w = data;
  CompiledKernel *k = &w->kernels[i];
  k->error = stitchCompileKernel(w->bitcode, i, w->target, w->libraryHash, w->cache, &k->code, &k->wasBroken);
}

static void hashLibrary(KernelsWork *w) {
  StitchContentHash hash;
  stitchContentHashBegin(&hash);
  if (w->target->library)
    stitchContentHashAdd(&hash, w->target->library->data, w->target->library->size);
  stitchContentHashEnd(&hash, w->libraryHash);
}

/// Reports errors in the order of the kernels; of several like ones, the first.
static bool reportErrors(MlirOperation module, const KernelsWork *w) {
  bool ok = true;
  for (int i = 0; i < w->count; ++i) {
    if (w->kernels[i].error && ok)
      stitchEmitOpError(module, "%s", w->kernels[i].error);
    ok = ok && !w->kernels[i].error;
    if (w->kernels[i].wasBroken)
      stitchEmitWarning(mlirOperationGetLocation(module),
                        "a damaged entry in the cache of kernels '%s' is ignored and replaced", w->cache);
  }
  return ok;
}

static bool compile(MlirOperation module, KernelsWork *w, StitchLLVMCode *ptx) {
  w->kernels = irAllocateZeroed((size_t)w->count + 1, sizeof *w->kernels);
  if (w->cache)
    hashLibrary(w);
  stitchRunInThreads(mlirOperationGetContext(module), w->count, compileOne, w);
  if (w->cache)
    stitchCacheTrim(w->cache, cacheLimit);
  bool ok = reportErrors(module, w);
  StitchLLVMCode *parts = irAllocateZeroed((size_t)w->count + 1, sizeof *parts);
  for (int i = 0; i < w->count; ++i)
    parts[i] = w->kernels[i].code;
  if (ok)
    *ptx = stitchJoinPTX(parts, w->count);
  for (int i = 0; i < w->count; ++i) {
    free(w->kernels[i].code.data);
    free(w->kernels[i].error);
  }
  free(parts);
  free(w->kernels);
  return ok;
}

MlirLogicalResult stitchCompileKernels(MlirOperation module, const StitchLLVMTarget *target, const char *cache,
                                       StitchLLVMCode *ptx) {
  StitchLLVMCode bitcode;
  if (mlirLogicalResultIsFailure(stitchTranslateToBitcode(module, target, &bitcode)))
    return mlirLogicalResultFailure();
  KernelsWork w = {.bitcode = &bitcode, .target = target, .cache = cache, .count = stitchCountKernels(&bitcode)};
  bool ok = true;
  if (w.count > 0)
    ok = compile(module, &w, ptx);
  else
    ok = mlirLogicalResultIsSuccess(stitchCompileLLVM(module, target, ptx));
  free(bitcode.data);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
