//===- cusolver.c - cuSOLVER, opened at run time -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of cusolver_symbols.def in libcusolver, creates the session's handle and parameters, and turns
// statuses of the library into StitchStatus.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cusolver.h"

#include "runtime/shared_library.h"

static const char purpose[] = "cuSOLVER";
enum { OLDEST_VERSION = 11000 };

typedef struct {
  cusolverStatus_t result;
  const char *name, *text;
} CusolverMeaning;

/// The library has no function that names its results.
static const CusolverMeaning meanings[] = {
    {CUSOLVER_STATUS_NOT_INITIALIZED, "CUSOLVER_STATUS_NOT_INITIALIZED", "the library cannot be initialized"},
    {CUSOLVER_STATUS_ALLOC_FAILED, "CUSOLVER_STATUS_ALLOC_FAILED", "out of memory"},
    {CUSOLVER_STATUS_INVALID_VALUE, "CUSOLVER_STATUS_INVALID_VALUE", "an invalid argument"},
    {CUSOLVER_STATUS_ARCH_MISMATCH, "CUSOLVER_STATUS_ARCH_MISMATCH", "not on this GPU"},
    {CUSOLVER_STATUS_EXECUTION_FAILED, "CUSOLVER_STATUS_EXECUTION_FAILED", "a launch failed"},
    {CUSOLVER_STATUS_INTERNAL_ERROR, "CUSOLVER_STATUS_INTERNAL_ERROR", "an error of the driver or of cuSOLVER"},
    {CUSOLVER_STATUS_NOT_SUPPORTED, "CUSOLVER_STATUS_NOT_SUPPORTED", "not supported"},
};

StitchStatus stitchCusolverCheck(cusolverStatus_t result, const char *call) {
  if (result == CUSOLVER_STATUS_SUCCESS)
    return NULL;
  CusolverMeaning meaning = {result, "an error", "see cusolverStatus_t in cuSOLVER's documentation"};
  for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); ++i)
    if (meanings[i].result == result)
      meaning = meanings[i];
  return stitchStatusMake(result == CUSOLVER_STATUS_ALLOC_FAILED ? STITCH_OUT_OF_MEMORY : STITCH_DEVICE_ERROR,
                          "%s: %s (%d): %s", call, meaning.name, (int)result, meaning.text);
}

static StitchStatus findFunctions(StitchCusolver *solver) {
  StitchStatus status = NULL;
#define CUSOLVER_SYMBOL(name, parameters)                                                                              \
  if (!status)                                                                                                         \
    status = stitchSharedLibrarySymbol(purpose, solver->library, #name, &solver->name);
#include "runtime/cuda/cusolver_symbols.def"
#undef CUSOLVER_SYMBOL
  return status;
}

/// After a failed call its argument is no handle.
static StitchStatus createHandles(StitchCusolver *solver) {
  StitchStatus status = CUSOLVER_CALL(solver, cusolverDnCreate, &solver->handle);
  if (status) {
    solver->handle = NULL;
    return status;
  }
  status = CUSOLVER_CALL(solver, cusolverDnCreateParams, &solver->parameters);
  if (status)
    solver->parameters = NULL;
  return status;
}

StitchStatus stitchCusolverOpen(const char *folder, StitchCusolver *solver) {
  static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", NULL};
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &solver->library);
  if (!status)
    status = findFunctions(solver);
  if (!status)
    status = CUSOLVER_CALL(solver, cusolverGetVersion, &solver->version);
  if (!status && solver->version < OLDEST_VERSION)
    status = stitchStatusMake(STITCH_NOT_FOUND, "%s %d.%d is too old: 11.0 or later is needed", purpose,
                              solver->version / 1000, solver->version / 100 % 10);
  return status ? status : createHandles(solver);
}

void stitchCusolverClose(StitchCusolver *solver) {
  if (solver->parameters)
    solver->cusolverDnDestroyParams(solver->parameters);
  if (solver->handle)
    solver->cusolverDnDestroy(solver->handle);
  stitchSharedLibraryClose(solver->library);
  *solver = (StitchCusolver){0};
}
