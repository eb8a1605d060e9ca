//===- outline_loops.c - one function for each distinct linalg operation -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a bufferized module. Leaves each linalg operation and each scf.for without results in a private function
// `@loops_N` of its own, whose arguments are the buffers and scalars that it uses. The operations are at the top level
// of a function of one block or in its control flow (scf.if, scf.index_switch, scf.while). Equal operations share a
// function.
//
// LLVM's time grows faster than a function's size: a model as one function of a thousand loop nests takes minutes to
// compile. As functions of one nest each, of which most are equal, it takes a second or two.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#include "mlir-c/Dialect/Func.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A function that was made of an operation, and the text that it shares with equal ones.
typedef struct {
  char *text;
  MlirAttribute symbol;
} Outlined;

typedef struct {
  MlirOperation module;
  Outlined *functions;
  intptr_t count;
  intptr_t capacity;
  int64_t nextNumber;
} Outlining;

/// The values from around an operation that it uses, each once, in order of first use.
typedef struct {
  MlirOperation op;
  MlirValue *values;
  intptr_t count;
  intptr_t capacity;
} Captures;

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

/// Whether `value` is defined in a region of `op`.
static bool isDefinedInside(MlirValue value, MlirOperation op) {
  MlirBlock block = mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                                     : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  while (!mlirBlockIsNull(block)) {
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (mlirOperationIsNull(parent) || mlirOperationEqual(parent, op))
      return !mlirOperationIsNull(parent);
    block = mlirOperationGetBlock(parent);
  }
  return false;
}

static intptr_t captureIndex(const Captures *captures, MlirValue value) {
  for (intptr_t i = 0; i < captures->count; ++i)
    if (mlirValueEqual(captures->values[i], value))
      return i;
  return -1;
}

static MlirWalkResult collectCaptures(MlirOperation op, void *data) {
  Captures *captures = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = irOperand(op, i);
    if (isDefinedInside(value, captures->op) || captureIndex(captures, value) >= 0)
      continue;
    IR_RESERVE_ONE(captures->values, captures->count, captures->capacity);
    captures->values[captures->count++] = value;
  }
  return MlirWalkResultAdvance;
}

/// The replacements of the captures inside the function.
typedef struct {
  const Captures *captures;
  const MlirValue *replacements;
} CaptureReplacement;

static MlirWalkResult replaceCaptures(MlirOperation op, void *data) {
  const CaptureReplacement *replacement = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    intptr_t index = captureIndex(replacement->captures, irOperand(op, i));
    if (index >= 0)
      mlirOperationSetOperand(op, i, replacement->replacements[index]);
  }
  return MlirWalkResultAdvance;
}

static bool isConstant(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && irOpIs(op, "arith.constant");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Loops of so few iterations take less time as they stand, 0.14 ms of additions instead of 0.03, than LLVM takes to
/// make them faster.
enum { FEW_ITERATIONS = 1 << 16 };

/// So often, it is guessed, a loop around them goes round.
enum { GUESSED_TRIPS = 64 };

/// The iterations of a linalg operation with static sizes; -1 if they are not known.
static int64_t countIterations(MlirOperation op) {
  MlirAttribute maps = irGetAttr(op, "indexing_maps");
  if (mlirAttributeIsNull(maps) || mlirArrayAttrGetNumElements(maps) != mlirOperationGetNumOperands(op))
    return -1;
  int64_t count = 1;
  bool isKnown[64] = {false};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    IrShape shape = irShapeOf(irOperand(op, i));
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map) && d < shape.rank; ++d) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map, d);
      intptr_t loop = mlirAffineExprIsADim(expr) ? mlirAffineDimExprGetPosition(expr) : 64;
      if (loop >= 64 || isKnown[loop])
        continue;
      isKnown[loop] = true;
      if (shape.dims[d] < 0 || count > INT32_MAX)
        return -1;
      count *= shape.dims[d];
    }
  }
  MlirAffineMap any = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 0));
  for (intptr_t loop = 0; loop < mlirAffineMapGetNumDims(any); ++loop)
    if (loop >= 64 || !isKnown[loop])
      return -1;
  return count;
}

/// LLVM must not inline the functions again, nor spend time on loops that take none.
static MlirAttribute attributesFor(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  int64_t iterations = countIterations(op);
  for (MlirOperation parent = mlirOperationGetParentOperation(op); !mlirOperationIsNull(parent);
       parent = mlirOperationGetParentOperation(parent))
    iterations *= irOpIs(parent, "scf.while") ? GUESSED_TRIPS : 1;
  MlirAttribute attributes[] = {irStringAttr(context, "noinline"), irStringAttr(context, "optnone")};
  return mlirArrayAttrGet(context, iterations >= 0 && iterations <= FEW_ITERATIONS ? 2 : 1, attributes);
}

