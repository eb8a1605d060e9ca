//===- ptx_prefetch.h - memory that is asked for before a wait ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_PTX_PTX_PREFETCH_H
#define STITCH_LOWERING_PTX_PTX_PREFETCH_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

/// An attribute of a kernel's function, a string: its prefetches before it waits for the kernels before it. Of each
/// prefetch the number of the argument, and offset, bytes and bytes of a piece: "0 0 4096 128;3 1024 64 128".
#define STITCH_PREFETCH_ATTRIBUTE "stitch-prefetch"

/// Replaces the stitch.prefetch of the kernels of a gpu.module by calls of a function, those that are `ahead` by the
/// attribute of their kernel. On processors before sm_90 they go: they are hints. False after an error.
bool lowerPrefetches(MlirOperation gpuModule, int arch);

/// Writes the instructions of an attribute's prefetches to `text`, of `size` bytes, for the kernel `name`, of `length`
/// characters. Returns their length; with a size of 0 it only counts.
size_t stitchPrefetchText(char *text, size_t size, const char *attribute, const char *name, int length);

#endif // STITCH_LOWERING_PTX_PTX_PREFETCH_H
