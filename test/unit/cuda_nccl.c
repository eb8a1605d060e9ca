//===- cuda_nccl.c - the test double's NCCL ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two threads, each a rank with a GPU of its own: calls that both make alike are done, and differences are noticed. NO
// GPU IS INVOLVED.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/driver.h"
#include "runtime/cuda/nccl.h"
#include "test/cuda_double/double.h"
#include "test/unit/check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { RANKS = 2, COUNT = 8 };

/// The function that a rank runs with the communicator of both, on its stream.
typedef struct Rank Rank;
struct Rank {
  int rank;
  StitchCuda *cuda;
  StitchNccl nccl;
  ncclUniqueId id;
  ncclComm_t communicator;
  CUstream stream;
  CUdeviceptr memory; ///< COUNT floats of the rank, and 2 * COUNT for results
  ncclResult_t (*act)(Rank *r);
  ncclResult_t error; ///< of the communicator, in the end
  float result[2 * COUNT];
};

static StitchDoubleConfigure configureDouble;
static StitchDoubleForgive forgive;
static const char folder[] = STITCH_CUDA_DOUBLE_FOLDER "/all";

static void *inputOf(const Rank *r) { return (void *)(uintptr_t)r->memory; }
static void *outputOf(const Rank *r) { return (void *)(uintptr_t)(r->memory + COUNT * sizeof(float)); }

static ncclResult_t settle(Rank *r, ncclResult_t result) {
  while (result == ncclInProgress)
    if (r->nccl.ncclCommGetAsyncError(r->communicator, &result) != ncclSuccess)
      return ncclInternalError;
  return result;
}

static void fill(Rank *r) {
  float values[COUNT];
  for (int i = 0; i < COUNT; ++i)
    values[i] = (float)(i + 100 * r->rank);
  CHECK_OK(CUDA_CALL(r->cuda, cuStreamCreate, &r->stream, CU_STREAM_NON_BLOCKING));
  CHECK_OK(CUDA_CALL(r->cuda, cuMemAlloc, &r->memory, 3 * COUNT * sizeof(float)));
  CHECK_OK(CUDA_CALL(r->cuda, cuMemcpyHtoDAsync, r->memory, values, sizeof(values), r->stream));
}

static void *runRank(void *data) {
  Rank *r = data;
  StitchNcclConfig config = stitchNcclConfig();
  CHECK_OK(stitchCudaEnter(r->cuda));
  ncclResult_t made =
      r->nccl.ncclCommInitRankConfig(&r->communicator, RANKS, r->id, r->rank, (ncclConfig_t *)(void *)&config);
  CHECK(made == ncclInProgress);
  CHECK(settle(r, made) == ncclSuccess);
  fill(r);
  CHECK(r->act(r) == ncclSuccess);
  CHECK_OK(CUDA_CALL(r->cuda, cuMemcpyDtoHAsync, r->result, (CUdeviceptr)(uintptr_t)outputOf(r), sizeof(r->result),
                     r->stream));
  CHECK_OK(CUDA_CALL(r->cuda, cuStreamSynchronize, r->stream));
  CHECK(r->nccl.ncclCommGetAsyncError(r->communicator, &r->error) == ncclSuccess);
  CHECK(settle(r, r->nccl.ncclCommFinalize(r->communicator)) == r->error);
  CHECK(r->nccl.ncclCommDestroy(r->communicator) == ncclSuccess);
  CHECK_OK(CUDA_CALL(r->cuda, cuMemFree, r->memory));
  CHECK_OK(CUDA_CALL(r->cuda, cuStreamDestroy, r->stream));
  stitchCudaLeave(r->cuda);
  return NULL;
}

/// Both ranks do `act`; the number of violations and the first one's text.
static int runBoth(ncclResult_t (*act)(Rank *r), Rank ranks[RANKS], char *text, int size) {
  pthread_t threads[RANKS];
  ncclUniqueId id;
  for (int i = 0; i < RANKS; ++i) {
    ranks[i] = (Rank){.rank = i, .act = act};
    CHECK_OK(stitchCudaCreate(folder, i, &ranks[i].cuda));
    CHECK_OK(stitchNcclOpen(folder, &ranks[i].nccl));
  }
  CHECK(ranks[0].nccl.ncclGetUniqueId(&id) == ncclSuccess);
  for (int i = 0; i < RANKS; ++i) {
    ranks[i].id = id;
    CHECK(pthread_create(&threads[i], NULL, runRank, &ranks[i]) == 0);
  }
  for (int i = 0; i < RANKS; ++i) {
    pthread_join(threads[i], NULL);
    stitchNcclClose(&ranks[i].nccl);
    stitchCudaRelease(ranks[i].cuda);
  }
  return forgive(text, size);
}

//===----------------------------------------------------------------------===//
// Programs of ranks
//===----------------------------------------------------------------------===//

