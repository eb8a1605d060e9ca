//===- nccl.c - NCCL of the test double ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Communicators between processes, by messages. Each message says which call it is of: calls in another order, of other
// sizes, types or groups are a violation, where the real one hangs or mixes up data. As with the real one, a call is a
// part of its stream, sums have an order of their own, and a communicator that does not block is in progress for a
// while. An operation that waits for a process goes on waiting until the communicator is aborted.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/nccl_abi.h"

#include "test/cuda_double/elements.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/messages.h"
#include "test/cuda_double/touches.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NCCL_SYMBOL(result, name, parameters) EXPORTED result name parameters;
#include "runtime/cuda/nccl_symbols.def"
#undef NCCL_SYMBOL

enum { MAX_RANKS = 256, MAX_CALLS = 2 * MAX_RANKS + 2 };

/// The first message of each member of a communicator to the others.
typedef struct {
  char what[MESSAGE_WHAT];
  void *data[MAX_RANKS];                 ///< of each; NULL: not come
  size_t bytes;                          ///< of each
  unsigned long long numbers[MAX_RANKS]; ///< of the messages: calls of a group wait at the same time
} Exchange;

typedef enum { READY, JOINING, SPLITTING, FINALIZING } State;

typedef struct {
  Object object;
  char name[MESSAGE_NAME];
  int rank, size;
  bool blocks;
  atomic_bool isAborted;
  atomic_int error; ///< ncclResult_t
  unsigned long long sent[MAX_RANKS], received[MAX_RANKS];
  unsigned long long calls;
  State state;
  Exchange exchange; ///< of its state
  int splits, color, key;
  ncclComm_t *part; ///< where the new one of a split goes
} Communicator;

/// A call, as it is enqueued.
typedef enum { ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, SEND, RECEIVE } CallKind;
typedef struct {
  CallKind kind;
  Communicator *communicator;
  CUdeviceptr from, to;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t operation;
  int other; ///< the root, or who is sent to or received from
} Call;

/// The calls between ncclGroupStart and ncclGroupEnd are one operation.
typedef struct {
  Work work;
  int count;
  Call calls[];
} Calls;

static _Thread_local int depth;
static _Thread_local Calls *group;
static _Thread_local CUstream groupStream;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static void post(Communicator *c, int to, const char *what, const void *data, size_t bytes) {
  sendMessage(&(MessageName){c->name, c->rank, to, c->sent[to]++}, what, data, bytes);
}

/// Takes a message of a rank; false if it has not come.
static bool take(Communicator *c, int from, unsigned long long number, const char *what, size_t bytes, void **data) {
  char got[MESSAGE_WHAT];
  size_t count = 0;
  if (!receiveMessage(&(MessageName){c->name, from, c->rank, number}, got, data, &count))
    return false;
  if (strcmp(got, what) == 0 && count == bytes)
    return true;
  violation("NCCL, communicator %s: rank %d is at %s, and rank %d at %s", c->name, c->rank, what, from, got);
  c->error = ncclRemoteError;
  *data = realloc(*data, bytes + 1);
  return true;
}

static void beginExchange(Communicator *c, Exchange *e, const char *what, const void *own, size_t bytes) {
  memset(e, 0, sizeof(*e));
  e->bytes = bytes;
  snprintf(e->what, sizeof(e->what), "%s", what);
  for (int i = 0; i < c->size; ++i)
    if (i != c->rank) {
      post(c, i, what, own, bytes);
      e->numbers[i] = c->received[i]++;
    }
  e->data[c->rank] = malloc(bytes + 1);
  memcpy(e->data[c->rank], own, bytes);
}

/// Whether all have come.
static bool stepExchange(Communicator *c, Exchange *e) {
  bool isDone = true;
  for (int i = 0; i < c->size; ++i)
    isDone = (e->data[i] || take(c, i, e->numbers[i], e->what, e->bytes, &e->data[i])) && isDone;
  return isDone;
}

