//===- types.h - sizes and elements of shaped types -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API answers one question a call, through a lookup of the type's interface. A planner asks for shapes
// millions of times, so these tell by the kind of the type.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_TYPES_H
#define STITCH_CAPI_TYPES_H

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The sizes of a ranked tensor, a memref or a vector, in elements; they live as long as the type. Of any other type
/// *rank is 0.
const int64_t *stitchTypeSizes(MlirType type, intptr_t *rank);

/// The type of the elements of a tensor, a memref or a vector; of any other type the type itself.
MlirType stitchTypeElement(MlirType type);

/// The bits of an integer or a float; 0 for any other type.
int64_t stitchTypeBits(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_TYPES_H
