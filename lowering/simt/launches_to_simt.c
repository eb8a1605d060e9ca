//===- launches_to_simt.c - convert-launches-to-simt ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module in which gpu-to-simt has made functions of the kernels and kept the gpu.modules that launches refer
// to. Leaves no gpu.launch_func, no gpu.module and no attributes of stitch, but calls of the runtime
// (runtime/simt/launch_once.h) with pointers to the memory of the arguments. The operation gpu.memset, with which
// barrier counters are zeroed, becomes llvm.intr.memset. So a mixed module, with upstream's lowering of its other
// operations, is one of the LLVM dialect that runs on a CPU.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/MemRef.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char runtimeFunction[] = "stitchSimtLaunchOnce";

typedef struct {
  MlirOperation module;
  MlirType pointer, i64;
  MlirOperation *ops; ///< launches and memsets
  intptr_t numOps, capacity;
} Launches;

static MlirWalkResult collectLaunch(MlirOperation op, void *data) {
  Launches *l = data;
  bool isOther = irOpIs(op, "builtin.module") && !mlirOperationEqual(op, l->module);
  if (isOther || irOpIs(op, "gpu.module"))
    return MlirWalkResultSkip;
  if (irOpIs(op, "gpu.launch_func") || irOpIs(op, "gpu.memset")) {
    IR_RESERVE_ONE(l->ops, l->numOps, l->capacity);
    l->ops[l->numOps++] = op;
  }
  return MlirWalkResultAdvance;
}

static MlirValue launchConstant(const Launches *l, IrBuilder *b, int64_t value) {
  return irValueOf(b, "llvm.mlir.constant", IR_NO_VALUES, l->i64,
                   IR_ATTRS(irAttr(b, "value", mlirIntegerAttrGet(l->i64, value))));
}

/// Memory of a function's frame for `count` elements, allocated in its first block.
static MlirValue createArray(const Launches *l, MlirOperation op, MlirType element, int64_t count) {
  MlirOperation function = op, parent = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(parent) && !irOpIs(parent, "builtin.module")) {
    function = parent;
    parent = mlirOperationGetParentOperation(parent);
  }
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(irBody(function, 0)));
  return irValueOf(&b, "llvm.alloca", IR_VALUES(launchConstant(l, &b, count)), l->pointer,
                   IR_ATTRS(irType(&b, "elem_type", element)));
}

static void storeAt(const Launches *l, IrBuilder *b, MlirValue array, MlirType element, int64_t index,
                    MlirValue value) {
  int32_t constant = (int32_t)index;
  MlirValue slot = irValueOf(b, "llvm.getelementptr", IR_VALUES(array), l->pointer,
                             IR_ATTRS(irAttr(b, "rawConstantIndices", mlirDenseI32ArrayGet(b->context, 1, &constant)),
                                      irType(b, "elem_type", element)));
  irOp(b, "llvm.store", IR_VALUES(value, slot), IR_NO_TYPES, IR_NO_ATTRS);
}

static MlirValue pointerOf(const Launches *l, IrBuilder *b, MlirValue memref) {
  MlirValue index = irUnary(b, "memref.extract_aligned_pointer_as_index", memref, mlirIndexTypeGet(b->context));
  return irUnary(b, "llvm.inttoptr", irUnary(b, "arith.index_cast", index, l->i64), l->pointer);
}

static MlirValue addressOf(const Launches *l, IrBuilder *b, const char *symbol) {
  return irValueOf(b, "llvm.mlir.addressof", IR_NO_VALUES, l->pointer, IR_ATTRS(irSymbol(b, "global_name", symbol)));
}

/// The name of a kernel as a string of the module, which messages show.
static void createName(const Launches *l, MlirOperation op, const char *symbol, const char *kernel) {
  if (!mlirOperationIsNull(op))
    return;
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(irBody(l->module, 0)));
  size_t size = strlen(kernel) + 1;
  MlirType array = mlirLLVMArrayTypeGet(mlirIntegerTypeGet(b.context, 8), (unsigned)size);
  irOpWithEmptyRegion(&b, "llvm.mlir.global",
                      IR_ATTRS(irString(&b, "sym_name", symbol), irType(&b, "global_type", array),
                               irUnit(&b, "constant"),
                               irAttr(&b, "linkage", mlirLLVMLinkageAttrGet(b.context, MlirLLVMLinkageInternal)),
                               irAttr(&b, "value", mlirStringAttrGet(b.context, mlirStringRefCreate(kernel, size)))));
}

static MlirOperation findSymbol(MlirOperation module, const char *name) {
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    MlirAttribute symbol = irGetAttr(op, "sym_name");
    if (!mlirAttributeIsNull(symbol) &&
        mlirStringRefEqual(mlirStringAttrGetValue(symbol), mlirStringRefCreateFromCString(name)))
      return op;
  }
  return (MlirOperation){NULL};
}

/// Grid, block and shared memory of a launch, in one dimension; false after a diagnostic.
static bool launchSizes(const Launches *l, IrBuilder *b, MlirOperation op, const int32_t *start, MlirValue *sizes) {
  enum { GRID = 1, BLOCK = 4, SHARED = 10 };
  sizes[0] = irUnary(b, "arith.index_cast", irOperand(op, start[GRID]), l->i64);
  sizes[1] = irUnary(b, "arith.index_cast", irOperand(op, start[BLOCK]), l->i64);
  sizes[2] = start[SHARED] == start[SHARED + 1] ? launchConstant(l, b, 0)
                                                : irUnary(b, "arith.extui", irOperand(op, start[SHARED]), l->i64);
  sizes[3] = launchConstant(l, b, irHasAttr(op, "stitch.cooperative"));
  return true;
}

