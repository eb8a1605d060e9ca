//===- buffers_to_pointers.c - dense buffers as pointers -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the module that stitch-reference-entry leaves, with casts between buffers and pointers. Leaves
//
// - arguments of private functions that are dense buffers of known sizes as pointers, and calls that pass pointers,
// - calls of @malloc and @free for allocations, and llvm.intr.memcpy for copies, of such buffers,
// - MLIR's descriptor of a buffer where an operation needs one: each function of loops makes those of its arguments.
//
// A descriptor has seven members or more. Passed as arguments, and made for each buffer of a model, they were
// seven eighths of @main for an optimiser's step. LLVM's time grows faster than the size of a function.
//
//===----------------------------------------------------------------------===//

#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/map.h"
#include "ir/mlir/query.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

#define CAST "builtin.unrealized_conversion_cast"

/// The module's operations that the pass looks at, in the order of the text.
typedef struct {
  MlirOperation module;
  MlirType pointer;
  MlirType i64;
  MlirOperation *ops;
  intptr_t count, capacity;
} Rewriting;

/// The bytes of a buffer; -1 if its elements have no size that is known here. An index has 64 bits.
static int64_t bytesOfBuffer(MlirType type) {
  if (mlirTypeIsAIndex(irElementType(type)))
    return irNumElements(irTypeShape(type)) * (int64_t)sizeof(int64_t);
  return irElementBytes(irElementType(type)) > 0 ? irTensorBytes(type) : -1;
}

/// Whether a value of the type is a dense row-major buffer of known sizes.
static bool isDenseBuffer(MlirType type) {
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) && bytesOfBuffer(type) >= 0 &&
         bytesOfBuffer(type) < INT64_MAX;
}

static MlirValue constantI64(const Rewriting *r, IrBuilder *b, int64_t value) {
  return irValueOf(b, "llvm.mlir.constant", IR_NO_VALUES, r->i64,
                   IR_ATTRS(irAttr(b, "value", mlirIntegerAttrGet(r->i64, value))));
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// The struct to which MLIR lowers a memref of that rank: two pointers, offset, sizes, strides.
static MlirType descriptorType(const Rewriting *r, intptr_t rank) {
  MlirType dims = mlirLLVMArrayTypeGet(r->i64, (unsigned)rank);
  MlirType members[] = {r->pointer, r->pointer, r->i64, dims, dims};
  return mlirLLVMStructTypeLiteralGet(mlirTypeGetContext(r->i64), rank ? 5 : 3, members, false);
}

static MlirValue insertMember(IrBuilder *b, MlirValue descriptor, MlirValue member, intptr_t count,
                              const int64_t *position) {
  return irValueOf(b, "llvm.insertvalue", IR_VALUES(descriptor, member), mlirValueGetType(descriptor),
                   IR_ATTRS(irDims(b, "position", count, position)));
}

/// The descriptor of a dense buffer of this type at a pointer.
static MlirValue descriptorAt(const Rewriting *r, IrBuilder *b, MlirType type, MlirValue pointer) {
  IrShape shape = irTypeShape(type);
  IrShape strides = irStrides(shape);
  MlirValue descriptor = irValueOf(b, "llvm.mlir.poison", IR_NO_VALUES, descriptorType(r, shape.rank), IR_NO_ATTRS);
  for (int64_t i = 0; i < 2; ++i)
    descriptor = insertMember(b, descriptor, pointer, 1, &i);
  descriptor = insertMember(b, descriptor, constantI64(r, b, 0), 1, (const int64_t[]){2});
  for (int64_t i = 0; i < shape.rank; ++i) {
    descriptor = insertMember(b, descriptor, constantI64(r, b, shape.dims[i]), 2, (const int64_t[]){3, i});
    descriptor = insertMember(b, descriptor, constantI64(r, b, strides.dims[i]), 2, (const int64_t[]){4, i});
  }
  return descriptor;
}

/// Makes a descriptor of a cast from a pointer to a buffer, or takes the pointer of a cast the other way from the
/// descriptor. Erases the cast.
static void expandCast(const Rewriting *r, MlirOperation cast) {
  MlirValue operand = irOperand(cast, 0);
  MlirValue result = irResult(cast, 0);
  IrBuilder b = irBuilderBefore(cast);
  MlirType type = mlirValueGetType(result);
  MlirValue found;
  if (mlirTypeEqual(type, r->pointer)) {
    MlirValue descriptor = irUnary(&b, CAST, operand, descriptorType(r, irShapeOf(operand).rank));
    found = irValueOf(&b, "llvm.extractvalue", IR_VALUES(descriptor), type,
                      IR_ATTRS(irDims(&b, "position", 1, (const int64_t[]){1})));
  } else {
    found = irUnary(&b, CAST, descriptorAt(r, &b, type, operand), type);
  }
  mlirValueReplaceAllUsesOfWith(result, found);
  mlirOperationDestroy(cast);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static bool isCastFromPointer(const Rewriting *r, MlirOperation op) {
  return irOpIs(op, CAST) && mlirTypeEqual(mlirValueGetType(irOperand(op, 0)), r->pointer);
}

static bool isCastToPointer(const Rewriting *r, MlirOperation op) {
  return irOpIs(op, CAST) && mlirTypeEqual(mlirValueGetType(irResult(op, 0)), r->pointer);
}

/// The pointer to a buffer's data: the one that it was cast from, or a cast of it.
static MlirValue pointerOf(const Rewriting *r, IrBuilder *b, MlirValue buffer) {
  MlirOperation op = irDefiningOp(buffer);
  if (!mlirOperationIsNull(op) && isCastFromPointer(r, op))
    return irOperand(op, 0);
  return irUnary(b, CAST, buffer, r->pointer);
}

static MlirWalkResult collectOp(MlirOperation op, void *data) {
  Rewriting *r = data;
  IR_RESERVE_ONE(r->ops, r->count, r->capacity);
  r->ops[r->count++] = op;
  return MlirWalkResultAdvance;
}

static void collectOps(Rewriting *r) {
  r->count = 0;
  mlirOperationWalk(r->module, collectOp, r, MlirWalkPreOrder);
}

/// Casts from pointers go where no operation needs the buffer, and all others are expanded.
static void resolveCasts(Rewriting *r) {
  collectOps(r);
  for (intptr_t i = 0; i < r->count; ++i) {
    if (!isCastToPointer(r, r->ops[i]))
      continue;
    MlirOperation source = irDefiningOp(irOperand(r->ops[i], 0));
    if (mlirOperationIsNull(source) || !isCastFromPointer(r, source)) {
      expandCast(r, r->ops[i]);
      continue;
    }
    mlirValueReplaceAllUsesOfWith(irResult(r->ops[i], 0), irOperand(source, 0));
    mlirOperationDestroy(r->ops[i]);
  }
  collectOps(r);
  for (intptr_t i = 0; i < r->count; ++i) {
    if (!isCastFromPointer(r, r->ops[i]))
      continue;
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(r->ops[i], 0))))
      mlirOperationDestroy(r->ops[i]);
    else
      expandCast(r, r->ops[i]);
  }
}

