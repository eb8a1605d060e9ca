//===- tosa_variables.c - variables become arguments and results ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A TOSA variable keeps its value from one run of the program to the next, and tg has no state. So each function that
// reads or writes a variable, by itself or by its calls, takes the variable's value as one more argument, and returns
// it if it writes it. The caller keeps it between the runs (docs/tosa.md). In between the value is passed along as any
// other, through calls, branches and loops, in the order of the program, on which reads and writes depend.
//
// This comes before the conversion of operations: it leaves TOSA operations, and none of variables.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/function.h"
#include "lowering/import/tosa_to_tg/tosa_conversion.h"

#include <stdlib.h>

typedef struct {
  MlirOperation op;
  MlirAttribute name;
  MlirAttribute initial; ///< null: none
  MlirType type;
} TosaVariable;

/// The accesses of a part of the program to variables, by their numbers.
typedef struct {
  bool *accessed; ///< read or written
  bool *written;
} VariableAccesses;

typedef struct {
  MlirOperation op;
  VariableAccesses accesses;
  enum { UNSEEN, IN_PROGRESS, SEEN } state;
} VisitedFunction;

typedef struct {
  IrArena *arena;
  TosaVariable *variables;
  intptr_t numVariables, variableCapacity;
  IrMap variableOfName; ///< key: the name, a string attribute
  VisitedFunction *functions;
  intptr_t numFunctions, functionCapacity;
  IrMap functionOfSymbol; ///< key: the flat symbol reference that a call has
} Threading;

/// Reports an error at an operation, as tosaFail does at the one that is converted; false.
#define fail(operation, ...) tosaFail(&(TosaConversion){.op = (operation)}, __VA_ARGS__)

//===----------------------------------------------------------------------===//
// The variables and functions of the module
//===----------------------------------------------------------------------===//

static bool noteVariable(Threading *t, MlirOperation op) {
  MlirAttribute dims = irGetAttr(op, "var_shape"), initial = irGetAttr(op, "initial_value");
  IrShape shape = {.rank = mlirElementsAttrGetNumElements(dims)};
  if (!mlirAttributeIsADenseElements(dims) || shape.rank > IR_MAX_RANK)
    return fail(op, "it has too many dimensions");
  for (intptr_t i = 0; i < shape.rank; ++i) {
    shape.dims[i] = (int64_t)mlirDenseElementsAttrGetIndexValue(dims, i);
    if (shape.dims[i] < 0)
      return fail(op, "dynamic shapes are not supported");
  }
  MlirType type = tosaTensorType(shape, mlirTypeAttrGetValue(irGetAttr(op, "type")));
  bool isDense = mlirAttributeIsNull(initial) ||
                 (mlirAttributeIsADenseElements(initial) && mlirTypeEqual(mlirAttributeGetType(initial), type));
  if (!isDense)
    return fail(op, "its initial value is not dense elements of the variable's type");
  IR_RESERVE_ONE(t->variables, t->numVariables, t->variableCapacity);
  MlirAttribute name = irGetAttr(op, "sym_name");
  irMapSet(&t->variableOfName, name.ptr, t->numVariables);
  t->variables[t->numVariables++] = (TosaVariable){op, name, initial, type};
  return true;
}

static void noteFunction(Threading *t, MlirOperation op) {
  MlirStringRef name = mlirStringAttrGetValue(irGetAttr(op, "sym_name"));
  MlirAttribute symbol = mlirFlatSymbolRefAttrGet(mlirOperationGetContext(op), name);
  irMapSet(&t->functionOfSymbol, symbol.ptr, t->numFunctions);
  IR_RESERVE_ONE(t->functions, t->numFunctions, t->functionCapacity);
  t->functions[t->numFunctions++] = (VisitedFunction){.op = op};
}

static bool noteSymbols(Threading *t, MlirOperation module) {
  bool success = true;
  IR_FOR_EACH_OP(op, irBody(module, 0)) {
    if (irOpIs(op, "tosa.variable"))
      success &= noteVariable(t, op);
    else if (irOpIs(op, "func.func") && mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)).ptr)
      noteFunction(t, op);
  }
  return success;
}

/// The function that is called; null if it has no body.
static VisitedFunction *calleeOf(Threading *t, MlirOperation call) {
  int64_t number = irMapGet(&t->functionOfSymbol, irGetAttr(call, "callee").ptr, -1);
  return number < 0 ? NULL : &t->functions[number];
}

