//===- stitch_rotate_loops.c - stitch-rotate-loops -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes graphs of tg operations, before stitch-outline. A loop body with k library calls in a row has k + 1 kernels.
// These are the *head* before the first call, those between the calls, and the *tail* behind the last one. The tail of
// an iteration and the head of the next have nothing between them but the end of the body. This pass moves the head
// there: an iteration computes it for the next one, from its yielded values. The values of it that the library calls
// read are loop-carried. Head and tail are then one kernel, and an iteration has k.
//
// A copy of the head before the loop serves the first iteration; the head of the last iteration is not used. All
// operations of a head are free of effects and defined for all values, so that this changes no result.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/graph/numbering.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "passes/common/fusions.h"
#include "passes/common/loops.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_ROTATED };

/// Heads that are computed once more than before pay with loops of at least so many iterations.
enum { LEAST_ITERATIONS = 3 };

/// An operation of the body, by its number.
typedef struct {
  MlirOperation op;
  int64_t level;    ///< library calls and other calls on the longest path to it
  bool isCall;      ///< not for a fusion: a library call, a kernel of its own, a loop or branch
  bool isHead;      ///< computed before the first calls, for them
  bool isComputed;  ///< needs a kernel: more than a view of a value in memory
  bool readByCall;  ///< its results are operands of a call
  bool readByOther; ///< its results are operands of operations that stay
} BodyNode;

typedef struct {
  MlirOperation loop;
  MlirBlock body;
  MlirOperation yield;
  IrNumbering numbering;
  BodyNode *nodes;
  int64_t numNodes;
  int64_t current; ///< the node whose operands are visited
} Rotation;

/// The node that computes `value`; null if it is there when the body begins.
static BodyNode *nodeOf(const Rotation *rotation, MlirValue value) {
  int64_t number = irNumberOf(&rotation->numbering, value);
  return number < 0 ? NULL : &rotation->nodes[number];
}

//===----------------------------------------------------------------------===//
// The head
//===----------------------------------------------------------------------===//

static bool isSource(MlirOperation op) { return tgClassOfKind(tgKindOf(op)) == TG_CLASS_SOURCE; }

/// A fusion can hold operations with bodies, but copying them is more than copying operands.
static bool isCall(MlirOperation op) {
  return !tgIsMemoryIntensive(op) || mlirOperationGetNumRegions(op) > 0 || irUpdatesInPlace(op);
}

static void raiseLevel(MlirValue value, void *data) {
  Rotation *rotation = data;
  BodyNode *node = &rotation->nodes[rotation->current];
  const BodyNode *operand = nodeOf(rotation, value);
  if (!operand)
    return;
  int64_t level = operand->level + operand->isCall;
  node->level = level > node->level ? level : node->level;
  node->isComputed |= operand->isComputed;
}

static void describeNodes(Rotation *rotation) {
  for (int64_t i = 0; i < rotation->numNodes; ++i) {
    BodyNode *node = &rotation->nodes[i];
    node->op = rotation->numbering.ops[i];
    node->isCall = isCall(node->op);
    node->isComputed = !node->isCall && !isSource(node->op) && tgKindOf(node->op) != TG_reshape;
    rotation->current = i;
    irForEachOperand(node->op, raiseLevel, rotation);
  }
}

static void addToHead(MlirValue value, void *data) {
  BodyNode *node = nodeOf(data, value);
  if (node && !node->isCall && node->level == 0 && node->isComputed)
    node->isHead = true;
}

/// The head: the operands of calls of level 0, and the operations that compute them. Other calls may read of it, too.
static void findHead(Rotation *rotation) {
  for (int64_t i = rotation->numNodes - 1; i-- > 0;) {
    const BodyNode *node = &rotation->nodes[i];
    rotation->current = i;
    if (node->isHead || (node->isCall && node->level == 0 && !irUpdatesInPlace(node->op)))
      irForEachOperand(node->op, addToHead, rotation);
  }
}

/// An operation that only moves elements of values in memory is cloned where it is read, instead of being loop-carried.
static bool isDoneAgain(const BodyNode *node) {
  TgClass class = tgClassOfKind(tgKindOf(node->op));
  return class == TG_CLASS_SHAPE || class == TG_CLASS_INDEXED;
}

