//===- scalar_complex.h - arithmetic on one complex element ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of type complex<f32> and complex<f64>, held as values of MLIR's complex type. A null value: there is no
// such operation.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_SCALAR_SCALAR_COMPLEX_H
#define STITCH_LOWERING_SCALAR_SCALAR_COMPLEX_H

#include "ir/graph/tg.h"
#include "ir/mlir/build.h"

/// A real constant.
MlirValue scalarComplexConstant(IrBuilder *b, MlirType element, double value);
MlirValue scalarComplexCombine(IrBuilder *b, TgKind kind, MlirValue lhs, MlirValue rhs);
/// These take real numbers, too.
MlirValue scalarConjugate(IrBuilder *b, MlirValue x);
MlirValue scalarRealPart(IrBuilder *b, MlirValue x);
/// An elementwise operation with a complex operand or result.
MlirValue scalarComplexOperation(IrBuilder *b, MlirOperation op, const MlirValue *operands);

#endif // STITCH_LOWERING_SCALAR_SCALAR_COMPLEX_H
