//===- stitch_runtime.h - running compiled models ------------------------===//
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
// Functions that fail return a StitchStatus (status.h): NULL is success. The caller owns results of Load and Create and
// releases them with the matching Free; results of accessors are borrowed.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_STITCH_RUNTIME_H
#define STITCH_RUNTIME_STITCH_RUNTIME_H

#include "adaptive.h"
#include "dlpack.h"
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
  STITCH_TYPE_COMPLEX = 5, ///< `bits` counts both parts
  STITCH_TYPE_BOOL = 6,
  STITCH_TYPE_FLOAT8_E3M4 = 7,
  STITCH_TYPE_FLOAT8_E4M3 = 8,
  STITCH_TYPE_FLOAT8_E4M3B11FNUZ = 9,
  STITCH_TYPE_FLOAT8_E4M3FN = 10,
  STITCH_TYPE_FLOAT8_E4M3FNUZ = 11,
  STITCH_TYPE_FLOAT8_E5M2 = 12,
  STITCH_TYPE_FLOAT8_E5M2FNUZ = 13,
  STITCH_TYPE_FLOAT8_E8M0FNU = 14,
  STITCH_TYPE_FLOAT6_E2M3FN = 15,
  STITCH_TYPE_FLOAT6_E3M2FN = 16,
  STITCH_TYPE_FLOAT4_E2M1FN = 17,
} StitchTypeCode;

/// DLPack's DLDataType, with the same layout. `lanes` is 1. A bool has 8 bits, 0 or 1. Elements of two and four bits
/// are packed into bytes, the first one into the lowest bits; the rest of the last byte does not count. A float of six
/// bits takes a byte, whose upper bits are zero.
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} StitchDataType;

/// Where a tensor's memory is: DLPack's device types (DLDeviceType) that Stitch knows.
typedef enum {
  STITCH_MEMORY_HOST = 1, ///< 0 in a StitchTensor means the same
  STITCH_MEMORY_CUDA = 2,
  STITCH_MEMORY_CUDA_HOST = 3, ///< page-locked host memory
} StitchMemory;

/// A dense row-major tensor with borrowed memory.
typedef struct {
  StitchDataType dtype;
  int32_t rank;
  const int64_t *dims;
  void *data;
  int32_t memory;   ///< StitchMemory
  int32_t memoryId; ///< STITCH_MEMORY_CUDA: the GPU's number
} StitchTensor;

/// The type's name as MLIR spells it ("f32", "i1", "ui8"); "?" if Stitch has no such type.
const char *stitchDataTypeName(StitchDataType dtype);
/// Bytes of one element, 1 of those that tensors have packed; 0 if Stitch has no such type.
size_t stitchDataTypeBytes(StitchDataType dtype);
/// Whether elements are packed into bytes: those of two and four bits.
bool stitchDataTypeIsPacked(StitchDataType dtype);
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

/// The use of an input, as far as the compiler could see, which determines the distribution of random values for it
/// (docs/random_inputs.md). The numbers are part of the model file's ABI: append only.
typedef enum {
  STITCH_INPUT_NORMAL = 0,            ///< floats: normal(0, 1) times `high`
  STITCH_INPUT_POSITIVE = 1,          ///< floats in [low, high): variances, divisors
  STITCH_INPUT_MASK = 2,              ///< 0 or 1
  STITCH_INPUT_INDEX = 3,             ///< integers in [low, high): they select elements of something
  STITCH_INPUT_INTEGER = 4,           ///< integers in [low, high): everything else
  STITCH_INPUT_POSITIVE_DEFINITE = 5, ///< floats: symmetric matrices with a dominant diagonal in [low, high)
  STITCH_INPUT_FINITE = 6,            ///< as STITCH_INPUT_NORMAL, never infinite nor NaN: of transforms
} StitchInputRole;

/// A size that a model leaves open: others are computed from it (docs/dynamic_shapes.md).
typedef struct {
  const char *name;
  int64_t low, high; ///< the smallest and the largest value
} StitchSymbolInfo;

/// A size of a tensor: factor * the value of symbol number `symbol` + offset; the offset alone if `symbol` is -1. A
/// number that is no symbol's of stitchModelSymbol stands for a product or sum of sizes: stitchModelSize knows.
typedef struct {
  int64_t symbol, factor, offset;
} StitchSize;

typedef struct {
  const char *name;
  StitchDataType dtype;
  int32_t rank;
  const int64_t *dims;
  StitchInputRole role;
  double low;
  double high;
  const StitchSize *sizes; ///< of the dimensions, whose largest values are `dims`; NULL: no size is open
  /// A variable, whose value outlives a run, is an input with its value before the run. Its elements for the first run
  /// are at `initial`, in host memory (NULL: the program gives none, or it is no variable). If the model writes it,
  /// output number `next` is the input of the next run; else -1.
  const void *initial;
  int64_t next;
  /// The output that the model makes of the input by replacing a slice in place, which may be given the input's memory:
  /// then nothing else is copied. (With other memory, the run copies the input there.) -1: none may.
  int64_t updated;
  int64_t poison; ///< elements that may be infinite or NaN and leave most of the model's results as they are
} StitchInputInfo;

