//===- linalg_to_tg.c - linalg on tensors to the tensor graph ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes any module. Replaces operations of linalg and tensor, and of arith and math on tensors, by operations of tg
// where there is a counterpart. It does so on tensors of static shape, named operations through upstream's
// generalisation. Operations without one stay where they are, and a remark counts them by name. Types of functions do
// not change.
//
// A tg operation computes as kernels do: sums in another order, 16-bit floats summed in f32.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/effects.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "ir/plan/hints.h"
#include "lowering/import/linalg_to_tg/linalg_conversion.h"
#include "stitch.h"

#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_DIMS };

typedef struct {
  MlirOperation *ops;
  intptr_t count, capacity;
} ConvertedOps;

/// Arithmetic on tensors.
static bool convertElementwise(IrBuilder *b, MlirOperation op, MlirValue *results) {
  MlirStringRef name = irOpName(op);
  bool isKnown = name.length > 5 && (memcmp(name.data, "arith", 5) == 0 || memcmp(name.data, "math.", 5) == 0);
  intptr_t count = mlirOperationGetNumResults(op);
  if (!isKnown || irOpIs(op, "arith.constant") || count < 1 || !linalgIsTensor(mlirValueGetType(irResult(op, 0))))
    return false;
  LinalgBody body = {.b = b, .space = irShapeOf(irResult(op, 0))};
  bool success = true;
  for (intptr_t i = 0; success && i < count; ++i) {
    results[i] = linalgBodyOperation(&body, op, i);
    success = !mlirValueIsNull(results[i]);
  }
  linalgBodyDestroy(&body);
  return success;
}

/// Whether an operation computes tensors and could have a counterpart. A cast that forgets sizes is one that others see
/// through.
static bool mayConvert(MlirOperation op) {
  MlirStringRef name = irOpName(op);
  static const char *const dialects[] = {"linalg.", "tensor.", "arith.", "math."};
  static const char *const others[] = {"arith.constant", "tensor.empty", "tensor.from_elements"};
  bool isOf = false;
  for (int i = 0; i < 4; ++i)
    isOf = isOf || (name.length > strlen(dialects[i]) && memcmp(name.data, dialects[i], strlen(dialects[i])) == 0);
  for (int i = 0; i < 3; ++i)
    isOf = isOf && !irOpIs(op, others[i]);
  MlirType type = isOf && mlirOperationGetNumResults(op) > 0 ? mlirValueGetType(irResult(op, 0)) : (MlirType){NULL};
  return !mlirTypeIsNull(type) && mlirTypeIsARankedTensor(type) &&
         !(irOpIs(op, "tensor.cast") && !mlirShapedTypeHasStaticShape(type));
}

static MlirWalkResult collectOp(MlirOperation op, void *data) {
  ConvertedOps *operations = data;
  if (irOpIs(op, "gpu.module"))
    return MlirWalkResultSkip;
  if (!mayConvert(op))
    return MlirWalkResultAdvance;
  IR_RESERVE_ONE(operations->ops, operations->count, operations->capacity);
  operations->ops[operations->count++] = op;
  return MlirWalkResultSkip;
}

/// Assertions in bodies that are converted: torch-mlir checks indices there.
typedef struct {
  MlirLocation first;
  int64_t count;
} Assertions;

static MlirWalkResult countAssertion(MlirOperation op, void *count) {
  *(int64_t *)count += irOpIs(op, "cf.assert");
  return MlirWalkResultAdvance;
}

static int64_t countAssertions(MlirOperation op) {
  int64_t count = 0;
  if (irOpIs(op, "linalg.generic"))
    mlirOperationWalk(op, countAssertion, &count, MlirWalkPreOrder);
  return count;
}

