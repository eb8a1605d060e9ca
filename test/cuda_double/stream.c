//===- stream.c - streams and events of the test double ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/races.h"
#include "test/cuda_double/touches.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Event {
  Object object;
  Stream *stream; ///< that it was recorded on
  bool recorded;  ///< its turn has come
  bool timing;
  double seconds;
  long long issued, done; ///< recordings that have been asked for, and made
  struct Graph *capture;  ///< that it was recorded in last; NULL: in none
  Dependencies dependencies;
  Clock clock; ///< operations before the last recording that was asked for
} Event;

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static bool copyBytes(const Op *op) {
  void *to = op->toHost ? op->toHost : translate(op->to, op->bytes);
  const void *from = op->fromHost ? op->fromHost : translate(op->from, op->bytes);
  if (!to || !from)
    return false;
  memcpy(to, from, op->bytes);
  touch(to, op->bytes, true);
  if (!op->parameters) // of pageable memory there is a copy
    touch(from, op->bytes, false);
  return true;
}

static bool setBytes(const Op *op) {
  void *to = translate(op->to, op->bytes);
  if (!to)
    return false;
  memset(to, op->value, op->bytes);
  touch(to, op->bytes, true);
  return true;
}

/// The made-up clock. Its noise is the same in each process.
static double hostSeconds = 0;

EXPORTED double stitchDoubleSeconds(void) { return hostSeconds; }

/// When an operation begins. The nodes of a graph wait for others of it, and the stream for all of them.
static double beginOf(const Stream *stream, const Op *op) {
  double begin = stream->now > op->earliest ? stream->now : op->earliest;
  Launch *launch = op->launch;
  if (!launch)
    return begin;
  if (launch->begin < 0)
    launch->begin = begin;
  begin = launch->begin;
  const Dependencies *d = &launch->dependencies[op->node];
  for (size_t i = 0; i < d->count; ++i) {
    double end = launch->ends[((const Node *)d->nodes[i])->index];
    begin = end > begin ? end : begin;
  }
  return begin;
}

/// One step of a hash function.
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) ^ x >> 32;
}

/// How many times as long as others this kernel or call takes.
static double ownFactor(const Op *op) {
  if (!config.random)
    return 1;
  uint64_t hash = mix((uint64_t)config.random + ((uint64_t)op->kind << 32)) ^ op->problem;
  for (const char *c = op->kind == OP_KERNEL ? op->function->name : ""; *c; ++c)
    hash = mix(hash ^ (uint64_t)*c);
  return 0.5 + (double)(mix(hash) >> 11) * 0x1p-53;
}

static void takeTime(Stream *stream, const Op *op) {
  static uint64_t state = 1;
  bool isCall = op->kind == OP_MATMUL || op->kind == OP_CONVOLUTION || op->kind == OP_WORK;
  double further = op->kind == OP_WORK ? (double)op->work->further : 0;
  double cost = isCall ? config.call_ns + config.algorithm_ns * (double)op->fasterWays + config.batch_ns * further +
                             config.column_ns * (double)op->columns
                : op->kind == OP_KERNEL ? config.launch_ns + config.block_ns * (double)op->grid
                : op->kind == OP_WAIT   ? config.wait_ns
                                        : 0;
  cost *= ownFactor(op);
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  double end = beginOf(stream, op) + 1e-9 * cost * (1 + 0.01 * config.noise * (double)(state >> 40) * 0x1p-24);
  if (op->kind == OP_WAIT && op->event->seconds > end)
    end = op->event->seconds;
  if (op->launch)
    op->launch->ends[op->node] = end;
  stream->now = !op->launch || end > stream->now ? end : stream->now;
}

static bool recordEvent(const Stream *stream, const Op *op) {
  struct timespec now;
  op->event->recorded = op->ticket == op->event->issued;
  op->event->done = op->ticket;
  op->event->seconds = stream->now;
  if (config.launch_ns || config.call_ns)
    return true;
  clock_gettime(CLOCK_MONOTONIC, &now);
  op->event->seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  return true;
}

static bool runNext(Stream *stream);

