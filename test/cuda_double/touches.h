//===- touches.h - the bytes that an operation touches -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that executes an operation tells the bytes that it reads and writes, no byte more: false races would be
// reported. The addresses are those of host memory, page-locked memory and the memory of device addresses.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_TOUCHES_H
#define STITCH_TEST_CUDA_DOUBLE_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uintptr_t begin, end;
} ByteRange;

/// Zero-initialised nothing is touched.
typedef struct {
  ByteRange *ranges;
  size_t count, capacity;
} ByteRanges;

/// An operation begins: nothing has been touched.
void touchesBegin(void);

void touch(const void *memory, size_t bytes, bool isStore);
/// `count` times `bytes` bytes, which begin `stride` bytes behind each other.
void touchStrided(const void *memory, size_t count, size_t stride, size_t bytes, bool isStore);

/// C code runs whose loads and stores are traced (CMakeLists.txt): those in some memory count until touchesBegin.
void touchTraced(ByteRange memory);

/// Bytes that have been read or written since touchesBegin: in ascending order, with gaps between.
const ByteRanges *touched(bool isStore);

#endif // STITCH_TEST_CUDA_DOUBLE_TOUCHES_H
