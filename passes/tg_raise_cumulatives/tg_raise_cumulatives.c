//===- tg_raise_cumulatives.c - tg-raise-cumulatives ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks compute prefixes in logarithmically many steps, each of which passes over memory: by a tree of slices and
// pads (scan_tree.h), or by shifted sums (log_steps.h). Takes graphs of tg operations as frameworks print them. Leaves
// a tg.cumulative where elements are combined by an operation with a name, and a tg.general_cumulative where it is
// another elementwise function: one kernel each. A program that has the tree says by it that the function is
// associative. Not in the papers.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/effects.h"
#include "capi/pass.h"
#include "ir/graph/tg_body.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/symbol.h"
#include "passes/common/collect.h"
#include "passes/tg_raise_cumulatives/log_steps.h"
#include "passes/tg_raise_cumulatives/scan_tree.h"
#include "stitch.h"

#include <stdlib.h>

enum { OPTION_EXACT };
enum { STATISTIC_SCANS, STATISTIC_STEPS, STATISTIC_NARROW };

/// Shorter ones are computed where they are read.
enum { LEAST_ELEMENTS = 64 };

//===----------------------------------------------------------------------===//
// Operations without readers
//===----------------------------------------------------------------------===//

/// Erases `op` and its operands without other readers, unless it is read. `erased` gets their addresses.
static void eraseUnread(MlirOperation op, IrMap *erased) {
  Operations left = {0};
  addOperation(&left, op);
  while (left.count > 0) {
    MlirOperation next = left.data[--left.count];
    if (irMapContains(erased, next.ptr) || irIsUsed(next) || !stitchIsMemoryEffectFree(next))
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(next); ++i) {
      MlirOperation operand = irDefiningOp(irOperand(next, i));
      if (!mlirOperationIsNull(operand))
        addOperation(&left, operand);
    }
    irMapSet(erased, next.ptr, 1);
    mlirOperationDestroy(next);
  }
  free(left.data);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

typedef struct {
  const ScanTree *tree;
  const intptr_t *order;
  MlirBlock block;
  IrBuilder b;
  IrMap numbers; ///< value of f in the graph -> its number in `scalars`
  MlirValue *scalars;
  intptr_t count, capacity;
} CombinerBody;

static MlirValue scalarOf(CombinerBody *body, MlirValue value);

static MlirValue scalarOfOperation(CombinerBody *body, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (tgKindOf(op) == TG_broadcast)
    return scalarOf(body, irOperand(op, 0));
  MlirType type = tgWithShape(mlirValueGetType(value), (IrShape){0});
  if (tgKindOf(op) == TG_constant) {
    MlirAttribute splat = mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
    return irValueOf(&body->b, "tg.constant", IR_NO_VALUES, type,
                     IR_ATTRS(irAttr(&body->b, "value", mlirDenseElementsAttrSplatGet(type, splat))));
  }
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(numOperands + 1));
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = scalarOf(body, irOperand(op, i));
  MlirValue scalar = irValueLike(&body->b, op, operands, type);
  free(operands);
  return scalar;
}

/// The scalar in the body of a value of f at level 0.
static MlirValue scalarOf(CombinerBody *body, MlirValue value) {
  int64_t argument = irMapGet(&body->tree->arguments, value.ptr, -1);
  intptr_t count = body->tree->count;
  if (argument >= 0)
    return mlirBlockGetArgument(body->block, argument / count * count + body->order[argument % count]);
  int64_t known = irMapGet(&body->numbers, value.ptr, -1);
  if (known >= 0)
    return body->scalars[known];
  MlirValue scalar = scalarOfOperation(body, value);
  IR_RESERVE_ONE(body->scalars, body->count, body->capacity);
  irMapSet(&body->numbers, value.ptr, body->count);
  body->scalars[body->count++] = scalar;
  return scalar;
}

static void fillBody(const ScanTree *tree, const intptr_t *order, MlirOperation op) {
  MlirBlock block = irBody(op, 0);
  CombinerBody body = {
      .tree = tree, .order = order, .block = block, .b = irBuilderAtEnd(block, mlirOperationGetLocation(op))};
  MlirValue yielded[SCAN_MOST_COMPONENTS];
  for (intptr_t i = 0; i < tree->count; ++i)
    yielded[order[i]] = scalarOf(&body, tree->elements[1][i]);
  irOp(&body.b, "tg.yield", (IrValues){tree->count, yielded}, IR_NO_TYPES, IR_NO_ATTRS);
  irMapDestroy(&body.numbers);
  free(body.scalars);
}

