//===- buckets.c - tests of compiler/size_buckets.h ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/size_buckets.h"
#include "test/unit/check.h"

#include <math.h>

enum { MOST_SIZES = 10 };

static uint32_t state = 1;

static int drawn(int limit) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (uint32_t)limit);
}

/// All runs' buckets, added up; infinite if the set (bit i: size i is a bucket) does not hold all sizes.
static double costOfSet(const BucketSize *sizes, int count, unsigned set) {
  double cost = 0.0;
  for (int i = 0; i < count; ++i) {
    int k = i;
    while (k < count && !(set >> k & 1))
      ++k;
    cost += k < count ? sizes[i].runs * (double)sizes[k].size : INFINITY;
  }
  return cost;
}

/// The least cost of at most `most` buckets, and the least number of buckets that has it.
static double bestOfAll(const BucketSize *sizes, int count, int most, int *fewest) {
  double best = INFINITY;
  for (unsigned set = 1; set < 1u << count; ++set) {
    int buckets = __builtin_popcount(set);
    double cost = buckets <= most ? costOfSet(sizes, count, set) : INFINITY;
    // 0 * INFINITY: the last size must be a bucket even if no run has it.
    if (!(set >> (count - 1) & 1) || cost > best || (cost == best && buckets >= *fewest))
      continue;
    best = cost;
    *fewest = buckets;
  }
  return best;
}

static void testPlacement(void) {
  for (int trial = 0; trial < 2000; ++trial) {
    BucketSize sizes[MOST_SIZES];
    int64_t buckets[MOST_SIZES];
    int count = 1 + drawn(MOST_SIZES), most = 1 + drawn(6), size = drawn(3), fewest = MOST_SIZES + 1;
    for (int i = 0; i < count; ++i)
      sizes[i] = (BucketSize){size += 1 + drawn(9), drawn(7)};
    double best = bestOfAll(sizes, count, most, &fewest), cost = 0.0, own = 0.0;
    int found = bucketsPlace(sizes, count, most, buckets);
    CHECK(found == fewest && buckets[found - 1] == sizes[count - 1].size);
    for (int i = 0; i < count; ++i) {
      cost += sizes[i].runs * (double)buckets[bucketsFind(buckets, found, sizes[i].size)];
      own += sizes[i].runs * (double)sizes[i].size;
    }
    CHECK(cost == best);
    double excess = bucketsExcess(sizes, count, buckets, found);
    CHECK(own > 0.0 ? fabs(excess - (best / own - 1.0)) < 1e-12 : excess == 0.0);
  }
}

/// Even cuts are as good as the best ones of sizes that are all as frequent.
static void testCuts(void) {
  for (int64_t low = 1; low <= 3; ++low)
    for (int64_t high = low; high < low + 40; ++high)
      for (int most = 1; most <= 7; ++most) {
        BucketSize sizes[40];
        int64_t cut[7], placed[7];
        int count = 0;
        for (int64_t size = low; size <= high; ++size)
          sizes[count++] = (BucketSize){size, 1.0};
        int numCut = bucketsCut(low, high, most, cut), numPlaced = bucketsPlace(sizes, count, most, placed);
        CHECK(numCut == numPlaced && cut[numCut - 1] == high);
        CHECK(fabs(bucketsExcess(sizes, count, cut, numCut) - bucketsExcess(sizes, count, placed, numPlaced)) < 1e-12);
      }
}

static void testFind(void) {
  static const int64_t buckets[] = {13, 18, 24, 30, 83};
  CHECK(bucketsFind(buckets, 5, 1) == 0 && bucketsFind(buckets, 5, 13) == 0);
  CHECK(bucketsFind(buckets, 5, 14) == 1 && bucketsFind(buckets, 5, 31) == 4);
  CHECK(bucketsFind(buckets, 5, 83) == 4 && bucketsFind(buckets, 5, 84) == -1);
}

int main(void) {
  testPlacement();
  testCuts();
  testFind();
  return checkResult();
}
