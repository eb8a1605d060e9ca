//===- jax_handler.c - tests of libstitch_jax ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA's side is played by this file: call frames with buffers, a stream and an ordinal. The GPU is the test double.
// The argument is a model of f32[4,8] -> f32[4,8], the exponential function, for simt and a GPU.
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/c_api.h"

#include "python/jax_ffi/stitch_jax.h"
#include "test/unit/check.h"

enum { ELEMENTS = 32, NUMBER = 7 };

static char said[256]; ///< the message of the last error
static XLA_FFI_Error_Code saidCode;

static XLA_FFI_Error *createError(XLA_FFI_Error_Create_Args *arguments) {
  snprintf(said, sizeof(said), "%s", arguments->message);
  saidCode = arguments->errc;
  return (XLA_FFI_Error *)said;
}

static XLA_FFI_Error *getStream(XLA_FFI_Stream_Get_Args *arguments) {
  arguments->stream = NULL; // the legacy default stream
  return NULL;
}

static XLA_FFI_Error *getOrdinal(XLA_FFI_DeviceOrdinal_Get_Args *arguments) {
  arguments->device_ordinal = 0;
  return NULL;
}

static const XLA_FFI_Api api = {.struct_size = XLA_FFI_Api_STRUCT_SIZE,
                                .XLA_FFI_Error_Create = createError,
                                .XLA_FFI_Stream_Get = getStream,
                                .XLA_FFI_DeviceOrdinal_Get = getOrdinal};

typedef XLA_FFI_Error *(*Handler)(XLA_FFI_CallFrame *frame);

/// Calls a handler with one input and one output of f32[4,8], or of `type` elements.
static XLA_FFI_Error *callHandler(Handler handler, int64_t call, const char *attribute, XLA_FFI_DataType type, void *x,
                                  void *y) {
  int64_t dims[] = {4, 8};
  XLA_FFI_Buffer input = {.dtype = type, .data = x, .rank = 2, .dims = dims}, output = input;
  output.data = y;
  XLA_FFI_Scalar scalar = {.dtype = XLA_FFI_DataType_S64, .value = &call};
  XLA_FFI_ByteSpan name = {.ptr = attribute, .len = strlen(attribute)};
  void *inputs[] = {&input}, *outputs[] = {&output}, *values[] = {&scalar};
  XLA_FFI_ByteSpan *names[] = {&name};
  XLA_FFI_AttrType kinds[] = {XLA_FFI_AttrType_SCALAR};
  XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                             .api = &api,
                             .stage = XLA_FFI_ExecutionStage_EXECUTE,
                             .args = {.size = 1, .args = inputs},
                             .rets = {.size = 1, .rets = outputs},
                             .attrs = {.size = 1, .types = kinds, .names = names, .attrs = values}};
  return handler(&frame);
}

static void checkMetadata(Handler handler) {
  XLA_FFI_Metadata metadata = {.struct_size = XLA_FFI_Metadata_STRUCT_SIZE};
  XLA_FFI_Metadata_Extension extension = {.extension_base = {.type = XLA_FFI_Extension_Metadata},
                                          .metadata = &metadata};
  XLA_FFI_CallFrame frame = {.extension_start = &extension.extension_base};
  CHECK(!handler(&frame));
  CHECK(metadata.api_version.major_version == XLA_FFI_API_MAJOR);
  CHECK(metadata.api_version.minor_version == XLA_FFI_API_MINOR);
}

static void checkHost(void) {
  static _Alignas(16) float x[ELEMENTS], y[ELEMENTS];
  CHECK(!callHandler(stitchJaxRunOnHost, NUMBER, "call", XLA_FFI_DataType_F32, x, y));
  CHECK(y[0] == 1.0f && y[ELEMENTS - 1] == 1.0f);
  CHECK(callHandler(stitchJaxRunOnHost, NUMBER, "other", XLA_FFI_DataType_F32, x, y));
  CHECK(saidCode == XLA_FFI_Error_Code_INVALID_ARGUMENT && strstr(said, "no attribute 'call'"));
  CHECK(callHandler(stitchJaxRunOnHost, NUMBER, "call", XLA_FFI_DataType_TOKEN, x, y));
  CHECK(saidCode == XLA_FFI_Error_Code_UNIMPLEMENTED && strstr(said, "tensor 0 has XLA's type 17"));
  CHECK(callHandler(stitchJaxRunOnHost, NUMBER, "call", XLA_FFI_DataType_S32, x, y));
  CHECK(saidCode == XLA_FFI_Error_Code_INVALID_ARGUMENT && strstr(said, "i32[4,8]"));
}

/// The program of another process.
static void checkNoCall(void) {
  CHECK(callHandler(stitchJaxRunOnHost, NUMBER, "call", XLA_FFI_DataType_F32, NULL, NULL));
  CHECK(saidCode == XLA_FFI_Error_Code_FAILED_PRECONDITION && strstr(said, "no such stitched function"));
}

/// Twice on the default stream, with tensors in the double's memory, which are copied on that stream.
static void checkGpu(const char *path) {
  static const int64_t dims[] = {4, 8};
  static const StitchDataType f32 = {STITCH_TYPE_FLOAT, 32, 1};
  static _Alignas(16) float host[ELEMENTS];
  StitchModel *model = NULL;
  StitchSession *session = NULL;
  DLManagedTensorVersioned *x = NULL, *y = NULL;
  CHECK_OK(stitchModelLoad(path, &model));
  CHECK_OK(
      stitchSessionCreate(model, &(StitchSessionOptions){.device = "cuda", .cuda = {.stream = (void *)1}}, &session));
  CHECK_OK(stitchSessionAllocate(session, f32, 2, dims, &x));
  CHECK_OK(stitchSessionAllocate(session, f32, 2, dims, &y));
  StitchTensor onHost = {.dtype = f32, .rank = 2, .dims = dims, .data = host}, onGpu;
  CHECK_OK(stitchTensorFromDLPackVersioned(x, &onGpu));
  CHECK_OK(stitchSessionCopy(session, &onHost, &onGpu));
  for (int run = 0; run < 2; ++run)
    CHECK(!callHandler(stitchJaxRunOnGpu, NUMBER, "call", XLA_FFI_DataType_F32, x->dl_tensor.data, y->dl_tensor.data));
  CHECK_OK(stitchTensorFromDLPackVersioned(y, &onGpu));
  CHECK_OK(stitchSessionCopy(session, &onGpu, &onHost));
  CHECK(host[0] == 1.0f && host[ELEMENTS - 1] == 1.0f);
  x->deleter(x);
  y->deleter(y);
  stitchSessionFree(session);
  stitchModelFree(model);
}

int main(int argc, char **argv) {
  StitchJaxCall *call = NULL;
  CHECK_STATUS(stitchJaxCallCreate("missing.so", NUMBER, false, &call), STITCH_NOT_FOUND, "missing.so");
  stitchJaxCallFree(NULL);
  if (argc != 2)
    return 1;
  checkMetadata(stitchJaxRunOnHost);
  checkMetadata(stitchJaxRunOnGpu);
  StitchJaxCall *other = NULL;
  CHECK_OK(stitchJaxCallCreate(argv[1], NUMBER, false, &call));
  CHECK_OK(stitchJaxCallCreate(argv[1], NUMBER + 1, false, &other));
  CHECK(stitchModelInput(stitchJaxCallModel(call), 0).updated == -1);
  checkHost();
  checkGpu(argv[1]);
  stitchJaxCallFree(call);
  checkNoCall();
  stitchJaxCallFree(other);
  return checkResult();
}
