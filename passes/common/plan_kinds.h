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
  bool rolls;                            ///< what was unrolled becomes loops first
  bool merges;                           ///< small products with a common operand become one call
  const char *loops;                     ///< passes that prepare loops, each followed by a comma
  const char *outline;                   ///< options of stitch-outline
  const char *remote;                    ///< passes between it and the planning of kernels, each after a comma
  const char *persistent;                ///< passes behind stitch-enumerate, each after a comma
  const char *dominants, *threadMapping; ///< options, in braces
  bool splitsByRule;                     ///< few long rows are split whatever that costs, and no axes take their place
} PlanKind;

/// NULL if there is none of that name.
const PlanKind *planKindOf(const char *name);

/// The passes that plan fusions as kernels, up to stitch-launch, with options of stitch-dominants,
/// stitch-thread-mapping and stitch-axes (in braces, or empty): a printf format with a %s for each.
#define PLAN_KERNEL_PASSES                                                                                             \
  "stitch-dominants%s,stitch-thread-mapping%s,stitch-axes%s,stitch-tiles,stitch-replicate,stitch-schemes,"             \
  "stitch-schedule,stitch-buffers,stitch-launch,stitch-resident,stitch-staging"

/// What holds for all plans.
typedef struct {
  const char *f32Epilogues; ///< the option of stitch-outline, "true" or "false"
  bool adaptive;            ///< what can be computed in several ways is left to the runtime (stitch-enumerate)
  const char *growth;       ///< its option
  bool strict;              ///< each operation is rounded as the graph has it: loops are not distributed
} PlanOptions;

/// Options as pipelines have them: precision is "strict", "default" or "fast".
PlanOptions planOptions(const char *f32Epilogues, const char *adaptive, const char *growth, const char *precision);

/// The passes from a graph with its device to launches, as a textual pipeline that the caller frees.
char *planKindPasses(const PlanKind *kind, const PlanOptions *options);

#endif // STITCH_PASSES_COMMON_PLAN_KINDS_H
