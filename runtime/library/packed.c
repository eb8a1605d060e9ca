//===- packed.c - bytes that are mostly zero -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs and unpacks the bytes of a StitchLibraryProblem. Unpacking checks every length, as the bytes come from a file.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/packed.h"

#include <string.h>

/// A run of bytes ends at HEAD zeros: they take as many bytes as the head of another run.
enum { HEAD = 4, MOST = 0xffff };

static size_t zerosAt(const uint8_t *data, size_t bytes) {
  size_t count = 0;
  while (count < bytes && count < MOST && data[count] == 0)
    ++count;
  return count;
}

/// Up to where HEAD zeros, or the end, follow.
static size_t othersAt(const uint8_t *data, size_t bytes) {
  size_t count = 0, zeros = 0;
  while (count < bytes && count < MOST && zeros < HEAD) {
    zeros = data[count] ? 0 : zeros + 1;
    ++count;
  }
  return count - zeros;
}

static void putHead(uint8_t *head, size_t zeros, size_t others) {
  head[0] = (uint8_t)zeros;
  head[1] = (uint8_t)(zeros >> 8);
  head[2] = (uint8_t)others;
  head[3] = (uint8_t)(others >> 8);
}

size_t stitchPack(const void *data, size_t bytes, uint8_t *packed) {
  const uint8_t *next = data;
  size_t size = 0;
  while (bytes > 0) {
    size_t zeros = zerosAt(next, bytes), others = othersAt(next + zeros, bytes - zeros);
    if (packed) {
      putHead(packed + size, zeros, others);
      memcpy(packed + size + HEAD, next + zeros, others);
    }
    size += HEAD + others;
    next += zeros + others;
    bytes -= zeros + others;
  }
  return size;
}

bool stitchUnpack(const uint8_t *packed, size_t packedBytes, void *data, size_t bytes) {
  uint8_t *next = data;
  while (packedBytes >= HEAD) {
    size_t zeros = packed[0] + ((size_t)packed[1] << 8), others = packed[2] + ((size_t)packed[3] << 8);
    if (others > packedBytes - HEAD || zeros > bytes || others > bytes - zeros)
      return false;
    memcpy(next + zeros, packed + HEAD, others);
    next += zeros + others;
    bytes -= zeros + others;
    packed += HEAD + others;
    packedBytes -= HEAD + others;
  }
  return packedBytes == 0 && bytes == 0;
}
