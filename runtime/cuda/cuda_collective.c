//===- cuda_collective.c - calls between processes on a GPU ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NCCL moves the data. It combines them, too, where it does as tg says: sums and products of f32, f64 and integers
// (whose order is NCCL's own), smallest and largest integers. Elsewhere the parts come to each process, and a kernel of
// our own combines them in the order of the group. These are narrow floats, which are summed in f32 and rounded once,
// floats that may be NaN, bits, complex numbers. Of large tensors that happens in two steps that move no more than a
// ring does: each process combines its part of the tensor, and then all get all parts.
//
// Around each call a kernel of one thread tells the peers' thread where the GPU is (runtime/world/peers.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/call.h"
#include "runtime/cuda/ticks.h"
#include "runtime/library/combine.h"
#include "runtime/library/cpu_collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Above so many bytes of all parts together, a tensor is combined in two steps.
enum { LARGEST_AT_ONCE = 1 << 18 };

/// How a call combines.
typedef enum { NOT, BY_NCCL, AT_ONCE, IN_TWO_STEPS } Combination;

typedef struct {
  StitchCudaCalls *calls;
  StitchLibraryProblem problem;
  int64_t index;
  ncclComm_t communicator; ///< NULL: this process has no part in it
  int64_t ranks[2 * STITCH_LIBRARY_MAX_PROCESSES];
  StitchWorldGroup group; ///< of this process; of a permutation, those that it sends to or receives from
  int64_t source, target; ///< of a permutation; -1: none
  Combination combination;
  ncclDataType_t type; ///< BY_NCCL
  ncclRedOp_t operation;
  int64_t fromCount, toCount; ///< elements
  size_t bytes;               ///< of an element
} CudaCollective;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static bool findType(StitchElementType type, ncclDataType_t *found) {
  static const ncclDataType_t types[] = {
      [STITCH_ELEMENT_F32] = ncclFloat32, [STITCH_ELEMENT_F64] = ncclFloat64, [STITCH_ELEMENT_I8] = ncclInt8,
      [STITCH_ELEMENT_I32] = ncclInt32,   [STITCH_ELEMENT_I64] = ncclInt64,   [STITCH_ELEMENT_UI8] = ncclUint8,
      [STITCH_ELEMENT_UI32] = ncclUint32, [STITCH_ELEMENT_UI64] = ncclUint64,
  };
  bool isThere = type == STITCH_ELEMENT_F32 || type == STITCH_ELEMENT_F64 || type == STITCH_ELEMENT_I8 ||
                 type == STITCH_ELEMENT_I32 || type == STITCH_ELEMENT_I64 || type == STITCH_ELEMENT_UI8 ||
                 type == STITCH_ELEMENT_UI32 || type == STITCH_ELEMENT_UI64;
  if (isThere)
    *found = types[type];
  return isThere;
}

/// Truth values are bytes that are 0 or 1: their sum and disjunction is the largest, their conjunction the smallest.
static bool findOperation(StitchElementType type, int64_t combiner, ncclDataType_t *nccl, ncclRedOp_t *operation) {
  static const ncclRedOp_t operations[] = {[STITCH_LIBRARY_ADD] = ncclSum,
                                           [STITCH_LIBRARY_MUL] = ncclProd,
                                           [STITCH_LIBRARY_MIN] = ncclMin,
                                           [STITCH_LIBRARY_MAX] = ncclMax};
  bool isTruth = type == STITCH_ELEMENT_I1 && combiner != STITCH_LIBRARY_XOR;
  bool isFloat = type == STITCH_ELEMENT_F32 || type == STITCH_ELEMENT_F64;
  if (isTruth) {
    *nccl = ncclUint8;
    bool isLargest = combiner == STITCH_LIBRARY_ADD || combiner == STITCH_LIBRARY_OR || combiner == STITCH_LIBRARY_MAX;
    *operation = isLargest ? ncclMax : ncclMin;
    return true;
  }
  if (!findType(type, nccl) || combiner > (isFloat ? STITCH_LIBRARY_MUL : STITCH_LIBRARY_MAX))
    return false;
  *operation = operations[combiner];
  return true;
}

