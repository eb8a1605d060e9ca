//===- tg_allow_tf32.c - tg-allow-tf32 -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the option tf32 of stitch-pipeline. Takes tg operations. Leaves each tg.dot of f32 without a precision
// with `precision tf32` (docs/precision.md). The module gets the attribute stitch.tf32, so that the error bounds of the
// model can be counted on the same products. Products with full precision keep it.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "passes/common/collect.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_ALLOWED };

static bool isOfF32(MlirOperation op) {
  return tgKindOf(op) == TG_dot && mlirTypeIsAF32(irElementTypeOf(irOperand(op, 0))) &&
         mlirTypeIsAF32(irElementTypeOf(irOperand(op, 1))) && mlirTypeIsAF32(irElementTypeOf(irResult(op, 0)));
}

static void run(StitchPassRun pass, MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  Operations products = collectOperations(module, isOfF32, MlirWalkPreOrder);
  for (intptr_t i = 0; i < products.count; ++i) {
    MlirOperation product = products.data[i];
    TgPrecision precision = tgPrecisionOf(product);
    stitchRemark(product, "its operands may %sbe rounded to TF32: %s", precision == TG_PRECISION_FULL ? "not " : "",
                 precision == TG_PRECISION_DEFAULT ? "it has no precision, and tf32=true allows it"
                                                   : "it says so itself");
    if (precision != TG_PRECISION_DEFAULT)
      continue;
    irSetAttr(product, "precision", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), TG_PRECISION_TF32));
    stitchPassAddStatistic(pass, STATISTIC_ALLOWED, 1);
  }
  free(products.data);
  irSetAttr(module, "stitch.tf32", mlirUnitAttrGet(context));
}

static const StitchPassStatistic statistics[] = {
    {"allowed-products", "products whose operands may be rounded to TF32 as the caller allows it for all"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo tgAllowTf32Pass = {
    .argument = "tg-allow-tf32",
    .description = "Allow products of f32 that say nothing of their precision to round their operands to TF32",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
