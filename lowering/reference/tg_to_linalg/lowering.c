//===- lowering.c - values and types of the lowering ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the value that replaces each tg value during the conversion, with signless element types.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/lowering.h"

#include "ir/mlir/arena.h"

MlirType tensorWithElement(MlirType tensor, MlirType element) {
  IrShape shape = irTypeShape(tensor);
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, element, mlirAttributeGetNull());
}

MlirType storageType(MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    return tensorWithElement(type, storageType(irElementType(type)));
  return scalarType(type);
}

MlirValue loweredValue(const Conversion *conversion, MlirValue original) {
  int64_t index = irMapGet(&conversion->indexOfValue, original.ptr, -1);
  return index < 0 ? original : conversion->values[index];
}

void replaceValue(Conversion *conversion, MlirValue original, MlirValue lowered) {
  IR_RESERVE_ONE(conversion->values, conversion->numValues, conversion->capacity);
  irMapSet(&conversion->indexOfValue, original.ptr, conversion->numValues);
  conversion->values[conversion->numValues++] = lowered;
}
