//===- model.h - the interface of model files -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The binary interface between the compiler, which writes model.so, and the runtime, which opens it. The file exports
// one symbol, `stitch_model`, a constant StitchModelDescriptor. All that it points to lives until the file is closed.
//
// Every field is a pointer, an int64_t or a double: there is no padding. `magic` and `abiVersion` never move; any other
// change increases STITCH_MODEL_ABI_VERSION.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_MODEL_H
#define STITCH_RUNTIME_MODEL_H

#include "runtime/library/cpu_library.h"
#include "runtime/stitch_runtime.h"
#include "runtime/wirer/wirer_space.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STITCH_MODEL_SYMBOL "stitch_model"
#define STITCH_MODEL_MAGIC INT64_C(0x646d686374697473) // "stitchmd" as little-endian bytes
enum { STITCH_MODEL_ABI_VERSION = 26 };

/// A size that differs from run to run (docs/dynamic_shapes.md).
typedef struct {
  const char *name;
  int64_t low, high;       ///< the smallest and the largest value
  const StitchSize *terms; ///< NULL, or sizes that it is derived from, of symbols before it; those without come first
  int64_t numTerms, isSum; ///< whether it is their sum, not their product
} StitchModelSymbol;

typedef struct {
  const char *name;
  int64_t elementType, rank; ///< the first one a StitchElementType
  const int64_t *dims;       ///< with the largest of open sizes
  int64_t role;              ///< StitchInputRole
  double low, high;
  const StitchSize *sizes; ///< of the dimensions; NULL: no size is open
  int64_t next;            ///< a variable that the model writes: 1 + number of the output with its next value; else 0
  const void *initial;     ///< a variable's elements before the first run; NULL: none, or no variable
  int64_t updated; ///< 1 + number of the output in whose memory a run updates the input, which it begins with; else 0
  int64_t poison;  ///< elements that may be infinite or NaN and leave most of the model's results as they are
} StitchModelInput;

/// An output, with the figures that bound its rounding error (docs/error_bounds.md).
typedef struct {
  const char *name;
  int64_t elementType; ///< StitchElementType
  int64_t rank;
  const int64_t *dims;
  double errorVariance;     ///< sum of squared unit roundoffs along the worst path
  double errorSum;          ///< sum of unit roundoffs along the worst path
  double largestRoundoff;   ///< the largest unit roundoff on the way
  int64_t longestReduction; ///< elements of the longest sum that it depends on
  int64_t depth;            ///< operations on the longest path to it
  int64_t discontinuous;    ///< whether a comparison, rounding or selection of floats is on the way (0 or 1)
  const StitchSize *sizes;  ///< as of an input
} StitchModelOutput;

/// Bytes that host code passes to kernels and library calls; aligned to 256 in the file.
typedef struct {
  const void *data;
  int64_t bytes;
} StitchModelConstant;

/// Memory of the file that is filled with one element again and again when the model is loaded: else it would be long.
typedef struct {
  void *data;
  int64_t bytes; ///< a multiple of elementBytes
  const void *element;
  int64_t elementBytes;
} StitchModelFill;

/// The graph of a launch, for checkers: docs/ir.md, section 6. No bytes: the model was compiled without.
typedef struct {
  const uint8_t *data;
  int64_t bytes;
} StitchModelGraph;

/// A kernel (docs/ir.md, section 3).
typedef struct {
  const char *name; ///< its entry in each device image
  void *simt;       ///< the coroutine for the simt device (runtime/simt); NULL if compiled without this target
  StitchModelGraph graph;
} StitchModelKernel;

/// Library problems; NULL: `count` is 0. In the file they are zero, and packed (library/packed.h) until it is loaded.
typedef struct {
  const StitchLibraryProblem *problems;
  const uint8_t *packed;
  int64_t count, packedBytes;
} StitchModelLibraryCalls;

typedef enum { STITCH_IMAGE_PTX = 0, STITCH_IMAGE_CUBIN = 1 } StitchImageFormat;

/// All kernels for one GPU architecture. A PTX text ends with a null byte, which `bytes` does not count.
typedef struct {
  int64_t arch, isExact; ///< 90 for sm_90; 1 for sm_90a, code for this architecture and no later one
  int64_t format;        ///< StitchImageFormat
  const void *data;
  int64_t bytes;
} StitchModelImage;

/// A part of the host code that may run at the same time as others, on a stream of its own (Astra 4.5.3).
typedef struct {
  int64_t superEpoch;   ///< all of one end before the next begins
  int64_t variable;     ///< adaptive variable that decides on the stream; -1: none does
  const int64_t *on;    ///< of each version of the variable, the number of the stream; without one, one number; NULL: 0
  const int64_t *after; ///< steps before it, of its super-epoch, that use the same memory
  int64_t numAfter;
} StitchModelStep;