/// Looks for an operation that does more than to compute its results: one that stores, or calls. Assertions may go.
static MlirWalkResult findEffect(MlirOperation op, void *hasEffects) {
  bool isHarmless = mlirOperationGetNumRegions(op) > 0 || irOpIs(op, "cf.assert") || stitchIsMemoryEffectFree(op);
  *(bool *)hasEffects = !isHarmless;
  return isHarmless ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

/// Whether operations in the regions of an operation have effects that would be lost with it.
static bool hasEffectsInside(MlirOperation op) {
  bool hasEffects = false;
  if (mlirOperationGetNumRegions(op))
    mlirOperationWalk(op, findEffect, &hasEffects, MlirWalkPreOrder);
  return hasEffects;
}

static bool convertBy(MlirOperation op, bool (*convert)(IrBuilder *, MlirOperation, MlirValue *)) {
  if (hasEffectsInside(op))
    return false;
  intptr_t count = mlirOperationGetNumResults(op);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  IrBuilder b = irBuilderAtEnd(block, mlirOperationGetLocation(op));
  b.context = mlirOperationGetContext(op);
  MlirValue *results = irAllocateZeroed((size_t)count + 1, sizeof(MlirValue));
  bool success = convert(&b, op, results);
  for (intptr_t i = 0; success && i < count; ++i) // sizes that were forgotten may turn out to be others
    success = mlirTypeEqual(mlirValueGetType(results[i]), mlirValueGetType(irResult(op, i)));
  if (success) {
    IR_FOR_EACH_OP_REPLACING(made, block) {
      mlirOperationRemoveFromParent(made);
      mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, made);
    }
    for (intptr_t i = 0; i < count; ++i)
      mlirValueReplaceAllUsesOfWith(irResult(op, i), results[i]);
    mlirOperationDestroy(op);
  }
  mlirBlockDestroy(block);
  free(results);
  return success;
}

static bool convertAny(IrBuilder *b, MlirOperation op, MlirValue *results) {
  return linalgConvertGeneric(b, op, results) || linalgConvertMovement(b, op, results) ||
         convertElementwise(b, op, results);
}

//===----------------------------------------------------------------------===//
// Named operations
//===----------------------------------------------------------------------===//

/// Whether an operation has to be generalised before it converts. Those that call functions cannot be without these.
static bool isNamed(MlirOperation op) {
  MlirStringRef name = irOpName(op);
  return name.length > 7 && memcmp(name.data, "linalg.", 7) == 0 && mlirOperationGetNumRegions(op) == 1 &&
         !irOpIs(op, "linalg.generic") && !hasEffectsInside(op);
}

/// The values that an operation reads: its operands, and then values from outside in its regions.
typedef struct {
  MlirOperation op;
  MlirValue *values;
  intptr_t count, capacity;
} ReadValues;

static bool isWithin(MlirValue value, MlirOperation op) {
  MlirOperation at = mlirValueIsABlockArgument(value) ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                                                      : mlirOperationGetParentOperation(irDefiningOp(value));
  while (!mlirOperationIsNull(at) && !mlirOperationEqual(at, op))
    at = mlirOperationGetParentOperation(at);
  return !mlirOperationIsNull(at);
}

static MlirWalkResult collectReads(MlirOperation op, void *data) {
  ReadValues *reads = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirOperationEqual(op, reads->op) || !isWithin(irOperand(op, i), reads->op)) {
      IR_RESERVE_ONE(reads->values, reads->count, reads->capacity);
      reads->values[reads->count++] = irOperand(op, i);
    }
  return MlirWalkResultAdvance;
}

static ReadValues readsOf(MlirOperation op) {
  ReadValues reads = {.op = op};
  mlirOperationWalk(op, collectReads, &reads, MlirWalkPreOrder);
  return reads;
}

/// The arguments of a function for the values that a copy of an operation reads, in the same order.
typedef struct {
  MlirOperation copy;
  MlirBlock block;
  intptr_t count;
} Arguments;

static MlirWalkResult readArguments(MlirOperation op, void *data) {
  Arguments *arguments = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirOperationEqual(op, arguments->copy) || !isWithin(irOperand(op, i), arguments->copy))
      mlirOperationSetOperand(op, i, mlirBlockGetArgument(arguments->block, arguments->count++));
  return MlirWalkResultAdvance;
}

/// A function around a copy of the operation.
static void copyIntoFunction(IrBuilder *b, MlirOperation op, const char *name) {
  ReadValues reads = readsOf(op);
  intptr_t numResults = mlirOperationGetNumResults(op), count = reads.count + numResults;
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(count + 1));
  MlirValue *results = irAllocate(sizeof(MlirValue) * (size_t)(numResults + 1));
  for (intptr_t k = 0; k < count; ++k)
    types[k] = mlirValueGetType(k < reads.count ? reads.values[k] : irResult(op, k - reads.count));
  MlirType type = mlirFunctionTypeGet(b->context, reads.count, types, numResults, types + reads.count);
  MlirOperation function = irOpWithRegions(b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
                                           IR_ATTRS(irString(b, "sym_name", name), irType(b, "function_type", type)), 1,
                                           (IrTypes){reads.count, types});
  MlirOperation copy = mlirOperationClone(op);
  mlirBlockAppendOwnedOperation(irBody(function, 0), copy);
  Arguments arguments = {.copy = copy, .block = irBody(function, 0)};
  mlirOperationWalk(copy, readArguments, &arguments, MlirWalkPreOrder);
  for (intptr_t k = 0; k < numResults; ++k)
    results[k] = irResult(copy, k);
  IrBuilder end = irBuilderAtEnd(irBody(function, 0), b->loc);
  irOp(&end, "func.return", (IrValues){numResults, results}, IR_NO_TYPES, IR_NO_ATTRS);
  free(results);
  free(types);
  free(reads.values);
}