static bool isCarried(const BodyNode *node) {
  return node->isHead && (node->readByCall || (node->readByOther && !isDoneAgain(node)));
}

static void markReader(MlirValue value, void *data) {
  Rotation *rotation = data;
  BodyNode *node = nodeOf(rotation, value);
  if (!node || !node->isHead)
    return;
  if (rotation->nodes[rotation->current].isCall)
    node->readByCall = true;
  else
    node->readByOther = true;
}

static void findReaders(Rotation *rotation) {
  for (int64_t i = rotation->numNodes; i-- > 0;) {
    const BodyNode *node = &rotation->nodes[i];
    rotation->current = i;
    if (!node->isHead || (node->readByOther && !isCarried(node)))
      irForEachOperand(node->op, markReader, rotation);
  }
}

//===----------------------------------------------------------------------===//
// Whether it pays
//===----------------------------------------------------------------------===//

typedef struct {
  const Rotation *rotation;
  int64_t level; ///< at which the next iteration's head can be computed
} NextHead;

static void considerNext(MlirValue value, void *data) {
  NextHead *next = data;
  const Rotation *rotation = next->rotation;
  if (!mlirValueIsABlockArgument(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), rotation->body))
    return;
  const BodyNode *node = nodeOf(rotation, irOperand(rotation->yield, mlirBlockArgumentGetArgNumber(value)));
  if (!node)
    return;
  int64_t level = node->level + node->isCall;
  next->level = level > next->level ? level : next->level;
}

/// A kernel that the next iteration's head can be part of: computed behind a call, no earlier than the head.
static bool hasTail(const Rotation *rotation, int64_t level) {
  for (int64_t i = 0; i < rotation->numNodes; ++i) {
    const BodyNode *node = &rotation->nodes[i];
    if (node->isComputed && !node->isCall && node->level > 0 && node->level >= level)
      return true;
  }
  return false;
}

static bool pays(const Rotation *rotation) {
  NextHead next = {rotation, 0};
  int64_t numHead = 0;
  for (int64_t i = 0; i < rotation->numNodes; ++i) {
    if (!rotation->nodes[i].isHead)
      continue;
    ++numHead;
    irForEachOperand(rotation->nodes[i].op, considerNext, &next);
  }
  return numHead > 0 && hasTail(rotation, next.level);
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

/// A copy of the head in the making.
typedef struct {
  const Rotation *rotation;
  MlirOperation before; ///< where it is
  bool isOutside;       ///< the loop: sources of the body have to be copied, too
  IrMap values;         ///< value of the body -> its replacement
} HeadCopy;

static void setValue(HeadCopy *copy, MlirValue value, MlirValue by) {
  irMapSet(&copy->values, value.ptr, (int64_t)(intptr_t)by.ptr);
}

static MlirValue copyInHead(HeadCopy *copy, MlirValue value);

static MlirOperation copyOperation(HeadCopy *copy, MlirOperation op) {
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(clone, i, copyInHead(copy, irOperand(op, i)));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(copy->before), copy->before, clone);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    setValue(copy, irResult(op, i), irResult(clone, i));
  return clone;
}

/// The replacement of a value of the body. Sources and views that the head reads but does not compute are copied when
/// they are met. Values from outside the loop stand for themselves.
static MlirValue copyInHead(HeadCopy *copy, MlirValue value) {
  int64_t known = irMapGet(&copy->values, value.ptr, 0);
  if (known)
    return (MlirValue){(void *)(intptr_t)known};
  const BodyNode *node = nodeOf(copy->rotation, value);
  if (!node || (!copy->isOutside && isSource(node->op)))
    return value;
  copyOperation(copy, node->op);
  return (MlirValue){(void *)(intptr_t)irMapGet(&copy->values, value.ptr, 0)};
}

/// Copies the head, computed from `inputs` in the place of the body's arguments, and adds its loop-carried values to
/// `carried`.
static void copyHead(const Rotation *rotation, MlirOperation inputs, MlirOperation before, bool isOutside,
                     LoopValues *carried) {
  HeadCopy copy = {.rotation = rotation, .before = before, .isOutside = isOutside};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(rotation->body); ++i)
    setValue(&copy, mlirBlockGetArgument(rotation->body, i), irOperand(inputs, i));
  for (int64_t i = 0; i < rotation->numNodes; ++i) {
    const BodyNode *node = &rotation->nodes[i];
    if (!node->isHead)
      continue;
    MlirOperation clone = copyOperation(&copy, node->op);
    for (intptr_t j = 0; isCarried(node) && j < mlirOperationGetNumResults(clone); ++j)
      addValue(carried, irResult(clone, j));
  }
  irMapDestroy(&copy.values);
}

