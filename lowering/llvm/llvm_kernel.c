//===- llvm_kernel.c - steps shared by NVPTX and simt lowering ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of the lowerings of kernels for NVPTX and the CPU: pointers and descriptors of memrefs, address spaces,
// intrinsics, and math operations with an instruction of the target.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/llvm_kernel.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "ir/plan/resources.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const char *name;
  KernelOps ops;
  intptr_t capacity;
} Collection;

static MlirWalkResult collectNamed(MlirOperation op, void *userData) {
  Collection *c = userData;
  if (c->name && !irOpIs(op, c->name))
    return MlirWalkResultAdvance;
  IR_RESERVE_ONE(c->ops.data, c->ops.count, c->capacity);
  c->ops.data[c->ops.count++] = op;
  return MlirWalkResultAdvance;
}

KernelOps kernelOpsCalled(MlirOperation root, const char *name) {
  Collection c = {.name = name};
  mlirOperationWalk(root, collectNamed, &c, MlirWalkPreOrder);
  return c.ops;
}

void kernelLowerCalled(MlirOperation root, const char *name, void (*lower)(MlirOperation op)) {
  KernelOps ops = kernelOpsCalled(root, name);
  for (intptr_t i = 0; i < ops.count; ++i)
    lower(ops.data[i]);
  free(ops.data);
}

bool kernelOpsAreRegistered(MlirOperation gpuModule) {
  MlirContext context = mlirOperationGetContext(gpuModule);
  KernelOps ops = kernelOpsCalled(gpuModule, NULL);
  bool ok = true;
  for (intptr_t i = 0; i < ops.count && ok; ++i) {
    ok = mlirContextIsRegisteredOperation(context, irOpName(ops.data[i]));
    if (!ok)
      stitchEmitOpError(ops.data[i], "is of no dialect that kernels are made of");
  }
  free(ops.data);
  return ok;
}

bool kernelIsAccess(MlirOperation op, KernelAccess *access) {
  access->isStore = irOpIs(op, "memref.store") || irOpIs(op, "vector.store");
  if (!access->isStore && !irOpIs(op, "memref.load") && !irOpIs(op, "vector.load") && !irOpIs(op, "nvgpu.ldmatrix"))
    return false;
  access->memref = irOperand(op, access->isStore);
  access->index =
      mlirOperationGetNumOperands(op) > access->isStore + 1 ? irOperand(op, access->isStore + 1) : (MlirValue){NULL};
  access->type = mlirValueGetType(access->isStore ? irOperand(op, 0) : irResult(op, 0));
  return true;
}

bool kernelIsCopy(MlirOperation op, KernelCopy *copy) {
  enum { TARGET, TARGET_INDEX, SOURCE, SOURCE_INDEX, READ };
  if (!irOpIs(op, "nvgpu.device_async_copy") || mlirShapedTypeGetRank(mlirValueGetType(irOperand(op, 0))) != 1 ||
      mlirOperationGetNumOperands(op) < READ)
    return false;
  *copy = (KernelCopy){.source = irOperand(op, SOURCE),
                       .sourceIndex = irOperand(op, SOURCE_INDEX),
                       .target = irOperand(op, TARGET),
                       .targetIndex = irOperand(op, TARGET_INDEX),
                       .elements = irGetInt(op, "dstElements", 0)};
  if (mlirOperationGetNumOperands(op) > READ)
    copy->read = irOperand(op, READ);
  copy->bytes = copy->elements * irElementBytes(mlirShapedTypeGetElementType(mlirValueGetType(copy->target)));
  return true;
}

MlirAttribute kernelArgumentAttribute(MlirOperation kernel, intptr_t index, const char *name) {
  MlirAttribute attributes = irGetAttr(kernel, "arg_attrs");
  return mlirAttributeIsNull(attributes)
             ? attributes
             : mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(attributes, index),
                                                  mlirStringRefCreateFromCString(name));
}

/// NVPTX's address space of a block's shared memory.
enum { SHARED_SPACE = 3 };

/// A pointer to where a memref of this type lies: in NVPTX's address space for a memory space of the gpu dialect.
static MlirType pointerType(MlirType memref) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(memref);
  MlirContext context = mlirTypeGetContext(memref);
  if (mlirAttributeIsNull(space))
    return irParseType(context, "!llvm.ptr");
  return irParseType(context, "!llvm.ptr<%d>",
                     mlirAttributeIsAInteger(space) ? (int)mlirIntegerAttrGetValueInt(space) : SHARED_SPACE);
}

