//===- plan_kinds.c - the whole plans that there are ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of whole plans (docs/plans.md): the options of each, and the passes that make it.
//
//===----------------------------------------------------------------------===//

#include "passes/common/plan_kinds.h"

#include "ir/mlir/arena.h"

#include <stdio.h>
#include <string.h>

/// Remarks on a pass's result for two operations, if a module asks for that.
#define BEHIND(pass) ",stitch-explain{behind=" pass "}"

/// Losses are kernels without scatters; kernels of several loops, and of neighbouring iterations, can be stitched.
#define LOOPS "tg-row-indices,stitch-fuse-loops,stitch-rotate-loops,stitch-fuse-scans,"
#define THIN "stitch-thin-products,"
#define SKINNY(choose) "stitch-skinny-products{choose=" choose "},"
#define PRODUCTS "stitch-fuse-products,"
#define TILES "stitch-tile-stencils,"
#define ATTENTION(choose) "stitch-online-softmax{choose=" choose "},"
#define RUNNING(choose) "stitch-running-softmax{choose=" choose "},"
#define REMOTE ",stitch-remote{policy=gain}" BEHIND("stitch-remote")
#define WALKS ",stitch-remote{policy=walks}" BEHIND("stitch-remote")
#define PERSISTENT(choose) ",stitch-persistent-loops{choose=" choose "}" BEHIND("stitch-persistent-loops")
/// The next passes, up to COPIED, run once for kernels that are the same.
#define SAME ",stitch-same-kernels"
#define COPIED ",stitch-same-kernels{planned=true}"
#define WAITING PERSISTENT("model") SAME ",stitch-few-blocks"
#define MERGED ",stitch-merge-products" BEHIND("stitch-merge-products")
#define RULES ",stitch-apply-rules" BEHIND("stitch-apply-rules")

/// Options that are left to the defaults of the passes are their best. The plan fusionstitching packs kernels by its
/// patterns; `cheapest` is the same with the patterns of all others, and packs the rest.
static const PlanKind planKinds[] = {
    {"astitch", false, false, LOOPS, "", REMOTE, SAME, "", "", false, true},
    {"astitch-by-cost", false, false, LOOPS, "", REMOTE, SAME, "", "", false, false},
    {"hdm", false, false, LOOPS, "", REMOTE, SAME, "{merge=false}", "", false, true},
    {"atm", false, false, "", "scope=xla epilogues=false", "", SAME, "{merge=false}", "", false, true},
    {"xla", false, false, "", "scope=xla epilogues=false", "", SAME, "{merge=false}",
     "{adaptive=false vectorize=false}", false, false},
    {"apollo", false, false, THIN LOOPS PRODUCTS, "scope=apollo", WALKS REMOTE, SAME, "", "", false, false},
    {"apollo-layer1", false, false, THIN LOOPS PRODUCTS, "scope=apollo layers=1", "", SAME, "", "", false, false},
    {"apollo-layer2", false, false, THIN LOOPS PRODUCTS, "scope=apollo", "", SAME, "", "", false, false},
    {"unfused", false, false, "", "scope=apollo layers=0 epilogues=false", "", SAME, "{merge=false}",
     "{adaptive=false vectorize=false}", false, false},
    {"fusionstitching", false, false, THIN LOOPS PRODUCTS, "scope=fusionstitching", "", SAME, "", "", false, false},
    {"merged", false, true, LOOPS, "", REMOTE, SAME, "", "", true, false},
    {"cheapest", false, true, LOOPS, "scope=cheapest", REMOTE, SAME, "", "", true, false},
    {"thin", false, true, SKINNY("model") THIN LOOPS, "", REMOTE, WAITING, "", "", true, false},
    {"cheapest-thin", false, true, SKINNY("model") THIN LOOPS, "scope=cheapest", REMOTE, WAITING, "", "", true, false},
    {"rolled", true, true, SKINNY("model") THIN LOOPS, "", REMOTE, WAITING, "", "", true, false},
    {"tiled", false, true, TILES SKINNY("model") THIN LOOPS, "", REMOTE, WAITING, "", "", true, false},
    {"attention", false, true, LOOPS ATTENTION("model"), "", REMOTE, SAME, "", "", true, false},
    {"attention-thin", false, true, SKINNY("model") THIN LOOPS ATTENTION("model"), "", REMOTE, WAITING, "", "", true,
     false},
    {"attention-cheapest", false, true, ATTENTION("model") SKINNY("model") THIN LOOPS, "scope=cheapest", REMOTE,
     WAITING, "", "", true, false},
    {"attention-always", false, true, LOOPS ATTENTION("always"), "", REMOTE, SAME, "", "", false, false},
    {"running", false, true, LOOPS RUNNING("model"), "", REMOTE, SAME, "", "", true, false},
    {"running-thin", false, true, SKINNY("model") THIN LOOPS RUNNING("model"), "", REMOTE, WAITING, "", "", true,
     false},
    {"persistent-never", false, true, SKINNY("model") THIN LOOPS, "", REMOTE, SAME, "", "", false, false},
    {"persistent-always", false, true, SKINNY("model") THIN LOOPS, "", REMOTE, PERSISTENT("always") SAME, "", "", false,
     false},
    {"skinny-always", false, true, SKINNY("always") THIN LOOPS, "", REMOTE, WAITING, "", "", false, false},
    {"running-always", false, true, LOOPS RUNNING("always"), "", REMOTE, SAME, "", "", false, false},
};

enum { NUM_KINDS = sizeof(planKinds) / sizeof(planKinds[0]) };

const PlanKind *planKindOf(const char *name) {
  for (int i = 0; i < NUM_KINDS; ++i)
    if (strcmp(planKinds[i].name, name) == 0)
      return &planKinds[i];
  return NULL;
}

PlanOptions planOptions(const char *f32Epilogues, const char *adaptive, const char *growth, const char *precision) {
  return (PlanOptions){f32Epilogues, strcmp(adaptive, "true") == 0, growth, strcmp(precision, "strict") == 0};
}

char *planKindPasses(const PlanKind *kind, const PlanOptions *options) {
  static const char format[] =
      "%s%sstitch-in-place,stitch-outline{%s f32-epilogues=%s},"
      "stitch-explain{behind=stitch-outline xla=%s}%s%s%s%s%s" RULES
      "%s," PLAN_MAPPING_PASSES_WITH("%s", "%s", "%s", "%s") "," PLAN_MAPPED_PASSES COPIED
                                                             "%s,stitch-prefetch,stitch-kernel-rules";
  const char *isXla = strstr(kind->outline, "scope=xla") ? "true" : "false";
  const char *rolling = !kind->rolls ? "" : options->strict ? "tg-roll-loops," : "tg-roll-loops,tg-distribute-loops,";
  char *text = NULL;
  size_t size = 0;
  for (int pass = 0; pass < 2; ++pass) { // its length, then itself
    int length = snprintf(
        text, size, format, rolling, kind->loops, kind->outline, options->f32Epilogues, isXla, kind->remote,
        kind->merges && !options->adaptive ? MERGED : "", options->adaptive ? RULES ",stitch-enumerate{growth=" : "",
        options->adaptive ? options->growth : "", options->adaptive ? "}" : "", kind->persistent, kind->dominants,
        kind->isByRule ? "{splitting=rule}" : kind->threadMapping, kind->isByRule ? "{split-rows=false}" : "",
        kind->isByRule ? "" : PLAN_REPLICATE, kind->launchesPhases ? ",stitch-launch-phases" : "");
    if (!text)
      text = irAllocate(size = (size_t)length + 1);
  }
  return text;
}
