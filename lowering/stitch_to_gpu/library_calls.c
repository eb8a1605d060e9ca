//===- library_calls.c - calls of libraries in the host function ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/host_function.h"

#include "capi/diagnostics.h"

#include <stdio.h>

/// The buffer types of operands and result as the graph has them, if memory has others: it holds an i1 in a byte,
/// complex numbers as their parts, and knows of no signs. Null if it has the same.
static MlirAttribute typesOfGraph(IrBuilder *b, MlirOperation op, MlirValue result) {
  MlirAttribute types[3];
  bool differ = false;
  intptr_t numInputs = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i <= numInputs; ++i) {
    MlirType tensor = mlirValueGetType(i < numInputs ? irOperand(op, i) : result), element = irElementType(tensor);
    IrShape shape = irTypeShape(tensor);
    differ = differ || !mlirTypeEqual(element, memoryType(element));
    types[i] = mlirTypeAttrGet(mlirMemRefTypeContiguousGet(element, shape.rank, shape.dims, mlirAttributeGetNull()));
  }
  return differ ? mlirArrayAttrGet(b->context, numInputs + 1, types) : mlirAttributeGetNull();
}

/// The description of a dot for a library: docs/ir.md, section 3. `transpose` of its result, or null.
static MlirAttribute dotProblem(IrBuilder *b, MlirOperation dot, MlirOperation transpose) {
  const char *dims[] = {"lhs_batch", "lhs_contract", "rhs_batch", "rhs_contract"};
  MlirNamedAttribute entries[7];
  intptr_t count = 0;
  entries[count++] = irString(b, "kind", "dot");
  for (int i = 0; i < 4; ++i) {
    IrShape list = irGetDims(dot, dims[i]);
    entries[count++] = irDims(b, dims[i], list.rank, list.dims);
  }
  if (!mlirOperationIsNull(transpose)) {
    IrShape permutation = irGetDims(transpose, "permutation");
    entries[count++] = irDims(b, "result_permutation", permutation.rank, permutation.dims);
  }
  MlirAttribute types = typesOfGraph(b, dot, irResult(mlirOperationIsNull(transpose) ? dot : transpose, 0));
  if (!mlirAttributeIsNull(types))
    entries[count++] = irAttr(b, "types", types);
  return mlirDictionaryAttrGet(b->context, count, entries);
}

/// The same for an operation with one result whose description is its kind and its attributes.
typedef struct {
  TgKind kind;
  const char *attributes[18]; ///< NULL behind the last
} LibraryOperation;

static const LibraryOperation libraryOperations[] = {
    {TG_convolution,
     {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions", "kernel_input_feature_dimension",
      "kernel_output_feature_dimension", "kernel_spatial_dimensions", "output_batch_dimension",
      "output_feature_dimension", "output_spatial_dimensions", "window_strides", "padding_low", "padding_high",
      "lhs_dilation", "rhs_dilation", "window_reversal", "feature_group_count", "batch_group_count"}},
    {TG_fft, {"transform", "length"}},
    {TG_cholesky, {"triangle"}},
    {TG_triangular_solve, {"side", "triangle", "transposition", "unit_diagonal"}},
};

/// NULL if it is none of them.
static const LibraryOperation *findLibraryOperation(TgKind kind) {
  for (size_t i = 0; i < sizeof(libraryOperations) / sizeof(libraryOperations[0]); ++i)
    if (libraryOperations[i].kind == kind)
      return &libraryOperations[i];
  return NULL;
}

static MlirAttribute operationProblem(IrBuilder *b, MlirOperation op) {
  const LibraryOperation *description = findLibraryOperation(tgKindOf(op));
  MlirNamedAttribute entries[20] = {irString(b, "kind", tgNameOfKind(description->kind))};
  intptr_t count = 1;
  for (const char *const *name = description->attributes; *name; ++name) {
    MlirAttribute attribute = irGetAttr(op, *name);
    if (!mlirAttributeIsNull(attribute))
      entries[count++] = irAttr(b, *name, attribute);
  }
  MlirAttribute types = typesOfGraph(b, op, irResult(op, 0));
  if (!mlirAttributeIsNull(types))
    entries[count++] = irAttr(b, "types", types);
  return mlirDictionaryAttrGet(b->context, count, entries);
}

