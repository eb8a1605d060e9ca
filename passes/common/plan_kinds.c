//===- plan_kinds.c - the whole plans that there are ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/common/plan_kinds.h"

#include "ir/mlir/arena.h"

#include <stdio.h>
#include <string.h>

/// Says what a pass has made of two operations, if a module asks for that.
#define BEHIND(pass) ",stitch-explain{behind=" pass "}"

/// Losses are kernels without scatters; kernels of several loops, and of neighbouring iterations, can be stitched.
#define LOOPS "tg-row-indices,stitch-fuse-loops,stitch-rotate-loops,stitch-fuse-scans,"
#define THIN "stitch-thin-products,"
#define PRODUCTS "stitch-fuse-products,"
#define ATTENTION(choose) "stitch-online-softmax{choose=" choose "},"
#define RUNNING(choose) "stitch-running-softmax{choose=" choose "},"
#define REMOTE ",stitch-remote{policy=gain}" BEHIND("stitch-remote")
#define WALKS ",stitch-remote{policy=walks}" BEHIND("stitch-remote")
#define PERSISTENT(choose) ",stitch-persistent-loops{choose=" choose "}" BEHIND("stitch-persistent-loops")
/// What follows is done for kernels that are the same once, up to COPIED.
#define SAME ",stitch-same-kernels"
#define COPIED ",stitch-same-kernels{planned=true}"
#define WAITING PERSISTENT("model") SAME ",stitch-few-blocks"
#define MERGED ",stitch-merge-products" BEHIND("stitch-merge-products")
#define RULES ",stitch-apply-rules" BEHIND("stitch-apply-rules")

/// What the options leave to the defaults of the passes is the best that they do. fusionstitching packs kernels by its
/// patterns; `cheapest` is the same with the patterns of all others, and packs what is left.
static const PlanKind planKinds[] = {
    {"astitch", false, false, LOOPS, "", REMOTE, SAME, "", "", true},
    {"astitch-by-cost", false, false, LOOPS, "", REMOTE, SAME, "", "", false},
    {"hdm", false, false, LOOPS, "", REMOTE, SAME, "{merge=false}", "", true},
    {"atm", false, false, "", "scope=xla epilogues=false", "", SAME, "{merge=false}", "", true},
    {"xla", false, false, "", "scope=xla epilogues=false", "", SAME, "{merge=false}",
     "{adaptive=false vectorize=false}", false},
    {"apollo", false, false, THIN LOOPS PRODUCTS, "scope=apollo", WALKS REMOTE, SAME, "", "", false},
    {"apollo-layer1", false, false, THIN LOOPS PRODUCTS, "scope=apollo layers=1", "", SAME, "", "", false},
    {"apollo-layer2", false, false, THIN LOOPS PRODUCTS, "scope=apollo", "", SAME, "", "", false},
    {"unfused", false, false, "", "scope=apollo layers=0 epilogues=false", "", SAME, "{merge=false}",
     "{adaptive=false vectorize=false}", false},
    {"fusionstitching", false, false, THIN LOOPS PRODUCTS, "scope=fusionstitching", "", SAME, "", "", false},
    {"merged", false, true, LOOPS, "", REMOTE, SAME, "", "", false},
    {"cheapest", false, true, LOOPS, "scope=cheapest", REMOTE, SAME, "", "", false},
    {"thin", false, true, THIN LOOPS, "", REMOTE, WAITING, "", "", false},
    {"cheapest-thin", false, true, THIN LOOPS, "scope=cheapest", REMOTE, WAITING, "", "", false},
    {"rolled", true, true, THIN LOOPS, "", REMOTE, WAITING, "", "", false},
    {"attention", false, true, LOOPS ATTENTION("model"), "", REMOTE, SAME, "", "", false},
    {"attention-thin", false, true, THIN LOOPS ATTENTION("model"), "", REMOTE, WAITING, "", "", false},
    {"attention-cheapest", false, true, ATTENTION("model") THIN LOOPS, "scope=cheapest", REMOTE, WAITING, "", "",
     false},
    {"attention-always", false, true, LOOPS ATTENTION("always"), "", REMOTE, SAME, "", "", false},
    {"running", false, true, LOOPS RUNNING("model"), "", REMOTE, SAME, "", "", false},
    {"running-thin", false, true, THIN LOOPS RUNNING("model"), "", REMOTE, WAITING, "", "", false},
    {"persistent-never", false, true, THIN LOOPS, "", REMOTE, SAME, "", "", false},
    {"persistent-always", false, true, THIN LOOPS, "", REMOTE, PERSISTENT("always") SAME, "", "", false},
    {"running-always", false, true, LOOPS RUNNING("always"), "", REMOTE, SAME, "", "", false},
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
                                                             ",stitch-prefetch,stitch-kernel-rules";
  const char *isXla = strstr(kind->outline, "scope=xla") ? "true" : "false";
  const char *rolling = !kind->rolls ? "" : options->strict ? "tg-roll-loops," : "tg-roll-loops,tg-distribute-loops,";
  char *text = NULL;
  size_t size = 0;
  for (int pass = 0; pass < 2; ++pass) { // its length, then itself
    int length = snprintf(text, size, format, rolling, kind->loops, kind->outline, options->f32Epilogues, isXla,
                          kind->remote, kind->merges && !options->adaptive ? MERGED : "",
                          options->adaptive ? RULES ",stitch-enumerate{growth=" : "",
                          options->adaptive ? options->growth : "", options->adaptive ? "}" : "", kind->persistent,
                          kind->dominants, kind->isByRule ? "{splitting=rule}" : kind->threadMapping,
                          kind->isByRule ? "{split-rows=false}" : "", kind->isByRule ? "" : PLAN_REPLICATE);
    if (!text)
      text = irAllocate(size = (size_t)length + 1);
  }
  return text;
}
