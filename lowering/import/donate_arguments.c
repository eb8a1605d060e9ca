//===- donate_arguments.c - arguments whose memory results may have ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes pairs of an argument and a result of @main that the user names, for programs whose text does not: JAX's has
// tf.aliasing_output. Leaves the attribute stitch.donated (docs/ir.md). It runs when types are those of the graph.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "ir/mlir/query.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  MlirOperation function;
  MlirType type;
  intptr_t numArguments, numResults;
} Main;

static bool isVariable(const Main *main, const char *list, intptr_t index) {
  return !mlirAttributeIsNull(irVariableName(main->function, list, index));
}

/// The result that argument `index` is donated to; -1: none.
static intptr_t donatedTo(const Main *main, intptr_t index) {
  MlirAttribute donated = irBorderAttr(main->function, "arg_attrs", index, IR_DONATED_ATTRIBUTE);
  bool isNumber = !mlirAttributeIsNull(donated) && mlirAttributeIsAInteger(donated);
  return isNumber ? (intptr_t)mlirIntegerAttrGetValueInt(donated) : -1;
}

static bool areNumbers(const Main *main, intptr_t argument, intptr_t result) {
  bool hasArgument = argument < main->numArguments && !isVariable(main, "arg_attrs", argument);
  bool hasResult = result < main->numResults && !isVariable(main, "res_attrs", result);
  if (hasArgument && hasResult)
    return true;
  stitchEmitOpError(main->function, "has no %s %ld: argument %ld cannot be donated to result %ld",
                    hasArgument ? "result" : "argument", (long)(hasArgument ? result : argument), (long)argument,
                    (long)result);
  return false;
}

/// Whether neither the argument nor the result has been donated, by this option or by the program.
static bool areFree(const Main *main, intptr_t argument, intptr_t result) {
  for (intptr_t i = 0; i < main->numArguments; ++i) {
    intptr_t other = donatedTo(main, i);
    if (other < 0 || (i != argument && other != result))
      continue;
    stitchEmitError(mlirValueGetLocation(mlirBlockGetArgument(irBody(main->function, 0), argument)),
                    "argument %ld cannot be donated to result %ld: argument %ld is donated to result %ld already",
                    (long)argument, (long)result, (long)i, (long)other);
    return false;
  }
  return true;
}

static bool haveOneType(const Main *main, intptr_t argument, intptr_t result) {
  MlirType from = mlirFunctionTypeGetInput(main->type, argument), to = mlirFunctionTypeGetResult(main->type, result);
  if (mlirTypeEqual(from, to))
    return true;
  char *fromText = irTypeText(from), *toText = irTypeText(to);
  stitchEmitError(mlirValueGetLocation(mlirBlockGetArgument(irBody(main->function, 0), argument)),
                  "argument %ld cannot be donated to result %ld: their types are %s and %s", (long)argument,
                  (long)result, fromText, toText);
  free(fromText);
  free(toText);
  return false;
}

static bool readNumber(const char **at, intptr_t *number) {
  enum { MOST_DIGITS = 9 };
  size_t length = strspn(*at, "0123456789");
  *number = length > 0 && length <= MOST_DIGITS ? strtol(*at, NULL, 10) : -1;
  *at += length;
  return *number >= 0;
}

/// "ARGUMENT:RESULT" at the beginning of `text`; returns where it ends, null if it is something else.
static const char *readPair(const char *text, intptr_t *argument, intptr_t *result) {
  bool reads = readNumber(&text, argument) && *text++ == ':' && readNumber(&text, result);
  return reads && (*text == ',' || *text == '\0') ? text : NULL;
}

static bool donate(const Main *main, const char *pairs) {
  IrBuilder b = {.context = mlirOperationGetContext(main->function)};
  for (const char *at = pairs; *at; at += *at == ',') {
    intptr_t argument, result;
    const char *end = readPair(at, &argument, &result);
    if (!end) {
      stitchEmitOpError(main->function, "cannot donate '%s': pairs of an argument and a result are 0:1,2:0", at);
      return false;
    }
    if (!areNumbers(main, argument, result) || !areFree(main, argument, result) || !haveOneType(main, argument, result))
      return false;
    irSetBorderAttr(main->function, "arg_attrs", main->numArguments, argument, irI64(&b, IR_DONATED_ATTRIBUTE, result));
    at = end;
  }
  return true;
}

static void run(StitchPassRun pass, MlirOperation module) {
  const char *pairs = stitchPassGetString(pass, 0);
  MlirOperation function = irFindFunction(module, "main");
  bool hasBody = !mlirOperationIsNull(function) && !mlirBlockIsNull(irBody(function, 0));
  for (intptr_t i = 0; hasBody && i < mlirBlockGetNumArguments(irBody(function, 0)); ++i)
    irRemoveBorderAttr(function, "arg_attrs", i, IR_DESTINATION_ATTRIBUTE);
  if (!*pairs)
    return;
  if (!hasBody) {
    stitchEmitOpError(module, "has no function @main with a body, whose arguments could be donated");
    stitchPassSignalFailure(pass);
    return;
  }
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  Main main = {function, type, mlirFunctionTypeGetNumInputs(type), mlirFunctionTypeGetNumResults(type)};
  if (!donate(&main, pairs))
    stitchPassSignalFailure(pass);
}

static const StitchPassOption options[] = {
    {.name = "pairs",
     .help = "The numbers of arguments and of the results that may have their memory: 0:1,2:0",
     .kind = STITCH_OPTION_STRING},
};

const StitchPassInfo donateArgumentsPass = {
    .argument = "donate-arguments",
    .description = "Let results of @main have the memory of arguments, which the caller does not need behind the run",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = 1,
    .run = run,
};
