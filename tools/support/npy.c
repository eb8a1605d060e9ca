//===- npy.c - NumPy's files ---------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files: parses the header's Python dictionary, checks sizes, and converts Fortran order and
// small integers.
//
//===----------------------------------------------------------------------===//

#include "tools/support/npy.h"

#include "tools/support/number.h"
#include "tools/support/tool_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_ALIGNMENT = 64, MAGIC_BYTES = 6 };
static const char magic[] = "\x93NUMPY";

/// Types by NumPy's character and size in bytes. Those that are the ml_dtypes package's share 'V': the reader has to
/// know which of them it wants. A type is written as its first line says.
static const struct {
  char kind;
  int bytes;
  StitchDataType dtype;
} types[] = {
    {'f', 8, {STITCH_TYPE_FLOAT, 64, 1}},
    {'f', 4, {STITCH_TYPE_FLOAT, 32, 1}},
    {'f', 2, {STITCH_TYPE_FLOAT, 16, 1}},
    {'c', 8, {STITCH_TYPE_COMPLEX, 64, 1}},
    {'c', 16, {STITCH_TYPE_COMPLEX, 128, 1}},
    {'b', 1, {STITCH_TYPE_BOOL, 8, 1}},
    {'i', 1, {STITCH_TYPE_INT, 8, 1}},
    {'i', 2, {STITCH_TYPE_INT, 16, 1}},
    {'i', 4, {STITCH_TYPE_INT, 32, 1}},
    {'i', 8, {STITCH_TYPE_INT, 64, 1}},
    {'u', 1, {STITCH_TYPE_UINT, 8, 1}},
    {'u', 2, {STITCH_TYPE_UINT, 16, 1}},
    {'u', 4, {STITCH_TYPE_UINT, 32, 1}},
    {'u', 8, {STITCH_TYPE_UINT, 64, 1}},
    {'V', 2, {STITCH_TYPE_BFLOAT, 16, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E5M2, 8, 1}},
    {'f', 1, {STITCH_TYPE_FLOAT8_E5M2, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E5M2FNUZ, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E4M3, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E4M3FN, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E4M3FNUZ, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E4M3B11FNUZ, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E3M4, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT8_E8M0FNU, 8, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT6_E2M3FN, 6, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT6_E3M2FN, 6, 1}},
    {'V', 1, {STITCH_TYPE_FLOAT4_E2M1FN, 4, 1}},
    {'V', 1, {STITCH_TYPE_INT, 2, 1}},
    {'V', 1, {STITCH_TYPE_INT, 4, 1}},
    {'V', 1, {STITCH_TYPE_UINT, 2, 1}},
    {'V', 1, {STITCH_TYPE_UINT, 4, 1}},
};
enum { NUM_TYPES = sizeof(types) / sizeof(types[0]) };

static StitchStatus invalid(const char *reason) { return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s", reason); }

//===----------------------------------------------------------------------===//
// The header: a Python dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//===----------------------------------------------------------------------===//

typedef struct {
  const char *at;
  const char *end;
  bool isFortran; ///< the first index of an element counts fastest
} HeaderReader;

static void skipSpaces(HeaderReader *r) {
  while (r->at < r->end && isspace((unsigned char)*r->at))
    ++r->at;
}

static bool take(HeaderReader *r, char c) {
  skipSpaces(r);
  if (r->at == r->end || *r->at != c)
    return false;
  ++r->at;
  return true;
}

static bool takeWord(HeaderReader *r, const char *word) {
  skipSpaces(r);
  size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
    return false;
  r->at += length;
  return true;
}

/// A string in single or double quotes, without escapes.
static bool takeString(HeaderReader *r, char *text, size_t size) {
  skipSpaces(r);
  if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
    return false;
  char quote = *r->at++;
  size_t length = 0;
  while (r->at < r->end && *r->at != quote && length + 1 < size)
    text[length++] = *r->at++;
  text[length] = '\0';
  return take(r, quote);
}

static bool takeNumber(HeaderReader *r, int64_t *value) {
  skipSpaces(r);
  if (r->at == r->end || !isdigit((unsigned char)*r->at))
    return false;
  for (*value = 0; r->at < r->end && isdigit((unsigned char)*r->at); ++r->at)
    if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *r->at - '0', value))
      return false;
  return true;
}

static StitchStatus readShape(HeaderReader *r, ToolNpyArray *array) {
  if (!take(r, '('))
    return invalid("its header has no valid shape");
  while (!take(r, ')')) {
    if (array->rank == TOOL_NPY_MAX_RANK)
      return invalid("it has more than 16 dimensions");
    if (!takeNumber(r, &array->dims[array->rank++]))
      return invalid("its header has no valid shape");
    skipSpaces(r);
    if (!take(r, ',') && (r->at == r->end || *r->at != ')'))
      return invalid("its header has no valid shape");
  }
  return NULL;
}

