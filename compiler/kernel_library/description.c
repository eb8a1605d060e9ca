//===- description.c - the description of a kernel library, as JSON -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the JSON file of a library, for tools and bindings: functions, tensors with their sizes, kernels with
// registers and traffic, images.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static bool addCount(cJSON *object, const char *name, int64_t value) {
  return cJSON_AddNumberToObject(object, name, (double)value) != NULL;
}

/// An object or array that becomes the last element of a list; NULL without memory.
static cJSON *appendItem(cJSON *list, cJSON *item) {
  if (item && cJSON_AddItemToArray(list, item))
    return item;
  cJSON_Delete(item);
  return NULL;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A number, or "2 * b + 1" as {"symbol": 0, "factor": 2, "offset": 1}.
static bool addSizes(cJSON *object, const char *name, const LibrarySize *sizes, intptr_t count) {
  cJSON *list = cJSON_AddArrayToObject(object, name);
  for (intptr_t i = 0; list && i < count; ++i) {
    bool isKnown = sizes[i].symbol < 0;
    cJSON *size = appendItem(list, isKnown ? cJSON_CreateNumber((double)sizes[i].offset) : cJSON_CreateObject());
    if (!size ||
        (!isKnown && !(addCount(size, "symbol", sizes[i].symbol) && addCount(size, "factor", sizes[i].factor) &&
                       addCount(size, "offset", sizes[i].offset))))
      return false;
  }
  return list != NULL;
}

static bool addBound(cJSON *object, MlirAttribute bound) {
  static const char *const names[] = {"variance",          "sum",   "largest_roundoff",
                                      "longest_reduction", "depth", "discontinuous"};
  if (mlirAttributeIsNull(bound) || !mlirAttributeIsADictionary(bound))
    return true;
  cJSON *entries = cJSON_AddObjectToObject(object, "error_bound");
  bool ok = entries != NULL;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && ok; ++i) {
    MlirAttribute value = mlirDictionaryAttrGetElementByName(bound, mlirStringRefCreateFromCString(names[i]));
    if (!mlirAttributeIsNull(value))
      ok = cJSON_AddNumberToObject(entries, names[i],
                                   mlirAttributeIsAFloat(value) ? mlirFloatAttrGetValueDouble(value)
                                                                : (double)mlirIntegerAttrGetValueInt(value));
  }
  return ok;
}

static bool addTensors(cJSON *object, const char *name, const LibraryTensor *tensors, intptr_t count) {
  cJSON *list = cJSON_AddArrayToObject(object, name);
  for (intptr_t i = 0; list && i < count; ++i) {
    const LibraryTensor *t = &tensors[i];
    cJSON *tensor = appendItem(list, cJSON_CreateObject());
    if (!tensor || !cJSON_AddStringToObject(tensor, "name", t->cName) ||
        !cJSON_AddStringToObject(tensor, "type", stitchElementName(t->type)) ||
        !addCount(tensor, "bits", libraryElementBits(t)) || !addSizes(tensor, "sizes", t->sizes, t->rank) ||
        !addBound(tensor, t->bound) || (t->updatedIn >= 0 && !addCount(tensor, "updated_in", t->updatedIn)))
      return false;
  }
  return list != NULL;
}

