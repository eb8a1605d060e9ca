//===- library_signature.c - the arguments, results and sizes of functions ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads them from @main of the graph, as the descriptor of a model file is (lowering/host/model_file), and finds names
// for them in C.
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/kernel_library.h"

#include "capi/diagnostics.h"
#include "ir/mlir/build.h"
#include "ir/mlir/function.h"
#include "lowering/host/model_file/model_sizes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static const char *textInArena(IrArena *arena, MlirStringRef text) {
  char *copy = irArenaAllocate(arena, text.length + 1);
  memcpy(copy, text.data, text.length);
  return copy;
}

/// Words of C and C++, the parameters that every function has, and the functions that its statements call.
static bool isTaken(const char *name) {
  static const char *const words[] = {
      "CUdeviceptr",
      "CUstream",
      "Call",
      "NULL",
      "alignas",
      "alignof",
      "and",
      "asm",
      "auto",
      "bool",
      "break",
      "case",
      "catch",
      "char",
      "check_size",
      "check_tensor",
      "check_workspace",
      "class",
      "const",
      "constexpr",
      "continue",
      "copy_input",
      "default",
      "delete",
      "do",
      "double",
      "else",
      "end_call",
      "enum",
      "explicit",
      "export",
      "extern",
      "false",
      "float",
      "for",
      "friend",
      "goto",
      "if",
      "inline",
      "int",
      "int64_t",
      "launch_kernel",
      "library",
      "long",
      "mutable",
      "namespace",
      "new",
      "not",
      "nullptr",
      "operator",
      "or",
      "private",
      "protected",
      "public",
      "register",
      "restrict",
      "return",
      "set_words",
      "short",
      "signed",
      "size_t",
      "sizeof",
      "static",
      "stream",
      "struct",
      "switch",
      "template",
      "this",
      "throw",
      "true",
      "try",
      "typedef",
      "typename",
      "uintptr_t",
      "union",
      "unsigned",
      "using",
      "virtual",
      "void",
      "volatile",
      "while",
      "workspace",
      "workspace_bytes",
      "xor",
  };
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i)
    if (strcmp(words[i], name) == 0)
      return true;
  return false;
}

const char *libraryIdentifier(IrArena *arena, const char *text) {
  char *name = irArenaAllocate(arena, strlen(text) + 3);
  size_t length = 0;
  if (!isalpha((unsigned char)*text) && *text != '_')
    name[length++] = 'x';
  for (; *text; ++text) {
    bool isLetter = isalnum((unsigned char)*text) || *text == '_';
    if (isLetter)
      name[length++] = *text;
    else if (length > 0 && name[length - 1] != '_')
      name[length++] = '_';
  }
  while (length > 1 && name[length - 1] == '_')
    --length;
  name[length] = '\0';
  if (isTaken(name))
    strcat(name, "_");
  return name;
}

/// The names that a function's parameters have so far.
typedef struct {
  const char **data;
  intptr_t count, capacity;
} ParameterNames;

/// An identifier that no other parameter has.
static const char *freshName(IrArena *arena, ParameterNames *names, const char *text) {
  const char *base = libraryIdentifier(arena, text), *name = base;
  for (int suffix = 2;; ++suffix) {
    bool isFree = true;
    for (intptr_t i = 0; i < names->count; ++i)
      isFree &= strcmp(names->data[i], name) != 0;
    if (isFree)
      break;
    size_t size = strlen(base) + 16;
    char *next = irArenaAllocate(arena, size);
    snprintf(next, size, "%s_%d", base, suffix);
    name = next;
  }
  IR_RESERVE_ONE(names->data, names->count, names->capacity);
  names->data[names->count++] = name;
  return name;
}

