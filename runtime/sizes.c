//===- sizes.c - a model with all sizes known ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a model with open sizes and values of its symbols. Leaves a copy of its inputs, outputs and library problems
// with these sizes, in one allocation that later values overwrite.
//
//===----------------------------------------------------------------------===//

#include "runtime/sizes.h"

#include "runtime/tensor.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_STRIDE = 16 }; // inputs are aligned to as much

int64_t stitchNumGivenInputs(const StitchModelDescriptor *model) { return model->numInputs - model->numSymbols; }

//===----------------------------------------------------------------------===//
// From shapes to values
//===----------------------------------------------------------------------===//

int64_t stitchNumFreeSymbols(const StitchModelDescriptor *model) {
  int64_t count = 0;
  while (count < model->numSymbols && !model->symbols[count].terms)
    ++count;
  return count;
}

/// Recursive: terms may be of derived symbols, which are declared before.
static int64_t valueFor(const StitchModelDescriptor *model, int64_t index, const int64_t *values) {
  const StitchModelSymbol *symbol = &model->symbols[index];
  if (!symbol->terms)
    return values[index];
  int64_t result = symbol->isSum ? 0 : 1;
  for (int64_t i = 0; i < symbol->numTerms; ++i) {
    int64_t term = stitchSizeFor(model, symbol->terms[i], values);
    result = symbol->isSum ? result + term : result * term;
  }
  return result;
}

int64_t stitchSizeFor(const StitchModelDescriptor *model, StitchSize size, const int64_t *values) {
  return size.symbol < 0 ? size.offset : size.factor * valueFor(model, size.symbol, values) + size.offset;
}

/// Finds the value of the symbol that dimension `dim` of an input follows from.
static StitchStatus readValue(const StitchModelDescriptor *model, int64_t input, int64_t dim, int64_t given,
                              int64_t *values) {
  const StitchModelInput *info = &model->inputs[input];
  StitchSize size = info->sizes[dim];
  const StitchModelSymbol *symbol = &model->symbols[size.symbol];
  int64_t rest = given - size.offset, known = values[size.symbol], value = rest / size.factor;
  if (rest % size.factor != 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                            "dimension %lld of input %lld ('%s') must be a multiple of %lld (%lld * %s), got %lld",
                            (long long)dim, (long long)input, info->name, (long long)size.factor,
                            (long long)size.factor, symbol->name, (long long)given);
  if (value < symbol->low || value > symbol->high)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                            "dimension %lld of input %lld ('%s') must be from %lld to %lld, got %lld", (long long)dim,
                            (long long)input, info->name, (long long)(symbol->low * size.factor + size.offset),
                            (long long)info->dims[dim], (long long)given);
  if (known && value != known)
    return stitchStatusMake(
        STITCH_INVALID_ARGUMENT, "dimension %lld of input %lld ('%s') is %lld, but '%s' is %lld in an input before it",
        (long long)dim, (long long)input, info->name, (long long)given, symbol->name, (long long)known);
  values[size.symbol] = value;
  return NULL;
}

StitchStatus stitchSizesOfInputs(const StitchModelDescriptor *model, const StitchTensor *inputs, int64_t *values) {
  int64_t numFree = stitchNumFreeSymbols(model);
  memset(values, 0, sizeof(*values) * (size_t)model->numSymbols);
  StitchStatus status = NULL;
  for (int64_t i = 0; i < stitchNumGivenInputs(model) && !status; ++i) {
    const StitchModelInput *info = &model->inputs[i];
    for (int64_t d = 0; info->sizes && d < info->rank && d < inputs[i].rank && !status; ++d)
      if (info->sizes[d].symbol >= 0 && info->sizes[d].symbol < numFree && info->sizes[d].factor != 0)
        status = readValue(model, i, d, inputs[i].dims[d], values);
  }
  for (int64_t i = 0; i < numFree; ++i)
    if (!values[i]) // the input that has it has fewer dimensions
      values[i] = model->symbols[i].high;
  for (int64_t i = numFree; i < model->numSymbols; ++i)
    values[i] = valueFor(model, i, values);
  return status;
}

