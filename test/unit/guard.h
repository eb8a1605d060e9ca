//===- guard.h - memory with a guard behind it ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_UNIT_GUARD_H
#define STITCH_TEST_UNIT_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, GUARD_VALUE = 0xFF };

/// `count` elements and a guard behind them, all NaN, so that a read before the write, or behind the end, shows. The
/// caller frees it.
static inline float *allocateGuarded(int64_t count) {
  size_t bytes = ((size_t)count * sizeof(float) + GUARD_BYTES + 63) / 64 * 64;
  float *data = aligned_alloc(64, bytes);
  if (!data)
    exit(1);
  memset(data, GUARD_VALUE, bytes);
  return data;
}

/// Whether nothing was written behind the elements.
static inline bool isGuarded(const float *data, int64_t count) {
  const unsigned char *guard = (const unsigned char *)(data + count);
  for (int i = 0; i < GUARD_BYTES; ++i)
    if (guard[i] != GUARD_VALUE)
      return false;
  return true;
}

#endif // STITCH_TEST_UNIT_GUARD_H
