//===- compile.h - from a model's text to its model file -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_COMPILE_COMPILE_H
#define STITCH_TOOLS_STITCH_COMPILE_COMPILE_H

#include "tools/stitch-compile/options.h"

/// Compiles as the options say. On failure the reason has been printed and there is no output.
bool compileModel(const CompileOptions *options);

#endif // STITCH_TOOLS_STITCH_COMPILE_COMPILE_H