//===----------------------------------------------------------------------===//
// Cumulative operations
//===----------------------------------------------------------------------===//

/// The kind of f if it is an operation with a name on both of its arguments; otherwise -1.
static int namedKind(const ScanTree *tree) {
  MlirOperation op = irDefiningOp(tree->elements[1][0]);
  if (tree->count != 1 || mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) != 2 ||
      irMapGet(&tree->arguments, irOperand(op, 0).ptr, -1) + irMapGet(&tree->arguments, irOperand(op, 1).ptr, -1) != 1)
    return -1;
  return tgReduceKindOf(tgKindOf(op));
}

/// The operands of the scan, if it goes from the last element to the first one: each component is a reverse of it.
static bool readReversed(const ScanTree *tree, MlirValue *inputs) {
  for (intptr_t i = 0; i < tree->count; ++i) {
    MlirOperation op = irDefiningOp(tree->elements[0][i]);
    if (mlirOperationIsNull(op) || tgKindOf(op) != TG_reverse)
      return false;
    IrShape dims = irGetDims(op, "dims");
    if (dims.rank != 1 || dims.dims[0] != tree->axis)
      return false;
    inputs[i] = irOperand(op, 0);
  }
  return true;
}

static MlirValue namedCumulative(IrBuilder *b, MlirValue input, int kind, int64_t axis, bool reverse) {
  MlirNamedAttribute attributes[] = {irI32(b, "kind", kind), irI64(b, "dim", axis), irUnit(b, "reverse")};
  return irValueOf(b, "tg.cumulative", IR_VALUES(input), mlirValueGetType(input),
                   (IrAttrs){reverse ? 3 : 2, attributes});
}

/// With results of the components that `order` puts first.
static MlirOperation cumulativeOf(IrBuilder *b, const ScanTree *tree, const intptr_t *order, intptr_t numResults) {
  MlirValue inputs[SCAN_MOST_COMPONENTS], ordered[SCAN_MOST_COMPONENTS];
  bool reverse = readReversed(tree, inputs);
  for (intptr_t i = 0; i < tree->count; ++i)
    ordered[order[i]] = reverse ? inputs[i] : tree->elements[0][i];
  int kind = namedKind(tree);
  if (kind >= 0)
    return irDefiningOp(namedCumulative(b, ordered[0], kind, tree->axis, reverse));
  MlirOperation op = tgGeneralCumulative(b, tree->count, ordered, NULL, numResults, tree->axis, reverse);
  fillBody(tree, order, op);
  return op;
}

static bool isOfIntegers(MlirValue value) { return mlirTypeIsAInteger(irElementTypeOf(value)); }

/// Whether a combiner has the same result in any order.
static bool isExact(int kind, MlirValue value) {
  return isOfIntegers(value) || kind == TG_REDUCE_MIN || kind == TG_REDUCE_MAX;
}

static bool isExactTree(const ScanTree *tree) {
  bool areIntegers = true;
  for (intptr_t i = 0; i < tree->count; ++i)
    areIntegers = areIntegers && isOfIntegers(tree->elements[0][i]);
  return areIntegers || isExact(namedKind(tree), tree->elements[0][0]);
}

/// No kernel of a cumulative operation has open sizes.
static bool isOpen(MlirValue value) { return !mlirAttributeIsNull(irSymbolName(mlirValueGetType(value))); }

