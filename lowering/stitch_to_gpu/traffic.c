//===- traffic.c - the bytes that a kernel moves to and from memory ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counted as accesses are emitted, so that a buffer that a kernel reads twice counts twice. A sweep is what a task does
// for one root (in a column loop: for all of them): however often it touches a buffer, a cache serves all but the first
// touch of each byte, so a sweep moves at most all bytes of a buffer.
//
//===----------------------------------------------------------------------===//

#include "ir/arithmetic.h"
#include "lowering/stitch_to_gpu/kernel.h"

/// What the current sweep has accessed of one buffer.
struct TrafficBuffer {
  struct TrafficBuffer *next;
  int64_t key;   ///< a kernel argument's number, or -1 - offset in scratch memory
  int64_t bytes; ///< of the whole buffer
  int64_t read, written;
};

/// What tells a buffer from others; false for shared memory.
static bool keyOf(MlirValue memref, int64_t *key) {
  MlirType type = mlirValueGetType(memref);
  if (!mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
    return false;
  if (mlirValueIsABlockArgument(memref)) {
    *key = mlirBlockArgumentGetArgNumber(memref);
    return true;
  }
  MlirOperation offset = irDefiningOp(irOperand(irDefiningOp(memref), 1)); // of the memref.view of scratch memory
  *key = -1 - irGetInt(offset, "value", 0);
  return true;
}

/// Of the whole buffer, or of the slice of it that the kernel stores.
static int64_t bytesOf(Emitter *e, MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  int64_t elementBytes = irElementBytes(irElementType(type));
  for (intptr_t i = 0; i < e->plan->numSlices; ++i)
    if (mlirValueEqual(e->slices[i], memref))
      return irNumElements(e->plan->slices[i].shape) * elementBytes;
  return irNumElements(irTypeShape(type)) * elementBytes;
}

static struct TrafficBuffer *bufferOf(Emitter *e, MlirValue memref) {
  int64_t key;
  if (!keyOf(memref, &key))
    return NULL;
  struct TrafficBuffer *buffer = e->traffic.sweep;
  while (buffer && buffer->key != key)
    buffer = buffer->next;
  if (buffer)
    return buffer;
  buffer = IR_NEW(&e->arena, struct TrafficBuffer);
  *buffer = (struct TrafficBuffer){e->traffic.sweep, key, bytesOf(e, memref), 0, 0};
  e->traffic.sweep = buffer;
  return buffer;
}

void trafficRead(Emitter *e, MlirValue memref, int64_t bytes) {
  struct TrafficBuffer *buffer = bufferOf(e, memref);
  if (buffer)
    buffer->read += bytes * e->traffic.executions;
}

void trafficWrite(Emitter *e, MlirValue memref, int64_t bytes) {
  struct TrafficBuffer *buffer = bufferOf(e, memref);
  if (buffer)
    buffer->written += bytes * e->traffic.executions;
}

void trafficEndSweep(Emitter *e) {
  for (struct TrafficBuffer *buffer = e->traffic.sweep; buffer; buffer = buffer->next) {
    e->traffic.read += min64(buffer->read, buffer->bytes);
    e->traffic.written += min64(buffer->written, buffer->bytes);
  }
  e->traffic.sweep = NULL;
}
