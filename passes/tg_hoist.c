//===- tg_hoist.c - tg-hoist ---------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop-invariant code motion. Takes tg operations with counted loops, and moves loop-invariant operations that cost
// more than reading their results again out of a loop. These are dots and convolutions, kernel operations, reduces,
// with all their operands, and operations that follow from them alone without making them larger. Frameworks leave such
// operations where a decoder projects the encoder's result for each word anew. Everything else that is the same in each
// iteration stays: a kernel computes it in registers where it is read.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/numbering.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_HOISTED };

/// An operation of a loop's body.
typedef struct {
  bool isInvariant; ///< the same in each iteration
  bool isCostly;    ///< worth being hoisted
  bool isHoisted;
} HoistNode;

typedef struct {
  MlirOperation loop;
  IrNumbering numbering;
  HoistNode *nodes;
  HoistNode *current; ///< whose operands are visited
} Hoisting;

static bool isCostly(MlirOperation op) {
  TgClass class = tgClassOfKind(tgKindOf(op));
  return class == TG_CLASS_COMPUTE || class == TG_CLASS_KERNEL || class == TG_CLASS_REDUCE;
}

/// Whether an operation has no effects: of the host's operations, loops and branches have regions that might.
static bool canMove(MlirOperation op) {
  return tgClassOfKind(tgKindOf(op)) != TG_CLASS_HOST && tgClassOfKind(tgKindOf(op)) != TG_CLASS_NONE;
}

static bool isInside(const Hoisting *hoisting, MlirValue value) {
  return mlirValueIsABlockArgument(value) ? mlirBlockEqual(mlirBlockArgumentGetOwner(value), irBody(hoisting->loop, 1))
                                          : irNumberOf(&hoisting->numbering, value) >= 0;
}

static void findVariant(MlirValue value, void *data) {
  Hoisting *hoisting = data;
  int64_t number = irNumberOf(&hoisting->numbering, value);
  if (isInside(hoisting, value) && (number < 0 || !hoisting->nodes[number].isInvariant))
    hoisting->current->isInvariant = false;
}

/// Whether an invariant operation computes from costly results something that is no larger.
static bool followsCostly(const Hoisting *hoisting, MlirOperation op) {
  int64_t largest = 0, result = irNumElements(irShapeOf(irResult(op, 0)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    int64_t number = irNumberOf(&hoisting->numbering, irOperand(op, i));
    int64_t elements = irNumElements(irShapeOf(irOperand(op, i)));
    if (number >= 0 && hoisting->nodes[number].isCostly && elements > largest)
      largest = elements;
  }
  return result <= largest;
}

static void classifyBody(Hoisting *hoisting) {
  for (int64_t i = 0; i < hoisting->numbering.count; ++i) {
    MlirOperation op = hoisting->numbering.ops[i];
    hoisting->current = &hoisting->nodes[i];
    hoisting->current->isInvariant = canMove(op);
    irForEachOperand(op, findVariant, hoisting);
    hoisting->current->isCostly = hoisting->current->isInvariant && (isCostly(op) || followsCostly(hoisting, op));
  }
}

static void hoistOperand(MlirValue value, void *data) {
  Hoisting *hoisting = data;
  int64_t number = irNumberOf(&hoisting->numbering, value);
  if (number >= 0)
    hoisting->nodes[number].isHoisted = true;
}

/// Costly operations are hoisted, and their operands.
static void chooseHoisted(Hoisting *hoisting) {
  for (int64_t i = hoisting->numbering.count; i-- > 0;) {
    HoistNode *node = &hoisting->nodes[i];
    node->isHoisted |= node->isCostly;
    if (node->isHoisted)
      irForEachOperand(hoisting->numbering.ops[i], hoistOperand, hoisting);
  }
}

static int64_t moveHoisted(const Hoisting *hoisting) {
  int64_t count = 0;
  for (int64_t i = 0; i < hoisting->numbering.count; ++i) {
    if (!hoisting->nodes[i].isHoisted)
      continue;
    mlirOperationMoveBefore(hoisting->numbering.ops[i], hoisting->loop);
    ++count;
  }
  return count;
}

static MlirWalkResult hoist(MlirOperation op, void *data) {
  StitchPassRun *run = data;
  if (tgKindOf(op) != TG_while || irGetInt(op, "trip_count", 0) < 2)
    return MlirWalkResultAdvance;
  Hoisting hoisting = {.loop = op, .numbering = irNumberingCreate(irBody(op, 1))};
  hoisting.nodes = irAllocateZeroed((size_t)hoisting.numbering.count, sizeof(*hoisting.nodes));
  classifyBody(&hoisting);
  chooseHoisted(&hoisting);
  int64_t count = moveHoisted(&hoisting);
  if (count > 0)
    stitchRemark(op, "%lld operations hoisted: they are the same in each iteration", (long long)count);
  stitchPassAddStatistic(*run, STATISTIC_HOISTED, count);
  irNumberingDestroy(&hoisting.numbering);
  free(hoisting.nodes);
  return MlirWalkResultAdvance;
}

/// Inner loops first: operations that leave them may leave the outer ones, too.
static void runHoist(StitchPassRun run, MlirOperation module) {
  mlirOperationWalk(module, hoist, &run, MlirWalkPostOrder);
}

static const StitchPassStatistic statistics[] = {
    {"hoisted-ops", "operations moved out of loops"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgHoistPass = {
    .argument = "tg-hoist",
    .description = "Move dots, reduces and other costly operations that are the same in each iteration out of loops",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runHoist,
};
