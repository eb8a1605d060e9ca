//===- sha256.h - content hashes -----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SHA256_H
#define STITCH_LOWERING_SHA256_H

#include <stddef.h>
#include <stdint.h>

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
typedef struct {
  uint32_t state[8];
  uint64_t length; ///< bytes so far
  uint8_t block[64];
} StitchSha256;

enum { STITCH_SHA256_TEXT = 65 }; ///< hexadecimal digits and a null byte

void stitchSha256Begin(StitchSha256 *hash);
void stitchSha256Add(StitchSha256 *hash, const void *data, size_t size);
void stitchSha256End(StitchSha256 *hash, char text[STITCH_SHA256_TEXT]);

#endif // STITCH_LOWERING_SHA256_H
