//===- element_type.h - the element types of tensors at run time ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names are those that the types have in MLIR. The numbers are part of the model file's ABI: append only.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_ELEMENT_TYPE_H
#define STITCH_RUNTIME_ELEMENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// X(enumerator, number, name, bytes). An i1 takes one byte, 0 or 1.
#define STITCH_ELEMENT_TYPES(X)                                                                                        \
  X(F64, 0, "f64", 8)                                                                                                  \
  X(F32, 1, "f32", 4)                                                                                                  \
  X(F16, 2, "f16", 2)                                                                                                  \
  X(BF16, 3, "bf16", 2)                                                                                                \
  X(I1, 4, "i1", 1)                                                                                                    \
  X(I8, 5, "i8", 1)                                                                                                    \
  X(I16, 6, "i16", 2)                                                                                                  \
  X(I32, 7, "i32", 4)                                                                                                  \
  X(I64, 8, "i64", 8)                                                                                                  \
  X(UI8, 9, "ui8", 1)                                                                                                  \
  X(UI16, 10, "ui16", 2)                                                                                               \
  X(UI32, 11, "ui32", 4)                                                                                               \
  X(UI64, 12, "ui64", 8)

typedef enum {
#define STITCH_ELEMENT_ENUMERATOR(name, number, text, bytes) STITCH_ELEMENT_##name = number,
  STITCH_ELEMENT_TYPES(STITCH_ELEMENT_ENUMERATOR)
#undef STITCH_ELEMENT_ENUMERATOR
} StitchElementType;

/// Bytes of one element in memory; 0 if there is no such type.
size_t stitchElementBytes(StitchElementType type);

/// The name in MLIR; "?" if there is no such type.
const char *stitchElementName(StitchElementType type);

/// Sets `type` to the type of that name (not null-terminated: `length` bytes); false if there is none.
bool stitchElementTypeFromName(const char *name, size_t length, StitchElementType *type);

bool stitchElementIsFloat(StitchElementType type);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_ELEMENT_TYPE_H
