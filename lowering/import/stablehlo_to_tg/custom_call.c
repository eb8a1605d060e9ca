//===- custom_call.c - custom calls, of which some are known -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a CPU, JAX calls LAPACK, and for a GPU cuSOLVER, in place of StableHLO's own operations. These calls are the
// operations, with their options as letters (LAPACK's) in a dictionary. All other calls become tg.custom_call, which is
// refused where it would have to be executed.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "lowering/import/stablehlo_to_tg/hlo_processes.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

//===----------------------------------------------------------------------===//
// The dictionary of options
//===----------------------------------------------------------------------===//

static MlirAttribute option(HloConversion *c, const char *name) {
  MlirAttribute options = irGetAttr(c->op, "mhlo.backend_config");
  if (mlirAttributeIsNull(options))
    options = irGetAttr(c->op, "backend_config");
  if (mlirAttributeIsNull(options) || !mlirAttributeIsADictionary(options))
    return mlirAttributeGetNull();
  return mlirDictionaryAttrGetElementByName(options, mlirStringRefCreateFromCString(name));
}

/// The number of an option's letter among `letters`; -1, reported, if it is none of them.
static int letterNumber(HloConversion *c, const char *name, const char *letters) {
  MlirAttribute letter = option(c, name);
  if (!mlirAttributeIsNull(letter) && mlirAttributeIsAInteger(letter) &&
      mlirIntegerTypeIsUnsigned(mlirAttributeGetType(letter)))
    for (int i = 0; letters[i]; ++i)
      if (mlirIntegerAttrGetValueUInt(letter) == (uint64_t)letters[i])
        return i;
  hloFail(c, "option '%s' of the call is none of the letters %s", name, letters);
  return -1;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// 1 for each matrix whose factor is NaN, which shows on the diagonal's end, else 0.
static MlirValue failures(HloConversion *c, MlirValue factor) {
  IrShape shape = irShapeOf(factor);
  int64_t last = shape.dims[shape.rank - 1] - 1;
  if (last < 0)
    return tgSplat(&c->b, hloResultType(c, 1), 0);
  MlirValue end =
      tgSlice(&c->b, tgSlice(&c->b, factor, shape.rank - 1, last, last + 1), shape.rank - 2, last, last + 1);
  MlirType element = irElementTypeOf(end);
  if (mlirTypeIsAComplex(element)) {
    MlirType part = tgWithElement(mlirValueGetType(end), mlirComplexTypeGetElementType(element));
    end = irValueOf(&c->b, "tg.real", IR_VALUES(end), part, IR_NO_ATTRS);
  }
  MlirValue isNan = tgCompare(&c->b, TG_NE, end, end);
  shape.rank -= 2;
  isNan = tgReshape(&c->b, isNan, tgWithShape(mlirValueGetType(isNan), shape));
  return tgConvert(&c->b, isNan, irElementType(hloResultType(c, 1)));
}

/// The factor, and for each matrix a number that is 0 if it has one.
static bool replaceByCholesky(HloConversion *c, TgTriangle triangle) {
  MlirType type = hloResultType(c, 0);
  MlirValue factor =
      irValueOf(&c->b, "tg.cholesky", IR_VALUES(hloOperand(c, 0)), type, IR_ATTRS(irI32(&c->b, "triangle", triangle)));
  return hloReplaceResult(c, 0, factor) && hloReplaceResult(c, 1, failures(c, factor));
}

static bool hasOneOperandAndInfo(HloConversion *c) {
  if (mlirOperationGetNumOperands(c->op) != 1 || mlirOperationGetNumResults(c->op) != 2 ||
      irTypeShape(hloResultType(c, 0)).rank < 2 ||
      irTypeShape(hloResultType(c, 1)).rank != irTypeShape(hloResultType(c, 0)).rank - 2)
    return hloFail(c, "the call must have one operand and two results: factors, and a number for each");
  return true;
}

static bool convertLapackPotrf(HloConversion *c) {
  int triangle = letterNumber(c, "uplo", "LU");
  return triangle >= 0 && hasOneOperandAndInfo(c) && replaceByCholesky(c, triangle);
}

static bool convertCusolverPotrf(HloConversion *c) {
  MlirAttribute lower = option(c, "lower");
  if (mlirAttributeIsNull(lower) || !mlirAttributeIsABool(lower))
    return hloFail(c, "option 'lower' of the call is missing");
  return hasOneOperandAndInfo(c) && replaceByCholesky(c, mlirBoolAttrGetValue(lower) ? TG_LOWER : TG_UPPER);
}

static bool convertLapackTrsm(HloConversion *c) {
  int side = letterNumber(c, "side", "LR"), triangle = letterNumber(c, "uplo", "LU");
  int transposition = letterNumber(c, "trans_x", "NTC"), isUnit = letterNumber(c, "diag", "NU");
  if (side < 0 || triangle < 0 || transposition < 0 || isUnit < 0)
    return false;
  if (mlirOperationGetNumOperands(c->op) != 2 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "the call must have two operands and one result");
  MlirNamedAttribute attributes[] = {irI32(&c->b, "side", side), irI32(&c->b, "triangle", triangle),
                                     irI32(&c->b, "transposition", transposition), irUnit(&c->b, "unit_diagonal")};
  return hloReplaceResult(c, 0,
                          irValueOf(&c->b, "tg.triangular_solve", hloOperandsFrom(c, 0), hloResultType(c, 0),
                                    (IrAttrs){isUnit ? 4 : 3, attributes}));
}

/// Annotations of older programs, and of some exported ones, about devices: on one device they mean nothing.
static bool convertAnnotation(HloConversion *c) {
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(c->op, "call_target_name"));
  if (hloNumProcesses(c->op) > 1)
    return hloFail(c, "'%.*s' asks a partitioner to spread values over devices: write it with jax.shard_map",
                   (int)name.length, name.data);
  return hloReplaceByOperands(c);
}

