//===- hoist_loads.c - hoisting of loads before branches ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A division or a root that is rounded correctly is a branch to a subroutine for ptxas (docs/precision.md), and ptxas
// moves no load across a branch. So of rows that a thread reads one after the other, with a division in each, only one
// load is in flight at a time. On an H200 a product of 1 x 14336 rows whose factor was a quotient took 80 us instead of
// 32, a latency of memory for each row. Here the loads go first:
//
//   load a, divide a, load b, divide b   becomes   load a, load b, divide a, divide b
//
// The kernel does not write the loaded memory, and the block is run as a whole: no load is made that was not made
// before.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/hoist_loads.h"

#include "ir/mlir/arena.h"
#include "lowering/ptx/kernel_inputs.h"

#include "llvm-c/Core.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/// Registers, at most, for values loaded up to one point: a quarter of a thread's largest number, sixteen vectors of 16
/// bytes. Kernels that do not fit then are compiled without (compile_kernel.c).
enum { MOST_REGISTERS = 64 };

/// A chain of address arithmetic that is longer than this is left where it is.
enum { MOST_DEPTH = 12 };

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

/// Where an instruction is in its block; of one that has gone up, before all that branches.
typedef struct {
  LLVMValueRef op;
  long position;
} InstructionPosition;

typedef struct {
  LLVMBuilderRef builder;
  InstructionPosition *places; // by address
  size_t count;
} HoistedBlock;

static int compareAddresses(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const InstructionPosition *)a)->op, y = (uintptr_t)((const InstructionPosition *)b)->op;
  return (x > y) - (x < y);
}

/// Null: the value is no instruction of the block.
static InstructionPosition *positionOfInstruction(const HoistedBlock *block, LLVMValueRef value) {
  InstructionPosition key = {value, 0};
  return bsearch(&key, block->places, block->count, sizeof key, compareAddresses);
}

/// Whether `op`, and its operands computed behind `target`, may go before `target`.
static bool mayMove(const HoistedBlock *block, LLVMValueRef op, long target, int depth) {
  const InstructionPosition *place = positionOfInstruction(block, op);
  if (!place || place->position < target)
    return true;
  if (depth == 0 || !(ptxIsPure(op) || ptxReadsInput(op)))
    return false;
  for (int i = 0; i < LLVMGetNumOperands(op); ++i)
    if (!mayMove(block, LLVMGetOperand(op, (unsigned)i), target, depth - 1))
      return false;
  return true;
}

static void move(const HoistedBlock *block, LLVMValueRef op, const InstructionPosition *target) {
  InstructionPosition *place = positionOfInstruction(block, op);
  if (!place || place->position < target->position)
    return;
  for (int i = 0; i < LLVMGetNumOperands(op); ++i)
    move(block, LLVMGetOperand(op, (unsigned)i), target);
  LLVMInstructionRemoveFromParent(op);
  LLVMPositionBuilderBefore(block->builder, target->op);
  LLVMInsertIntoBuilder(block->builder, op);
  place->position = -1;
}

static HoistedBlock blockOf(LLVMBuilderRef builder, LLVMBasicBlockRef basic) {
  HoistedBlock block = {builder, NULL, 0};
  for (LLVMValueRef op = LLVMGetFirstInstruction(basic); op; op = LLVMGetNextInstruction(op))
    ++block.count;
  block.places = irAllocate((block.count + 1) * sizeof *block.places);
  long position = 0;
  for (LLVMValueRef op = LLVMGetFirstInstruction(basic); op; op = LLVMGetNextInstruction(op), ++position)
    block.places[position] = (InstructionPosition){op, position};
  qsort(block.places, block.count, sizeof *block.places, compareAddresses);
  return block;
}

static bool hasBranches(LLVMBasicBlockRef basic) {
  LLVMValueRef op = LLVMGetFirstInstruction(basic);
  while (op && !ptxBranches(op))
    op = LLVMGetNextInstruction(op);
  return op != NULL;
}

static void hoistLoadsOf(LLVMBuilderRef builder, LLVMBasicBlockRef basic) {
  HoistedBlock block = blockOf(builder, basic);
  const InstructionPosition *target = NULL,
                            *last = NULL; // branches: the one that loads go before now, and the last one so far
  unsigned registers = 0;
  for (LLVMValueRef op = LLVMGetFirstInstruction(basic), next; op; op = next) {
    next = LLVMGetNextInstruction(op);
    if (ptxBranches(op)) {
      last = positionOfInstruction(&block, op);
      target = target ? target : last;
    }
    if (!target || !ptxReadsInput(op))
      continue;
    unsigned size = ptxRegistersOf(LLVMTypeOf(op));
    if (registers + size > MOST_REGISTERS) {
      target = last;
      registers = 0;
    }
    if (!mayMove(&block, op, target->position, MOST_DEPTH))
      continue;
    move(&block, op, target);
    registers += size;
  }
  free(block.places);
}

void stitchHoistLoads(LLVMModuleRef module) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      if (hasBranches(block))
        hoistLoadsOf(builder, block);
  LLVMDisposeBuilder(builder);
}