const StitchModelDescriptor *stitchProgramOfSizes(const StitchModelDescriptor *model, const int64_t *values) {
  for (int64_t i = 0; i < model->numPrograms; ++i) {
    bool holds = true;
    for (int64_t k = 0; k < model->numSymbols; ++k)
      holds &= values[k] <= model->programs[i].symbols[k].high;
    if (holds)
      return &model->programs[i];
  }
  return model;
}

int64_t stitchArenaBytes(const StitchModelDescriptor *model) {
  int64_t bytes = model->arenaBytes;
  for (int64_t i = 0; i < model->numPrograms; ++i)
    bytes = model->programs[i].arenaBytes > bytes ? model->programs[i].arenaBytes : bytes;
  return bytes;
}

//===----------------------------------------------------------------------===//
// The model for some values
//===----------------------------------------------------------------------===//

/// Where the tables of a StitchSizes lie in its memory.
typedef struct {
  char *next;
} Tables;

static void *takeBytes(Tables *tables, size_t bytes) {
  char *taken = tables->next;
  tables->next += (bytes + VALUE_STRIDE - 1) / VALUE_STRIDE * VALUE_STRIDE;
  return taken;
}

static size_t room(size_t bytes) { return bytes + VALUE_STRIDE; }

static size_t memoryBytes(const StitchModelDescriptor *model) {
  size_t bytes = room(sizeof(StitchModelInput) * (size_t)model->numInputs) +
                 room(sizeof(StitchModelOutput) * (size_t)model->numOutputs) +
                 room(sizeof(StitchLibraryProblem) * (size_t)model->libraryCalls.count) +
                 room(sizeof(int64_t) * (size_t)model->numSymbols) + (size_t)VALUE_STRIDE * (size_t)model->numSymbols;
  for (int64_t i = 0; i < model->numInputs; ++i)
    bytes += room(sizeof(int64_t) * (size_t)model->inputs[i].rank);
  for (int64_t i = 0; i < model->numOutputs; ++i)
    bytes += room(sizeof(int64_t) * (size_t)model->outputs[i].rank);
  return bytes;
}

/// The outermost size of an operand whose largest one is `most`.
static int64_t outermostFor(const StitchSizes *s, int64_t symbol, int64_t most) {
  return symbol ? most / s->descriptor.symbols[symbol - 1].high * s->values[symbol - 1] : most;
}

/// Sets the open ones of a tensor's sizes, which are in the memory of `s`.
static void setDims(const StitchSizes *s, const StitchSize *sizes, int64_t rank, const int64_t *dims) {
  for (int64_t i = 0; sizes && i < rank; ++i)
    ((int64_t *)dims)[i] = stitchSizeFor(&s->descriptor, sizes[i], s->values);
}

/// The largest sizes, in memory of `s`.
static const int64_t *copyDims(Tables *tables, int64_t rank, const int64_t *dims) {
  int64_t *copied = takeBytes(tables, sizeof(int64_t) * (size_t)rank);
  memcpy(copied, dims, sizeof(int64_t) * (size_t)rank);
  return copied;
}

static void copyInputs(StitchSizes *s, Tables *tables, const StitchModelDescriptor *model) {
  StitchModelInput *inputs = takeBytes(tables, sizeof(*inputs) * (size_t)model->numInputs);
  for (int64_t i = 0; i < model->numInputs; ++i) {
    inputs[i] = model->inputs[i];
    inputs[i].dims = copyDims(tables, inputs[i].rank, inputs[i].dims);
  }
  s->descriptor.inputs = inputs;
}