/// Whether integers of `kind` and size are how programs without ml_dtypes write the words of a float that NumPy lacks.
static bool areWordsOf(StitchDataType wanted, char kind, int bytes) {
  bool isSmallFloat = wanted.code >= STITCH_TYPE_FLOAT8_E3M4 && wanted.code <= STITCH_TYPE_FLOAT4_E2M1FN;
  if (wanted.code == STITCH_TYPE_BFLOAT)
    return bytes == 2 && (kind == 'u' || kind == 'i');
  return isSmallFloat && bytes == 1 && kind == 'u';
}

/// The type that `descr` spells; `wanted` where it spells several.
static StitchStatus readType(const char *descr, StitchDataType wanted, StitchDataType *dtype) {
  bool swapped = descr[0] == '>';
  const char *kind = strchr("<>|=", descr[0]) && descr[0] ? descr + 1 : descr;
  int matches = 0;
  bool hasWanted = false;
  for (int i = 0; i < NUM_TYPES && kind[0]; ++i) {
    if (kind[0] != types[i].kind || atoi(kind + 1) != types[i].bytes)
      continue;
    if (swapped && types[i].bytes > 1)
      return invalid("its elements are big-endian");
    *dtype = types[i].dtype;
    hasWanted = hasWanted || stitchDataTypesEqual(types[i].dtype, wanted);
    ++matches;
  }
  hasWanted = hasWanted || (!swapped && kind[0] && areWordsOf(wanted, kind[0], atoi(kind + 1)));
  if (hasWanted)
    *dtype = wanted;
  if (hasWanted || matches == 1)
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                          matches ? "its element type '%s' stands for several types, none of them %s"
                                  : "its element type '%s' is not supported",
                          descr, stitchDataTypeName(wanted));
}

static StitchStatus readHeader(HeaderReader *r, StitchDataType wanted, ToolNpyArray *array) {
  bool hasType = false, hasShape = false;
  StitchStatus status = take(r, '{') ? NULL : invalid("its header is no dictionary");
  while (!status && !take(r, '}')) {
    char key[32], descr[32];
    if (!takeString(r, key, sizeof(key)) || !take(r, ':'))
      return invalid("its header is no valid dictionary");
    if (strcmp(key, "descr") == 0 && takeString(r, descr, sizeof(descr))) {
      status = readType(descr, wanted, &array->dtype);
      hasType = true;
    } else if (strcmp(key, "fortran_order") == 0 && (takeWord(r, "False") || (r->isFortran = takeWord(r, "True")))) {
      ;
    } else if (strcmp(key, "shape") == 0) {
      array->rank = 0;
      status = readShape(r, array);
      hasShape = true;
    } else {
      return stitchStatusMake(STITCH_INVALID_ARGUMENT, "its header has an invalid entry '%s'", key);
    }
    take(r, ',');
  }
  if (!status && (!hasType || !hasShape))
    status = invalid("its header lacks the element type or the shape");
  return status;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool totalBytes(const ToolNpyArray *array, size_t *bytes) {
  *bytes = stitchDataTypeBytes(array->dtype);
  for (int32_t i = 0; i < array->rank; ++i)
    if (__builtin_mul_overflow(*bytes, (size_t)array->dims[i], bytes))
      return false;
  return true;
}

/// ml_dtypes leaves the upper bits of small integers zero, whatever their sign.
static void extendSmallIntegers(ToolNpyArray *array, size_t count) {
  for (size_t i = 0; array->dtype.bits < 8 && i < count; ++i)
    toolStore(array->dtype, array->data, (int64_t)i, toolLoad(array->dtype, array->data, (int64_t)i));
}

/// Copies elements whose first index counts fastest.
static void copyFromFortran(const ToolNpyArray *array, const char *from, size_t bytes) {
  size_t element = stitchDataTypeBytes(array->dtype), strides[TOOL_NPY_MAX_RANK], to = 0;
  int64_t index[TOOL_NPY_MAX_RANK] = {0};
  size_t stride = element;
  for (int32_t d = array->rank; d-- > 0; stride *= (size_t)array->dims[d])
    strides[d] = stride;
  for (size_t at = 0; at < bytes; at += element) {
    memcpy((char *)array->data + to, from + at, element);
    for (int32_t d = 0; d < array->rank; ++d) {
      to += strides[d];
      if (++index[d] < array->dims[d])
        break;
      to -= strides[d] * (size_t)array->dims[d];
      index[d] = 0;
    }
  }
}

static StitchStatus readData(HeaderReader *r, ToolNpyArray *array) {
  size_t bytes = 0, rest = (size_t)(r->end - r->at);
  if (!totalBytes(array, &bytes) || bytes > rest)
    return invalid("it is cut off: the shape needs more data than there is");
  if (bytes < rest)
    return invalid("it has more data than the shape needs");
  array->data = aligned_alloc(DATA_ALIGNMENT, (bytes + DATA_ALIGNMENT) / DATA_ALIGNMENT * DATA_ALIGNMENT);
  if (!array->data)
    return stitchStatusOutOfMemory();
  if (r->isFortran)
    copyFromFortran(array, r->at, bytes);
  else
    memcpy(array->data, r->at, bytes);
  extendSmallIntegers(array, bytes);
  return NULL;
}

static StitchStatus parse(const char *file, size_t size, StitchDataType wanted, ToolNpyArray *array) {
  if (size < MAGIC_BYTES + 4 || memcmp(file, magic, MAGIC_BYTES) != 0)
    return invalid("it is not a .npy file");
  const unsigned char *bytes = (const unsigned char *)file + MAGIC_BYTES;
  int version = bytes[0];
  if (version < 1 || version > 3)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "it has version %d of the format", version);
  size_t prefix = MAGIC_BYTES + (version == 1 ? 4 : 6), length = bytes[2] | (size_t)bytes[3] << 8;
  if (size < prefix)
    return invalid("its header is cut off");
  if (version > 1)
    length |= (size_t)bytes[4] << 16 | (size_t)bytes[5] << 24;
  if (length > size - prefix)
    return invalid("its header is cut off");
  HeaderReader header = {file + prefix, file + prefix + length, false};
  StitchStatus status = readHeader(&header, wanted, array);
  HeaderReader data = {header.end, file + size, header.isFortran};
  return status ? status : readData(&data, array);
}