static ncclResult_t sum(Rank *r) {
  return r->nccl.ncclAllReduce(inputOf(r), outputOf(r), COUNT, ncclFloat32, ncclSum, r->communicator, r->stream);
}

static ncclResult_t gather(Rank *r) {
  return r->nccl.ncclAllGather(inputOf(r), outputOf(r), COUNT, ncclFloat32, r->communicator, r->stream);
}

/// Each sends its tensor to the other, which receives it.
static ncclResult_t swap(Rank *r) {
  r->nccl.ncclGroupStart();
  r->nccl.ncclSend(inputOf(r), COUNT, ncclFloat32, 1 - r->rank, r->communicator, r->stream);
  r->nccl.ncclRecv(outputOf(r), COUNT, ncclFloat32, 1 - r->rank, r->communicator, r->stream);
  return r->nccl.ncclGroupEnd();
}

static ncclResult_t sumOrGather(Rank *r) { return r->rank ? sum(r) : gather(r); }

static ncclResult_t sumOfOtherSize(Rank *r) {
  return r->nccl.ncclAllReduce(inputOf(r), outputOf(r), COUNT / (size_t)(1 + r->rank), ncclFloat32, ncclSum,
                               r->communicator, r->stream);
}

static ncclResult_t sumOfOtherType(Rank *r) {
  return r->nccl.ncclAllReduce(inputOf(r), outputOf(r), COUNT, r->rank ? ncclInt32 : ncclFloat32, ncclSum,
                               r->communicator, r->stream);
}

static ncclResult_t otherOperation(Rank *r) {
  return r->nccl.ncclAllReduce(inputOf(r), outputOf(r), COUNT, ncclFloat32, r->rank ? ncclMax : ncclSum,
                               r->communicator, r->stream);
}

/// Two calls, in another order on each.
static ncclResult_t otherOrder(Rank *r) {
  ncclResult_t first = r->rank ? sum(r) : gather(r), second = r->rank ? gather(r) : sum(r);
  return first ? first : second;
}

/// The second rank is alone in a group, and the first in another.
static ncclResult_t split(Rank *r) {
  ncclComm_t part = NULL;
  ncclResult_t result = settle(r, r->nccl.ncclCommSplit(r->communicator, r->rank, 0, &part, NULL));
  if (!result)
    result = r->nccl.ncclAllReduce(inputOf(r), outputOf(r), COUNT, ncclFloat32, ncclSum, part, r->stream);
  CHECK_OK(CUDA_CALL(r->cuda, cuStreamSynchronize, r->stream));
  CHECK(r->nccl.ncclCommDestroy(part) == ncclSuccess);
  return result;
}

static void testAlike(void) {
  Rank ranks[RANKS];
  char text[256];
  CHECK(runBoth(sum, ranks, text, sizeof(text)) == 0);
  for (int i = 0; i < COUNT; ++i)
    CHECK(ranks[0].result[i] == (float)(2 * i + 100) && ranks[1].result[i] == (float)(2 * i + 100));
  CHECK(runBoth(gather, ranks, text, sizeof(text)) == 0);
  for (int i = 0; i < COUNT; ++i)
    CHECK(ranks[0].result[i] == (float)i && ranks[0].result[COUNT + i] == (float)(i + 100));
  CHECK(runBoth(swap, ranks, text, sizeof(text)) == 0);
  for (int i = 0; i < COUNT; ++i)
    CHECK(ranks[0].result[i] == (float)(i + 100) && ranks[1].result[i] == (float)i);
  CHECK(runBoth(split, ranks, text, sizeof(text)) == 0);
  for (int i = 0; i < COUNT; ++i)
    CHECK(ranks[0].result[i] == (float)i && ranks[1].result[i] == (float)(i + 100));
}

static void testDifferent(void) {
  ncclResult_t (*const acts[])(Rank *) = {sumOrGather, sumOfOtherSize, sumOfOtherType, otherOperation, otherOrder};
  for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); ++i) {
    Rank ranks[RANKS];
    char text[256];
    CHECK(runBoth(acts[i], ranks, text, sizeof(text)) > 0);
    CHECK(strstr(text, "is at ncclAll") && strstr(text, "and rank"));
    CHECK(ranks[0].error == ncclRemoteError && ranks[1].error == ncclRemoteError);
  }
}

int main(void) {
  void *library = dlopen(STITCH_CUDA_DOUBLE_FOLDER "/all/libcuda.so.1", RTLD_NOW);
  void *configure = library ? dlsym(library, "stitchDoubleConfigure") : NULL;
  void *forgiveSymbol = library ? dlsym(library, "stitchDoubleForgive") : NULL;
  memcpy(&configureDouble, &configure, sizeof(configure));
  memcpy(&forgive, &forgiveSymbol, sizeof(forgiveSymbol));
  configureDouble("devices=2");
  testAlike();
  testDifferent();
  return checkResult();
}
