//===- dlpack.c - tests of tensors as DLPack passes them -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/stitch_runtime.h"
#include "test/unit/check.h"

#include <stddef.h>

_Static_assert(sizeof(DLDevice) == 8 && sizeof(DLDataType) == 4, "DLPack's ABI");
_Static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, dtype) == 20 && offsetof(DLTensor, shape) == 24 &&
                   offsetof(DLTensor, byte_offset) == 40,
               "DLPack's ABI");
_Static_assert(sizeof(DLManagedTensor) == 64 && offsetof(DLManagedTensor, deleter) == 56, "DLPack's ABI");
_Static_assert(sizeof(DLManagedTensorVersioned) == 80 && offsetof(DLManagedTensorVersioned, flags) == 24 &&
                   offsetof(DLManagedTensorVersioned, dl_tensor) == 32,
               "DLPack's ABI");

static void testViews(void) {
  float data[64] = {0};
  int64_t shape[] = {2, 1, 3}, dense[] = {3, 7, 1}, transposed[] = {1, 1, 2};
  DLTensor given = {
      .data = data, .device = {kDLCUDA, 5}, .ndim = 3, .dtype = {kDLFloat, 32, 1}, .shape = shape, .byte_offset = 16};
  StitchTensor tensor = {.rank = -1};
  CHECK_OK(stitchTensorFromDLPack(&given, &tensor));
  CHECK(tensor.data == data + 4 && tensor.rank == 3 && tensor.dims == shape);
  CHECK(tensor.memory == STITCH_MEMORY_CUDA && tensor.memoryId == 5);
  CHECK(strcmp(stitchDataTypeName(tensor.dtype), "f32") == 0);
  given.strides = dense;
  CHECK_OK(stitchTensorFromDLPack(&given, &tensor));
  given.strides = transposed;
  CHECK_STATUS(stitchTensorFromDLPack(&given, &tensor), STITCH_INVALID_ARGUMENT, "not dense in row-major order");
  shape[2] = 0; // without elements any strides will do
  CHECK_OK(stitchTensorFromDLPack(&given, &tensor));
  given.dtype.lanes = 4;
  CHECK_STATUS(stitchTensorFromDLPack(&given, &tensor), STITCH_INVALID_ARGUMENT, "(code 2, 32 bits, 4 lanes)");
  given.dtype = (DLDataType){kDLFloat4_e2m1fn, 8, 1};
  CHECK_STATUS(stitchTensorFromDLPack(&given, &tensor), STITCH_INVALID_ARGUMENT, "is none of Stitch's");
  given.dtype = (DLDataType){kDLBool, 8, 1};
  given.shape = NULL;
  CHECK_STATUS(stitchTensorFromDLPack(&given, &tensor), STITCH_INVALID_ARGUMENT, "has no shape");
}

static void testTypes(void) {
  static const struct {
    DLDataType dtype;
    const char *name;
    size_t bytes;
  } types[] = {
      {{kDLComplex, 64, 1}, "complex<f32>", 8},
      {{kDLComplex, 128, 1}, "complex<f64>", 16},
      {{kDLFloat8_e3m4, 8, 1}, "f8E3M4", 1},
      {{kDLFloat8_e4m3, 8, 1}, "f8E4M3", 1},
      {{kDLFloat8_e4m3fn, 8, 1}, "f8E4M3FN", 1},
      {{kDLFloat8_e4m3b11fnuz, 8, 1}, "f8E4M3B11FNUZ", 1},
      {{kDLFloat8_e4m3fnuz, 8, 1}, "f8E4M3FNUZ", 1},
      {{kDLFloat8_e5m2, 8, 1}, "f8E5M2", 1},
      {{kDLFloat8_e5m2fnuz, 8, 1}, "f8E5M2FNUZ", 1},
      {{kDLFloat8_e8m0fnu, 8, 1}, "f8E8M0FNU", 1},
      {{kDLUInt, 64, 1}, "ui64", 8},
      {{kDLBfloat, 16, 1}, "bf16", 2},
  };
  char data[16] = {0};
  int64_t shape[] = {1};
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
    DLTensor given = {.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = types[i].dtype, .shape = shape};
    StitchTensor tensor = {0};
    CHECK_OK(stitchTensorFromDLPack(&given, &tensor));
    CHECK(strcmp(stitchDataTypeName(tensor.dtype), types[i].name) == 0);
    CHECK(stitchTensorBytes(tensor.dtype, tensor.rank, tensor.dims) == types[i].bytes);
  }
}