/// The number of the variable that is read or written; -1 after an error.
static int64_t variableOf(Threading *t, MlirOperation op, MlirType type) {
  MlirAttribute name = irGetAttr(op, "name");
  int64_t number = irMapGet(&t->variableOfName, name.ptr, -1);
  MlirStringRef text = mlirStringAttrGetValue(name);
  if (number < 0) {
    fail(op, "there is no variable '%.*s'", (int)text.length, text.data);
    return -1;
  }
  if (!mlirTypeEqual(type, t->variables[number].type)) {
    char *declared = irTypeText(t->variables[number].type), *used = irTypeText(type);
    fail(op, "variable '%.*s' has type %s, not %s", (int)text.length, text.data, declared, used);
    free(declared);
    free(used);
    return -1;
  }
  return number;
}

//===----------------------------------------------------------------------===//
// Accesses of functions
//===----------------------------------------------------------------------===//

static bool findAccesses(Threading *t, MlirOperation op, VariableAccesses *into);

static VariableAccesses noAccesses(Threading *t) {
  return (VariableAccesses){IR_NEW_ARRAY(t->arena, bool, t->numVariables),
                            IR_NEW_ARRAY(t->arena, bool, t->numVariables)};
}

static bool findAccessesOfFunction(Threading *t, VisitedFunction *function) {
  if (function->state != UNSEEN)
    return true;
  function->state = IN_PROGRESS;
  function->accesses = noAccesses(t);
  bool success = findAccesses(t, function->op, &function->accesses);
  function->state = SEEN;
  return success;
}

static bool findAccessesOfCall(Threading *t, MlirOperation call, VariableAccesses *into) {
  VisitedFunction *callee = calleeOf(t, call);
  if (!callee)
    return true;
  if (callee->state == IN_PROGRESS)
    return fail(call, "the function calls itself");
  if (!findAccessesOfFunction(t, callee))
    return false;
  for (intptr_t i = 0; i < t->numVariables; ++i) {
    into->accessed[i] |= callee->accesses.accessed[i];
    into->written[i] |= callee->accesses.written[i];
  }
  return true;
}

static bool findAccessesOfOp(Threading *t, MlirOperation op, VariableAccesses *into) {
  bool reads = irOpIs(op, "tosa.variable_read"), writes = irOpIs(op, "tosa.variable_write");
  if (irOpIs(op, "func.call"))
    return findAccessesOfCall(t, op, into);
  if (!reads && !writes)
    return findAccesses(t, op, into);
  int64_t number = variableOf(t, op, mlirValueGetType(reads ? irResult(op, 0) : irOperand(op, 0)));
  if (number < 0)
    return false;
  into->accessed[number] = true;
  into->written[number] |= writes;
  return true;
}

/// Adds the accesses of the operations in the regions of `op`.
static bool findAccesses(Threading *t, MlirOperation op, VariableAccesses *into) {
  bool success = true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP(nested, block)
        success &= findAccessesOfOp(t, nested, into);
  return success;
}