/// Copies of named operations, each in a function of a module of its own within `module`, where upstream makes them
/// linalg.generic; functions are in the order of the operations.
static MlirOperation generalise(StitchPassRun pass, MlirOperation module, const ConvertedOps *operations) {
  IrBuilder outside = irBuilderAtEnd(irBody(module, 0), mlirOperationGetLocation(module));
  MlirOperation copies =
      irOpWithRegions(&outside, "builtin.module", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS, 1, IR_NO_TYPES);
  for (intptr_t i = 0; i < operations->count; ++i) {
    if (!isNamed(operations->ops[i]))
      continue;
    char name[32];
    snprintf(name, sizeof(name), "f%" PRIdPTR, i);
    IrBuilder b = irBuilderAtEnd(irBody(copies, 0), mlirOperationGetLocation(operations->ops[i]));
    copyIntoFunction(&b, operations->ops[i], name);
  }
  if (mlirLogicalResultIsSuccess(stitchPassRunPipeline(pass, "linalg-generalize-named-ops", copies)))
    return copies;
  mlirOperationDestroy(copies);
  return (MlirOperation){NULL};
}

/// Converts a named operation by upstream's generalisation of its copy in `function`. If that does not convert, the
/// operation stays as it was.
static bool convertNamed(MlirOperation op, MlirOperation function) {
  ConvertedOps moved = {0};
  MlirBlock body = irBody(function, 0);
  ReadValues reads = readsOf(op);
  for (intptr_t i = 0; i < reads.count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), reads.values[i]);
  free(reads.values);
  MlirOperation terminator = mlirBlockGetTerminator(body), generic = {NULL};
  IR_FOR_EACH_OP_REPLACING(copy, body) {
    if (mlirOperationEqual(copy, terminator))
      break;
    mlirOperationMoveBefore(copy, op);
    IR_RESERVE_ONE(moved.ops, moved.count, moved.capacity);
    moved.ops[moved.count++] = generic = copy;
  }
  mlirOperationDestroy(terminator);
  bool success = !mlirOperationIsNull(generic) && irOpIs(generic, "linalg.generic");
  intptr_t numResults = success ? mlirOperationGetNumResults(op) : 0;
  MlirValue *results = irAllocate(sizeof(MlirValue) * (size_t)(numResults + 1));
  for (intptr_t i = 0; i < numResults; ++i) {
    results[i] = irResult(generic, i);
    mlirValueReplaceAllUsesOfWith(irResult(op, i), results[i]);
  }
  success = success && convertBy(generic, linalgConvertGeneric);
  for (intptr_t i = 0; !success && i < numResults; ++i)
    mlirValueReplaceAllUsesOfWith(results[i], irResult(op, i));
  if (success)
    mlirOperationDestroy(op);
  for (intptr_t i = moved.count - (success ? 1 : 0); i-- > 0;)
    if (!success || mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(moved.ops[i], 0))))
      mlirOperationDestroy(moved.ops[i]);
  free(results);
  free(moved.ops);
  return success;
}