//===----------------------------------------------------------------------===//
// Allocations and copies
//===----------------------------------------------------------------------===//

static void declare(const Rewriting *r, const char *name, const char *type) {
  if (!mlirOperationIsNull(irFindFunction(r->module, name)))
    return;
  IrBuilder b = irBuilderAtEnd(irBody(r->module, 0), mlirOperationGetLocation(r->module));
  irOpWithEmptyRegion(
      &b, "llvm.func",
      IR_ATTRS(irString(&b, "sym_name", name), irType(&b, "function_type", irParseType(b.context, "%s", type))));
}

static MlirOperation callLibrary(IrBuilder *b, const char *callee, MlirValue operand, IrTypes results) {
  return irOp(b, "llvm.call", IR_VALUES(operand), results,
              IR_ATTRS(irSymbol(b, "callee", callee),
                       irAttr(b, "operandSegmentSizes", mlirDenseI32ArrayGet(b->context, 2, (const int32_t[]){1, 0})),
                       irAttr(b, "op_bundle_sizes", mlirDenseI32ArrayGet(b->context, 0, NULL))));
}

/// A buffer without elements has a byte, as @malloc may give no address for none.
static void convertAllocation(const Rewriting *r, MlirOperation alloc) {
  IrBuilder b = irBuilderBefore(alloc);
  MlirType type = mlirValueGetType(irResult(alloc, 0));
  int64_t bytes = bytesOfBuffer(type);
  MlirOperation call = callLibrary(&b, "malloc", constantI64(r, &b, bytes ? bytes : 1), (IrTypes){1, &r->pointer});
  mlirValueReplaceAllUsesOfWith(irResult(alloc, 0), irUnary(&b, CAST, irResult(call, 0), type));
  mlirOperationDestroy(alloc);
}

static void convertRelease(const Rewriting *r, MlirOperation dealloc) {
  IrBuilder b = irBuilderBefore(dealloc);
  callLibrary(&b, "free", pointerOf(r, &b, irOperand(dealloc, 0)), IR_NO_TYPES);
  mlirOperationDestroy(dealloc);
}

static void convertCopy(const Rewriting *r, MlirOperation copy) {
  IrBuilder b = irBuilderBefore(copy);
  MlirValue from = pointerOf(r, &b, irOperand(copy, 0));
  MlirValue to = pointerOf(r, &b, irOperand(copy, 1));
  MlirValue bytes = constantI64(r, &b, bytesOfBuffer(mlirValueGetType(irOperand(copy, 0))));
  irOp(&b, "llvm.intr.memcpy", IR_VALUES(to, from, bytes), IR_NO_TYPES, IR_ATTRS(irI1(&b, "isVolatile", false)));
  mlirOperationDestroy(copy);
}