static int64_t tensorElements(const StitchLibraryTensor *tensor) {
  int64_t count = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

static void planCombination(CudaCollective *c) {
  const StitchLibraryProblem *p = &c->problem;
  bool isReduce = p->kind == STITCH_LIBRARY_ALL_REDUCE;
  if (!isReduce && p->kind != STITCH_LIBRARY_REDUCE_SCATTER)
    return;
  size_t bytes = (size_t)c->fromCount * c->bytes * (size_t)c->group.count;
  c->combination = findOperation(p->operands[0].type, p->collective.combiner, &c->type, &c->operation) ? BY_NCCL
                   : isReduce && bytes > LARGEST_AT_ONCE                                               ? IN_TWO_STEPS
                                                                                                       : AT_ONCE;
}

static StitchStatus planGroup(CudaCollective *c) {
  const StitchLibraryCollective *table = &c->problem.collective;
  StitchCommunicators *communicators = c->calls->communicators;
  int64_t rank = stitchPeersRank(stitchCommunicatorsPeers(communicators));
  c->source = c->target = -1;
  if (c->problem.kind != STITCH_LIBRARY_COLLECTIVE_PERMUTE) {
    c->group = stitchCollectiveGroup(table, rank, c->ranks);
    return stitchCommunicatorsGroup(communicators, table, &c->communicator);
  }
  c->source = stitchCollectiveSource(table, rank);
  c->target = stitchCollectiveTarget(table, rank);
  c->group.ranks = c->ranks;
  if (c->source >= 0)
    c->ranks[c->group.count++] = c->source;
  if (c->target >= 0)
    c->ranks[c->group.count++] = c->target;
  c->communicator = c->group.count && c->source != rank ? stitchCommunicatorsAll(communicators) : NULL;
  return NULL;
}

static void destroyCollective(void *call) { free(call); }

static StitchStatus createCollective(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  StitchCollective *checked = NULL;
  StitchStatus status =
      stitchCollectiveCreate(problem, &checked); // the same check as on the CPU refuses malformed problems
  stitchCollectiveDestroy(checked);
  if (!status && !calls->communicators)
    status = stitchStatusMake(STITCH_FAILED_PRECONDITION, "the model is for one process, and calls others");
  CudaCollective *c = status ? NULL : calloc(1, sizeof(*c));
  if (!c)
    return status ? status : stitchStatusOutOfMemory();
  bool isId = problem->kind == STITCH_LIBRARY_PROCESS_ID;
  *c = (CudaCollective){.calls = calls,
                        .problem = *problem,
                        .index = calls->index,
                        .fromCount = tensorElements(&problem->operands[0]),
                        .toCount = tensorElements(&problem->operands[isId ? 0 : 1]),
                        .bytes = stitchElementBytes(problem->operands[0].type)};
  status = isId ? NULL : planGroup(c);
  if (!status && !isId)
    planCombination(c);
  if (status)
    destroyCollective(c);
  else
    *call = c;
  if (!status && !isId)
    stitchTicksAdd(&calls->ticks, c->index, calls->name, c->group);
  return status;
}

/// Elements of a process's part in two steps: the last parts may be filled up.
static int64_t partCount(const CudaCollective *c) { return (c->fromCount + c->group.count - 1) / c->group.count; }

/// Several sums that NCCL does not make are put into one tensor.
static bool isPacked(const CudaCollective *c) {
  return stitchLibraryIsBucket(&c->problem) && c->combination != BY_NCCL && c->group.count > 0;
}

static size_t packedBytes(const CudaCollective *c) {
  return isPacked(c) ? stitchCudaAligned((size_t)c->fromCount * c->bytes) : 0;
}

/// The parts of all; in two steps the tensor, filled up, then this process's part of each process, then that combined.
static size_t combiningBytes(const CudaCollective *c) {
  size_t part = (size_t)c->toCount * c->bytes, count = (size_t)c->group.count;
  if (c->combination == AT_ONCE && count > 0)
    return stitchCudaAligned(part * count);
  if (c->combination != IN_TWO_STEPS || count == 0)
    return 0;
  part = (size_t)partCount(c) * c->bytes;
  return 2 * stitchCudaAligned(part * count) + stitchCudaAligned(part);
}

/// Behind that the packed tensor, and its result.
static size_t collectiveWorkspaceBytes(const void *call) {
  const CudaCollective *c = call;
  return combiningBytes(c) + 2 * packedBytes(c);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Where an execution's data are.
typedef struct {
  const CudaCollective *c;
  const StitchNccl *nccl;
  const char *from;
  char *to, *workspace;
  CUstream stream;
} CollectiveRun;

static StitchStatus settle(const CollectiveRun *r, ncclResult_t result, const char *call) {
  return stitchCommunicatorsSettle(r->c->calls->communicators, r->c->communicator, result, call);
}

#define SETTLED(r, function, ...) settle(r, (r)->nccl->function(__VA_ARGS__), #function)

static StitchStatus copy(const CollectiveRun *r, void *to, const void *from, size_t bytes) {
  return bytes ? CUDA_CALL(r->c->calls->cuda, cuMemcpyDtoDAsync, (CUdeviceptr)(uintptr_t)to,
                           (CUdeviceptr)(uintptr_t)from, bytes, r->stream)
               : NULL;
}

static StitchStatus gather(const CollectiveRun *r, const void *from, void *to, size_t bytes) {
  return SETTLED(r, ncclAllGather, from, to, bytes, ncclUint8, r->c->communicator, r->stream);
}

/// A call of NCCL in a group of calls: the first that fails is kept.
static void keepFirstError(ncclResult_t *first, ncclResult_t result) {
  if (*first == ncclSuccess || *first == ncclInProgress)
    *first = result;
}

/// `bytes` bytes for each member of the group, and from each.
static StitchStatus exchange(const CollectiveRun *r, const char *from, char *to, size_t bytes) {
  const CudaCollective *c = r->c;
  ncclResult_t result = r->nccl->ncclGroupStart();
  for (int64_t i = 0; i < c->group.count; ++i) {
    keepFirstError(&result,
                   r->nccl->ncclSend(from + (size_t)i * bytes, bytes, ncclUint8, (int)i, c->communicator, r->stream));
    keepFirstError(&result,
                   r->nccl->ncclRecv(to + (size_t)i * bytes, bytes, ncclUint8, (int)i, c->communicator, r->stream));
  }
  keepFirstError(&result, r->nccl->ncclGroupEnd());
  return settle(r, result, "ncclSend and ncclRecv");
}

static StitchStatus permute(const CollectiveRun *r) {
  const CudaCollective *c = r->c;
  size_t bytes = (size_t)c->toCount * c->bytes;
  if (!c->communicator) // from itself to itself
    return copy(r, r->to, r->from, bytes);
  ncclResult_t result = r->nccl->ncclGroupStart();
  if (c->target >= 0)
    keepFirstError(&result, r->nccl->ncclSend(r->from, bytes, ncclUint8, (int)c->target, c->communicator, r->stream));
  if (c->source >= 0)
    keepFirstError(&result, r->nccl->ncclRecv(r->to, bytes, ncclUint8, (int)c->source, c->communicator, r->stream));
  keepFirstError(&result, r->nccl->ncclGroupEnd());
  return settle(r, result, "ncclSend and ncclRecv");
}

/// A tensor of `count` elements from each member, one after the other.
static StitchStatus combineParts(const CollectiveRun *r, const void *parts, int64_t count, void *to) {
  const StitchLibraryProblem *p = &r->c->problem;
  StitchCombineParameters parameters = {
      .from = parts,
      .to = to,
      .type = p->operands[0].type,
      .combiner = p->collective.combiner,
      .parts = r->c->group.count,
      .count = count,
  };
  return stitchOwnKernelsLaunch(&r->c->calls->kernels, STITCH_OWN_COMBINE, count, &parameters, r->stream);
}

/// The elements that fill up the last part are combined, too, and dropped: they may be anything.
static StitchStatus combineInTwoSteps(const CollectiveRun *r) {
  const CudaCollective *c = r->c;
  int64_t count = partCount(c);
  size_t bytes = (size_t)c->fromCount * c->bytes, part = (size_t)count * c->bytes;
  size_t all = stitchCudaAligned(part * (size_t)c->group.count);
  char *whole = r->workspace, *mine = whole + all, *combined = mine + all;
  StitchStatus status = copy(r, whole, r->from, bytes);
  if (!status)
    status = exchange(r, whole, mine, part);
  if (!status)
    status = combineParts(r, mine, count, combined);
  if (!status)
    status = gather(r, combined, whole, part);
  return status ? status : copy(r, r->to, whole, bytes);
}

static StitchStatus reduce(const CollectiveRun *r) {
  const CudaCollective *c = r->c;
  bool isScattered = c->problem.kind == STITCH_LIBRARY_REDUCE_SCATTER;
  size_t count = (size_t)c->toCount;
  if (c->combination == IN_TWO_STEPS)
    return combineInTwoSteps(r);
  if (c->combination == BY_NCCL)
    return isScattered
               ? SETTLED(r, ncclReduceScatter, r->from, r->to, count, c->type, c->operation, c->communicator, r->stream)
               : SETTLED(r, ncclAllReduce, r->from, r->to, count, c->type, c->operation, c->communicator, r->stream);
  StitchStatus status = isScattered ? exchange(r, r->from, r->workspace, count * c->bytes)
                                    : gather(r, r->from, r->workspace, count * c->bytes);
  return status ? status : combineParts(r, r->workspace, c->toCount, r->to);
}

static StitchStatus move(const CollectiveRun *r) {
  const CudaCollective *c = r->c;
  size_t bytes = (size_t)c->fromCount * c->bytes;
  switch (c->problem.kind) {
  case STITCH_LIBRARY_ALL_GATHER:
    return gather(r, r->from, r->to, bytes);
  case STITCH_LIBRARY_ALL_TO_ALL:
    return exchange(r, r->from, r->to, bytes / (size_t)c->group.count);
  case STITCH_LIBRARY_COLLECTIVE_BROADCAST:
    return SETTLED(r, ncclBroadcast, r->from, r->to, bytes, ncclUint8, 0, c->communicator, r->stream);
  case STITCH_LIBRARY_COLLECTIVE_PERMUTE:
    return permute(r);
  default:
    return reduce(r);
  }
}

static StitchStatus set(const CudaCollective *c, void *to, unsigned char value, size_t bytes, CUstream stream) {
  return bytes ? CUDA_CALL(c->calls->cuda, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)to, value, bytes, stream) : NULL;
}

/// There are at most 256 processes: a number has one byte that is not zero.
static StitchStatus storeId(const CudaCollective *c, void *to, CUstream stream) {
  int64_t rank = stitchPeersRank(stitchCommunicatorsPeers(c->calls->communicators));
  StitchStatus status = set(c, to, 0, c->bytes, stream);
  return status ? status : set(c, to, (unsigned char)rank, 1, stream);
}

static StitchStatus executeInOrder(const CudaCollective *c, const CollectiveRun *run) {
  StitchStatus status = stitchTicksBegin(&c->calls->ticks, c->index, run->stream);
  if (!status)
    status = move(run);
  return status ? status : stitchTicksEnd(&c->calls->ticks, c->index, run->stream);
}

/// Sums that NCCL makes of several tensors in one call.
static StitchStatus executeTogether(const CudaCollective *c, const CollectiveRun *r, void *const *pointers) {
  ncclResult_t result = r->nccl->ncclGroupStart();
  for (int64_t i = 0; i < c->problem.count; ++i)
    if (c->problem.collective.elements[i] > 0)
      keepFirstError(&result, r->nccl->ncclAllReduce(pointers[2 * i], pointers[2 * i + 1],
                                                     (size_t)c->problem.collective.elements[i], c->type, c->operation,
                                                     c->communicator, r->stream));
  keepFirstError(&result, r->nccl->ncclGroupEnd());
  return settle(r, result, "ncclAllReduce of several tensors");
}

/// Copies the tensors of every second pointer to one, or back.
static StitchStatus copyParts(const CudaCollective *c, const CollectiveRun *r, char *whole, void *const *pointers,
                              bool isBack) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < c->problem.count && !status; ++i) {
    size_t bytes = (size_t)c->problem.collective.elements[i] * c->bytes;
    status = isBack ? copy(r, pointers[2 * i], whole, bytes) : copy(r, whole, pointers[2 * i], bytes);
    whole += bytes;
  }
  return status;
}

