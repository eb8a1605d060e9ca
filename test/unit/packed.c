//===- packed.c - unit test of bytes that are mostly zero ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/library/packed.h"
#include "runtime/library/cpu_problem.h"
#include "test/unit/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 200000 };

static uint8_t data[MOST], back[MOST], packed[2 * MOST + 16];

/// Packs, and unpacks into memory that ends where the bytes do.
static size_t roundTrip(size_t bytes) {
  size_t size = stitchPack(data, bytes, NULL);
  CHECK(size <= 2 * bytes + 16 && stitchPack(data, bytes, packed) == size);
  memset(back, 0, sizeof(back));
  CHECK(stitchUnpack(packed, size, back, bytes) && memcmp(data, back, bytes) == 0);
  CHECK(!stitchUnpack(packed, size, back, bytes + 1) || bytes + 1 == 0);
  CHECK(bytes == 0 || !stitchUnpack(packed, size, back, bytes - 1));
  CHECK(size == 0 || !stitchUnpack(packed, size - 1, back, bytes));
  return size;
}

int main(void) {
  CHECK(roundTrip(0) == 0);
  CHECK(roundTrip(MOST) <= 4 * 8); // zeros, of which a run has at most 65535
  srand(1);
  for (int seed = 0; seed < 300; ++seed) {
    size_t bytes = (size_t)(rand() % (seed % 30 ? 3000 : MOST));
    int share = 1 + rand() % 100; // of a hundred that are not zero
    for (size_t i = 0; i < bytes; ++i)
      data[i] = rand() % 100 < share ? (uint8_t)rand() : 0;
    roundTrip(bytes);
  }
  memset(data, 7, sizeof(data));
  CHECK(roundTrip(MOST) <= MOST + 4 * 8);
  StitchLibraryProblem problem = {.kind = STITCH_LIBRARY_DOT, .numOperands = 3};
  for (int i = 0; i < 3; ++i)
    problem.operands[i] = (StitchLibraryTensor){STITCH_ELEMENT_F32, 2, {64, 64}};
  memcpy(data, &problem, sizeof(problem));
  CHECK(roundTrip(sizeof(problem)) < sizeof(problem) / 16);
  return checkResult();
}