static void convertMemory(Rewriting *r) {
  collectOps(r);
  for (intptr_t i = 0; i < r->count; ++i) {
    MlirOperation op = r->ops[i];
    if (irOpIs(op, "memref.alloc") && isDenseBuffer(mlirValueGetType(irResult(op, 0))))
      convertAllocation(r, op);
    else if (irOpIs(op, "memref.dealloc") && isDenseBuffer(mlirValueGetType(irOperand(op, 0))))
      convertRelease(r, op);
    else if (irOpIs(op, "memref.copy") && isDenseBuffer(mlirValueGetType(irOperand(op, 0))) &&
             isDenseBuffer(mlirValueGetType(irOperand(op, 1))))
      convertCopy(r, op);
  }
}

//===----------------------------------------------------------------------===//
// Functions and calls
//===----------------------------------------------------------------------===//

static bool isPrivateDefinition(MlirOperation op) {
  MlirAttribute visibility = irGetAttr(op, "sym_visibility");
  return irOpIs(op, "func.func") && !mlirAttributeIsNull(visibility) && !mlirBlockIsNull(irBody(op, 0)) &&
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("private"));
}

/// Replaces dense arguments of a private function by pointers.
static void convertSignature(const Rewriting *r, MlirOperation function) {
  MlirBlock body = irBody(function, 0);
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  intptr_t count = mlirFunctionTypeGetNumInputs(type);
  MlirType *inputs = irAllocate(sizeof(MlirType) * (size_t)(count + 1));
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(body));
  for (intptr_t i = 0; i < count; ++i) {
    inputs[i] = mlirFunctionTypeGetInput(type, i);
    if (!isDenseBuffer(inputs[i]))
      continue;
    MlirValue argument = mlirBlockGetArgument(body, i);
    MlirValue buffer = irUnary(&b, CAST, argument, inputs[i]);
    MlirOperation cast = mlirOpResultGetOwner(buffer);
    mlirValueReplaceAllUsesOfWith(argument, buffer);
    mlirOperationSetOperand(cast, 0, argument);
    mlirValueSetType(argument, r->pointer);
    inputs[i] = r->pointer;
  }
  intptr_t numResults = mlirFunctionTypeGetNumResults(type);
  MlirType *results = irAllocate(sizeof(MlirType) * (size_t)(numResults + 1));
  for (intptr_t i = 0; i < numResults; ++i)
    results[i] = mlirFunctionTypeGetResult(type, i);
  irSetAttr(function, "function_type",
            mlirTypeAttrGet(mlirFunctionTypeGet(b.context, count, inputs, numResults, results)));
  free(results);
  free(inputs);
}

static void convertCall(const Rewriting *r, MlirOperation call) {
  IrBuilder b = irBuilderBefore(call);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    if (isDenseBuffer(mlirValueGetType(irOperand(call, i))))
      mlirOperationSetOperand(call, i, pointerOf(r, &b, irOperand(call, i)));
}

/// Calls of private definitions follow their signatures. Calls of declarations keep their operands.
static void convertFunctions(Rewriting *r) {
  IrMap converted = {0};
  IR_FOR_EACH_OP(op, irBody(r->module, 0)) {
    if (!isPrivateDefinition(op))
      continue;
    convertSignature(r, op);
    MlirStringRef name = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
    irMapSet(&converted, mlirFlatSymbolRefAttrGet(mlirOperationGetContext(op), name).ptr, 1);
  }
  collectOps(r);
  for (intptr_t i = 0; i < r->count; ++i)
    if (irOpIs(r->ops[i], "func.call") && irMapContains(&converted, irGetAttr(r->ops[i], "callee").ptr))
      convertCall(r, r->ops[i]);
  irMapDestroy(&converted);
}

static void run(StitchPassRun pass, MlirOperation module) {
  (void)pass;
  MlirContext context = mlirOperationGetContext(module);
  Rewriting r = {
      .module = module, .pointer = mlirLLVMPointerTypeGet(context, 0), .i64 = mlirIntegerTypeGet(context, 64)};
  declare(&r, "malloc", "!llvm.func<ptr (i64)>");
  declare(&r, "free", "!llvm.func<void (ptr)>");
  convertMemory(&r);
  convertFunctions(&r);
  resolveCasts(&r);
  free(r.ops);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__, mlirGetDialectHandle__llvm__};

const StitchPassInfo buffersToPointersPass = {
    .argument = "stitch-buffers-to-pointers",
    .description = "Pass dense buffers as pointers, and make descriptors only where operations need them",
    .anchor = "builtin.module",
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
