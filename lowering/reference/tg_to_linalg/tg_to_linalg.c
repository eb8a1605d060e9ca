//===- tg_to_linalg.c - tensor graphs to linalg on tensors ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of functions of tg operations on tensors of static shape (docs/ir.md, section 1). Leaves
// linalg.generic, tensor, arith, math and scf operations, and calls of private functions `@dot_N` for large dots, if
// such are asked for. The module attribute `stitch.library_calls` is the list of their problems. Unsigned integers
// become signless in all types. Operations of other dialects stay; where such have regions or several blocks are
// around, graphs are converted in their places, and functions keep their types. This is the beginning of the reference
// path: each operation is lowered by itself and shares nothing with the stitching passes.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/embedded.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/scalar/narrow.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Bufferization.h"
#include "mlir-c/Dialect/Complex.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The operation is erased when all of its block are lowered: later ones may still use its results.
static void eraseLater(Conversion *conversion, MlirOperation op) {
  IR_RESERVE_ONE(conversion->replaced, conversion->numReplaced, conversion->replacedCapacity);
  conversion->replaced[conversion->numReplaced++] = op;
}

static bool isSupportedElement(MlirType type) {
  if (mlirTypeIsAF64(type) || mlirTypeIsAF32(type) || mlirTypeIsAF16(type) || mlirTypeIsABF16(type))
    return true;
  if (scalarIsSmallFloat(type) || mlirTypeIsAComplex(type))
    return true;
  if (!irIsInteger(type) || mlirIntegerTypeIsSigned(type))
    return false;
  unsigned width = mlirIntegerTypeGetWidth(type);
  return width == 1 || width == 2 || width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
}

/// Reports a value's type that the pass cannot handle.
static bool checkType(MlirOperation op, const char *what, intptr_t number, MlirType type) {
  const char *problem = NULL;
  if (!mlirTypeIsARankedTensor(type))
    problem = "is not a ranked tensor";
  else if (!mlirShapedTypeHasStaticShape(type))
    problem = "has a dynamic shape";
  else if (mlirShapedTypeGetRank(type) > IR_MAX_RANK)
    problem = "has too many dimensions";
  else if (!isSupportedElement(irElementType(type)))
    problem = "has an element type without a lowering to linalg";
  if (!problem)
    return true;
  char *text = irTypeText(type);
  stitchEmitOpError(op, "%s %ld of type %s %s", what, (long)number, text, problem);
  free(text);
  return false;
}

static bool checkTypes(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!checkType(op, "operand", i, mlirValueGetType(irOperand(op, i))))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!checkType(op, "result", i, mlirValueGetType(irResult(op, i))))
      return false;
  return true;
}

typedef MlirValue (*LowerOperation)(const Lowering *l);
typedef bool (*LowerOperations)(const Lowering *l, MlirValue *results);

/// The function that lowers `kind`, which has one result; NULL if the pass does not handle it.
static LowerOperation functionFor(TgKind kind) {
  switch (kind) {
  case TG_bitcast_convert:
    return lowerBitcast;
  case TG_constant:
    return lowerConstant;
  case TG_iota:
    return lowerIota;
  case TG_reshape:
    return lowerReshape;
  case TG_broadcast:
    return lowerBroadcast;
  case TG_transpose:
    return lowerTranspose;
  case TG_reverse:
    return lowerReverse;
  case TG_slice:
    return lowerSlice;
  case TG_pad:
    return lowerPad;
  case TG_concatenate:
    return lowerConcatenate;
  case TG_dynamic_slice:
    return lowerDynamicSlice;
  case TG_dynamic_update_slice:
    return lowerDynamicUpdateSlice;
  case TG_gather:
    return lowerGather;
  case TG_reduce:
    return lowerReduce;
  case TG_dot:
    return lowerDot;
  case TG_convolution:
    return lowerConvolution;
  case TG_fft:
    return lowerFft;
  case TG_cholesky:
    return lowerCholesky;
  case TG_triangular_solve:
    return lowerTriangularSolve;
  case TG_all_gather:
  case TG_all_reduce:
  case TG_all_to_all:
  case TG_collective_broadcast:
  case TG_collective_permute:
  case TG_process_id:
  case TG_reduce_scatter:
    return lowerCollective;
  case TG_scatter:
    return lowerScatter;
  case TG_reduce_window:
    return lowerReduceWindow;
  case TG_select_and_scatter:
    return lowerSelectAndScatter;
  case TG_general_select_and_scatter:
    return lowerGeneralSelectAndScatter;
  case TG_cumulative:
    return lowerCumulative;
  default:
    return tgClassOfKind(kind) == TG_CLASS_ELEMENTWISE ? lowerElementwise : NULL;
  }
}