/// The function is named after the kind of the operation.
static const char *problemFunction(Host *host, const char *kind, MlirAttribute problem, MlirType type) {
  for (intptr_t i = 0; i < host->numProblems; ++i)
    if (mlirAttributeEqual(host->problems[i].problem, problem) && mlirTypeEqual(host->problems[i].type, type))
      return host->problems[i].name;
  IR_RESERVE_ONE(host->problems, host->numProblems, host->problemCapacity);
  HostProblem *entry = &host->problems[host->numProblems++];
  *entry = (HostProblem){.problem = problem, .type = type};
  snprintf(entry->name, sizeof(entry->name), "%s_%ld", kind, (long)host->numProblems - 1);
  IrBuilder b = irBuilderBefore(host->source);
  MlirOperation function =
      irOpWithRegions(&b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
                      IR_ATTRS(irString(&b, "sym_name", entry->name), irType(&b, "function_type", type),
                               irString(&b, "sym_visibility", "private"), irAttr(&b, "stitch.library", problem)),
                      1, IR_NO_TYPES);
  MlirBlock body = irBody(function, 0); // a declaration has none
  mlirBlockDetach(body);
  mlirBlockDestroy(body);
  return entry->name;
}

/// The operation of a library call, and the transpose behind a dot (null if there is none). False if the call holds
/// anything else.
static bool matchCall(MlirOperation call, MlirOperation *op, MlirOperation *transpose) {
  MlirBlock body = irBody(call, 0);
  MlirOperation yield = mlirBlockGetTerminator(body);
  *op = mlirBlockGetFirstOperation(body);
  *transpose = (MlirOperation){NULL};
  bool isDot = tgKindOf(*op) == TG_dot;
  if ((!isDot && !findLibraryOperation(tgKindOf(*op))) || mlirOperationGetNumOperands(call) > 2 ||
      mlirOperationGetNumResults(call) != 1)
    return false;
  MlirOperation last = *op, next = mlirOperationGetNextInBlock(*op);
  if (isDot && tgKindOf(next) == TG_transpose && mlirValueEqual(irOperand(next, 0), irResult(*op, 0))) {
    *transpose = last = next;
    next = mlirOperationGetNextInBlock(next);
  }
  return mlirOperationEqual(next, yield) && mlirValueEqual(irOperand(yield, 0), irResult(last, 0));
}

/// What the call's operand is that its body knows as `inner`.
static MlirValue outerValue(MlirOperation call, MlirValue inner) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    if (mlirValueEqual(mlirBlockGetArgument(irBody(call, 0), i), inner))
      return irOperand(call, i);
  return inner;
}

bool hostConvertLibraryCall(Host *host, MlirOperation call) {
  MlirOperation op, transpose;
  if (!matchCall(call, &op, &transpose)) {
    stitchEmitOpError(call, "must hold one tg operation that a library computes, or a tg.dot and a tg.transpose of it: "
                            "no other library call can be made");
    return false;
  }
  MlirValue arguments[3];
  MlirType types[3];
  intptr_t numInputs = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i <= numInputs; ++i) {
    arguments[i] = hostMemref(host, call, i < numInputs ? outerValue(call, irOperand(op, i)) : irResult(call, 0));
    if (mlirValueIsNull(arguments[i]))
      return false;
    types[i] = mlirValueGetType(arguments[i]);
  }
  MlirType type = mlirFunctionTypeGet(host->b.context, numInputs + 1, types, 0, NULL);
  bool isDot = tgKindOf(op) == TG_dot;
  MlirAttribute problem = isDot ? dotProblem(&host->b, op, transpose) : operationProblem(&host->b, op);
  const char *name = problemFunction(host, tgNameOfKind(tgKindOf(op)), problem, type);
  irOp(&host->b, "func.call", (IrValues){numInputs + 1, arguments}, IR_NO_TYPES,
       IR_ATTRS(irSymbol(&host->b, "callee", name)));
  return true;
}
