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

#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/values/memory.h"

/// What the current sweep has accessed of one buffer.
struct TrafficBuffer {
  struct TrafficBuffer *next;
  int64_t key;    ///< a kernel argument's number, or -1 - offset in scratch memory
  int64_t bytes;  ///< of the whole buffer
  int64_t stored; ///< of what the kernel stores of it
  int64_t read, written;
};

/// What tells a buffer from others; false for shared memory.
static bool keyOf(MlirValue memref, int64_t *key) {
  MlirType type = mlirValueGetType(memref);
  if (!mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
    return false;
  while (!mlirValueIsABlockArgument(memref) && irOpIs(irDefiningOp(memref), "arith.select"))
    memref = irOperand(irDefiningOp(memref), 1); // of buffers that alternate, one stands for the others
  if (mlirValueIsABlockArgument(memref)) {
    *key = mlirBlockArgumentGetArgNumber(memref);
    return true;
  }
  MlirOperation offset = irDefiningOp(irOperand(irDefiningOp(memref), 1)); // of the memref.view of scratch memory
  *key = -1 - irGetInt(offset, "value", 0);
  return true;
}

static int64_t bytesOf(MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  return irNumElements(irTypeShape(type)) * irElementBytes(irElementType(type));
}

/// Of the whole buffer, or of the slice of it that the kernel stores.
static int64_t storedBytesOf(Memory *memory, MlirValue memref) {
  for (intptr_t i = 0; i < memory->plan->numSlices; ++i)
    if (mlirValueEqual(memory->slices[i], memref))
      return irNumElements(memory->plan->slices[i].shape) * irElementBytes(irElementTypeOf(memref));
  return bytesOf(memref);
}

static struct TrafficBuffer *bufferOf(Memory *memory, MlirValue memref) {
  int64_t key;
  if (!keyOf(memref, &key))
    return NULL;
  struct TrafficBuffer *buffer = memory->traffic.sweep;
  while (buffer && buffer->key != key)
    buffer = buffer->next;
  if (buffer)
    return buffer;
  buffer = IR_NEW(&memory->values->arena, struct TrafficBuffer);
  *buffer = (struct TrafficBuffer){memory->traffic.sweep, key, bytesOf(memref), storedBytesOf(memory, memref), 0, 0};
  memory->traffic.sweep = buffer;
  return buffer;
}

void trafficRead(Memory *memory, MlirValue memref, int64_t bytes) {
  struct TrafficBuffer *buffer = bufferOf(memory, memref);
  if (buffer)
    buffer->read += bytes * memory->traffic.executions;
}

void trafficWrite(Memory *memory, MlirValue memref, int64_t bytes) {
  struct TrafficBuffer *buffer = bufferOf(memory, memref);
  if (buffer)
    buffer->written += bytes * memory->traffic.executions;
}

void trafficEndSweep(Memory *memory) {
  for (struct TrafficBuffer *buffer = memory->traffic.sweep; buffer; buffer = buffer->next) {
    memory->traffic.read += min64(buffer->read, buffer->bytes);
    memory->traffic.written += min64(buffer->written, buffer->stored);
  }
  memory->traffic.sweep = NULL;
}