typedef struct {
  const char *name;
  StitchDataType dtype;
  int32_t rank;
  const int64_t *dims;
  double errorVariance;     ///< sum of squared unit roundoffs along the worst path (docs/error_bounds.md)
  double errorSum;          ///< sum of unit roundoffs along the worst path
  double largestRoundoff;   ///< the largest unit roundoff on the way
  int64_t longestReduction; ///< elements of the longest sum that the output depends on
  int64_t depth;            ///< operations on the longest path to it
  bool discontinuous;       ///< a comparison, rounding or selection of floats is on the way
  const StitchSize *sizes;  ///< as of an input
} StitchOutputInfo;

/// Opens a model file. Fails with STITCH_NOT_FOUND if there is none, and with STITCH_INVALID_ARGUMENT if the file is no
/// model or a damaged one. Fails with STITCH_FAILED_PRECONDITION if it was made for another machine or another version
/// of the runtime. A model file is code: where the environment's STITCH_MODEL_KEY names a public key, one that is not
/// signed by it fails with STITCH_FAILED_PRECONDITION, too (docs/artifacts.md).
StitchStatus stitchModelLoad(const char *path, StitchModel **model);

/// Closes a model whose sessions have been freed. NULL is allowed.
void stitchModelFree(StitchModel *model);

/// Name and version of the compiler that made it.
const char *stitchModelProducer(const StitchModel *model);
/// The device that its kernels were planned for, as `#stitch.device` prints.
const char *stitchModelDevice(const StitchModel *model);

/// How many processes run it together, each on a device of its own.
int64_t stitchModelNumProcesses(const StitchModel *model);

int64_t stitchModelNumInputs(const StitchModel *model);
int64_t stitchModelNumOutputs(const StitchModel *model);
StitchInputInfo stitchModelInput(const StitchModel *model, int64_t index);
StitchOutputInfo stitchModelOutput(const StitchModel *model, int64_t index);
int64_t stitchModelNumSymbols(const StitchModel *model);
StitchSymbolInfo stitchModelSymbol(const StitchModel *model, int64_t index);

/// Finds the value of each symbol in the shapes of the model's inputs, into `values`; one that no input has is its
/// largest. Fails with STITCH_INVALID_ARGUMENT for a size that the model cannot have.
StitchStatus stitchModelReadSizes(const StitchModel *model, const StitchTensor *inputs, int64_t *values);

/// The size that `size` is for these values of the symbols.
int64_t stitchModelSize(const StitchModel *model, StitchSize size, const int64_t *values);

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

/// A model made ready on a device: its memory, its constants and the libraries' prepared calls. One thread at a time.
typedef struct StitchSession StitchSession;

/// How sessions on a GPU are set up. All zero is the usual way.
typedef struct {
  /// The CUstream that runs are put on, of the GPU's primary context: order with a framework's work comes from it. It
  /// must outlive the session.
  /// NULL: a stream of the session's own. (A CUstream of NULL itself, the legacy default stream, is passed as 1, as in
  /// DLPack.)
  void *stream;
  bool eager;         ///< never capture the model into a CUDA graph
  bool pinnedStaging; ///< copy host tensors through page-locked memory
  bool tf32;          ///< library calls that say nothing of it may round f32 operands to TF32
  /// The folder of libcuda.so.1, libcublasLt.so and libcudnn.so. NULL: the folder in the environment variable
  /// STITCH_CUDA_LIBRARIES, else the system's loader searches.
  const char *libraries;
} StitchCudaOptions;

/// How the processes that run a model together are found (docs/devices.md).
typedef struct {
  /// This process's number, and how many there are. `size` 0: as mpirun, torchrun or Slurm have set.
  int64_t rank, size;
  /// "host:port", by which processes on GPUs reach process 0, which listens there. NULL: the environment variable
  /// STITCH_WORLD_ADDRESS, else the address that torchrun or Slurm have set, else MPI. (On CPUs it is always MPI, and
  /// mpirun has the last word on who is who.)
  const char *address;
  /// Seconds in which all processes have to come to a call between them; else it is an error that names those that did
  /// not. 0: the environment variable STITCH_TIME_LIMIT, or 300.
  double timeLimit;
} StitchWorldOptions;

typedef struct {
  /// "simt": the stitched kernels, each GPU thread a coroutine on the CPU. "reference": the same model as plain loops
  /// on the CPU, compiled independently. "cuda", "cuda:1": an NVIDIA GPU. NULL: "simt".
  const char *device;
  /// simt: the order in which threads run between barriers. 0: by thread number.
  uint64_t threadOrderSeed;
  StitchCudaOptions cuda;
  StitchAdaptiveOptions adaptive; ///< models compiled with several versions
  StitchWorldOptions world;       ///< models for several processes
} StitchSessionOptions;

