//===- handler.c - models as calls of XLA programs -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA calls a handler with buffers and, on a GPU, the stream that its own kernels are on. Sessions are made where a
// stream is seen for the first time.
//
//===----------------------------------------------------------------------===//

#include "xla/ffi/api/c_api.h"

#include "python/jax_ffi/stitch_jax.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void *stream; ///< NULL: the CPU
  StitchSession *session;
} StreamSession;

struct StitchJaxCall {
  int64_t number;
  StitchJaxCall *next;
  StitchModel *model;
  bool explore;
  pthread_mutex_t mutex; ///< a session is used by one thread at a time
  StreamSession *sessions;
  size_t numSessions;
};

/// All calls of the process.
static StitchJaxCall *calls;
static pthread_mutex_t callsMutex = PTHREAD_MUTEX_INITIALIZER;

//===----------------------------------------------------------------------===//
// Models and sessions
//===----------------------------------------------------------------------===//

StitchStatus stitchJaxCallCreate(const char *path, int64_t number, bool explore, StitchJaxCall **result) {
  StitchJaxCall *call = calloc(1, sizeof(*call));
  StitchStatus status = call ? stitchModelLoad(path, &call->model) : stitchStatusOutOfMemory();
  if (status) {
    free(call);
    return status;
  }
  call->number = number;
  call->explore = explore;
  pthread_mutex_init(&call->mutex, NULL);
  pthread_mutex_lock(&callsMutex);
  call->next = calls;
  calls = call;
  pthread_mutex_unlock(&callsMutex);
  *result = call;
  return NULL;
}

const StitchModel *stitchJaxCallModel(const StitchJaxCall *call) { return call->model; }

void stitchJaxCallFree(StitchJaxCall *call) {
  if (!call)
    return;
  pthread_mutex_lock(&callsMutex);
  StitchJaxCall **link = &calls;
  while (*link != call)
    link = &(*link)->next;
  *link = call->next;
  pthread_mutex_unlock(&callsMutex);
  for (size_t i = 0; i < call->numSessions; ++i)
    stitchSessionFree(call->sessions[i].session);
  free(call->sessions);
  stitchModelFree(call->model);
  pthread_mutex_destroy(&call->mutex);
  free(call);
}

