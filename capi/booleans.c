//===- booleans.c - constants of booleans with a byte each ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the text of a module before MLIR parses it. Rewrites hexadecimal constants of booleans with a byte each to
// constants with a bit each, in place.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memmem

#include "capi/booleans.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// Where `prefix` ends at `at`; NULL if it is not there.
static const char *skip(const char *at, const char *end, const char *prefix) {
  size_t length = strlen(prefix);
  return at && (size_t)(end - at) >= length && !memcmp(at, prefix, length) ? at + length : NULL;
}

static const char *skipSpaces(const char *at, const char *end) {
  while (at && at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
    ++at;
  return at;
}

/// The elements of the type in " : tensor<4x3xi1>", or of a vector's; 0 if they are no booleans, or too many to count.
static uint64_t countBooleans(const char *at, const char *end) {
  at = skipSpaces(skip(skipSpaces(at, end), end, ":"), end);
  const char *shape = skip(at, end, "tensor<");
  at = shape ? shape : skip(at, end, "vector<");
  uint64_t count = 1;
  while (at && at < end && *at >= '0' && *at <= '9') {
    uint64_t size = 0;
    for (; at < end && *at >= '0' && *at <= '9'; ++at)
      if (__builtin_mul_overflow(size, 10, &size) || __builtin_add_overflow(size, (uint64_t)(*at - '0'), &size))
        return 0;
    if (__builtin_mul_overflow(count, size, &count))
      return 0;
    at = skip(at, end, "x");
  }
  at = skip(at, end, "i1");
  return at && at < end && (*at == '>' || *at == ',') ? count : 0;
}

/// Whether each pair of digits is 00 or 01.
static bool areBooleans(const char *digits, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    if (digits[2 * i] != '0' || (digits[2 * i + 1] != '0' && digits[2 * i + 1] != '1'))
      return false;
  return true;
}

/// Writes `count` booleans, of which each has two digits, as bits, with the closing text and spaces behind.
static void pack(char *digits, uint64_t count, size_t length) {
  uint64_t numBytes = (count + 7) / 8;
  for (uint64_t i = 0; i < numBytes; ++i) {
    unsigned byte = 0;
    for (uint64_t j = 8 * i; j < 8 * i + 8 && j < count; ++j)
      byte |= (unsigned)(digits[2 * j + 1] - '0') << (j - 8 * i);
    digits[2 * i] = "0123456789ABCDEF"[byte >> 4];
    digits[2 * i + 1] = "0123456789ABCDEF"[byte & 15];
  }
  memcpy(digits + 2 * numBytes, "\">", 2);
  memset(digits + 2 * numBytes + 2, ' ', length - 2 * numBytes - 2);
}

void stitchPackBooleans(char *text, size_t size) {
  static const char opening[] = "dense<\"0x";
  char *at = text, *end = text + size;
  if (size >= 4 && memcmp(text, "ML\xefR", 4) == 0)
    return;
  while ((at = memmem(at, (size_t)(end - at), opening, strlen(opening)))) {
    char *digits = at + strlen(opening);
    char *quote = memchr(digits, '"', (size_t)(end - digits));
    if (!quote)
      return;
    const char *type = skip(quote, end, "\">");
    uint64_t count = countBooleans(type, end), numDigits = (uint64_t)(quote - digits);
    if (count > 1 && numDigits == 2 * count && areBooleans(digits, count))
      pack(digits, count, (size_t)(type - digits));
    at = quote;
  }
}