/// Has the other stream come to the recording that is waited for.
static bool waitFor(const Op *op) {
  while (op->event->done < op->ticket)
    if (op->event->stream->isRunning)
      pauseUnlocked();
    else if (!runNext(op->event->stream)) {
      violation("an event that a stream waits for is never recorded");
      return false;
    }
  return true;
}

static CUresult run(Stream *stream, const Op *op) {
  bool ok = op->kind != OP_WAIT || waitFor(op);
  if (ok)
    takeTime(stream, op);
  touchesBegin();
  switch (op->kind) {
  case OP_KERNEL:
    ok = runKernel(op);
    break;
  case OP_SET:
    ok = setBytes(op);
    break;
  case OP_COPY:
    ok = copyBytes(op);
    break;
  case OP_RECORD:
    ok = recordEvent(stream, op);
    break;
  case OP_WAIT:
    break;
  case OP_MATMUL:
    ok = runMatmul(op->matmul);
    break;
  case OP_CONVOLUTION:
    ok = runConvolution(op->convolution);
    break;
  case OP_WORK:
    ok = op->work->run(op->work);
    if (!ok)
      fprintf(stderr, "cuda double: an operand of a library call is not device memory\n");
    break;
  }
  if (!ok)
    stickyError = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (ok && config.races)
    racesCheck(op);
  return stickyError;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

void append(Queue *queue, const Op *op) {
  if (queue->count == queue->capacity) {
    queue->capacity = queue->capacity ? 2 * queue->capacity : 64;
    queue->ops = realloc(queue->ops, queue->capacity * sizeof(*queue->ops));
    if (!queue->ops)
      abort();
  }
  queue->ops[queue->count++] = *op;
}

/// Runs the next operation of a stream; false if there is none, after an error, or while another thread runs one.
static bool runNext(Stream *stream) {
  Queue *queue = &stream->queue;
  if (stickyError || queue->next == queue->count || stream->isRunning)
    return false;
  Op op = queue->ops[queue->next++];
  stream->isRunning = true;
  run(stream, &op);
  stream->isRunning = false;
  return true;
}

/// With a seed, other streams go on, too, as far as they can without this one.
static void runOthers(const Stream *stream) {
  static uint64_t state = 1;
  for (Object *object = firstObject(); object && config.seed; object = object->next) {
    Stream *other = (Stream *)object;
    if (object->kind != KIND_STREAM || !object->alive || other == stream || other->queue.next == other->queue.count)
      continue;
    const Op *op = &other->queue.ops[other->queue.next];
    state = state * UINT64_C(6364136223846793005) + (uint64_t)config.seed;
    if ((state >> 62) == 0 && (op->kind != OP_WAIT || op->event->done >= op->ticket))
      runNext(other);
  }
}

CUresult flush(Stream *stream) {
  do {
    runOthers(stream);
    while (stream->isRunning)
      pauseUnlocked();
  } while (runNext(stream));
  stream->queue.count = stream->queue.next = 0;
  hostSeconds = stream->now > hostSeconds ? stream->now : hostSeconds;
  return stickyError;
}

static Stream legacy = {.object = {.kind = KIND_STREAM, .alive = true}};

bool isLegacy(const Stream *stream) { return stream == &legacy; }

Stream *streamOf(CUstream handle, const char *function) {
  if (handle == (CUstream)1)
    return &legacy;
  return isObject(handle, KIND_STREAM, function) ? (Stream *)handle : NULL;
}

CUresult flushAll(void) {
  flush(&legacy);
  for (Object *object = firstObject(); object; object = object->next)
    if (object->kind == KIND_STREAM && object->alive)
      flush((Stream *)object);
  racesHostWaits(NULL);
  return stickyError;
}

CUresult synchronize(Stream *stream) {
  CUresult result = flush(stream);
  racesHostWaits(orderNow(&stream->timeline));
  return result;
}

static bool queueUses(const Queue *queue, const Module *module) {
  for (size_t i = queue->next; i < queue->count; ++i)
    if (queue->ops[i].function && queue->ops[i].function->module == module)
      return true;
  return false;
}

bool isUsedByQueue(const Module *module) {
  bool isUsed = queueUses(&legacy.queue, module);
  for (Object *object = firstObject(); object && !isUsed; object = object->next)
    isUsed = object->kind == KIND_STREAM && queueUses(&((Stream *)object)->queue, module);
  return isUsed;
}

/// The next operation on a stream waits, without an event, for the operations on another: they run now.
static void follow(Stream *stream, Stream *other) {
  while (runNext(other))
    ;
  orderFollow(&stream->timeline, orderNow(&other->timeline));
}

/// The legacy default stream and streams that are not CU_STREAM_NON_BLOCKING wait for each other.
static void orderLegacy(Stream *stream) {
  if (stream->isBlocking)
    follow(stream, &legacy);
  for (Object *object = firstObject(); object && isLegacy(stream); object = object->next)
    if (object->kind == KIND_STREAM && object->alive && ((Stream *)object)->isBlocking)
      follow(stream, (Stream *)object);
}

/// Gives an operation that is enqueued its place in the order.
static void place(Stream *stream, Op *op) {
  orderLegacy(stream);
  if (op->kind == OP_RECORD)
    op->event->clock = *orderNow(&stream->timeline);
  else if (op->kind == OP_WAIT)
    orderFollow(&stream->timeline, &op->event->clock);
  else if (!op->position)
    op->position = orderPlace(&stream->timeline);
}

/// A graph runs behind the operations on its stream, and behind its own last launch.
const Position *placeLaunch(Stream *stream, LastLaunch *last) {
  orderLegacy(stream);
  while (last->stream && last->stream != stream && runNext(last->stream))
    ;
  orderFollow(&stream->timeline, &last->clock);
  const Position *position = orderPlace(&stream->timeline);
  *last = (LastLaunch){stream, position->clock};
  return position;
}

CUresult enqueue(CUstream handle, const Op *op) {
  Stream *stream = streamOf(handle, "an operation on a stream");
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  Op now = *op;
  orderNow(&stream->timeline);
  now.stream = now.launch ? now.stream : stream->timeline.number;
  if (stream->capture) {
    CUgraphNode node = (CUgraphNode)addNode(stream->capture, &now, &stream->dependencies);
    stream->dependencies = (Dependencies){{node}, 1};
    return CUDA_SUCCESS;
  }
  now.earliest = hostSeconds;
  place(stream, &now);
  append(&stream->queue, &now);
  return CUDA_SUCCESS;
}

CUresult enqueueWork(CUstream stream, const Work *work) {
  Work *copy = malloc(work->bytes);
  if (!copy)
    abort();
  memcpy(copy, work, work->bytes);
  return enqueue(stream, &(Op){.kind = OP_WORK, .work = copy});
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

CUresult double_cuStreamCreate(CUstream *stream, unsigned int flags) {
  ENTER_CONTEXT(cuStreamCreate);
  if (flags > CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  Stream *created = newObject(KIND_STREAM, sizeof(*created));
  created->isBlocking = flags != CU_STREAM_NON_BLOCKING;
  orderBegin(&created->timeline);
  *stream = (CUstream)created;
  return CUDA_SUCCESS;
}

CUresult double_cuStreamDestroy(CUstream stream) {
  ENTER(cuStreamDestroy);
  if (!currentContext("cuStreamDestroy") || !isObject(stream, KIND_STREAM, "cuStreamDestroy"))
    return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = flush((Stream *)stream);
  if (((Stream *)stream)->capture && !((Stream *)stream)->isBranch)
    destroyGraph(((Stream *)stream)->capture);
  orderEnd(&((Stream *)stream)->timeline);
  destroyObject(stream);
  return result;
}

CUresult double_cuStreamSynchronize(CUstream handle) {
  ENTER_CONTEXT(cuStreamSynchronize);
  Stream *stream = streamOf(handle, "cuStreamSynchronize");
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    stream->invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return synchronize(stream);
}

bool spoilCaptures(void) {
  bool any = false;
  for (Object *object = firstObject(); object; object = object->next) {
    Stream *stream = (Stream *)object;
    if (object->kind != KIND_STREAM || !object->alive || !stream->capture ||
        stream->thread != (unsigned long long)pthread_self())
      continue;
    stream->invalidated = true;
    any = true;
  }
  return any;
}

CUresult unsafeInCapture(const char *function) {
  if (!spoilCaptures())
    return CUDA_SUCCESS;
  fprintf(stderr, "cuda double: %s during a capture\n", function);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

CUresult double_cuEventCreate(CUevent *event, unsigned int flags) {
  ENTER_CONTEXT(cuEventCreate);
  Event *created = newObject(KIND_EVENT, sizeof(*created));
  created->timing = !(flags & CU_EVENT_DISABLE_TIMING);
  *event = (CUevent)created;
  return CUDA_SUCCESS;
}

CUresult double_cuEventDestroy(CUevent event) {
  ENTER(cuEventDestroy);
  if (!isObject(event, KIND_EVENT, "cuEventDestroy"))
    return CUDA_ERROR_INVALID_HANDLE;
  destroyObject(event);
  return stickyError;
}

CUresult double_cuEventRecord(CUevent handle, CUstream stream) {
  ENTER_CONTEXT(cuEventRecord);
  if (!isObject(handle, KIND_EVENT, "cuEventRecord") || !streamOf(stream, "cuEventRecord"))
    return CUDA_ERROR_INVALID_HANDLE;
  Event *event = (Event *)handle;
  event->stream = streamOf(stream, "cuEventRecord");
  event->capture = event->stream->capture;
  event->dependencies = event->stream->dependencies;
  if (event->capture) // no node: only a dependency of others
    return CUDA_SUCCESS;
  event->recorded = false;
  return enqueue(stream, &(Op){.kind = OP_RECORD, .event = event, .ticket = ++event->issued});
}

/// An event of a capture brings the stream into it.
static CUresult waitInCapture(Stream *stream, const Event *event) {
  if (!event->capture || !event->capture->object.alive || (stream->capture && stream->capture != event->capture)) {
    violation("cuStreamWaitEvent: a capture and what is outside of it wait for each other");
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (!stream->capture) {
    stream->capture = event->capture;
    stream->isBranch = true;
    stream->dependencies.count = 0;
    stream->thread = (unsigned long long)pthread_self();
  }
  return addDependencies(&stream->dependencies, &event->dependencies) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult double_cuStreamWaitEvent(CUstream handle, CUevent waited, unsigned int flags) {
  ENTER_CONTEXT(cuStreamWaitEvent);
  Stream *stream = streamOf(handle, "cuStreamWaitEvent");
  if (!stream || flags || !isObject(waited, KIND_EVENT, "cuStreamWaitEvent"))
    return CUDA_ERROR_INVALID_HANDLE;
  Event *event = (Event *)waited;
  if (callsOf("cuStreamWaitEvent") == config.skip_wait)
    return CUDA_SUCCESS;
  if (stream->capture || event->capture)
    return waitInCapture(stream, event);
  return enqueue(handle, &(Op){.kind = OP_WAIT, .event = event, .ticket = event->issued});
}

CUresult double_cuEventSynchronize(CUevent handle) {
  ENTER_CONTEXT(cuEventSynchronize);
  if (!isObject(handle, KIND_EVENT, "cuEventSynchronize"))
    return CUDA_ERROR_INVALID_HANDLE;
  Event *event = (Event *)handle;
  CUresult result = event->stream ? flush(event->stream) : CUDA_SUCCESS;
  racesHostWaits(&event->clock);
  return result;
}

CUresult double_cuEventElapsedTime(float *milliseconds, CUevent first, CUevent second) {
  ENTER_CONTEXT(cuEventElapsedTime);
  if (!isObject(first, KIND_EVENT, "cuEventElapsedTime") || !isObject(second, KIND_EVENT, "cuEventElapsedTime"))
    return CUDA_ERROR_INVALID_HANDLE;
  const Event *start = (const Event *)first, *end = (const Event *)second;
  if (!start->recorded || !end->recorded)
    return CUDA_ERROR_NOT_READY;
  *milliseconds = (float)((end->seconds - start->seconds) * 1e3);
  return start->timing && end->timing ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