static void endExchange(const Communicator *c, Exchange *e) {
  for (int i = 0; i < c->size; ++i)
    free(e->data[i]);
  memset(e->data, 0, sizeof(e->data));
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

static Communicator *newCommunicator(const char *name, int rank, int size, bool blocks) {
  Communicator *c = newObject(KIND_COMMUNICATOR, sizeof(*c));
  snprintf(c->name, sizeof(c->name), "%s", name);
  c->rank = rank;
  c->size = size;
  c->blocks = blocks;
  return c;
}

/// Those of the same color, by key.
static void finishSplit(Communicator *c) {
  int rank = 0, size = 0;
  for (int i = 0; i < c->size; ++i) {
    const int *other = c->exchange.data[i];
    if (other[0] != c->color)
      continue;
    ++size;
    rank += other[1] < c->key || (other[1] == c->key && i < c->rank);
  }
  char name[MESSAGE_NAME];
  snprintf(name, sizeof(name), "%.64s.%d.%d", c->name, c->splits, c->color);
  *c->part = c->color == NCCL_SPLIT_NOCOLOR ? NULL : (ncclComm_t)newCommunicator(name, rank, size, c->blocks);
}

/// A GPU that two ranks have is one too few.
static void finishJoin(Communicator *c) {
  for (int i = 0; i < c->size; ++i)
    if (i != c->rank && memcmp(c->exchange.data[i], c->exchange.data[c->rank], c->exchange.bytes) == 0)
      c->error = ncclInvalidUsage;
}

/// Continues the operation that a communicator is in; whether it is done.
static bool stepState(Communicator *c) {
  if (c->state == READY || c->state == FINALIZING)
    return true;
  if (!stepExchange(c, &c->exchange))
    return false;
  if (c->state == JOINING)
    finishJoin(c);
  if (c->state == SPLITTING)
    finishSplit(c);
  endExchange(c, &c->exchange);
  c->state = READY;
  return true;
}

static ncclResult_t beginState(Communicator *c, State state, const char *what, const void *own, size_t bytes) {
  beginExchange(c, &c->exchange, what, own, bytes);
  c->state = state;
  if (!c->blocks)
    return ncclInProgress;
  while (!stepState(c) && !c->isAborted)
    pauseUnlocked();
  return (ncclResult_t)c->error;
}

static Communicator *communicatorOf(ncclComm_t handle, const char *function) {
  if (!isObject(handle, KIND_COMMUNICATOR, function))
    return NULL;
  Communicator *c = (Communicator *)handle;
  bool isInProgress = c->state == JOINING || c->state == SPLITTING;
  if (isInProgress && strcmp(function, "ncclCommGetAsyncError") != 0 && strcmp(function, "ncclCommAbort") != 0) {
    violation("%s: the communicator is in progress", function);
    return NULL;
  }
  return c;
}

ncclResult_t ncclGetVersion(int *version) {
  ENTER(ncclGetVersion);
  *version = config.nccl;
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result) {
  static const char *const texts[] = {"no error",
                                      "unhandled cuda error",
                                      "unhandled system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error",
                                      "NCCL operation in progress"};
  return (size_t)result < sizeof(texts) / sizeof(texts[0]) ? texts[result] : "unknown result code";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  ENTER(ncclGetUniqueId);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  memset(id, 0, sizeof(*id));
  snprintf(id->internal, sizeof(id->internal), "%d_%lx", (int)getpid(),
           (unsigned long)(now.tv_nsec ^ now.tv_sec << 30));
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *communicator, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t *given) {
  *communicator = POISON;
  ENTER(ncclCommInitRankConfig);
  const StitchNcclConfig *own = (const StitchNcclConfig *)(const void *)given;
  int device = currentOrdinal();
  if (!currentContext("ncclCommInitRankConfig") || size < 1 || size > MAX_RANKS || rank < 0 || rank >= size)
    return ncclInvalidArgument;
  if (own && (own->magic != 0xcafebeef || own->size < sizeof(*own)))
    return ncclInvalidArgument;
  Communicator *c = newCommunicator(id.internal, rank, size, !own || own->blocking != 0);
  *communicator = (ncclComm_t)c;
  char what[MESSAGE_WHAT];
  snprintf(what, sizeof(what), "ncclCommInitRankConfig of %d", size);
  return beginState(c, JOINING, what, &device, sizeof(device));
}

ncclResult_t ncclCommSplit(ncclComm_t communicator, int color, int key, ncclComm_t *part, ncclConfig_t *given) {
  ENTER(ncclCommSplit);
  Communicator *c = communicatorOf(communicator, "ncclCommSplit");
  if (!c || given)
    return ncclInvalidArgument;
  c->color = color;
  c->key = key;
  c->part = part;
  ++c->splits;
  return beginState(c, SPLITTING, "ncclCommSplit", (int[]){color, key}, 2 * sizeof(int));
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t *error) {
  ENTER(ncclCommGetAsyncError);
  Communicator *c = communicatorOf(communicator, "ncclCommGetAsyncError");
  if (!c)
    return ncclInvalidArgument;
  *error = stepState(c) ? (ncclResult_t)c->error : ncclInProgress;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  ENTER(ncclCommFinalize);
  Communicator *c = communicatorOf(communicator, "ncclCommFinalize");
  if (!c)
    return ncclInvalidArgument;
  flushAll();
  c->state = FINALIZING;
  return c->blocks ? ncclSuccess : ncclInProgress;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  ENTER(ncclCommDestroy);
  if (!communicatorOf(communicator, "ncclCommDestroy"))
    return ncclInvalidArgument;
  destroyObject(communicator);
  return ncclSuccess;
}

/// Waiting operations end, with any results.
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  ENTER(ncclCommAbort);
  Communicator *c = communicatorOf(communicator, "ncclCommAbort");
  if (!c)
    return ncclInvalidArgument;
  c->isAborted = true;
  endExchange(c, &c->exchange);
  destroyObject(communicator);
  return ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Execution of calls
//===----------------------------------------------------------------------===//

static const struct {
  StitchElementType type;
  size_t bytes;
} types[] = {
    [ncclInt8] = {STITCH_ELEMENT_I8, 1},     [ncclUint8] = {STITCH_ELEMENT_UI8, 1},
    [ncclInt32] = {STITCH_ELEMENT_I32, 4},   [ncclUint32] = {STITCH_ELEMENT_UI32, 4},
    [ncclInt64] = {STITCH_ELEMENT_I64, 8},   [ncclUint64] = {STITCH_ELEMENT_UI64, 8},
    [ncclFloat16] = {STITCH_ELEMENT_F16, 2}, [ncclFloat32] = {STITCH_ELEMENT_F32, 4},
    [ncclFloat64] = {STITCH_ELEMENT_F64, 8},
};
static const char *const names[] = {"ncclAllReduce", "ncclReduceScatter", "ncclAllGather",
                                    "ncclBroadcast", "ncclSend",          "ncclSend"};

static size_t bytesOf(const Call *call) { return call->count * types[call->type].bytes; }

/// Elements that each rank gives to a collective.
static size_t given(const Call *call) {
  return call->kind == REDUCE_SCATTER ? bytesOf(call) * (size_t)call->communicator->size : bytesOf(call);
}

static double combineFloats(ncclRedOp_t operation, double a, double b) {
  return operation == ncclSum ? a + b : operation == ncclProd ? a * b : (operation == ncclMax) == (a > b) ? a : b;
}

static uint64_t combineIntegers(ncclRedOp_t operation, bool isSigned, uint64_t a, uint64_t b) {
  bool isMore = isSigned ? (int64_t)a > (int64_t)b : a > b;
  return operation == ncclSum ? a + b : operation == ncclProd ? a * b : (operation == ncclMax) == isMore ? a : b;
}

static uint64_t loadInteger(ncclDataType_t type, const void *data, size_t i) {
  size_t bytes = types[type].bytes;
  uint64_t value = 0;
  memcpy(&value, (const char *)data + i * bytes, bytes);
  unsigned shift = (unsigned)(64 - 8 * bytes);
  bool isSigned = type == ncclInt8 || type == ncclInt32 || type == ncclInt64;
  return isSigned ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

/// As in a ring, the order begins at another rank in each part of the tensor, and each step is rounded.
static void reduceElement(const Call *call, void *const *data, size_t at, size_t i, void *to) {
  int size = call->communicator->size, first = (int)(at * (size_t)size / (given(call) / types[call->type].bytes));
  bool isFloat = call->type >= ncclFloat16,
       isSigned = call->type == ncclInt8 || call->type == ncclInt32 || call->type == ncclInt64;
  double real = 0;
  uint64_t integer = 0;
  for (int k = 0; k < size; ++k) {
    const void *part = data[(first + k) % size];
    if (isFloat) {
      double value = loadElement(types[call->type].type, part, (int64_t)at);
      storeElement(types[call->type].type, to, (int64_t)i, k ? combineFloats(call->operation, real, value) : value);
      real = loadElement(types[call->type].type, to, (int64_t)i);
    } else {
      uint64_t value = loadInteger(call->type, part, at);
      integer = k ? combineIntegers(call->operation, isSigned, integer, value) : value;
    }
  }
  if (!isFloat)
    memcpy((char *)to + i * types[call->type].bytes, &integer, types[call->type].bytes);
}

/// All have come.
static void finishCollective(const Call *call, const Exchange *e, char *to) {
  int rank = call->communicator->rank, size = call->communicator->size;
  size_t first = call->kind == REDUCE_SCATTER ? (size_t)rank * call->count : 0;
  if (call->kind == BROADCAST)
    memcpy(to, e->data[call->other], bytesOf(call));
  for (int i = 0; call->kind == ALL_GATHER && i < size; ++i)
    memcpy(to + (size_t)i * bytesOf(call), e->data[i], bytesOf(call));
  for (size_t i = 0; call->kind <= REDUCE_SCATTER && i < call->count; ++i)
    reduceElement(call, e->data, first + i, i, to);
}

/// A call that is under way.
typedef struct {
  const Call *call;
  char *from, *to;
  Exchange exchange;
  void *received;
  unsigned long long number; ///< of the message that is received
  bool isDone;
} Running;

static void describe(const Call *call, char what[MESSAGE_WHAT]) {
  bool isPair = call->kind >= SEND;
  snprintf(what, MESSAGE_WHAT, "%s %llu of %zu elements of type %d, operation %d, root %d, between %d",
           names[call->kind], isPair ? 0 : call->communicator->calls, call->count, (int)call->type,
           (int)call->operation, isPair ? 0 : call->other, call->communicator->size);
}

/// Sends this process's messages of a call. False if an address is not device memory.
static bool begin(Running *r) {
  const Call *call = r->call;
  Communicator *c = call->communicator;
  size_t all = bytesOf(call) * (size_t)(call->kind == ALL_GATHER ? c->size : 1);
  r->from = call->kind == RECEIVE ? NULL : translate(call->from, given(call));
  r->to = call->kind == SEND ? NULL : translate(call->to, all);
  if ((call->kind != RECEIVE && !r->from) || (call->kind != SEND && !r->to))
    return false;
  char what[MESSAGE_WHAT];
  describe(call, what);
  if (call->kind == SEND) {
    post(c, call->other, what, r->from, bytesOf(call));
    r->isDone = true;
  } else if (call->kind == RECEIVE) {
    r->number = c->received[call->other]++;
  } else {
    ++c->calls;
    beginExchange(c, &r->exchange, what, r->from, given(call));
  }
  return true;
}

/// Bytes that other processes have touched in the meantime do not count.
static void touchAll(const Calls *calls, const Running *running) {
  touchesBegin();
  for (int i = 0; i < calls->count; ++i) {
    const Call *call = &calls->calls[i];
    size_t all = bytesOf(call) * (size_t)(call->kind == ALL_GATHER ? call->communicator->size : 1);
    if (running[i].from)
      touch(running[i].from, given(call), false);
    if (running[i].to)
      touch(running[i].to, all, true);
  }
}

static bool step(Running *r) {
  const Call *call = r->call;
  char what[MESSAGE_WHAT];
  if (r->isDone)
    return true;
  describe(call, what);
  r->isDone = call->kind == RECEIVE
                  ? take(call->communicator, call->other, r->number, what, bytesOf(call), &r->received)
                  : stepExchange(call->communicator, &r->exchange);
  if (!r->isDone)
    return false;
  if (call->kind == RECEIVE)
    memcpy(r->to, r->received, bytesOf(call));
  else
    finishCollective(call, &r->exchange, r->to);
  return true;
}

/// The Nth operation of a process that is to be lost ends it; one that is to stall never does its part.
static bool isLost(const Calls *calls) {
  static int count = 0;
  ++count;
  if (count == config.lose) {
    fprintf(stderr, "cuda double: this process is lost\n");
    _exit(EXIT_FAILURE);
  }
  while (count == config.stall && !calls->calls[0].communicator->isAborted)
    pauseUnlocked();
  return count == config.stall;
}

static bool runCalls(const Work *work) {
  const Calls *calls = (const Calls *)work;
  if (isLost(calls))
    return true;
  Running *running = calloc((size_t)calls->count + 1, sizeof(*running));
  bool isValid = running != NULL, isDone = false;
  for (int i = 0; i < calls->count && isValid; ++i) {
    running[i] = (Running){.call = &calls->calls[i]};
    isValid = begin(&running[i]);
  }
  while (isValid && !isDone && !calls->calls[0].communicator->isAborted) {
    isDone = true;
    for (int i = 0; i < calls->count; ++i)
      isDone = step(&running[i]) && isDone;
    if (!isDone)
      pauseUnlocked();
  }
  if (isValid)
    touchAll(calls, running);
  for (int i = 0; running && i < calls->count; ++i) {
    endExchange(calls->calls[i].communicator, &running[i].exchange);
    free(running[i].received);
  }
  free(running);
  return isValid;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Calls *newCalls(void) {
  Calls *calls = calloc(1, sizeof(*calls) + MAX_CALLS * sizeof(calls->calls[0]));
  if (!calls)
    abort();
  return calls;
}

static ncclResult_t enqueueCalls(Calls *calls, CUstream stream) {
  calls->work =
      (Work){runCalls, sizeof(*calls) + (size_t)calls->count * sizeof(calls->calls[0]), names[calls->calls[0].kind], 0};
  return enqueueWork(stream, &calls->work) ? ncclUnhandledCudaError : ncclSuccess;
}

/// Enqueues a call, or makes it a part of the group.
static ncclResult_t add(const Call *call, ncclComm_t communicator, CUstream stream) {
  const char *name = call->kind == RECEIVE ? "ncclRecv" : names[call->kind];
  Call added = *call;
  added.communicator = communicatorOf(communicator, name);
  if (!added.communicator || !streamOf(stream, name))
    return ncclInvalidArgument;
  bool hasType = (size_t)call->type < sizeof(types) / sizeof(types[0]) && (size_t)call->operation <= ncclMin;
  if (!hasType || call->other < 0 || call->other >= added.communicator->size || added.communicator->isAborted)
    return ncclInvalidArgument;
  Calls *calls = depth ? group : newCalls();
  if (calls->count == MAX_CALLS)
    return ncclInternalError;
  calls->calls[calls->count++] = added;
  groupStream = stream;
  ncclResult_t result = depth ? ncclSuccess : enqueueCalls(calls, stream);
  if (!depth)
    free(calls);
  return result;
}

#define ADD(name, ...)                                                                                                 \
  ENTER(name);                                                                                                         \
  return add(&(Call){__VA_ARGS__}, communicator, stream)
#define ADDRESS(pointer) (CUdeviceptr)(uintptr_t)(pointer)

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t communicator, CUstream stream) {
  ADD(ncclAllReduce, ALL_REDUCE, NULL, ADDRESS(from), ADDRESS(to), count, type, operation, 0);
}

ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                               ncclComm_t communicator, CUstream stream) {
  ADD(ncclReduceScatter, REDUCE_SCATTER, NULL, ADDRESS(from), ADDRESS(to), count, type, operation, 0);
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t communicator,
                           CUstream stream) {
  ADD(ncclAllGather, ALL_GATHER, NULL, ADDRESS(from), ADDRESS(to), count, type, ncclSum, 0);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, CUstream stream) {
  ADD(ncclBroadcast, BROADCAST, NULL, ADDRESS(from), ADDRESS(to), count, type, ncclSum, root);
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      CUstream stream) {
  ADD(ncclSend, SEND, NULL, ADDRESS(from), 0, count, type, ncclSum, peer);
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator, CUstream stream) {
  ADD(ncclRecv, RECEIVE, NULL, 0, ADDRESS(to), count, type, ncclSum, peer);
}

ncclResult_t ncclGroupStart(void) {
  ENTER(ncclGroupStart);
  if (depth++ == 0)
    group = newCalls();
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
  ENTER(ncclGroupEnd);
  if (depth == 0) {
    violation("ncclGroupEnd: there is no group");
    return ncclInvalidUsage;
  }
  if (--depth > 0)
    return ncclSuccess;
  ncclResult_t result = group->count ? enqueueCalls(group, groupStream) : ncclSuccess;
  free(group);
  group = NULL;
  return result;
}
