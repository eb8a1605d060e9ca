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
static MlirAttribute typesOfGraph(IrBuilder *b, MlirOperation product, MlirValue result) {
  MlirAttribute types[3];
  bool differ = false;
  for (intptr_t i = 0; i < 3; ++i) {
    MlirType tensor = mlirValueGetType(i < 2 ? irOperand(product, i) : result), element = irElementType(tensor);
    IrShape shape = irTypeShape(tensor);
    differ = differ || !mlirTypeEqual(element, memoryType(element));
    types[i] = mlirTypeAttrGet(mlirMemRefTypeContiguousGet(element, shape.rank, shape.dims, mlirAttributeGetNull()));
  }
  return differ ? mlirArrayAttrGet(b->context, 3, types) : mlirAttributeGetNull();
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

/// The same for a convolution: its attributes.
static MlirAttribute convolutionProblem(IrBuilder *b, MlirOperation convolution) {
  static const char *const names[] = {"input_batch_dimension",
                                      "input_feature_dimension",
                                      "input_spatial_dimensions",
                                      "kernel_input_feature_dimension",
                                      "kernel_output_feature_dimension",
                                      "kernel_spatial_dimensions",
                                      "output_batch_dimension",
                                      "output_feature_dimension",
                                      "output_spatial_dimensions",
                                      "window_strides",
                                      "padding_low",
                                      "padding_high",
                                      "lhs_dilation",
                                      "rhs_dilation",
                                      "window_reversal",
                                      "feature_group_count",
                                      "batch_group_count"};
  enum { COUNT = sizeof(names) / sizeof(names[0]) };
  MlirNamedAttribute entries[COUNT + 2] = {irString(b, "kind", "convolution")};
  intptr_t count = 1;
  for (intptr_t i = 0; i < COUNT; ++i)
    entries[count++] = irAttr(b, names[i], irGetAttr(convolution, names[i]));
  MlirAttribute types = typesOfGraph(b, convolution, irResult(convolution, 0));
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

/// The dot or convolution of a library call, and the transpose behind a dot (null if there is none). False if the call
/// holds anything else.
static bool matchCall(MlirOperation call, MlirOperation *product, MlirOperation *transpose) {
  MlirBlock body = irBody(call, 0);
  MlirOperation yield = mlirBlockGetTerminator(body);
  *product = mlirBlockGetFirstOperation(body);
  *transpose = (MlirOperation){NULL};
  bool isDot = tgKindOf(*product) == TG_dot, isConvolution = tgKindOf(*product) == TG_convolution;
  if ((!isDot && !isConvolution) || mlirOperationGetNumOperands(call) > 2 || mlirOperationGetNumResults(call) != 1)
    return false;
  MlirOperation last = *product, next = mlirOperationGetNextInBlock(*product);
  if (isDot && tgKindOf(next) == TG_transpose && mlirValueEqual(irOperand(next, 0), irResult(*product, 0))) {
    *transpose = last = next;
    next = mlirOperationGetNextInBlock(next);
  }
  return mlirOperationEqual(next, yield) && mlirValueEqual(irOperand(yield, 0), irResult(last, 0));
}

bool hostConvertLibraryCall(Host *host, MlirOperation call) {
  MlirBlock body = irBody(call, 0);
  MlirOperation product, transpose;
  if (!matchCall(call, &product, &transpose)) {
    stitchEmitOpError(call, "must hold one tg.dot, a tg.dot and a tg.transpose of it, or one tg.convolution: no other "
                            "library call can be made");
    return false;
  }
  MlirValue arguments[3];
  MlirType types[3];
  for (intptr_t i = 0; i < 3; ++i) {
    MlirValue inner = i < 2 ? irOperand(product, i) : irResult(call, 0), outer = inner;
    for (intptr_t j = 0; i < 2 && j < mlirOperationGetNumOperands(call); ++j)
      if (mlirValueEqual(mlirBlockGetArgument(body, j), inner))
        outer = irOperand(call, j);
    arguments[i] = hostMemref(host, call, outer);
    if (mlirValueIsNull(arguments[i]))
      return false;
    types[i] = mlirValueGetType(arguments[i]);
  }
  MlirType type = mlirFunctionTypeGet(host->b.context, 3, types, 0, NULL);
  bool isDot = tgKindOf(product) == TG_dot;
  MlirAttribute problem = isDot ? dotProblem(&host->b, product, transpose) : convolutionProblem(&host->b, product);
  const char *name = problemFunction(host, isDot ? "dot" : "convolution", problem, type);
  irOp(&host->b, "func.call", (IrValues){3, arguments}, IR_NO_TYPES, IR_ATTRS(irSymbol(&host->b, "callee", name)));
  return true;
}
