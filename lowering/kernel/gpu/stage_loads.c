//===- stage_loads.c - staging: loads of the next task --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that has a multiprocessor to itself hides nothing: it loads a row, waits, and computes while memory does
// nothing. So each thread copies the elements of its next task to a place of its own in shared memory. It does so as
// soon as it has loaded the current ones from there into its registers:
//
//   copy(first task)
//   for each task
//     wait for the copies; load them from shared memory
//     copy(next task), if there is one
//     ...
//
// No other thread accesses the place: there is no barrier. The copies come behind the loads in the thread's order, and
// take longer to arrive than those to be served. Elements that are the same for all tasks of a thread, such as the
// scales of its columns, stay there, while there is room. They would be loaded from the second-level cache for each
// task.
//
// Staging covers loads of 16 bytes directly in a task loop, from arguments that the kernel does not store to. Their
// addresses must follow from the task, the thread and constants.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/gpu/stage_loads.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "ir/plan/staging.h"
#include "lowering/kernel/gpu/elements.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>
#include <string.h>

/// A load, and its place in shared memory.
typedef struct {
  MlirOperation op;
  bool isOfTask; ///< it loads something else in each task
  int64_t lanes;
  MlirValue view;
} StagedLoad;

typedef struct {
  MlirOperation kernel, loop;
  MlirBlock body;
  StagedLoad *loads;
  intptr_t numLoads;
  int64_t offset, threads;
  MlirValue shared, thread;
  IrArena arena;
} Staging;

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

static bool isArgumentOf(MlirBlock block, MlirValue value) {
  return mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), block);
}

/// Whether something in the kernel but loads uses the memref.
static bool isStoredTo(MlirValue memref) {
  IR_FOR_EACH_USE(use, memref)
    if (!irOpIs(mlirOpOperandGetOwner(use), "vector.load") && !irOpIs(mlirOpOperandGetOwner(use), "memref.load"))
      return true;
  return false;
}

/// Whether a value in the loop follows from its task, from values outside and from constants by arithmetic alone.
static bool isComputable(const Staging *s, MlirValue value, bool *dependsOnTask) {
  if (isArgumentOf(s->body, value)) {
    *dependsOnTask |= mlirBlockArgumentGetArgNumber(value) == 0;
    return mlirBlockArgumentGetArgNumber(value) == 0;
  }
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), s->body))
    return true;
  MlirStringRef name = irOpName(op);
  static const char arithmetic[] = "arith.";
  bool is = name.length > strlen(arithmetic) && memcmp(name.data, arithmetic, strlen(arithmetic)) == 0 &&
            mlirOperationGetNumResults(op) == 1;
  for (intptr_t i = 0; is && i < mlirOperationGetNumOperands(op); ++i)
    is = isComputable(s, irOperand(op, i), dependsOnTask);
  return is;
}

/// Whether a load can be staged; if so, in `load`.
static bool isStageable(const Staging *s, MlirOperation op, StagedLoad *load) {
  if (!irOpIs(op, "vector.load") || irGetInt(op, "alignment", 0) < PLAN_STAGING_ACCESS)
    return false;
  MlirValue memref = irOperand(op, 0);
  MlirType vector = mlirValueGetType(irResult(op, 0));
  int64_t lanes = mlirShapedTypeGetDimSize(vector, 0);
  *load = (StagedLoad){.op = op, .lanes = lanes};
  return isArgumentOf(irBody(s->kernel, 0), memref) && !isStoredTo(memref) &&
         lanes * irElementBytes(mlirShapedTypeGetElementType(vector)) == PLAN_STAGING_ACCESS &&
         isComputable(s, irOperand(op, 1), &load->isOfTask);
}

/// The loads of the loop, those that change from task to task first, as far as `most` go.
static void findLoads(Staging *s, int64_t most) {
  intptr_t numOps = 0, numOfTask = 0;
  IR_FOR_EACH_OP(op, s->body)
    ++numOps;
  s->loads = IR_NEW_ARRAY(&s->arena, StagedLoad, numOps);
  for (int ofTask = 1; ofTask >= 0; --ofTask) {
    IR_FOR_EACH_OP(op, s->body) {
      StagedLoad load;
      if (s->numLoads < most && isStageable(s, op, &load) && load.isOfTask == (ofTask == 1))
        s->loads[s->numLoads++] = load;
    }
    numOfTask = ofTask == 1 ? s->numLoads : numOfTask;
  }
  s->numLoads = numOfTask > 0 ? s->numLoads : 0;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The values of the loop's body as they are in the task `task`, computed at `b`.
typedef struct {
  const Staging *staging;
  IrBuilder *b;
  MlirValue task;
  IrMap numbers; ///< value -> place in `values`
  MlirValue *values;
  intptr_t numValues, capacity;
} OfTask;

static MlirValue valueOfTask(OfTask *t, MlirValue value) {
  if (isArgumentOf(t->staging->body, value))
    return t->task;
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), t->staging->body))
    return value;
  int64_t known = irMapGet(&t->numbers, value.ptr, -1);
  if (known >= 0)
    return t->values[known];
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(clone, i, valueOfTask(t, irOperand(op, i)));
  mlirBlockInsertOwnedOperationBefore(t->b->block, mlirBlockGetTerminator(t->b->block), clone);
  IR_RESERVE_ONE(t->values, t->numValues, t->capacity);
  irMapSet(&t->numbers, value.ptr, t->numValues);
  t->values[t->numValues++] = irResult(clone, 0);
  return irResult(clone, 0);
}

