//===- reference_pipeline.c - tensor graphs to CPU code ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `stitch-reference` takes a module of tg operations with a function @main and leaves the LLVM dialect with
// @stitch_reference_main (reference_entry.c). Nothing in it knows of stitching: every kernel is compared with it.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"

#include <stdio.h>
#include <stdlib.h>

static const char pipeline[] =
    // one linalg operation for each tg operation, on tensors
    "tg-decompose,convert-tg-to-linalg{library-dot-min-flops=%s},canonicalize,"
    // on buffers, results as arguments, each buffer freed after its last use
    "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{add-result-attr modify-public-functions},"
    "func.func(canonicalize,stitch-release-buffers),"
    // loops, each nest in a function that takes pointers
    "stitch-outline-loops,stitch-reference-entry,stitch-buffers-to-pointers,"
    "func.func(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf),"
    // the LLVM dialect; libm's functions where MLIR would approximate
    "stitch-cpu-math{rounding-mode=true},convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts";

static char *expand(const char *const *values, const char **error) {
  int length = snprintf(NULL, 0, pipeline, values[0]);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (!text) {
    *error = "out of memory";
    return NULL;
  }
  snprintf(text, (size_t)length + 1, pipeline, values[0]);
  return text;
}

static const StitchPassOption options[] = {
    {"library-dot-min-flops", "dots of at least so many floating-point operations are left to a library",
     STITCH_OPTION_INT, 32768, NULL},
};

static const StitchValidValues valid[] = {{"library-dot-min-flops", "0.."}};

const StitchPipelineInfo stitchReferencePipeline = {
    .argument = "stitch-reference",
    .description = "Lower tensor graphs to CPU code in the LLVM dialect, the reference for all kernels",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .expand = expand,
};
