//===- warpgroup_descriptor.c - addresses that wgmma reads ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads matrices as the PTX ISA says that wgmma does, from descriptors ("Matrix Descriptor Format", "Strides",
// "Shared Memory Matrix Layout"), and compares with where stitch.warpgroup_product says that elements are.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include "lowering/ptx/lower_warpgroup.h"

enum { ELEMENT_BYTES = 2, STEP = 16, PANEL = 64, ROW_BYTES = 128 };

static uint64_t field(uint64_t descriptor, int first, int bits) {
  return descriptor >> first & ((UINT64_C(1) << bits) - 1);
}

/// The swizzle of 128 bytes: bits 7 to 9 of an address are added to bits 4 to 6, without carry.
static uint64_t swizzled(uint64_t address) { return address ^ (address >> 7 & 7) << 4; }

/// The byte at which wgmma finds element (`outer`, `contracted`) of a matrix, of which it contracts 16 elements.
static uint64_t readBy(uint64_t descriptor, int64_t outer, int64_t contracted, bool transposed) {
  uint64_t start = field(descriptor, 0, 14) << 4, leading = field(descriptor, 16, 14) << 4,
           stride = field(descriptor, 32, 14) << 4;
  CHECK(field(descriptor, 49, 3) == 0); // the base offset
  CHECK(field(descriptor, 62, 2) == 1); // swizzled by 128 bytes
  if (transposed)                       // MN-major: ((64, n), (8, k)) : ((1, leading), (64, stride)) in elements
    return swizzled(start + (uint64_t)(outer % PANEL * ELEMENT_BYTES) + (uint64_t)(outer / PANEL) * leading +
                    (uint64_t)(contracted % 8 * ROW_BYTES) + (uint64_t)(contracted / 8) * stride);
  // K-major: ((8, n), (64, k)) : ((64, stride), (1, -)) in elements
  return swizzled(start + (uint64_t)(outer % 8 * ROW_BYTES) + (uint64_t)(outer / 8) * stride +
                  (uint64_t)(contracted * ELEMENT_BYTES));
}

/// The byte at which a matrix of panels of `rows` rows that begins at `begin` has an element.
static uint64_t placeInPanels(uint64_t begin, int64_t rows, int64_t row, int64_t column) {
  int64_t chunk = column / 8 % 8, byte = (chunk ^ row % 8) * 16 + column % 8 * ELEMENT_BYTES;
  return begin + (uint64_t)(column / PANEL * rows * ROW_BYTES + row * ROW_BYTES + byte);
}

/// All elements of a matrix of which `outer` are not contracted, and `depth` are.
static void checkMatrix(uint64_t begin, int64_t rows, int64_t outer, int64_t depth, bool transposed) {
  for (int64_t first = 0; first < depth; first += STEP) {
    uint64_t descriptor = warpgroupDescriptor(rows, transposed) | begin >> 4;
    descriptor += (uint64_t)warpgroupDescriptorStep(rows, first, transposed);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < STEP; ++k) {
        uint64_t place =
            transposed ? placeInPanels(begin, rows, first + k, o) : placeInPanels(begin, rows, o, first + k);
        CHECK(readBy(descriptor, o, k, transposed) == place);
      }
  }
}

int main(void) {
  static const int64_t sizes[] = {16, 32, 64, 80, 128, 256};
  enum { NUM_SIZES = sizeof(sizes) / sizeof(sizes[0]) };
  for (int i = 0; i < NUM_SIZES; ++i)
    for (int j = 0; j < NUM_SIZES; ++j)
      for (uint64_t begin = 0; begin <= 32768; begin += 8192) {
        checkMatrix(begin, /*rows=*/sizes[i], /*outer=*/sizes[i], /*depth=*/sizes[j], /*transposed=*/false);
        checkMatrix(begin, /*rows=*/sizes[i], /*outer=*/sizes[j], /*depth=*/sizes[i], /*transposed=*/true);
      }
  return checkResult();
}
