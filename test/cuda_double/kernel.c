//===- kernel.c - kernels of the test double -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels run on the CPU, and tell the bytes that they touch. Each access of a kernel that was compiled with checks is
// known, and so is each of the runtime's own kernels, which are compiled for the double with their loads and stores
// traced. Of other kernels the model file tells the tensors: they read the tensors that it needs and write its results,
// whole; the compiler orders their steps by these, too. Tensors with an open size may be smaller than it says, and
// scratch memory it does not name: those do not count.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/kernels.h"
#include "runtime/model.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/touches.h"
#include "tools/check/check_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Bytes that kernels touch
//===----------------------------------------------------------------------===//

static size_t bytesOf(const CheckType *type) {
  size_t bytes = stitchElementBytes(type->type);
  for (int64_t d = 0; d < type->shape.rank; ++d)
    bytes *= (size_t)type->shape.dims[d];
  return type->symbol ? 0 : bytes;
}

static void describe(Function *function, int64_t parameter, const CheckType *type, bool isStore) {
  if (parameter < 0 || parameter >= function->numParameters)
    return;
  ParameterTouch *t = &function->touches[parameter];
  t->isStore |= isStore;
  t->bytes = bytesOf(type);
}

void describeTouches(Function *function, const StitchModelDescriptor *model, int64_t kernel) {
  const StitchModelGraph *bytes = &model->kernels[kernel].graph;
  CheckLaunch launch;
  StitchStatus status = bytes->bytes ? checkLaunchRead(bytes, model->texts, model->numTexts, &launch) : NULL;
  if (status || !bytes->bytes) {
    stitchStatusFree(status);
    return;
  }
  const CheckGraph *graph = &launch.graph;
  for (int64_t i = 0; i < graph->numArguments; ++i)
    describe(function, launch.inputs[i], &graph->types[i], false);
  for (int64_t i = 0; i < launch.numOutputs; ++i)
    describe(function, launch.outputs[i], &graph->types[graph->results[i]], true);
  for (int64_t i = 0; i < launch.numSlices; ++i)
    describe(function, launch.slices[i].argument, &launch.slices[i].buffer, true);
  checkLaunchDestroy(&launch);
}

static void touchParameters(const Function *function, void *const *arguments) {
  for (int i = 0; i < function->numParameters; ++i)
    touch(arguments[i], function->touches[i].bytes, function->touches[i].isStore);
}

static void traceOperand(const void *operand) {
  size_t offset = 0, bytes = 0;
  if (operand && placeOf(operand, &offset, &bytes))
    touchTraced((ByteRange){(uintptr_t)operand - offset, (uintptr_t)operand - offset + bytes});
}

//===----------------------------------------------------------------------===//
// Executing kernels
//===----------------------------------------------------------------------===//

/// The last argument of a kernel with grid barriers is their counter: before a launch it is zero but for the sign bit
/// (docs/ir.md, stitch.grid_barrier). The simt version of the kernel does not use it.
static bool checkCounter(const Op *op, void *const *arguments) {
  uint32_t counter = 0;
  if (!op->cooperative || op->function->numParameters == 0)
    return true;
  memcpy(&counter, arguments[op->function->numParameters - 1], sizeof(counter));
  if ((counter & 0x7fffffff) == 0)
    return true;
  fprintf(stderr, "cuda double: the barrier counter of kernel '%s' is %#x\n", op->function->name, counter);
  return false;
}

/// An access of a kernel that was compiled with checks.
static void noteAccess(void *context, const void *memory, uint64_t bytes, bool isStore) {
  *(bool *)context = true;
  touch(memory, bytes, isStore);
}

/// Runs a kernel of a model. All its parameters are pointers.
static bool runSimt(const Op *op) {
  if (config.late)
    usleep((useconds_t)config.late * 1000);
  static StitchSimt *simt = NULL;
  static long long seed = 0;
  if (simt && seed != config.seed) {
    stitchSimtDestroy(simt);
    simt = NULL;
  }
  seed = config.seed;
  StitchSimtOptions options = {.seed = (uint64_t)seed, .cores = 1};
  StitchStatus status = simt ? NULL : stitchSimtCreate(&options, &simt);
  void *arguments[MAX_PARAMETERS];
  for (int i = 0; i < op->function->numParameters; ++i) {
    CUdeviceptr address = 0;
    memcpy(&address, op->parameters + 8 * i, sizeof(address));
    arguments[i] = translate(address, 1);
    if (!arguments[i]) {
      fprintf(stderr, "cuda double: argument %d of kernel '%s' is not device memory\n", i, op->function->name);
      return false;
    }
  }
  if (!checkCounter(op, arguments))
    return false;
  bool isWatched = false;
  StitchSimtLaunch launch = {
      .name = op->function->name,
      .kernel = op->function->simt,
      .grid = op->grid,
      .block = op->block,
      .sharedBytes = op->sharedBytes,
      .cooperative = op->cooperative,
      .numArguments = (uint32_t)op->function->numParameters,
      .arguments = arguments,
      .watch = noteAccess,
      .watchContext = &isWatched,
  };
  if (!status)
    status = stitchSimtLaunch(simt, &launch);
  if (status)
    fprintf(stderr, "cuda double: %s\n", stitchStatusMessage(status));
  bool ok = !status;
  stitchStatusFree(status);
  if (!isWatched)
    touchParameters(op->function, arguments);
  if (op->cooperative && op->function->numParameters) // the counter of checkCounter
    touch(arguments[op->function->numParameters - 1], sizeof(uint32_t), true);
  if (ok && config.wrong && !op->cooperative)                                 // the last argument is a result
    ((unsigned char *)arguments[op->function->numParameters - 1])[3] ^= 0x40; // an f32 gets another exponent
  return ok;
}

/// The Nth signal between processes ends a process that is to be lost; one that is to stall does not begin it.
static bool isLostInSignal(const StitchSignalParameters *p) {
  static int count = 0;
  ++count;
  if (count == config.lose) {
    fprintf(stderr, "cuda double: this process is lost\n");
    _exit(EXIT_FAILURE);
  }
  while (count == config.stall && *(volatile uint64_t *)p->stop == 0)
    pauseUnlocked();
  return count == config.stall;
}

/// Device addresses in a parameter struct of our own kernels, its first fields, become host addresses; an
/// operand that a kernel does not need is NULL.
static bool runOwn(const Op *op) {
  int64_t parameters[(sizeof(StitchDotParameters) + sizeof(StitchConvolutionParameters)) / sizeof(int64_t)];
  memcpy(parameters, op->parameters, (size_t)op->function->parameterBytes[0]);
  for (int i = 0; i < op->function->numOwnPointers; ++i) {
    void *host = parameters[i] ? translate((CUdeviceptr)parameters[i], 1) : NULL;
    if (!host && isPinned((const void *)(uintptr_t)parameters[i])) // the GPU reaches it at the same address
      host = (void *)(uintptr_t)parameters[i];
    if (parameters[i] && !host) {
      fprintf(stderr, "cuda double: an argument of kernel '%s' is not device memory\n", op->function->name);
      return false;
    }
    parameters[i] = (int64_t)(uintptr_t)host;
    traceOperand(host);
  }
  bool isSignal = strcmp(op->function->name, "stitch_signal") == 0;
  if (!isSignal || !isLostInSignal((const StitchSignalParameters *)(const void *)parameters))
    op->function->own(parameters);
  return true;
}

bool runKernel(const Op *op) { return op->function->own ? runOwn(op) : runSimt(op); }