/// Results have as many bytes as `bytesEach` says, or, if it is 0, as their sums.
static StitchStatus clearParts(const CudaCollective *c, void *const *pointers, size_t bytesEach, CUstream stream) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < c->problem.count && !status; ++i) {
    size_t bytes = bytesEach ? bytesEach : (size_t)c->problem.collective.elements[i] * c->bytes;
    status = set(c, pointers[2 * i + 1], 0, bytes, stream);
  }
  return status;
}

/// Several sums: by NCCL in a group of calls, else as one tensor.
static StitchStatus executeBucket(const CudaCollective *c, void *const *pointers, char *workspace, CUstream stream) {
  char *packed = workspace + combiningBytes(c);
  CollectiveRun run = {
      c, stitchCommunicatorsNccl(c->calls->communicators), packed, packed + packedBytes(c), workspace, stream};
  if (c->group.count == 0)
    return clearParts(c, pointers, 0, stream);
  if (c->fromCount == 0)
    return NULL;
  StitchStatus status = isPacked(c) ? copyParts(c, &run, packed, pointers, false) : NULL;
  if (!status)
    status = stitchTicksBegin(&c->calls->ticks, c->index, stream);
  if (!status)
    status = isPacked(c) ? reduce(&run) : executeTogether(c, &run, pointers);
  if (!status)
    status = stitchTicksEnd(&c->calls->ticks, c->index, stream);
  return status || !isPacked(c) ? status : copyParts(c, &run, run.to, pointers + 1, true);
}