/// Converts operations with a counterpart; the others stay in the list.
static Assertions convertAll(ConvertedOps *operations, MlirOperation copies) {
  Assertions assertions = {0};
  intptr_t left = 0;
  MlirOperation function = mlirBlockGetFirstOperation(irBody(copies, 0));
  for (intptr_t i = 0; i < operations->count; ++i) {
    MlirOperation op = operations->ops[i];
    bool named = isNamed(op);
    MlirLocation loc = mlirOperationGetLocation(op);
    int64_t numAssertions = countAssertions(op);
    if (!(named ? convertNamed(op, function) : convertBy(op, convertAny)))
      operations->ops[left++] = op;
    else if (numAssertions) {
      assertions.first = assertions.count ? assertions.first : loc;
      assertions.count += numAssertions;
    }
    if (named)
      function = irNextOp(function);
  }
  operations->count = left;
  return assertions;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MlirWalkResult collectConstants(MlirOperation op, void *data) {
  ConvertedOps *operations = data;
  if ((irOpIs(op, "arith.constant") || irOpIs(op, "tensor.empty")) &&
      linalgIsTensor(mlirValueGetType(irResult(op, 0)))) {
    IR_RESERVE_ONE(operations->ops, operations->count, operations->capacity);
    operations->ops[operations->count++] = op;
  }
  return MlirWalkResultAdvance;
}

/// Whether a use of a constant is a graph's: an operation of tg, or the return of a function whose block has such.
static bool isOfGraph(MlirOperation user) {
  if (!irOpIs(user, "func.return"))
    return tgKindOf(user) != TG_NONE;
  IR_FOR_EACH_OP(op, mlirOperationGetBlock(user))
    if (tgKindOf(op) != TG_NONE)
      return true;
  return false;
}

/// The elements of a constant; of a tensor that is to be written to, anything.
static MlirValue convertedConstant(IrBuilder *b, MlirOperation op) {
  MlirType type = mlirValueGetType(irResult(op, 0));
  return irOpIs(op, "tensor.empty")
             ? tgSplat(b, type, 0)
             : irValueOf(b, "tg.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", irGetAttr(op, "value"))));
}

/// Constants that graphs read or return are part of them; other operations keep those of arith.
static void convertConstants(MlirOperation module) {
  ConvertedOps constants = {0};
  mlirOperationWalk(module, collectConstants, &constants, MlirWalkPreOrder);
  for (intptr_t i = 0; i < constants.count; ++i) {
    MlirValue constant = irResult(constants.ops[i], 0), converted = {NULL};
    MlirOpOperand next;
    for (MlirOpOperand use = mlirValueGetFirstUse(constant); !mlirOpOperandIsNull(use); use = next) {
      next = mlirOpOperandGetNextUse(use);
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (!isOfGraph(user))
        continue;
      IrBuilder b = irBuilderAfter(constants.ops[i]);
      if (mlirValueIsNull(converted))
        converted = convertedConstant(&b, constants.ops[i]);
      mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), converted);
    }
  }
  free(constants.ops);
}

//===----------------------------------------------------------------------===//
// Updates in place
//===----------------------------------------------------------------------===//

static MlirWalkResult collectFunctions(MlirOperation op, void *data) {
  ConvertedOps *operations = data;
  if (irOpIs(op, "func.func") && !mlirBlockIsNull(irBody(op, 0))) {
    IR_RESERVE_ONE(operations->ops, operations->count, operations->capacity);
    operations->ops[operations->count++] = op;
  }
  return MlirWalkResultAdvance;
}

static bool materializes(MlirOperation op) {
  return irOpIs(op, "bufferization.materialize_in_destination") && mlirOperationGetNumResults(op) == 1;
}

/// Whether an argument is given a value that is returned as a result of its type, and nothing else.
static bool isReturnedUpdate(MlirOperation op) {
  MlirValue place = irOperand(op, 1), result = irResult(op, 0);
  return mlirTypeEqual(mlirValueGetType(place), mlirValueGetType(irOperand(op, 0))) &&
         mlirValueIsABlockArgument(place) && irHasOneUse(result) &&
         irOpIs(mlirOpOperandGetOwner(mlirValueGetFirstUse(result)), "func.return");
}

/// In a function that is nothing but a graph, such an argument is the result's destination. In others the operation
/// keeps its meaning for the bufferization that follows.
static void donateDestinations(MlirOperation function) {
  MlirBlock body = irBody(function, 0);
  IR_FOR_EACH_OP(op, body)
    if (tgKindOf(op) == TG_NONE && !irOpIs(op, "func.return") && !irOpIs(op, "tensor.empty") &&
        !irOpIs(op, "arith.constant") && !(materializes(op) && isReturnedUpdate(op)))
      return;
  IR_FOR_EACH_OP_REPLACING(op, body) {
    if (!materializes(op))
      continue;
    MlirContext context = mlirOperationGetContext(op);
    MlirAttribute result = irI64Attr(context, mlirOpOperandGetOperandNumber(mlirValueGetFirstUse(irResult(op, 0))));
    const char *const names[] = {IR_DONATED_ATTRIBUTE, IR_DESTINATION_ATTRIBUTE};
    for (int i = 0; i < 2; ++i)
      irSetBorderAttr(function, "arg_attrs", mlirBlockGetNumArguments(body),
                      mlirBlockArgumentGetArgNumber(irOperand(op, 1)), irNamed(context, names[i], result));
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), irOperand(op, 0));
    mlirOperationDestroy(op);
  }
}

