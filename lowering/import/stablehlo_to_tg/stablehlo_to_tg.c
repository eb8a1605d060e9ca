//===- stablehlo_to_tg.c - StableHLO and CHLO to the tensor graph --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of functions with `stablehlo` and `chlo` operations, leaves the same functions with `tg` operations
// (docs/ir.md, section 1). Types stay as they are, except quantised ones, which become integers (quantised.c), and so
// do calls that are not in an operation's region. Attributes of other frameworks (shardings, names of results) are
// dropped. An operation without a counterpart is an error at that operation.
//
// Operations are known by name and attributes by their text, never by C++ class. So the pass works on the reader's
// dialects (dialects/stablehlo) and on the real ones of a compiler that links Stitch.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/query.h"
#include "ir/plan/hints.h"
#include "lowering/import/stablehlo_to_tg/hlo_processes.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"
#include "lowering/import/stablehlo_to_tg/quantised.h"
#include "stitch.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Elementwise operations that have the operands of an operation of tg, and its meaning.
#define ELEMENTWISE(name, types, operands, tg) {PREFIX #name, "tg." #tg, operands, hloConvertSame},
#define REGULAR(...)
#define CUSTOM(...)
#define GENERIC(...)
static const HloRule elementwiseRules[] = {
#define STABLEHLO
#define PREFIX "stablehlo."
#include "dialects/stablehlo/reader_ops.def"
#undef PREFIX
#undef STABLEHLO
#define CHLO
#define PREFIX "chlo."
#include "dialects/stablehlo/reader_ops.def"
#undef PREFIX
#undef CHLO
};

