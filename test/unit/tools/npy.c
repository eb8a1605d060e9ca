//===- npy.c - tests of tools/support/npy.h ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/support/npy.h"
#include "test/unit/check.h"

#include <stdlib.h>

static const char *path;
static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1};

static void writeBytes(const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(data, 1, size, file) == size);
  if (file)
    fclose(file);
}

/// A file with that dictionary (version 1) and `size` bytes of data.
static void writeFile(const char *header, size_t size) {
  char bytes[1024] = "\x93NUMPY\x01";
  size_t length = strlen(header);
  bytes[8] = (char)(length & 0xFF);
  bytes[9] = (char)(length >> 8);
  memcpy(bytes + 10, header, length);
  for (size_t i = 0; i < size; ++i)
    bytes[10 + length + i] = (char)i;
  writeBytes(bytes, 10 + length + size);
}

static void expectError(const char *part) {
  ToolNpyArray array = {0};
  CHECK_STATUS(toolNpyRead(path, f32, &array), STITCH_INVALID_ARGUMENT, part);
  CHECK(!array.data);
}

static void testRoundTrip(StitchDataType dtype, int32_t rank, const int64_t *dims) {
  char data[512];
  for (size_t i = 0; i < sizeof(data); ++i)
    data[i] = (char)(i * 7);
  ToolNpyArray array = {0};
  CHECK_OK(toolNpyWrite(path, dtype, rank, dims, data));
  CHECK_OK(toolNpyRead(path, dtype, &array));
  CHECK(stitchDataTypesEqual(array.dtype, dtype) && array.rank == rank);
  for (int32_t i = 0; i < rank && i < array.rank; ++i)
    CHECK(array.dims[i] == dims[i]);
  CHECK(array.data && memcmp(array.data, data, stitchTensorBytes(dtype, rank, dims)) == 0);
  toolNpyFree(&array);
}

static void testRoundTrips(void) {
  static const StitchDataType types[] = {
      {STITCH_TYPE_FLOAT, 64, 1},
      {STITCH_TYPE_FLOAT, 32, 1},
      {STITCH_TYPE_FLOAT, 16, 1},
      {STITCH_TYPE_BFLOAT, 16, 1},
      {STITCH_TYPE_BOOL, 8, 1},
      {STITCH_TYPE_INT, 8, 1},
      {STITCH_TYPE_INT, 16, 1},
      {STITCH_TYPE_INT, 32, 1},
      {STITCH_TYPE_INT, 64, 1},
      {STITCH_TYPE_UINT, 8, 1},
      {STITCH_TYPE_UINT, 16, 1},
      {STITCH_TYPE_UINT, 32, 1},
      {STITCH_TYPE_UINT, 64, 1},
      {STITCH_TYPE_COMPLEX, 64, 1},
      {STITCH_TYPE_COMPLEX, 128, 1},
      {STITCH_TYPE_FLOAT8_E5M2, 8, 1},
      {STITCH_TYPE_FLOAT8_E4M3B11FNUZ, 8, 1},
      {STITCH_TYPE_FLOAT8_E8M0FNU, 8, 1},
  };
  static const int64_t dims[] = {2, 3, 1, 4};
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i)
    for (int32_t rank = 0; rank <= 4; ++rank)
      testRoundTrip(types[i], rank, dims);
  static const int64_t empty[] = {3, 0};
  testRoundTrip(types[0], 2, empty);
}

/// As NumPy writes them, and other spellings that it reads.
static void testHeaders(void) {
  ToolNpyArray array = {0};
  writeFile("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }   \n", 4);
  CHECK_OK(toolNpyRead(path, f32, &array));
  CHECK(array.rank == 1 && array.dims[0] == 2 && ((int16_t *)array.data)[1] == 0x0302);
  toolNpyFree(&array);
  writeFile("{\"shape\":( 2 ,1),\"fortran_order\":False,\"descr\":\"|u1\"}", 2);
  CHECK_OK(toolNpyRead(path, f32, &array));
  CHECK(array.rank == 2 && array.dims[0] == 2 && array.dims[1] == 1);
  toolNpyFree(&array);
  writeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", 4); // one dimension has one order
  CHECK_OK(toolNpyRead(path, f32, &array));
  toolNpyFree(&array);
}

/// Element (i, j, k) of the file's bytes 0, 1, ... is i + 2 j + 6 k.
static void testFortranOrder(void) {
  ToolNpyArray array = {0};
  writeFile("{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3, 2), }", 24);
  CHECK_OK(toolNpyRead(path, f32, &array));
  for (int i = 0; i < 12; ++i) {
    int number = i / 6 + 2 * (i / 2 % 3) + 6 * (i % 2);
    CHECK(((uint16_t *)array.data)[i] == 2 * number + ((2 * number + 1) << 8));
  }
  toolNpyFree(&array);
  writeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0), }", 0);
  CHECK_OK(toolNpyRead(path, f32, &array));
  toolNpyFree(&array);
}

