//===- kernel_touches.c - the memory that kernels touch ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access of a kernel that was compiled with checks is known, and so is each of the runtime's own kernels, which
// are compiled for the double with their loads and stores traced. Of other kernels the model file says what they
// compute: they read the tensors that it needs and write its results, whole, which is also what the compiler gives
// their steps an order by. Tensors with an open size may be smaller than it says, and scratch memory it does not name:
// those do not count.
//
//===----------------------------------------------------------------------===//

#include "runtime/model.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/touches.h"
#include "tools/check/graph.h"

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

void touchParameters(const Function *function, void *const *arguments) {
  for (int i = 0; i < function->numParameters; ++i)
    touch(arguments[i], function->touches[i].bytes, function->touches[i].isStore);
}

void traceOperand(const void *operand) {
  size_t offset = 0, bytes = 0;
  if (operand && placeOf(operand, &offset, &bytes))
    touchTraced((ByteRange){(uintptr_t)operand - offset, (uintptr_t)operand - offset + bytes});
}
