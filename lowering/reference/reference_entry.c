//===- reference_entry.c - the reference as a function of plain pointers -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a bufferized module whose public function @main has one block, takes inputs as buffers and results as buffers
// marked `bufferize.result` (buffer-results-to-out-params), and calls the private functions of `stitch.library`
// problems. Leaves
//
//   func.func @stitch_reference_main(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %calls: !llvm.ptr) -> i32
//
// in place of @main, whose buffers are casts of pointers (buffers_to_pointers.c): `inputs` and `outputs` point to arrays of data pointers (dense, row-major, an i1 in a byte). A
// call of
// @dot_N becomes one of the external function
//
//   i32 @stitchLibraryCall(%calls: !llvm.ptr, %index: i64, %pointers: !llvm.ptr)
//
// where `index` counts in the module attribute `stitch.library_calls` and `pointers` are the data of the operands. The
// result is 0, or the result of the first call that failed; loops then end.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

typedef struct {
  MlirOperation module;
  MlirOperation main;
  MlirBlock block;
  MlirType pointer;
  MlirType i32;
  MlirType i64;
  MlirValue inputs;
  MlirValue outputs;
  MlirValue calls;
  MlirValue status;       // where the status of the calls so far is kept
  IrMap libraryFunctions; // their numbers, by the symbols that refer to them
} EntryBuilder;

//===----------------------------------------------------------------------===//
// Buffers and pointers
//===----------------------------------------------------------------------===//