/// The function that lowers `kind`, which has any number of results; NULL if the pass does not handle it.
static LowerOperations functionForMany(TgKind kind) {
  switch (kind) {
  case TG_arg_reduce:
    return lowerArgReduce;
  case TG_general_cumulative:
    return lowerGeneralCumulative;
  case TG_general_reduce:
    return lowerGeneralReduce;
  case TG_general_reduce_window:
    return lowerGeneralReduceWindow;
  case TG_general_scatter:
    return lowerGeneralScatter;
  case TG_sort:
    return lowerSort;
  case TG_top_k:
    return lowerTopK;
  case TG_while:
    return lowerWhile;
  case TG_if:
    return lowerIf;
  case TG_case:
    return lowerCase;
  case TG_optimization_barrier:
    return lowerOptimizationBarrier;
  default:
    return NULL;
  }
}

static void reportTypes(Conversion *conversion, MlirOperation op) {
  if (conversion->hasReported)
    return;
  char *text = irTypeText(mlirValueGetType(mlirOperationGetNumOperands(op) ? irOperand(op, 0) : irResult(op, 0)));
  stitchEmitOpError(op, "has no lowering to linalg for %s", text);
  free(text);
}

static bool lowerOperation(Conversion *conversion, MlirOperation op, TgKind kind) {
  IrBuilder b = irBuilderBefore(op);
  Lowering l = {conversion, op, &b};
  LowerOperation lower = functionFor(kind);
  LowerOperations lowerMany = functionForMany(kind);
  if (kind == TG_custom_call) {
    MlirStringRef target = mlirStringAttrGetValue(irGetAttr(op, "call_target_name"));
    stitchEmitOpError(op, "calls '%.*s', which is no function that Stitch knows", (int)target.length, target.data);
  } else if (!lower && !lowerMany) {
    bool isOpened = tgClassOfKind(kind) == TG_CLASS_COMPOUND || kind == TG_rng || kind == TG_rng_bit_generator;
    stitchEmitOpError(op, "has no lowering to linalg%s", isOpened ? ": run tg-decompose first" : "");
  }
  if ((!lower && !lowerMany) || !checkTypes(op)) {
    conversion->hasReported = true;
    return false;
  }
  intptr_t numResults = mlirOperationGetNumResults(op);
  MlirValue *results = irAllocate(sizeof(MlirValue) * (size_t)(numResults + 1));
  results[0] = (MlirValue){NULL};
  if (lower)
    results[0] = lower(&l);
  bool succeeded = lower ? !mlirValueIsNull(results[0]) : lowerMany(&l, results);
  succeeded = succeeded && !conversion->hasReported;
  if (!succeeded)
    reportTypes(conversion, op);
  for (intptr_t i = 0; succeeded && i < numResults; ++i)
    replaceValue(conversion, irResult(op, i), results[i]);
  free(results);
  if (succeeded)
    eraseLater(conversion, op);
  else
    conversion->hasReported = true;
  return succeeded;
}

/// An operation of another dialect stays; if it has unsigned results (a call) it is created anew with signless ones.
static void convertForeignOperation(Conversion *conversion, MlirOperation op) {
  intptr_t numResults = mlirOperationGetNumResults(op);
  bool changes = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, loweredValue(conversion, irOperand(op, i)));
  for (intptr_t i = 0; i < numResults; ++i) {
    MlirType type = mlirValueGetType(irResult(op, i));
    changes = changes || !mlirTypeEqual(type, storageType(type));
  }
  if (!changes)
    return;
  MlirOperation signless = mlirOperationClone(op);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, signless);
  for (intptr_t i = 0; i < numResults; ++i) {
    mlirValueSetType(irResult(signless, i), storageType(mlirValueGetType(irResult(signless, i))));
    replaceValue(conversion, irResult(op, i), irResult(signless, i));
  }
  eraseLater(conversion, op);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static MlirType storageFunctionType(MlirType type) {
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(type);
  intptr_t numResults = mlirFunctionTypeGetNumResults(type);
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(numInputs + numResults + 1));
  for (intptr_t i = 0; i < numInputs; ++i)
    types[i] = storageType(mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < numResults; ++i)
    types[numInputs + i] = storageType(mlirFunctionTypeGetResult(type, i));
  type = mlirFunctionTypeGet(mlirTypeGetContext(type), numInputs, types, numResults, types + numInputs);
  free(types);
  return type;
}

