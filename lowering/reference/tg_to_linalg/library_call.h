//===- library_call.h - calls of libraries by the reference -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Such an operation becomes a call of a private function `@dot_N` on buffers, named after its kind, whose
// `stitch.library` attribute describes it (docs/ir.md, section 3). Equal problems share a function.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LIBRARY_CALL_H
#define STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LIBRARY_CALL_H

#include "lowering/reference/tg_to_linalg/lowering.h"

/// Has a library compute the only result of an operation from all operands: the attributes, with the kind, describe the
/// call.
MlirValue callLibrary(const Lowering *l, const char *kind, intptr_t count, const MlirNamedAttribute *attributes);

#endif // STITCH_LOWERING_REFERENCE_TG_TO_LINALG_LIBRARY_CALL_H
