//===- resource.h - elements that are resources of the file --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_RESOURCE_H
#define STITCH_CAPI_RESOURCE_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The blob of a DenseResourceElementsAttr, `dense_resource<name>` in text.
typedef struct {
  MlirStringRef name;
  bool found;       ///< whether the file has it
  const char *data; ///< owned by the context
  size_t size;
} StitchResource;

/// `attribute` is a DenseResourceElementsAttr.
StitchResource stitchResourceOf(MlirAttribute attribute);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_RESOURCE_H
