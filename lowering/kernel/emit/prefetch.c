//===- prefetch.c - loads before waits -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is idle while blocks wait at a grid barrier, and while they wait for the first elements behind it. What later
// phases read of the kernel's inputs does not depend on what is waited for: before each barrier the grid asks for the
// next of it, as many bytes as the second-level cache has room for beside what it works with. Each thread asks for a
// line; nobody waits for one.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "lowering/kernel/gpu/gpu_function.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/map.h"

#include <stdlib.h>

/// Bytes that a thread asks for at once: a line of the cache.
enum { LINE = 128 };

/// Inputs that are smaller are not worth a loop.
enum { FEWEST_LINES = 64 };

/// The part of the second-level cache that holds what has been asked for and not been read yet.
enum { PART_OF_CACHE = 4 };

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Whether an operation reads some elements of its operand only, which may be few.
static bool readsPart(MlirOperation op) {
  static const char *const names[] = {"tg.gather", "tg.slice", "tg.dynamic_slice", "tg.scatter"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (irOpIs(op, names[i]))
      return true;
  return false;
}

/// The first phase in which a value is read, by a root or by members for one; the number of phases if that is in none,
/// or if something reads a part of it only.
static int64_t firstPhaseOf(const KernelPlan *plan, IrMap *known, MlirValue value) {
  int64_t first = plan->numPhases, part = plan->numPhases + 1;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    int64_t root = irMapGet(&plan->rootOf, reader.ptr, -1), phase = root >= 0 ? plan->roots[root].phase : -1;
    if (readsPart(reader))
      return part;
    if (phase < 0 && (phase = irMapGet(known, reader.ptr, -1)) < 0) {
      phase = plan->numPhases;
      for (intptr_t i = 0; i < mlirOperationGetNumResults(reader); ++i) {
        int64_t later = firstPhaseOf(plan, known, irResult(reader, i));
        phase = later == part || phase == part ? part : smaller(phase, later);
      }
      irMapSet(known, reader.ptr, phase);
    }
    if (phase == part)
      return part;
    first = smaller(first, phase);
  }
  return first;
}

void findPrefetches(Emitter *e) {
  const KernelPlan *plan = e->plan;
  StitchDevice device;
  if (plan->numPhases < 2 || plan->isAttention || plan->iterations > 1 || !planGetDevice(plan->fusion, &device))
    return;
  e->prefetches.capacity = device.l2Bytes / PART_OF_CACHE;
  e->prefetches.count = mlirBlockGetNumArguments(plan->body);
  e->prefetches.inputs = irAllocateZeroed((size_t)e->prefetches.count + 1, sizeof *e->prefetches.inputs);
  IrMap known = {0};
  for (intptr_t i = 0; i < e->prefetches.count; ++i) {
    MlirValue input = mlirBlockGetArgument(plan->body, i);
    int64_t phase = firstPhaseOf(plan, &known, input), bytes = irTensorBytes(mlirValueGetType(input));
    bool isWanted = phase > 0 && phase < plan->numPhases && bytes >= FEWEST_LINES * LINE && bytes < INT32_MAX;
    e->prefetches.inputs[i] = (Prefetch){.phase = phase, .left = isWanted ? bytes / LINE : 0};
  }
  irMapDestroy(&known);
}

/// All threads of the grid ask for so many lines of an input, from line `first` on.
static void emitLines(Emitter *e, MlirValue memory, int64_t first, int64_t count) {
  Values *v = e->values;
  IrBuilder *b = &v->b, outside = *b;
  int64_t elements = LINE / irElementBytes(mlirShapedTypeGetElementType(mlirValueGetType(memory)));
  int64_t block = e->plan->launch.block, threads = e->plan->launch.grid * block;
  MlirValue thread = irAddI(b, irMulI(b, e->task.blockId, irConstantIndex(b, block)), e->task.threadId);
  MlirOperation loop = irFor(b, thread, irConstantIndex(b, count), irConstantIndex(b, threads), IR_NO_VALUES);
  irSetAttr(loop, "stitch.rolled", mlirUnitAttrGet(b->context));
  MlirBlock body = irBody(loop, 0);
  *b = irBuilderAtEnd(body, outside.loc);
  MlirValue line = irAddI(b, mlirBlockGetArgument(body, 0), irConstantIndex(b, first));
  MlirValue element = irMulI(b, line, irConstantIndex(b, elements));
  irOp(b, "memref.prefetch", IR_VALUES(memory, element), IR_NO_TYPES,
       IR_ATTRS(irAttr(b, "isWrite", mlirBoolAttrGet(b->context, 0)),
                irAttr(b, "localityHint", irParseAttr(b->context, "2 : i32")),
                irAttr(b, "isDataCache", mlirBoolAttrGet(b->context, 1))));
  irYield(b, IR_NO_VALUES);
  *b = irBuilderAtEnd(outside.block, outside.loc);
}

void emitPrefetches(Emitter *e, int64_t phase) {
  Prefetches *p = &e->prefetches;
  int64_t held = 0; // lines of inputs that have been asked for, and that this or a later phase is the first to read
  for (intptr_t i = 0; i < p->count; ++i)
    held += p->inputs[i].phase >= phase ? p->inputs[i].done : 0;
  for (int64_t of = phase; of < e->plan->numPhases; ++of)
    for (intptr_t i = 0; i < p->count; ++i) {
      Prefetch *input = &p->inputs[i];
      int64_t count = smaller(input->left, p->capacity / LINE - held);
      if (input->phase != of || count < FEWEST_LINES)
        continue;
      emitLines(e, e->memory->inputs[i], input->done, count);
      input->done += count;
      input->left -= count;
      held += count;
    }
}
