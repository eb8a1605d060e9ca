//===- kernel_cache.c - the cache of compiled kernels, and joined PTX ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// unit-kernel_cache FOLDER, which must not exist yet.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "../check.h"

#include "lowering/llvm/kernel_cache.h"
#include "lowering/ptx/ptx_join.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;

static void hashOf(const char *text, size_t repeat, char result[STITCH_CONTENT_HASH_TEXT]) {
  StitchContentHash hash;
  stitchContentHashBegin(&hash);
  for (size_t i = 0; i < repeat; ++i)
    stitchContentHashAdd(&hash, text, strlen(text));
  stitchContentHashEnd(&hash, result);
}

/// Vectors of the BLAKE3 specification; pieces and the whole have the same hash.
static void testHash(void) {
  char text[STITCH_CONTENT_HASH_TEXT], whole[STITCH_CONTENT_HASH_TEXT];
  hashOf("", 1, text);
  CHECK(strcmp(text, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262") == 0);
  hashOf("abc", 1, text);
  CHECK(strcmp(text, "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85") == 0);
  hashOf("ab", 3, text);
  hashOf("ababab", 1, whole);
  CHECK(strcmp(text, whole) == 0);
}

static StitchLLVMCode codeOf(const char *text) { return (StitchLLVMCode){(char *)text, strlen(text)}; }

static bool holds(const char *key, const char *text) {
  StitchLLVMCode code = {NULL, 0};
  bool same = stitchCacheGet(folder, key, &code) == STITCH_CACHE_HIT && code.size == strlen(text) &&
              strcmp(code.data, text) == 0;
  free(code.data);
  return same;
}

static char *pathOf(const char *key) {
  char *path = NULL;
  return asprintf(&path, "%s/%s.kernel", folder, key) < 0 ? NULL : path;
}

/// Changes a byte of an entry, or cuts it short.
static void damage(const char *key, long offset, bool cut) {
  char *path = pathOf(key);
  FILE *file = fopen(path, "r+b");
  CHECK(file != NULL);
  if (file && !cut) {
    fseek(file, offset, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, offset, SEEK_SET);
    fputc(byte ^ 1, file);
  }
  if (file)
    fclose(file);
  if (cut)
    CHECK(truncate(path, offset) == 0);
  free(path);
}

static void testEntries(void) {
  char key[STITCH_CONTENT_HASH_TEXT];
  hashOf("first", 1, key);
  StitchLLVMCode code = codeOf("kernel text"), read;
  CHECK(stitchCacheGet(folder, key, &read) == STITCH_CACHE_MISS);
  CHECK(stitchCachePut(folder, key, &code) == 0);
  CHECK(holds(key, "kernel text"));
  static const long offsets[] = {0, 64, 70};
  for (int i = 0; i < 3; ++i)
    for (int cut = 0; cut < 2; ++cut) {
      damage(key, offsets[i], cut);
      CHECK(stitchCacheGet(folder, key, &read) == STITCH_CACHE_BROKEN);
      CHECK(stitchCachePut(folder, key, &code) == 0);
      CHECK(holds(key, "kernel text"));
    }
  CHECK(stitchCachePut("", key, &code) != 0);
  CHECK(stitchCachePut("/proc/no such folder", key, &code) != 0);
}

/// Writers and readers of one entry: whoever finds it finds it whole.
static void *useEntry(void *key) {
  StitchLLVMCode code = codeOf("the same text, whoever writes it");
  for (int i = 0; i < 200; ++i) {
    CHECK(stitchCachePut(folder, key, &code) == 0);
    CHECK(holds(key, "the same text, whoever writes it"));
  }
  return NULL;
}

static void testConcurrentUse(void) {
  char key[STITCH_CONTENT_HASH_TEXT];
  hashOf("shared", 1, key);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, useEntry, key) == 0);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
}

static void setAge(const char *key, time_t seconds) {
  struct timespec times[2] = {{.tv_sec = 1000000 - seconds}, {.tv_sec = 1000000 - seconds}};
  char *path = pathOf(key);
  CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
  free(path);
}

/// The least recently used file goes first; other files stay.
static void testTrim(void) {
  stitchCacheTrim(folder, 0);
  char keys[3][STITCH_CONTENT_HASH_TEXT];
  StitchLLVMCode code = codeOf("12345678901234567890123456789012345"); // 100 bytes with the checksum
  for (int i = 0; i < 3; ++i) {
    hashOf((const char *[]){"a", "b", "c"}[i], 1, keys[i]);
    CHECK(stitchCachePut(folder, keys[i], &code) == 0);
    setAge(keys[i], 10 * (i + 1));
  }
  char other[4096];
  snprintf(other, sizeof other, "%s/other", folder);
  FILE *file = fopen(other, "w");
  CHECK(file && fputs("not the cache's", file) >= 0 && fclose(file) == 0);
  CHECK(holds(keys[2], code.data)); // now the newest
  stitchCacheTrim(folder, 200);
  CHECK(holds(keys[0], code.data) && holds(keys[2], code.data) && !holds(keys[1], code.data));
  stitchCacheTrim(folder, 0);
  CHECK(!holds(keys[0], code.data) && !holds(keys[2], code.data));
  CHECK(access(other, F_OK) == 0);
}

static void testJoin(void) {
  StitchLLVMCode parts[] = {
      codeOf("//\n// comment {\n.version 7.8\n.target sm_90\n\n.global .align 4 .b8 table[2] = {1, 2};\n"
             ".func  (.param .b32 r) slow(.param .b32 p)\n{\n$L__BB0_1:\n\tret;\n}\n"
             ".visible .entry a(\n\t.param .u64 a_0\n)\n.maxnreg 8\n{\n\t{ call slow; }\n$L__BB1_1:\n\tret;\n}\n"),
      codeOf(".version 7.8\n.target sm_90\n.extern .shared .align 16 .b8 memory[];\n"
             ".visible .entry b()\n{\n\tret; // }\n}\n"
             ".func  (.param .b32 r) slow(.param .b32 p)\n{\n$L__BB7_1:\n\tret;\n}\n"
             ".global .align 4 .b8 table[2] = {1, 2};\n")};
  StitchLLVMCode joined = stitchJoinPTX(parts, 2);
  CHECK(strcmp(joined.data,
               ".version 7.8\n.target sm_90\n\n.global .align 4 .b8 table[2] = {1, 2};\n"
               "\n.extern .shared .align 16 .b8 memory[];\n"
               "\n.func  (.param .b32 r) slow(.param .b32 p)\n{\n$L__BB0_1:\n\tret;\n}\n"
               "\n.visible .entry a(\n\t.param .u64 a_0\n)\n.maxnreg 8\n{\n\t{ call slow; }\n$L__BB1_1:\n\tret;\n}\n"
               "\n.visible .entry b()\n{\n\tret; // }\n}\n") == 0);
  free(joined.data);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  folder = argv[1];
  testHash();
  testEntries();
  testConcurrentUse();
  testTrim();
  testJoin();
  return checkResult();
}