/// The session of a stream. Sessions never move to another one.
static StitchStatus findSession(StitchJaxCall *call, const char *device, void *stream, StitchSession **session) {
  for (size_t i = 0; i < call->numSessions; ++i)
    if (call->sessions[i].stream == stream) {
      *session = call->sessions[i].session;
      return NULL;
    }
  StreamSession *sessions = realloc(call->sessions, (call->numSessions + 1) * sizeof(*sessions));
  if (!sessions)
    return stitchStatusOutOfMemory();
  call->sessions = sessions;
  StitchSessionOptions options = {.device = device, .adaptive = {.explore = call->explore}};
  options.cuda.stream = stream;
  StitchStatus status = stitchSessionCreate(call->model, &options, session);
  if (!status)
    sessions[call->numSessions++] = (StreamSession){.stream = stream, .session = *session};
  return status;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static bool readDataType(XLA_FFI_DataType type, StitchDataType *result) {
  static const struct {
    XLA_FFI_DataType type;
    StitchTypeCode code;
    uint8_t bits;
  } types[] = {
      {XLA_FFI_DataType_PRED, STITCH_TYPE_BOOL, 8},
      {XLA_FFI_DataType_S8, STITCH_TYPE_INT, 8},
      {XLA_FFI_DataType_S16, STITCH_TYPE_INT, 16},
      {XLA_FFI_DataType_S32, STITCH_TYPE_INT, 32},
      {XLA_FFI_DataType_S64, STITCH_TYPE_INT, 64},
      {XLA_FFI_DataType_U8, STITCH_TYPE_UINT, 8},
      {XLA_FFI_DataType_U16, STITCH_TYPE_UINT, 16},
      {XLA_FFI_DataType_U32, STITCH_TYPE_UINT, 32},
      {XLA_FFI_DataType_U64, STITCH_TYPE_UINT, 64},
      {XLA_FFI_DataType_F16, STITCH_TYPE_FLOAT, 16},
      {XLA_FFI_DataType_F32, STITCH_TYPE_FLOAT, 32},
      {XLA_FFI_DataType_F64, STITCH_TYPE_FLOAT, 64},
      {XLA_FFI_DataType_BF16, STITCH_TYPE_BFLOAT, 16},
      {XLA_FFI_DataType_C64, STITCH_TYPE_COMPLEX, 64},
      {XLA_FFI_DataType_C128, STITCH_TYPE_COMPLEX, 128},
      {XLA_FFI_DataType_F8E3M4, STITCH_TYPE_FLOAT8_E3M4, 8},
      {XLA_FFI_DataType_F8E4M3, STITCH_TYPE_FLOAT8_E4M3, 8},
      {XLA_FFI_DataType_F8E4M3B11FNUZ, STITCH_TYPE_FLOAT8_E4M3B11FNUZ, 8},
      {XLA_FFI_DataType_F8E4M3FN, STITCH_TYPE_FLOAT8_E4M3FN, 8},
      {XLA_FFI_DataType_F8E4M3FNUZ, STITCH_TYPE_FLOAT8_E4M3FNUZ, 8},
      {XLA_FFI_DataType_F8E5M2, STITCH_TYPE_FLOAT8_E5M2, 8},
      {XLA_FFI_DataType_F8E5M2FNUZ, STITCH_TYPE_FLOAT8_E5M2FNUZ, 8},
      {XLA_FFI_DataType_F8E8M0FNU, STITCH_TYPE_FLOAT8_E8M0FNU, 8},
      {XLA_FFI_DataType_F4E2M1FN, STITCH_TYPE_FLOAT4_E2M1FN, 4},
      {XLA_FFI_DataType_S2, STITCH_TYPE_INT, 2},
      {XLA_FFI_DataType_S4, STITCH_TYPE_INT, 4},
      {XLA_FFI_DataType_U2, STITCH_TYPE_UINT, 2},
      {XLA_FFI_DataType_U4, STITCH_TYPE_UINT, 4},
  };
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i)
    if (types[i].type == type) {
      *result = (StitchDataType){.code = (uint8_t)types[i].code, .bits = types[i].bits, .lanes = 1};
      return true;
    }
  return false;
}

static StitchStatus readBuffers(void *const *buffers, int64_t count, StitchMemory memory, int32_t device,
                                StitchTensor *tensors) {
  for (int64_t i = 0; i < count; ++i) {
    const XLA_FFI_Buffer *buffer = buffers[i];
    tensors[i] = (StitchTensor){.rank = (int32_t)buffer->rank,
                                .dims = buffer->dims,
                                .data = buffer->data,
                                .memory = (int32_t)memory,
                                .memoryId = device};
    if (!readDataType(buffer->dtype, &tensors[i].dtype))
      return stitchStatusMake(STITCH_UNIMPLEMENTED,
                              "tensor %lld has XLA's type %d, which Stitch does not take from XLA", (long long)i,
                              (int)buffer->dtype);
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

/// XLA's error for a status, which is released; NULL for success.
static XLA_FFI_Error *makeError(const XLA_FFI_Api *api, StitchStatus status) {
  static const XLA_FFI_Error_Code codes[] = {
      [STITCH_INVALID_ARGUMENT] = XLA_FFI_Error_Code_INVALID_ARGUMENT,
      [STITCH_NOT_FOUND] = XLA_FFI_Error_Code_NOT_FOUND,
      [STITCH_FAILED_PRECONDITION] = XLA_FFI_Error_Code_FAILED_PRECONDITION,
      [STITCH_UNIMPLEMENTED] = XLA_FFI_Error_Code_UNIMPLEMENTED,
      [STITCH_OUT_OF_MEMORY] = XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
      [STITCH_IO_ERROR] = XLA_FFI_Error_Code_UNAVAILABLE,
      [STITCH_DEVICE_ERROR] = XLA_FFI_Error_Code_INTERNAL,
      [STITCH_INTERNAL] = XLA_FFI_Error_Code_INTERNAL,
      [STITCH_CANCELLED] = XLA_FFI_Error_Code_CANCELLED,
  };
  if (!status)
    return NULL;
  XLA_FFI_Error_Create_Args arguments = {.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE,
                                         .message = stitchStatusMessage(status),
                                         .errc = codes[stitchStatusCode(status)]};
  XLA_FFI_Error *error = api->XLA_FFI_Error_Create(&arguments);
  stitchStatusFree(status);
  return error;
}

/// Whether XLA asks for nothing but the interface's version, which is then given.
static bool answerMetadata(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Extension_Base *extension = frame->extension_start;
  if (!extension || extension->type != XLA_FFI_Extension_Metadata)
    return false;
  XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)extension)->metadata;
  metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return true;
}

