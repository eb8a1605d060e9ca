//===- graphs.c - graphs of kernels and library calls ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is checked by evaluating its tg operations once more on the same inputs. They are kept in a builtin.module
// @graphs: a function for each kernel and library function, named as it, without the plan (docs/ir.md, section 3).
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host.h"

#include "ir/graph/in_place.h"
#include "ir/plan/gradient_plan.h"
#include "ir/plan/scan.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A function under construction: values of the original and those that stand for them.
typedef struct {
  IrMap valueOf; ///< value of the original -> the pointer of the value in the copy
  MlirBlock body;
} FunctionCopy;

static MlirValue copiedValue(const FunctionCopy *copy, MlirValue value) {
  int64_t pointer = irMapGet(&copy->valueOf, value.ptr, 0);
  return pointer ? (MlirValue){(void *)(intptr_t)pointer} : value;
}

static void setCopy(FunctionCopy *copy, MlirValue value, MlirValue by) {
  irMapSet(&copy->valueOf, value.ptr, (int64_t)(intptr_t)by.ptr);
}

static MlirWalkResult replaceOperands(MlirOperation op, void *data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, copiedValue(data, irOperand(op, i)));
  return MlirWalkResultAdvance;
}

/// Attributes of the planner do not belong to the computation.
static void removePlan(MlirOperation op) {
  static const char prefix[] = "stitch.";
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op); i-- > 0;) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (name.length >= sizeof(prefix) - 1 && memcmp(name.data, prefix, sizeof(prefix) - 1) == 0)
      mlirOperationRemoveDiscardableAttributeByName(op, name);
  }
}

static void copyOperation(FunctionCopy *copy, MlirOperation op) {
  MlirOperation clone = mlirOperationClone(op);
  mlirOperationWalk(clone, replaceOperands, copy, MlirWalkPreOrder);
  removePlan(clone);
  mlirBlockAppendOwnedOperation(copy->body, clone);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    setCopy(copy, irResult(op, i), irResult(clone, i));
}

/// A function with arguments for `inputs`. Its type is set when it is closed.
static MlirOperation openGraph(MlirBlock graphs, MlirLocation loc, const char *name, const MlirValue *inputs,
                               intptr_t numInputs, FunctionCopy *copy) {
  IrBuilder b = irBuilderAtEnd(graphs, loc);
  MlirType *types = irAllocate(sizeof(*types) * (size_t)(numInputs + 1));
  for (intptr_t i = 0; i < numInputs; ++i)
    types[i] = mlirValueGetType(inputs[i]);
  MlirType type = mlirFunctionTypeGet(b.context, numInputs, types, 0, NULL);
  MlirOperation function = irOpWithRegions(&b, "func.func", IR_NO_VALUES, IR_NO_TYPES,
                                           IR_ATTRS(irString(&b, "sym_name", name), irType(&b, "function_type", type),
                                                    irString(&b, "sym_visibility", "private")),
                                           1, (IrTypes){numInputs, types});
  *copy = (FunctionCopy){.body = irBody(function, 0)};
  for (intptr_t i = 0; i < numInputs; ++i)
    setCopy(copy, inputs[i], mlirBlockGetArgument(copy->body, i));
  free(types);
  return function;
}

/// Ends a function with the copies of `results`.
static void closeGraph(MlirOperation function, FunctionCopy *copy, const MlirValue *results, intptr_t numResults) {
  IrBuilder b = irBuilderAtEnd(copy->body, mlirOperationGetLocation(function));
  MlirType *types = irAllocate(sizeof(*types) * (size_t)(numResults + 1));
  MlirValue *copies = irAllocate(sizeof(*copies) * (size_t)(numResults + 1));
  for (intptr_t i = 0; i < numResults; ++i) {
    types[i] = mlirValueGetType(results[i]);
    copies[i] = copiedValue(copy, results[i]);
  }
  irOp(&b, "func.return", (IrValues){numResults, copies}, IR_NO_TYPES, IR_NO_ATTRS);
  MlirType old = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  intptr_t numInputs = mlirFunctionTypeGetNumInputs(old);
  MlirType *inputs = irAllocate(sizeof(*inputs) * (size_t)(numInputs + 1));
  for (intptr_t i = 0; i < numInputs; ++i)
    inputs[i] = mlirFunctionTypeGetInput(old, i);
  irSetAttr(function, "function_type",
            mlirTypeAttrGet(mlirFunctionTypeGet(b.context, numInputs, inputs, numResults, types)));
  free(inputs);
  free(types);
  free(copies);
  irMapDestroy(&copy->valueOf);
}

