//===- pipeline_loads.c - loads an iteration ahead -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that loads a batch of rows, waits for it, and computes with it asks memory for nothing while it computes.
// With the few warps of a multiprocessor that have registers for long batches no other warp does, either. On an H200 a
// product of a row and two matrices of 33 MB took 21.2 us, of which memory needs 15.3. Here a loop loads one iteration
// ahead (Lam, "Software pipelining", PLDI 1988, of two stages):
//
//   loop: a = load i; compute a; i = i + 1     becomes     a = load 0; loop: b = load i + 1; compute a; a = b; i = i +
//   1
//
// In the last iteration the loads are those of that iteration again, so that none is made that the original loop would
// not make. The kernel does not write the loaded memory.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/pipeline_loads.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "lowering/ptx/kernel_inputs.h"

#include "llvm-c/Core.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/// Registers, at most, for values loaded ahead: sixteen vectors of 16 bytes, and 32 for elements that all columns
/// share. Kernels that do not fit then are compiled without (compile_kernel.c).
enum { MOST_REGISTERS = 96 };

/// A loop that loads less has little to hide.
enum { LEAST_REGISTERS = 16 };

/// Kernels with fewer registers have so many warps on a multiprocessor that some load while others compute. On an H200
/// sums of rows and columns with 80 registers took 1.4 times as long with loads ahead.
enum { LEAST_BOUND = 128 };

/// Instructions that an address, and the loop's condition, are computed by, at most; and values that go from an
/// iteration to the next for them.
enum { MOST_DEPTH = 24, MOST_CARRIED = 8, MOST_LOADS = 64 };

/// A loop that is one block.
typedef struct {
  LLVMBuilderRef builder;
  LLVMBasicBlockRef block, before;
  LLVMValueRef loads[MOST_LOADS];
  LLVMValueRef carried[MOST_CARRIED]; ///< the phis that addresses and the condition depend on
  unsigned numLoads, numCarried;
} BlockLoop;

static bool isInLoop(const BlockLoop *loop, LLVMValueRef value) {
  return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == loop->block;
}

/// The value of a phi when the loop is entered from `from`.
static LLVMValueRef incomingFrom(LLVMValueRef phi, LLVMBasicBlockRef from) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); ++i)
    if (LLVMGetIncomingBlock(phi, i) == from)
      return LLVMGetIncomingValue(phi, i);
  return NULL;
}

/// Adds a phi, and those that its next value depends on. False: there are too many.
static bool carry(BlockLoop *loop, LLVMValueRef phi);

/// Whether a value can be computed at the top of the block, from phis that are then carried.
static bool canCompute(BlockLoop *loop, LLVMValueRef value, int depth) {
  if (!isInLoop(loop, value))
    return true;
  if (LLVMIsAPHINode(value))
    return carry(loop, value);
  if (depth == 0 || !ptxIsPure(value))
    return false;
  for (int i = 0; i < LLVMGetNumOperands(value); ++i)
    if (!canCompute(loop, LLVMGetOperand(value, (unsigned)i), depth - 1))
      return false;
  return true;
}

static bool carry(BlockLoop *loop, LLVMValueRef phi) {
  for (unsigned i = 0; i < loop->numCarried; ++i)
    if (loop->carried[i] == phi)
      return true;
  if (loop->numCarried == MOST_CARRIED)
    return false;
  loop->carried[loop->numCarried++] = phi;
  return canCompute(loop, incomingFrom(phi, loop->block), MOST_DEPTH);
}

/// `value`, computed at the builder's insertion point, from the replacements of phis in `known` and from values
/// computed so far.
static LLVMValueRef computeNext(const BlockLoop *loop, IrMap *known, LLVMValueRef value) {
  if (!isInLoop(loop, value))
    return value;
  int64_t there = irMapGet(known, value, 0);
  if (there)
    return (LLVMValueRef)(intptr_t)there;
  LLVMValueRef copy = LLVMInstructionClone(value);
  for (int i = 0; i < LLVMGetNumOperands(value); ++i)
    LLVMSetOperand(copy, (unsigned)i, computeNext(loop, known, LLVMGetOperand(value, (unsigned)i)));
  LLVMInsertIntoBuilder(loop->builder, copy);
  irMapSet(known, value, (int64_t)(intptr_t)copy);
  return copy;
}

/// Finds the loads whose addresses the next iteration's phis determine, as far as registers go.
static void findLoads(BlockLoop *loop) {
  unsigned registers = 0;
  for (LLVMValueRef op = LLVMGetFirstInstruction(loop->block); op; op = LLVMGetNextInstruction(op)) {
    unsigned size = ptxReadsInput(op) ? ptxRegistersOf(LLVMTypeOf(op)) : 0, carried = loop->numCarried;
    if (size == 0 || loop->numLoads == MOST_LOADS || registers + size > MOST_REGISTERS)
      continue;
    if (!canCompute(loop, LLVMGetOperand(op, 0), MOST_DEPTH)) {
      loop->numCarried = carried;
      continue;
    }
    loop->loads[loop->numLoads++] = op;
    registers += size;
  }
  loop->numLoads = registers < LEAST_REGISTERS ? 0 : loop->numLoads;
}