/// The name that the source gave a value, else PREFIX and its number.
static const char *borderName(IrArena *arena, MlirLocation location, const char *prefix, intptr_t index) {
  if (mlirLocationIsAName(location))
    return textInArena(arena, mlirIdentifierStr(mlirLocationNameGetName(location)));
  char *name = irArenaAllocate(arena, 32);
  snprintf(name, 32, "%s%ld", prefix, (long)index);
  return name;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static LibrarySize readSize(const LibraryProgram *program, const IrSize *size) {
  LibrarySize result = {.symbol = -1, .offset = size->offset};
  for (intptr_t i = 0; !mlirAttributeIsNull(size->name) && i < program->numSymbols; ++i) {
    MlirStringRef name = mlirStringAttrGetValue(size->name);
    if (strlen(program->symbols[i].name) == name.length &&
        memcmp(program->symbols[i].name, name.data, name.length) == 0) {
      result.symbol = i;
      result.factor = size->factor;
    }
  }
  return result;
}

static void readSymbols(KernelLibrary *library, LibraryProgram *program, ParameterNames *names) {
  MlirOperation main = irFindFunction(program->compiler.graph, "main");
  intptr_t count = mlirBlockGetNumArguments(irBody(main, 0));
  program->symbols = IR_NEW_ARRAY(library->arena, LibrarySymbol, count + 1);
  for (intptr_t i = 0; i < count; ++i) {
    IrSymbol symbol = irSymbolOfArgument(main, i);
    if (mlirAttributeIsNull(symbol.name))
      continue;
    LibrarySymbol *s = &program->symbols[program->numSymbols];
    IrSize terms[IR_MAX_RANK];
    intptr_t numTerms = irReadSizes(symbol.derivation, terms);
    *s = (LibrarySymbol){.name = textInArena(library->arena, mlirStringAttrGetValue(symbol.name)),
                         .low = symbol.low,
                         .high = symbol.high,
                         .numTerms = numTerms < 0 ? 0 : numTerms,
                         .isSum = symbol.isSum};
    s->cName = names ? freshName(library->arena, names, s->name) : libraryIdentifier(library->arena, s->name);
    for (intptr_t t = 0; t < s->numTerms; ++t)
      s->terms[t] = readSize(program, &terms[t]);
    ++program->numSymbols;
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static bool readTensor(const LibraryFunction *f, MlirOperation main, const char *list, intptr_t index, MlirType memory,
                       LibraryTensor *tensor) {
  const LibraryProgram *program = libraryLargest(f);
  MlirType type = irBorderType(main, list, index, memory);
  if (!stitchElementTypeFromMLIR(irElementType(type), &tensor->type)) {
    stitchEmitOpError(main, "has an argument or result whose element type no kernel library can hold");
    return false;
  }
  BorderSizes border = borderSizes(main, list, index, type);
  tensor->isPacked = !mlirTypeEqual(type, memory);
  tensor->rank = border.shape.rank;
  tensor->largest = border.shape;
  for (intptr_t d = 0; d < tensor->rank; ++d)
    tensor->sizes[d] = border.isOpen ? readSize(program, &border.sizes[d])
                                     : (LibrarySize){.symbol = -1, .offset = border.shape.dims[d]};
  return true;
}

static bool readInputs(KernelLibrary *library, LibraryFunction *f, MlirOperation main, ParameterNames *names) {
  MlirOperation host = irFindFunction(libraryLargest(f)->compiler.kernels, "main");
  MlirAttribute updated = irGetAttr(host, "stitch.updated");
  intptr_t count = mlirBlockGetNumArguments(irBody(main, 0));
  f->inputs = IR_NEW_ARRAY(library->arena, LibraryTensor, count + 1);
  for (intptr_t i = 0; i < count; ++i) {
    if (!mlirAttributeIsNull(irSymbolOfArgument(main, i).name))
      continue;
    MlirValue argument = mlirBlockGetArgument(irBody(main, 0), i);
    LibraryTensor *t = &f->inputs[f->numInputs++];
    t->name = borderName(library->arena, mlirValueGetLocation(argument), "in", i);
    t->cName = freshName(library->arena, names, t->name);
    t->input = irBorderAttr(main, "arg_attrs", i, "stitch.input");
    t->updatedIn = mlirAttributeIsNull(updated) ? -1 : (intptr_t)mlirDenseI64ArrayGetElement(updated, i);
    if (!readTensor(f, main, "arg_attrs", i, mlirValueGetType(argument), t))
      return false;
  }
  return true;
}

static bool readOutputs(KernelLibrary *library, LibraryFunction *f, MlirOperation main, ParameterNames *names) {
  MlirType type = mlirTypeAttrGetValue(irGetAttr(main, "function_type"));
  f->numOutputs = mlirFunctionTypeGetNumResults(type);
  f->outputs = IR_NEW_ARRAY(library->arena, LibraryTensor, f->numOutputs + 1);
  for (intptr_t i = 0; i < f->numOutputs; ++i) {
    LibraryTensor *t = &f->outputs[i];
    t->name = borderName(library->arena, mlirLocationUnknownGet(mlirOperationGetContext(main)), "out", i);
    t->cName = freshName(library->arena, names, t->name);
    t->bound = irBorderAttr(main, "res_attrs", i, "stitch.bound");
    t->updatedIn = -1;
    if (!readTensor(f, main, "res_attrs", i, mlirFunctionTypeGetResult(type, i), t))
      return false;
  }
  return true;
}

bool libraryReadSignature(KernelLibrary *library, LibraryFunction *f) {
  ParameterNames names = {0};
  for (intptr_t p = 0; p < f->numPrograms; ++p)
    readSymbols(library, &f->programs[p], p == f->numPrograms - 1 ? &names : NULL);
  MlirOperation main = irFindFunction(libraryLargest(f)->compiler.graph, "main");
  bool ok = readInputs(library, f, main, &names) && readOutputs(library, f, main, &names);
  free(names.data);
  return ok;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

static bool isSameTensor(const LibraryTensor *a, const LibraryTensor *b) {
  bool same = a->type == b->type && a->isPacked == b->isPacked && irShapesEqual(a->largest, b->largest);
  for (intptr_t d = 0; same && d < a->rank; ++d)
    same = a->sizes[d].symbol == b->sizes[d].symbol && a->sizes[d].factor == b->sizes[d].factor &&
           a->sizes[d].offset == b->sizes[d].offset;
  return same;
}

static bool isDifferentiable(const LibraryTensor *t) {
  return stitchElementIsFloat(t->type) || stitchElementIsComplex(t->type);
}

/// The next tensor of a list from `*i` on that is differentiable; NULL: there is none.
static const LibraryTensor *nextDifferentiable(const LibraryTensor *list, intptr_t count, intptr_t *i) {
  while (*i < count && !isDifferentiable(&list[*i]))
    ++*i;
  return *i < count ? &list[(*i)++] : NULL;
}

/// Whether `count` tensors from `list` on are those that are differentiable of some others.
static bool areGradients(const LibraryTensor *list, intptr_t count, const LibraryTensor *of, intptr_t ofCount) {
  intptr_t at = 0;
  for (intptr_t i = 0; i < count; ++i) {
    const LibraryTensor *expected = nextDifferentiable(of, ofCount, &at);
    if (!expected || !isSameTensor(expected, &list[i]))
      return false;
  }
  return !nextDifferentiable(of, ofCount, &at);
}

static bool checkGradient(const LibraryFunction *f, const LibraryFunction *gradient) {
  bool same = gradient->numInputs >= f->numInputs;
  for (intptr_t i = 0; same && i < f->numInputs; ++i)
    same = isSameTensor(&f->inputs[i], &gradient->inputs[i]);
  same = same &&
         areGradients(gradient->inputs + f->numInputs, gradient->numInputs - f->numInputs, f->outputs, f->numOutputs) &&
         areGradients(gradient->outputs, gradient->numOutputs, f->inputs, f->numInputs);
  if (!same)
    stitchEmitOpError(irFindFunction(libraryLargest(gradient)->compiler.graph, "main"),
                      "is @%s, by its name the gradient of @%s: it must take the arguments of that, then the gradients "
                      "of its results that are floats, and return those of its arguments that are floats",
                      gradient->name, f->name);
  return same;
}

bool libraryFindGradients(KernelLibrary *library) {
  static const char suffix[] = "_gradient";
  bool ok = true;
  for (intptr_t i = 0; i < library->numFunctions; ++i) {
    LibraryFunction *f = &library->functions[i];
    size_t length = strlen(f->name);
    f->gradient = -1;
    for (intptr_t k = 0; k < library->numFunctions; ++k) {
      const char *name = library->functions[k].name;
      if (strncmp(name, f->name, length) == 0 && strcmp(name + length, suffix) == 0) {
        f->gradient = k;
        ok = ok && checkGradient(f, &library->functions[k]);
      }
    }
  }
  return ok;
}