/// The call with a number; NULL if the process has none.
static StitchJaxCall *callOfNumber(int64_t number) {
  pthread_mutex_lock(&callsMutex);
  StitchJaxCall *call = calls;
  while (call && call->number != number)
    call = call->next;
  pthread_mutex_unlock(&callsMutex);
  return call;
}

static StitchStatus findCall(const XLA_FFI_Attrs *attributes, StitchJaxCall **call) {
  static const char name[] = "call";
  for (int64_t i = 0; i < attributes->size; ++i) {
    const XLA_FFI_ByteSpan *span = attributes->names[i];
    if (span->len != strlen(name) || memcmp(span->ptr, name, span->len) != 0)
      continue;
    const XLA_FFI_Scalar *scalar = attributes->attrs[i];
    if (attributes->types[i] != XLA_FFI_AttrType_SCALAR || scalar->dtype != XLA_FFI_DataType_S64)
      break;
    *call = callOfNumber(*(const int64_t *)scalar->value);
    return *call ? NULL
                 : stitchStatusMake(STITCH_FAILED_PRECONDITION,
                                    "this process has no such stitched function: the program was made by another one");
  }
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the custom call has no attribute 'call' of type i64");
}

static StitchStatus runHandler(XLA_FFI_CallFrame *frame, const char *device, void *stream, StitchMemory memory,
                               int32_t id) {
  StitchJaxCall *call = NULL;
  StitchStatus status = findCall(&frame->attrs, &call);
  int64_t numInputs = frame->args.size, numOutputs = frame->rets.size;
  StitchTensor *tensors = calloc((size_t)(numInputs + numOutputs) + 1, sizeof(*tensors));
  if (!status && !tensors)
    status = stitchStatusOutOfMemory();
  if (!status)
    status = readBuffers(frame->args.args, numInputs, memory, id, tensors);
  if (!status)
    status = readBuffers(frame->rets.rets, numOutputs, memory, id, tensors + numInputs);
  if (!status) {
    StitchSession *session = NULL;
    pthread_mutex_lock(&call->mutex);
    status = findSession(call, device, stream, &session);
    if (!status)
      status = stitchSessionRun(session, tensors, numInputs, tensors + numInputs, numOutputs);
    pthread_mutex_unlock(&call->mutex);
  }
  free(tensors);
  return status;
}

XLA_FFI_Error *stitchJaxRunOnHost(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return NULL;
  return makeError(frame->api, runHandler(frame, "simt", NULL, STITCH_MEMORY_HOST, 0));
}

XLA_FFI_Error *stitchJaxRunOnGpu(XLA_FFI_CallFrame *frame) {
  if (answerMetadata(frame))
    return NULL;
  XLA_FFI_Stream_Get_Args stream = {.struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE, .ctx = frame->ctx};
  XLA_FFI_DeviceOrdinal_Get_Args ordinal = {.struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE,
                                            .ctx = frame->ctx};
  XLA_FFI_Error *error = frame->api->XLA_FFI_Stream_Get(&stream);
  if (!error)
    error = frame->api->XLA_FFI_DeviceOrdinal_Get(&ordinal);
  if (error)
    return error;
  char device[32];
  snprintf(device, sizeof(device), "cuda:%d", (int)ordinal.device_ordinal);
  // NULL is the legacy default stream, which a session calls 1.
  void *cuStream = stream.stream ? stream.stream : (void *)1;
  return makeError(frame->api,
                   runHandler(frame, device, cuStream, STITCH_MEMORY_CUDA, (int32_t)ordinal.device_ordinal));
}