/// Whether a block is a loop that one other block enters, and enters always.
static bool isLoop(BlockLoop *loop) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(loop->block), first = LLVMGetFirstInstruction(loop->block);
  if (!LLVMIsABranchInst(last) || !LLVMIsConditional(last) || !LLVMIsAPHINode(first) || LLVMCountIncoming(first) != 2 ||
      !incomingFrom(first, loop->block))
    return false;
  LLVMBasicBlockRef one = LLVMGetIncomingBlock(first, 0);
  loop->before = one == loop->block ? LLVMGetIncomingBlock(first, 1) : one;
  LLVMValueRef enters = LLVMGetBasicBlockTerminator(loop->before);
  return loop->before != loop->block && LLVMIsABranchInst(enters) && !LLVMIsConditional(enters);
}

/// The carried values of the next iteration, or of this one again if it is the last.
static void enterNext(BlockLoop *loop, IrMap *known) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(loop->block), next[MOST_CARRIED];
  bool continues = LLVMGetSuccessor(last, 0) == loop->block;
  IrMap now = {0};
  for (unsigned i = 0; i < loop->numCarried; ++i)
    irMapSet(&now, loop->carried[i], (int64_t)(intptr_t)loop->carried[i]);
  LLVMValueRef condition = computeNext(loop, &now, LLVMGetCondition(last));
  for (unsigned i = 0; i < loop->numCarried; ++i)
    next[i] = computeNext(loop, &now, incomingFrom(loop->carried[i], loop->block));
  for (unsigned i = 0; i < loop->numCarried; ++i) {
    LLVMValueRef phi = loop->carried[i];
    LLVMValueRef at =
        LLVMBuildSelect(loop->builder, condition, continues ? next[i] : phi, continues ? phi : next[i], "");
    irMapSet(known, phi, (int64_t)(intptr_t)at);
  }
  irMapDestroy(&now);
}

static void pipeline(BlockLoop *loop) {
  IrMap first = {0}, next = {0};
  LLVMValueRef top = LLVMGetFirstInstruction(loop->block);
  while (LLVMIsAPHINode(top))
    top = LLVMGetNextInstruction(top);
  LLVMValueRef loaded[MOST_LOADS];
  LLVMPositionBuilderBefore(loop->builder, LLVMGetBasicBlockTerminator(loop->before));
  for (unsigned i = 0; i < loop->numCarried; ++i)
    irMapSet(&first, loop->carried[i], (int64_t)(intptr_t)incomingFrom(loop->carried[i], loop->before));
  for (unsigned i = 0; i < loop->numLoads; ++i)
    loaded[i] = computeNext(loop, &first, loop->loads[i]);
  LLVMPositionBuilderBefore(loop->builder, top);
  enterNext(loop, &next);
  LLVMValueRef ahead[MOST_LOADS];
  for (unsigned i = 0; i < loop->numLoads; ++i)
    ahead[i] = computeNext(loop, &next, loop->loads[i]);
  LLVMPositionBuilderBefore(loop->builder, LLVMGetFirstInstruction(loop->block));
  for (unsigned i = 0; i < loop->numLoads; ++i) {
    LLVMValueRef phi = LLVMBuildPhi(loop->builder, LLVMTypeOf(loop->loads[i]), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){loaded[i], ahead[i]}, (LLVMBasicBlockRef[]){loop->before, loop->block}, 2);
    LLVMReplaceAllUsesWith(loop->loads[i], phi);
    LLVMInstructionEraseFromParent(loop->loads[i]);
  }
  irMapDestroy(&first);
  irMapDestroy(&next);
}

/// The registers that a thread may have; 0: nothing is said of them.
static int boundOf(LLVMValueRef function) {
  static const char name[] = "nvvm.maxnreg";
  unsigned length = 0;
  LLVMAttributeRef bound =
      LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, (unsigned)sizeof name - 1);
  return bound ? atoi(LLVMGetStringAttributeValue(bound, &length)) : 0;
}

void stitchPipelineLoads(LLVMModuleRef module) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = boundOf(f) < LEAST_BOUND ? NULL : LLVMGetFirstBasicBlock(f); block;
         block = LLVMGetNextBasicBlock(block)) {
      BlockLoop loop = {.builder = builder, .block = block};
      if (!isLoop(&loop) || !canCompute(&loop, LLVMGetCondition(LLVMGetBasicBlockTerminator(block)), MOST_DEPTH))
        continue;
      findLoads(&loop);
      if (loop.numLoads > 0)
        pipeline(&loop);
    }
  LLVMDisposeBuilder(builder);
}