/// The launch's arguments with the graph's arguments and results: `stitch.inputs` and `stitch.outputs`, -1 for values
/// that are not stored.
static void setPlaces(MlirOperation function, const char *name, intptr_t count, const int64_t *places) {
  irSetAttr(function, name, mlirDenseI64ArrayGet(mlirOperationGetContext(function), count, places));
}

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

/// Values that the graph of a fusion returns: those that it yields, then starts of slices that it computes.
typedef struct {
  MlirValue *data;
  intptr_t count, capacity;
} Results;

static void addResult(Results *results, MlirValue value) {
  IR_RESERVE_ONE(results->data, results->count, results->capacity);
  results->data[results->count++] = value;
}

/// The start of slice `number` in dimension `d`, as a result: its number, or -1 for a constant.
static int64_t startResult(const KernelPlan *plan, intptr_t number, intptr_t d, Results *results) {
  const KernelSlice *slice = &plan->slices[number];
  if (slice->inputs[d] == KERNEL_START_CONSTANT)
    return -1;
  MlirValue start = slice->inputs[d] == KERNEL_START_COMPUTED ? kernelComputedStart(plan, number, d)
                                                              : mlirBlockGetArgument(plan->body, slice->inputs[d]);
  addResult(results, start);
  return results->count - 1;
}

static MlirAttribute sliceAttr(MlirContext context, const KernelPlan *plan, intptr_t number, int64_t argument,
                               Results *results) {
  const KernelSlice *slice = &plan->slices[number];
  IrBuilder b = {.context = context};
  int64_t starts[IR_MAX_RANK];
  for (intptr_t d = 0; d < slice->shape.rank; ++d)
    starts[d] = startResult(plan, number, d, results);
  MlirNamedAttribute entries[] = {
      irI64(&b, "result", slice->result),
      irI64(&b, "argument", argument),
      irType(&b, "buffer", slice->buffer),
      irDims(&b, "sizes", slice->shape.rank, slice->shape.dims),
      irDims(&b, "starts", slice->shape.rank, starts),
      irDims(&b, "constants", slice->shape.rank, slice->constants),
  };
  return mlirDictionaryAttrGet(context, sizeof(entries) / sizeof(entries[0]), entries);
}

/// The values carried by a loop inside the kernel. The lists are arguments of the graph, -1 for those that no iteration
/// reads, results, and of each value that changes the launch's argument in `others`.
static void addKernelLoop(MlirOperation function, const KernelPlan *plan, const int64_t *others) {
  IrBuilder b = {.context = mlirOperationGetContext(function)};
  size_t most = (size_t)(mlirBlockGetNumArguments(plan->body) + plan->numCarried + 1);
  int64_t *arguments = irAllocate(sizeof(*arguments) * most);
  int64_t *results = irAllocate(sizeof(*results) * most);
  int64_t *memories = irAllocate(sizeof(*memories) * most);
  intptr_t count = 0;
  for (intptr_t i = 0; i < plan->numCarried; ++i) {
    const KernelCarried *carried = &plan->carried[i];
    for (intptr_t k = 0; k < carried->numInputs || k == 0; ++k) {
      arguments[count] = carried->numInputs ? carried->inputs[k] : -1;
      memories[count] = others[i];
      results[count++] = carried->result;
    }
  }
  MlirNamedAttribute entries[] = {
      irI64(&b, "iterations", plan->iterations), irDims(&b, "arguments", count, arguments),
      irDims(&b, "results", count, results),     irDims(&b, "others", count, memories),
      irI64(&b, "waits", plan->numPhases),
  };
  irSetAttr(function, "stitch.loop", mlirDictionaryAttrGet(b.context, sizeof(entries) / sizeof(entries[0]), entries));
  free(arguments);
  free(results);
  free(memories);
}