/// Names of the devices that this build has, ended by NULL.
const char *const *stitchDeviceNames(void);

/// The architecture of the GPU that `options` name, 90 for sm_90: the target that a model has to be compiled for to run
/// there. Fails as stitchSessionCreate does; with STITCH_INVALID_ARGUMENT for a device that is no GPU.
StitchStatus stitchDeviceArchitecture(const StitchSessionOptions *options, int *architecture);

/// Fails with STITCH_NOT_FOUND for a device that is unknown or not there (the message names the libraries), with
/// STITCH_FAILED_PRECONDITION if the model was compiled without code for it. `options` may be NULL. The model must
/// outlive the session. Sessions on the same GPU are independent of each other, in whatever threads they run.
StitchStatus stitchSessionCreate(const StitchModel *model, const StitchSessionOptions *options,
                                 StitchSession **session);

/// Runs the model once. Types and shapes must be the model's; where it leaves a size open, that of the inputs counts,
/// and outputs must have it too. (The first run with new sizes prepares for them, and the session remembers a few.)
/// Data must be aligned to 16 bytes; outputs must overlap neither each other nor inputs, but for an input's memory
/// given to the output that is `updated` in it. After a failure the outputs hold anything.
///
/// Tensors must be host memory. Of "cuda" each may be on the session's GPU, and is used without a copy. If all are, the
/// call returns when the run is on the stream, and the tensors must live until the stream has run it. With host tensors
/// the call returns when the outputs are written.
StitchStatus stitchSessionRun(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                              const StitchTensor *outputs, int64_t numOutputs);

/// Waits until all runs are finished; fails if one of them failed on the way.
StitchStatus stitchSessionSynchronize(StitchSession *session);

//===----------------------------------------------------------------------===//
// DLPack: tensors of other programs' libraries, without a copy
//===----------------------------------------------------------------------===//

/// A view of DLPack's tensor, which is borrowed, shape and all. Fails with STITCH_INVALID_ARGUMENT for types that
/// Stitch does not have (quantised types, floats of 4 and 6 bits, vectors: lanes other than 1). It also fails for
/// tensors that are not dense in row-major order. Fails, too, for integers of two and four bits, which DLPack takes as
/// packed into bytes unless flags say otherwise. The dl_tensor of a DLManagedTensor and of a DLManagedTensorVersioned
/// will do.
StitchStatus stitchTensorFromDLPack(const DLTensor *from, StitchTensor *tensor);

/// The same with the tensor's flags: integers of two and four bits are taken if each has a byte of its own
/// (DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED).
StitchStatus stitchTensorFromDLPackVersioned(const DLManagedTensorVersioned *from, StitchTensor *tensor);

/// A new tensor in the memory that the session runs in, for instance for an output; its elements are undefined.
/// Integers of two and four bits are padded to bytes, as its flags say. The caller owns it, or passes it on: its
/// deleter may be called in any thread, after the session's end, too.
StitchStatus stitchSessionAllocate(StitchSession *session, StitchDataType dtype, int32_t rank, const int64_t *dims,
                                   DLManagedTensorVersioned **tensor);

/// The same tensor in the form before DLPack 1.0, for consumers that know no other; it takes the ownership over. Only
/// for tensors that stitchSessionAllocate has made.
DLManagedTensor *stitchDLPackLegacy(DLManagedTensorVersioned *tensor);

/// Copies all elements between tensors of one type and shape, each in host memory or in the session's; waits until they
/// are there. Runs that were put on the stream before come first.
StitchStatus stitchSessionCopy(StitchSession *session, const StitchTensor *from, const StitchTensor *to);

//===----------------------------------------------------------------------===//
// Information
//===----------------------------------------------------------------------===//

/// The device of a session, for people. Borrowed until the session's next call.
typedef struct {
  const char *device;  ///< "NVIDIA H200 (sm_90)", "simt"
  const char *details; ///< of the last run: the loaded image, CUDA graph or why not; "" if there is nothing to say
} StitchSessionInfo;
StitchSessionInfo stitchSessionInfo(const StitchSession *session);

/// One step of a run, as it was measured.
typedef struct {
  const char *name; ///< the kernel's; "dot_0" for a library call; lives as long as the session
  bool isLibraryCall;
  bool isCommunication; ///< a library call between processes; its time is also that of waiting for them
  double startSeconds;  ///< after the beginning of the run
  double seconds;
  int64_t grid, block, sharedBytes; ///< of a kernel
} StitchProfileStep;

/// Runs the model once, as stitchSessionRun does, and measures each step, one after the other. `steps` is an array that
/// the caller releases with free. Fails with STITCH_UNIMPLEMENTED on devices that do not measure.
StitchStatus stitchSessionProfile(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                  const StitchTensor *outputs, int64_t numOutputs, StitchProfileStep **steps,
                                  int64_t *numSteps);

/// Releases a session; NULL is allowed.
void stitchSessionFree(StitchSession *session);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_STITCH_RUNTIME_H
