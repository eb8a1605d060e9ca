//===- statistics.cpp - statistics of passes ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/statistics.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Counts {
  std::mutex mutex;
  bool print = false;
  std::map<std::string, std::pair<const StitchPassInfo *, std::vector<int64_t>>> passes; ///< by argument

  ~Counts() {
    if (!print)
      return;
    fputs("===- Statistics of Stitch's passes -===\n", stderr);
    for (auto &[argument, counted] : passes) {
      fprintf(stderr, "%s\n", argument.c_str());
      for (size_t i = 0; i < counted.second.size(); ++i)
        fprintf(stderr, "  (S) %lld %s - %s\n", static_cast<long long>(counted.second[i]),
                counted.first->statistics[i].name, counted.first->statistics[i].help);
    }
  }
};

Counts counts;

} // namespace

void stitchPrintStatisticsAtExit(void) { counts.print = true; }

void stitchCount(const StitchPassInfo *info, intptr_t index, int64_t amount) {
  std::lock_guard<std::mutex> lock(counts.mutex);
  auto &counted = counts.passes[info->argument];
  counted.first = info;
  counted.second.resize(static_cast<size_t>(info->numStatistics));
  counted.second[static_cast<size_t>(index)] += amount;
}
