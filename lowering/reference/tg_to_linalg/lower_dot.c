//===- lower_dot.c - dot: a loop nest or a call of a library --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dot of at least `library-dot-min-flops` operations becomes a library call. Smaller
// ones become a linalg.generic over batch, rows, columns and contracted dimensions.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "lowering/reference/tg_to_linalg/library_call.h"
#include "lowering/reference/tg_to_linalg/lower_body.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"

#include "mlir-c/AffineMap.h"

#include <stdio.h>

typedef struct {
  IrShape lhsBatch, rhsBatch, lhsContract, rhsContract;
  IrShape lhsFree, rhsFree;
} DotDims;

static IrShape freeDims(intptr_t rank, IrShape batch, IrShape contract) {
  IrShape dims = {0};
  for (int64_t i = 0; i < rank; ++i)
    if (!irContains(batch, i) && !irContains(contract, i))
      dims.dims[dims.rank++] = i;
  return dims;
}

static DotDims dotDims(MlirOperation op) {
  DotDims dims = {irGetDims(op, "lhs_batch"),
                  irGetDims(op, "rhs_batch"),
                  irGetDims(op, "lhs_contract"),
                  irGetDims(op, "rhs_contract"),
                  {0},
                  {0}};
  dims.lhsFree = freeDims(irShapeOf(irOperand(op, 0)).rank, dims.lhsBatch, dims.lhsContract);
  dims.rhsFree = freeDims(irShapeOf(irOperand(op, 1)).rank, dims.rhsBatch, dims.rhsContract);
  return dims;
}

/// A multiplication and an addition for each element of the result and of the contracted dimensions; at most 1e300,
/// which no integer type holds.
static double flopsOf(MlirOperation op, const DotDims *dims) {
  IrShape lhs = irShapeOf(irOperand(op, 0));
  double flops = 2.0 * (double)irNumElements(irShapeOf(irResult(op, 0)));
  for (intptr_t i = 0; i < dims->lhsContract.rank; ++i)
    flops *= (double)lhs.dims[dims->lhsContract.dims[i]];
  return flops;
}

//===----------------------------------------------------------------------===//
// A loop nest
//===----------------------------------------------------------------------===//

/// Numbers the given dimensions of an operand as dimensions of the iteration space, from `first` on.
static intptr_t numberDims(IrShape dims, intptr_t first, int64_t *iteration) {
  for (intptr_t i = 0; i < dims.rank; ++i)
    iteration[dims.dims[i]] = first + i;
  return first + dims.rank;
}

static MlirType sumType(MlirType result) { return mlirTypeIsAF32(result) ? result : accumulatorType(TG_add, result); }

/// The product of two elements, each converted to the type of the sum.
static MlirValue product(const Lowering *l, Generic *generic, MlirType accumulator) {
  MlirValue lhs = scalarConvert(&generic->body, genericArgument(generic, 0), operandElementType(l, 0), accumulator);
  MlirValue rhs = scalarConvert(&generic->body, genericArgument(generic, 1), operandElementType(l, 1), accumulator);
  return scalarCombine(&generic->body, TG_mul, accumulator, lhs, rhs);
}

static MlirValue loopNest(const Lowering *l, const DotDims *dims) {
  MlirContext context = l->b->context;
  int64_t lhs[IR_MAX_RANK], rhs[IR_MAX_RANK], result[IR_MAX_RANK];
  intptr_t lhsRank = irShapeOf(irOperand(l->op, 0)).rank;
  intptr_t rhsRank = irShapeOf(irOperand(l->op, 1)).rank;
  numberDims(dims->lhsBatch, 0, lhs);
  intptr_t rows = numberDims(dims->rhsBatch, 0, rhs);
  intptr_t columns = numberDims(dims->lhsFree, rows, lhs);
  intptr_t resultRank = numberDims(dims->rhsFree, columns, rhs);
  numberDims(dims->lhsContract, resultRank, lhs);
  Generic generic = {.rank = numberDims(dims->rhsContract, resultRank, rhs)};
  for (intptr_t i = 0; i < resultRank; ++i)
    result[i] = i;
  for (intptr_t i = resultRank; i < generic.rank; ++i)
    generic.reduction[i] = true;

  MlirType element = resultElementType(l);
  MlirType accumulator = sumType(element);
  MlirType type = tensorWithElement(resultStorageType(l, 0), storageType(accumulator));
  MlirValue zero = scalarZero(l->b, accumulator);
  addInput(&generic, loweredOperand(l, 0), dimsMap(context, generic.rank, lhsRank, lhs));
  addInput(&generic, loweredOperand(l, 1), dimsMap(context, generic.rank, rhsRank, rhs));
  addInit(&generic, filledTensor(l->b, type, zero), dimsMap(context, generic.rank, resultRank, result));
  beginGeneric(l->b, &generic);
  MlirValue term = product(l, &generic, accumulator);
  endGeneric(&generic,
             IR_VALUES(scalarCombine(&generic.body, TG_add, accumulator, genericArgument(&generic, 2), term)));
  return convertedTensor(l->b, irResult(generic.op, 0), accumulator, element);
}

//===----------------------------------------------------------------------===//
// A library call
//===----------------------------------------------------------------------===//

static MlirValue libraryCall(const Lowering *l, const DotDims *dims) {
  MlirNamedAttribute attributes[] = {
      irDims(l->b, "lhs_batch", dims->lhsBatch.rank, dims->lhsBatch.dims),
      irDims(l->b, "rhs_batch", dims->rhsBatch.rank, dims->rhsBatch.dims),
      irDims(l->b, "lhs_contract", dims->lhsContract.rank, dims->lhsContract.dims),
      irDims(l->b, "rhs_contract", dims->rhsContract.rank, dims->rhsContract.dims),
  };
  return callLibrary(l, "dot", 4, attributes);
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

/// Whether libraries know the type: those in which it is computed as it is, and 16-bit floats.
static bool isLibraryElement(MlirType element) {
  if (irIsFloat(element))
    return mlirFloatTypeGetWidth(element) >= 16;
  return irIsInteger(element) && mlirIntegerTypeGetWidth(element) != 4;
}

MlirValue lowerDot(const Lowering *l) {
  DotDims dims = dotDims(l->op);
  bool isFloat = irIsFloat(resultElementType(l));
  if (irIsFloat(operandElementType(l, 0)) != isFloat || irIsFloat(operandElementType(l, 1)) != isFloat)
    return (MlirValue){NULL};
  bool hasLibrary = isLibraryElement(operandElementType(l, 0)) && isLibraryElement(operandElementType(l, 1)) &&
                    isLibraryElement(resultElementType(l));
  if (hasLibrary && flopsOf(l->op, &dims) >= (double)l->conversion->libraryDotMinFlops)
    return libraryCall(l, &dims);
  return loopNest(l, &dims);
}