/// Functions that compiled host code calls. Each but `at` returns 0, or a code that the host code returns as it is.
typedef struct {
  void *launchContext;
  /// Launches kernel `kernel` on `grid` blocks of `block` threads. `arguments[i]` is the pointer that the kernel
  /// receives as argument i; the array itself lives only during the call.
  int32_t (*launch)(void *launchContext, int64_t kernel, int64_t grid, int64_t block, int64_t sharedBytes,
                    int64_t cooperative, void *const *arguments, int64_t numArguments);
  void *libraryContext;
  /// Computes problem `call` of the function's own table; `pointers` as in stitchLibraryExecute.
  int32_t (*library)(void *libraryContext, int64_t call, void *const *pointers);
  /// Waits for all launches and calls so far, then copies `bytes` bytes of device memory to host memory. Loops without
  /// a known number of iterations, and branches, read their predicate so. Called with launchContext.
  int32_t (*read)(void *launchContext, void *host, const void *device, int64_t bytes);
  /// Gives the place of the next call in the model's text: index in StitchModelDescriptor.sites. Called with
  /// launchContext.
  void (*at)(void *launchContext, int64_t site);
  /// The version of an adaptive variable that runs: index in StitchModelDescriptor.adaptive, less than its numVersions.
  /// The part of the variable lies between this call and that of `chosen`. Called with launchContext.
  int64_t (*choose)(void *launchContext, int64_t variable);
  void (*chosen)(void *launchContext, int64_t variable);
  /// The next calls belong to step `step` of StitchModelDescriptor.steps; -1: all before end first. With launchContext.
  int32_t (*step)(void *launchContext, int64_t step);
} StitchHostCallbacks;

/// The stitched model: launches and library calls in order. `arena` is device memory of `arenaBytes` bytes aligned to
/// 256, whose first `zeroedBytes` were zero before the first run and belong to the model afterwards. Inputs, outputs
/// and constants are device memory aligned to 16 bytes.
typedef int32_t (*StitchHostFunction)(const StitchHostCallbacks *callbacks, void *const *inputs, void *const *outputs,
                                      void *arena, const void *const *constants);

/// The reference: the same model as plain loops on the CPU. It launches nothing.
typedef int32_t (*StitchReferenceFunction)(void *const *inputs, void *const *outputs,
                                           const StitchHostCallbacks *callbacks);

typedef struct StitchModelDescriptor {
  int64_t magic, abiVersion;
  const char *producer;           ///< name and version of the compiler
  const char *device;             ///< the device that the kernels were planned for, as #stitch.device prints
  const StitchModelInput *inputs; ///< the last ones are the values of the symbols, an i32 each, in their order
  int64_t numInputs;
  const StitchModelOutput *outputs;
  int64_t numOutputs;
  int64_t arenaBytes, zeroedBytes;
  const StitchModelConstant *constants;
  int64_t numConstants;
  const StitchModelKernel *kernels;
  int64_t numKernels;
  const StitchModelImage *images;
  int64_t numImages;
  StitchHostFunction run; ///< NULL if the file has the reference only
  StitchModelLibraryCalls libraryCalls;
  StitchReferenceFunction reference; ///< NULL if compiled without it
  StitchModelLibraryCalls referenceCalls;
  const StitchModelSymbol *symbols;
  int64_t numSymbols;
  const StitchModelGraph *libraryGraphs; ///< one for each of `libraryCalls`; so are the names
  const char *const *libraryNames;
  const char *const *texts; ///< that graphs name
  int64_t numTexts;
  const char *const *sites; ///< "model.mlir:34:10"
  int64_t numSites;
  const StitchModelFill *fills; ///< data of constants, of variables' initial values and of the reference
  int64_t numFills;
  const StitchModelAdaptive *adaptive;
  int64_t numAdaptive;
  const StitchModelUpdate *updates; ///< has each of `adaptive` once
  int64_t numUpdates;
  const StitchModelStep *steps;
  int64_t numSteps, numStreams; ///< the streams are those that steps are on; 0: there are no steps
  /// Programs for smaller sizes (docs/dynamic_shapes.md), without fills and programs of their own. The first that has a
  /// run's sizes is taken, or else the model.
  const struct StitchModelDescriptor *programs;
  int64_t numPrograms, numProcesses, writesStages; ///< processes run it together; not 0: kernels in debug form
  StitchArenaWindows windows;
} StitchModelDescriptor;

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_MODEL_H
