//===- library_call.c - calls of libraries by the reference -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an operation that a library computes. Leaves a call on buffers of a private function with the problem's
// description, and the result as a tensor.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/library_call.h"

#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"

#include <stdio.h>

enum { MAX_OPERANDS = 4, MAX_ATTRIBUTES = 8 };

/// The call of a library, with its operands.
typedef struct {
  const Lowering *l;
  const char *kind;
  intptr_t count, numOperands; ///< of attributes; of operands and the result
  const MlirNamedAttribute *attributes;
} ReferenceCall;

/// The type of an operand of the call: those of the operation, then the result.
static MlirType operandType(const ReferenceCall *call, intptr_t i) {
  return mlirValueGetType(i + 1 < call->numOperands ? irOperand(call->l->op, i) : irResult(call->l->op, 0));
}

/// The dictionary of docs/ir.md, section 3. With `types` it describes the problem completely.
static MlirAttribute problemAttr(const ReferenceCall *call, bool withTypes) {
  MlirContext context = call->l->b->context;
  MlirAttribute types[MAX_OPERANDS];
  MlirNamedAttribute entries[MAX_ATTRIBUTES + 2];
  intptr_t count = 0;
  for (intptr_t i = 0; i < call->numOperands; ++i)
    types[i] = mlirTypeAttrGet(bufferTypeOf(operandType(call, i)));
  entries[count++] = irString(call->l->b, "kind", call->kind);
  for (intptr_t i = 0; i < call->count; ++i)
    entries[count++] = call->attributes[i];
  if (withTypes)
    entries[count++] = irAttr(call->l->b, "types", mlirArrayAttrGet(context, call->numOperands, types));
  return mlirDictionaryAttrGet(context, count, entries);
}

/// The first symbol @KIND_N that the module does not have yet.
static MlirAttribute freeSymbol(const ReferenceCall *call) {
  Conversion *conversion = call->l->conversion;
  char name[64];
  intptr_t n = conversion->numProblems;
  do
    snprintf(name, sizeof(name), "%s_%ld", call->kind, (long)n++);
  while (!mlirOperationIsNull(irFindFunction(conversion->module, name)));
  return mlirFlatSymbolRefAttrGet(mlirOperationGetContext(conversion->module), mlirStringRefCreateFromCString(name));
}

static void declare(const ReferenceCall *call, MlirAttribute symbol) {
  MlirBlock module = irBody(call->l->conversion->module, 0);
  IrBuilder b = irBuilderAtEnd(module, call->l->b->loc);
  MlirType inputs[MAX_OPERANDS];
  for (intptr_t i = 0; i < call->numOperands; ++i)
    inputs[i] = bufferTypeOf(storageType(operandType(call, i)));
  MlirType type = mlirFunctionTypeGet(b.context, call->numOperands, inputs, 0, NULL);
  MlirAttribute name = mlirStringAttrGet(b.context, mlirFlatSymbolRefAttrGetValue(symbol));
  irOpWithEmptyRegion(&b, "func.func",
                      IR_ATTRS(irAttr(&b, "sym_name", name), irType(&b, "function_type", type),
                               irString(&b, "sym_visibility", "private"),
                               irAttr(&b, "stitch.library", problemAttr(call, false))));
}

/// The function for this problem, declared at its first use.
static MlirAttribute functionOf(const ReferenceCall *call) {
  Conversion *conversion = call->l->conversion;
  MlirAttribute problem = problemAttr(call, true);
  for (intptr_t i = 0; i < conversion->numProblems; ++i)
    if (mlirAttributeEqual(conversion->problems[i].problem, problem))
      return conversion->problems[i].symbol;
  MlirAttribute symbol = freeSymbol(call);
  declare(call, symbol);
  IR_RESERVE_ONE(conversion->problems, conversion->numProblems, conversion->problemCapacity);
  conversion->problems[conversion->numProblems++] = (LibraryProblem){problem, symbol};
  return symbol;
}

MlirValue callLibrary(const Lowering *l, const char *kind, intptr_t count, const MlirNamedAttribute *attributes) {
  ReferenceCall call = {l, kind, count, mlirOperationGetNumOperands(l->op) + 1, attributes};
  IrBuilder *b = l->b;
  MlirType type = resultStorageType(l, 0);
  MlirValue operands[MAX_OPERANDS];
  for (intptr_t i = 0; i + 1 < call.numOperands; ++i)
    operands[i] = operandBuffer(l, i);
  MlirValue result = operands[call.numOperands - 1] = newBuffer(b, type);
  irOp(b, "func.call", (IrValues){call.numOperands, operands}, IR_NO_TYPES,
       IR_ATTRS(irAttr(b, "callee", functionOf(&call))));
  return bufferContents(b, result, type);
}

MlirValue lowerCollective(const Lowering *l) {
  static const char *const names[] = {"groups", "pairs"};
  MlirNamedAttribute attributes[3];
  intptr_t count = 0;
  for (int i = 0; i < 2; ++i)
    if (irHasAttr(l->op, names[i]))
      attributes[count++] = irAttr(l->b, names[i], irGetAttr(l->op, names[i]));
  if (irHasAttr(l->op, "kind"))
    attributes[count++] = irAttr(l->b, "combiner", irGetAttr(l->op, "kind"));
  return callLibrary(l, tgNameOfKind(tgKindOf(l->op)), count, attributes);
}
