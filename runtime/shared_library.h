//===- shared_library.h - libraries that may be missing ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SHARED_LIBRARY_H
#define STITCH_RUNTIME_SHARED_LIBRARY_H

#include "runtime/status.h"

/// Opens the first of `names` (ended by NULL) that is there: in `folder`, or, if that is NULL, where the system's
/// loader looks. Fails with STITCH_NOT_FOUND, naming the libraries and folders, and why each was not taken. `purpose`
/// completes "there is no ...". The library stays in memory until the process ends: vendors' libraries keep threads of
/// their own.
StitchStatus stitchSharedLibraryOpen(const char *purpose, const char *folder, const char *const *names, void **handle);

/// Sets `function` to the address of a symbol; fails with STITCH_NOT_FOUND if there is none.
StitchStatus stitchSharedLibrarySymbol(const char *purpose, void *handle, const char *name, void *function);

void stitchSharedLibraryClose(void *handle);

#endif // STITCH_RUNTIME_SHARED_LIBRARY_H
