//===- kernel.c - what both ways below a gpu.module share -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel.h"

#include "ir/arena.h"
#include "ir/query.h"

typedef struct {
  const char *name;
  KernelOps ops;
  intptr_t capacity;
} Collection;

static MlirWalkResult collect(MlirOperation op, void *userData) {
  Collection *c = userData;
  if (c->name && !irOpIs(op, c->name))
    return MlirWalkResultAdvance;
  IR_RESERVE_ONE(c->ops.data, c->ops.count, c->capacity);
  c->ops.data[c->ops.count++] = op;
  return MlirWalkResultAdvance;
}

KernelOps kernelOpsCalled(MlirOperation root, const char *name) {
  Collection c = {.name = name};
  mlirOperationWalk(root, collect, &c, MlirWalkPreOrder);
  return c.ops;
}

/// The struct that finalize-memref-to-llvm makes of a memref of rank 1.
static MlirType descriptorType(MlirContext context, int indexBits) {
  return irParseType(context, "!llvm.struct<(ptr, ptr, i%d, array<1 x i%d>, array<1 x i%d>)>", indexBits, indexBits,
                     indexBits);
}

MlirValue kernelMemrefPointer(IrBuilder *b, MlirValue memref, int indexBits) {
  MlirValue descriptor = irValueOf(b, "builtin.unrealized_conversion_cast", IR_VALUES(memref),
                                   descriptorType(b->context, indexBits), IR_NO_ATTRS);
  return irValueOf(b, "llvm.extractvalue", IR_VALUES(descriptor), irParseType(b->context, "!llvm.ptr"),
                   IR_ATTRS(irDims(b, "position", 1, (const int64_t[]){1})));
}

static MlirValue insertField(IrBuilder *b, MlirValue descriptor, MlirValue field, intptr_t depth,
                             const int64_t *position) {
  return irValueOf(b, "llvm.insertvalue", IR_VALUES(descriptor, field), mlirValueGetType(descriptor),
                   IR_ATTRS(irDims(b, "position", depth, position)));
}

MlirValue kernelMemrefFromPointer(IrBuilder *b, MlirValue pointer, MlirType memrefType, int indexBits) {
  int64_t size = mlirShapedTypeHasStaticShape(memrefType) ? irTypeShape(memrefType).dims[0] : INT32_MAX;
  MlirType index = mlirIntegerTypeGet(b->context, (unsigned)indexBits);
  MlirValue d = irValueOf(b, "llvm.mlir.poison", IR_NO_VALUES, descriptorType(b->context, indexBits), IR_NO_ATTRS);
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
