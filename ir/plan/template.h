//===- template.h - implementation templates -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching 5.2: the computation of a kernel, as a short text. The grammar and its meaning are in
// docs/templates.md.
//
//   reduce_0[GRID-WARP_4,THREAD_2-CTA_32-THREAD_4]S;
//   multiply_1[GRID-WARP_4,THREAD_2-CTA_32-THREAD_4];
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_TEMPLATE_H
#define STITCH_IR_PLAN_TEMPLATE_H

#include "ir/graph/graph.h"
#include "ir/plan/kernel_names.h"
#include "ir/plan/plan.h"

/// Where a value is, as far as a schedule says it.
typedef enum {
  TEMPLATE_IN_PLACE,   ///< in registers, or it is a result of the kernel and nothing more
  TEMPLATE_IN_SHARED,  ///< S
  TEMPLATE_IN_SCRATCH, ///< G: in global memory, behind a grid barrier
  TEMPLATE_ANYWHERE,   ///< where it comes to be; no template says so
} TemplatePlace;

/// How one root is computed.
typedef struct {
  StitchMapping mapping;
  TemplatePlace place;
  bool isComputedAgain; ///< the template leaves it out: it is no root, and `mapping` is the plan's
} Schedule;

/// The roots of a planned fusion in program order, with their names in templates: the second root of one value is
/// "reduce_0.1".
typedef struct {
  IrGraph graph;
  KernelNames names;
  int64_t numRoots;
  int64_t *roots; ///< nodes
  const char **rootNames;
} TemplateKernel;

TemplateKernel templateKernelCreate(MlirOperation fusion);
void templateKernelDestroy(TemplateKernel *kernel);

/// The template of a fusion with its whole plan, a line for each schedule; the caller frees it.
char *templateOf(const TemplateKernel *kernel);

/// The text of one mapping in its brackets, as `templateOf` writes it for a root; the caller frees it.
char *templateOfMapping(MlirOperation root, const StitchMapping *mapping);

/// Reads a template into `schedules`, one for each root of the kernel. Only values in scratch memory, which can be
/// computed again where they are read, may be left out. False with a `problem`, which the caller frees, where it is no
/// template, names a value that the kernel does not have, or leaves anything else out.
bool templateRead(const TemplateKernel *kernel, const char *text, Schedule *schedules, char **problem);

/// The name of the next schedule at `*text`, which then points behind it; the caller frees it. NULL at the end.
char *templateNextName(const char **text);

/// Where a root of a plan with buffers has its value.
TemplatePlace templatePlaceOf(MlirOperation root);

#endif // STITCH_IR_PLAN_TEMPLATE_H