static bool hasOneType(const ScanTree *tree) {
  IrShape shape = irShapeOf(tree->elements[0][0]);
  for (intptr_t i = 0; i < tree->count; ++i)
    if (isOpen(tree->elements[0][i]) || !irShapesEqual(irShapeOf(tree->elements[0][i]), shape) ||
        !mlirTypeEqual(irElementTypeOf(tree->elements[0][i]), irElementTypeOf(tree->elements[1][i])))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool isCandidate(MlirOperation op) { return scanIsInterleaved(op); }

/// Results of trees, in the order of the graph.
typedef struct {
  Operations candidates;
  IrMap erased;
} TreeCandidates;

/// Whether all elements of a tree are there before `op`.
static bool isBehindElements(const ScanTree *tree, MlirOperation op) {
  for (intptr_t i = 0; i < tree->count; ++i) {
    MlirOperation element = irDefiningOp(tree->elements[0][i]);
    bool isOfBlock =
        !mlirOperationIsNull(element) && mlirBlockEqual(mlirOperationGetBlock(element), mlirOperationGetBlock(op));
    if (isOfBlock && !mlirOperationIsBeforeInBlock(element, op))
      return false;
  }
  return true;
}

/// The results of a tree: of each component the operation, null if nothing reads its prefixes.
static void findResults(TreeCandidates *c, ScanTree *tree, MlirOperation last, MlirOperation *results) {
  results[0] = last;
  for (intptr_t i = c->candidates.count; i-- > 0;) {
    MlirOperation op = c->candidates.data[i];
    intptr_t component;
    if (!irMapContains(&c->erased, op.ptr) && irIsUsed(op) && isBehindElements(tree, op) &&
        mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(last)) &&
        scanHasResult(tree, irResult(op, 0), &component))
      results[component] = op;
  }
}

/// Replaces all results of a tree, one of which is `last`.
static void raise(TreeCandidates *c, ScanTree *tree, MlirOperation last) {
  MlirOperation results[SCAN_MOST_COMPONENTS] = {{NULL}}, first = last;
  intptr_t order[SCAN_MOST_COMPONENTS], numResults = 0, next;
  findResults(c, tree, last, results);
  for (intptr_t i = 0; i < tree->count; ++i) {
    if (mlirOperationIsNull(results[i]))
      continue;
    order[i] = numResults++;
    first = mlirOperationIsBeforeInBlock(results[i], first) ? results[i] : first;
  }
  next = numResults;
  for (intptr_t i = 0; i < tree->count; ++i)
    order[i] = mlirOperationIsNull(results[i]) ? next++ : order[i];
  IrBuilder b = irBuilderBefore(first);
  MlirOperation op = cumulativeOf(&b, tree, order, numResults);
  stitchRemark(op, "the steps of an associative scan of %lld elements: it is made a cumulative operation",
               (long long)tree->sizes[0]);
  for (intptr_t i = 0; i < tree->count; ++i) {
    if (mlirOperationIsNull(results[i]))
      continue;
    MlirValue value = irResult(op, order[i]);
    if (irHasAttr(op, "reverse"))
      value = irValueOf(&b, "tg.reverse", IR_VALUES(value), mlirValueGetType(value),
                        IR_ATTRS(irDims(&b, "dims", 1, &tree->axis)));
    mlirValueReplaceAllUsesOfWith(irResult(results[i], 0), value);
  }
  for (intptr_t i = 0; i < tree->count; ++i)
    if (!mlirOperationIsNull(results[i]))
      eraseUnread(results[i], &c->erased);
}

/// The last candidates first: a tree has others, of its levels, in it.
static void raiseAll(StitchPassRun run, TreeCandidates *c, intptr_t leastComponents) {
  for (intptr_t i = c->candidates.count; i-- > 0;) {
    MlirOperation op = c->candidates.data[i];
    ScanTree tree;
    if (irMapContains(&c->erased, op.ptr))
      continue;
    eraseUnread(op, &c->erased);
    if (irMapContains(&c->erased, op.ptr) || !scanFind(irResult(op, 0), &tree))
      continue;
    bool isWanted = !stitchPassGetBool(run, OPTION_EXACT) || isExactTree(&tree);
    if (isWanted && tree.sizes[0] >= LEAST_ELEMENTS && tree.count >= leastComponents && hasOneType(&tree)) {
      raise(c, &tree, op);
      stitchPassAddStatistic(run, STATISTIC_SCANS, 1);
    }
    scanDestroy(&tree);
  }
}

