//===- operation_attributes.h - telling attributes of operations apart ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_OPERATION_ATTRIBUTES_H
#define STITCH_CAPI_OPERATION_ATTRIBUTES_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sets two words that are the same for two operations of one name and context if their attributes are. They are a hash
/// of the inherent ones (mlir::Operation::hashProperties) and the address of the dictionary of the others. The C API's
/// list of attributes is made anew for each question.
void stitchOperationAttributes(MlirOperation op, uint64_t words[2]);

/// Whether two operations have the same attributes (mlir::OperationName::compareOpProperties, and the dictionaries).
bool stitchOperationsHaveSameAttributes(MlirOperation a, MlirOperation b);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_OPERATION_ATTRIBUTES_H