/// The results are windows: the operand goes to the own one, if it has not been computed there, and a signal tells of
/// it.
static StitchStatus showOperand(const CudaCollective *c, const CollectiveRun *r, void *window) {
  size_t bytes = (size_t)c->fromCount * c->bytes;
  StitchStatus status = window == r->from ? NULL : copy(r, window, r->from, bytes);
  return status ? status : stitchCudaWindowsSignal(c->calls->windows, &c->calls->ticks, c->index, r->stream);
}

/// The operands of all members of the group, each of which has a place of its own.
static StitchStatus executeOfAll(const CudaCollective *c, void *const *pointers, CUstream stream) {
  CollectiveRun run = {c, stitchCommunicatorsNccl(c->calls->communicators), pointers[0], NULL, NULL, stream};
  size_t bytes = (size_t)c->fromCount * c->bytes;
  void *window = c->calls->windows ? stitchCudaWindowsOperand(c->calls->windows, pointers[1]) : NULL;
  if (window)
    return showOperand(c, &run, window);
  if (c->group.count == 0)
    return clearParts(c, pointers, bytes, stream);
  StitchStatus status = stitchTicksBegin(&c->calls->ticks, c->index, stream);
  ncclResult_t result = status ? ncclSuccess : run.nccl->ncclGroupStart();
  for (int64_t i = 0; i < c->problem.count && !status; ++i)
    keepFirstError(&result, run.nccl->ncclBroadcast(pointers[0], pointers[2 * i + 1], bytes, ncclUint8, (int)i,
                                                    c->communicator, stream));
  if (!status)
    keepFirstError(&result, run.nccl->ncclGroupEnd());
  if (!status)
    status = settle(&run, result, "ncclBroadcast of all");
  return status ? status : stitchTicksEnd(&c->calls->ticks, c->index, stream);
}