/// Two to a byte, unless the flags say that there is one; of floats of six bits there must be one.
static void testSubByteTypes(void) {
  char data[16] = {0};
  int64_t shape[] = {16};
  DLManagedTensorVersioned given = {
      .dl_tensor = {.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLInt, 4, 1}, .shape = shape}};
  StitchTensor tensor = {0};
  CHECK_OK(stitchTensorFromDLPack(&given.dl_tensor, &tensor));
  CHECK_OK(stitchTensorFromDLPackVersioned(&given, &tensor));
  CHECK(stitchTensorBytes(tensor.dtype, tensor.rank, tensor.dims) == 8);
  given.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  CHECK_STATUS(stitchTensorFromDLPackVersioned(&given, &tensor), STITCH_INVALID_ARGUMENT, "(i4) have a byte each");
  given.dl_tensor.dtype = (DLDataType){kDLFloat6_e2m3fn, 6, 1};
  CHECK_OK(stitchTensorFromDLPackVersioned(&given, &tensor));
  CHECK(stitchTensorBytes(tensor.dtype, tensor.rank, tensor.dims) == 16);
  given.flags = 0;
  CHECK_STATUS(stitchTensorFromDLPackVersioned(&given, &tensor), STITCH_INVALID_ARGUMENT, "(f6E2M3FN) are packed");
  given.dl_tensor.dtype = (DLDataType){kDLUInt, 2, 1};
  shape[0] = 5;
  CHECK_OK(stitchTensorFromDLPackVersioned(&given, &tensor));
  CHECK(stitchTensorBytes(tensor.dtype, tensor.rank, tensor.dims) == 2);
  given.dl_tensor.dtype = (DLDataType){kDLFloat4_e2m1fn, 4, 1};
  CHECK_OK(stitchTensorFromDLPackVersioned(&given, &tensor));
  CHECK(stitchTensorBytes(tensor.dtype, tensor.rank, tensor.dims) == 3);
}

/// STITCH_TEST_MODELS is the folder of the models that test/unit/CMakeLists.txt builds.
static void testAllocation(void) {
  static const int64_t dims[] = {2, 3};
  StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1};
  StitchModel *model = NULL;
  StitchSession *session = NULL;
  CHECK_OK(stitchModelLoad(STITCH_TEST_MODELS "/libmodel-good.so", &model));
  CHECK_OK(stitchSessionCreate(model, &(StitchSessionOptions){.device = "reference"}, &session));
  DLManagedTensorVersioned *in = NULL, *out = NULL;
  CHECK_OK(stitchSessionAllocate(session, f32, 2, dims, &in));
  CHECK_OK(stitchSessionAllocate(session, f32, 2, dims, &out));
  CHECK_STATUS(stitchSessionAllocate(session, (StitchDataType){0, 7, 1}, 2, dims, &out), STITCH_INVALID_ARGUMENT,
               "no tensors of this type");
  CHECK(in->version.major == 1 && in->flags == 0 && in->dl_tensor.device.device_type == kDLCPU);
  CHECK(in->dl_tensor.ndim == 2 && in->dl_tensor.shape[1] == 3 && in->dl_tensor.strides[0] == 3);
  DLManagedTensorVersioned *small = NULL;
  CHECK_OK(stitchSessionAllocate(session, (StitchDataType){STITCH_TYPE_UINT, 4, 1}, 2, dims, &small));
  CHECK(small->flags == 0 && small->dl_tensor.dtype.bits == 4);
  small->deleter(small);
  DLManagedTensorVersioned *empty = NULL; // without elements
  CHECK_OK(stitchSessionAllocate(session, f32, 2, (const int64_t[]){3, 0}, &empty));
  StitchTensor nothing = {0};
  CHECK_OK(stitchTensorFromDLPackVersioned(empty, &nothing));
  CHECK_OK(stitchSessionCopy(session, &nothing, &nothing));
  empty->deleter(empty);
  StitchTensor x, y;
  CHECK_OK(stitchTensorFromDLPack(&in->dl_tensor, &x));
  CHECK_OK(stitchTensorFromDLPack(&out->dl_tensor, &y));
  for (int i = 0; i < 6; ++i)
    ((float *)x.data)[i] = (float)i;
  CHECK_OK(stitchSessionRun(session, &x, 1, &y, 1));
  CHECK_OK(stitchSessionCopy(session, &y, &x));
  CHECK(((float *)x.data)[5] == 10.0f);
  StitchTensor other = x;
  other.rank = 1;
  CHECK_STATUS(stitchSessionCopy(session, &y, &other), STITCH_INVALID_ARGUMENT, "must be f32[2,3], got f32[2]");
  stitchSessionFree(session);
  stitchModelFree(model);
  DLManagedTensor *legacy = stitchDLPackLegacy(out);
  CHECK(legacy->dl_tensor.data == y.data && ((float *)legacy->dl_tensor.data)[5] == 10.0f);
  legacy->deleter(legacy);
  in->deleter(in);
}

int main(void) {
  testViews();
  testTypes();
  testSubByteTypes();
  testAllocation();
  return checkResult();
}
