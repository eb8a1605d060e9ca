//===- parse.h - modules from memory -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytecode reader of MLIR 22 does not compare the length of a dense attribute with that of its data, nor does it
// check the sizes of tensors. A reader of the elements, be it a verifier, would read the memory behind them.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_PARSE_H
#define STITCH_CAPI_PARSE_H

#include "capi/file.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the dense attributes of a file have the data that they need, and tensors have sizes. If not, emits an error
/// at the operation that has such an attribute or type. Text passes, and so does bytecode that cannot be read at all:
/// its reader reports the error.
bool stitchCheckBytecode(MlirContext context, const char *data, size_t size);

/// Parses a module, text or bytecode, and verifies it; bytecode is checked as by stitchCheckBytecode, text as by
/// irFindDeepNesting, and its booleans are those of stitchPackBooleans. Takes the file, which is released when it is
/// not needed any more: the blobs of resources in bytecode stay where they are. Bytecode may need `data` to be aligned,
/// to 64 bytes if MLIR has written it. Locations and diagnostics have `name`. Null after an error. Constants of a
/// megabyte or more in a text become resources before it is parsed (capi/weights.h): passes look at small constants
/// only.
MlirModule stitchParseModule(MlirContext context, StitchFile file, const char *name);

/// The same with constants of `minWeight` bytes or more.
MlirModule stitchParseModuleWithWeights(MlirContext context, StitchFile file, const char *name, size_t minWeight);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_PARSE_H
