//===- flags.h - a plugin's passes as flags of mlir-opt ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_PLUGIN_FLAGS_H
#define STITCH_CAPI_PLUGIN_FLAGS_H

/// Makes a registered pass or named pipeline a flag, `--argument=options`, of the tool that is reading its command
/// line, if the tool has its other passes as flags. A pass also becomes a value of --mlir-print-ir-before and -after.
/// The strings must outlive the program. False if nothing was done.
bool stitchAddPassFlag(const char *argument, const char *description);

#endif // STITCH_CAPI_PLUGIN_FLAGS_H