static bool isAny(Threading *t, const bool *chosen) {
  for (intptr_t i = 0; i < t->numVariables; ++i)
    if (chosen[i])
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Passing values along. `current` has the value of each variable at a place of the program.
//===----------------------------------------------------------------------===//

static bool threadBlock(Threading *t, MlirBlock block, MlirValue *current);

/// Adds the values of the chosen variables to the operands.
static void appendOperands(Threading *t, MlirOperation op, const bool *chosen, const MlirValue *current) {
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue *operands = IR_NEW_ARRAY(t->arena, MlirValue, count + t->numVariables);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = irOperand(op, i);
  for (intptr_t i = 0; i < t->numVariables; ++i)
    if (chosen[i])
      operands[count++] = current[i];
  mlirOperationSetOperands(op, count, operands);
}

/// New arguments for the chosen variables; returns their values in the block.
static MlirValue *appendArguments(Threading *t, MlirBlock block, const bool *chosen) {
  MlirValue *values = IR_NEW_ARRAY(t->arena, MlirValue, t->numVariables);
  for (intptr_t i = 0; i < t->numVariables; ++i) {
    if (!chosen[i])
      continue;
    const TosaVariable *v = &t->variables[i];
    MlirLocation loc = mlirLocationNameGet(mlirOperationGetContext(v->op), mlirStringAttrGetValue(v->name),
                                           mlirOperationGetLocation(v->op));
    values[i] = mlirBlockAddArgument(block, v->type, loc);
  }
  return values;
}

/// Puts an operation `name` with more results, the values of the chosen variables, in the place of `op`.
static void appendResults(Threading *t, MlirOperation op, const char *name, const bool *chosen, MlirValue *current) {
  intptr_t numOperands = mlirOperationGetNumOperands(op), numResults = mlirOperationGetNumResults(op);
  intptr_t numAttributes = mlirOperationGetNumAttributes(op), count = numResults;
  MlirValue *operands = IR_NEW_ARRAY(t->arena, MlirValue, numOperands);
  MlirType *types = IR_NEW_ARRAY(t->arena, MlirType, numResults + t->numVariables);
  MlirNamedAttribute *attributes = IR_NEW_ARRAY(t->arena, MlirNamedAttribute, numAttributes);
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = irOperand(op, i);
  for (intptr_t i = 0; i < numResults; ++i)
    types[i] = mlirValueGetType(irResult(op, i));
  for (intptr_t i = 0; i < numAttributes; ++i)
    attributes[i] = mlirOperationGetAttribute(op, i);
  for (intptr_t i = 0; i < t->numVariables; ++i)
    if (chosen[i])
      types[count++] = t->variables[i].type;

  IrBuilder b = irBuilderBefore(op);
  MlirOperation made =
      irOpWithRegions(&b, name, (IrValues){numOperands, operands}, (IrTypes){count, types},
                      (IrAttrs){numAttributes, attributes}, mlirOperationGetNumRegions(op), IR_NO_TYPES);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    mlirRegionTakeBody(mlirOperationGetRegion(made, i), mlirOperationGetRegion(op, i));
  for (intptr_t i = 0; i < numResults; ++i)
    mlirValueReplaceAllUsesOfWith(irResult(op, i), irResult(made, i));
  for (intptr_t i = 0, next = numResults; i < t->numVariables; ++i)
    if (chosen[i])
      current[i] = irResult(made, next++);
  mlirOperationDestroy(op);
}

static bool threadCall(Threading *t, MlirOperation call, MlirValue *current) {
  VisitedFunction *callee = calleeOf(t, call);
  if (!callee || !isAny(t, callee->accesses.accessed))
    return true;
  appendOperands(t, call, callee->accesses.accessed, current);
  appendResults(t, call, "func.call", callee->accesses.written, current);
  return true;
}

/// One block of an operation takes the accessed variables as arguments and yields the chosen ones.
static bool threadRegion(Threading *t, MlirBlock block, const bool *accessed, const bool *yielded) {
  MlirValue *current = appendArguments(t, block, accessed);
  if (!threadBlock(t, block, current))
    return false;
  appendOperands(t, mlirBlockGetTerminator(block), yielded, current);
  return true;
}

static bool threadIf(Threading *t, MlirOperation op, const VariableAccesses *accesses, MlirValue *current) {
  for (intptr_t i = 0; i < 2; ++i)
    if (!threadRegion(t, irBody(op, i), accesses->accessed, accesses->written))
      return false;
  appendOperands(t, op, accesses->accessed, current);
  appendResults(t, op, "tosa.cond_if", accesses->written, current);
  return true;
}

/// A loop carries all variables that it accesses, and so yields those that are only read, too.
static bool threadWhile(Threading *t, MlirOperation op, const VariableAccesses *accesses, MlirValue *current) {
  VariableAccesses ofCondition = noAccesses(t);
  bool *none = noAccesses(t).accessed;
  IR_FOR_EACH_OP(nested, irBody(op, 0))
    if (!findAccessesOfOp(t, nested, &ofCondition))
      return false;
  if (isAny(t, ofCondition.written))
    return fail(op, "its condition writes a variable");
  if (!threadRegion(t, irBody(op, 0), accesses->accessed, none) ||
      !threadRegion(t, irBody(op, 1), accesses->accessed, accesses->accessed))
    return false;
  appendOperands(t, op, accesses->accessed, current);
  appendResults(t, op, "tosa.while_loop", accesses->accessed, current);
  return true;
}

static bool threadRegions(Threading *t, MlirOperation op, MlirValue *current) {
  VariableAccesses accesses = noAccesses(t);
  if (!findAccesses(t, op, &accesses))
    return false;
  if (!isAny(t, accesses.accessed))
    return true;
  bool isIf = irOpIs(op, "tosa.cond_if");
  if (!isIf && !irOpIs(op, "tosa.while_loop"))
    return fail(op, "it has a region that accesses variables");
  for (intptr_t i = 0; i < 2; ++i) {
    MlirBlock block = irBody(op, i);
    if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
      return fail(op, "region %ld is not one block", (long)i);
  }
  return isIf ? threadIf(t, op, &accesses, current) : threadWhile(t, op, &accesses, current);
}

static bool threadOp(Threading *t, MlirOperation op, MlirValue *current) {
  if (irOpIs(op, "func.call"))
    return threadCall(t, op, current);
  bool reads = irOpIs(op, "tosa.variable_read");
  if (!reads && !irOpIs(op, "tosa.variable_write"))
    return mlirOperationGetNumRegions(op) == 0 || threadRegions(t, op, current);
  int64_t number = irMapGet(&t->variableOfName, irGetAttr(op, "name").ptr, -1);
  if (reads)
    mlirValueReplaceAllUsesOfWith(irResult(op, 0), current[number]);
  else
    current[number] = irOperand(op, 0);
  mlirOperationDestroy(op);
  return true;
}

static bool threadBlock(Threading *t, MlirBlock block, MlirValue *current) {
  IR_FOR_EACH_OP_REPLACING(op, block)
    if (!threadOp(t, op, current))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The type of the function behind the change, and attributes that name the variables.
static void appendToSignature(Threading *t, const VisitedFunction *function) {
  MlirContext context = mlirOperationGetContext(function->op);
  MlirType old = mlirTypeAttrGetValue(irGetAttr(function->op, "function_type"));
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(old), numResults = mlirFunctionTypeGetNumResults(old);
  MlirType *inputs = IR_NEW_ARRAY(t->arena, MlirType, numInputs + t->numVariables);
  MlirType *results = IR_NEW_ARRAY(t->arena, MlirType, numResults + t->numVariables);
  MlirAttribute *ofInputs = IR_NEW_ARRAY(t->arena, MlirAttribute, t->numVariables);
  MlirAttribute *ofResults = IR_NEW_ARRAY(t->arena, MlirAttribute, t->numVariables);
  for (intptr_t i = 0; i < numInputs; ++i)
    inputs[i] = mlirFunctionTypeGetInput(old, i);
  for (intptr_t i = 0; i < numResults; ++i)
    results[i] = mlirFunctionTypeGetResult(old, i);
  intptr_t newInputs = 0, newResults = 0;
  for (intptr_t i = 0; i < t->numVariables; ++i) {
    const TosaVariable *v = &t->variables[i];
    MlirNamedAttribute before = irVariableAttribute(v->name, v->initial);
    MlirNamedAttribute behind = irVariableAttribute(v->name, mlirAttributeGetNull());
    if (function->accesses.accessed[i]) {
      ofInputs[newInputs] = mlirDictionaryAttrGet(context, 1, &before);
      inputs[numInputs + newInputs++] = v->type;
    }
    if (function->accesses.written[i]) {
      ofResults[newResults] = mlirDictionaryAttrGet(context, 1, &behind);
      results[numResults + newResults++] = v->type;
    }
  }
  MlirType type = mlirFunctionTypeGet(context, numInputs + newInputs, inputs, numResults + newResults, results);
  irSetAttr(function->op, "function_type", mlirTypeAttrGet(type));
  irAppendBorderAttrs(function->op, "arg_attrs", numInputs, newInputs, ofInputs);
  if (newResults)
    irAppendBorderAttrs(function->op, "res_attrs", numResults, newResults, ofResults);
}

static bool threadFunction(Threading *t, const VisitedFunction *function) {
  if (!isAny(t, function->accesses.accessed))
    return true;
  MlirBlock body = irBody(function->op, 0);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
    return fail(function->op, "it accesses variables and has more than one block");
  if (!threadRegion(t, body, function->accesses.accessed, function->accesses.written))
    return false;
  appendToSignature(t, function);
  return true;
}

static bool threadModule(Threading *t, MlirOperation module) {
  if (!noteSymbols(t, module))
    return false;
  if (!t->numVariables)
    return true;
  bool success = true;
  for (intptr_t i = 0; i < t->numFunctions; ++i)
    success &= findAccessesOfFunction(t, &t->functions[i]);
  for (intptr_t i = 0; success && i < t->numFunctions; ++i)
    success = threadFunction(t, &t->functions[i]);
  for (intptr_t i = 0; success && i < t->numVariables; ++i)
    mlirOperationDestroy(t->variables[i].op);
  return success;
}

bool tosaThreadVariables(MlirOperation module, TosaPass *pass) {
  Threading t = {.arena = &pass->arena};
  bool success = threadModule(&t, module);
  free(t.variables);
  free(t.functions);
  irMapDestroy(&t.variableOfName);
  irMapDestroy(&t.functionOfSymbol);
  return success;
}

bool tosaRejectStrayVariable(TosaConversion *c) {
  return tosaFail(c, "it is not in the module that is converted, or in a function of it");
}
