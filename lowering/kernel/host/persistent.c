//===- persistent.c - loops that kernels have inside ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fusion whose kernel has the loop around it inside (ir/plan/persistent.h) is launched once, with the memory of its
// first iteration. That is the initial values, and the buffers that these iterations write. The loop-carried values are
// in the attribute
//
//   stitch.loop = {iterations = 35 : i64, carried = [{result = 1 : i64, inputs = array<i64: 4>}, ...]}
//
// for each value that changes: the fusion's result that is the next one, and those of its inputs that are the current
// one; of a counter, also `first` and `step`. Behind the buffers of slices the kernel has an argument for each, the
// memory that the second iteration writes.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "ir/graph/in_place.h"
#include "ir/plan/persistent.h"

#include <stdlib.h>

MlirValue hostCarriedResult(MlirOperation loop, intptr_t number) {
  MlirValue next = irWithoutReshapes(irOperand(mlirBlockGetTerminator(irBody(loop, 1)), number));
  MlirOperation op = irDefiningOp(next);
  return !mlirOperationIsNull(op) && irOpIs(op, "stitch.fusion") ? next : (MlirValue){NULL};
}

static MlirAttribute carriedAttr(IrBuilder *b, MlirOperation fusion, MlirValue current, MlirValue next) {
  intptr_t numInputs = mlirOperationGetNumOperands(fusion), count = 0;
  int64_t *inputs = irAllocate(sizeof(*inputs) * (size_t)(numInputs + 1));
  for (intptr_t i = 0; i < numInputs; ++i)
    if (mlirValueEqual(irWithoutReshapes(irOperand(fusion, i)), current))
      inputs[count++] = i;
  PlanCounter counter = {0};
  bool isCounter = count > 0;
  for (intptr_t i = 0; i < count; ++i)
    isCounter &= planIsCounter(fusion, inputs[i], &counter);
  MlirNamedAttribute entries[] = {
      irI64(b, "result", mlirOpResultGetResultNumber(next)),
      irDims(b, "inputs", count, inputs),
      irI64(b, "first", counter.first),
      irI64(b, "step", counter.step),
  };
  free(inputs);
  return mlirDictionaryAttrGet(b->context, isCounter ? 4 : 2, entries);
}

void hostAttachLoop(MlirOperation fusion) {
  int64_t iterations = planIterationsInside(fusion);
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  if (iterations < 2 || tgKindOf(loop) != TG_while)
    return;
  IrBuilder b = irBuilderBefore(fusion);
  intptr_t numValues = mlirOperationGetNumResults(loop), count = 0;
  MlirAttribute *carried = irAllocate(sizeof(*carried) * (size_t)(numValues + 1));
  for (intptr_t i = 0; i < numValues; ++i) {
    MlirValue next = hostCarriedResult(loop, i);
    if (!mlirValueIsNull(next))
      carried[count++] = carriedAttr(&b, fusion, mlirBlockGetArgument(irBody(loop, 1), i), next);
  }
  MlirNamedAttribute entries[] = {
      irI64(&b, "iterations", iterations),
      irAttr(&b, "carried", mlirArrayAttrGet(b.context, count, carried)),
  };
  irSetAttr(fusion, "stitch.loop", mlirDictionaryAttrGet(b.context, sizeof(entries) / sizeof(entries[0]), entries));
  free(carried);
}

intptr_t hostAddSpares(Host *host, MlirOperation fusion, MlirValue *arguments) {
  intptr_t count = 0;
  MlirOperation loop = mlirOperationGetParentOperation(fusion);
  if (!irHasAttr(fusion, "stitch.loop"))
    return 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (!mlirValueIsNull(hostCarriedResult(loop, i)))
      arguments[count++] = host->spares[i];
  return count;
}
