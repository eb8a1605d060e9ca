//===- model.c - tests of loading models and of sessions -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device.h"
#include "test/unit/check.h"

#include <stdlib.h>

/// STITCH_TEST_MODELS is the folder of the models that test/unit/CMakeLists.txt builds.
static StitchStatus load(const char *file) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", STITCH_TEST_MODELS, file);
  StitchModel *model = NULL;
  StitchStatus status = stitchModelLoad(path, &model);
  stitchModelFree(model);
  return status;
}

static void writeFile(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(data, 1, size, file) == size);
  if (file)
    fclose(file);
}

static void testLoading(void) {
  CHECK_OK(load("libmodel-good.so"));
  CHECK_STATUS(load("no-such-file.so"), STITCH_NOT_FOUND, "No such file");
  CHECK_STATUS(load("."), STITCH_INVALID_ARGUMENT, "it is a directory");
  CHECK_STATUS(load("libmodel-empty.so"), STITCH_INVALID_ARGUMENT, "exports no symbol 'stitch_model'");
  CHECK_STATUS(load("libmodel-version.so"), STITCH_FAILED_PRECONDITION, "it has version 99 of the model format");
  CHECK_STATUS(load("libmodel-magic.so"), STITCH_INVALID_ARGUMENT, "is no model descriptor");
  CHECK_STATUS(load("libmodel-type.so"), STITCH_INVALID_ARGUMENT, "input 0 has an unknown element type (77)");
  CHECK_STATUS(load("libmodel-next.so"), STITCH_INVALID_ARGUMENT, "input 0, a variable, has no output of its type");
  CHECK_STATUS(load("libmodel-updated.so"), STITCH_INVALID_ARGUMENT, "input 0 is updated in an output of another type");
  CHECK_STATUS(load("libmodel-variable.so"), STITCH_INVALID_ARGUMENT, "input 0, a variable, has no output of its type");
}

static void testFilesThatAreNoModels(const char *folder) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/text", folder);
  writeFile(path, "module {}\n", 10);
  StitchModel *model = NULL;
  CHECK_STATUS(stitchModelLoad(path, &model), STITCH_INVALID_ARGUMENT, "it is not an ELF file");
  // The header of a shared object for another machine, and of an executable.
  unsigned char header[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  header[16] = 3;
  header[18] = 190;
  writeFile(path, header, sizeof(header));
  CHECK_STATUS(stitchModelLoad(path, &model), STITCH_FAILED_PRECONDITION, "it was compiled for NVIDIA CUDA");
  CHECK(!model);
  remove(path);
}

/// A copy of the good model with its first `size` bytes and byte `changed`, if there is one, changed.
static StitchStatus loadCopy(const char *folder, size_t size, size_t changed) {
  static unsigned char data[1 << 20];
  char path[4096];
  FILE *file = fopen(STITCH_TEST_MODELS "/libmodel-good.so", "rb");
  CHECK(file);
  if (!file)
    return NULL;
  size_t whole = fread(data, 1, sizeof(data), file);
  fclose(file);
  CHECK(whole > 0 && whole < sizeof(data));
  if (changed < whole)
    data[changed] ^= 1;
  snprintf(path, sizeof(path), "%s/copy.so", folder);
  writeFile(path, data, size < whole ? size : whole);
  StitchModel *model = NULL;
  StitchStatus status = stitchModelLoad(path, &model);
  stitchModelFree(model);
  remove(path);
  return status;
}

static void testDamage(const char *folder) {
  CHECK_OK(loadCopy(folder, SIZE_MAX, SIZE_MAX));
  CHECK_STATUS(loadCopy(folder, 5000, SIZE_MAX), STITCH_INVALID_ARGUMENT, "it was cut off or changed");
  CHECK_STATUS(loadCopy(folder, 64, SIZE_MAX), STITCH_INVALID_ARGUMENT, "it was cut off or changed");
  for (size_t i = 64; i < 4096; i += 97)
    CHECK_STATUS(loadCopy(folder, SIZE_MAX, i), STITCH_INVALID_ARGUMENT, "it was damaged after");
}

static StitchTensor tensor(const int64_t *dims, void *data) {
  return (StitchTensor){.dtype = {STITCH_TYPE_FLOAT, 32, 1}, .rank = 2, .dims = dims, .data = data};
}

static void testSession(void) {
  static const int64_t dims[] = {2, 3}, otherDims[] = {3, 2};
  _Alignas(16) float in[8] = {1, 2, 3, 4, 5, 6}, out[8];
  StitchModel *model = NULL;
  StitchSession *session = NULL;
  CHECK_OK(stitchModelLoad(STITCH_TEST_MODELS "/libmodel-good.so", &model));
  CHECK(stitchModelNumInputs(model) == 1 && stitchModelNumOutputs(model) == 1);
  CHECK(strcmp(stitchModelInput(model, 0).name, "x") == 0);
  CHECK(stitchModelInput(model, 0).next == -1 && !stitchModelInput(model, 0).initial);
  CHECK(strcmp(stitchDataTypeName(stitchModelInput(model, 0).dtype), "f32") == 0);
  CHECK_STATUS(stitchSessionCreate(model, &(StitchSessionOptions){.device = "abacus"}, &session), STITCH_NOT_FOUND,
               "unknown device 'abacus'; there are simt, reference and cuda");
  CHECK_STATUS(stitchSessionCreate(model, NULL, &session), STITCH_FAILED_PRECONDITION,
               "device 'simt': the model was compiled without --target=simt");
  CHECK_OK(stitchSessionCreate(model, &(StitchSessionOptions){.device = "reference"}, &session));

  StitchTensor x = tensor(dims, in), y = tensor(dims, out);
  CHECK_OK(stitchSessionRun(session, &x, 1, &y, 1));
  CHECK(out[0] == 2.0f && out[5] == 12.0f);
  CHECK_STATUS(stitchSessionRun(session, &x, 0, &y, 1), STITCH_INVALID_ARGUMENT, "has 1 inputs, got 0");
  StitchTensor wrong = tensor(otherDims, in);
  CHECK_STATUS(stitchSessionRun(session, &wrong, 1, &y, 1), STITCH_INVALID_ARGUMENT,
               "input 0 ('x') must be f32[2,3], got f32[3,2]");
  wrong = tensor(dims, in);
  wrong.dtype.bits = 64;
  CHECK_STATUS(stitchSessionRun(session, &wrong, 1, &y, 1), STITCH_INVALID_ARGUMENT, "got f64[2,3]");
  wrong = tensor(dims, NULL);
  CHECK_STATUS(stitchSessionRun(session, &x, 1, &wrong, 1), STITCH_INVALID_ARGUMENT, "output 0 ('y') has no data");
  wrong = tensor(dims, in + 1);
  CHECK_STATUS(stitchSessionRun(session, &wrong, 1, &y, 1), STITCH_INVALID_ARGUMENT, "not aligned to 16 bytes");
  in[0] = -1.0f;
  CHECK_STATUS(stitchSessionRun(session, &x, 1, &y, 1), STITCH_INTERNAL, "returned 7");
  stitchSessionFree(session);
  stitchModelFree(model);
}

int main(int argc, char **argv) {
  testLoading();
  testFilesThatAreNoModels(argc > 1 ? argv[1] : ".");
  testDamage(argc > 1 ? argv[1] : ".");
  testSession();
  return checkResult();
}