/// Types that NumPy lacks are told apart by the wanted type.
static void testSharedSpellings(void) {
  static const StitchDataType e5m2 = {STITCH_TYPE_FLOAT8_E5M2, 8, 1}, e4m3 = {STITCH_TYPE_FLOAT8_E4M3FN, 8, 1};
  static const StitchDataType i4 = {STITCH_TYPE_INT, 4, 1}, ui2 = {STITCH_TYPE_UINT, 2, 1};
  ToolNpyArray array = {0};
  writeFile("{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }", 2);
  CHECK_OK(toolNpyRead(path, e4m3, &array));
  CHECK(stitchDataTypesEqual(array.dtype, e4m3));
  toolNpyFree(&array);
  CHECK_STATUS(toolNpyRead(path, f32, &array), STITCH_INVALID_ARGUMENT, "stands for several types, none of them f32");
  writeFile("{'descr': '<f1', 'fortran_order': False, 'shape': (2,), }", 2);
  CHECK_OK(toolNpyRead(path, f32, &array));
  CHECK(stitchDataTypesEqual(array.dtype, e5m2));
  toolNpyFree(&array);
  writeFile("{'descr': '|V1', 'fortran_order': False, 'shape': (16,), }", 16); // bytes 0 to 15
  CHECK_OK(toolNpyRead(path, i4, &array));
  CHECK(((int8_t *)array.data)[7] == 7 && ((int8_t *)array.data)[8] == -8 && ((int8_t *)array.data)[15] == -1);
  toolNpyFree(&array);
  CHECK_OK(toolNpyRead(path, ui2, &array));
  CHECK(((uint8_t *)array.data)[3] == 3 && ((uint8_t *)array.data)[14] == 2);
  toolNpyFree(&array);
}

/// Words of floats that NumPy lacks, as programs without ml_dtypes write them.
static void testPlainWords(void) {
  static const StitchDataType bf16 = {STITCH_TYPE_BFLOAT, 16, 1}, e4m3 = {STITCH_TYPE_FLOAT8_E4M3FN, 8, 1};
  static const struct {
    const char *descr;
    StitchDataType wanted, found;
  } cases[] = {
      {"<u2", bf16, bf16},
      {"<i2", bf16, bf16},
      {"|u1", e4m3, e4m3},
      {"<u2", f32, {STITCH_TYPE_UINT, 16, 1}},
      {"<f2", bf16, {STITCH_TYPE_FLOAT, 16, 1}},
      {"|i1", e4m3, {STITCH_TYPE_INT, 8, 1}},
      {"<u4", bf16, {STITCH_TYPE_UINT, 32, 1}},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    ToolNpyArray array = {0};
    char header[128];
    snprintf(header, sizeof(header), "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }", cases[i].descr);
    writeFile(header, 2 * (size_t)(cases[i].descr[2] - '0'));
    CHECK_OK(toolNpyRead(path, cases[i].wanted, &array));
    CHECK(stitchDataTypesEqual(array.dtype, cases[i].found));
    toolNpyFree(&array);
  }
  ToolNpyArray array = {0};
  writeFile("{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }", 4);
  CHECK_STATUS(toolNpyRead(path, bf16, &array), STITCH_INVALID_ARGUMENT, "big-endian");
}

static void testErrors(void) {
  ToolNpyArray array;
  CHECK_STATUS(toolNpyRead("no-such-file.npy", f32, &array), STITCH_NOT_FOUND, "No such file");
  CHECK_STATUS(toolNpyRead(".", f32, &array), STITCH_IO_ERROR, "Is a directory");
  writeBytes("", 0);
  expectError("it is not a .npy file");
  writeBytes("PK\x03\x04 not an array", 18);
  expectError("it is not a .npy file");
  writeBytes("\x93NUMPY\x09\x00\x02\x00{}", 12);
  expectError("it has version 9 of the format");
  writeBytes("\x93NUMPY\x01\x00\xff\x00{}", 12);
  expectError("its header is cut off");
  writeBytes("\x93NUMPY\x02\x00\x01\x00", 10);
  expectError("its header is cut off");
  writeFile("[]", 0);
  expectError("its header is no dictionary");
  writeFile("{'descr'", 0);
  expectError("its header is no valid dictionary");
  writeFile("{'descr': '<f4', 'fortran_order': False, }", 0);
  expectError("lacks the element type or the shape");
  writeFile("{'descr': '<c32', 'fortran_order': False, 'shape': (1,), }", 32);
  expectError("its element type '<c32' is not supported");
  writeFile("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4);
  expectError("its elements are big-endian");
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -1), }", 4);
  expectError("its header has no valid shape");
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 12);
  expectError("it is cut off");
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 20);
  expectError("it has more data");
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4), }", 4);
  expectError("it is cut off");
  writeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 4);
  expectError("its header has no valid shape");
  writeFile("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", 4);
  expectError("invalid entry 'fortran_order'");
}

int main(int argc, char **argv) {
  path = argc > 1 ? argv[1] : "test.npy";
  testRoundTrips();
  testHeaders();
  testFortranOrder();
  testSharedSpellings();
  testPlainWords();
  testErrors();
  remove(path);
  return checkResult();
}
