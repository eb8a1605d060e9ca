//===- predicates.h - the predicates of arith's comparisons --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_MLIR_PREDICATES_H
#define STITCH_IR_MLIR_PREDICATES_H

/// Predicates of arith.cmpi, with arith's numbers.
typedef enum {
  IR_CMPI_EQ,
  IR_CMPI_NE,
  IR_CMPI_SLT,
  IR_CMPI_SLE,
  IR_CMPI_SGT,
  IR_CMPI_SGE,
  IR_CMPI_ULT,
  IR_CMPI_ULE,
  IR_CMPI_UGT,
  IR_CMPI_UGE
} IrCmpIPredicate;

/// Predicates of arith.cmpf, with arith's numbers (O: ordered, U: unordered).
typedef enum {
  IR_CMPF_FALSE,
  IR_CMPF_OEQ,
  IR_CMPF_OGT,
  IR_CMPF_OGE,
  IR_CMPF_OLT,
  IR_CMPF_OLE,
  IR_CMPF_ONE,
  IR_CMPF_ORD,
  IR_CMPF_UEQ,
  IR_CMPF_UGT,
  IR_CMPF_UGE,
  IR_CMPF_ULT,
  IR_CMPF_ULE,
  IR_CMPF_UNE,
  IR_CMPF_UNO,
  IR_CMPF_TRUE
} IrCmpFPredicate;

#endif // STITCH_IR_MLIR_PREDICATES_H
