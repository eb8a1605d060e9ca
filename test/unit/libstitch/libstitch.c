//===- libstitch.c - tests of stitch_compiler.h --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked to libstitch.so, as a user's program is: models from memory, the diagnostics of wrong ones, cancelled
// compilations, and eight threads that compile at the same time.
//
//===----------------------------------------------------------------------===//

#include "stitch_compiler.h"
#include "test/unit/check.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { NUM_THREADS = 8 };

static const char good[] = "func.func @main(%x: tensor<8x128xf32>) -> tensor<8xf32> {\n"
                           "  %e = tg.exp %x : tensor<8x128xf32>\n"
                           "  %s = tg.reduce add %e dims [1] : (tensor<8x128xf32>) -> tensor<8xf32>\n"
                           "  return %s : tensor<8xf32>\n"
                           "}\n";
static const char wrong[] = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                            "  %y = \"other.op\"(%x) : (tensor<8xf32>) -> tensor<8xf32>\n"
                            "  return %y : tensor<8xf32>\n"
                            "}\n";

static StitchCompileOptions optionsFor(const char *text, StitchEmit emit) {
  return (StitchCompileOptions){
      .model = text, .modelSize = strlen(text), .name = "given.mlir", .emit = emit, .cache = "off"};
}

static void keepDiagnostic(void *data, const StitchDiagnostic *diagnostic) {
  char *kept = data;
  if (!*kept)
    snprintf(kept, 256, "%d %s %s", diagnostic->severity, diagnostic->location, diagnostic->message);
}

static void checkTexts(void) {
  StitchCompilation *compilation = NULL;
  StitchCompileOptions options = optionsFor(good, STITCH_EMIT_PLAN);
  options.report = true;
  CHECK_OK(stitchCompile(&options, &compilation));
  CHECK(strstr(stitchCompilationText(compilation).data, "stitch.fusion"));
  CHECK(strstr(stitchCompilationReport(compilation).data, "given.mlir"));
  CHECK(strstr(stitchCompilationFigures(compilation).data, "\"model\":\t\"given.mlir\""));
  CHECK(strlen(stitchCompilationText(compilation).data) == stitchCompilationText(compilation).size);
  stitchCompilationFree(compilation);
  stitchCompilationFree(NULL);
  CHECK(strcmp(stitchCompilerDevices()[0], "v100") == 0);
}

static void checkErrors(void) {
  char said[256] = "";
  StitchCompilation *compilation = NULL;
  StitchCompileOptions options = optionsFor(wrong, STITCH_EMIT_TG);
  options.data = said;
  options.onDiagnostic = keepDiagnostic;
  CHECK_STATUS(stitchCompile(&options, &compilation), STITCH_INVALID_ARGUMENT, "given.mlir:2:8: 'other.op' is neither");
  CHECK(strncmp(said, "0 given.mlir:2:8 'other.op' is neither", 38) == 0);
  CHECK(!compilation);
  options = (StitchCompileOptions){.name = "missing.mlir", .emit = STITCH_EMIT_TG};
  CHECK_STATUS(stitchCompile(&options, &compilation), STITCH_NOT_FOUND, "cannot read 'missing.mlir'");
  options = optionsFor(good, STITCH_EMIT_MODEL);
  CHECK_STATUS(stitchCompile(&options, &compilation), STITCH_INVALID_ARGUMENT, "-o is needed");
  options.output = "-";
  CHECK_STATUS(stitchCompile(&options, &compilation), STITCH_INVALID_ARGUMENT, "cannot go to standard output");
  options = optionsFor(good, STITCH_EMIT_TG);
  options.dims = "b=8,s";
  CHECK_STATUS(stitchCompile(&options, &compilation), STITCH_INVALID_ARGUMENT, "such as b=8, not 's'");
}

/// Cancels when as many stages have begun as `data` counts.
static bool countDown(void *data, const char *stage) {
  (void)stage;
  return --*(int *)data > 0;
}

static int countFiles(const char *folder) {
  DIR *directory = opendir(folder);
  int count = 0;
  while (directory && readdir(directory))
    ++count;
  if (directory)
    closedir(directory);
  return count;
}

/// At whatever stage a compilation is cancelled, nothing is left of it.
static void checkCancelled(const char *folder) {
  char output[256];
  snprintf(output, sizeof(output), "%s/cancelled.so", folder);
  int before = countFiles(folder);
  StitchStatusCode code = STITCH_CANCELLED;
  for (int stage = 1; code == STITCH_CANCELLED; ++stage) {
    int left = stage;
    StitchCompilation *compilation = NULL;
    StitchCompileOptions options = optionsFor(good, STITCH_EMIT_MODEL);
    options.output = output;
    options.data = &left;
    options.onStage = countDown;
    StitchStatus status = stitchCompile(&options, &compilation);
    code = stitchStatusCode(status);
    CHECK(code == STITCH_OK ? stage == 10 : countFiles(folder) == before);
    stitchStatusFree(status);
    stitchCompilationFree(compilation);
  }
  CHECK(code == STITCH_OK && unlink(output) == 0);
}

static void *compilePlan(void *result) {
  StitchCompilation *compilation = NULL;
  StitchCompileOptions options = optionsFor(good, STITCH_EMIT_PTX);
  options.target = "sm_80";
  StitchStatus status = stitchCompile(&options, &compilation);
  if (!status)
    *(char **)result = strdup(stitchCompilationText(compilation).data);
  stitchStatusFree(status);
  stitchCompilationFree(compilation);
  return NULL;
}

static void checkThreads(void) {
  pthread_t threads[NUM_THREADS];
  char *texts[NUM_THREADS] = {NULL};
  for (int i = 0; i < NUM_THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, compilePlan, &texts[i]) == 0);
  for (int i = 0; i < NUM_THREADS; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < NUM_THREADS; ++i)
    CHECK(texts[i] && strcmp(texts[i], texts[0]) == 0 && strstr(texts[i], ".entry"));
  for (int i = 0; i < NUM_THREADS; ++i)
    free(texts[i]);
}

int main(int argc, char **argv) {
  checkThreads(); // first: the registries are filled by whoever comes first
  checkTexts();
  checkErrors();
  checkCancelled(argc > 1 ? argv[1] : ".");
  return checkResult();
}
