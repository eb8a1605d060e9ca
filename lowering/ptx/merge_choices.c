//===- merge_choices.c - one branch for equal conditions -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a concatenation is computed from one of its operands: a choice, whose branches load their operands.
// Where a thread needs several such elements (of four rotated heads, say), the choices follow each other. ptxas moves
// no load across a branch, so each waits for memory by itself. The condition, where the element is along the
// concatenation, is the same for all of them:
//
//   a = if c { load .. } else { load .. }; b = if c { load .. } else { load .. }
//
// becomes one choice with two results. The operands of the later one in the block, computed in between, go before the
// first.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/merge_choices.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>
#include <string.h>

/// Limits: results of a merged choice, beyond which a thread has no registers; conditions of a block that are
/// remembered; operations that depend on each other and go up together.
enum { MOST_RESULTS = 64, MOST_CHOICES = 16, MOST_DEPTH = 24 };

static bool hasPrefix(MlirOperation op, const char *prefix) {
  MlirStringRef name = irOpName(op);
  return name.length >= strlen(prefix) && strncmp(name.data, prefix, strlen(prefix)) == 0;
}

/// Whether an operation loads from memory that the kernel only reads. Memory that it may store to by another argument,
/// a loop-carried value or a buffer whose slices it replaces, is readonly without noalias.
static bool readsInput(MlirOperation op) {
  KernelAccess access;
  if (!kernelIsAccess(op, &access) || access.isStore || !mlirValueIsABlockArgument(access.memref))
    return false;
  MlirOperation kernel = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(access.memref));
  intptr_t number = mlirBlockArgumentGetArgNumber(access.memref);
  return irOpIs(kernel, "gpu.func") && !mlirAttributeIsNull(kernelArgumentAttribute(kernel, number, "llvm.readonly")) &&
         !mlirAttributeIsNull(kernelArgumentAttribute(kernel, number, "llvm.noalias"));
}

static bool isLoad(MlirOperation op) {
  KernelAccess access;
  return kernelIsAccess(op, &access) && !access.isStore;
}

/// Whether an operation, with those inside it, has a result and no other effect. Its loads may read earlier stores.
static bool isPure(MlirOperation op) {
  bool pure = isLoad(op) || hasPrefix(op, "arith.") || hasPrefix(op, "math.") || irOpIs(op, "vector.extract") ||
              irOpIs(op, "vector.from_elements") || irOpIs(op, "vector.broadcast") || irOpIs(op, "vector.insert") ||
              irOpIs(op, "scf.if") || irOpIs(op, "scf.yield");
  for (intptr_t i = 0; pure && i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    pure = !mlirBlockIsNull(body);
    for (MlirOperation next = pure ? mlirBlockGetFirstOperation(body) : (MlirOperation){NULL};
         pure && !mlirOperationIsNull(next); next = irNextOp(next))
      pure = isPure(next);
  }
  return pure;
}

/// Whether an operation, or one in it, loads memory that the kernel may store.
static bool isOrdered(MlirOperation op) {
  bool ordered = isLoad(op) && !readsInput(op);
  for (intptr_t i = 0; !ordered && i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_OP(next, irBody(op, i))
      ordered |= isOrdered(next);
  return ordered;
}

static bool isChoice(MlirOperation op) {
  return irOpIs(op, "scf.if") && mlirOperationGetNumResults(op) > 0 && isPure(op);
}

/// The operations of a block, by number.
typedef struct {
  MlirBlock block;
  IrMap numbers;      ///< of those that have moved up: of the operation before
  IrMap movable;      ///< those that are known to be movable to the current place
  int64_t lastEffect; ///< the last operation so far that stores, waits, or has unknown effects
} BlockOrder;

/// Whether a value is there before operation number `place`, or can be; or, with `moves`, sees to that.
static bool bring(BlockOrder *order, MlirOperation before, int64_t place, MlirValue value, int depth, bool moves);

/// The same for all operands of an operation and of those inside it.
static bool bringOperands(BlockOrder *order, MlirOperation before, int64_t place, MlirOperation op, int depth,
                          bool moves) {
  bool there = true;
  for (intptr_t i = 0; there && i < mlirOperationGetNumOperands(op); ++i)
    there = bring(order, before, place, irOperand(op, i), depth, moves);
  for (intptr_t i = 0; there && i < mlirOperationGetNumRegions(op); ++i)
    for (MlirOperation next = mlirBlockGetFirstOperation(irBody(op, i)); there && !mlirOperationIsNull(next);
         next = irNextOp(next))
      there = bringOperands(order, before, place, next, depth, moves);
  return there;
}

static bool bring(BlockOrder *order, MlirOperation before, int64_t place, MlirValue value, int depth, bool moves) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), order->block) ||
      irMapGet(&order->numbers, op.ptr, -1) < place || (!moves && irMapContains(&order->movable, op.ptr)))
    return true;
  bool mayMove = isPure(op) && (place > order->lastEffect || !isOrdered(op));
  if (depth == 0 || !mayMove || mlirOperationGetNumRegions(op) > 0 ||
      !bringOperands(order, before, place, op, depth - 1, moves))
    return false;
  if (!moves) {
    irMapSet(&order->movable, op.ptr, 1);
    return true;
  }
  mlirOperationMoveBefore(op, before);
  irMapSet(&order->numbers, op.ptr, place - 1); // not before choices that come earlier
  return true;
}

