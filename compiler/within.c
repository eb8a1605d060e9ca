//===- within.c - compilations within another ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model with buckets and a library of kernels are made of several programs. Each is compiled from a copy of the
// module that was read, with options of its own.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include "ir/mlir/build.h"

#include <stdlib.h>
#include <string.h>

/// The clock of a compilation within `c` is that of `c`.
static void takeClock(Compiler *c, const Compiler *within) {
  memcpy(c->stages, within->stages, sizeof(c->stages));
  c->numStages = within->numStages;
  c->stage = within->stage;
  c->stageStart = within->stageStart;
  c->isCancelled = within->isCancelled;
}

bool compileWithin(Compiler *c, Compiler *program, const StitchCompileOptions *options, const char *name,
                   bool (*compile)(Compiler *program, void *data), void *data) {
  *program = *c;
  program->options = options;
  program->device = NULL;
  program->statistics = (Statistics){0};
  program->graph = mlirOperationClone(c->graph);
  irSetAttr(program->graph, STITCH_MODEL_PROGRAM, irStringAttr(c->context, name));
  bool ok = compile(program, data);
  takeClock(c, program);
  c->statistics = program->statistics;
  free(c->device);
  c->device = program->device;
  program->device = NULL;
  return ok;
}

/// Whether the model does the same for all sizes of a program: then nothing has to be padded. If not, says why.
static bool staysOpen(Compiler *c, const char *dims) {
  StitchCompileOptions options = *c->options;
  options.dims = dims;
  Compiler attempt = *c;
  attempt.options = &options;
  attempt.graph = mlirOperationClone(c->graph);
  StitchStatus reason = NULL;
  c->messages->attempt = &reason;
  bool isOpen = chooseDevice(&attempt) && makeGraph(&attempt);
  c->messages->attempt = NULL;
  takeClock(c, &attempt);
  if (!isOpen && !c->isCancelled)
    messagesNote(c->messages, "padded to the sizes of the buckets: %s",
                 reason ? stitchStatusMessage(reason) : "sizes cannot stay open");
  stitchStatusFree(reason);
  mlirOperationDestroy(attempt.graph);
  free(attempt.device);
  return isOpen;
}

StitchPadding paddingOf(Compiler *c, const char *dims) {
  StitchPadding padding = c->options->padding;
  return padding == STITCH_PADDING_IF_NEEDED && !staysOpen(c, dims) ? STITCH_PADDING_ALWAYS : padding;
}

void destroyCompilation(Compiler *c) {
  destroyBranches(c);
  MlirOperation modules[] = {c->graph, c->kernels, c->images, c->graphs};
  for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); ++i)
    if (!mlirOperationIsNull(modules[i]))
      mlirOperationDestroy(modules[i]);
}
