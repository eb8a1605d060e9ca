//===- sink_comparisons.c - comparisons where they are needed ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loss compares the number of each element of a row with the row's label, to sum up equal ones and, behind a
// reduction, once more for the gradient. LLVM computes each comparison once. A thread of a GPU has seven predicates.
// The others ptxas packs into the bits of registers, two instructions to put one there and one to test it, where the
// comparison itself is one. So that is one, and so that nothing but the row's label stays in a register:
//
//   1. base + c == label becomes label - base == c; of all elements of a thread the difference is the same.
//   2. Users that are far from the comparison get one of their own. It compares a copy of the difference that LLVM does
//      not look through, or it would find that both are the same.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/sink_comparisons.h"

#include "llvm-c/Core.h"

#include <stdbool.h>
#include <string.h>

/// A predicate serves an instruction or two between a comparison and its use.
enum { NEAR = 32 };

static bool isWord(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32;
}

/// Whether an instruction says that two words are equal, or that they are not.
static bool isEquality(LLVMValueRef instruction) {
  if (!LLVMIsAICmpInst(instruction) || !isWord(LLVMGetOperand(instruction, 0)))
    return false;
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(instruction);
  return predicate == LLVMIntEQ || predicate == LLVMIntNE;
}

/// Whether a value is a base and a constant.
static bool isOffset(LLVMValueRef value) {
  LLVMValueRef op = LLVMIsAInstruction(value);
  if (!op || (LLVMGetInstructionOpcode(op) != LLVMAdd && LLVMGetInstructionOpcode(op) != LLVMOr))
    return false;
  bool isSum = LLVMGetInstructionOpcode(op) == LLVMAdd || LLVMGetIsDisjoint(op);
  return isSum && LLVMIsAConstantInt(LLVMGetOperand(op, 1));
}

/// Whether only branches read a comparison, as at the end of a loop, whose counter is there anyway: a difference would
/// be one instruction more in each iteration.
static bool isOnlyForBranches(LLVMValueRef equality) {
  for (LLVMUseRef use = LLVMGetFirstUse(equality); use; use = LLVMGetNextUse(use))
    if (!LLVMIsATerminatorInst(LLVMGetUser(use)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// other - base, where it is known.
typedef struct {
  LLVMValueRef base, other, value;
} Difference;

/// Equalities with one base and one other value follow each other: the last difference of a block is kept.
static void compareDifference(LLVMBuilderRef builder, LLVMValueRef equality, Difference *known) {
  unsigned side = isOffset(LLVMGetOperand(equality, 0)) ? 0 : 1;
  LLVMValueRef sum = LLVMGetOperand(equality, side), other = LLVMGetOperand(equality, 1 - side);
  if (!isOffset(sum) || LLVMIsAConstant(other))
    return;
  LLVMValueRef base = LLVMGetOperand(sum, 0);
  if (known->base != base || known->other != other) {
    LLVMPositionBuilderBefore(builder, equality);
    *known = (Difference){base, other, LLVMBuildSub(builder, other, base, "")};
  }
  LLVMSetOperand(equality, 0, known->value);
  LLVMSetOperand(equality, 1, LLVMGetOperand(sum, 1));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether `user` comes at most so many instructions behind `instruction` in its block.
static bool isNear(LLVMValueRef instruction, LLVMValueRef user) {
  LLVMValueRef next = instruction;
  for (int i = 0; i < NEAR && next; ++i, next = LLVMGetNextInstruction(next))
    if (next == user)
      return true;
  return false;
}

/// A copy that is its own to LLVM; ptxas removes it.
static LLVMValueRef copyWord(LLVMBuilderRef builder, LLVMValueRef word) {
  static const char text[] = "mov.b32 $0, $1;", constraints[] = "=r,r";
  LLVMTypeRef i32 = LLVMTypeOf(word), type = LLVMFunctionType(i32, &i32, 1, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
                                       LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(builder, type, code, &word, 1, "");
}

static void compareAgain(LLVMBuilderRef builder, LLVMValueRef equality, LLVMValueRef user) {
  LLVMPositionBuilderBefore(builder, user);
  LLVMValueRef copy = copyWord(builder, LLVMGetOperand(equality, 0));
  LLVMValueRef again = LLVMBuildICmp(builder, LLVMGetICmpPredicate(equality), copy, LLVMGetOperand(equality, 1), "");
  for (int i = 0; i < LLVMGetNumOperands(user); ++i)
    if (LLVMGetOperand(user, (unsigned)i) == equality)
      LLVMSetOperand(user, (unsigned)i, again);
}

/// A branch is one use for many elements, and a phi has no place of its own.
static bool isFarChoice(LLVMValueRef equality, LLVMValueRef user) {
  return !LLVMIsAPHINode(user) && !LLVMIsATerminatorInst(user) && !isNear(equality, user);
}

static void sink(LLVMBuilderRef builder, LLVMValueRef equality) {
  LLVMUseRef next;
  for (LLVMUseRef use = LLVMGetFirstUse(equality); use; use = next) {
    next = LLVMGetNextUse(use);
    LLVMValueRef user = LLVMGetUser(use);
    if (isFarChoice(equality, user)) {
      compareAgain(builder, equality, user);
      next = LLVMGetFirstUse(equality); // a user with several uses has lost all of them
      while (next && !isFarChoice(equality, LLVMGetUser(next)))
        next = LLVMGetNextUse(next);
    }
  }
}

void stitchSinkComparisons(LLVMModuleRef module) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
      Difference known = {NULL, NULL, NULL};
      for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op))
        if (isEquality(op) && !isOnlyForBranches(op)) {
          compareDifference(builder, op, &known);
          if (LLVMIsAConstantInt(LLVMGetOperand(op, 1)) && LLVMIsAInstruction(LLVMGetOperand(op, 0)))
            sink(builder, op);
        }
    }
  LLVMDisposeBuilder(builder);
}