static bool convertLaunch(const Launches *l, MlirOperation op) {
  enum { ARGUMENTS = 11, NUM_SEGMENTS = 13 };
  MlirAttribute kernel = mlirSymbolRefAttrGetNestedReference(irGetAttr(op, "kernel"), 0);
  MlirStringRef name = mlirSymbolRefAttrGetRootReference(kernel);
  char symbol[160], text[160];
  snprintf(text, sizeof(text), "%.*s", (int)name.length, name.data);
  snprintf(symbol, sizeof(symbol), "%s_simt", text);
  if (mlirOperationIsNull(findSymbol(l->module, symbol))) {
    stitchEmitOpError(op, "launches '%s', of which gpu-to-simt has made no function '%s'", text, symbol);
    return false;
  }
  int32_t start[NUM_SEGMENTS + 1] = {0};
  for (int i = 0; i < NUM_SEGMENTS; ++i)
    start[i + 1] = start[i] + mlirDenseI32ArrayGetElement(irGetAttr(op, "operandSegmentSizes"), i);
  IrBuilder b = irBuilderBefore(op);
  MlirValue sizes[4];
  launchSizes(l, &b, op, start, sizes);
  int32_t count = start[ARGUMENTS + 1] - start[ARGUMENTS];
  MlirValue sizeArray = createArray(l, op, l->i64, 4), arguments = createArray(l, op, l->pointer, count);
  for (int i = 0; i < 4; ++i)
    storeAt(l, &b, sizeArray, l->i64, i, sizes[i]);
  for (int32_t i = 0; i < count; ++i)
    storeAt(l, &b, arguments, l->pointer, i, pointerOf(l, &b, irOperand(op, start[ARGUMENTS] + i)));
  char nameSymbol[176];
  snprintf(nameSymbol, sizeof(nameSymbol), "%s_name", text);
  createName(l, findSymbol(l->module, nameSymbol), nameSymbol, text);
  int32_t segments[2] = {5, 0};
  irOp(&b, "llvm.call",
       IR_VALUES(addressOf(l, &b, nameSymbol), addressOf(l, &b, symbol), sizeArray, arguments,
                 launchConstant(l, &b, count)),
       IR_NO_TYPES,
       IR_ATTRS(irSymbol(&b, "callee", runtimeFunction),
                irAttr(&b, "operandSegmentSizes", mlirDenseI32ArrayGet(b.context, 2, segments)),
                irAttr(&b, "op_bundle_sizes", mlirDenseI32ArrayGet(b.context, 0, NULL))));
  mlirOperationDestroy(op);
  return true;
}

static void convertMemset(const Launches *l, MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue memory = irOperand(op, 0);
  int64_t bytes = irNumElements(irShapeOf(memory)) * irElementBytes(irElementTypeOf(memory));
  irOp(&b, "llvm.intr.memset", IR_VALUES(pointerOf(l, &b, memory), irOperand(op, 1), launchConstant(l, &b, bytes)),
       IR_NO_TYPES, IR_ATTRS(irI1(&b, "isVolatile", false)));
  mlirOperationDestroy(op);
}

static void declareRuntime(const Launches *l) {
  if (!mlirOperationIsNull(findSymbol(l->module, runtimeFunction)))
    return;
  IrBuilder b = irBuilderBefore(mlirBlockGetFirstOperation(irBody(l->module, 0)));
  irOpWithEmptyRegion(
      &b, "llvm.func",
      IR_ATTRS(irString(&b, "sym_name", runtimeFunction),
               irType(&b, "function_type", irParseType(b.context, "!llvm.func<void (ptr, ptr, ptr, ptr, i64)>"))));
}

/// Attributes of launches have no meaning any more, and tools without Stitch do not know them.
static void removeAttributes(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumAttributes(op) - 1; i >= 0; --i) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetAttribute(op, i).name);
    if (name.length > 7 && memcmp(name.data, "stitch.", 7) == 0)
      mlirOperationRemoveAttributeByName(op, name);
  }
}

static bool convertModule(MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  Launches l = {
      .module = module, .pointer = mlirLLVMPointerTypeGet(context, 0), .i64 = mlirIntegerTypeGet(context, 64)};
  mlirOperationWalk(module, collectLaunch, &l, MlirWalkPreOrder);
  bool success = true;
  for (intptr_t i = 0; success && i < l.numOps; ++i) {
    if (irOpIs(l.ops[i], "gpu.memset"))
      convertMemset(&l, l.ops[i]);
    else
      success = convertLaunch(&l, l.ops[i]);
  }
  if (success && l.numOps)
    declareRuntime(&l);
  if (success) {
    removeAttributes(module);
    IR_FOR_EACH_OP_REPLACING(op, irBody(module, 0)) {
      if (irOpIs(op, "gpu.module"))
        mlirOperationDestroy(op);
      else if (irOpIs(op, "builtin.module"))
        success = success && convertModule(op);
      else
        removeAttributes(op);
    }
  }
  free(l.ops);
  return success;
}

static void run(StitchPassRun pass, MlirOperation module) {
  if (!convertModule(module))
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__,
                                                      mlirGetDialectHandle__memref__};

const StitchPassInfo launchesToSimtPass = {
    .argument = "convert-launches-to-simt",
    .description = "Launches of kernels that gpu-to-simt has converted to calls of the runtime for CPUs",
    .anchor = "builtin.module",
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "gpu.launch_func",
    .after = "convert-stitch-to-gpu",
    .run = run,
};
