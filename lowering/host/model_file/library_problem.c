//===- library_problem.c - library calls for the runtime -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a dictionary of stitch.library_calls (docs/ir.md, section 3). Leaves the StitchLibraryProblem that the model
// file has of it: tensors, dimension lists, flags and the epilogue. An unknown kind or a malformed entry is an error,
// so that no call reaches the runtime half described.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "lowering/host/model_file/model_file.h"

#include <stdlib.h>
#include <string.h>

bool stitchElementTypeFromMLIR(MlirType elementType, StitchElementType *type) {
  char *name = irTypeText(elementType);
  bool isKnown = stitchElementTypeFromName(name, strlen(name), type);
  free(name);
  return isKnown;
}

/// A missing list is empty.
static bool readDims(MlirAttribute dictionary, const char *name, StitchLibraryDims *dims) {
  MlirAttribute array = irEntry(dictionary, name);
  *dims = (StitchLibraryDims){0};
  if (mlirAttributeIsNull(array))
    return true;
  if (!mlirAttributeIsADenseI64Array(array) || mlirDenseArrayGetNumElements(array) > STITCH_LIBRARY_MAX_RANK)
    return false;
  dims->count = mlirDenseArrayGetNumElements(array);
  for (int64_t i = 0; i < dims->count; ++i)
    dims->dims[i] = mlirDenseI64ArrayGetElement(array, i);
  return true;
}

static bool readTensor(MlirAttribute typeAttr, StitchLibraryTensor *tensor) {
  if (!mlirAttributeIsAType(typeAttr))
    return false;
  MlirType type = mlirTypeAttrGetValue(typeAttr);
  if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasStaticShape(type) ||
      !stitchElementTypeFromMLIR(irElementType(type), &tensor->type))
    return false;
  IrShape shape = irTypeShape(type);
  tensor->rank = shape.rank;
  for (intptr_t i = 0; i < shape.rank; ++i)
    tensor->dims[i] = shape.dims[i];
  return shape.rank <= STITCH_LIBRARY_MAX_RANK;
}

static bool readTypes(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  MlirAttribute types = irEntry(dictionary, "types");
  if (mlirAttributeIsNull(types) || !mlirAttributeIsAArray(types) ||
      mlirArrayAttrGetNumElements(types) > STITCH_LIBRARY_MAX_OPERANDS)
    return false;
  problem->numOperands = mlirArrayAttrGetNumElements(types);
  for (intptr_t i = 0; i < problem->numOperands; ++i)
    if (!readTensor(mlirArrayAttrGetElement(types, i), &problem->operands[i]))
      return false;
  return true;
}