static void donateAll(MlirOperation module) {
  ConvertedOps functions = {0};
  mlirOperationWalk(module, collectFunctions, &functions, MlirWalkPreOrder);
  for (intptr_t i = 0; i < functions.count; ++i)
    donateDestinations(functions.ops[i]);
  free(functions.ops);
}

//===----------------------------------------------------------------------===//
// Remaining operations
//===----------------------------------------------------------------------===//

static MlirWalkResult collectUnused(MlirOperation op, void *data) {
  ConvertedOps *operations = data;
  if ((irOpIs(op, "tensor.empty") || irOpIs(op, "arith.constant") || irOpIs(op, "complex.constant") ||
       irOpIs(op, "tensor.cast")) &&
      mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, 0)))) {
    IR_RESERVE_ONE(operations->ops, operations->count, operations->capacity);
    operations->ops[operations->count++] = op;
  }
  return MlirWalkResultAdvance;
}

static void eraseUnused(MlirOperation module) {
  ConvertedOps unused = {0};
  mlirOperationWalk(module, collectUnused, &unused, MlirWalkPreOrder);
  for (intptr_t i = 0; i < unused.count; ++i)
    mlirOperationDestroy(unused.ops[i]);
  free(unused.ops);
}

/// One remark for each name of operations that stay, at the first of them.
static void reportLeft(const ConvertedOps *left) {
  for (intptr_t i = 0; i < left->count; ++i) {
    MlirStringRef name = irOpName(left->ops[i]);
    int64_t count = 0;
    bool isFirst = true;
    for (intptr_t k = 0; k < left->count; ++k) {
      bool isSame = mlirStringRefEqual(irOpName(left->ops[k]), name);
      count += isSame;
      isFirst = isFirst && (!isSame || k >= i);
    }
    if (isFirst)
      stitchEmitRemark(mlirOperationGetLocation(left->ops[i]),
                       "convert-linalg-to-tg: %" PRId64
                       " of '%.*s' stay: tg has no counterpart of these forms or types",
                       count, (int)name.length, name.data);
  }
}

static void run(StitchPassRun pass, MlirOperation module) {
  ConvertedOps operations = {0};
  bool success = hintsTake(module) && linalgGiveSizes(pass, module, stitchPassGetString(pass, OPTION_DIMS));
  mlirOperationWalk(module, collectOp, &operations, MlirWalkPreOrder);
  intptr_t found = operations.count;
  MlirOperation copies = success ? generalise(pass, module, &operations) : (MlirOperation){NULL};
  if (!mlirOperationIsNull(copies)) {
    Assertions assertions = convertAll(&operations, copies);
    mlirOperationDestroy(copies);
    convertConstants(module);
    eraseUnused(module);
    donateAll(module);
    if (!stitchPassIsQuiet(pass))
      reportLeft(&operations);
    if (!stitchPassIsQuiet(pass) && assertions.count)
      stitchEmitRemark(assertions.first,
                       "convert-linalg-to-tg: %" PRId64
                       " assertions of bodies are gone: an index beyond a tensor is clamped",
                       assertions.count);
  } else {
    stitchPassSignalFailure(pass);
  }
  stitchPassAddStatistic(pass, 0, found - operations.count);
  stitchPassAddStatistic(pass, 1, operations.count);
  free(operations.ops);
}

static const StitchPassOption options[] = {
    {"dims", "sizes of open dimensions of arguments, such as b=8,arg1.0=4 (docs/dynamic_shapes.md)",
     STITCH_OPTION_STRING, 0, NULL},
};

static const StitchValidValues valid[] = {{"dims", LINALG_SIZES}};

static const StitchPassStatistic statistics[] = {
    {"converted-ops", "operations that became ones of tg"},
    {"left-ops", "operations that stay"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__,
                                                      mlirGetDialectHandle__tensor__, mlirGetDialectHandle__linalg__};

const StitchPassInfo convertLinalgToTGPass = {
    .argument = "convert-linalg-to-tg",
    .description = "Convert linalg, tensor, arith and math on tensors to tensor graphs, where they have counterparts",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "linalg|tensor|arith|math",
    .run = run,
};
