//===- plan_kinds.h - the whole plans that there are ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_PLAN_KINDS_H
#define STITCH_PASSES_COMMON_PLAN_KINDS_H

#include <stdbool.h>

/// One way from a graph with its device to a plan. Strings outlive the program.
typedef struct {
  const char *name;
  bool rolls;             ///< unrolled recurrences become loops first
  bool merges;            ///< small products with a common operand become one call
  const char *loops;      ///< passes that prepare loops, each followed by a comma
  const char *outline;    ///< options of stitch-outline
  const char *remote;     ///< passes between it and the planning of kernels, each after a comma
  const char *persistent; ///< passes behind stitch-enumerate, each after a comma, and stitch-same-kernels
  const char *dominants, *threadMapping; ///< options, in braces
  bool launchesPhases;                   ///< a kernel's phases may become kernels of their own
  bool isByRule;                         ///< as AStitch's rules have it: long rows are split, nothing is replicated
} PlanKind;

/// NULL if there is none of that name.
const PlanKind *planKindOf(const char *name);

/// The passes that choose the mappings of fusions, with options of stitch-dominants, stitch-thread-mapping and
/// stitch-axes (in braces, or empty), and passes behind these (each after a comma).
#define PLAN_MAPPING_PASSES_WITH(dominants, mapping, axes, behind)                                                     \
  "stitch-dominants" dominants ",stitch-thread-mapping" mapping ",stitch-axes" axes ",stitch-tiles" behind
#define PLAN_REPLICATE ",stitch-replicate"
#define PLAN_MAPPING_PASSES PLAN_MAPPING_PASSES_WITH("", "", "", PLAN_REPLICATE)

/// The passes behind stitch-axes that still choose mappings.
#define PLAN_BEHIND_AXES "stitch-tiles" PLAN_REPLICATE

/// The passes from the mappings of fusions to their launch and its refinements.
#define PLAN_MAPPED_PASSES "stitch-schemes,stitch-schedule,stitch-buffers,stitch-launch,stitch-resident,stitch-staging"

/// The passes that plan fusions as kernels.
#define PLAN_KERNEL_PASSES PLAN_MAPPING_PASSES "," PLAN_MAPPED_PASSES

/// Options of all plans.
typedef struct {
  const char *f32Epilogues; ///< the option of stitch-outline, "true" or "false"
  bool adaptive;            ///< the runtime chooses among versions (stitch-enumerate)
  const char *growth;       ///< its option
  bool strict;              ///< each operation is rounded as the graph has it: loops are not distributed
} PlanOptions;

/// Options as pipelines have them: precision is "strict", "default" or "fast".
PlanOptions planOptions(const char *f32Epilogues, const char *adaptive, const char *growth, const char *precision);

/// The passes from a graph with its device to launches, as a textual pipeline that the caller frees.
char *planKindPasses(const PlanKind *kind, const PlanOptions *options);

#endif // STITCH_PASSES_COMMON_PLAN_KINDS_H