/// The struct that finalize-memref-to-llvm makes of a memref of rank 1.
static MlirType descriptorType(MlirType memref, int indexBits) {
  char *pointer = irTypeText(pointerType(memref));
  MlirType type = irParseType(mlirTypeGetContext(memref), "!llvm.struct<(%s, %s, i%d, array<1 x i%d>, array<1 x i%d>)>",
                              pointer, pointer, indexBits, indexBits, indexBits);
  free(pointer);
  return type;
}

MlirValue kernelMemrefPointer(IrBuilder *b, MlirValue memref, int indexBits) {
  MlirValue descriptor = irValueOf(b, "builtin.unrealized_conversion_cast", IR_VALUES(memref),
                                   descriptorType(mlirValueGetType(memref), indexBits), IR_NO_ATTRS);
  return irValueOf(b, "llvm.extractvalue", IR_VALUES(descriptor), pointerType(mlirValueGetType(memref)),
                   IR_ATTRS(irDims(b, "position", 1, (const int64_t[]){1})));
}

int kernelGpuIndexBits(MlirBlock block) {
  MlirOperation op = mlirBlockGetParentOperation(block);
  while (!irOpIs(op, "gpu.func"))
    op = mlirOperationGetParentOperation(op);
  return irHasAttr(op, PLAN_WIDE_INDICES) ? 64 : 32;
}

MlirValue kernelElementPointer(IrBuilder *b, MlirValue memref, MlirValue index) {
  int bits = kernelGpuIndexBits(b->block);
  MlirValue first = kernelMemrefPointer(b, memref, bits);
  MlirValue offset = irUnary(b, "arith.index_castui", index, mlirIntegerTypeGet(b->context, (unsigned)bits));
  return irValueOf(b, "llvm.getelementptr", IR_VALUES(first, offset), mlirValueGetType(first),
                   IR_ATTRS(irAttr(b, "rawConstantIndices", irParseAttr(b->context, "array<i32: -2147483648>")),
                            irType(b, "elem_type", mlirShapedTypeGetElementType(mlirValueGetType(memref)))));
}

static MlirValue insertField(IrBuilder *b, MlirValue descriptor, MlirValue field, intptr_t depth,
                             const int64_t *position) {
  return irValueOf(b, "llvm.insertvalue", IR_VALUES(descriptor, field), mlirValueGetType(descriptor),
                   IR_ATTRS(irDims(b, "position", depth, position)));
}

MlirValue kernelMemrefFromPointer(IrBuilder *b, MlirValue pointer, MlirType memrefType, int indexBits) {
  int64_t size = mlirShapedTypeHasStaticShape(memrefType) ? irTypeShape(memrefType).dims[0] : INT32_MAX;
  MlirType index = mlirIntegerTypeGet(b->context, (unsigned)indexBits);
  MlirValue d = irValueOf(b, "llvm.mlir.poison", IR_NO_VALUES, descriptorType(memrefType, indexBits), IR_NO_ATTRS);
  d = insertField(b, d, pointer, 1, (const int64_t[]){0});
  d = insertField(b, d, pointer, 1, (const int64_t[]){1});
  d = insertField(b, d, kernelConstant(b, index, 0), 1, (const int64_t[]){2});
  d = insertField(b, d, kernelConstant(b, index, size), 2, (const int64_t[]){3, 0});
  d = insertField(b, d, kernelConstant(b, index, 1), 2, (const int64_t[]){4, 0});
  return irValueOf(b, "builtin.unrealized_conversion_cast", IR_VALUES(d), memrefType, IR_NO_ATTRS);
}