static const struct {
  const char *target;
  bool (*convert)(HloConversion *c);
} knownCalls[] = {
    {"Sharding", convertAnnotation},
    {"SPMDFullToShardShape", convertAnnotation},
    {"SPMDShardToFullShape", convertAnnotation},
    {"xla.sdy.FuncResultSharding", convertAnnotation},
    {"xla.sdy.GlobalToLocalShape", convertAnnotation},
    {"xla.sdy.LocalToGlobalShape", convertAnnotation},
    {"xla.sdy.PropagationBarrier", convertAnnotation},
    {"xla.sdy.Sharding", convertAnnotation},
    {"xla.sdy.ShardingGroup", convertAnnotation},
    {"cusolver_potrf_ffi", convertCusolverPotrf},
    {"lapack_cpotrf_ffi", convertLapackPotrf},
    {"lapack_ctrsm_ffi", convertLapackTrsm},
    {"lapack_dpotrf_ffi", convertLapackPotrf},
    {"lapack_dtrsm_ffi", convertLapackTrsm},
    {"lapack_spotrf_ffi", convertLapackPotrf},
    {"lapack_strsm_ffi", convertLapackTrsm},
    {"lapack_zpotrf_ffi", convertLapackPotrf},
    {"lapack_ztrsm_ffi", convertLapackTrsm},
};

static bool replaceByCustomCall(HloConversion *c, MlirAttribute target) {
  MlirAttribute config = irGetAttr(c->op, "backend_config");
  MlirNamedAttribute attributes[3] = {irAttr(&c->b, "call_target_name", target)};
  int count = 1;
  if (hloIsTrue(c, "has_side_effect"))
    attributes[count++] = irUnit(&c->b, "has_side_effect");
  if (!mlirAttributeIsNull(config))
    attributes[count++] = irAttr(&c->b, "backend_config", config);
  return hloReplaceByResults(
      c, irOp(&c->b, c->rule->to, hloOperandsFrom(c, 0), hloResultTypes(c), (IrAttrs){count, attributes}));
}

bool hloConvertCustomCall(HloConversion *c) {
  MlirAttribute target = irGetAttr(c->op, "call_target_name");
  if (mlirAttributeIsNull(target) || !mlirAttributeIsAString(target))
    return hloFail(c, "attribute 'call_target_name' is not a string");
  for (size_t i = 0; i < sizeof(knownCalls) / sizeof(knownCalls[0]); ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(target), mlirStringRefCreateFromCString(knownCalls[i].target)))
      return knownCalls[i].convert(c);
  return replaceByCustomCall(c, target);
}