static StitchStatus executeCollective(void *call, void *const *pointers, void *workspace, CUstream stream) {
  const CudaCollective *c = call;
  StitchStatus failure = stitchPeersFailure(stitchCommunicatorsPeers(c->calls->communicators));
  if (failure)
    return failure;
  if (stitchLibraryIsBucket(&c->problem))
    return executeBucket(c, pointers, workspace, stream);
  if (stitchLibraryIsOfAll(&c->problem))
    return executeOfAll(c, pointers, stream);
  if (c->problem.kind == STITCH_LIBRARY_PROCESS_ID)
    return storeId(c, pointers[0], stream);
  CollectiveRun run = {c,     stitchCommunicatorsNccl(c->calls->communicators), pointers[0], pointers[1], workspace,
                       stream};
  bool isPermutation = c->problem.kind == STITCH_LIBRARY_COLLECTIVE_PERMUTE;
  bool receives = isPermutation ? c->source >= 0 : c->group.count > 0;
  StitchStatus status = receives ? NULL : set(c, run.to, 0, (size_t)c->toCount * c->bytes, stream);
  bool moves = c->group.count > 0 && c->fromCount > 0 && c->toCount > 0;
  return status || !moves ? status : executeInOrder(c, &run);
}

#define KIND(variable, text)                                                                                           \
  const StitchCudaCallKind variable = {                                                                                \
      .name = text,                                                                                                    \
      .create = createCollective,                                                                                      \
      .workspaceBytes = collectiveWorkspaceBytes,                                                                      \
      .execute = executeCollective,                                                                                    \
      .destroy = destroyCollective,                                                                                    \
  }

KIND(stitchCudaAllReduce, "all_reduce");
KIND(stitchCudaAllGather, "all_gather");
KIND(stitchCudaReduceScatter, "reduce_scatter");
KIND(stitchCudaAllToAll, "all_to_all");
KIND(stitchCudaBroadcast, "collective_broadcast");
KIND(stitchCudaPermute, "collective_permute");
KIND(stitchCudaProcessId, "process_id");
