//===- hlo_random.c - random numbers --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes rng and rng_bit_generator of StableHLO. Leaves tg.rng and tg.rng_bit_generator, whose algorithms are in
// docs/ir.md. An unknown distribution or algorithm is an error.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include <string.h>

/// The position of `keyword` in a list of `count`; -1 if it is not there.
static int findKeyword(const char *keyword, const char *const *keywords, int count) {
  for (int i = 0; i < count; ++i)
    if (!strcmp(keyword, keywords[i]))
      return i;
  return -1;
}

/// The third operand is the result's shape, which is static.
bool hloConvertRng(HloConversion *c) {
  enum { UNIFORM };
  static const char *const distributions[] = {"UNIFORM", "NORMAL"};
  int distribution = findKeyword(hloEnumKeyword(c, "rng_distribution", "rng_distribution"), distributions, 2);
  if (distribution < 0)
    return hloFail(c, "unknown distribution '%s'", hloAttrText(c, "rng_distribution"));
  MlirType element = irElementTypeOf(irResult(c->op, 0));
  if (distribution == UNIFORM && irIsFloat(element) && mlirFloatTypeGetWidth(element) == 6)
    return hloFail(c, "uniform floats of 6 bits are not supported: there are no integers of their bits");
  return hloReplaceBy(c, IR_VALUES(hloOperand(c, 0), hloOperand(c, 1)),
                      IR_ATTRS(irI32(&c->b, "distribution", distribution)));
}

bool hloConvertRngBitGenerator(HloConversion *c) {
  static const char *const algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  int algorithm = findKeyword(hloEnumKeyword(c, "rng_algorithm", "rng_algorithm"), algorithms, 3);
  if (algorithm < 0)
    return hloFail(c, "unknown algorithm '%s'", hloAttrText(c, "rng_algorithm"));
  return hloReplaceByResults(c, irOp(&c->b, c->rule->to, hloOperandsFrom(c, 0), hloResultTypes(c),
                                     IR_ATTRS(irI32(&c->b, "rng_algorithm", algorithm))));
}
