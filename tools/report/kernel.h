//===- kernel.h - one kernel of the page ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_REPORT_KERNEL_H
#define STITCH_TOOLS_REPORT_KERNEL_H

#include "tools/report/remarks.h"
#include "tools/report/sequence.h"

#include <stdio.h>

/// Writes the box of a kernel: its launch, its groups as a graph, and the operations of each group.
void writeKernel(FILE *out, const Step *kernel, const Remarks *remarks, bool open);

/// Writes what an operation computes: "reduce add", with the attributes that its name does not tell.
void writeOperation(FILE *out, MlirOperation op);

#endif // STITCH_TOOLS_REPORT_KERNEL_H