static void convertSignature(MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  irSetAttr(function, "function_type", mlirTypeAttrGet(storageFunctionType(type)));
}

/// Gives the block signless arguments in addition to the original ones, which stay until all operations are lowered.
static void addSignlessArguments(Conversion *conversion, MlirBlock block, MlirLocation loc) {
  intptr_t count = mlirBlockGetNumArguments(block);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue original = mlirBlockGetArgument(block, i);
    replaceValue(conversion, original, mlirBlockAddArgument(block, storageType(mlirValueGetType(original)), loc));
  }
}

/// Erases the operations that were replaced since there were `numBefore` such operations, users first.
static void eraseReplaced(Conversion *conversion, intptr_t numBefore) {
  while (conversion->numReplaced > numBefore)
    mlirOperationDestroy(conversion->replaced[--conversion->numReplaced]);
}

static bool lowerOperationsFrom(Conversion *conversion, MlirOperation first) {
  intptr_t numBefore = conversion->numReplaced;
  MlirOperation next;
  for (MlirOperation op = first; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    TgKind kind = tgKindOf(op);
    if (kind == TG_NONE)
      convertForeignOperation(conversion, op);
    else if (!lowerOperation(conversion, op, kind))
      return false;
  }
  eraseReplaced(conversion, numBefore);
  return true;
}

static bool convertBlock(Conversion *conversion, MlirBlock block, MlirLocation loc) {
  intptr_t numArguments = mlirBlockGetNumArguments(block);
  addSignlessArguments(conversion, block, loc);
  if (!lowerOperationsFrom(conversion, mlirBlockGetFirstOperation(block)))
    return false;
  for (intptr_t i = numArguments; i-- > 0;)
    mlirBlockEraseArgument(block, (unsigned)i);
  return true;
}

static bool convertFunction(Conversion *conversion, MlirOperation function) {
  MlirBlock block = irBody(function, 0);
  convertSignature(function);
  return mlirBlockIsNull(block) || convertBlock(conversion, block, mlirOperationGetLocation(function));
}

/// Whether a function has one block, and no operations of other dialects that have regions.
static bool isStraight(MlirOperation function) {
  MlirBlock block = irBody(function, 0);
  if (mlirBlockIsNull(block))
    return true;
  IR_FOR_EACH_OP(op, block)
    if (tgKindOf(op) == TG_NONE && mlirOperationGetNumRegions(op) > 0)
      return false;
  return mlirBlockIsNull(mlirBlockGetNextInRegion(block));
}

//===----------------------------------------------------------------------===//
// Graphs between operations of other dialects
//===----------------------------------------------------------------------===//

typedef struct {
  Conversion *conversion;
  MlirOperation around; ///< of the module
} LoopEmbedding;

/// A value as one of another type with the same bits: linalg knows no unsigned integers.
static MlirValue asType(IrBuilder *b, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : irUnary(b, "tensor.bitcast", value, type);
}

/// Puts the lowered body of a function in front of `before`, with its results in the place of those of `placeholder`.
static void inlineFunction(const IrEmbeddedGraph *graph, MlirOperation function, MlirOperation placeholder) {
  IrBuilder b = irBuilderBefore(placeholder);
  MlirBlock body = irBody(function, 0);
  for (intptr_t i = 0; i < graph->numInputs; ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    mlirValueReplaceAllUsesOfWith(argument, asType(&b, graph->inputs[i], mlirValueGetType(argument)));
  }
  MlirOperation terminator = mlirBlockGetTerminator(body);
  IR_FOR_EACH_OP_REPLACING(op, body) {
    if (mlirOperationEqual(op, terminator))
      break;
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(placeholder), placeholder, op);
  }
  for (intptr_t i = 0; i < graph->numOutputs; ++i) {
    MlirValue result = irResult(placeholder, i);
    mlirValueReplaceAllUsesOfWith(result, asType(&b, irOperand(terminator, i), mlirValueGetType(result)));
  }
  mlirOperationDestroy(placeholder);
  mlirOperationDestroy(function);
}