static int64_t numSliceArguments(const KernelPlan *plan) {
  int64_t count = 0;
  for (intptr_t i = 0; i < plan->numSlices; ++i)
    count += plan->slices[i].memory < 0;
  return count;
}

/// Results that go round are where the last iteration writes them: it is an even one if their number is odd. `others`
/// gets the arguments that the iterations by turns with it write.
static void placeCarried(const KernelPlan *plan, int64_t firstSpare, int64_t *places, int64_t *others) {
  for (intptr_t i = 0; i < plan->numCarried; ++i) {
    int64_t *place = &places[plan->carried[i].result];
    bool isEven = plan->iterations % 2 == 0;
    others[i] = isEven ? *place : firstSpare + i;
    *place = isEven ? firstSpare + i : *place;
  }
}

/// Whether a later phase stores something in the root's scratch memory.
static bool isReplaced(const KernelPlan *plan, const KernelRoot *root) {
  bool found = false;
  for (intptr_t k = 0; k < plan->numRoots && root->hasBuffer && !found; ++k) {
    const KernelRoot *other = &plan->roots[k];
    found = other != root && other->hasBuffer && other->buffer.space == STITCH_SPACE_SCRATCH &&
            other->phase >= root->phase && other->buffer.offset < root->buffer.offset + root->buffer.size &&
            root->buffer.offset < other->buffer.offset + other->buffer.size;
  }
  return found;
}

/// Roots whose readers wait at a grid barrier and read them from memory: a check goes on with the values there.
/// `stitch.stored` is -1 for values in outputs, or the argument that is the scratch memory, and for each result its
/// offset there. Values that a later phase or iteration overwrites, or that are in shared memory (-2), are not there in
/// the end. Their `stitch.passing` begins with the number of the barrier at which they are, in an iteration.
static void markStored(const FunctionCopy *copy, const KernelPlan *plan, int64_t scratch) {
  for (intptr_t i = 0; i < plan->numRoots; ++i) {
    const KernelRoot *root = &plan->roots[i];
    bool isShared = root->hasBuffer && root->buffer.space == STITCH_SPACE_SHARED;
    bool isPassing = isShared || isReplaced(plan, root) || (plan->iterations > 1 && root->hasBuffer);
    if (root->scheme != STITCH_SCHEME_GLOBAL || root->isSplit || (root->hasBuffer && root->byOperand))
      continue;
    int64_t words[2 + KERNEL_MAX_RESULTS] = {root->phase, isShared ? -2 : root->hasBuffer ? scratch : -1};
    for (intptr_t k = 0; k < root->numResults; ++k)
      words[2 + k] = root->results[k].bufferOffset;
    intptr_t count = root->hasBuffer ? 1 + root->numResults : 1;
    irSetAttr(irDefiningOp(copiedValue(copy, root->results[0].value)), isPassing ? "stitch.passing" : "stitch.stored",
              mlirDenseI64ArrayGet(mlirOperationGetContext(plan->fusion), count + isPassing, words + !isPassing));
  }
}