static bool addSymbols(cJSON *object, const LibraryProgram *program) {
  cJSON *list = cJSON_AddArrayToObject(object, "symbols");
  for (intptr_t i = 0; list && i < program->numSymbols; ++i) {
    const LibrarySymbol *s = &program->symbols[i];
    cJSON *symbol = appendItem(list, cJSON_CreateObject());
    if (!symbol || !cJSON_AddStringToObject(symbol, "name", s->name) || !addCount(symbol, "low", s->low) ||
        !addCount(symbol, "high", s->high))
      return false;
    if (s->numTerms > 0 && !addSizes(symbol, s->isSum ? "sum" : "product", s->terms, s->numTerms))
      return false;
  }
  return list != NULL;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// By the architecture, where there is a cubin.
static bool addRegisters(cJSON *object, const LibraryProgram *program, const char *kernel) {
  cJSON *registers = cJSON_AddObjectToObject(object, "registers");
  bool ok = registers != NULL;
  for (intptr_t i = 0; i < program->numImages && ok; ++i) {
    char name[32];
    snprintf(name, sizeof(name), "sm_%lld%s", (long long)program->images[i].architecture,
             program->images[i].isExact ? "a" : "");
    int64_t count = program->images[i].isCubin ? libraryRegisters(&program->images[i], kernel) : -1;
    ok = count < 0 || addCount(registers, name, count);
  }
  return ok;
}

static bool addKernels(cJSON *object, const LibraryProgram *program) {
  cJSON *list = cJSON_AddArrayToObject(object, "kernels");
  for (intptr_t i = 0; list && i < program->numKernels; ++i) {
    const LibraryKernel *k = &program->kernels[i];
    cJSON *kernel = appendItem(list, cJSON_CreateObject());
    if (!kernel || !cJSON_AddStringToObject(kernel, "name", k->name) || !addCount(kernel, "launches", k->launches) ||
        !addCount(kernel, "grid", k->grid) || !addCount(kernel, "block", k->block) ||
        !addCount(kernel, "cluster", k->cluster) || !addCount(kernel, "shared_bytes", k->shared) ||
        !cJSON_AddBoolToObject(kernel, "cooperative", k->isCooperative) || !addCount(kernel, "bytes_read", k->read) ||
        !addCount(kernel, "bytes_written", k->written) || !addRegisters(kernel, program, k->name))
      return false;
  }
  return list != NULL;
}

static bool addImages(cJSON *object, const LibraryProgram *program) {
  cJSON *list = cJSON_AddArrayToObject(object, "images");
  for (intptr_t i = 0; list && i < program->numImages; ++i)
    if (!appendItem(list, cJSON_CreateString(program->images[i].file)))
      return false;
  return list != NULL;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool addPrograms(cJSON *object, const LibraryFunction *f) {
  cJSON *list = cJSON_AddArrayToObject(object, "programs");
  for (intptr_t i = 0; list && i < f->numPrograms; ++i) {
    const LibraryProgram *p = &f->programs[i];
    const Statistics *s = &p->compiler.statistics;
    cJSON *program = appendItem(list, cJSON_CreateObject());
    cJSON *precision = program ? cJSON_AddObjectToObject(program, "precision") : NULL;
    if (!precision || !cJSON_AddBoolToObject(precision, "approximate", p->compiler.approximates) ||
        !cJSON_AddBoolToObject(precision, "tf32", p->compiler.allowsTf32) || !addSymbols(program, p) ||
        !addCount(program, "launches", s->launches) || !addCount(program, "grid_barriers", s->gridBarriers) ||
        !addCount(program, "bytes_read", s->bytesRead) || !addCount(program, "bytes_written", s->bytesWritten) ||
        !addCount(program, "bytes_unfused", s->bytesUnfused) || !addCount(program, "arena_bytes", p->arenaBytes) ||
        !addKernels(program, p) || !addImages(program, p))
      return false;
  }
  return list != NULL;
}

static bool addFunctions(cJSON *object, const KernelLibrary *library) {
  cJSON *list = cJSON_AddArrayToObject(object, "functions");
  for (intptr_t i = 0; list && i < library->numFunctions; ++i) {
    const LibraryFunction *f = &library->functions[i];
    cJSON *function = appendItem(list, cJSON_CreateObject());
    if (!function || !cJSON_AddStringToObject(function, "name", f->cName) ||
        !cJSON_AddStringToObject(function, "function", f->name) ||
        !cJSON_AddStringToObject(function, "place", f->place) ||
        !addTensors(function, "inputs", f->inputs, f->numInputs) ||
        !addTensors(function, "outputs", f->outputs, f->numOutputs) || !addPrograms(function, f))
      return false;
    if (f->gradient >= 0 && !cJSON_AddStringToObject(function, "gradient", library->functions[f->gradient].cName))
      return false;
  }
  return list != NULL;
}

char *libraryDescription(const KernelLibrary *library) {
  cJSON *object = cJSON_CreateObject();
  bool ok = object && cJSON_AddStringToObject(object, "library", library->name) &&
            cJSON_AddStringToObject(object, "model", library->model) &&
            cJSON_AddStringToObject(object, "device", library->device) &&
            addCount(object, "constant_bytes", library->constantBytes) && addFunctions(object, library);
  char *text = ok ? cJSON_Print(object) : NULL;
  char *copy = NULL;
  if (text && (copy = malloc(strlen(text) + 2))) // cJSON may have an allocator of its own
    strcat(strcpy(copy, text), "\n");
  cJSON_free(text);
  cJSON_Delete(object);
  return copy;
}
