//===- file_signature.h - whose model files are loaded --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model file is code, and runs with the rights of who loads it (docs/artifacts.md). The seal (seal.h) finds damage;
// who may make model files says a signature. It is in a file of its own, PATH.sig, and is checked before the system's
// loader reads anything.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_FILE_SIGNATURE_H
#define STITCH_RUNTIME_FILE_SIGNATURE_H

#include "runtime/status.h"

/// Where the environment's STITCH_MODEL_KEY names a public key (PEM; Ed25519, say), and PATH.sig signs the file,
/// `*copy` becomes a file in memory with the bytes of `path`. It cannot be changed any more, and the caller closes it.
/// Without a key it becomes -1. Fails with STITCH_FAILED_PRECONDITION if the file is not signed by the key, with
/// STITCH_NOT_FOUND or STITCH_IO_ERROR if it, the key or OpenSSL's libcrypto cannot be read.
StitchStatus stitchSignedCopy(const char *path, int *copy);

#endif // STITCH_RUNTIME_FILE_SIGNATURE_H