static MlirValue constantInt(IrBuilder *b, MlirType type, int64_t value) {
  return irValueOf(b, "llvm.mlir.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(b, "value", mlirIntegerAttrGet(type, value))));
}

/// The pointer to a dense buffer's data; stitch-buffers-to-pointers finds it.
static MlirValue pointerOf(const EntryBuilder *entry, IrBuilder *b, MlirValue buffer) {
  return irUnary(b, "builtin.unrealized_conversion_cast", buffer, entry->pointer);
}

/// The address of element `index` of an array of pointers.
static MlirValue elementAddress(const EntryBuilder *entry, IrBuilder *b, MlirValue array, int32_t index) {
  return irValueOf(b, "llvm.getelementptr", IR_VALUES(array), entry->pointer,
                   IR_ATTRS(irType(b, "elem_type", entry->pointer),
                            irAttr(b, "rawConstantIndices", mlirDenseI32ArrayGet(b->context, 1, &index))));
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

/// Functions @dot_N are declared in the order of `stitch.library_calls`.
static void numberLibraryFunctions(EntryBuilder *entry) {
  int64_t index = 0;
  IR_FOR_EACH_OP(op, irBody(entry->module, 0)) {
    if (!irOpIs(op, "func.func") || !irHasAttr(op, "stitch.library"))
      continue;
    MlirStringRef name = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
    MlirAttribute symbol = mlirFlatSymbolRefAttrGet(mlirOperationGetContext(op), name);
    irMapSet(&entry->libraryFunctions, symbol.ptr, index++);
  }
}

/// -1 if `callee` is no library function.
static int64_t libraryIndex(const EntryBuilder *entry, MlirAttribute callee) {
  return irMapGet(&entry->libraryFunctions, callee.ptr, -1);
}

/// Space on the stack for `count` values, taken once: at the beginning of the function.
static MlirValue stackSpace(const EntryBuilder *entry, MlirType type, int64_t count) {
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(entry->block));
  return irValueOf(&b, "llvm.alloca", IR_VALUES(constantInt(&b, entry->i64, count)), entry->pointer,
                   IR_ATTRS(irType(&b, "elem_type", type)));
}

static void storeValue(IrBuilder *b, MlirValue value, MlirValue address) {
  irOp(b, "llvm.store", IR_VALUES(value, address), IR_NO_TYPES, IR_NO_ATTRS);
}

static MlirValue loadStatus(const EntryBuilder *entry, IrBuilder *b) {
  return irUnary(b, "llvm.load", entry->status, entry->i32);
}

static MlirValue hasSucceeded(const EntryBuilder *entry, IrBuilder *b) {
  return irCmpI(b, IR_CMPI_EQ, loadStatus(entry, b), constantInt(b, entry->i32, 0));
}

static void convertCall(EntryBuilder *entry, MlirOperation call, int64_t index) {
  IrBuilder b = irBuilderBefore(call);
  intptr_t count = mlirOperationGetNumOperands(call);
  MlirValue pointers = stackSpace(entry, entry->pointer, count);
  for (intptr_t i = 0; i < count; ++i)
    storeValue(&b, pointerOf(entry, &b, irOperand(call, i)), elementAddress(entry, &b, pointers, (int32_t)i));
  MlirValue status = irValueOf(&b, "func.call", IR_VALUES(entry->calls, constantInt(&b, entry->i64, index), pointers),
                               entry->i32, IR_ATTRS(irSymbol(&b, "callee", "stitchLibraryCall")));
  storeValue(&b, irSelect(&b, hasSucceeded(entry, &b), status, loadStatus(entry, &b)), entry->status);
  mlirOperationDestroy(call);
}

static void declareLibraryCall(const EntryBuilder *entry) {
  IrBuilder b = irBuilderAtEnd(irBody(entry->module, 0), mlirOperationGetLocation(entry->module));
  MlirType inputs[] = {entry->pointer, entry->i64, entry->pointer};
  irOpWithEmptyRegion(&b, "func.func",
                      IR_ATTRS(irString(&b, "sym_name", "stitchLibraryCall"), irString(&b, "sym_visibility", "private"),
                               irType(&b, "function_type", mlirFunctionTypeGet(b.context, 3, inputs, 1, &entry->i32))));
}

/// The operations of @main that the entry changes: library calls, and the conditions of loops.
typedef struct {
  const EntryBuilder *entry;
  MlirOperation *ops;
  intptr_t count, capacity;
} Found;

static MlirWalkResult findCallsAndConditions(MlirOperation op, void *data) {
  Found *found = data;
  bool isCall = irOpIs(op, "func.call") && libraryIndex(found->entry, irGetAttr(op, "callee")) >= 0;
  if (isCall || irOpIs(op, "scf.condition")) {
    IR_RESERVE_ONE(found->ops, found->count, found->capacity);
    found->ops[found->count++] = op;
  }
  return MlirWalkResultAdvance;
}

/// A loop whose condition depends on a call that fails might never end.
static void endLoopOnFailure(const EntryBuilder *entry, MlirOperation condition) {
  IrBuilder b = irBuilderBefore(condition);
  mlirOperationSetOperand(condition, 0, irAndI(&b, irOperand(condition, 0), hasSucceeded(entry, &b)));
}

static void convertCalls(EntryBuilder *entry) {
  Found found = {.entry = entry};
  bool hasCalls = false;
  mlirOperationWalk(entry->main, findCallsAndConditions, &found, MlirWalkPreOrder);
  for (intptr_t i = 0; i < found.count; ++i) {
    if (irOpIs(found.ops[i], "scf.condition")) {
      endLoopOnFailure(entry, found.ops[i]);
      continue;
    }
    hasCalls = true;
    convertCall(entry, found.ops[i], libraryIndex(entry, irGetAttr(found.ops[i], "callee")));
  }
  if (hasCalls)
    declareLibraryCall(entry);
  free(found.ops);
}

/// The declarations @dot_N, which nothing calls any more.
static void eraseLibraryFunctions(const EntryBuilder *entry) {
  IR_FOR_EACH_OP_REPLACING(op, irBody(entry->module, 0)) {
    if (irOpIs(op, "func.func") && irHasAttr(op, "stitch.library"))
      mlirOperationDestroy(op);
  }
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// Whether argument `i` of @main is a result.
static bool isOutput(MlirOperation main, intptr_t i) {
  MlirAttribute attributes = irGetAttr(main, "arg_attrs");
  if (mlirAttributeIsNull(attributes) || i >= mlirArrayAttrGetNumElements(attributes))
    return false;
  MlirAttribute ofArgument = mlirArrayAttrGetElement(attributes, i);
  return !mlirAttributeIsNull(
      mlirDictionaryAttrGetElementByName(ofArgument, mlirStringRefCreateFromCString("bufferize.result")));
}

static void replaceArguments(EntryBuilder *entry, MlirLocation loc) {
  intptr_t count = mlirBlockGetNumArguments(entry->block);
  entry->inputs = mlirBlockAddArgument(entry->block, entry->pointer, loc);
  entry->outputs = mlirBlockAddArgument(entry->block, entry->pointer, loc);
  entry->calls = mlirBlockAddArgument(entry->block, entry->pointer, loc);
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(entry->block));
  entry->status = irValueOf(&b, "llvm.alloca", IR_VALUES(constantInt(&b, entry->i64, 1)), entry->pointer,
                            IR_ATTRS(irType(&b, "elem_type", entry->i32)));
  storeValue(&b, constantInt(&b, entry->i32, 0), entry->status);
  int32_t numInputs = 0;
  int32_t numOutputs = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry->block, i);
    MlirValue address = isOutput(entry->main, i) ? elementAddress(entry, &b, entry->outputs, numOutputs++)
                                                 : elementAddress(entry, &b, entry->inputs, numInputs++);
    MlirValue pointer = irUnary(&b, "llvm.load", address, entry->pointer);
    MlirValue buffer = irUnary(&b, "builtin.unrealized_conversion_cast", pointer, mlirValueGetType(argument));
    mlirValueReplaceAllUsesOfWith(argument, buffer);
  }
  for (intptr_t i = count; i-- > 0;)
    mlirBlockEraseArgument(entry->block, (unsigned)i);
}

