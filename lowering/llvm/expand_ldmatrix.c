//===- expand_ldmatrix.c - matrices that a warp loads, lane by lane ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the CPU's SIMT device, and for GPUs before sm_75. PTX ISA, "Warp-level matrix load instruction: ldmatrix". Of
// matrices of 8 x 8 elements of 16 bits, lane 8 i + r has the address of row r of matrix i. It is aligned to its 16
// bytes. Lane l, with g = l / 4 and t = l % 4, gets of each matrix
//
//   columns 2t and 2t + 1 of row g
//   with `transpose` rows 2t and 2t + 1 of column g
//
// Of f32 two elements of a matrix are one: a matrix is 8 x 4, and lane l gets column t of row g.
//
// So each lane asks the lanes of these rows where they begin, and loads them.
//
//===----------------------------------------------------------------------===//

#include "lowering/llvm/expand_ldmatrix.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "lowering/llvm/llvm_kernel.h"

#include <stdlib.h>

enum { MATRIX = 8, QUAD = 4, MOST_OF_WORD = 2, ROW_BYTES = 16 };

typedef struct {
  IrBuilder b;
  MlirType element;     ///< f16, bf16 or f32
  int64_t wordElements; ///< 2 or 1
  MlirValue memref;
  MlirValue place;          ///< where the lane's row begins, as i32
  MlirValue group, inGroup; ///< of the lane: g and t, as i32
} LdmatrixExpansion;

static MlirValue number(LdmatrixExpansion *x, int64_t value) {
  return irConstantInt(&x->b, mlirIntegerTypeGet(x->b.context, 32), value);
}

static MlirValue asIndex(LdmatrixExpansion *x, MlirValue value) {
  return irUnary(&x->b, "arith.index_castui", value, mlirIndexTypeGet(x->b.context));
}

static void findLane(LdmatrixExpansion *x) {
  MlirType i32 = mlirIntegerTypeGet(x->b.context, 32);
  MlirValue thread = irValueOf(&x->b, "gpu.thread_id", IR_NO_VALUES, mlirIndexTypeGet(x->b.context),
                               IR_ATTRS(irAttr(&x->b, "dimension", irParseAttr(x->b.context, "#gpu<dim x>"))));
  MlirValue lane = irRemUI(&x->b, irUnary(&x->b, "arith.index_castui", thread, i32), number(x, MATRIX * QUAD));
  x->group = irDivUI(&x->b, lane, number(x, QUAD));
  x->inGroup = irRemUI(&x->b, lane, number(x, QUAD));
}

/// A row of a matrix: all of its elements.
static MlirValue loadRow(LdmatrixExpansion *x, int64_t matrix, MlirValue row) {
  MlirType i32 = mlirIntegerTypeGet(x->b.context, 32), i1 = mlirIntegerTypeGet(x->b.context, 1);
  MlirValue lane = irAddI(&x->b, row, number(x, matrix * MATRIX));
  MlirOperation shuffle =
      irOp(&x->b, "gpu.shuffle", IR_VALUES(x->place, lane, number(x, MATRIX * QUAD)), IR_TYPES(i32, i1),
           IR_ATTRS(irAttr(&x->b, "mode", irParseAttr(x->b.context, "#gpu<shuffle_mode idx>"))));
  return irValueOf(&x->b, "vector.load", IR_VALUES(x->memref, asIndex(x, irResult(shuffle, 0))),
                   mlirVectorTypeGet(1, (const int64_t[]){QUAD * x->wordElements}, x->element),
                   IR_ATTRS(irI64(&x->b, "alignment", ROW_BYTES)));
}

static MlirValue loadMatrixElement(LdmatrixExpansion *x, MlirValue row, MlirValue column) {
  const int64_t atRunTime[] = {mlirShapedTypeGetDynamicSize()};
  return irValueOf(&x->b, "vector.extract", IR_VALUES(row, asIndex(x, column)), x->element,
                   IR_ATTRS(irDims(&x->b, "static_position", 1, atRunTime)));
}

/// The lane's word of a matrix.
static MlirValue loadWord(LdmatrixExpansion *x, int64_t matrix, bool transpose) {
  MlirValue elements[MOST_OF_WORD], first = irMulI(&x->b, x->inGroup, number(x, x->wordElements));
  MlirValue row = transpose ? (MlirValue){NULL} : loadRow(x, matrix, x->group);
  for (int64_t i = 0; i < x->wordElements; ++i) {
    MlirValue place = irAddI(&x->b, first, number(x, i));
    elements[i] =
        transpose ? loadMatrixElement(x, loadRow(x, matrix, place), x->group) : loadMatrixElement(x, row, place);
  }
  return irValueOf(&x->b, "vector.from_elements", (IrValues){x->wordElements, elements},
                   mlirVectorTypeGet(1, (const int64_t[]){x->wordElements}, x->element), IR_NO_ATTRS);
}

static void expandLdmatrixOp(MlirOperation op) {
  MlirType type = mlirValueGetType(irResult(op, 0)), i32 = mlirIntegerTypeGet(mlirTypeGetContext(type), 32);
  LdmatrixExpansion x = {.b = irBuilderBefore(op), .element = irElementType(type), .memref = irOperand(op, 0)};
  x.wordElements = irTypeShape(type).dims[1];
  x.place = irUnary(&x.b, "arith.index_castui", irOperand(op, 1), i32);
  findLane(&x);
  MlirAttribute zero = mlirDenseElementsAttrSplatGet(type, mlirFloatAttrDoubleGet(x.b.context, x.element, 0));
  MlirValue words = irValueOf(&x.b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(&x.b, "value", zero)));
  for (int64_t i = 0; i < irTypeShape(type).dims[0]; ++i)
    words = irValueOf(&x.b, "vector.insert",
                      IR_VALUES(loadWord(&x, i, mlirBoolAttrGetValue(irGetAttr(op, "transpose"))), words), type,
                      IR_ATTRS(irDims(&x.b, "static_position", 1, &i)));
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), words);
  mlirOperationDestroy(op);
}

bool ldmatrixIsKnown(MlirOperation op) {
  MlirType memref = mlirValueGetType(irOperand(op, 0)), element = irElementTypeOf(irResult(op, 0));
  int64_t matrices = irShapeOf(irResult(op, 0)).dims[0];
  bool isOfF32 = mlirTypeIsAF32(element) && !mlirBoolAttrGetValue(irGetAttr(op, "transpose"));
  bool isKnown = (mlirTypeIsAF16(element) || mlirTypeIsABF16(element) || isOfF32) && (matrices == 2 || matrices == 4) &&
                 mlirShapedTypeGetRank(memref) == 1 && mlirTypeEqual(mlirShapedTypeGetElementType(memref), element);
  if (!isKnown)
    stitchEmitOpError(
        op,
        "is no ldmatrix of two or four matrices of f16 or bf16, or of f32 without transpose, from a memref of rank 1");
  return isKnown;
}

bool expandLdmatrix(MlirOperation root) {
  KernelOps found = kernelOpsCalled(root, "nvgpu.ldmatrix");
  bool succeeded = true;
  for (intptr_t i = 0; i < found.count && succeeded; ++i) {
    succeeded = ldmatrixIsKnown(found.data[i]);
    if (succeeded)
      expandLdmatrixOp(found.data[i]);
  }
  free(found.data);
  return succeeded;
}
