//===- report_kernel.h - one kernel of the page ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_REPORT_REPORT_KERNEL_H
#define STITCH_COMPILER_REPORT_REPORT_KERNEL_H

#include "compiler/report/remarks.h"
#include "compiler/report/sequence.h"

#include <stdio.h>

/// Writes the box of a kernel: its launch, its groups as a graph, and the operations of each group.
void writeKernel(FILE *out, const ReportStep *kernel, const Remarks *remarks, bool open);

/// Writes an operation's name with the attributes that belong to it: "reduce add".
void writeOperation(FILE *out, MlirOperation op);

#endif // STITCH_COMPILER_REPORT_REPORT_KERNEL_H
