//===- device_math.c - math functions without a CUDA toolkit -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bitcode that the build makes of device_math/device_functions.c and libclc, as a part of the program.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/device_math.h"

__asm__(".section .rodata, \"a\", @progbits\n"
        ".global stitchDeviceMathBegin\n"
        ".global stitchDeviceMathEnd\n"
        ".balign 16\n"
        "stitchDeviceMathBegin:\n"
        ".incbin \"" STITCH_DEVICE_MATH "\"\n"
        "stitchDeviceMathEnd:\n"
        ".byte 0\n"
        ".text\n");

extern const char stitchDeviceMathBegin[], stitchDeviceMathEnd[];

StitchBitcodeLibrary stitchDeviceMath(void) {
  return (StitchBitcodeLibrary){"libclc", stitchDeviceMathBegin, (size_t)(stitchDeviceMathEnd - stitchDeviceMathBegin)};
}
