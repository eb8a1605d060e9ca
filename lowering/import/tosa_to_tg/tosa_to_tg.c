//===- tosa_to_tg.c - TOSA to the tensor graph ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of functions with `tosa` operations, leaves the same functions with `tg` operations (docs/ir.md,
// section 1). Broadcasts become operations; shapes (`!tosa.shape`) are computed here and are gone; variables become
// arguments and results. Types and calls stay as they are otherwise. An operation without a counterpart is an error at
// that operation.
//
// The meaning is that of the TOSA specification, version 1.0. Where it leaves results open (overflow of signed
// integers, indices out of range) they are tg's. The differences to MLIR's own lowering to linalg are in docs/tosa.md.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/plan/hints.h"
#include "lowering/import/tosa_to_tg/tosa_conversion.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

static const TosaRule rules[] = {
#define TOSA_OP(name, to, types, convert, detail) {"tosa." #name, to, types, convert, detail},
#include "lowering/import/tosa_to_tg/rules.def"
#undef TOSA_OP
};

static const TosaRule *findRule(MlirOperation op) {
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i)
    if (irOpIs(op, rules[i].from))
      return &rules[i];
  return NULL;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The letter that stands for an element type in rules.def; 0 if tg has no such type.
static char letterOf(MlirType element) {
  if (mlirTypeIsAF64(element) || mlirTypeIsAF32(element) || mlirTypeIsAF16(element) || mlirTypeIsABF16(element))
    return 'f';
  if (irIsFloat(element))
    return mlirFloatTypeGetWidth(element) <= 8 ? 'e' : 0;
  if (!irIsInteger(element) || mlirIntegerTypeIsSigned(element))
    return 0;
  unsigned width = mlirIntegerTypeGetWidth(element);
  if (width == 1)
    return mlirIntegerTypeIsSignless(element) ? 'b' : 0;
  if (width == 4)
    return mlirIntegerTypeIsSignless(element) ? 'n' : 0;
  if (width != 8 && width != 16 && width != 32 && width != 64)
    return 0;
  return irIsUnsigned(element) ? 'u' : 'i';
}

/// The error of a type; NULL if there is none.
static const char *problemWith(MlirType type, const char *letters) {
  if (!mlirTypeIsARankedTensor(type))
    return "only ranked tensors are supported";
  if (mlirShapedTypeGetRank(type) > IR_MAX_RANK)
    return "it has too many dimensions";
  if (!mlirShapedTypeHasStaticShape(type))
    return "dynamic shapes are not supported";
  if (!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return "tensors with an encoding are not supported";
  MlirType element = irElementType(type);
  char letter = letterOf(element);
  if (!letter && !irIsFloat(element) && !irIsInteger(element))
    return "quantised arithmetic is not supported";
  if (!letter)
    return "tg has no such element type";
  return strchr(letters, letter) ? NULL : "TOSA does not give the operation a meaning on that element type";
}

static bool checkType(TosaConversion *c, const char *what, intptr_t number, MlirType type) {
  const char *problem = problemWith(type, c->rule->types);
  if (!problem)
    return true;
  char *text = irTypeText(type);
  tosaFail(c, "%s %ld has type %s: %s", what, (long)number, text, problem);
  free(text);
  return false;
}

/// Shapes are checked where they are read.
static bool isShape(MlirType type) {
  return !mlirTypeIsAShaped(type) &&
         mlirStringRefEqual(mlirDialectGetNamespace(mlirTypeGetDialect(type)), mlirStringRefCreateFromCString("tosa"));
}

static bool checkTypes(TosaConversion *c) {
  if (!*c->rule->types)
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); ++i) {
    MlirType type = mlirValueGetType(tosaOperand(c, i));
    if (!isShape(type) && !checkType(c, "operand", i, type))
      return false;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i)
    if (!checkType(c, "result", i, tosaResultType(c, i)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Puts tg operations in the place of `op`, which stays after an error, and if others still ask for its shape.
static bool convertTosaOp(MlirOperation op, TosaPass *pass) {
  TosaConversion c = {op, irBuilderBefore(op), findRule(op), pass};
  if (!c.rule)
    return tosaFail(&c, "it has no counterpart");
  // Registered operations have been verified: they have the operands and attributes that they must have.
  if (!mlirContextIsRegisteredOperation(c.b.context, irOpName(op)))
    return tosaFail(&c, "the tosa dialect is not registered");
  intptr_t numShapes = pass->numShapes;
  if (!checkTypes(&c) || !c.rule->convert(&c))
    return false;
  if (pass->numShapes == numShapes)
    mlirOperationDestroy(op);
  return true;
}

static bool convertRegions(MlirOperation op, TosaPass *pass);

static bool convertAny(MlirOperation op, TosaPass *pass) {
  MlirStringRef name = irOpName(op);
  if (name.length > 5 && !memcmp(name.data, "tosa.", 5))
    return convertTosaOp(op, pass);
  return convertRegions(op, pass);
}

static bool convertRegions(MlirOperation op, TosaPass *pass) {
  bool success = true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP_REPLACING(nested, block)
        success &= convertAny(nested, pass);
  return success;
}

/// The operations that computed the shapes, last first, so that each has lost its users.
static bool eraseShapes(TosaPass *pass) {
  bool success = true;
  for (intptr_t i = pass->numShapes; i-- > 0;) {
    MlirOpOperand use = mlirValueGetFirstUse(irResult(pass->shapeOps[i], 0));
    if (mlirOpOperandIsNull(use)) {
      mlirOperationDestroy(pass->shapeOps[i]);
      continue;
    }
    MlirStringRef user = irOpName(mlirOpOperandGetOwner(use));
    stitchEmitOpError(pass->shapeOps[i], "cannot be converted to tg: '%.*s' uses the shape", (int)user.length,
                      user.data);
    success = false;
  }
  return success;
}

static void run(StitchPassRun run, MlirOperation module) {
  TosaPass pass = {.convertRegions = convertRegions};
  bool success = hintsTake(module) && tosaReplaceTypes(module, &pass.arena) && tosaThreadVariables(module, &pass) &&
                 convertRegions(module, &pass);
  // Users that were not converted, and reported, may still be there.
  success = success && eraseShapes(&pass);
  if (!success)
    stitchPassSignalFailure(run);
  irMapDestroy(&pass.indexOfShape);
  free(pass.shapes);
  free(pass.shapeOps);
  irArenaDestroy(&pass.arena);
}

static MlirDialectHandle (*const dependentDialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo convertTosaToTGPass = {
    .argument = "convert-tosa-to-tg",
    .description = "Convert TOSA operations to the tensor graph",
    .anchor = "builtin.module",
    .dependentDialects = dependentDialects,
    .numDependentDialects = 1,
    .takes = "tosa",
    .run = run,
};
