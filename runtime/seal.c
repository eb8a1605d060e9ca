//===- seal.c - model files are loaded as they were written --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the seal behind a file: magic number, size and hash. Checks it by reading the file in pieces; a wrong size or
// hash is a damaged file.
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
static uint64_t addToHash(uint64_t hash, const unsigned char *data, size_t size) {
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, data + i, size - i < sizeof(word) ? size - i : sizeof(word));
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash = hash << 29 | hash >> 35;
  }
  return hash;
}

/// Of the first `size` bytes of a file, some of which are in memory at a time. 0, or an error number.
static int hashFile(int file, size_t size, uint64_t *hash) {
  static const size_t piece = (size_t)16 << 20;
  *hash = UINT64_C(0xcbf29ce484222325);
  for (size_t at = 0; at < size; at += piece) {
    size_t length = size - at < piece ? size - at : piece;
    void *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, (off_t)at);
    if (data == MAP_FAILED)
      return errno;
    *hash = addToHash(*hash, data, length);
    munmap(data, length);
  }
  return 0;
}

static int writeSeal(int file) {
  struct stat info;
  if (fstat(file, &info))
    return errno;
  if (info.st_size == 0)
    return EINVAL;
  Seal seal = {(uint64_t)info.st_size, 0, magic};
  int error = hashFile(file, (size_t)info.st_size, &seal.hash);
  if (error)
    return error;
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

StitchSealState stitchCheckSeal(int file, uint64_t *hash) {
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
  if (hashFile(file, size, hash))
    return STITCH_SEAL_UNREAD;
  return *hash == seal.hash ? STITCH_SEAL_GOOD : STITCH_SEAL_BROKEN;
}