static bool readInt(MlirAttribute dictionary, const char *name, int64_t *value) {
  MlirAttribute attribute = irEntry(dictionary, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return false;
  *value = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

/// Which symbol the outermost dimension of each operand is a multiple of; a missing list says none.
static bool readSymbols(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  StitchLibraryDims symbols;
  if (!readDims(dictionary, "symbols", &symbols) || (symbols.count && symbols.count != problem->numOperands))
    return false;
  for (int64_t i = 0; i < symbols.count; ++i)
    problem->symbols[i] = symbols.dims[i];
  return true;
}

static void readInvariance(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  problem->isInvariant = !mlirAttributeIsNull(irEntry(dictionary, "invariant"));
  for (int64_t i = 0; i < problem->numOperands && problem->isInvariant; ++i)
    problem->largest[i] = problem->operands[i].rank ? problem->operands[i].dims[0] : 1;
}

/// Ones and zeros; a missing list is empty.
static bool readFlags(MlirAttribute dictionary, const char *name, StitchLibraryDims *flags) {
  MlirAttribute array = irEntry(dictionary, name);
  *flags = (StitchLibraryDims){0};
  if (mlirAttributeIsNull(array))
    return true;
  if (!mlirAttributeIsADenseBoolArray(array) || mlirDenseArrayGetNumElements(array) > STITCH_LIBRARY_MAX_RANK)
    return false;
  flags->count = mlirDenseArrayGetNumElements(array);
  for (int64_t i = 0; i < flags->count; ++i)
    flags->dims[i] = mlirDenseBoolArrayGetElement(array, i);
  return true;
}

static bool readDot(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  StitchLibraryDotDims *dot = &problem->dot;
  bool hasPrecision = !mlirAttributeIsNull(irEntry(dictionary, "precision"));
  return (!hasPrecision || readInt(dictionary, "precision", &problem->precision)) &&
         readDims(dictionary, "lhs_batch", &dot->lhsBatch) && readDims(dictionary, "rhs_batch", &dot->rhsBatch) &&
         readDims(dictionary, "lhs_contract", &dot->lhsContract) &&
         readDims(dictionary, "rhs_contract", &dot->rhsContract) &&
         readDims(dictionary, "result_permutation", &dot->resultPermutation);
}

/// Several are described by one of them.
static bool readDots(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  return problem->numOperands == 3 && readInt(dictionary, "count", &problem->count) && problem->count > 0 &&
         readDot(dictionary, problem);
}

static bool readConvolution(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  StitchLibraryConvolutionDims *c = &problem->convolution;
  return readInt(dictionary, "input_batch_dimension", &c->inputBatch) &&
         readInt(dictionary, "input_feature_dimension", &c->inputFeature) &&
         readInt(dictionary, "kernel_input_feature_dimension", &c->kernelInput) &&
         readInt(dictionary, "kernel_output_feature_dimension", &c->kernelOutput) &&
         readInt(dictionary, "output_batch_dimension", &c->outputBatch) &&
         readInt(dictionary, "output_feature_dimension", &c->outputFeature) &&
         readInt(dictionary, "feature_group_count", &c->featureGroups) &&
         readInt(dictionary, "batch_group_count", &c->batchGroups) &&
         readDims(dictionary, "input_spatial_dimensions", &c->inputSpatial) &&
         readDims(dictionary, "kernel_spatial_dimensions", &c->kernelSpatial) &&
         readDims(dictionary, "output_spatial_dimensions", &c->outputSpatial) &&
         readDims(dictionary, "window_strides", &c->strides) && readDims(dictionary, "padding_low", &c->paddingLow) &&
         readDims(dictionary, "lhs_dilation", &c->lhsDilation) &&
         readDims(dictionary, "rhs_dilation", &c->rhsDilation) &&
         readFlags(dictionary, "window_reversal", &c->reversal);
}

static bool readCholesky(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  return readInt(dictionary, "triangle", &problem->triangle.isUpper);
}

static bool readTriangularSolve(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  StitchLibraryTriangle *triangle = &problem->triangle;
  triangle->hasUnitDiagonal = !mlirAttributeIsNull(irEntry(dictionary, "unit_diagonal"));
  return readInt(dictionary, "triangle", &triangle->isUpper) && readInt(dictionary, "side", &triangle->isRight) &&
         readInt(dictionary, "transposition", &triangle->transposition);
}

static bool readFft(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  StitchLibraryFourier *fourier = &problem->fourier;
  return readInt(dictionary, "transform", &fourier->transform) && readDims(dictionary, "length", &fourier->length);
}

/// A table of processes, `name` of the attribute.
static bool readTable(MlirAttribute dictionary, const char *name, StitchLibraryCollective *table) {
  MlirAttribute value = irEntry(dictionary, name);
  if (mlirAttributeIsNull(value) || !mlirAttributeIsADenseIntElements(value))
    return false;
  IrShape shape = irTypeShape(mlirAttributeGetType(value));
  if (shape.rank != 2 || shape.dims[0] * shape.dims[1] > 2 * STITCH_LIBRARY_MAX_PROCESSES)
    return false;
  table->rows = shape.dims[0];
  table->columns = shape.dims[1];
  for (int64_t i = 0; i < table->rows * table->columns; ++i) {
    int64_t process = mlirDenseElementsAttrGetInt64Value(value, mlirDenseElementsAttrIsSplat(value) ? 0 : i);
    bool exists = process >= -1 && process < STITCH_LIBRARY_MAX_PROCESSES; // the runtime refuses others
    table->processes[i] = (int16_t)(exists ? process : STITCH_LIBRARY_MAX_PROCESSES);
  }
  return true;
}

static bool readGroups(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  return readTable(dictionary, "groups", &problem->collective);
}

static bool readCombining(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  return readInt(dictionary, "combiner", &problem->collective.combiner) && readGroups(dictionary, problem);
}

/// Several sums are one tensor in several places.
static bool readSums(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  MlirAttribute elements = irEntry(dictionary, "elements");
  if (mlirAttributeIsNull(elements) || !mlirAttributeIsADenseI64Array(elements) ||
      mlirDenseArrayGetNumElements(elements) > STITCH_LIBRARY_MAX_BUCKET)
    return false;
  problem->count = mlirDenseArrayGetNumElements(elements);
  for (int64_t i = 0; i < problem->count; ++i)
    problem->collective.elements[i] = mlirDenseI64ArrayGetElement(elements, i);
  return readCombining(dictionary, problem);
}

static bool readOperandsOfAll(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  return readInt(dictionary, "members", &problem->count) && readGroups(dictionary, problem);
}

static bool readPairs(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  return readTable(dictionary, "pairs", &problem->collective);
}

static bool readNothing(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  (void)dictionary, (void)problem;
  return true;
}

/// The place of a string among `names`, whose first stands for a missing one.
static bool readName(MlirAttribute dictionary, const char *name, const char *const *names, int64_t count,
                     int64_t *value) {
  MlirAttribute attribute = irEntry(dictionary, name);
  *value = 0;
  if (mlirAttributeIsNull(attribute))
    return true;
  if (!mlirAttributeIsAString(attribute))
    return false;
  for (int64_t i = 1; i < count && !*value; ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(attribute), mlirStringRefCreateFromCString(names[i])))
      *value = i;
  return *value != 0;
}

/// Reads the epilogue of docs/ir.md, section 3.
static bool readEpilogue(MlirAttribute dictionary, StitchLibraryEpilogue *epilogue) {
  enum { NUM_ACTIVATIONS = 4, NUM_SUMS = 4 };
  static const char *const activations[NUM_ACTIVATIONS] = {
      [STITCH_LIBRARY_RELU] = "relu",
      [STITCH_LIBRARY_GELU] = "gelu",
      [STITCH_LIBRARY_GELU_GRADIENT] = "gelu_gradient",
  };
  static const char *const sums[NUM_SUMS] = {
      [STITCH_LIBRARY_SUM_OF_RESULT] = "result",
      [STITCH_LIBRARY_SUM_OF_LHS] = "lhs",
      [STITCH_LIBRARY_SUM_OF_RHS] = "rhs",
  };
  StitchLibraryDims bias;
  epilogue->hasBias = !mlirAttributeIsNull(irEntry(dictionary, "bias_dims"));
  if (!readDims(dictionary, "bias_dims", &bias))
    return false;
  epilogue->biasFirst = bias.count ? bias.dims[0] : 0;
  epilogue->biasCount = bias.count;
  for (int64_t i = 0; i < bias.count; ++i)
    if (bias.dims[i] != bias.dims[0] + i)
      return false;
  epilogue->hasAddend = !mlirAttributeIsNull(irEntry(dictionary, "addend"));
  epilogue->hasPreactivation = !mlirAttributeIsNull(irEntry(dictionary, "preactivation"));
  return readName(dictionary, "activation", activations, NUM_ACTIVATIONS, &epilogue->activation) &&
         readName(dictionary, "sum", sums, NUM_SUMS, &epilogue->sum);
}

/// The kinds of problems: `kind` of the attribute, and the function that reads the rest of it.
static const struct {
  const char *name;
  StitchLibraryKind kind;
  bool (*read)(MlirAttribute dictionary, StitchLibraryProblem *problem);
} kinds[] = {
    {"dot", STITCH_LIBRARY_DOT, readDot},
    {"dots", STITCH_LIBRARY_DOTS, readDots},
    {"convolution", STITCH_LIBRARY_CONVOLUTION, readConvolution},
    {"cholesky", STITCH_LIBRARY_CHOLESKY, readCholesky},
    {"triangular_solve", STITCH_LIBRARY_TRIANGULAR_SOLVE, readTriangularSolve},
    {"fft", STITCH_LIBRARY_FFT, readFft},
    {"all_reduce", STITCH_LIBRARY_ALL_REDUCE, readCombining},
    {"all_reduces", STITCH_LIBRARY_ALL_REDUCE, readSums},
    {"all_gather", STITCH_LIBRARY_ALL_GATHER, readGroups},
    {"reduce_scatter", STITCH_LIBRARY_REDUCE_SCATTER, readCombining},
    {"all_to_all", STITCH_LIBRARY_ALL_TO_ALL, readGroups},
    {"collective_broadcast", STITCH_LIBRARY_COLLECTIVE_BROADCAST, readGroups},
    {"operands_of_all", STITCH_LIBRARY_COLLECTIVE_BROADCAST, readOperandsOfAll},
    {"collective_permute", STITCH_LIBRARY_COLLECTIVE_PERMUTE, readPairs},
    {"process_id", STITCH_LIBRARY_PROCESS_ID, readNothing},
};

static bool readProblem(MlirAttribute dictionary, StitchLibraryProblem *problem) {
  memset(problem, 0, sizeof(*problem)); // padding too: the bytes go into a file
  if (!mlirAttributeIsADictionary(dictionary))
    return false;
  MlirAttribute kind = irEntry(dictionary, "kind");
  if (mlirAttributeIsNull(kind) || !mlirAttributeIsAString(kind) || !readTypes(dictionary, problem) ||
      !readSymbols(dictionary, problem))
    return false;
  readInvariance(dictionary, problem);
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(kind), mlirStringRefCreateFromCString(kinds[i].name))) {
      problem->kind = kinds[i].kind;
      return kinds[i].read(dictionary, problem) && readEpilogue(dictionary, &problem->epilogue);
    }
  return false;
}

typedef struct {
  char text[256];
  size_t length;
} ProblemText;

static void appendPart(MlirStringRef part, void *data) {
  ProblemText *text = data;
  size_t room = sizeof(text->text) - 1 - text->length;
  size_t length = part.length < room ? part.length : room;
  memcpy(text->text + text->length, part.data, length);
  text->length += length;
}

MlirLogicalResult stitchLibraryProblemFromAttr(MlirOperation op, MlirAttribute attribute,
                                               StitchLibraryProblem *problem) {
  if (readProblem(attribute, problem))
    return mlirLogicalResultSuccess();
  ProblemText text = {.length = 0};
  mlirAttributePrint(attribute, appendPart, &text);
  text.text[text.length] = '\0';
  stitchEmitOpError(op, "has a library call that no runtime library has: %s", text.text);
  return mlirLogicalResultFailure();
}
