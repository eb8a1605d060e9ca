//===- lapack.c - functions of LAPACK and BLAS ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for LAPACK and BLAS in the system's libraries once in a process, and hands out potrf and trsm of an element
// type: theirs, or those of lapack_loops.c.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/lapack.h"

#include "runtime/shared_library.h"

#include <pthread.h>
#include <stdio.h>

/// The letter with which the names of a type's functions begin.
#define LAPACK_TYPES(X)                                                                                                \
  X(F32, 's')                                                                                                          \
  X(F64, 'd')                                                                                                          \
  X(COMPLEX64, 'c')                                                                                                    \
  X(COMPLEX128, 'z')

enum {
#define LAPACK_ENUMERATOR(type, letter) TYPE_##type,
  LAPACK_TYPES(LAPACK_ENUMERATOR)
#undef LAPACK_ENUMERATOR
      NUM_TYPES
};

static StitchLapack systems[NUM_TYPES]; // set once by openLibrary; NULL where there is no library

static const char purpose[] = "LAPACK";

static StitchStatus loadFunctions(void *library, char letter, StitchLapack *functions) {
  char potrf[] = "?potrf_", trsm[] = "?trsm_";
  potrf[0] = trsm[0] = letter;
  StitchLapack found;
  StitchStatus status = stitchSharedLibrarySymbol(purpose, library, potrf, &found.potrf);
  if (!status)
    status = stitchSharedLibrarySymbol(purpose, library, trsm, &found.trsm);
  if (!status)
    *functions = found;
  return status;
}

/// A library that is missing, or lacks a function, is no failure: the loops compute the same.
static void openLibrary(void) {
  static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", NULL};
  void *library;
  StitchStatus status = stitchSharedLibraryOpen(purpose, NULL, names, &library);
#define LAPACK_LOAD(type, letter)                                                                                      \
  if (!status)                                                                                                         \
    status = loadFunctions(library, letter, &systems[TYPE_##type]);
  LAPACK_TYPES(LAPACK_LOAD)
#undef LAPACK_LOAD
  stitchStatusFree(status);
}

StitchLapack stitchLapackOf(StitchElementType type) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, openLibrary);
  switch (type) {
#define LAPACK_CASE(type, letter)                                                                                      \
  case STITCH_ELEMENT_##type:                                                                                          \
    return systems[TYPE_##type].potrf ? systems[TYPE_##type] : stitchLapackLoops(STITCH_ELEMENT_##type);
    LAPACK_TYPES(LAPACK_CASE)
#undef LAPACK_CASE
  default:
    return (StitchLapack){NULL, NULL};
  }
}
