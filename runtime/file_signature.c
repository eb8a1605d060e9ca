//===- file_signature.c - whose model files are loaded --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the path of a model file, and the public key that STITCH_MODEL_KEY names. Leaves a copy of the file in memory
// whose signature has been checked. The copy comes first: otherwise the file could be changed between its check and its
// loading. OpenSSL's libcrypto is opened only where a signature is asked for.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memfd_create

#include "runtime/file_signature.h"

#include "runtime/shared_library.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char purpose[] = "libcrypto of OpenSSL, which checks signatures";

enum { MAX_SIGNATURE = 4096 };

/// The functions used of it, in 1.1 and 3.
typedef struct {
  void *library;
  void *(*newFile)(const char *path, const char *mode);
  int (*freeFile)(void *file);
  void *(*readKey)(void *file, void **key, void *password, void *context);
  void (*freeKey)(void *key);
  void *(*newContext)(void);
  void (*freeContext)(void *context);
  int (*begin)(void *context, void **keyContext, const void *digest, void *engine, void *key);
  int (*verify)(void *context, const unsigned char *signature, size_t signatureSize, const unsigned char *data,
                size_t size);
} Crypto;

static StitchStatus openCrypto(Crypto *c) {
  static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so", NULL};
  const struct {
    const char *name;
    void *function;
  } functions[] = {
      {"BIO_new_file", &c->newFile},       {"BIO_free", &c->freeFile},         {"PEM_read_bio_PUBKEY", &c->readKey},
      {"EVP_PKEY_free", &c->freeKey},      {"EVP_MD_CTX_new", &c->newContext}, {"EVP_MD_CTX_free", &c->freeContext},
      {"EVP_DigestVerifyInit", &c->begin}, {"EVP_DigestVerify", &c->verify},
  };
  StitchStatus status = stitchSharedLibraryOpen(purpose, NULL, names, &c->library);
  for (size_t i = 0; !status && i < sizeof(functions) / sizeof(functions[0]); ++i)
    status = stitchSharedLibrarySymbol(purpose, c->library, functions[i].name, functions[i].function);
  return status;
}

static StitchStatus readError(const char *path) {
  StitchStatusCode code = errno == ENOENT ? STITCH_NOT_FOUND : STITCH_IO_ERROR;
  return stitchStatusMake(code, "cannot read '%s': %s", path, strerror(errno));
}

/// All of one file behind another one's end. 0, or an error number.
static int copyAll(int from, int to) {
  static const size_t piece = (size_t)1 << 20;
  char *data = malloc(piece);
  int error = data ? 0 : ENOMEM;
  for (ssize_t size = 1; !error && size > 0;) {
    size = read(from, data, piece);
    error = size < 0 ? errno : 0;
    for (ssize_t done = 0; !error && done < size;) {
      ssize_t count = write(to, data + done, (size_t)(size - done));
      error = count < 0 ? errno : 0;
      done += count;
    }
  }
  free(data);
  return error;
}

/// A copy in memory that cannot be changed any more.
static StitchStatus copyFile(const char *path, int *copy) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return stitchStatusMake(errno == ENOENT ? STITCH_NOT_FOUND : STITCH_IO_ERROR, "%s", strerror(errno));
  *copy = memfd_create("stitch-model", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int error = *copy < 0 ? errno : copyAll(file, *copy);
  if (!error && fcntl(*copy, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
    error = errno;
  close(file);
  return error ? stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(error)) : NULL;
}

static StitchStatus readSignature(const char *path, unsigned char *signature, size_t *size) {
  char name[PATH_MAX];
  if (snprintf(name, sizeof(name), "%s.sig", path) >= (int)sizeof(name))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "its name is too long");
  FILE *file = fopen(name, "rbe");
  if (!file && errno == ENOENT)
    return stitchStatusMake(STITCH_FAILED_PRECONDITION,
                            "it is not signed: there is no '%s', which STITCH_MODEL_KEY demands", name);
  if (!file)
    return readError(name);
  *size = fread(signature, 1, MAX_SIGNATURE, file);
  bool failed = ferror(file) != 0;
  fclose(file);
  return failed ? stitchStatusMake(STITCH_IO_ERROR, "cannot read '%s'", name) : NULL;
}

/// The key from its file; NULL with an error.
static StitchStatus readKey(const Crypto *c, const char *path, void **key) {
  if (access(path, R_OK))
    return readError(path);
  void *file = c->newFile(path, "r");
  *key = file ? c->readKey(file, NULL, NULL, NULL) : NULL;
  if (file)
    c->freeFile(file);
  return *key ? NULL : stitchStatusMake(STITCH_INVALID_ARGUMENT, "'%s' has no public key in PEM", path);
}

/// Whether the signature is that of a file's bytes, by the key.
static bool isSigned(const Crypto *c, void *key, int file, const unsigned char *signature, size_t size) {
  struct stat info;
  void *data = fstat(file, &info) || info.st_size == 0
                   ? MAP_FAILED
                   : mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  void *context = c->newContext();
  bool isGood = data != MAP_FAILED && context && c->begin(context, NULL, NULL, NULL, key) == 1 &&
                c->verify(context, signature, size, data, (size_t)info.st_size) == 1;
  if (context)
    c->freeContext(context);
  if (data != MAP_FAILED)
    munmap(data, (size_t)info.st_size);
  return isGood;
}

StitchStatus stitchSignedCopy(const char *path, int *copy) {
  const char *keyPath = getenv("STITCH_MODEL_KEY");
  *copy = -1;
  if (!keyPath || !*keyPath)
    return NULL;
  Crypto c = {0};
  void *key = NULL;
  unsigned char signature[MAX_SIGNATURE];
  size_t size = 0;
  StitchStatus status = openCrypto(&c);
  status = status ? status : readKey(&c, keyPath, &key);
  status = status ? status : copyFile(path, copy);
  status = status ? status : readSignature(path, signature, &size);
  if (!status && !isSigned(&c, key, *copy, signature, size))
    status = stitchStatusMake(STITCH_FAILED_PRECONDITION, "'%s.sig' is no signature of it by the key in '%s'", path,
                              keyPath);
  if (key)
    c.freeKey(key);
  stitchSharedLibraryClose(c.library);
  if (status && *copy >= 0) {
    close(*copy);
    *copy = -1;
  }
  return status;
}