StitchStatus toolNpyRead(const char *path, StitchDataType wanted, ToolNpyArray *array) {
  char *file = NULL;
  size_t size = 0;
  StitchStatus status = toolReadFile(path, &file, &size);
  if (status)
    return status;
  ToolNpyArray result = {0};
  status = stitchStatusAnnotate(parse(file, size, wanted, &result), "cannot read '%s'", path);
  free(file);
  if (!status)
    *array = result;
  return status;
}

void toolNpyFree(ToolNpyArray *array) {
  free(array->data);
  *array = (ToolNpyArray){0};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

enum { HEADER_CAPACITY = 512 };

/// Magic, version 1, length and dictionary, padded with spaces so that the data begin at a multiple of 64. Returns its
/// size.
static size_t writeHeader(char *header, StitchDataType dtype, int32_t rank, const int64_t *dims) {
  int type = 0;
  while (type < NUM_TYPES && !stitchDataTypesEqual(types[type].dtype, dtype))
    ++type;
  if (type == NUM_TYPES || rank > TOOL_NPY_MAX_RANK)
    return 0;
  enum { PREFIX = MAGIC_BYTES + 4 };
  char *text = header + PREFIX;
  size_t room = HEADER_CAPACITY - PREFIX;
  size_t length = (size_t)snprintf(text, room, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                                   types[type].bytes > 1 ? '<' : '|', types[type].kind, types[type].bytes);
  for (int32_t i = 0; i < rank; ++i)
    length += (size_t)snprintf(text + length, room - length,
                               rank == 1 ? "%lld,"
                               : i       ? ", %lld"
                                         : "%lld",
                               (long long)dims[i]);
  length += (size_t)snprintf(text + length, room - length, "), }");
  while ((PREFIX + length + 1) % DATA_ALIGNMENT != 0)
    text[length++] = ' ';
  text[length++] = '\n';
  memcpy(header, magic, MAGIC_BYTES);
  header[MAGIC_BYTES] = 1;
  header[MAGIC_BYTES + 1] = 0;
  header[MAGIC_BYTES + 2] = (char)(length & 0xFF);
  header[MAGIC_BYTES + 3] = (char)(length >> 8);
  return PREFIX + length;
}

StitchStatus toolNpyWrite(const char *path, StitchDataType dtype, int32_t rank, const int64_t *dims, const void *data) {
  char header[HEADER_CAPACITY];
  size_t headerSize = writeHeader(header, dtype, rank, dims),
         dataSize = stitchDataTypeBytes(dtype) * (size_t)stitchTensorElements(rank, dims);
  if (!headerSize)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "cannot write '%s': NumPy has no such array", path);
  char *file = malloc(headerSize + dataSize);
  if (!file)
    return stitchStatusOutOfMemory();
  memcpy(file, header, headerSize);
  if (dataSize)
    memcpy(file + headerSize, data, dataSize);
  StitchStatus status = toolWriteFile(path, file, headerSize + dataSize);
  free(file);
  return status;
}
