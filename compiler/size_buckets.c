//===- size_buckets.c - where a range of sizes is cut into buckets --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a range of sizes, with or without their frequencies, and a number of buckets. Leaves bucket sizes with the
// least total excess, by dynamic programming over the sizes. Source: Astra 5.5.
//
//===----------------------------------------------------------------------===//

#include "compiler/size_buckets.h"

#include <math.h>
#include <stdlib.h>

int bucketsCut(int64_t low, int64_t high, int most, int64_t *buckets) {
  int64_t sizes = high - low + 1, count = sizes < most ? sizes : most;
  int64_t each = sizes / count, longer = sizes % count;
  int64_t last = low - 1;
  for (int64_t i = 0; i < count; ++i)
    buckets[i] = last += each + (i < longer);
  return (int)count;
}

int bucketsFind(const int64_t *buckets, int numBuckets, int64_t size) {
  for (int i = 0; i < numBuckets; ++i)
    if (buckets[i] >= size)
      return i;
  return -1;
}

double bucketsExcess(const BucketSize *sizes, int numSizes, const int64_t *buckets, int numBuckets) {
  double own = 0.0, padded = 0.0;
  for (int i = 0; i < numSizes; ++i) {
    own += sizes[i].runs * (double)sizes[i].size;
    padded += sizes[i].runs * (double)buckets[bucketsFind(buckets, numBuckets, sizes[i].size)];
  }
  return own > 0.0 ? padded / own - 1.0 : 0.0;
}

/// The least cost of the first sizes in a number of buckets, of which the last ends with them.
typedef struct {
  double cost; ///< buckets of all their runs, added up
  int before;  ///< how many sizes are in the buckets before the last one
} Cheapest;

/// Finds `row[n]` for the first n sizes, from `previous`, the same with one bucket less.
static void addBucket(const BucketSize *sizes, const double *runs, int numSizes, const Cheapest *previous,
                      Cheapest *row) {
  for (int n = 0; n <= numSizes; ++n) {
    row[n] = (Cheapest){INFINITY, 0};
    for (int before = 0; before < n; ++before) {
      double cost = previous[before].cost + (double)sizes[n - 1].size * (runs[n] - runs[before]);
      if (cost < row[n].cost)
        row[n] = (Cheapest){cost, before};
    }
  }
}

/// Follows the choices back from all sizes in `count` buckets.
static void takeBuckets(const BucketSize *sizes, int numSizes, const Cheapest *table, int count, int64_t *buckets) {
  for (int k = count, n = numSizes; k > 0; --k) {
    buckets[k - 1] = sizes[n - 1].size;
    n = table[(size_t)k * (size_t)(numSizes + 1) + (size_t)n].before;
  }
}

int bucketsPlace(const BucketSize *sizes, int numSizes, int most, int64_t *buckets) {
  size_t width = (size_t)numSizes + 1;
  if (most > numSizes)
    most = numSizes;
  Cheapest *table = calloc(((size_t)most + 1) * width, sizeof(*table));
  double *runs = calloc(width, sizeof(*runs)); // of the first sizes together
  int best = 0;
  if (table && runs) {
    for (int n = 1; n <= numSizes; ++n) {
      runs[n] = runs[n - 1] + sizes[n - 1].runs;
      table[n].cost = INFINITY;
    }
    for (int k = 1; k <= most; ++k) {
      Cheapest *row = table + (size_t)k * width;
      addBucket(sizes, runs, numSizes, row - width, row);
      if (best == 0 || row[numSizes].cost < table[(size_t)best * width + (size_t)numSizes].cost)
        best = k;
    }
    takeBuckets(sizes, numSizes, table, best, buckets);
  }
  free(table);
  free(runs);
  return best;
}
