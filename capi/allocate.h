//===- allocate.h - when memory runs out ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing in LLVM goes on without memory, so Stitch does not either: the process ends with a message. A tool ends with
// exit status 1, as with any other error; its result is renamed to its name when it is whole, so none is left in parts.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_ALLOCATE_H
#define STITCH_CAPI_ALLOCATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// For the main of a tool: without memory for an allocation of Stitch's the process says so, by this name, and ends
/// with exit status 1. `tool` lives as long as the process.
void stitchExitWithoutMemory(const char *tool);

/// The same for allocations of LLVM, and of C++, too.
void stitchExitWithoutLLVMMemory(const char *tool);

/// Ends the process for want of `bytes` bytes; 0: it is not known how many.
__attribute__((noreturn)) void stitchOutOfMemory(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_ALLOCATE_H
