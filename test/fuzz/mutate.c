//===- mutate.c - changed copies of an input -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Input inputCopy(const char *data, size_t size) {
  Input copy = {malloc(size + 1), size};
  if (!copy.data) {
    fprintf(stderr, "fuzz: out of memory\n");
    exit(2);
  }
  memcpy(copy.data, data, size);
  copy.data[size] = 0;
  return copy;
}

void inputFree(Input *input) {
  free(input->data);
  *input = (Input){0};
}

uint64_t randomNext(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

size_t randomBelow(uint64_t *state, size_t bound) { return (size_t)(randomNext(state) % bound); }

/// A stretch of an input.
typedef struct {
  size_t from, to;
} Span;

/// Puts `size` bytes in the place of a stretch.
static void replace(Input *input, Span span, const char *data, size_t size) {
  Input changed = inputCopy("", 0);
  free(changed.data);
  changed.size = input->size - (span.to - span.from) + size;
  changed.data = malloc(changed.size + 1);
  if (!changed.data) {
    fprintf(stderr, "fuzz: out of memory\n");
    exit(2);
  }
  memcpy(changed.data, input->data, span.from);
  memcpy(changed.data + span.from, data, size);
  memcpy(changed.data + span.from + size, input->data + span.to, input->size - span.to);
  changed.data[changed.size] = 0;
  free(input->data);
  *input = changed;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static bool isWord(char c) { return isalnum((unsigned char)c) || strchr("_$.#%", c) != NULL; }

/// The token at or after a random place: a word, a string, or one character. Empty if there is none.
static Span randomToken(const Input *text, uint64_t *random) {
  size_t from = randomBelow(random, text->size + 1);
  while (from > 0 && from < text->size && isWord(text->data[from]) && isWord(text->data[from - 1]))
    --from;
  while (from < text->size && isspace((unsigned char)text->data[from]))
    ++from;
  size_t to = from < text->size ? from + 1 : from;
  if (from < text->size && isWord(text->data[from]))
    while (to < text->size && isWord(text->data[to]))
      ++to;
  else if (from < text->size && text->data[from] == '"') {
    while (to < text->size && text->data[to] != '"')
      ++to;
    to += to < text->size;
  }
  return (Span){from, to};
}

/// The number at or after a random place.
static Span randomNumber(const Input *text, uint64_t *random) {
  size_t from = randomBelow(random, text->size + 1);
  while (from < text->size && !isdigit((unsigned char)text->data[from]))
    ++from;
  size_t to = from;
  while (to < text->size && isdigit((unsigned char)text->data[to]))
    ++to;
  return (Span){from, to};
}

static Span randomLine(const Input *text, uint64_t *random) {
  size_t from = randomBelow(random, text->size + 1), to = from;
  while (from > 0 && text->data[from - 1] != '\n')
    --from;
  while (to < text->size && text->data[to] != '\n')
    ++to;
  return (Span){from, to < text->size ? to + 1 : to};
}

/// A random stretch of another input, or of the same one, in memory of its own.
static Input stretchOf(const Input *from, Span span) { return inputCopy(from->data + span.from, span.to - span.from); }

static void changeCharacter(Input *text, const Input *other, uint64_t *random) {
  static const char characters[] = "()<>[]{}%#@!\"=:,x-.0 \n\t\0\xff";
  (void)other;
  size_t at = randomBelow(random, text->size + 1);
  Span span = {at, at < text->size ? at + randomBelow(random, 2) : at};
  replace(text, span, &characters[randomBelow(random, sizeof(characters) - 1)], 1);
}

static void deleteToken(Input *text, const Input *other, uint64_t *random) {
  (void)other;
  replace(text, randomToken(text, random), "", 0);
}

static void repeatToken(Input *text, const Input *other, uint64_t *random) {
  (void)other;
  Span token = randomToken(text, random);
  Input copy = stretchOf(text, token);
  replace(text, (Span){token.to, token.to}, copy.data, copy.size);
  inputFree(&copy);
}

static void replaceToken(Input *text, const Input *other, uint64_t *random) {
  const Input *source = randomBelow(random, 2) ? text : other;
  Input copy = stretchOf(source, randomToken(source, random));
  replace(text, randomToken(text, random), copy.data, copy.size);
  inputFree(&copy);
}

/// The kind of a token: a value, a number, a name with a dot (an operation), another name, or itself.
static int kindOfToken(const Input *text, Span token) {
  if (token.from == token.to)
    return 0;
  char first = text->data[token.from];
  if (first == '%' || first == '#' || first == '@')
    return first;
  if (isdigit((unsigned char)first))
    return '0';
  if (!isWord(first))
    return first;
  return memchr(text->data + token.from, '.', token.to - token.from) ? '.' : 'a';
}

/// A token becomes another one of its kind, which more often leaves a program that is valid.
static void replaceAlike(Input *text, const Input *other, uint64_t *random) {
  enum { TRIES = 32 };
  Span token = randomToken(text, random);
  const Input *source = randomBelow(random, 4) ? text : other;
  for (int i = 0; i < TRIES; ++i) {
    Span found = randomToken(source, random);
    if (kindOfToken(source, found) != kindOfToken(text, token))
      continue;
    Input copy = stretchOf(source, found);
    replace(text, token, copy.data, copy.size);
    inputFree(&copy);
    return;
  }
}

static const char *pick(const char *const *words, size_t count, uint64_t *random) {
  return words[randomBelow(random, count)];
}

static void changeNumber(Input *text, const Input *other, uint64_t *random) {
  static const char *const numbers[] = {
      "0",     "1",        "-1",         "2",          "7",          "16",
      "17",    "64",       "1000",       "65536",      "99999999",   "2147483647",
      "?",     "1.0",      "2147483648", "4294967296", "9007199254", "9223372036854775807",
      "-1000", "-2147483", "1e400",      "0x7FC00000", "0xFFFFFFFF", "99999999999999999999999"};
  (void)other;
  const char *number = pick(numbers, sizeof(numbers) / sizeof(numbers[0]), random);
  replace(text, randomNumber(text, random), number, strlen(number));
}

/// The element type of a tensor becomes another one.
static void changeType(Input *text, const Input *other, uint64_t *random) {
  static const char *const types[] = {"f64",
                                      "f32",
                                      "f16",
                                      "bf16",
                                      "f8E4M3FN",
                                      "f8E5M2",
                                      "f8E8M0FNU",
                                      "f4E2M1FN",
                                      "i1",
                                      "i4",
                                      "i8",
                                      "i16",
                                      "i32",
                                      "i64",
                                      "i48",
                                      "ui8",
                                      "ui16",
                                      "ui64",
                                      "si8",
                                      "index",
                                      "i0",
                                      "i77",
                                      "i128",
                                      "complex<f32>",
                                      "complex<f64>",
                                      "none",
                                      "tensor<2xf32>",
                                      "vector<4xf32>",
                                      "!stablehlo.token",
                                      "!quant.uniform<i8:f32, 0.5>",
                                      "f80"};
  static const char *const found[] = {"f32>", "i32>", "i1>", "f16>", "i64>", "i8>", "bf16>"};
  (void)other;
  const char *wanted = pick(found, sizeof(found) / sizeof(found[0]), random);
  const char *at = strstr(text->data + randomBelow(random, text->size + 1), wanted);
  if (!at)
    return;
  size_t from = (size_t)(at - text->data);
  const char *type = pick(types, sizeof(types) / sizeof(types[0]), random);
  replace(text, (Span){from, from + strlen(wanted) - 1}, type, strlen(type));
}

static void deleteLine(Input *text, const Input *other, uint64_t *random) {
  (void)other;
  replace(text, randomLine(text, random), "", 0);
}

static void insertLine(Input *text, const Input *other, uint64_t *random) {
  const Input *source = randomBelow(random, 2) ? text : other;
  Input line = stretchOf(source, randomLine(source, random));
  size_t at = randomLine(text, random).from;
  replace(text, (Span){at, at}, line.data, line.size);
  inputFree(&line);
}

static void swapLines(Input *text, const Input *other, uint64_t *random) {
  (void)other;
  Span a = randomLine(text, random), b = randomLine(text, random);
  if (a.to > b.from) {
    Span c = a;
    a = b;
    b = c;
  }
  if (a.to > b.from)
    return;
  Input first = stretchOf(text, a), second = stretchOf(text, b);
  replace(text, b, first.data, first.size);
  replace(text, a, second.data, second.size);
  inputFree(&first);
  inputFree(&second);
}

static void truncateInput(Input *input, const Input *other, uint64_t *random) {
  (void)other;
  input->size = randomBelow(random, input->size + 1);
  input->data[input->size] = 0;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static void flipBit(Input *input, const Input *other, uint64_t *random) {
  (void)other;
  if (input->size > 0)
    input->data[randomBelow(random, input->size)] ^= (char)(1 << randomBelow(random, 8));
}

static void changeByte(Input *input, const Input *other, uint64_t *random) {
  static const char values[] = {0, 1, -1, 127, -128, 2, 16, 64};
  (void)other;
  if (input->size > 0)
    input->data[randomBelow(random, input->size)] = values[randomBelow(random, sizeof(values))];
}

static Span randomSpan(const Input *input, uint64_t *random) {
  size_t from = randomBelow(random, input->size + 1), rest = input->size - from;
  return (Span){from, from + randomBelow(random, (rest < 16 ? rest : 16) + 1)};
}

static void deleteBytes(Input *input, const Input *other, uint64_t *random) {
  (void)other;
  replace(input, randomSpan(input, random), "", 0);
}

static void insertBytes(Input *input, const Input *other, uint64_t *random) {
  Input bytes = stretchOf(other, randomSpan(other, random));
  Span span = randomSpan(input, random);
  if (randomBelow(random, 2))
    span.to = span.from;
  replace(input, span, bytes.data, bytes.size);
  inputFree(&bytes);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

typedef void (*Mutation)(Input *input, const Input *other, uint64_t *random);

void inputMutate(Input *input, const Input *other, bool isText, uint64_t *random) {
  static const Mutation onText[] = {changeCharacter, deleteToken,  repeatToken,  replaceToken,
                                    replaceAlike,    replaceAlike, replaceAlike, replaceAlike,
                                    changeNumber,    changeNumber, changeType,   changeType,
                                    deleteLine,      insertLine,   swapLines,    truncateInput};
  static const Mutation onBytes[] = {flipBit, flipBit, changeByte, changeByte, deleteBytes, insertBytes, truncateInput};
  for (size_t count = 1 + randomBelow(random, 3); count > 0; --count) {
    Mutation mutation = isText ? onText[randomBelow(random, sizeof(onText) / sizeof(onText[0]))]
                               : onBytes[randomBelow(random, sizeof(onBytes) / sizeof(onBytes[0]))];
    mutation(input, other, random);
  }
}
