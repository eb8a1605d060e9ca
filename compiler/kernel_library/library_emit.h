//===- library_emit.h - the texts of a kernel library ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text that all libraries share is in files/, with words between @ signs for the variable parts. These functions write
// the rest.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_COMPILER_KERNEL_LIBRARY_LIBRARY_EMIT_H
#define STITCH_COMPILER_KERNEL_LIBRARY_LIBRARY_EMIT_H

#include "compiler/kernel_library/kernel_library.h"

#include <stdio.h>

/// A file of the library, by its path in the folder. Its data is freed with free(), unless it is borrowed.
typedef struct {
  const char *path;
  char *data;
  size_t size;
  bool isBorrowed;
} LibraryFile;

typedef struct {
  LibraryFile *data;
  intptr_t count, capacity;
} LibraryFiles;

//===----------------------------------------------------------------------===//
// lines.c
//===----------------------------------------------------------------------===//

/// A line of C with a list in it, which goes on in the next lines where it is too long.
typedef struct {
  FILE *file;
  int column, indent, numItems;
} LibraryLine;

/// Begins a line with a text, `indent` columns from the left.
LibraryLine libraryBeginLine(FILE *file, int indent, const char *text);
/// Adds an item, behind a comma where it is not the first.
__attribute__((format(printf, 2, 3))) void libraryAddToLine(LibraryLine *line, const char *format, ...);

/// A text as C has it, between quotation marks.
void libraryPrintString(FILE *file, const char *text);
/// A text in capitals.
void libraryPrintUpper(FILE *file, const char *text);

//===----------------------------------------------------------------------===//
// library_sizes.c
//===----------------------------------------------------------------------===//

/// The reader of an expression. A function of the header, whose parameters are the sizes that callers give. A function
/// that has them in an array `s`. A person, for whom computed sizes have names, too.
typedef enum { LIBRARY_BY_NAME, LIBRARY_BY_NUMBER, LIBRARY_IN_COMMENT } LibrarySizesBy;

/// "2 * b + 1"
void libraryPrintSize(FILE *file, const LibraryFunction *f, const LibraryProgram *program, const LibrarySize *size,
                      LibrarySizesBy by);
/// The value of a program's symbol, by those that callers give: "(b * 4)".
void libraryPrintSymbol(FILE *file, const LibraryFunction *f, const LibraryProgram *program, intptr_t symbol,
                        LibrarySizesBy by);
/// Bits of an element in memory.
int libraryElementBits(const LibraryTensor *tensor);
/// How many bytes a tensor has.
void libraryPrintBytes(FILE *file, const LibraryFunction *f, const LibraryTensor *tensor, LibrarySizesBy by);
/// Statements that return where a size is out of range.
void libraryPrintSizeChecks(FILE *file, const LibraryFunction *f, LibrarySizesBy by);
/// Whether sizes are for a program, of those for which no program before is: "b <= 7".
void libraryPrintCondition(FILE *file, const LibraryFunction *f, const LibraryProgram *program);

//===----------------------------------------------------------------------===//
// declarations.c: the functions of the header
//===----------------------------------------------------------------------===//

/// The name of a tensor's element type in C; a complex number is two of them.
const char *libraryElementInC(const LibraryTensor *tensor);
/// A text of the model in a line of a comment.
void libraryPrintComment(FILE *file, const char *text);
/// "f32[b, 768]"
void libraryPrintType(FILE *file, const LibraryFunction *f, const LibraryTensor *tensor);

/// The numbers of functions, and the functions of the header.
void libraryWriteDeclarations(FILE *file, const KernelLibrary *library);
/// These functions.
void libraryWriteDefinitions(FILE *file, const KernelLibrary *library);
/// A table of them by number.
void libraryWriteFunctions(FILE *file, const KernelLibrary *library);

//===----------------------------------------------------------------------===//
// tables.c: the source
//===----------------------------------------------------------------------===//

/// Whether a library has the property that the lines of a text between "@IF WORD@" and "@END@" are for.
bool libraryHas(const KernelLibrary *library, const char *word, size_t length);
/// The tables of images and kernels.
void libraryWriteTables(FILE *file, const KernelLibrary *library);
/// Assembly that holds images and constants, in files of these names.
void libraryWriteData(FILE *file, const KernelLibrary *library);
/// The most tensors of a function, at least one.
int64_t libraryMostTensors(const KernelLibrary *library);
int64_t libraryNumPrograms(const KernelLibrary *library);

//===----------------------------------------------------------------------===//
// cases.c: inputs and comparisons of the test program
//===----------------------------------------------------------------------===//

void libraryWriteCases(FILE *file, const KernelLibrary *library);

//===----------------------------------------------------------------------===//
// description.c: the JSON
//===----------------------------------------------------------------------===//

/// The registers of a thread of a kernel (cubin.c); -1 if the cubin does not say.
int64_t libraryRegisters(const LibraryImage *cubin, const char *kernel);
/// In memory that the caller frees; NULL without memory.
char *libraryDescription(const KernelLibrary *library);

//===----------------------------------------------------------------------===//
// texts.c: all files that are texts
//===----------------------------------------------------------------------===//

/// Adds the texts of a library, whose references are `numReferences` object files. False after a message.
bool libraryAddTexts(Compiler *c, const KernelLibrary *library, int numReferences, LibraryFiles *files);

//===----------------------------------------------------------------------===//
// folder.c: the files
//===----------------------------------------------------------------------===//

void libraryAddFile(LibraryFiles *files, LibraryFile file);
void libraryDestroyFiles(LibraryFiles *files);

/// Whether a folder can be written at `path`. False after a message.
bool libraryCheckFolder(Compiler *c, const char *path);
/// Writes all files, or leaves no new one. False after a message.
bool libraryWriteFolder(Compiler *c, const char *path, const LibraryFiles *files);

#endif // STITCH_COMPILER_KERNEL_LIBRARY_LIBRARY_EMIT_H
