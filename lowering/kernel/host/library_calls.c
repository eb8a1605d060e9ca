//===- library_calls.c - calls of libraries in the host function ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes stitch.library_call. Leaves func.call of a declaration with the attribute stitch.library, which describes the
// problem with its epilogue (docs/ir.md, section 3). A body that no library call computes is an error.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "lowering/kernel/host/library_dots.h"
#include "lowering/kernel/host/library_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The operations of a library call, in the order in which they are computed.
typedef struct {
  MlirOperation product;   ///< the operation; a dot or convolution if there is more
  MlirOperation bias;      ///< the broadcast that is added; or null, as all below
  MlirValue addend;        ///< an argument of the call's body
  TgKind activation;       ///< TG_max with zero, TG_gelu, TG_gelu_gradient; TG_NONE: there is none
  MlirValue preactivation; ///< an argument that a gradient reads, or the operand of a gelu, another result
  MlirOperation sum;       ///< of the result or an operand of a dot, another result
  MlirOperation transpose; ///< of a dot
  MlirValue result;        ///< the first yielded value
} CallBody;

enum { MAX_OPERANDS = 7 };

/// Operands of a library: those of the operation, the result, and those of the epilogue, as values of the call's body.
/// Returns their number.
static intptr_t operandsOf(const CallBody *body, MlirValue *operands) {
  intptr_t count = 0;
  while (count < mlirOperationGetNumOperands(body->product) && count < 2) {
    operands[count] = irOperand(body->product, count);
    ++count;
  }
  operands[count++] = body->result;
  if (!mlirOperationIsNull(body->bias))
    operands[count++] = irOperand(body->bias, 0);
  if (!mlirValueIsNull(body->addend))
    operands[count++] = body->addend;
  if (!mlirValueIsNull(body->preactivation))
    operands[count++] = body->preactivation;
  if (!mlirOperationIsNull(body->sum))
    operands[count++] = irResult(body->sum, 0);
  return count;
}

/// The buffer types of the operands as in the graph, if memory has others: it holds an i1 in a byte, complex numbers as
/// their parts, and has no signs. Null if they are the same.
static MlirAttribute typesOfGraph(IrBuilder *b, const CallBody *body) {
  MlirValue operands[MAX_OPERANDS];
  MlirAttribute types[MAX_OPERANDS];
  bool differ = false;
  intptr_t count = operandsOf(body, operands);
  for (intptr_t i = 0; i < count; ++i) {
    MlirType tensor = mlirValueGetType(operands[i]), element = irElementType(tensor);
    IrShape shape = irTypeShape(tensor);
    differ = differ || !mlirTypeEqual(element, memoryType(element));
    types[i] = mlirTypeAttrGet(mlirMemRefTypeContiguousGet(element, shape.rank, shape.dims, mlirAttributeGetNull()));
  }
  return differ ? mlirArrayAttrGet(b->context, count, types) : mlirAttributeGetNull();
}

/// For each operand: 1 + number of the symbol that its outermost dimension is a multiple of, 0 if it is known. Null if
/// all are known.
static MlirAttribute symbolsOf(Host *host, const CallBody *body) {
  MlirValue operands[MAX_OPERANDS];
  int64_t symbols[MAX_OPERANDS];
  bool isOpen = false;
  intptr_t count = operandsOf(body, operands);
  for (intptr_t i = 0; i < count; ++i) {
    symbols[i] = irSymbolNumber(host->source, mlirValueGetType(operands[i]));
    isOpen = isOpen || symbols[i];
  }
  return isOpen ? mlirDenseI64ArrayGet(host->b.context, count, symbols) : mlirAttributeGetNull();
}

/// Entries of a description for a library: docs/ir.md, section 3.
typedef struct {
  MlirNamedAttribute data[24];
  intptr_t count;
} Entries;

/// The operand of the sum: "lhs", "rhs" or "result".
static const char *nameOfSummed(const CallBody *body) {
  MlirValue operand = irOperand(body->sum, 0);
  if (mlirValueEqual(operand, body->result))
    return "result";
  return mlirValueEqual(operand, irOperand(body->product, 0)) ? "lhs" : "rhs";
}