/// Values that a kernel in debug form writes out. `stitch.written` has the argument, the number of first iterations
/// that have a part, the distance of the parts, and the offset of each result in the first one.
static void markWritten(const FunctionCopy *copy, const KernelPlan *plan, int64_t scratch) {
  enum { FIXED = 3 };
  for (intptr_t i = 0; i < plan->numRoots; ++i) {
    const KernelRoot *root = &plan->roots[i];
    int64_t words[FIXED + KERNEL_MAX_RESULTS] = {scratch, plan->stages.iterations, plan->stages.bytes};
    for (intptr_t k = 0; k < root->numResults; ++k)
      words[FIXED + k] = plan->stages.offset + root->results[k].stageOffset;
    if (root->isStage)
      irSetAttr(irDefiningOp(copiedValue(copy, root->results[0].value)), "stitch.written",
                mlirDenseI64ArrayGet(mlirOperationGetContext(plan->fusion), FIXED + root->numResults, words));
  }
}

void hostAddFusionGraph(MlirBlock graphs, const char *name, const KernelPlan *plan) {
  MlirLocation loc = mlirOperationGetLocation(plan->fusion);
  intptr_t numArguments = mlirBlockGetNumArguments(plan->body), numInputs = numArguments + plan->numConstants;
  intptr_t numOutputs = mlirOperationGetNumResults(plan->fusion), size = numInputs + numOutputs + plan->numSlices;
  MlirValue *inputs = irAllocate(sizeof(*inputs) * (size_t)(numInputs + 1));
  int64_t *places = irAllocate(sizeof(*places) * (size_t)(size + 1));
  MlirAttribute *slices = irAllocate(sizeof(*slices) * (size_t)(plan->numSlices + 1));
  for (intptr_t i = 0; i < numInputs; ++i) {
    inputs[i] = i < numArguments ? mlirBlockGetArgument(plan->body, i) : irResult(plan->constants[i - numArguments], 0);
    places[i] = i;
  }
  FunctionCopy copy;
  MlirOperation function = openGraph(graphs, loc, name, inputs, numInputs, &copy);
  setPlaces(function, "stitch.inputs", numInputs, places);
  MlirOperation yield = mlirBlockGetTerminator(plan->body);
  IR_FOR_EACH_OP(op, plan->body) {
    bool isInput = mlirOperationGetNumResults(op) == 1 && irMapGet(&copy.valueOf, irResult(op, 0).ptr, 0) != 0;
    if (!isInput && !mlirOperationEqual(op, yield))
      copyOperation(&copy, op);
  }
  Results results = {0};
  int64_t next = numInputs + plan->numSymbols;
  for (intptr_t i = 0; i < numOutputs; ++i) {
    addResult(&results, irOperand(yield, i));
    places[i] = plan->unstored[i] ? -1 : next++;
  }
  int64_t *others = irAllocate(sizeof(*others) * (size_t)(plan->numCarried + 1));
  placeCarried(plan, next + numSliceArguments(plan), places, others);
  setPlaces(function, "stitch.outputs", numOutputs, places);
  for (intptr_t i = 0; i < plan->numSlices; ++i)
    slices[i] = sliceAttr(mlirOperationGetContext(function), plan, i,
                          plan->slices[i].memory < 0 ? next++ : plan->slices[i].memory, &results);
  if (plan->numSlices)
    irSetAttr(function, "stitch.slices", mlirArrayAttrGet(mlirOperationGetContext(function), plan->numSlices, slices));
  if (irHasAttr(plan->fusion, "stitch.attention") && !planIsGradient(plan->fusion))
    irSetAttr(function, "stitch.running_softmax",
              irI64Attr(mlirOperationGetContext(function), attentionTiles(plan->fusion)));
  if (plan->iterations > 1)
    addKernelLoop(function, plan, others);
  markStored(&copy, plan, next + plan->numCarried);
  markWritten(&copy, plan, next + plan->numCarried);
  closeGraph(function, &copy, results.data, results.count);
  free(results.data);
  free(others);
  free(slices);
  free(places);
  free(inputs);
}

//===----------------------------------------------------------------------===//
// Single operations and library calls
//===----------------------------------------------------------------------===//

