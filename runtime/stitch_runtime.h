//===- stitch_runtime.h - running compiled models -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header of a program that runs models made by stitch-compile:
//
//   StitchModel *model;
//   StitchSession *session;
//   StitchStatus status = stitchModelLoad("model.so", &model);
//   if (!status)
//     status = stitchSessionCreate(model, &(StitchSessionOptions){.device = "simt"}, &session);
//   if (!status)
//     status = stitchSessionRun(session, inputs, numInputs, outputs, numOutputs);
//
// Functions that fail return a StitchStatus (status.h): NULL is success. What Load and Create return is
// owned by the caller and released with the matching Free; what accessors return is borrowed.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_STITCH_RUNTIME_H
#define STITCH_RUNTIME_STITCH_RUNTIME_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// DLPack's type codes (DLDataTypeCode).
typedef enum {
  STITCH_TYPE_INT = 0,
  STITCH_TYPE_UINT = 1,
  STITCH_TYPE_FLOAT = 2,
  STITCH_TYPE_BFLOAT = 4,
  STITCH_TYPE_BOOL = 6,
} StitchTypeCode;

/// DLPack's DLDataType, with the same layout. `lanes` is 1. A bool has 8 bits, 0 or 1.
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} StitchDataType;

/// A dense row-major tensor whose memory belongs to somebody else.
typedef struct {
  StitchDataType dtype;
  int32_t rank;
  const int64_t *dims;
  void *data;
} StitchTensor;

/// The type's name as MLIR spells it ("f32", "i1", "ui8"); "?" if Stitch has no such type.
const char *stitchDataTypeName(StitchDataType dtype);
/// Bytes of one element; 0 if Stitch has no such type.
size_t stitchDataTypeBytes(StitchDataType dtype);
bool stitchDataTypesEqual(StitchDataType a, StitchDataType b);

/// Number of elements and bytes of a tensor of that type and shape.
int64_t stitchTensorElements(int32_t rank, const int64_t *dims);
size_t stitchTensorBytes(StitchDataType dtype, int32_t rank, const int64_t *dims);

/// Writes "f32[2,3]" to `text`, cut off after `size` bytes.
void stitchFormatTensorType(char *text, size_t size, StitchDataType dtype, int32_t rank, const int64_t *dims);

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// An open model file. Immutable, so sessions in several threads may share it.
typedef struct StitchModel StitchModel;

/// How an input is used, as far as the compiler could see, and so what a random value for it is drawn from
/// (docs/random_inputs.md). The numbers are part of the model file's ABI: append only.
typedef enum {
  STITCH_INPUT_NORMAL = 0,   ///< floats: normal(0, 1) times `high`
  STITCH_INPUT_POSITIVE = 1, ///< floats in [low, high): variances, divisors
  STITCH_INPUT_MASK = 2,     ///< 0 or 1
  STITCH_INPUT_INDEX = 3,    ///< integers in [low, high): they select elements of something
  STITCH_INPUT_INTEGER = 4,  ///< integers in [low, high): everything else
} StitchInputRole;

typedef struct {
  const char *name;
  StitchDataType dtype;
  int32_t rank;
  const int64_t *dims;
  StitchInputRole role;
  double low;
  double high;
} StitchInputInfo;

typedef struct {
  const char *name;
  StitchDataType dtype;
  int32_t rank;
  const int64_t *dims;
  double errorVariance;     ///< sum of squared unit roundoffs along the worst path (docs/error_bounds.md)
  int64_t longestReduction; ///< elements of the longest sum that the output depends on
  int64_t depth;            ///< operations on the longest path to it
  bool discontinuous;       ///< a comparison, rounding or selection of floats is on the way
} StitchOutputInfo;

/// Opens a model file. Fails with STITCH_NOT_FOUND if there is none, with STITCH_INVALID_ARGUMENT if the file is no
/// model or a damaged one, with STITCH_FAILED_PRECONDITION if it was made for another machine or another
/// version of the runtime.
StitchStatus stitchModelLoad(const char *path, StitchModel **model);

/// Closes a model whose sessions have been freed. NULL is allowed.
void stitchModelFree(StitchModel *model);

/// Name and version of the compiler that made it.
const char *stitchModelProducer(const StitchModel *model);
/// The device that its kernels were planned for, as `#stitch.device` prints.
const char *stitchModelDevice(const StitchModel *model);

int64_t stitchModelNumInputs(const StitchModel *model);
int64_t stitchModelNumOutputs(const StitchModel *model);
StitchInputInfo stitchModelInput(const StitchModel *model, int64_t index);
StitchOutputInfo stitchModelOutput(const StitchModel *model, int64_t index);

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

/// A model made ready on a device: its memory, its constants and what the libraries prepared. One thread at a time.
typedef struct StitchSession StitchSession;

typedef struct {
  /// "simt": the stitched kernels, each GPU thread a coroutine on the CPU. "reference": the same model as plain
  /// loops on the CPU, an independent way through the compiler. NULL: "simt".
  const char *device;
  /// simt: the order in which threads run between barriers. 0: by thread number.
  uint64_t threadOrderSeed;
} StitchSessionOptions;

/// Names of the devices that this build has, ended by NULL.
const char *const *stitchDeviceNames(void);

/// Fails with STITCH_NOT_FOUND for an unknown device, with STITCH_FAILED_PRECONDITION if the model was compiled
/// without code for it. `options` may be NULL. The model must outlive the session.
StitchStatus stitchSessionCreate(const StitchModel *model, const StitchSessionOptions *options,
                                 StitchSession **session);

/// Runs the model once. Types and shapes must be the model's. Data must be aligned to 16 bytes; outputs must overlap
/// neither each other nor inputs. After a failure the outputs hold anything.
StitchStatus stitchSessionRun(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                              const StitchTensor *outputs, int64_t numOutputs);

/// Releases a session; NULL is allowed.
void stitchSessionFree(StitchSession *session);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_STITCH_RUNTIME_H
