//===- seal.c - model files are loaded as they were written --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// The last bytes of a model file.
typedef struct {
  uint64_t bytes; ///< of the file without the seal
  uint64_t hash;
  uint64_t magic; ///< "stitchsl"
} Seal;

static const uint64_t magic = UINT64_C(0x6c73686374697473);

/// FNV-1a over words instead of bytes, with a rotation so that high bits reach low ones. Each step is a bijection of
/// the state and of the word: files that differ in one word have different hashes.
static uint64_t hashOf(const unsigned char *data, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, data + i, size - i < sizeof(word) ? size - i : sizeof(word));
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash = hash << 29 | hash >> 35;
  }
  return hash;
}

/// Maps the first `size` bytes of a file; NULL with errno set.
static const unsigned char *mapFile(int file, size_t size) {
  void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  return data == MAP_FAILED ? NULL : data;
}

static int writeSeal(int file) {
  struct stat info;
  if (fstat(file, &info))
    return errno;
  if (info.st_size == 0)
    return EINVAL;
  const unsigned char *data = mapFile(file, (size_t)info.st_size);
  if (!data)
    return errno;
  Seal seal = {(uint64_t)info.st_size, hashOf(data, (size_t)info.st_size), magic};
  munmap((void *)data, (size_t)info.st_size);
  ssize_t written = pwrite(file, &seal, sizeof(seal), info.st_size);
  return written == sizeof(seal) ? 0 : written < 0 ? errno : EIO;
}

int stitchSealFile(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return errno;
  int error = writeSeal(file);
  return close(file) && !error ? errno : error;
}

StitchSealState stitchCheckSeal(int file) {
  struct stat info;
  if (fstat(file, &info))
    return STITCH_SEAL_UNREAD;
  Seal seal = {0};
  size_t size = (size_t)info.st_size;
  if (size <= sizeof(seal))
    return STITCH_SEAL_MISSING;
  ssize_t count = pread(file, &seal, sizeof(seal), info.st_size - (off_t)sizeof(seal));
  if (count != sizeof(seal))
    return STITCH_SEAL_UNREAD;
  if (seal.magic != magic)
    return STITCH_SEAL_MISSING;
  size -= sizeof(seal);
  if (seal.bytes != size)
    return STITCH_SEAL_BROKEN;
  const unsigned char *data = mapFile(file, size);
  if (!data)
    return STITCH_SEAL_UNREAD;
  bool isGood = hashOf(data, size) == seal.hash;
  munmap((void *)data, size);
  return isGood ? STITCH_SEAL_GOOD : STITCH_SEAL_BROKEN;
}
