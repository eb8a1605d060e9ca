//===- size_buckets.h - where a range of sizes is cut into buckets --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra (ASPLOS 2019), section 5.5: a model whose sizes differ from run to run is planned for a few of them, its
// buckets. A run takes the smallest bucket that holds its size. A bucket is named by its largest size.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_SIZE_BUCKETS_H
#define STITCH_COMPILER_SIZE_BUCKETS_H

#include <stdint.h>

/// A size that runs have, and how many of them do.
typedef struct {
  int64_t size;
  double runs; ///< not negative
} BucketSize;

/// Cuts low, ..., high into at most `most` buckets whose numbers of sizes differ by one at most. For equally likely
/// sizes no other cuts have less excess. Returns how many there are, in `buckets`, which ascend.
int bucketsCut(int64_t low, int64_t high, int most, int64_t *buckets);

/// Chooses at most `most` of `sizes`, which ascend, as buckets that hold all of them, with the least excess, and no
/// more of them than that needs. Exact, in time most * numSizes^2. Returns how many there are; 0: out of memory.
int bucketsPlace(const BucketSize *sizes, int numSizes, int most, int64_t *buckets);

/// The smallest bucket that holds a size, by its number; -1: none does.
int bucketsFind(const int64_t *buckets, int numBuckets, int64_t size);

/// By how much the buckets of all runs together are larger than their sizes: 0.25 is a quarter. The last bucket holds
/// all sizes.
double bucketsExcess(const BucketSize *sizes, int numSizes, const int64_t *buckets, int numBuckets);

#endif // STITCH_COMPILER_SIZE_BUCKETS_H