/// They come before those of the table above.
static const HloRule rules[] = {
    // Elementwise.
    {"stablehlo.maximum", "tg.max", 2, hloConvertExtreme},
    {"stablehlo.minimum", "tg.min", 2, hloConvertExtreme},
    {"stablehlo.compare", "tg.compare", 2, hloConvertCompare},
    {"stablehlo.reduce_precision", "tg.reduce_precision", 1, hloConvertReducePrecision},
    {"chlo.acos", NULL, 1, hloConvertAcos},
    {"chlo.acosh", NULL, 1, hloConvertAcosh},
    {"chlo.asin", NULL, 1, hloConvertAsin},
    {"chlo.asinh", NULL, 1, hloConvertAsinh},
    {"chlo.atan", NULL, 1, hloConvertAtan},
    {"chlo.atanh", NULL, 1, hloConvertAtanh},
    {"chlo.conj", NULL, 1, hloConvertConj},
    {"chlo.cosh", NULL, 1, hloConvertCosh},
    {"chlo.is_inf", "tg.compare", 1, hloConvertIsInf},
    {"chlo.is_neg_inf", "tg.compare", 1, hloConvertIsNegInf},
    {"chlo.is_pos_inf", "tg.compare", 1, hloConvertIsPosInf},
    {"chlo.next_after", NULL, 2, hloConvertNextAfter},
    {"chlo.sinh", NULL, 1, hloConvertSinh},
    {"chlo.square", "tg.mul", 1, hloConvertSquare},
    {"stablehlo.map", NULL, -1, hloConvertMap},
    // Sources.
    {"stablehlo.constant", "tg.constant", 0, hloConvertConstant},
    {"stablehlo.rng", "tg.rng", 3, hloConvertRng},
    {"stablehlo.rng_bit_generator", "tg.rng_bit_generator", -1, hloConvertRngBitGenerator},
    {"stablehlo.get_dimension_size", "tg.constant", 1, hloConvertGetDimensionSize},
    {"stablehlo.iota", "tg.iota", 0, hloConvertIota},
    {"chlo.constant", "tg.constant", 0, hloConvertConstant},
    // Shapes.
    {"stablehlo.broadcast", "tg.broadcast", 1, hloConvertBroadcast},
    {"stablehlo.broadcast_in_dim", "tg.broadcast", 1, hloConvertBroadcastInDim},
    {"stablehlo.concatenate", "tg.concatenate", -1, hloConvertConcatenate},
    {"stablehlo.dynamic_slice", "tg.dynamic_slice", -1, hloConvertDynamicSlice},
    {"stablehlo.dynamic_update_slice", "tg.dynamic_update_slice", -1, hloConvertSame},
    {"stablehlo.dynamic_broadcast_in_dim", "tg.broadcast", -1, hloConvertDynamicBroadcast},
    {"stablehlo.dynamic_conv", "tg.convolution", -1, hloConvertDynamicConvolution},
    {"stablehlo.dynamic_gather", "tg.gather", -1, hloConvertDynamicGather},
    {"stablehlo.dynamic_iota", "tg.iota", -1, hloConvertDynamicIota},
    {"stablehlo.dynamic_pad", "tg.pad", -1, hloConvertDynamicPad},
    {"stablehlo.dynamic_reshape", "tg.reshape", -1, hloConvertDynamicReshape},
    {"stablehlo.real_dynamic_slice", "tg.slice", -1, hloConvertRealDynamicSlice},
    {"stablehlo.gather", "tg.gather", 2, hloConvertGather},
    {"stablehlo.pad", "tg.pad", 2, hloConvertPad},
    {"stablehlo.reshape", "tg.reshape", 1, hloConvertSame},
    {"stablehlo.reverse", "tg.reverse", 1, hloConvertReverse},
    {"stablehlo.scatter", "tg.scatter", -1, hloConvertScatter},
    {"stablehlo.slice", "tg.slice", 1, hloConvertSlice},
    {"stablehlo.transpose", "tg.transpose", 1, hloConvertTranspose},
    // Matrix products, convolutions, linear algebra, normalisation, reductions.
    {"stablehlo.batch_norm_grad", "tg.batch_norm_grad", -1, hloConvertBatchNorm},
    {"stablehlo.batch_norm_inference", "tg.batch_norm_inference", -1, hloConvertBatchNorm},
    {"stablehlo.batch_norm_training", "tg.batch_norm_training", -1, hloConvertBatchNorm},
    {"stablehlo.cholesky", "tg.cholesky", 1, hloConvertCholesky},
    {"stablehlo.convolution", "tg.convolution", 2, hloConvertConvolution},
    {"stablehlo.dot", "tg.dot", 2, hloConvertDot},
    {"stablehlo.dot_general", "tg.dot", 2, hloConvertDotGeneral},
    {"stablehlo.fft", "tg.fft", 1, hloConvertFft},
    {"stablehlo.reduce", "tg.reduce", -1, hloConvertReduce},
    {"stablehlo.reduce_window", "tg.reduce_window", -1, hloConvertReduceWindow},
    {"stablehlo.select_and_scatter", "tg.select_and_scatter", 3, hloConvertSelectAndScatter},
    {"stablehlo.sort", "tg.sort", -1, hloConvertSort},
    {"stablehlo.triangular_solve", "tg.triangular_solve", 2, hloConvertTriangularSolve},
    {"chlo.ragged_dot", "tg.dot", 3, hloConvertRaggedDot},
    {"chlo.top_k", "tg.top_k", -1, hloConvertTopK},
    // Control flow, calls, identities.
    {"stablehlo.case", "tg.case", -1, hloConvertRegionOp},
    {"stablehlo.custom_call", "tg.custom_call", -1, hloConvertCustomCall},
    {"stablehlo.if", "tg.if", -1, hloConvertRegionOp},
    {"stablehlo.return", "tg.yield", -1, hloConvertReturn},
    {"stablehlo.while", "tg.while", -1, hloConvertRegionOp},
    {"stablehlo.composite", "func.call", -1, hloConvertComposite},
    {"stablehlo.optimization_barrier", NULL, -1, hloReplaceByOperands},
    // Communication.
    {"stablehlo.all_gather", NULL, -1, hloConvertCollective},
    {"stablehlo.all_reduce", NULL, -1, hloConvertCollectiveReduction},
    {"stablehlo.all_to_all", NULL, -1, hloConvertCollective},
    {"stablehlo.collective_broadcast", NULL, -1, hloConvertCollectiveBroadcast},
    {"stablehlo.collective_permute", NULL, 1, hloConvertCollectivePermute},
    {"stablehlo.collective_reduce", NULL, -1, hloConvertCollectiveReduction},
    {"stablehlo.cross-replica-sum", NULL, 1, hloConvertCollective},
    {"stablehlo.reduce_scatter", NULL, -1, hloConvertCollectiveReduction},
    {"stablehlo.partition_id", NULL, 0, hloConvertProcessId},
    {"stablehlo.replica_id", NULL, 0, hloConvertProcessId},
};

#define TRANSFER "it transfers data to or from outside of the model while it runs"
#define TOKEN "it orders transfers to or from outside of the model, which are not supported"

