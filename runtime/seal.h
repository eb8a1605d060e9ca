//===- seal.h - model files are loaded as they were written --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system's loader trusts its file: a model file that was cut off or damaged on its way would end the process. So
// the compiler writes a seal behind the shared object, which loaders ignore, and the runtime checks it first.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SEAL_H
#define STITCH_RUNTIME_SEAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Appends the seal to a file. Returns 0 or an error number.
int stitchSealFile(const char *path);

typedef enum {
  STITCH_SEAL_GOOD,
  STITCH_SEAL_MISSING, ///< the file does not end with a seal
  STITCH_SEAL_BROKEN,  ///< the file is not the sealed one
  STITCH_SEAL_UNREAD   ///< the file cannot be read; errno says why
} StitchSealState;

/// Checks the seal of an open file, from its first byte to its last. `hash` is that of its bytes, if the seal is good.
StitchSealState stitchCheckSeal(int file, uint64_t *hash);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_SEAL_H
