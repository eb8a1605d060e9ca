//===- hlo_region.h - regions of StableHLO operations ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for the conversions of operations with regions.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_REGION_H
#define STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_REGION_H

#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

//===----------------------------------------------------------------------===//
// Regions (hlo_region.c)
//===----------------------------------------------------------------------===//

/// Whether the operation has `expected` regions.
bool hloCheckNumRegions(HloConversion *c, intptr_t expected);
/// The stablehlo.return that ends the only block of a region; null if the region is not like that.
MlirOperation hloRegionEnd(MlirRegion region);
/// Operations in a block, its end among them.
intptr_t hloBlockLength(MlirBlock block);
/// Replaces the operation by `name`, with the same results and with its regions, converted too.
bool hloReplaceByRegionOp(HloConversion *c, const char *name, IrValues operands, IrAttrs attributes);

//===----------------------------------------------------------------------===//
// Bodies on whole tensors (hlo_map.c)
//===----------------------------------------------------------------------===//

/// Applies a body of elementwise operations, which are tg's by now, to tensors of a shape: one for each of its
/// arguments. `results` has room for the yielded values. False after an error.
bool hloMapBody(HloConversion *c, MlirBlock body, const MlirValue *arguments, IrShape shape, MlirValue *results);

//===----------------------------------------------------------------------===//
// Bodies of reductions and the like (hlo_combiner.c)
//===----------------------------------------------------------------------===//

/// A combiner of two elements, with tg's numbers.
typedef enum { KIND_ADD, KIND_MUL, KIND_MIN, KIND_MAX, KIND_AND, KIND_OR, KIND_XOR, NUM_KINDS } HloKind;

/// The elementwise operation of tg that combines as `kind`.
const char *hloCombinerName(int kind);
/// The kind of operation that combines `a` and `b`, in any order, and defines `value`; -1 if there is none.
int hloCombinerKind(MlirValue value, MlirValue a, MlirValue b);
/// The kind of region `region`, whose only block combines its two arguments and nothing else; otherwise -1.
int hloRegionKind(HloConversion *c, intptr_t region);
/// The element of a type that changes nothing in a combination of that kind; null if there is none that we know.
MlirAttribute hloIdentity(MlirContext context, int kind, MlirType element);
/// Whether `init`, of rank 0, is the constant that changes nothing.
bool hloIsIdentity(HloConversion *c, int kind, MlirValue init);
/// `value` with elements of type `element`, converted if it has others: StableHLO lets reductions work in a wider type.
MlirValue hloPromote(HloConversion *c, MlirValue value, MlirType element);

#endif // STITCH_LOWERING_IMPORT_STABLEHLO_TO_TG_HLO_REGION_H