/// Converts a graph as a function, for a time.
static bool convertEmbedded(IrEmbeddedGraph *graph, void *data) {
  LoopEmbedding *e = data;
  MlirLocation loc = mlirOperationGetLocation(graph->ops[0]);
  IrBuilder b = mlirOperationIsNull(graph->before) ? irBuilderAtEnd(graph->block, loc) : irBuilderBefore(graph->before);
  b.loc = loc;
  intptr_t count = graph->numOutputs;
  MlirType *types = irAllocate(sizeof(MlirType) * (size_t)(count + 1));
  MlirValue *values = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(graph->outputs[i]);
  MlirOperation placeholder = irOp(&b, "builtin.unrealized_conversion_cast",
                                   (IrValues){graph->numInputs, graph->inputs}, (IrTypes){count, types}, IR_NO_ATTRS);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irResult(placeholder, i);
  IrBuilder outside = irBuilderBefore(e->around);
  MlirOperation function = irOutlineEmbeddedGraph(graph, &outside, "stitch.graph");
  irReplaceOutputs(graph, values);
  free(types);
  free(values);
  bool success = convertFunction(e->conversion, function);
  if (success)
    inlineFunction(graph, function, placeholder);
  irMapDestroy(&e->conversion->indexOfValue); // other operations will have the addresses
  e->conversion->numValues = 0;
  return success;
}

static bool convertAround(Conversion *conversion, MlirOperation op) {
  LoopEmbedding e = {conversion, op};
  IrGraphFinder finder = {.visit = convertEmbedded, .data = &e};
  return irForEachEmbeddedGraph(op, &finder);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void recordLibraryCalls(const Conversion *conversion) {
  if (conversion->numProblems == 0)
    return;
  MlirAttribute *problems = irAllocate(sizeof(MlirAttribute) * (size_t)conversion->numProblems);
  for (intptr_t i = 0; i < conversion->numProblems; ++i)
    problems[i] = conversion->problems[i].problem;
  MlirContext context = mlirOperationGetContext(conversion->module);
  irSetAttr(conversion->module, "stitch.library_calls", mlirArrayAttrGet(context, conversion->numProblems, problems));
  free(problems);
}

/// Each module in a module has functions of its own that libraries compute.
static bool convertModule(StitchPassRun pass, MlirOperation module) {
  Conversion conversion = {
      .module = module, .libraryDotMinFlops = stitchPassGetInt(pass, 0), .lowerOperationsFrom = lowerOperationsFrom};
  bool succeeded = true;
  IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
    if (!succeeded || irHasAttr(op, "stitch.library"))
      continue;
    if (irOpIs(op, "builtin.module")) {
      succeeded = convertModule(pass, op);
      continue;
    }
    bool isFunction = irOpIs(op, "func.func") && isStraight(op);
    succeeded = isFunction ? convertFunction(&conversion, op) : convertAround(&conversion, op);
    if (succeeded)
      irMaterializeDestinations(op);
  }
  if (succeeded)
    recordLibraryCalls(&conversion);
  irMapDestroy(&conversion.indexOfValue);
  free(conversion.values);
  free(conversion.replaced);
  free(conversion.problems);
  return succeeded;
}

static void run(StitchPassRun pass, MlirOperation module) {
  if (!convertModule(pass, module))
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__arith__,  mlirGetDialectHandle__bufferization__, mlirGetDialectHandle__complex__,
    mlirGetDialectHandle__func__,   mlirGetDialectHandle__linalg__,        mlirGetDialectHandle__math__,
    mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__,           mlirGetDialectHandle__tensor__,
};

static const StitchPassOption options[] = {
    {"library-dot-min-flops", "dots of at least so many floating-point operations are left to a library",
     STITCH_OPTION_INT, INT64_MAX, NULL},
};

static const StitchValidValues valid[] = {{"library-dot-min-flops", "0.."}};

const StitchPassInfo convertTgToLinalgPass = {
    .argument = "convert-tg-to-linalg",
    .description = "Lower tensor graphs to linalg on tensors, large dots to library calls (the reference path)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = 1,
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = run,
};
