//===- attributes_tensor.cpp - the elements of VHLO's constants ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/vhlo/vhlo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace vhlo_reader;

/// The elements of a static shape; -1 if there are more than memory could hold.
static int64_t countElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(count, size, count) || count > (int64_t(1) << 48))
      return llvm::is_contained(type.getShape(), 0) ? 0 : -1;
  return count;
}

static bool canBeElement(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return type.isIntOrIndexOrFloat();
}

/// Booleans are bits, or, as they once were, bytes; a single byte stands for all: 0xff (or 1) for true.
static Attribute readBooleans(DialectBytecodeReader &reader, RankedTensorType type, int64_t count,
                              ArrayRef<char> blob) {
  size_t size = count;
  if (blob.size() == 1 && (static_cast<unsigned char>(blob[0]) == 0xff || size > 8))
    return DenseElementsAttr::get(type, blob[0] != 0);
  bool isPacked = blob.size() == llvm::divideCeil(size, 8);
  if (!isPacked && blob.size() != size) {
    reader.emitError() << "a constant of type " << type << " has " << blob.size() << " bytes of data";
    return Attribute();
  }
  SmallVector<bool> values(size);
  for (size_t i = 0; i < size; ++i)
    values[i] = isPacked && size > 1 ? (blob[i / 8] >> (i % 8)) & 1 : blob[i] != 0;
  return DenseElementsAttr::get(type, values);
}

Attribute vhlo_reader::readTensorAttribute(DialectBytecodeReader &reader) {
  RankedTensorType type;
  ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob)))
    return Attribute();
  int64_t count = type.hasStaticShape() ? countElements(type) : -1;
  if (count < 0 || !canBeElement(type.getElementType())) {
    reader.emitError() << "a constant cannot be of type " << type;
    return Attribute();
  }
  if (type.getElementType().isInteger(1))
    return readBooleans(reader, type, count, blob);
  bool isSplat = false;
  if (DenseElementsAttr::isValidRawBuffer(type, blob, isSplat))
    return DenseElementsAttr::getFromRawBuffer(type, blob);
  reader.emitError() << "a constant of type " << type << " has " << blob.size() << " bytes of data";
  return Attribute();
}
