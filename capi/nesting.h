//===- nesting.h - text that is nested too deep to be parsed -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser and many of its algorithms are recursive and do not watch the stack. A program whose regions, types or
// attributes are nested some thousand levels deep ends the process. It is refused before it is parsed.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_NESTING_H
#define STITCH_CAPI_NESTING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The deepest that brackets of one kind may be nested; a stack of 8 MiB holds several times as many levels.
enum { IR_MAX_NESTING = 500 };

/// Whether brackets of MLIR text, outside of strings and comments, are nested deeper than IR_MAX_NESTING, and where
/// first. Bytecode has none.
bool irFindDeepNesting(const char *text, size_t size, long *line, long *column);
/// The same; if so, prints "NAME:LINE:COLUMN: error: ..." to standard error and returns false.
bool irCheckNesting(const char *name, const char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_NESTING_H
