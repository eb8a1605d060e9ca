//===- raw_object.h - an object file of bytes ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM makes several copies of a constant on its way to an object file. Large constants are written from their own
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_HOST_MODEL_FILE_RAW_OBJECT_H
#define STITCH_LOWERING_HOST_MODEL_FILE_RAW_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Of large read-only data, which may be further from code than 31 bits.
#define RAW_OBJECT_SECTION ".lrodata"

typedef struct {
  const char *bytes;
  int64_t offset, size;
} RawPart;

typedef struct {
  char *name;
  int64_t offset;
} RawSymbol;

/// Bytes and names of places in them. Zero-initialised it is empty.
typedef struct {
  RawPart *parts;
  RawSymbol *symbols;
  intptr_t numParts, partCapacity, numSymbols, symbolCapacity;
  int64_t size;
} RawObject;

/// Adds bytes, which are not copied; returns their offset.
int64_t rawObjectAdd(RawObject *object, const char *bytes, int64_t size);
/// Names the bytes at an offset, for the files that this one is linked with alone. The name is copied.
void rawObjectDefine(RawObject *object, const char *name, size_t length, int64_t offset);
/// Writes the object file for the machine of another one, of which `like` is the beginning. 0, or an error number.
int rawObjectWrite(const RawObject *object, const void *like, const char *path);
void rawObjectDestroy(RawObject *object);

#endif // STITCH_LOWERING_HOST_MODEL_FILE_RAW_OBJECT_H