static void addEpilogueAndTypes(Host *host, Entries *entries, const CallBody *body) {
  IrBuilder *b = &host->b;
  if (!mlirOperationIsNull(body->bias)) {
    IrShape dims = irGetDims(body->bias, "dims");
    entries->data[entries->count++] = irDims(b, "bias_dims", dims.rank, dims.dims);
  }
  if (!mlirValueIsNull(body->addend))
    entries->data[entries->count++] = irAttr(b, "addend", mlirUnitAttrGet(b->context));
  if (body->activation != TG_NONE)
    entries->data[entries->count++] =
        irString(b, "activation", body->activation == TG_max ? "relu" : tgNameOfKind(body->activation));
  if (body->activation == TG_gelu && !mlirValueIsNull(body->preactivation))
    entries->data[entries->count++] = irAttr(b, "preactivation", mlirUnitAttrGet(b->context));
  if (!mlirOperationIsNull(body->sum))
    entries->data[entries->count++] = irString(b, "sum", nameOfSummed(body));
  MlirAttribute types = typesOfGraph(b, body);
  if (!mlirAttributeIsNull(types))
    entries->data[entries->count++] = irAttr(b, "types", types);
  MlirAttribute symbols = symbolsOf(host, body);
  if (!mlirAttributeIsNull(symbols))
    entries->data[entries->count++] = irAttr(b, "symbols", symbols);
}

static MlirAttribute dotProblem(Host *host, const CallBody *body) {
  IrBuilder *b = &host->b;
  const char *dims[] = {"lhs_batch", "lhs_contract", "rhs_batch", "rhs_contract"};
  Entries entries = {.count = 0};
  entries.data[entries.count++] = irString(b, "kind", "dot");
  for (int i = 0; i < 4; ++i) {
    IrShape list = irGetDims(body->product, dims[i]);
    entries.data[entries.count++] = irDims(b, dims[i], list.rank, list.dims);
  }
  TgPrecision precision = tgPrecisionOf(body->product);
  if (precision != TG_PRECISION_DEFAULT)
    entries.data[entries.count++] = irI32(b, "precision", precision);
  if (!mlirOperationIsNull(body->transpose)) {
    IrShape permutation = irGetDims(body->transpose, "permutation");
    entries.data[entries.count++] = irDims(b, "result_permutation", permutation.rank, permutation.dims);
  }
  addEpilogueAndTypes(host, &entries, body);
  return mlirDictionaryAttrGet(b->context, entries.count, entries.data);
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
    {TG_all_reduce, {"kind", "groups"}},
    {TG_all_gather, {"groups"}},
    {TG_reduce_scatter, {"kind", "groups"}},
    {TG_all_to_all, {"groups"}},
    {TG_collective_broadcast, {"groups"}},
    {TG_collective_permute, {"pairs"}},
    {TG_process_id, {NULL}},
};

/// NULL if it is none of them.
static const LibraryOperation *findLibraryOperation(TgKind kind) {
  for (size_t i = 0; i < sizeof(libraryOperations) / sizeof(libraryOperations[0]); ++i)
    if (libraryOperations[i].kind == kind)
      return &libraryOperations[i];
  return NULL;
}

static MlirAttribute operationProblem(Host *host, const CallBody *body) {
  IrBuilder *b = &host->b;
  const LibraryOperation *description = findLibraryOperation(tgKindOf(body->product));
  Entries entries = {.count = 0};
  entries.data[entries.count++] = irString(b, "kind", tgNameOfKind(description->kind));
  for (const char *const *name = description->attributes; *name; ++name) {
    MlirAttribute attribute = irGetAttr(body->product, *name);
    if (!mlirAttributeIsNull(attribute))
      entries.data[entries.count++] = irAttr(b, strcmp(*name, "kind") ? *name : "combiner", attribute);
  }
  addEpilogueAndTypes(host, &entries, body);
  return mlirDictionaryAttrGet(b->context, entries.count, entries.data);
}

