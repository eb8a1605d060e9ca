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

/// X(enumerator, number, name, bytes, DLPack's code, DLPack's bits). An i1 takes a byte, 0 or 1. Integers of two and
/// four bits take a byte, extended with or without sign, and floats of four and six bits one whose upper bits are zero.
/// A complex number is its real part and then its imaginary part.
#define STITCH_ELEMENT_TYPES(X)                                                                                        \
  X(F64, 0, "f64", 8, FLOAT, 64)                                                                                       \
  X(F32, 1, "f32", 4, FLOAT, 32)                                                                                       \
  X(F16, 2, "f16", 2, FLOAT, 16)                                                                                       \
  X(BF16, 3, "bf16", 2, BFLOAT, 16)                                                                                    \
  X(I1, 4, "i1", 1, BOOL, 8)                                                                                           \
  X(I8, 5, "i8", 1, INT, 8)                                                                                            \
  X(I16, 6, "i16", 2, INT, 16)                                                                                         \
  X(I32, 7, "i32", 4, INT, 32)                                                                                         \
  X(I64, 8, "i64", 8, INT, 64)                                                                                         \
  X(UI8, 9, "ui8", 1, UINT, 8)                                                                                         \
  X(UI16, 10, "ui16", 2, UINT, 16)                                                                                     \
  X(UI32, 11, "ui32", 4, UINT, 32)                                                                                     \
  X(UI64, 12, "ui64", 8, UINT, 64)                                                                                     \
  X(COMPLEX64, 13, "complex<f32>", 8, COMPLEX, 64)                                                                     \
  X(COMPLEX128, 14, "complex<f64>", 16, COMPLEX, 128)                                                                  \
  X(I2, 15, "i2", 1, INT, 2)                                                                                           \
  X(I4, 16, "i4", 1, INT, 4)                                                                                           \
  X(UI2, 17, "ui2", 1, UINT, 2)                                                                                        \
  X(UI4, 18, "ui4", 1, UINT, 4)                                                                                        \
  X(F8E3M4, 19, "f8E3M4", 1, FLOAT8_E3M4, 8)                                                                           \
  X(F8E4M3, 20, "f8E4M3", 1, FLOAT8_E4M3, 8)                                                                           \
  X(F8E4M3B11FNUZ, 21, "f8E4M3B11FNUZ", 1, FLOAT8_E4M3B11FNUZ, 8)                                                      \
  X(F8E4M3FN, 22, "f8E4M3FN", 1, FLOAT8_E4M3FN, 8)                                                                     \
  X(F8E4M3FNUZ, 23, "f8E4M3FNUZ", 1, FLOAT8_E4M3FNUZ, 8)                                                               \
  X(F8E5M2, 24, "f8E5M2", 1, FLOAT8_E5M2, 8)                                                                           \
  X(F8E5M2FNUZ, 25, "f8E5M2FNUZ", 1, FLOAT8_E5M2FNUZ, 8)                                                               \
  X(F8E8M0FNU, 26, "f8E8M0FNU", 1, FLOAT8_E8M0FNU, 8)                                                                  \
  X(F6E2M3FN, 27, "f6E2M3FN", 1, FLOAT6_E2M3FN, 6)                                                                     \
  X(F6E3M2FN, 28, "f6E3M2FN", 1, FLOAT6_E3M2FN, 6)                                                                     \
  X(F4E2M1FN, 29, "f4E2M1FN", 1, FLOAT4_E2M1FN, 4)

typedef enum {
#define STITCH_ELEMENT_ENUMERATOR(name, number, text, bytes, code, bits) STITCH_ELEMENT_##name = number,
  STITCH_ELEMENT_TYPES(STITCH_ELEMENT_ENUMERATOR)
#undef STITCH_ELEMENT_ENUMERATOR
} StitchElementType;

/// Bytes of one element in memory; 0 if there is no such type.
size_t stitchElementBytes(StitchElementType type);

/// The name in MLIR; "?" if there is no such type.
const char *stitchElementName(StitchElementType type);

/// Sets `type` to the type of that name (not null-terminated: `length` bytes); false if there is none.
bool stitchElementTypeFromName(const char *name, size_t length, StitchElementType *type);

/// Whether arithmetic of the type is that of real floats, of whatever width.
bool stitchElementIsFloat(StitchElementType type);
bool stitchElementIsComplex(StitchElementType type);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_ELEMENT_TYPE_H
