//===- stablehlo.td - a reader of StableHLO text ----------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_STABLEHLO_TD
#define STITCH_STABLEHLO_TD

include "mlir/IR/OpBase.td"

def StableHLOReader_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::stablehlo_reader";
  let summary = "Reads the text that JAX and PyTorch export";
}

#endif // STITCH_STABLEHLO_TD
