//===- coverage.c - which elements the threads handle --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the mapping of a root. Checks that the threads of its kernel handle each element of its space exactly once: by
// the arithmetic of docs/ir.md, "Mappings", and by counting where the space is small. A fault is an error on the root.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_verify_plan/verify_plan.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"

#include <stdlib.h>

/// Spaces that are enumerated take at most so many steps: the rest is left to the rules above.
enum { MOST_STEPS = 1 << 12 };

/// Element of the space, row-major, that a thread handles in a step of a task (docs/ir.md, "Mappings"); -1 if masked.
/// `chunk` counts the blocks of a task where there are several: chunks of a split row, or blocks of a cluster.
static int64_t handledElement(const StitchMapping *m, int64_t block, int64_t row, int64_t lane, int64_t k, int64_t v) {
  int64_t parts = m->split * m->cluster, outer = block / parts, chunk = block % parts, r, c;
  if (m->kind == STITCH_MAPPING_TILE) {
    int64_t side = planTileSide(m), across = (m->columns + side - 1) / side;
    r = block / across * side + k * m->blockRows + row;
    c = block % across * side + lane * m->vector + v;
  } else if (m->kind == STITCH_MAPPING_COLUMN) {
    r = (chunk * m->unroll + k) * m->blockRows + row;
    c = (outer * m->rowThreads + lane) * m->vector + v;
  } else {
    r = outer * m->blockRows + row;
    c = chunk * planColumnsOfBlock(m) + (k * m->rowThreads + lane) * m->vector + v;
    c -= m->run > 0 ? r * m->columns % m->vector : 0;
  }
  return r < m->rows && c >= 0 && c < m->columns ? r * m->columns + c : -1;
}

/// Counts how often each element of a root's space is handled.
static void countElements(const StitchMapping *m, int64_t blocks, uint8_t *times) {
  for (int64_t t = 0; t < blocks; ++t)
    for (int64_t thread = 0; thread < planBlockSize(m); ++thread)
      for (int64_t k = 0; k < m->unroll; ++k)
        for (int64_t w = 0; w < m->vector; ++w) {
          int64_t i = handledElement(m, t, thread / m->rowThreads, thread % m->rowThreads, k, w);
          if (i >= 0 && times[i] < 2)
            ++times[i];
        }
}

bool verifyCoverage(MlirOperation root, const StitchMapping *mapping) {
  StitchMapping loop = planLoopMapping(mapping), *m = &loop;
  if (mapping->kind == STITCH_MAPPING_AXES)
    return true;                            // each axis has as many tasks as it takes
  if (mapping->kind == STITCH_MAPPING_KEPT) // the first row of threads, for the first chunk of a tile
    m->rows = m->blockRows = m->unroll = m->split = m->cluster = 1;
  int64_t blocks = planBlocksOfTasks(m), step = planBlockSize(m) * m->unroll * m->vector;
  int64_t elements = planMappedElements(m);
  if (step > MOST_STEPS || blocks > MOST_STEPS || blocks * step > MOST_STEPS)
    return true;
  uint8_t *times = irAllocateZeroed((size_t)elements + 1, 1);
  countElements(m, blocks, times);
  int64_t wrong = 0;
  while (wrong < elements && times[wrong] == 1)
    ++wrong;
  if (wrong < elements)
    stitchEmitOpError(root, "has a mapping by which element %lld is handled %s", (long long)wrong,
                      times[wrong] ? "more than once" : "by no thread");
  free(times);
  return wrong == elements;
}
