//===- sha256.c - content hashes -----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/sha256.h"

#include <stdio.h>
#include <string.h>

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int count) { return x >> count | x << (32 - count); }

static void expand(const uint8_t *block, uint32_t words[64]) {
  for (int i = 0; i < 16; ++i)
    words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
}

static void compress(StitchSha256 *hash) {
  uint32_t words[64], s[8];
  expand(hash->block, words);
  memcpy(s, hash->state, sizeof s);
  for (int i = 0; i < 64; ++i) {
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choice + constants[i] + words[i];
    uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i)
    hash->state[i] += s[i];
}

void stitchSha256Begin(StitchSha256 *hash) {
  *hash = (StitchSha256){
      .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void stitchSha256Add(StitchSha256 *hash, const void *data, size_t size) {
  const uint8_t *bytes = data;
  while (size > 0) {
    size_t used = hash->length % sizeof hash->block, count = sizeof hash->block - used;
    if (count > size)
      count = size;
    memcpy(hash->block + used, bytes, count);
    hash->length += count;
    bytes += count;
    size -= count;
    if (hash->length % sizeof hash->block == 0)
      compress(hash);
  }
}

void stitchSha256End(StitchSha256 *hash, char text[STITCH_SHA256_TEXT]) {
  uint64_t bits = 8 * hash->length;
  uint8_t length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = (uint8_t)(bits >> (56 - 8 * i));
  stitchSha256Add(hash, "\x80", 1);
  while (hash->length % sizeof hash->block != sizeof hash->block - sizeof length)
    stitchSha256Add(hash, "", 1);
  stitchSha256Add(hash, length, sizeof length);
  for (int i = 0; i < 8; ++i)
    snprintf(text + 8 * i, 9, "%08x", hash->state[i]);
}
