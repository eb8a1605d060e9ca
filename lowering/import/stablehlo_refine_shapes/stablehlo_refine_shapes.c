//===- stablehlo_refine_shapes.c - sizes for the unknown ones ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a StableHLO module whose @main has arguments of unknown or bounded sizes, and sizes for them ("b=37"). Leaves
// @main with all shapes known: calls are inlined, the types of all values follow from those of the arguments, shape
// arithmetic is evaluated, shape assertions are checked. Sizes for which a range is given ("b=1..128") stay open
// (ir/mlir/symbol.h), or with padded=true become the largest ones (padding.h). StableHLO's own stablehlo-refine-shapes
// does the same, without names for the sizes. A module without unknown sizes stays as it is.
//
// One walk in program order does all of it. When an operation is reached, the types of its operands are final, and so
// are the values that are computed from sizes.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include <stdlib.h>

/// The functions that are being inlined, from the innermost outwards.
typedef struct Inlining {
  MlirOperation function;
  const struct Inlining *outer;
} Inlining;

static bool refineBlock(Refiner *r, MlirBlock block, const Inlining *inlining);

static MlirBlock firstBlock(MlirOperation op, intptr_t region) { return irBody(op, region); }

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Where the block's arguments are used, `values` are used instead.
static bool replaceArguments(MlirOperation op, MlirBlock block, intptr_t first) {
  intptr_t count = mlirBlockGetNumArguments(block);
  if (count != mlirOperationGetNumOperands(op) - first)
    return refineFail(op, "has %ld operands where %ld are needed", (long)mlirOperationGetNumOperands(op),
                      (long)(count + first));
  for (intptr_t i = 0; i < count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, i), irOperand(op, first + i));
  return true;
}

/// Moves the operations of `block` before `op`, and has its terminator's operands used instead of the results of `op`.
static bool spliceBlock(Refiner *r, MlirOperation op, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirOperationGetNumOperands(end) != mlirOperationGetNumResults(op))
    return refineFail(op, "calls a function with another number of results");
  for (MlirOperation inner = mlirBlockGetFirstOperation(block), next; !mlirOperationEqual(inner, end); inner = next) {
    next = mlirOperationGetNextInBlock(inner);
    mlirOperationMoveBefore(inner, op);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(irResult(op, i), irOperand(end, i));
  refineErase(r, op);
  return true;
}

/// Puts a refined copy of the called function's body in the place of `call`, a call or a composite.
static bool inlineCall(Refiner *r, MlirOperation call, const char *calleeName, const Inlining *outer) {
  MlirOperation function = refineFindFunction(r, irGetAttr(call, calleeName));
  if (mlirOperationIsNull(function) || mlirOperationIsNull(mlirBlockGetTerminator(firstBlock(function, 0))))
    return refineFail(call, "calls no function of this module that has a body");
  for (const Inlining *level = outer; level; level = level->outer)
    if (mlirOperationEqual(level->function, function))
      return refineFail(call, "calls a function that calls itself");
  Inlining inlining = {function, outer};
  MlirOperation copy = mlirOperationClone(function);
  MlirBlock body = firstBlock(copy, 0);
  bool ok = replaceArguments(call, body, 0) && refineBlock(r, body, &inlining) && spliceBlock(r, call, body);
  IR_RESERVE_ONE(r->copies, r->numCopies, r->copyCapacity);
  r->copies[r->numCopies++] = copy;
  return ok;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Result `i` of `op` gets the type of `value`, the result of a region.
static bool setResultType(Refiner *r, MlirOperation op, intptr_t i, MlirValue value, bool isFirst) {
  MlirType type = mlirValueGetType(value);
  RefineShape shape = refineShapeOf(r, value), other = refineShapeOf(r, irResult(op, i));
  if (!isFirst && (!mlirTypeEqual(mlirValueGetType(irResult(op, i)), type) || !refineEqualShapes(&shape, &other)))
    return refineFail(op, "has a result %ld whose shape depends on which region is run", (long)i);
  mlirValueSetType(irResult(op, i), type);
  if (r->pads)
    refineSetShape(r, irResult(op, i), &shape);
  return true;
}

static bool refineBranches(Refiner *r, MlirOperation op, const Inlining *inlining) {
  for (intptr_t region = 0; region < mlirOperationGetNumRegions(op); ++region) {
    MlirBlock block = firstBlock(op, region);
    if (!refineBlock(r, block, inlining))
      return false;
    MlirOperation end = mlirBlockGetTerminator(block);
    if (mlirOperationGetNumOperands(end) != mlirOperationGetNumResults(op))
      return refineFail(op, "has a region with another number of results");
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      if (!setResultType(r, op, i, irOperand(end, i), region == 0))
        return false;
  }
  return true;
}

/// A value that the body hands on as it is has the same value and shape in every iteration.
static void replaceInvariants(MlirOperation op, MlirBlock condition, MlirBlock body) {
  MlirOperation end = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue inBody = mlirBlockGetArgument(body, i);
    if (!mlirValueEqual(irOperand(end, i), inBody))
      continue;
    mlirValueReplaceAllUsesOfWith(inBody, irOperand(op, i));
    mlirOperationSetOperand(end, i, inBody);
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(condition, i), irOperand(op, i));
  }
}

