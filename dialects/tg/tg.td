//===- tg.td - the tensor graph dialect ------------------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_TD
#define STITCH_TG_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TG_Dialect : Dialect {
  let name = "tg";
  let cppNamespace = "::tg";
  let summary = "Machine-learning graphs of tensor operations with value semantics";
}

#endif // STITCH_TG_TD