static MlirValue stagedAddress(IrBuilder *b, const Staging *s, const StagedLoad *load) {
  return irMulI(b, s->thread, irConstantIndex(b, load->lanes));
}

/// Copies the loads of the thread in the task `task`, if `condition` is true: those of each task, or of all alike, too.
static void copyLoads(const Staging *s, IrBuilder *outside, MlirValue task, MlirValue condition, bool ofAll) {
  MlirOperation branch = irIf(outside, condition, IR_NO_TYPES, /*hasElse=*/false);
  MlirBlock block = irBody(branch, 0);
  IrBuilder end = irBuilderAtEnd(block, outside->loc);
  irYield(&end, IR_NO_VALUES);
  IrBuilder b = irBuilderBefore(mlirBlockGetTerminator(block));
  OfTask ofTask = {.staging = s, .b = &b, .task = task};
  for (intptr_t i = 0; i < s->numLoads; ++i) {
    const StagedLoad *load = &s->loads[i];
    if (load->isOfTask || ofAll)
      gpuCopyAsync(&b, load->view, stagedAddress(&b, s, load), irOperand(load->op, 0),
                   valueOfTask(&ofTask, irOperand(load->op, 1)), load->lanes, (MlirValue){NULL});
  }
  free(ofTask.values);
  irMapDestroy(&ofTask.numbers);
  gpuCommitCopies(outside);
}

/// A load from the place in shared memory instead of one.
static MlirValue loadStaged(IrBuilder *b, const Staging *s, const StagedLoad *load) {
  MlirOperation op =
      irOp(b, "vector.load", IR_VALUES(load->view, stagedAddress(b, s, load)),
           IR_TYPES(mlirValueGetType(irResult(load->op, 0))), IR_ATTRS(irI64(b, "alignment", PLAN_STAGING_ACCESS)));
  return irResult(op, 0);
}

static void replaceLoad(const StagedLoad *load, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(load->op, 0), value);
  mlirOperationDestroy(load->op);
}

//===----------------------------------------------------------------------===//
// A loop
//===----------------------------------------------------------------------===//

static bool isTaskLoop(MlirOperation op) {
  return irOpIs(op, "scf.for") && mlirTypeIsAIndex(mlirValueGetType(mlirBlockGetArgument(irBody(op, 0), 0)));
}

static void makePlaces(Staging *s) {
  IrBuilder b = irBuilderBefore(s->loop);
  for (intptr_t i = 0; i < s->numLoads; ++i) {
    StagedLoad *load = &s->loads[i];
    MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(irResult(load->op, 0)));
    load->view =
        memoryView(&b, s->shared, s->offset + i * PLAN_STAGING_ACCESS * s->threads, s->threads * load->lanes, element);
    irSetAttr(irDefiningOp(load->view), KERNEL_OWN_ATTRIBUTE, mlirUnitAttrGet(b.context));
  }
}

static void stageLoop(Staging *s) {
  MlirValue lower = irOperand(s->loop, 0), upper = irOperand(s->loop, 1), step = irOperand(s->loop, 2);
  makePlaces(s);
  IrBuilder before = irBuilderBefore(s->loop);
  copyLoads(s, &before, lower, irCmpI(&before, IR_CMPI_ULT, lower, upper), /*ofAll=*/true);
  IrBuilder top = irBuilderBefore(mlirBlockGetFirstOperation(s->body));
  gpuWaitForCopies(&top, 0);
  MlirValue *values = IR_NEW_ARRAY(&s->arena, MlirValue, s->numLoads);
  for (intptr_t i = 0; i < s->numLoads; ++i)
    if (s->loads[i].isOfTask)
      values[i] = loadStaged(&top, s, &s->loads[i]);
  MlirValue next = irAddI(&top, mlirBlockGetArgument(s->body, 0), step);
  copyLoads(s, &top, next, irCmpI(&top, IR_CMPI_ULT, next, upper), /*ofAll=*/false);
  for (intptr_t i = 0; i < s->numLoads; ++i) {
    IrBuilder here = irBuilderBefore(s->loads[i].op);
    replaceLoad(&s->loads[i], s->loads[i].isOfTask ? values[i] : loadStaged(&here, s, &s->loads[i]));
  }
}

/// The first operation of the kernel that is called so, or a new one.
static MlirValue findOrMake(MlirOperation kernel, const char *name, MlirValue (*make)(IrBuilder *b)) {
  IR_FOR_EACH_OP(op, irBody(kernel, 0))
    if (irOpIs(op, name))
      return irResult(op, 0);
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(irBody(kernel, 0)));
  return make(&b);
}

static MlirValue makeThread(IrBuilder *b) { return gpuCoordinate(b, "gpu.thread_id"); }

void stageLoads(MlirOperation kernel, int64_t offset, int64_t bytes, int64_t threads) {
  Staging s = {.kernel = kernel, .offset = offset, .threads = threads};
  s.thread = findOrMake(kernel, "gpu.thread_id", makeThread);
  s.shared = findOrMake(kernel, "gpu.dynamic_shared_memory", gpuSharedMemory);
  IR_FOR_EACH_OP_REPLACING(op, irBody(kernel, 0)) {
    if (!isTaskLoop(op))
      continue;
    s.loop = op;
    s.body = irBody(op, 0);
    s.numLoads = 0;
    findLoads(&s, bytes / (PLAN_STAGING_ACCESS * threads));
    if (s.numLoads > 0)
      stageLoop(&s);
  }
  irArenaDestroy(&s.arena);
}