static void copyOutputs(StitchSizes *s, Tables *tables, const StitchModelDescriptor *model) {
  StitchModelOutput *outputs = takeBytes(tables, sizeof(*outputs) * (size_t)model->numOutputs);
  for (int64_t i = 0; i < model->numOutputs; ++i) {
    outputs[i] = model->outputs[i];
    outputs[i].dims = copyDims(tables, outputs[i].rank, outputs[i].dims);
  }
  s->descriptor.outputs = outputs;
}

static void changeLibraryCalls(StitchSizes *s, Tables *tables, const StitchModelDescriptor *model) {
  StitchLibraryProblem *problems = takeBytes(tables, sizeof(*problems) * (size_t)model->libraryCalls.count);
  for (int64_t i = 0; i < model->libraryCalls.count; ++i) {
    problems[i] = model->libraryCalls.problems[i];
    for (int64_t j = 0; j < problems[i].numOperands; ++j) {
      int64_t *dims = problems[i].operands[j].dims;
      dims[0] = outermostFor(s, problems[i].symbols[j], dims[0]);
    }
  }
  if (model->libraryCalls.count)
    s->descriptor.libraryCalls.problems = problems;
}

/// The largest ones, if `values` is NULL.
static void setValues(StitchSizes *s, const int64_t *values) {
  for (int64_t i = 0; i < s->descriptor.numSymbols; ++i) {
    s->values[i] = values ? values[i] : s->descriptor.symbols[i].high;
    *(int32_t *)((char *)s->data + i * VALUE_STRIDE) = (int32_t)s->values[i];
  }
}

static void setAllDims(StitchSizes *s) {
  for (int64_t i = 0; i < s->descriptor.numInputs; ++i)
    setDims(s, s->descriptor.inputs[i].sizes, s->descriptor.inputs[i].rank, s->descriptor.inputs[i].dims);
  for (int64_t i = 0; i < s->descriptor.numOutputs; ++i)
    setDims(s, s->descriptor.outputs[i].sizes, s->descriptor.outputs[i].rank, s->descriptor.outputs[i].dims);
}

void stitchSizesSet(StitchSizes *s, const int64_t *values) {
  setValues(s, values);
  setAllDims(s);
}

bool stitchSizesAreFree(const StitchModelDescriptor *program) {
  for (int64_t i = 0; i < program->libraryCalls.count; ++i)
    for (int64_t k = 0; k < program->libraryCalls.problems[i].numOperands; ++k)
      if (program->libraryCalls.problems[i].symbols[k])
        return false;
  return true;
}

StitchStatus stitchSizesCreate(const StitchModelDescriptor *model, const int64_t *values, StitchSizes **sizes) {
  StitchSizes *s = calloc(1, sizeof(*s));
  void *memory = calloc(1, memoryBytes(model) + VALUE_STRIDE);
  if (!s || !memory) {
    free(s);
    free(memory);
    return stitchStatusOutOfMemory();
  }
  Tables tables = {memory};
  *s = (StitchSizes){.descriptor = *model, .memory = memory};
  s->values = takeBytes(&tables, sizeof(int64_t) * (size_t)model->numSymbols);
  s->data = takeBytes(&tables, (size_t)VALUE_STRIDE * (size_t)model->numSymbols);
  setValues(s, values);
  copyInputs(s, &tables, model);
  copyOutputs(s, &tables, model);
  if (values)
    setAllDims(s);
  changeLibraryCalls(s, &tables, model);
  *sizes = s;
  return NULL;
}

void stitchSizesDestroy(StitchSizes *sizes) {
  if (!sizes)
    return;
  free(sizes->memory);
  free(sizes);
}

StitchTensor stitchSizesInput(const StitchSizes *sizes, int64_t index) {
  return (StitchTensor){.dtype = stitchDataTypeOf(STITCH_ELEMENT_I32),
                        .memory = STITCH_MEMORY_HOST,
                        .data = (char *)sizes->data + index * VALUE_STRIDE};
}
