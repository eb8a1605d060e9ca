//===- cufft.c - cuFFT, opened at run time -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of cufft_symbols.def in libcufft, and turns results of the library into StitchStatus. cuFFT has
// no handle: plans are made for each problem (cuda_fft.c).
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cufft.h"

#include "runtime/shared_library.h"

static const char purpose[] = "cuFFT";
enum { OLDEST_VERSION = 11000 };

typedef struct {
  cufftResult result;
  StitchStatusCode code;
  const char *name, *text;
} CufftMeaning;

/// The library has no function that names its results.
static const CufftMeaning meanings[] = {
    {CUFFT_INVALID_PLAN, STITCH_DEVICE_ERROR, "CUFFT_INVALID_PLAN", "no such plan"},
    {CUFFT_ALLOC_FAILED, STITCH_OUT_OF_MEMORY, "CUFFT_ALLOC_FAILED", "out of memory"},
    {CUFFT_INVALID_TYPE, STITCH_UNIMPLEMENTED, "CUFFT_INVALID_TYPE", "no such type of transform"},
    {CUFFT_INVALID_VALUE, STITCH_DEVICE_ERROR, "CUFFT_INVALID_VALUE", "an invalid argument"},
    {CUFFT_INTERNAL_ERROR, STITCH_DEVICE_ERROR, "CUFFT_INTERNAL_ERROR", "an error of the driver or of cuFFT"},
    {CUFFT_EXEC_FAILED, STITCH_DEVICE_ERROR, "CUFFT_EXEC_FAILED", "a launch failed"},
    {CUFFT_SETUP_FAILED, STITCH_DEVICE_ERROR, "CUFFT_SETUP_FAILED", "the library cannot be initialized"},
    {CUFFT_INVALID_SIZE, STITCH_UNIMPLEMENTED, "CUFFT_INVALID_SIZE", "no transform of these sizes"},
    {CUFFT_INVALID_DEVICE, STITCH_DEVICE_ERROR, "CUFFT_INVALID_DEVICE", "the plan is for another GPU"},
    {CUFFT_NO_WORKSPACE, STITCH_DEVICE_ERROR, "CUFFT_NO_WORKSPACE", "the plan has no workspace"},
    {CUFFT_NOT_IMPLEMENTED, STITCH_UNIMPLEMENTED, "CUFFT_NOT_IMPLEMENTED", "not implemented"},
    {CUFFT_NOT_SUPPORTED, STITCH_UNIMPLEMENTED, "CUFFT_NOT_SUPPORTED", "not supported"},
};

StitchStatus stitchCufftCheck(cufftResult result, const char *call) {
  if (result == CUFFT_SUCCESS)
    return NULL;
  CufftMeaning meaning = {result, STITCH_DEVICE_ERROR, "an error", "see cufftResult in cuFFT's documentation"};
  for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); ++i)
    if (meanings[i].result == result)
      meaning = meanings[i];
  return stitchStatusMake(meaning.code, "%s: %s (%d): %s", call, meaning.name, (int)result, meaning.text);
}

StitchStatus stitchCufftOpen(const char *folder, StitchCufft *fft) {
  static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", NULL};
  StitchStatus status = stitchSharedLibraryOpen(purpose, folder, names, &fft->library);
#define CUFFT_SYMBOL(name, parameters)                                                                                 \
  if (!status)                                                                                                         \
    status = stitchSharedLibrarySymbol(purpose, fft->library, #name, &fft->name);
#include "runtime/cuda/cufft_symbols.def"
#undef CUFFT_SYMBOL
  if (!status)
    status = CUFFT_CALL(fft, cufftGetVersion, &fft->version);
  if (!status && fft->version < OLDEST_VERSION)
    status = stitchStatusMake(STITCH_NOT_FOUND, "%s %d.%d is too old: 11.0 or later is needed", purpose,
                              fft->version / 1000, fft->version / 100 % 10);
  return status;
}

void stitchCufftClose(StitchCufft *fft) {
  stitchSharedLibraryClose(fft->library);
  *fft = (StitchCufft){0};
}
