//===- compile_and_run.c - compile a model in memory and run it ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cc compile_and_run.c -I PREFIX/include/stitch -L PREFIX/lib -lstitch -lstitch_runtime -o compile_and_run
//   ./compile_and_run model.so
//
// Softmax of each row of a matrix, from StableHLO in a string. Diagnostics and stages come through callbacks.
//
//===----------------------------------------------------------------------===//

#include "runtime/stitch_runtime.h"
#include "stitch_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
                           "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                           "  %e = stablehlo.exponential %x : tensor<4x8xf32>\n"
                           "  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]\n"
                           "      : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n"
                           "  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>\n"
                           "  %y = stablehlo.divide %e, %b : tensor<4x8xf32>\n"
                           "  return %y : tensor<4x8xf32>\n"
                           "}\n";

static void onDiagnostic(void *data, const StitchDiagnostic *diagnostic) {
  (void)data;
  fprintf(stderr, "%s: %s\n", diagnostic->location, diagnostic->message);
}

static bool onStage(void *data, const char *stage) {
  ++*(int *)data;
  return stage != NULL; // false would cancel the compilation
}

static StitchStatus run(const char *file) {
  static _Alignas(16) float x[4][8], y[4][8];
  const int64_t dims[] = {4, 8};
  StitchTensor tensor = {.dtype = {STITCH_TYPE_FLOAT, 32, 1}, .rank = 2, .dims = dims};
  StitchTensor input = tensor, output = tensor;
  input.data = x;
  output.data = y;
  StitchModel *model = NULL;
  StitchSession *session = NULL;
  StitchStatus status = stitchModelLoad(file, &model);
  if (!status)
    status = stitchSessionCreate(model, NULL, &session);
  if (!status)
    status = stitchSessionRun(session, &input, 1, &output, 1);
  if (!status)
    printf("y[0][0] = %g\n", (double)y[0][0]);
  stitchSessionFree(session);
  stitchModelFree(model);
  return status;
}

int main(int argc, char **argv) {
  int stages = 0;
  StitchCompilation *compilation = NULL;
  StitchCompileOptions options = {.model = text,
                                  .modelSize = strlen(text),
                                  .name = "softmax.mlir",
                                  .output = argc > 1 ? argv[1] : "softmax.so",
                                  .data = &stages,
                                  .onDiagnostic = onDiagnostic,
                                  .onStage = onStage};
  StitchStatus status = stitchCompile(&options, &compilation);
  stitchCompilationFree(compilation);
  if (!status)
    status = run(options.output);
  printf("%d stages: %s\n", stages, stitchStatusMessage(status));
  stitchStatusFree(status);
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