MlirValue kernelConstant(IrBuilder *b, MlirType type, int64_t value) {
  return irValueOf(b, "llvm.mlir.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(b, "value", mlirIntegerAttrGet(type, value))));
}

//===----------------------------------------------------------------------===//
// Math
//===----------------------------------------------------------------------===//

static const struct {
  const char *op;
  const char *intrinsic;
  bool flag; ///< takes a second operand, `i1 false`: the result for zero, or for the smallest integer, is defined
} native[] = {
    {"math.absf", "llvm.fabs", false},       {"math.absi", "llvm.abs", true},
    {"math.ceil", "llvm.ceil", false},       {"math.copysign", "llvm.copysign", false},
    {"math.ctlz", "llvm.ctlz", true},        {"math.ctpop", "llvm.ctpop", false},
    {"math.cttz", "llvm.cttz", true},        {"math.floor", "llvm.floor", false},
    {"math.fma", "llvm.fma", false},         {"math.round", "llvm.round", false},
    {"math.sqrt", "llvm.sqrt", false},       {"math.roundeven", "llvm.roundeven", false},
    {"math.trunc", "llvm.trunc", false},     {"arith.maxnumf", "llvm.maxnum", false},
    {"arith.minnumf", "llvm.minnum", false},
};

static MlirOperation definingOpCalled(MlirValue value, const char *name) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && irOpIs(op, name) ? op : (MlirOperation){NULL};
}

bool kernelIsOne(MlirValue value) {
  MlirOperation op = definingOpCalled(value, "arith.constant");
  return !mlirOperationIsNull(op) && irIsFloat(mlirValueGetType(value)) &&
         mlirFloatAttrGetValueDouble(irGetAttr(op, "value")) == 1.0;
}

bool kernelIsOneToTwo(MlirValue value) {
  MlirOperation sum = definingOpCalled(value, "arith.addf");
  for (intptr_t i = 0; i < 2 && !mlirOperationIsNull(sum); ++i) {
    MlirOperation op = definingOpCalled(irOperand(sum, i), "math.exp");
    op = mlirOperationIsNull(op) ? op : definingOpCalled(irOperand(op, 0), "arith.negf");
    op = mlirOperationIsNull(op) ? op : definingOpCalled(irOperand(op, 0), "math.absf");
    if (!mlirOperationIsNull(op) && kernelIsOne(irOperand(sum, 1 - i)))
      return true;
  }
  return false;
}

MlirValue kernelCallIntrinsic(IrBuilder *b, const char *intrinsic, IrValues operands, MlirType result) {
  return irValueOf(
      b, "llvm.call_intrinsic", operands, result,
      IR_ATTRS(irString(b, "intrin", intrinsic),
               irAttr(b, "operandSegmentSizes", irParseAttr(b->context, "array<i32: %d, 0>", (int)operands.count)),
               irAttr(b, "op_bundle_sizes", irParseAttr(b->context, "array<i32>"))));
}

static void replace(MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), value);
  mlirOperationDestroy(op);
}

static void lowerToIntrinsic(MlirOperation op, const char *intrinsic, bool flag) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue operands[4];
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = irOperand(op, i);
  if (flag)
    operands[count++] = kernelConstant(&b, mlirIntegerTypeGet(b.context, 1), 0);
  replace(op, kernelCallIntrinsic(&b, intrinsic, (IrValues){count, operands}, mlirValueGetType(irResult(op, 0))));
}

/// |x| compared with infinity; unordered with itself.
static void lowerClassification(MlirOperation op) {
  IrBuilder b = irBuilderBefore(op);
  MlirValue x = irOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  if (irOpIs(op, "math.isnan")) {
    replace(op, irCmpF(&b, IR_CMPF_UNO, x, x));
    return;
  }
  MlirAttribute scalar = mlirFloatAttrDoubleGet(b.context, irElementType(type), INFINITY);
  MlirAttribute value = mlirTypeIsAShaped(type) ? mlirDenseElementsAttrSplatGet(type, scalar) : scalar;
  MlirValue infinity = irValueOf(&b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(&b, "value", value)));
  MlirValue magnitude = kernelCallIntrinsic(&b, "llvm.fabs", IR_VALUES(x), type);
  replace(op, irCmpF(&b, irOpIs(op, "math.isfinite") ? IR_CMPF_OLT : IR_CMPF_OEQ, magnitude, infinity));
}

static void lowerMath(MlirOperation op) {
  if (irOpIs(op, "math.isnan") || irOpIs(op, "math.isfinite") || irOpIs(op, "math.isinf")) {
    lowerClassification(op);
    return;
  }
  for (size_t i = 0; i < sizeof native / sizeof *native; ++i)
    if (irOpIs(op, native[i].op)) {
      lowerToIntrinsic(op, native[i].intrinsic, native[i].flag);
      return;
    }
}

void kernelLowerNativeMath(MlirOperation root) {
  KernelOps ops = kernelOpsCalled(root, NULL);
  for (intptr_t i = 0; i < ops.count; ++i)
    lowerMath(ops.data[i]);
  free(ops.data);
}
