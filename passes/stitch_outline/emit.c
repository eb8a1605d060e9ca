//===- emit.c - stitch-outline: rewriting --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the lists of fusions and library calls. Leaves them in the block as stitch.fusion and stitch.library_call, in
// an order in which operands come first. Free operations are cloned into each body that reads them.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_outline/outline.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Results: values that are used outside their fusion
//===----------------------------------------------------------------------===//

typedef struct {
  const Outline *outline;
  IrMap escaping; ///< values that must be yielded
  int64_t fusion; ///< of the user, or -1
} Escapes;

static void recordEscape(MlirValue value, void *data) {
  Escapes *escapes = data;
  const Outline *outline = escapes->outline;
  MlirValue base = baseOf(outline, value);
  if (mlirValueIsNull(base))
    return;
  int64_t number = irNumberOf(&outline->numbering, base);
  if (isStitched(outline, number) && outline->nodes[number].fusion != escapes->fusion)
    irMapSet(&escapes->escaping, base.ptr, 1);
}

static Escapes findEscapes(const Outline *outline) {
  Escapes escapes = {.outline = outline};
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    const OutlineNode *node = &outline->nodes[i];
    if (node->kind == NODE_FREE)
      continue;
    escapes.fusion = node->kind == NODE_STITCHED ? node->fusion : -1;
    irForEachOperand(node->op, recordEscape, &escapes);
  }
  return escapes;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// One fusion's body while it is filled.
typedef struct {
  Outline *outline;
  FusionBody body;
  int64_t fusion;
  IrMap clones; ///< free operation -> its index in `cloned`
  MlirOperation *cloned;
  int64_t numCloned;
  int64_t capacity;
} BodyFilling;

static MlirValue valueInBody(BodyFilling *f, MlirValue value);

static MlirValue insideClone(BodyFilling *f, int64_t number) {
  MlirOperation op = f->outline->nodes[number].op;
  int64_t known = irMapGet(&f->clones, op.ptr, -1);
  if (known >= 0)
    return irResult(f->cloned[known], 0);
  MlirOperation clone = mlirOperationClone(op);
  if (mlirOperationGetNumOperands(op) > 0)
    mlirOperationSetOperand(clone, 0, valueInBody(f, irOperand(op, 0)));
  mlirBlockAppendOwnedOperation(f->body.block, clone);
  IR_RESERVE_ONE(f->cloned, f->numCloned, f->capacity);
  f->cloned[f->numCloned] = clone;
  irMapSet(&f->clones, op.ptr, f->numCloned++);
  return irResult(clone, 0);
}

/// The replacement of an outside value within the body: itself, a clone, or a block argument.
static MlirValue valueInBody(BodyFilling *f, MlirValue value) {
  int64_t number = irNumberOf(&f->outline->numbering, value);
  if (number >= 0 && f->outline->nodes[number].kind == NODE_FREE)
    return insideClone(f, number);
  if (isStitched(f->outline, number) && f->outline->nodes[number].fusion == f->fusion)
    return value;
  return fusionBodyArgument(&f->body, value, mlirLocationUnknownGet(mlirTypeGetContext(mlirValueGetType(value))));
}

static void moveInside(BodyFilling *f, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, valueInBody(f, irOperand(op, i)));
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(f->body.block, op);
}

/// Closes the body before the terminator and redirects its results' users outside.
static MlirOperation closeBody(Outline *outline, FusionBody *body, const char *name, MlirLocation loc,
                               const ValueList *results) {
  MlirBlock block = body->block;
  MlirOperation op = fusionBodyClose(body, name, loc, results, mlirBlockGetTerminator(outline->block));
  for (int64_t i = 0; i < results->count; ++i)
    replaceUsesOutside(block, results->values[i], irResult(op, i));
  return op;
}