/// Operations that have no counterpart, and why.
static const struct {
  const char *name, *reason;
} refusals[] = {
    {"stablehlo.after_all", TOKEN},
    {"stablehlo.create_token", TOKEN},
    {"stablehlo.einsum", "the specification has stablehlo.dot_general in its place"},
    {"stablehlo.infeed", TRANSFER},
    {"stablehlo.outfeed", TRANSFER},
    {"stablehlo.recv", TRANSFER},
    {"stablehlo.send", TRANSFER},
    {"stablehlo.set_dimension_size", "the size of a tensor cannot change while the model runs"},
    {"stablehlo.torch_index_select", "the specification has stablehlo.gather in its place"},
    {"stablehlo.unary_einsum", "the specification has stablehlo.reduce in its place"},
    {"stablehlo.uniform_dequantize", "its operand must be quantised"},
    {"stablehlo.uniform_quantize", "its result must be quantised"},
};

static const HloRule *findRuleIn(const HloRule *table, size_t count, MlirOperation op) {
  for (size_t i = 0; i < count; ++i)
    if (irOpIs(op, table[i].from))
      return &table[i];
  return NULL;
}

static const HloRule *findRule(MlirOperation op) {
  const HloRule *rule = findRuleIn(rules, sizeof(rules) / sizeof(rules[0]), op);
  return rule ? rule : findRuleIn(elementwiseRules, sizeof(elementwiseRules) / sizeof(elementwiseRules[0]), op);
}

static const char *refusalOf(MlirOperation op) {
  for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); ++i)
    if (irOpIs(op, refusals[i].name))
      return refusals[i].reason;
  return "it has no counterpart";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool hasPrefix(MlirStringRef text, const char *prefix) {
  size_t length = strlen(prefix);
  return text.length >= length && !memcmp(text.data, prefix, length);
}

static bool checkType(HloConversion *c, MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return hloFail(c, "only ranked tensors are supported");
  if (mlirShapedTypeGetRank(type) > IR_MAX_RANK)
    return hloFail(c, "tensors of more than %d dimensions are not supported", IR_MAX_RANK);
  if (!mlirShapedTypeHasStaticShape(type))
    return hloFail(c, "its shape is not known: stablehlo-refine-shapes (stitch-compile --dim) gives sizes");
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type); // ir/mlir/symbol.h
  if (!mlirAttributeIsNull(encoding) && !mlirAttributeIsAString(encoding))
    return hloFail(c, "tensors with an encoding are not supported");
  return true;
}

static bool checkOperandsAndResults(HloConversion *c) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op), numResults = mlirOperationGetNumResults(c->op);
  if (c->rule->numOperands >= 0 && numOperands != c->rule->numOperands)
    return hloFail(c, "it must have %d operands, got %ld", c->rule->numOperands, (long)numOperands);
  if (c->rule->numOperands >= 0 && numResults != 1)
    return hloFail(c, "it must have one result, got %ld", (long)numResults);
  for (intptr_t i = 0; i < numOperands; ++i)
    if (!checkType(c, mlirValueGetType(hloOperand(c, i))))
      return false;
  for (intptr_t i = 0; i < numResults; ++i)
    if (!checkType(c, hloResultType(c, i)))
      return false;
  return true;
}

static bool convertRegions(MlirOperation op, IrArena *arena);

static bool convertHloOp(MlirOperation op, IrArena *arena);

static bool convertAsyncStart(HloConversion *c) {
  MlirOperation inner = hloInlineAsync(c);
  if (mlirOperationIsNull(inner))
    return false;
  mlirOperationDestroy(c->op);
  return convertHloOp(inner, c->arena);
}

/// Puts tg operations in the place of `op`, which stays after an error.
static bool convertHloOp(MlirOperation op, IrArena *arena) {
  HloConversion c = {op, irBuilderBefore(op), findRule(op), arena, convertRegions};
  if (irOpIs(op, "stablehlo.tuple"))
    return hloConvertTuple(&c);
  if (irOpIs(op, "stablehlo.get_tuple_element"))
    return hloConvertGetTupleElement(&c);
  if (irOpIs(op, "stablehlo.async_start"))
    return convertAsyncStart(&c);
  if (irOpIs(op, "stablehlo.async_done"))
    return hloConvertAsyncDone(&c);
  if (!c.rule)
    return hloFail(&c, "%s", refusalOf(op));
  if (!checkOperandsAndResults(&c) || !hloKeepsConstraints(&c) || !c.rule->convert(&c))
    return false;
  mlirOperationDestroy(op);
  return true;
}