/// The values of a loop have the types and shapes of its operands.
static void setLoopTypes(Refiner *r, MlirOperation op, MlirBlock condition, MlirBlock body) {
  Padding p = {.r = r, .op = op, .b = irBuilderBefore(op)};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    if (r->pads)
      paddingPlainOperand(&p, i);
    RefineShape shape = refineShapeOf(r, irOperand(op, i));
    MlirValue values[] = {mlirBlockGetArgument(condition, i), mlirBlockGetArgument(body, i), irResult(op, i)};
    for (int k = 0; k < 3; ++k) {
      mlirValueSetType(values[k], mlirValueGetType(irOperand(op, i)));
      if (r->pads)
        refineSetShape(r, values[k], &shape);
    }
  }
}

static bool keepsShape(const Refiner *r, MlirValue before, MlirValue after) {
  RefineShape a = refineShapeOf(r, before), b = refineShapeOf(r, after);
  return mlirTypeEqual(mlirValueGetType(before), mlirValueGetType(after)) && refineEqualShapes(&a, &b);
}

static bool refineWhile(Refiner *r, MlirOperation op, const Inlining *inlining) {
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirBlock condition = firstBlock(op, 0), body = firstBlock(op, 1);
  MlirOperation end = mlirBlockGetTerminator(body);
  if (mlirBlockGetNumArguments(condition) != count || mlirBlockGetNumArguments(body) != count ||
      mlirOperationGetNumResults(op) != count || mlirOperationGetNumOperands(end) != count)
    return refineFail(op, "has regions that do not take or leave its %ld operands", (long)count);
  setLoopTypes(r, op, condition, body);
  replaceInvariants(op, condition, body);
  if (!refineBlock(r, condition, inlining) || !refineBlock(r, body, inlining))
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (!keepsShape(r, irOperand(op, i), irOperand(end, i)))
      return refineFail(op, "has a value %ld whose shape changes from one iteration to the next", (long)i);
  if (r->pads)
    paddingCountLoop(r, op);
  return true;
}

