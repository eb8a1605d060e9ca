//===- element_type.c - the element types of tensors at run time ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of STITCH_ELEMENT_TYPES: bytes, names and classes.
//
//===----------------------------------------------------------------------===//

#include "runtime/element_type.h"

#include <string.h>

size_t stitchElementBytes(StitchElementType type) {
  switch (type) {
#define BYTES(name, number, text, bytes, code, bits)                                                                   \
  case STITCH_ELEMENT_##name:                                                                                          \
    return bytes;
    STITCH_ELEMENT_TYPES(BYTES)
#undef BYTES
  }
  return 0;
}

const char *stitchElementName(StitchElementType type) {
  switch (type) {
#define NAME(name, number, text, bytes, code, bits)                                                                    \
  case STITCH_ELEMENT_##name:                                                                                          \
    return text;
    STITCH_ELEMENT_TYPES(NAME)
#undef NAME
  }
  return "?";
}

bool stitchElementTypeFromName(const char *name, size_t length, StitchElementType *type) {
#define MATCH(enumerator, number, text, bytes, code, bits)                                                             \
  if (length == strlen(text) && memcmp(name, text, length) == 0) {                                                     \
    *type = STITCH_ELEMENT_##enumerator;                                                                               \
    return true;                                                                                                       \
  }
  STITCH_ELEMENT_TYPES(MATCH)
#undef MATCH
  return false;
}

bool stitchElementIsFloat(StitchElementType type) {
  return type <= STITCH_ELEMENT_BF16 || (type >= STITCH_ELEMENT_F8E3M4 && type <= STITCH_ELEMENT_F4E2M1FN);
}

bool stitchElementIsComplex(StitchElementType type) {
  return type == STITCH_ELEMENT_COMPLEX64 || type == STITCH_ELEMENT_COMPLEX128;
}
