//===- tg.td - the tensor graph dialect ------------------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op set, one file for each family. In assembly, an operation prints its operands, then each attribute after a
// keyword that is the attribute's name, then its types.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_TD
#define STITCH_TG_TD

include "dialects/tg/tg_base.td"
include "dialects/tg/tg_elementwise.td"
include "dialects/tg/tg_movement.td"
include "dialects/tg/tg_reduction.td"
include "dialects/tg/tg_contraction.td"
include "dialects/tg/tg_linear_algebra.td"
include "dialects/tg/tg_window.td"
include "dialects/tg/tg_region.td"
include "dialects/tg/tg_compound.td"
include "dialects/tg/tg_control.td"
include "dialects/tg/tg_device.td"

#endif // STITCH_TG_TD