/// Attributes that mean something to the framework which exported the program, not to us.
static bool isForeign(MlirStringRef name) {
  static const char *const prefixes[] = {"jax.", "mhlo.", "sdy.", "stablehlo.", "stitch.dims", "tf.", "xla."};
  for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); ++i)
    if (hasPrefix(name, prefixes[i]))
      return true;
  return false;
}

static void dropForeignAttributes(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op) - 1; i >= 0; --i) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (isForeign(name))
      mlirOperationRemoveDiscardableAttributeByName(op, name);
  }
}

/// As JAX says that an argument's memory may be that of a result.
static bool isDonation(MlirNamedAttribute attribute) {
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  return mlirStringRefEqual(name, mlirStringRefCreateFromCString("tf.aliasing_output")) &&
         mlirAttributeIsAInteger(attribute.attribute);
}

/// The dictionary without foreign attributes.
static MlirAttribute ownAttributes(MlirAttribute dictionary, IrArena *arena) {
  intptr_t count = mlirDictionaryAttrGetNumElements(dictionary), kept = 0;
  MlirNamedAttribute *own = IR_NEW_ARRAY(arena, MlirNamedAttribute, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirDictionaryAttrGetElement(dictionary, i);
    if (isDonation(attribute))
      own[kept++] = irI64(&(IrBuilder){.context = mlirAttributeGetContext(dictionary)}, IR_DONATED_ATTRIBUTE,
                          mlirIntegerAttrGetValueInt(attribute.attribute));
    else if (!isForeign(mlirIdentifierStr(attribute.name)))
      own[kept++] = attribute;
  }
  return mlirDictionaryAttrGet(mlirAttributeGetContext(dictionary), kept, own);
}

/// Cleans the attributes of a function's arguments or results.
static void dropForeignArgumentAttributes(MlirOperation function, const char *name, IrArena *arena) {
  MlirAttribute all = irGetAttr(function, name);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all))
    return;
  intptr_t count = mlirArrayAttrGetNumElements(all);
  MlirAttribute *cleaned = IR_NEW_ARRAY(arena, MlirAttribute, count > 0 ? count : 1);
  bool empty = true;
  for (intptr_t i = 0; i < count; ++i) {
    cleaned[i] = ownAttributes(mlirArrayAttrGetElement(all, i), arena);
    empty = empty && mlirDictionaryAttrGetNumElements(cleaned[i]) == 0;
  }
  if (empty)
    mlirOperationRemoveAttributeByName(function, mlirStringRefCreateFromCString(name));
  else
    irSetAttr(function, name, mlirArrayAttrGet(mlirOperationGetContext(function), count, cleaned));
}

static bool convertAny(MlirOperation op, IrArena *arena) {
  MlirStringRef name = irOpName(op);
  if (hasPrefix(name, "stablehlo.") || hasPrefix(name, "chlo."))
    return convertHloOp(op, arena);
  dropForeignAttributes(op);
  if (irOpIs(op, "func.func")) {
    dropForeignArgumentAttributes(op, "arg_attrs", arena);
    dropForeignArgumentAttributes(op, "res_attrs", arena);
  }
  return convertRegions(op, arena);
}

/// Converts all that is nested in `op`, past errors too, so that all are reported.
static bool convertRegions(MlirOperation op, IrArena *arena) {
  bool success = true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP_REPLACING(nested, block)
        success &= convertAny(nested, arena);
  return success;
}

static void run(StitchPassRun pass, MlirOperation module) {
  IrArena arena = {0};
  bool knowsProcesses = hloReadProcesses(module), takesHints = hintsTake(module);
  dropForeignAttributes(module);
  if (!knowsProcesses || !takesHints || !hloInlineBodyCalls(module) || !hloLowerQuantised(module) ||
      !convertRegions(module, &arena))
    stitchPassSignalFailure(pass);
  irArenaDestroy(&arena);
}

static MlirDialectHandle (*const dependentDialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo convertStableHLOToTGPass = {
    .argument = "convert-stablehlo-to-tg",
    .description = "Convert StableHLO and CHLO operations to the tensor graph",
    .anchor = "builtin.module",
    .dependentDialects = dependentDialects,
    .numDependentDialects = 1,
    .takes = "stablehlo|chlo",
    .run = run,
};