/// Replaces the values of the old loop by those of the new one; the loop-carried values of the head by its last
/// arguments.
static void replaceValues(const Rotation *rotation, MlirOperation rotated) {
  intptr_t number = 0;
  for (; number < mlirOperationGetNumOperands(rotation->loop); ++number) {
    mlirValueReplaceAllUsesOfWith(irResult(rotation->loop, number), irResult(rotated, number));
    for (intptr_t region = 0; region < 2; ++region)
      mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(irBody(rotation->loop, region), number),
                                    mlirBlockGetArgument(irBody(rotated, region), number));
  }
  for (int64_t i = 0; i < rotation->numNodes; ++i) {
    const BodyNode *node = &rotation->nodes[i];
    for (intptr_t j = 0; isCarried(node) && j < mlirOperationGetNumResults(node->op); ++j)
      mlirValueReplaceAllUsesOfWith(irResult(node->op, j), mlirBlockGetArgument(irBody(rotated, 1), number++));
  }
}

static MlirOperation rotate(const Rotation *rotation) {
  MlirOperation loop = rotation->loop;
  LoopValues inits = {0}, yielded = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i) {
    addValue(&inits, irOperand(loop, i));
    addValue(&yielded, irOperand(rotation->yield, i));
  }
  copyHead(rotation, loop, loop, true, &inits);
  copyHead(rotation, rotation->yield, rotation->yield, false, &yielded);
  int64_t numCarried = inits.count - mlirOperationGetNumOperands(loop);
  MlirOperation rotated = createLoop(loop, mlirOperationGetLocation(loop), &inits, tripCountOf(loop));
  irMoveOperations(irBody(loop, 0), irBody(rotated, 0), true);
  irMoveOperations(rotation->body, irBody(rotated, 1), false);
  closeLoop(rotated, &yielded);
  replaceValues(rotation, rotated);
  mlirOperationDestroy(loop);
  for (int64_t i = rotation->numNodes - 1; i-- > 0;)
    if (rotation->nodes[i].isHead && !irIsUsed(rotation->nodes[i].op))
      mlirOperationDestroy(rotation->nodes[i].op);
  stitchRemark(rotated,
               "computes the operands of its first library calls at the end of the previous iteration: %lld more "
               "loop-carried values",
               (long long)numCarried);
  free(inits.data);
  free(yielded.data);
  return rotated;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Rotates the loop if that pays; the loop that is there then.
static MlirOperation rotateIfItPays(StitchPassRun run, MlirOperation loop) {
  IrArena arena = {0};
  Rotation rotation = {.loop = loop, .body = irBody(loop, 1), .yield = mlirBlockGetTerminator(irBody(loop, 1))};
  rotation.numbering = irNumberingCreate(rotation.body);
  rotation.numNodes = rotation.numbering.count;
  rotation.nodes = IR_NEW_ARRAY(&arena, BodyNode, rotation.numNodes);
  describeNodes(&rotation);
  findHead(&rotation);
  findReaders(&rotation);
  if (pays(&rotation)) {
    loop = rotate(&rotation);
    stitchPassAddStatistic(run, STATISTIC_ROTATED, 1);
  }
  irNumberingDestroy(&rotation.numbering);
  irArenaDestroy(&arena);
  return loop;
}

static bool rotateLoops(StitchPassRun run, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tripCountOf(op) >= LEAST_ITERATIONS)
      op = rotateIfItPays(run, op);
  return true;
}

static void runRotateLoops(StitchPassRun run, MlirOperation module) { planGraphs(run, module, rotateLoops); }

static const StitchPassStatistic statistics[] = {
    {"rotated-loops", "loops that compute the head of the next iteration"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchRotateLoopsPass = {
    .argument = "stitch-rotate-loops",
    .description = "Compute the operands of an iteration's first library calls at the end of the previous iteration",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runRotateLoops,
};
