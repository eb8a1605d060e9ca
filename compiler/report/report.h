//===- report.h - a planned module as a page that a person reads ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_REPORT_REPORT_H
#define STITCH_COMPILER_REPORT_REPORT_H

#include "compiler/compiler_statistics.h"
#include "compiler/report/remarks.h"

typedef struct {
  const char *title;
  MlirOperation plan;           ///< the planned module
  const Statistics *statistics; ///< of graph and plan
  const Statistics *xla;        ///< of the same graph planned with plan=xla; NULL: no comparison
  const Remarks *remarks;       ///< of the planning passes; NULL: none
} Report;

/// The page: HTML with all that it needs inside. It depends on nothing but the report. The caller frees it; NULL
/// without memory.
char *reportPage(const Report *report, size_t *size);

#endif // STITCH_COMPILER_REPORT_REPORT_H
