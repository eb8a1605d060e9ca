//===- resource.cpp - elements that are resources of the file ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/resource.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

StitchResource stitchResourceOf(MlirAttribute attribute) {
  DenseResourceElementsHandle handle = cast<DenseResourceElementsAttr>(unwrap(attribute)).getRawHandle();
  AsmResourceBlob *blob = handle.getBlob();
  StitchResource resource = {wrap(handle.getKey()), blob != nullptr, nullptr, 0};
  if (blob) {
    resource.data = blob->getData().data();
    resource.size = blob->getData().size();
  }
  return resource;
}
