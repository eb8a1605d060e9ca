//===- options.h - the command line of stitch-compile --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_COMPILE_OPTIONS_H
#define STITCH_TOOLS_STITCH_COMPILE_OPTIONS_H

#include "tools/support/options.h"

#include <stdbool.h>

/// Where the compilation stops, in order.
typedef enum {
  EMIT_TG,
  EMIT_PLAN,
  EMIT_GPU,
  EMIT_NVVM,
  EMIT_PTX,
  EMIT_CUBIN,
  EMIT_SO,
  EMIT_REPORT, ///< nothing but the report (stitch-report)
} EmitKind;

enum { MAX_ARCHITECTURES = 16 };

typedef struct {
  const char *input;
  const char *output;     ///< NULL: standard output (never for EMIT_SO)
  const char *entry;      ///< the function that is compiled; NULL: @main or the only public one
  const char *device;     ///< the figures of #stitch.device<...>; NULL: the model's, or those of an H200
  const char *statsFile;  ///< NULL: none
  const char *reportFile; ///< NULL: none
  const char *pipeline;   ///< more options of stitch-pipeline
  char *adaptivePipeline; ///< what `pipeline` is with --adaptive; NULL: without
  bool adaptive;
  const char *cache;   ///< folder of compiled kernels, or "off"; NULL: the environment says it
  const char *kernels; ///< a file with what --emit=gpu prints, in the place of the planner's work; NULL: none
  EmitKind emit;
  bool simt;      ///< --target has simt
  bool reference; ///< without --no-reference
  bool graphs;    ///< without --no-graphs
  bool cubins;    ///< without --no-cubins
  bool remarks;
  bool checks;                                  ///< of the kernels' accesses, on the simt device
  const char *architectures[MAX_ARCHITECTURES]; ///< --target's sm_NN, in the order given
  int numArchitectures;
  char *targetText; ///< the memory of `architectures`
  char *dims;       ///< sizes of open dimensions, "b=8,s=128"; NULL: none
} CompileOptions;

/// Reads the command line.
OptionsResult parseCompileOptions(int argc, char **argv, CompileOptions *options);

#endif // STITCH_TOOLS_STITCH_COMPILE_OPTIONS_H
