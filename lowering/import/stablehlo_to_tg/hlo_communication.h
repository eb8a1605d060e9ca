//===- hlo_communication.h - collectives of several processes -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions for programs of several processes, which hlo_collective.c calls after it has checked dimensions, channels
// and bodies. Each replaces all results; false after an error.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_COMMUNICATION_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_COMMUNICATION_H

#include "lowering/import/stablehlo_to_tg/hlo_region.h"

/// Gathers, exchanges, and sums without a body.
bool hloSpreadCollective(HloConversion *c);
/// Reductions whose body works on `element`; it is of that kind, or -1: of no kind that tg has.
bool hloSpreadReduction(HloConversion *c, MlirType element, int kind);
/// `roots` has for each result which process of a group sends it; null: the first.
bool hloSpreadBroadcast(HloConversion *c, const int64_t *roots);
bool hloSpreadPermute(HloConversion *c);
bool hloSpreadProcessId(HloConversion *c);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_COMMUNICATION_H