/// The function is named after the kind of the operation.
static const char *problemFunction(Host *host, const char *kind, MlirAttribute problem, MlirType type, bool *isNew) {
  for (intptr_t i = 0; i < host->shared->numProblems; ++i)
    if (mlirAttributeEqual(host->shared->problems[i].problem, problem) &&
        mlirTypeEqual(host->shared->problems[i].type, type))
      return *isNew = false, host->shared->problems[i].name;
  *isNew = true;
  IR_RESERVE_ONE(host->shared->problems, host->shared->numProblems, host->shared->problemCapacity);
  HostProblem *entry = &host->shared->problems[host->shared->numProblems++];
  *entry = (HostProblem){.problem = problem, .type = type};
  char prefix[24];
  snprintf(prefix, sizeof(prefix), "%s_", kind);
  hostFreshName(host->shared->module, prefix, &(intptr_t){host->shared->numProblems - 1}, sizeof(entry->name),
                entry->name);
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

//===----------------------------------------------------------------------===//
// Operations of a call
//===----------------------------------------------------------------------===//

/// The operand of a binary operation that is not `value`; null if neither is.
static MlirValue otherOperand(MlirOperation op, MlirValue value) {
  for (intptr_t i = 0; i < 2; ++i)
    if (mlirValueEqual(irOperand(op, i), value))
      return irOperand(op, 1 - i);
  return (MlirValue){NULL};
}

/// A bias, an addend or a relu behind the result so far.
static bool addBinary(CallBody *body, MlirOperation op) {
  MlirValue other = otherOperand(op, body->result);
  if (mlirValueIsNull(other))
    return false;
  MlirOperation definition = irDefiningOp(other);
  TgKind kind = tgKindOf(op), by = mlirOperationIsNull(definition) ? TG_NONE : tgKindOf(definition);
  if (kind == TG_max && tgIsFloatZero(other))
    body->activation = TG_max;
  else if (kind == TG_add && by == TG_broadcast && mlirOperationIsNull(body->bias) && mlirValueIsNull(body->addend))
    body->bias = definition;
  else if (kind == TG_add && by == TG_NONE && mlirValueIsNull(body->addend))
    body->addend = other;
  else
    return false;
  return true;
}

/// gelu in its form with tanh, or its gradient, of a dot's result so far.
static bool addGelu(CallBody *body, MlirOperation op) {
  bool isGradient = tgKindOf(op) == TG_gelu_gradient;
  if (tgKindOf(body->product) != TG_dot || !irHasAttr(op, "approximate") ||
      !mlirValueEqual(irOperand(op, isGradient ? 1 : 0), body->result) ||
      (isGradient && !mlirOperationIsNull(irDefiningOp(irOperand(op, 0)))))
    return false;
  body->activation = tgKindOf(op);
  if (isGradient)
    body->preactivation = irOperand(op, 0);
  return true;
}

static bool addTranspose(CallBody *body, MlirOperation op) {
  if (tgKindOf(body->product) != TG_dot || body->activation != TG_NONE || !mlirOperationIsNull(body->bias) ||
      !mlirValueIsNull(body->addend) || !mlirValueEqual(irOperand(op, 0), body->result))
    return false;
  body->transpose = op;
  return true;
}

static int64_t rankOf(MlirValue value) { return irShapeOf(value).rank; }

/// Whether `dims` are those that `list` has, in any order.
static bool sameDims(IrShape dims, IrShape list) {
  bool same = dims.rank == list.rank;
  for (intptr_t i = 0; i < dims.rank; ++i) {
    bool found = false;
    for (intptr_t k = 0; k < list.rank; ++k)
      found = found || dims.dims[i] == list.dims[k];
    same = same && found;
  }
  return same;
}

/// The sum of a gradient of gelu over all but the columns, or, of a dot alone, of an operand over the contracted
/// dimensions.
static bool addSum(CallBody *body, MlirOperation op) {
  IrShape dims = irGetDims(op, "dims");
  if (tgKindOf(body->product) != TG_dot || !mlirOperationIsNull(body->sum) || irGetInt(op, "kind", -1) != TG_REDUCE_ADD)
    return false;
  body->sum = op;
  MlirValue rhs = irOperand(body->product, 1);
  IrShape contract = irGetDims(body->product, "rhs_contract");
  intptr_t rows = rankOf(body->result) - (rankOf(rhs) - irGetDims(body->product, "rhs_batch").rank - contract.rank);
  if (mlirValueEqual(irOperand(op, 0), body->result))
    return body->activation == TG_gelu_gradient && dims.rank == rows && (rows == 0 || dims.dims[rows - 1] == rows - 1);
  bool isPlain = body->activation == TG_NONE && mlirOperationIsNull(body->bias) && mlirValueIsNull(body->addend) &&
                 mlirOperationIsNull(body->transpose) && irGetDims(body->product, "lhs_batch").rank == 0;
  if (mlirValueEqual(irOperand(op, 0), irOperand(body->product, 0)))
    return isPlain && sameDims(dims, irGetDims(body->product, "lhs_contract"));
  return isPlain && mlirValueEqual(irOperand(op, 0), rhs) && sameDims(dims, contract);
}

/// Adds `op` to the epilogue; false if no library computes it.
static bool addToEpilogue(CallBody *body, MlirOperation op) {
  TgKind kind = tgKindOf(op), product = tgKindOf(body->product);
  if (product != TG_dot && product != TG_convolution)
    return false;
  if (kind == TG_reduce)
    return addSum(body, op);
  bool isLast = body->activation != TG_NONE || !mlirOperationIsNull(body->transpose) || !mlirOperationIsNull(body->sum);
  bool known = kind == TG_transpose                          ? addTranspose(body, op)
               : kind == TG_add || kind == TG_max            ? addBinary(body, op)
               : kind == TG_gelu || kind == TG_gelu_gradient ? addGelu(body, op)
                                                             : false;
  if (isLast || !known)
    return false;
  body->result = irResult(op, 0);
  return true;
}

/// The first result is that of the epilogue; others are the operand of a gelu, and the sum.
static bool matchResults(MlirOperation yield, CallBody *body) {
  intptr_t count = mlirOperationGetNumOperands(yield), next = 1;
  if (count == 0 || !mlirValueEqual(irOperand(yield, 0), body->result))
    return false;
  if (next < count && body->activation == TG_gelu &&
      mlirValueEqual(irOperand(yield, next), irOperand(irDefiningOp(body->result), 0)))
    body->preactivation = irOperand(yield, next++);
  if (next < count && !mlirOperationIsNull(body->sum) && mlirValueEqual(irOperand(yield, next), irResult(body->sum, 0)))
    ++next;
  else if (!mlirOperationIsNull(body->sum))
    return false;
  return next == count;
}

/// Takes a library call apart; false if it holds anything but the operations of docs/ir.md, section 2.
static bool matchCall(MlirOperation call, CallBody *result) {
  MlirBlock block = irBody(call, 0);
  MlirOperation yield = mlirBlockGetTerminator(block), product = mlirBlockGetFirstOperation(block);
  TgKind kind = tgKindOf(product);
  if (kind != TG_dot && !findLibraryOperation(kind))
    return false;
  *result = (CallBody){.product = product, .result = irResult(product, 0)};
  for (MlirOperation op = mlirOperationGetNextInBlock(product); !mlirOperationEqual(op, yield);
       op = mlirOperationGetNextInBlock(op))
    if (tgKindOf(op) != TG_broadcast && tgKindOf(op) != TG_constant && !addToEpilogue(result, op))
      return false;
  if (!matchResults(yield, result))
    return false;
  MlirValue operands[MAX_OPERANDS];
  intptr_t inputs = operandsOf(result, operands) - mlirOperationGetNumResults(call);
  return mlirOperationGetNumOperands(call) <= inputs;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The value outside that a value of the body stands for.
static MlirValue outsideOf(MlirOperation call, MlirValue inner) {
  MlirBlock block = irBody(call, 0);
  MlirOperation yield = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    if (mlirValueEqual(irOperand(yield, i), inner))
      return irResult(call, i);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    if (mlirValueEqual(mlirBlockGetArgument(block, i), inner))
      return irOperand(call, i);
  return inner;
}

/// A call of a library in the host function.
typedef struct {
  const char *kind;
  MlirAttribute problem;     ///< stitch.library
  const MlirValue *operands; ///< of the library, as values of the body of the stitch.library_call
  intptr_t numOperands;
} HostCall;

/// For each argument of a call whether it is only read.
static MlirAttribute readsOf(Host *host, MlirOperation call, const HostCall *description) {
  int *reads = irAllocate(sizeof(*reads) * (size_t)(description->numOperands + 1));
  for (intptr_t i = 0; i < description->numOperands; ++i) {
    MlirOperation computes = irDefiningOp(outsideOf(call, description->operands[i]));
    reads[i] = mlirOperationIsNull(computes) || !mlirOperationEqual(computes, call);
  }
  MlirAttribute attribute = mlirDenseBoolArrayGet(host->b.context, description->numOperands, reads);
  free(reads);
  return attribute;
}

/// `arguments` has room for the operands, `types` for theirs.
static bool makeCall(Host *host, MlirOperation call, const HostCall *description, MlirValue *arguments,
                     MlirType *types) {
  intptr_t count = description->numOperands;
  for (intptr_t i = 0; i < count; ++i) {
    arguments[i] = hostMemref(host, call, outsideOf(call, description->operands[i]));
    if (mlirValueIsNull(arguments[i]))
      return false;
    types[i] = mlirValueGetType(arguments[i]);
  }
  MlirType type = mlirFunctionTypeGet(host->b.context, count, types, 0, NULL);
  bool isNew;
  const char *name = problemFunction(host, description->kind, description->problem, type, &isNew);
  if (isNew && !mlirBlockIsNull(host->shared->kernels.graphs))
    hostAddCallGraph(host->shared->kernels.graphs, name, call, description->operands, count);
  MlirOperation made = irOp(&host->b, "func.call", (IrValues){count, arguments}, IR_NO_TYPES,
                            IR_ATTRS(irSymbol(&host->b, "callee", name)));
  if (host->numSteps)
    irSetAttr(made, "stitch.reads", readsOf(host, call, description));
  return true;
}

/// The same description of a problem whose rows have the same bits however many there are, if that has been asked for.
static MlirAttribute invariantProblem(Host *host, MlirAttribute problem) {
  enum { MOST = 32 };
  MlirNamedAttribute entries[MOST];
  intptr_t count = mlirDictionaryAttrGetNumElements(problem);
  if (!irHasAttr(host->shared->module, IR_INVARIANT_ATTRIBUTE) || count >= MOST)
    return problem;
  for (intptr_t i = 0; i < count; ++i)
    entries[i] = mlirDictionaryAttrGetElement(problem, i);
  entries[count] = irUnit(&host->b, "invariant");
  return mlirDictionaryAttrGet(host->b.context, count + 1, entries);
}

static bool makeLibraryCall(Host *host, MlirOperation call, const HostCall *description) {
  size_t room = (size_t)(description->numOperands + 1);
  MlirValue *arguments = irAllocate(sizeof(*arguments) * room);
  MlirType *types = irAllocate(sizeof(*types) * room);
  bool succeeded = makeCall(host, call, description, arguments, types);
  free(arguments);
  free(types);
  return succeeded;
}

/// Several sums, or the operands of all members of a group.
static bool convertSeveral(Host *host, MlirOperation call, const char *kind, MlirAttribute problem, intptr_t count) {
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(2 * count));
  HostCall description = {.kind = kind,
                          .problem = problem,
                          .operands = operands,
                          .numOperands = librarySumsOperands(call, count, operands)};
  bool succeeded = makeLibraryCall(host, call, &description);
  free(operands);
  return succeeded;
}

static bool convertDots(Host *host, MlirOperation call, intptr_t count) {
  MlirValue *operands = irAllocate(sizeof(*operands) * (size_t)(LIBRARY_DOT_OPERANDS * count));
  HostCall description = {.kind = "dots",
                          .problem = invariantProblem(host, libraryDotsProblem(&host->b, call, count)),
                          .operands = operands,
                          .numOperands = libraryDotsOperands(call, count, operands)};
  bool succeeded = makeLibraryCall(host, call, &description);
  free(operands);
  return succeeded;
}

bool hostConvertLibraryCall(Host *host, MlirOperation call) {
  intptr_t numDots = libraryCountDots(call), numSums = numDots ? 0 : libraryCountSums(call);
  if (numDots)
    return convertDots(host, call, numDots);
  if (numSums)
    return convertSeveral(host, call, "all_reduces", librarySumsProblem(&host->b, call, numSums), numSums);
  intptr_t numAll = numDots ? 0 : libraryCountOperandsOfAll(call);
  if (numAll)
    return convertSeveral(host, call, "operands_of_all", libraryOperandsOfAllProblem(&host->b, call, numAll), numAll);
  CallBody body;
  if (!matchCall(call, &body)) {
    stitchEmitOpError(call,
                      "must hold one tg operation that a library computes, and an epilogue that libraries have, or "
                      "products of one form (docs/ir.md, section 2): no other library call can be made");
    return false;
  }
  MlirValue operands[MAX_OPERANDS];
  TgKind kind = tgKindOf(body.product);
  HostCall description = {.kind = tgNameOfKind(kind),
                          .problem = kind == TG_dot           ? invariantProblem(host, dotProblem(host, &body))
                                     : kind == TG_convolution ? invariantProblem(host, operationProblem(host, &body))
                                                              : operationProblem(host, &body),
                          .operands = operands,
                          .numOperands = operandsOf(&body, operands)};
  return makeLibraryCall(host, call, &description);
}