/// A private function that holds `op`, which leaves its block. Constants among the captures move in; the others become
/// arguments.
static MlirOperation createFunction(Outlining *outlining, MlirOperation op, const Captures *captures) {
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(captures->count + 1));
  intptr_t count = 0;
  for (intptr_t i = 0; i < captures->count; ++i)
    if (!isConstant(captures->values[i]))
      types[count++] = mlirValueGetType(captures->values[i]);
  IrBuilder b = irBuilderAtEnd(irBody(outlining->module, 0), mlirOperationGetLocation(op));
  MlirOperation function =
      irOpWithRegions(&b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
                      IR_ATTRS(irString(&b, "sym_name", "loops"),
                               irType(&b, "function_type", mlirFunctionTypeGet(b.context, count, types, 0, NULL)),
                               irString(&b, "sym_visibility", "private"), irAttr(&b, "passthrough", attributesFor(op))),
                      1, (IrTypes){count, types});
  free(types);

  MlirBlock body = irBody(function, 0);
  MlirValue *replacements = irAllocate(sizeof(MlirValue) * (size_t)(captures->count + 1));
  intptr_t argument = 0;
  for (intptr_t i = 0; i < captures->count; ++i) {
    if (!isConstant(captures->values[i])) {
      replacements[i] = mlirBlockGetArgument(body, argument++);
      continue;
    }
    MlirOperation constant = mlirOperationClone(irDefiningOp(captures->values[i]));
    mlirBlockAppendOwnedOperation(body, constant);
    replacements[i] = irResult(constant, 0);
  }
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(body, op);
  CaptureReplacement replacement = {captures, replacements};
  mlirOperationWalk(op, replaceCaptures, &replacement, MlirWalkPreOrder);
  IrBuilder end = irBuilderAtEnd(body, b.loc);
  irOp(&end, "func.return", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS);
  free(replacements);
  return function;
}

/// A number that no symbol of the module has yet.
static void nameFunction(Outlining *outlining, MlirOperation function) {
  char name[32];
  do
    snprintf(name, sizeof(name), "loops_%lld", (long long)outlining->nextNumber++);
  while (!mlirOperationIsNull(irFindFunction(outlining->module, name)));
  irSetAttr(function, "sym_name", irStringAttr(mlirOperationGetContext(function), name));
}

/// The symbol of `function`, or of an equal one, in which case `function` is erased.
static MlirAttribute shareFunction(Outlining *outlining, MlirOperation function) {
  char *text = irOperationText(function);
  for (intptr_t i = 0; i < outlining->count; ++i)
    if (strcmp(outlining->functions[i].text, text) == 0) {
      free(text);
      mlirOperationDestroy(function);
      return outlining->functions[i].symbol;
    }
  nameFunction(outlining, function);
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(function, "sym_name"));
  MlirAttribute symbol = mlirFlatSymbolRefAttrGet(mlirOperationGetContext(function), name);
  IR_RESERVE_ONE(outlining->functions, outlining->count, outlining->capacity);
  outlining->functions[outlining->count++] = (Outlined){text, symbol};
  return symbol;
}

static void outline(Outlining *outlining, MlirOperation op) {
  Captures captures = {.op = op};
  mlirOperationWalk(op, collectCaptures, &captures, MlirWalkPreOrder);
  MlirValue *arguments = irAllocate(sizeof(MlirValue) * (size_t)(captures.count + 1));
  intptr_t count = 0;
  for (intptr_t i = 0; i < captures.count; ++i)
    if (!isConstant(captures.values[i]))
      arguments[count++] = captures.values[i];
  IrBuilder b = irBuilderAfter(op);
  MlirAttribute symbol = shareFunction(outlining, createFunction(outlining, op, &captures));
  irOp(&b, "func.call", (IrValues){count, arguments}, IR_NO_TYPES, IR_ATTRS(irAttr(&b, "callee", symbol)));
  free(arguments);
  free(captures.values);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool isLoopNest(MlirOperation op) {
  MlirStringRef name = irOpName(op);
  bool isLinalg = name.length > 7 && memcmp(name.data, "linalg.", 7) == 0;
  return (isLinalg || irOpIs(op, "scf.for")) && mlirOperationGetNumResults(op) == 0;
}

static void outlineBlock(Outlining *outlining, MlirBlock block);

/// Outlines loops in the regions of control flow, which stays where it is: it may call libraries.
static void outlineInRegions(Outlining *outlining, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      outlineBlock(outlining, block);
}

static void outlineBlock(Outlining *outlining, MlirBlock block) {
  IR_FOR_EACH_OP_REPLACING(op, block) {
    if (isLoopNest(op))
      outline(outlining, op);
    else
      outlineInRegions(outlining, op);
  }
}

static void run(StitchPassRun pass, MlirOperation module) {
  (void)pass;
  Outlining outlining = {.module = module};
  MlirBlock body = irBody(module, 0);
  intptr_t count = 0; // functions are appended: those that were there come first
  IR_FOR_EACH_OP(op, body)
    ++count;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (intptr_t i = 0; i < count; ++i, op = mlirOperationGetNextInBlock(op)) {
    if (!irOpIs(op, "func.func"))
      continue;
    MlirBlock block = irBody(op, 0);
    if (!mlirBlockIsNull(block) && mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
      outlineBlock(&outlining, block);
  }
  for (intptr_t i = 0; i < outlining.count; ++i)
    free(outlining.functions[i].text);
  free(outlining.functions);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__};

const StitchPassInfo outlineLoopsPass = {
    .argument = "stitch-outline-loops",
    .description = "Move each linalg operation on buffers into a function, equal ones into one",
    .anchor = "builtin.module",
    .dependentDialects = dialects,
    .numDependentDialects = 1,
    .run = run,
};
