//===- statistics.c - what a compilation has achieved, in figures --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traffic is counted from types, as AStitch's section 6 does: a kernel reads each input once and writes each output
// once. An input that is only indexed (gather, slice, dynamic_slice) counts with what is taken from it.
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-compile/statistics.h"

#include "ir/build.h"
#include "ir/plan.h"
#include "ir/query.h"
#include "ir/tg.h"

#include <string.h>

static int64_t bytesOf(MlirValue value) { return irTensorBytes(mlirValueGetType(value)); }

/// Whether an operation takes only some elements of operand 0.
static bool takesPart(MlirOperation op) {
  switch (tgKindOf(op)) {
  case TG_gather:
  case TG_slice:
  case TG_dynamic_slice:
    return true;
  default:
    return false;
  }
}

/// Bytes that `op` reads of operand `index`.
static int64_t bytesReadByOperand(MlirOperation op, intptr_t index) {
  int64_t whole = bytesOf(irOperand(op, index));
  int64_t part = index == 0 && takesPart(op) ? bytesOf(irResult(op, 0)) : whole;
  return part < whole ? part : whole;
}

/// Bytes that all users together read of a fusion's input: at most all of it, once.
static int64_t bytesReadOfInput(MlirValue input) {
  int64_t whole = bytesOf(input), sum = 0;
  IR_FOR_EACH_USE(use, input) {
    sum += bytesReadByOperand(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use));
    if (sum >= whole)
      return whole;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

/// What one operation would read and write as a kernel of its own. Constants and reshapes of dense tensors cost
/// nothing.
static int64_t unfusedBytes(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  if (kind == TG_constant || kind == TG_reshape || kind == TG_bitcast_convert)
    return 0;
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    bytes += bytesReadByOperand(op, i);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    bytes += bytesOf(irResult(op, i));
  return bytes;
}

static MlirWalkResult visitGraphOp(MlirOperation op, void *data) {
  Statistics *s = data;
  if (tgKindOf(op) == TG_NONE)
    return MlirWalkResultAdvance;
  ++s->ops;
  if (tgIsMemoryIntensive(op)) {
    ++s->memoryIntensiveOps;
    s->bytesUnfused += unfusedBytes(op);
  }
  return MlirWalkResultAdvance;
}

void statisticsOfGraph(MlirOperation module, Statistics *statistics) {
  mlirOperationWalk(module, visitGraphOp, statistics, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

static void countFusion(MlirOperation fusion, Statistics *s) {
  ++s->fusions;
  MlirBlock body = irBody(fusion, 0);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    s->bytesRead += bytesReadOfInput(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    s->bytesWritten += bytesOf(irResult(fusion, i));
  IR_FOR_EACH_OP(op, body) {
    StitchScheme scheme;
    if (planGetScheme(op, &scheme))
      ++s->schemeCounts[scheme];
  }
  StitchLaunch launch;
  if (!planGetLaunch(fusion, &launch))
    return;
  s->gridBarriers += launch.barriers;
  if (launch.shared > s->sharedBytesMax)
    s->sharedBytesMax = launch.shared;
}

static MlirWalkResult visitPlanOp(MlirOperation op, void *data) {
  Statistics *s = data;
  if (irOpIs(op, "stitch.fusion"))
    countFusion(op, s);
  else if (irOpIs(op, "stitch.library_call"))
    ++s->libraryCalls;
  return MlirWalkResultAdvance;
}

void statisticsOfPlan(MlirOperation module, Statistics *statistics) {
  mlirOperationWalk(module, visitPlanOp, statistics, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static MlirWalkResult visitKernelOp(MlirOperation op, void *data) {
  Statistics *s = data;
  if (irOpIs(op, "gpu.func"))
    ++s->kernelsUnique;
  return MlirWalkResultAdvance;
}

void statisticsOfKernels(MlirOperation module, Statistics *statistics) {
  statistics->kernelsUnique = 0;
  mlirOperationWalk(module, visitKernelOp, statistics, MlirWalkPreOrder);
}