/// The operations of a region of both choices, and the operands of both yields.
static void mergeRegions(MlirOperation to, MlirOperation a, MlirOperation b, intptr_t region) {
  MlirBlock body = irBody(to, region);
  IrBuilder builder = irBuilderAtEnd(body, mlirOperationGetLocation(to));
  MlirValue yielded[MOST_RESULTS];
  intptr_t count = 0;
  MlirOperation choices[] = {a, b};
  for (int i = 0; i < 2; ++i) {
    MlirBlock from = irBody(choices[i], region);
    MlirOperation yield = mlirBlockGetTerminator(from);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(yield); ++j)
      yielded[count++] = irOperand(yield, j);
    irMoveOperations(from, body, /*withTerminator=*/false);
  }
  irYield(&builder, (IrValues){count, yielded});
}

static MlirOperation mergeTwo(MlirOperation a, MlirOperation b) {
  IrBuilder builder = irBuilderBefore(a);
  MlirType types[MOST_RESULTS];
  MlirOperation choices[] = {a, b};
  intptr_t count = 0;
  for (int i = 0; i < 2; ++i)
    for (intptr_t j = 0; j < mlirOperationGetNumResults(choices[i]); ++j)
      types[count++] = mlirValueGetType(irResult(choices[i], j));
  MlirOperation merged = irIf(&builder, irOperand(a, 0), (IrTypes){count, types}, /*hasElse=*/true);
  mergeRegions(merged, a, b, 0);
  mergeRegions(merged, a, b, 1);
  count = 0;
  for (int i = 0; i < 2; ++i) {
    for (intptr_t j = 0; j < mlirOperationGetNumResults(choices[i]); ++j)
      mlirValueReplaceAllUsesOfWith(irResult(choices[i], j), irResult(merged, count++));
    mlirOperationDestroy(choices[i]);
  }
  return merged;
}

/// The choice before `op` that it can be merged with, if any; its operands are there then.
static intptr_t findPartner(BlockOrder *order, MlirOperation *choices, intptr_t count, MlirOperation op) {
  for (intptr_t i = 0; i < count; ++i) {
    int64_t place = irMapGet(&order->numbers, choices[i].ptr, 0);
    irMapDestroy(&order->movable);
    order->movable = (IrMap){0};
    if (mlirValueEqual(irOperand(choices[i], 0), irOperand(op, 0)) && (place > order->lastEffect || !isOrdered(op)) &&
        mlirOperationGetNumResults(choices[i]) + mlirOperationGetNumResults(op) <= MOST_RESULTS &&
        bringOperands(order, choices[i], place, op, MOST_DEPTH, /*moves=*/false)) {
      bringOperands(order, choices[i], place, op, MOST_DEPTH, /*moves=*/true);
      return i;
    }
  }
  return -1;
}

static void mergeChoicesOf(MlirBlock block) {
  BlockOrder order = {.block = block, .lastEffect = -1};
  int64_t number = 0;
  IR_FOR_EACH_OP(op, block)
    irMapSet(&order.numbers, op.ptr, number++);
  MlirOperation choices[MOST_CHOICES];
  intptr_t count = 0;
  IR_FOR_EACH_OP_REPLACING(op, block) {
    if (!isPure(op))
      order.lastEffect = irMapGet(&order.numbers, op.ptr, number);
    if (!isChoice(op))
      continue;
    intptr_t partner = findPartner(&order, choices, count, op);
    if (partner >= 0) {
      int64_t place = irMapGet(&order.numbers, choices[partner].ptr, 0);
      choices[partner] = mergeTwo(choices[partner], op);
      irMapSet(&order.numbers, choices[partner].ptr, place);
    } else if (count < MOST_CHOICES) {
      choices[count++] = op;
    }
  }
  irMapDestroy(&order.numbers);
  irMapDestroy(&order.movable);
}

void mergeChoices(MlirOperation gpuModule) {
  KernelOps ops = kernelOpsCalled(gpuModule, "scf.if");
  MlirBlock *blocks = irAllocate((size_t)(ops.count + 1) * sizeof *blocks);
  IrMap known = {0};
  intptr_t count = 0;
  for (intptr_t i = 0; i < ops.count; ++i) {
    MlirBlock block = mlirOperationGetBlock(ops.data[i]);
    if (!irMapContains(&known, block.ptr))
      blocks[count++] = block;
    irMapSet(&known, block.ptr, 1);
  }
  irMapDestroy(&known);
  free(ops.data);
  // From the inside out, as the choices come outer ones first: a block in a choice goes with it.
  for (intptr_t i = count; i-- > 0;)
    mergeChoicesOf(blocks[i]);
  free(blocks);
}