static bool hasBlocks(MlirOperation op, intptr_t expected) {
  bool ok = expected < 0 || mlirOperationGetNumRegions(op) == expected;
  for (intptr_t i = 0; ok && i < mlirOperationGetNumRegions(op); ++i)
    ok = !mlirBlockIsNull(firstBlock(op, i)) && !mlirOperationIsNull(mlirBlockGetTerminator(firstBlock(op, i)));
  return ok || refineFail(op, "has not the regions that it needs");
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static bool refineOp(Refiner *r, MlirOperation op, const Inlining *inlining) {
  if (irOpIs(op, "func.call"))
    return inlineCall(r, op, "callee", inlining);
  if (irOpIs(op, "stablehlo.composite"))
    return inlineCall(r, op, "decomposition", inlining);
  if (irOpIs(op, "stablehlo.while"))
    return hasBlocks(op, 2) && refineWhile(r, op, inlining);
  if (irOpIs(op, "stablehlo.if") || irOpIs(op, "stablehlo.case"))
    return hasBlocks(op, -1) && refineBranches(r, op, inlining);
  bool replaced;
  if (!refineRewrite(r, op, &replaced))
    return false;
  if (replaced)
    return true;
  if (!refineResultTypes(r, op))
    return false;
  refineEvaluate(r, op);
  return !r->pads || paddingApply(r, op);
}

static bool refineBlock(Refiner *r, MlirBlock block, const Inlining *inlining) {
  IR_FOR_EACH_OP_REPLACING(op, block) {
    if (!refineOp(r, op, inlining))
      return false;
  }
  return true;
}

/// The type of the function follows from its arguments and its returned values.
static void setFunctionType(Refiner *r, MlirOperation function) {
  MlirBlock block = firstBlock(function, 0);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t numInputs = mlirBlockGetNumArguments(block), numResults = mlirOperationGetNumOperands(end);
  MlirType *types = IR_NEW_ARRAY(&r->arena, MlirType, numInputs + numResults + 1);
  for (intptr_t i = 0; i < numInputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(block, i));
  for (intptr_t i = 0; i < numResults; ++i)
    types[numInputs + i] = mlirValueGetType(irOperand(end, i));
  MlirType type = mlirFunctionTypeGet(r->context, numInputs, types, numResults, types + numInputs);
  irSetAttr(function, "function_type", mlirTypeAttrGet(type));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

enum { OPTION_DIMS, OPTION_PADDED, OPTION_POISONED };

static bool hasDynamicTypes(MlirOperation op);

static bool blockHasDynamicTypes(MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (refineIsDynamic(mlirValueGetType(mlirBlockGetArgument(block, i))))
      return true;
  IR_FOR_EACH_OP(op, block)
    if (hasDynamicTypes(op))
      return true;
  return false;
}

/// Of the results of `op` and all that is nested in it.
static bool hasDynamicTypes(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (refineIsDynamic(mlirValueGetType(irResult(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = firstBlock(op, i); !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      if (blockHasDynamicTypes(block))
        return true;
  return false;
}

static bool refineMain(Refiner *r, MlirOperation main, const char *dims) {
  Inlining outermost = {main, NULL};
  r->main = main;
  if (!refineArguments(r, main, dims) || !refineBlock(r, firstBlock(main, 0), &outermost) ||
      (r->pads && (!paddingArguments(r) || !paddingResults(r))))
    return false;
  setFunctionType(r, main);
  return true;
}

static void run(StitchPassRun pass, MlirOperation module) {
  const char *dims = stitchPassGetString(pass, OPTION_DIMS);
  MlirOperation main = irFindFunction(module, "main");
  if (mlirOperationIsNull(main) || mlirBlockIsNull(firstBlock(main, 0)) || (!*dims && !hasDynamicTypes(module)))
    return;
  Refiner r = {.context = mlirOperationGetContext(module),
               .symbolTable = mlirSymbolTableCreate(module),
               .pads = stitchPassGetBool(pass, OPTION_PADDED),
               .poisons = stitchPassGetBool(pass, OPTION_POISONED)};
  bool ok = refineMain(&r, main, dims);
  mlirSymbolTableDestroy(r.symbolTable);
  for (intptr_t i = r.numErased; i-- > 0;)
    mlirOperationDestroy(r.erased[i]);
  for (intptr_t i = 0; i < r.numCopies; ++i)
    mlirOperationDestroy(r.copies[i]);
  free(r.erased);
  free(r.copies);
  irMapDestroy(&r.values);
  irMapDestroy(&r.shapes);
  irMapDestroy(&r.layouts);
  irArenaDestroy(&r.arena);
  if (!ok || mlirLogicalResultIsFailure(stitchPassRunPipeline(pass, "symbol-dce", module)))
    stitchPassSignalFailure(pass);
}

static const StitchPassOption options[] = {
    {"dims", "sizes of the unknown dimensions, such as b=37,s=128", STITCH_OPTION_STRING, 0, ""},
    {"padded", "make tensors with open sizes (b=1..128) ones of the largest sizes, whose padding is masked",
     STITCH_OPTION_BOOL, 0, NULL},
    {"poisoned", "fill the padding of arguments with NaN and the largest integers: no result may change (for tests)",
     STITCH_OPTION_BOOL, 0, NULL},
};

const StitchPassInfo stablehloRefineShapesPass = {
    .argument = "stablehlo-refine-shapes",
    .description = "Give unknown dimensions of StableHLO a size",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .run = run,
};
