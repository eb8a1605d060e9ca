//===- kernel_library.h - kernels as parts of other programs -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a library before --emit=kernel-library writes it (docs/kernel_libraries.md). Memory is the
// arena's, except for parts of modules, which live as long.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_KERNEL_LIBRARY_KERNEL_LIBRARY_H
#define STITCH_COMPILER_KERNEL_LIBRARY_KERNEL_LIBRARY_H

#include "compiler/compiler.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/symbol.h"

/// factor * (value of the symbol of that number) + offset; -1: offset alone.
typedef struct {
  int64_t symbol, factor, offset;
} LibrarySize;

/// An argument or a result of a function, as its callers see it.
typedef struct {
  const char *name, *cName; ///< the graph's; an identifier of C
  StitchElementType type;
  bool isPacked; ///< several elements of two or four bits in a byte
  intptr_t rank;
  LibrarySize sizes[IR_MAX_RANK];
  IrShape largest;
  MlirAttribute input, bound; ///< stitch.input of an argument, stitch.bound of a result; may be null
  intptr_t updatedIn;         ///< of an argument: the result that begins as it, -1: none
} LibraryTensor;

/// A size that is known when a function is called.
typedef struct {
  const char *name, *cName;
  int64_t low, high;
  intptr_t numTerms; ///< 0: the caller gives it; else it is a product or sum of these
  LibrarySize terms[IR_MAX_RANK];
  bool isSum;
} LibrarySymbol;

typedef struct {
  const char *name; ///< in its image
  int64_t grid, block, cluster, shared;
  int64_t read, written; ///< bytes of a launch, of the largest sizes
  int64_t launches;      ///< in a call
  bool isCooperative;
} LibraryKernel;

/// PTX or a cubin.
typedef struct {
  int64_t architecture;  ///< 90
  bool isCubin, isExact; ///< exact: for GPUs of this architecture alone, as sm_90a is
  const char *file, *data;
  size_t size;
} LibraryImage;

/// A function's computation for sizes of one bucket.
typedef struct {
  Compiler compiler; ///< with the modules
  StitchCompileOptions options;
  intptr_t numSymbols, numKernels, numImages;
  LibrarySymbol *symbols; ///< those that callers give first
  LibraryKernel *kernels;
  LibraryImage *images;
  int64_t arenaBytes, zeroedBytes;
  intptr_t firstKernel; ///< its number in the library
  const char *code;     ///< C: the statements of a call
} LibraryProgram;

/// The reference of a function for one size of each symbol.
typedef struct {
  Compiler compiler;
  StitchCompileOptions options;
  int64_t *values;    ///< of the symbols that callers give
  const char *suffix; ///< of the name of its function
} LibraryReference;

enum { LIBRARY_MAX_REFERENCES = 3 };

typedef struct {
  const char *name, *cName; ///< the graph's; an identifier of C
  const char *place;        ///< where it is in the model's text
  intptr_t numInputs, numOutputs, numPrograms, numReferences;
  LibraryTensor *inputs, *outputs; ///< without the values of symbols
  LibraryProgram *programs;        ///< the largest sizes last
  LibraryReference references[LIBRARY_MAX_REFERENCES];
  intptr_t gradient; ///< the number of the function with its gradient; -1: none
} LibraryFunction;

typedef struct {
  MlirAttribute data;
  int64_t offset, bytes;
} LibraryConstant;

typedef struct {
  IrArena *arena;
  const char *name;           ///< an identifier of C
  const char *model, *device; ///< its name, without folders, and the planned device
  intptr_t numFunctions, numConstants, constantCapacity;
  LibraryFunction *functions;
  LibraryConstant *constants;
  int64_t constantBytes;
  intptr_t numKernels; ///< of the programs whose host code has been read
  bool hasPlaces;      ///< kernels get addresses within memory
} KernelLibrary;

static inline LibraryProgram *libraryLargest(const LibraryFunction *f) { return &f->programs[f->numPrograms - 1]; }

/// How many symbols of a program callers give.
static inline intptr_t libraryGiven(const LibraryProgram *program) {
  intptr_t count = 0;
  while (count < program->numSymbols && program->symbols[count].numTerms == 0)
    ++count;
  return count;
}

/// Where the value of a program's symbol is in the workspace: behind the arena, each at a multiple of 16.
static inline int64_t libraryPlaceOfSymbol(const LibraryProgram *program, intptr_t symbol) {
  return (program->arenaBytes + 255) / 256 * 256 + 16 * (int64_t)symbol;
}

/// Bytes of the workspace.
static inline int64_t libraryWorkspaceBytes(const LibraryProgram *program) {
  return libraryPlaceOfSymbol(program, program->numSymbols);
}

//===----------------------------------------------------------------------===//
// library_build.c
//===----------------------------------------------------------------------===//

/// The module that was read -> the folder `output`. False after a message; then no file is written.
bool compileKernelLibrary(Compiler *c);

//===----------------------------------------------------------------------===//
// supported.c
//===----------------------------------------------------------------------===//

/// Whether a planned module is nothing but launches of kernels; each other operation gets a diagnostic.
bool libraryIsSupported(MlirOperation planned);

//===----------------------------------------------------------------------===//
// library_signature.c
//===----------------------------------------------------------------------===//

/// Text as an identifier of C that is none of the language's words.
const char *libraryIdentifier(IrArena *arena, const char *text);

/// Reads the arguments and results of a function from its largest program, and the symbols of all programs. False after
/// a diagnostic.
bool libraryReadSignature(KernelLibrary *library, LibraryFunction *function);

/// Finds gradients by their names, FUNCTION_gradient, and checks their types. False after a diagnostic.
bool libraryFindGradients(KernelLibrary *library);

//===----------------------------------------------------------------------===//
// host_code.c
//===----------------------------------------------------------------------===//

/// Reads the host function of a program: its kernels, its statements in C, its constants. False after a diagnostic.
bool libraryReadHostCode(KernelLibrary *library, const LibraryFunction *function, LibraryProgram *program);

#endif // STITCH_COMPILER_KERNEL_LIBRARY_KERNEL_LIBRARY_H