static void emitFusion(Outline *outline, const Fusion *fusion, int64_t number, const Escapes *escapes) {
  BodyFilling filling = {.outline = outline, .body = fusionBodyCreate(), .fusion = number};
  ValueList results = {0};
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    moveInside(&filling, op);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      if (irMapContains(&escapes->escaping, irResult(op, j).ptr))
        valueListAdd(&results, irResult(op, j));
  }
  int64_t numInputs = filling.body.inputs.count;
  MlirOperation last = outline->nodes[fusion->members[fusion->count - 1]].op;
  MlirOperation op = closeBody(outline, &filling.body, "stitch.fusion", mlirOperationGetLocation(last), &results);
  stitchRemark(op, "fusion of %lld operations at level %lld: %lld inputs, %lld results", (long long)fusion->count,
               (long long)fusion->level, (long long)numInputs, (long long)results.count);
  stitchPassAddStatistic(outline->run, STATISTIC_FUSIONS, 1);
  stitchPassAddStatistic(outline->run, STATISTIC_STITCHED, fusion->count);
  irMapDestroy(&filling.clones);
  free(filling.cloned);
  valueListDestroy(&results);
}

static void emitOutside(Outline *outline, const OutlineNode *node) {
  MlirOperation terminator = mlirBlockGetTerminator(outline->block);
  if (mlirOperationEqual(node->op, terminator))
    return;
  if (tgClassOfKind(tgKindOf(node->op)) != TG_CLASS_COMPUTE) { // a library call already, or left to the host
    mlirOperationMoveBefore(node->op, terminator);
    return;
  }
  FusionBody body = fusionBodyCreate();
  MlirLocation loc = mlirOperationGetLocation(node->op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); ++i)
    mlirOperationSetOperand(node->op, i, fusionBodyArgument(&body, irOperand(node->op, i), loc));
  mlirOperationRemoveFromParent(node->op);
  mlirBlockAppendOwnedOperation(body.block, node->op);
  ValueList results = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(node->op); ++i)
    valueListAdd(&results, irResult(node->op, i));
  closeBody(outline, &body, "stitch.library_call", loc, &results);
  stitchPassAddStatistic(outline->run, STATISTIC_LIBRARY_CALLS, 1);
  valueListDestroy(&results);
}

/// Levels order the rest: operations outside and their views, then the fusions of the level, then the views of their
/// results.
typedef enum { STAGE_OUTSIDE, STAGE_FUSION, STAGE_VIEW } Stage;

typedef struct {
  int64_t level;
  Stage stage;
  int64_t position;
  int64_t fusion; ///< or -1
} Emission;

static int compareEmissions(const void *a, const void *b) {
  const Emission *x = a, *y = b;
  if (x->level != y->level)
    return x->level < y->level ? -1 : 1;
  if (x->stage != y->stage)
    return x->stage < y->stage ? -1 : 1;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  return (x->fusion > y->fusion) - (x->fusion < y->fusion); // parts of a component
}

static Emission emissionOf(const Outline *outline, int64_t number) {
  const OutlineNode *node = &outline->nodes[number];
  if (node->kind == NODE_OUTSIDE || node->leaf < 0)
    return (Emission){node->level, STAGE_OUTSIDE, number, -1};
  const OutlineNode *leaf = &outline->nodes[node->leaf];
  return (Emission){leaf->level, leaf->kind == NODE_STITCHED ? STAGE_VIEW : STAGE_OUTSIDE, number, -1};
}

void emitAll(Outline *outline, const Fusions *fusions) {
  Escapes escapes = findEscapes(outline);
  Emission *order = IR_NEW_ARRAY(&outline->arena, Emission, outline->numNodes + fusions->count);
  int64_t count = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (outline->nodes[i].kind == NODE_OUTSIDE ||
        (outline->nodes[i].kind == NODE_FREE && outline->nodes[i].usedOutside))
      order[count++] = emissionOf(outline, i);
  for (int64_t i = 0; i < fusions->count; ++i)
    order[count++] = (Emission){fusions->data[i].level, STAGE_FUSION, fusions->data[i].first, i};
  qsort(order, (size_t)count, sizeof(*order), compareEmissions);
  for (int64_t i = 0; i < count; ++i) {
    if (order[i].fusion >= 0)
      emitFusion(outline, &fusions->data[order[i].fusion], order[i].fusion, &escapes);
    else
      emitOutside(outline, &outline->nodes[order[i].position]);
  }
  irMapDestroy(&escapes.escaping);
  for (int64_t i = outline->numNodes; i-- > 0;)
    if (outline->nodes[i].kind == NODE_FREE && !outline->nodes[i].usedOutside)
      mlirOperationDestroy(outline->nodes[i].op);
}