/// The last steps first: those before them are part of them.
static void raiseLogSteps(StitchPassRun run, MlirOperation module) {
  Operations found = collectOperations(module, isLogStep, MlirWalkPreOrder);
  IrMap erased = {0};
  for (intptr_t i = found.count; i-- > 0;) {
    MlirOperation op = found.data[i];
    LogSteps steps;
    if (irMapContains(&erased, op.ptr) || !readLogSteps(op, &steps) || isOpen(steps.from) ||
        irShapeOf(steps.from).dims[steps.axis] < LEAST_ELEMENTS ||
        (stitchPassGetBool(run, OPTION_EXACT) && !isExact((int)steps.kind, steps.from)))
      continue;
    IrBuilder b = irBuilderBefore(op);
    MlirValue value = namedCumulative(&b, steps.from, steps.kind, steps.axis, steps.reverse);
    stitchRemark(irDefiningOp(value), "sums of shifted values of %lld elements: they are made a cumulative operation",
                 (long long)irShapeOf(value).dims[steps.axis]);
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
    eraseUnread(op, &erased);
    stitchPassAddStatistic(run, STATISTIC_STEPS, 1);
  }
  irMapDestroy(&erased);
  free(found.data);
}

//===----------------------------------------------------------------------===//
// Narrow elements
//===----------------------------------------------------------------------===//

/// The type of 16 bits from which a cumulative operation in f32 gets its elements and to which all of its results go;
/// null if there is none. The operation of the narrow type computes in f32, too, and has no conversions around it.
static MlirType narrowTypeOf(MlirOperation op) {
  MlirType none = {NULL}, narrow = none;
  MlirOperation from = irDefiningOp(irOperand(op, 0));
  if (mlirOperationIsNull(from) || tgKindOf(from) != TG_convert || !mlirTypeIsAF32(irElementTypeOf(irResult(op, 0))))
    return none;
  narrow = irElementTypeOf(irOperand(from, 0));
  if (!mlirTypeIsAF16(narrow) && !mlirTypeIsABF16(narrow))
    return none;
  IR_FOR_EACH_USE(use, irResult(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tgKindOf(user) != TG_convert || !mlirTypeEqual(irElementTypeOf(irResult(user, 0)), narrow))
      return none;
  }
  return irIsUsed(op) ? narrow : none;
}

static bool isWidened(MlirOperation op) { return tgKindOf(op) == TG_cumulative && !mlirTypeIsNull(narrowTypeOf(op)); }

static void narrow(StitchPassRun run, MlirOperation module) {
  Operations found = collectOperations(module, isWidened, MlirWalkPreOrder);
  for (intptr_t i = 0; i < found.count; ++i) {
    MlirOperation op = found.data[i];
    MlirOperation from = irDefiningOp(irOperand(op, 0));
    Operations users = {0};
    IR_FOR_EACH_USE(use, irResult(op, 0)) {
      addOperation(&users, mlirOpOperandGetOwner(use));
    }
    mlirOperationSetOperand(op, 0, irOperand(from, 0));
    mlirValueSetType(irResult(op, 0), mlirValueGetType(irOperand(from, 0)));
    for (intptr_t k = 0; k < users.count; ++k) {
      mlirValueReplaceAllUsesOfWith(irResult(users.data[k], 0), irResult(op, 0));
      mlirOperationDestroy(users.data[k]);
    }
    free(users.data);
    if (!irIsUsed(from))
      mlirOperationDestroy(from);
    stitchPassAddStatistic(run, STATISTIC_NARROW, 1);
  }
  free(found.data);
}

static void runRaiseCumulatives(StitchPassRun run, MlirOperation module) {
  TreeCandidates c = {.candidates = collectOperations(module, isCandidate, MlirWalkPreOrder)};
  raiseAll(run, &c, 2); // a component may be a scan of its own, too
  raiseAll(run, &c, 1);
  irMapDestroy(&c.erased);
  free(c.candidates.data);
  raiseLogSteps(run, module);
  narrow(run, module);
}

static const StitchPassOption options[] = {
    {"exact", "only operations with the same result in any order: no sums of floats", STITCH_OPTION_BOOL, 0, NULL},
};

static const StitchPassStatistic statistics[] = {
    {"scans", "associative scans that are made cumulative operations"},
    {"log-steps", "sums of shifted values that are made cumulative operations"},
    {"narrow", "cumulative operations of 16 bits without conversions around them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgRaiseCumulativesPass = {
    .argument = "tg-raise-cumulatives",
    .description = "Make cumulative operations of associative scans and of sums of shifted values",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runRaiseCumulatives,
};
