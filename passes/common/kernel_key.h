//===- kernel_key.h - which kernels are the same -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's key is a hash of its graph: names, attributes and types of its operations, and the order in which operands
// are met. Names, attributes and types are unique in a context, so that their addresses stand for them. Locations are
// left out.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_COMMON_KERNEL_KEY_H
#define STITCH_PASSES_COMMON_KERNEL_KEY_H

#include "capi/kernel_times.h"

/// The key of no words.
StitchKernelKey kernelKeyBegin(void);
void kernelKeyPut(StitchKernelKey *key, uint64_t word);
void kernelKeyPutText(StitchKernelKey *key, const char *text);
void kernelKeyPutAttributes(StitchKernelKey *key, MlirOperation op);
/// The types of an operation's operands, and the operation with its regions. False if these use values from outside,
/// which count by their addresses: such a key is of no use when the values are gone.
bool kernelKeyPutOperation(StitchKernelKey *key, MlirOperation op);
/// The attributes of the modules around an operation that times depend on: the device, and measured times.
void kernelKeyPutModule(StitchKernelKey *key, MlirOperation op);

#endif // STITCH_PASSES_COMMON_KERNEL_KEY_H
