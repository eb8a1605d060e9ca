//===- operation_attributes.cpp - telling attributes of operations apart ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/operation_attributes.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Operation.h"

void stitchOperationAttributes(MlirOperation op, uint64_t words[2]) {
  words[0] = static_cast<uint64_t>(static_cast<size_t>(unwrap(op)->hashProperties()));
  words[1] = reinterpret_cast<uint64_t>(unwrap(op)->getRawDictionaryAttrs().getAsOpaquePointer());
}

bool stitchOperationsHaveSameAttributes(MlirOperation a, MlirOperation b) {
  mlir::Operation *x = unwrap(a), *y = unwrap(b);
  if (x->getName() != y->getName())
    return x->getAttrDictionary() == y->getAttrDictionary();
  return x->getRawDictionaryAttrs() == y->getRawDictionaryAttrs() &&
         x->getName().compareOpProperties(x->getPropertiesStorage(), y->getPropertiesStorage());
}
