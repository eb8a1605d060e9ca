//===- types.cpp - sizes and elements of shaped types ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/types.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

const int64_t *stitchTypeSizes(MlirType type, intptr_t *rank) {
  ArrayRef<int64_t> sizes;
  if (auto tensor = dyn_cast<RankedTensorType>(unwrap(type)))
    sizes = tensor.getShape();
  else if (auto memref = dyn_cast<MemRefType>(unwrap(type)))
    sizes = memref.getShape();
  else if (auto vector = dyn_cast<VectorType>(unwrap(type)))
    sizes = vector.getShape();
  *rank = static_cast<intptr_t>(sizes.size());
  return sizes.data();
}

MlirType stitchTypeElement(MlirType type) {
  if (auto tensor = dyn_cast<RankedTensorType>(unwrap(type)))
    return wrap(tensor.getElementType());
  if (auto shaped = dyn_cast<ShapedType>(unwrap(type)))
    return wrap(shaped.getElementType());
  return type;
}

int64_t stitchTypeBits(MlirType type) {
  if (auto integer = dyn_cast<IntegerType>(unwrap(type)))
    return integer.getWidth();
  if (isa<Float32Type>(unwrap(type)))
    return 32;
  if (auto number = dyn_cast<FloatType>(unwrap(type)))
    return number.getWidth();
  return 0;
}
