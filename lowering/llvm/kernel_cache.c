//===- kernel_cache.c - compiled kernels on disk -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is a line, the checksum of the rest in hexadecimal, and the content.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "lowering/llvm/kernel_cache.h"

#include "ir/mlir/arena.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".kernel";

enum { NAME_LENGTH = STITCH_CONTENT_HASH_TEXT - 1 + sizeof suffix - 1 };

static void checksumOf(const StitchLLVMCode *code, char text[STITCH_CONTENT_HASH_TEXT]) {
  StitchContentHash hash;
  stitchContentHashBegin(&hash);
  stitchContentHashAdd(&hash, code->data, code->size);
  stitchContentHashEnd(&hash, text);
}

/// FOLDER/KEY.kernel, released with free; NULL without memory.
static char *pathOf(const char *folder, const char *key) {
  char *path = NULL;
  return asprintf(&path, "%s/%s%s", folder, key, suffix) < 0 ? NULL : path;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// All of an open file; false if that is not possible.
static bool readAll(int file, StitchLLVMCode *content) {
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode))
    return false;
  size_t size = (size_t)status.st_size, done = 0;
  char *data = malloc(size + 1);
  while (data && done < size) {
    ssize_t count = read(file, data + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    done += (size_t)count;
  }
  if (!data || done < size) {
    free(data);
    return false;
  }
  data[size] = '\0';
  *content = (StitchLLVMCode){data, size};
  return true;
}

/// Takes the checksum off the front of the bytes; false if it does not fit the rest.
static bool checkContent(StitchLLVMCode *content) {
  if (content->size < STITCH_CONTENT_HASH_TEXT || content->data[STITCH_CONTENT_HASH_TEXT - 1] != '\n')
    return false;
  StitchLLVMCode rest = {content->data + STITCH_CONTENT_HASH_TEXT, content->size - STITCH_CONTENT_HASH_TEXT};
  char checksum[STITCH_CONTENT_HASH_TEXT];
  checksumOf(&rest, checksum);
  if (memcmp(checksum, content->data, STITCH_CONTENT_HASH_TEXT - 1) != 0)
    return false;
  memmove(content->data, rest.data, rest.size + 1);
  content->size = rest.size;
  return true;
}

StitchCacheResult stitchCacheGet(const char *folder, const char *key, StitchLLVMCode *code) {
  char *path = pathOf(folder, key);
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  free(path);
  if (file < 0)
    return STITCH_CACHE_MISS;
  StitchLLVMCode content = {NULL, 0};
  bool good = readAll(file, &content) && checkContent(&content);
  if (good)
    futimens(file, NULL); // used just now: a failure only makes it look older
  close(file);
  if (!good) {
    free(content.data);
    return STITCH_CACHE_BROKEN;
  }
  *code = content;
  return STITCH_CACHE_HIT;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Creates a folder and those around it. Returns 0 or an errno.
static int makeFolders(const char *folder) {
  char *path = strdup(folder);
  int error = path ? 0 : ENOMEM;
  for (char *c = path; !error; ++c) {
    if (c == path || (*c != '/' && *c != '\0'))
      continue;
    char end = *c;
    *c = '\0';
    if (mkdir(path, 0777) && errno != EEXIST)
      error = errno;
    *c = end;
    if (end == '\0')
      break;
  }
  free(path);
  return error;
}

static bool writeAll(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t count = write(file, data, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    data += count;
    size -= (size_t)count;
  }
  return true;
}

static bool writeEntry(int file, const StitchLLVMCode *code) {
  char checksum[STITCH_CONTENT_HASH_TEXT];
  checksumOf(code, checksum);
  checksum[STITCH_CONTENT_HASH_TEXT - 1] = '\n';
  return writeAll(file, checksum, sizeof checksum) && writeAll(file, code->data, code->size);
}

int stitchCachePut(const char *folder, const char *key, const StitchLLVMCode *code) {
  if (*folder == '\0')
    return ENOENT;
  int error = makeFolders(folder);
  if (error)
    return error;
  char *path = pathOf(folder, key), *temporary = NULL;
  if (!path || asprintf(&temporary, "%s/new-XXXXXX", folder) < 0) {
    free(path);
    return ENOMEM;
  }
  int file = mkostemp(temporary, O_CLOEXEC);
  bool opened = file >= 0, ok = opened && writeEntry(file, code);
  error = ok ? 0 : errno;
  if (opened && close(file) && ok) {
    error = errno;
    ok = false;
  }
  if (ok && rename(temporary, path)) {
    error = errno;
    ok = false;
  }
  if (opened && !ok)
    unlink(temporary);
  free(temporary);
  free(path);
  return error;
}

//===----------------------------------------------------------------------===//
// Trimming
//===----------------------------------------------------------------------===//

typedef struct {
  char name[NAME_LENGTH + 1];
  long long size;
  struct timespec used;
} CacheFile;

static int compareUse(const void *a, const void *b) {
  const CacheFile *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec)
    return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  if (x->used.tv_nsec != y->used.tv_nsec)
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool isEntry(const char *name) {
  size_t length = strlen(name);
  return length == NAME_LENGTH && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

void stitchCacheTrim(const char *folder, long long limit) {
  DIR *directory = opendir(folder);
  if (!directory)
    return;
  CacheFile *entries = NULL;
  intptr_t count = 0, capacity = 0;
  long long total = 0;
  for (struct dirent *d; (d = readdir(directory));) {
    struct stat status;
    if (!isEntry(d->d_name) || fstatat(dirfd(directory), d->d_name, &status, AT_SYMLINK_NOFOLLOW))
      continue;
    IR_RESERVE_ONE(entries, count, capacity);
    entries[count].size = status.st_size;
    entries[count].used = status.st_mtim;
    memcpy(entries[count++].name, d->d_name, NAME_LENGTH + 1);
    total += status.st_size;
  }
  if (total > limit)
    qsort(entries, (size_t)count, sizeof *entries, compareUse);
  for (intptr_t i = 0; i < count && total > limit; ++i) {
    unlinkat(dirfd(directory), entries[i].name, 0);
    total -= entries[i].size;
  }
  closedir(directory);
  free(entries);
}