void hostAddOpGraph(MlirBlock graphs, const char *name, MlirOperation op) {
  intptr_t numInputs = mlirOperationGetNumOperands(op), numResults = mlirOperationGetNumResults(op);
  MlirValue *values = irAllocate(sizeof(*values) * (size_t)(numInputs + numResults + 1));
  int64_t *places = irAllocate(sizeof(*places) * (size_t)(numInputs + numResults + 1));
  for (intptr_t i = 0; i < numInputs + numResults; ++i) {
    values[i] = i < numInputs ? irOperand(op, i) : irResult(op, i - numInputs);
    places[i] = i < numInputs || !irScattersInPlace(op) ? i : i - numInputs;
  }
  FunctionCopy copy;
  MlirOperation function = openGraph(graphs, mlirOperationGetLocation(op), name, values, numInputs, &copy);
  // An operand that comes twice has two arguments, of which the last one is read.
  copyOperation(&copy, op);
  setPlaces(function, "stitch.inputs", numInputs, places);
  setPlaces(function, "stitch.outputs", numResults, places + numInputs);
  closeGraph(function, &copy, values + numInputs, numResults);
  free(values);
  free(places);
}

void hostAddCallGraph(MlirBlock graphs, const char *name, MlirOperation call, const MlirValue *operands,
                      intptr_t count) {
  MlirBlock body = irBody(call, 0);
  MlirOperation yield = mlirBlockGetTerminator(body);
  intptr_t numResults = mlirOperationGetNumResults(call), numInputs = 0;
  MlirValue *inputs = irAllocate(sizeof(*inputs) * (size_t)(count + 1));
  MlirValue *results = irAllocate(sizeof(*results) * (size_t)(numResults + 1));
  int64_t *inputPlaces = irAllocate(sizeof(*inputPlaces) * (size_t)(count + 1));
  int64_t *outputPlaces = irAllocate(sizeof(*outputPlaces) * (size_t)(numResults + 1));
  for (intptr_t i = 0; i < numResults; ++i) {
    results[i] = irOperand(yield, i);
    outputPlaces[i] = -1;
  }
  for (intptr_t i = 0; i < count; ++i) {
    intptr_t result = -1;
    for (intptr_t k = 0; k < numResults; ++k)
      result = mlirValueEqual(operands[i], results[k]) ? k : result;
    if (result >= 0) {
      outputPlaces[result] = i;
      continue;
    }
    inputs[numInputs] = operands[i];
    inputPlaces[numInputs++] = i;
  }
  FunctionCopy copy;
  MlirOperation function = openGraph(graphs, mlirOperationGetLocation(call), name, inputs, numInputs, &copy);
  IR_FOR_EACH_OP(op, body) {
    bool isInput = mlirOperationGetNumResults(op) == 1 && irMapGet(&copy.valueOf, irResult(op, 0).ptr, 0) != 0;
    if (!isInput && !mlirOperationEqual(op, yield))
      copyOperation(&copy, op);
  }
  setPlaces(function, "stitch.inputs", numInputs, inputPlaces);
  setPlaces(function, "stitch.outputs", numResults, outputPlaces);
  irSetAttr(function, "stitch.library", mlirUnitAttrGet(mlirOperationGetContext(function)));
  closeGraph(function, &copy, results, numResults);
  free(inputs);
  free(results);
  free(inputPlaces);
  free(outputPlaces);
}

void hostAddCopyGraph(MlirBlock graphs, MlirLocation loc, const char *name, MlirType tensor, bool isOpen) {
  MlirBlock block = mlirBlockCreate(1, &tensor, &loc);
  MlirValue value = mlirBlockGetArgument(block, 0);
  FunctionCopy copy;
  MlirOperation function = openGraph(graphs, loc, name, &value, 1, &copy);
  setPlaces(function, "stitch.inputs", 1, (const int64_t[]){0});
  setPlaces(function, "stitch.outputs", 1, (const int64_t[]){isOpen ? 2 : 1});
  closeGraph(function, &copy, &value, 1);
  mlirBlockDestroy(block);
}