static void replaceSignature(const EntryBuilder *entry) {
  MlirType inputs[] = {entry->pointer, entry->pointer, entry->pointer};
  MlirContext context = mlirOperationGetContext(entry->main);
  irSetAttr(entry->main, "sym_name", irStringAttr(context, "stitch_reference_main"));
  irSetAttr(entry->main, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(context, 3, inputs, 1, &entry->i32)));
  mlirOperationRemoveAttributeByName(entry->main, mlirStringRefCreateFromCString("arg_attrs"));
  MlirOperation end = mlirBlockGetTerminator(entry->block);
  IrBuilder b = irBuilderBefore(end);
  irOp(&b, "func.return", IR_VALUES(loadStatus(entry, &b)), IR_NO_TYPES, IR_NO_ATTRS);
  mlirOperationDestroy(end);
}

typedef struct {
  const EntryBuilder *entry;
  bool found;
} StrayCalls;

static bool isInMain(const EntryBuilder *entry, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !irOpIs(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationEqual(op, entry->main);
}

static MlirWalkResult findStrayCall(MlirOperation op, void *data) {
  StrayCalls *stray = data;
  if (!irOpIs(op, "func.call") || libraryIndex(stray->entry, irGetAttr(op, "callee")) < 0 || isInMain(stray->entry, op))
    return MlirWalkResultAdvance;
  stitchEmitOpError(op, "calls a library from elsewhere than @main: inline functions first");
  stray->found = true;
  return MlirWalkResultInterrupt;
}

/// Whether all library calls are in @main, which has the runtime's context.
static bool checkCalls(const EntryBuilder *entry) {
  StrayCalls stray = {entry, false};
  mlirOperationWalk(entry->module, findStrayCall, &stray, MlirWalkPreOrder);
  return !stray.found;
}

/// Reports why @main cannot become the entry.
static bool checkMain(MlirOperation module, MlirOperation main) {
  if (mlirOperationIsNull(main)) {
    stitchEmitError(mlirOperationGetLocation(module), "the module has no function @main to make the reference of");
    return false;
  }
  MlirType type = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  MlirBlock block = irBody(main, 0);
  if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block))) {
    stitchEmitOpError(main, "must have exactly one block to become the reference");
    return false;
  }
  if (mlirFunctionTypeGetNumResults(type) > 0) {
    stitchEmitOpError(main, "returns values: buffer-results-to-out-params must make arguments of them first");
    return false;
  }
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    MlirType input = mlirFunctionTypeGetInput(type, i);
    if (mlirTypeIsAMemRef(input) && mlirShapedTypeHasStaticShape(input) &&
        mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(input)))
      continue;
    char *text = irTypeText(input);
    stitchEmitOpError(main, "argument %ld of type %s is not a dense buffer", (long)i, text);
    free(text);
    return false;
  }
  return true;
}

static void convert(EntryBuilder *entry) {
  replaceArguments(entry, mlirOperationGetLocation(entry->main));
  convertCalls(entry);
  replaceSignature(entry);
  eraseLibraryFunctions(entry);
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  EntryBuilder entry = {.module = module,
                        .main = irFindFunction(module, "main"),
                        .pointer = mlirLLVMPointerTypeGet(context, 0),
                        .i32 = mlirIntegerTypeGet(context, 32),
                        .i64 = mlirIntegerTypeGet(context, 64)};
  numberLibraryFunctions(&entry);
  bool isRight = checkMain(module, entry.main) && checkCalls(&entry);
  if (isRight) {
    entry.block = irBody(entry.main, 0);
    convert(&entry);
  } else {
    stitchPassSignalFailure(pass);
  }
  irMapDestroy(&entry.libraryFunctions);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__func__,
                                                      mlirGetDialectHandle__llvm__};

const StitchPassInfo referenceEntryPass = {
    .argument = "stitch-reference-entry",
    .description = "Make @main a function of plain pointers that calls libraries through the runtime",
    .anchor = "builtin.module",
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
