//===- mutate.h - changed copies of an input -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_FUZZ_MUTATE_H
#define STITCH_TEST_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes; one more, zero, follows them, so that a text is a string.
typedef struct {
  char *data;
  size_t size;
} Input;

/// A copy, which the caller frees; ends the process without memory, as all functions here do.
Input inputCopy(const char *data, size_t size);
void inputFree(Input *input);

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
uint64_t randomNext(uint64_t *state);
/// Uniform enough in [0, bound), for bound > 0.
size_t randomBelow(uint64_t *state, size_t bound);

/// Changes `input` in one to three places: a text in its characters, tokens, numbers, types and lines, anything else in
/// its bits and bytes. `other` is where tokens and stretches of bytes may come from.
void inputMutate(Input *input, const Input *other, bool isText, uint64_t *random);

#endif // STITCH_TEST_FUZZ_MUTATE_H
