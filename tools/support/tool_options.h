//===- tool_options.h - command lines as tables of options ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool has a struct for the values of its command line, and a table of its options, each of which names a field of
// the struct or a function. Options may be abbreviated, as getopt_long has it.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_TOOL_OPTIONS_H
#define STITCH_TOOLS_SUPPORT_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/// The result of reading a command line. Unless it is OPTIONS_RUN, everything to be said has been printed.
typedef enum { OPTIONS_RUN, OPTIONS_EXIT_SUCCESS, OPTIONS_EXIT_FAILURE } OptionsResult;

/// Reads an option's value, or an argument, into the tool's struct.
typedef OptionsResult (*ToolRead)(void *options, const char *text);

typedef enum {
  TOOL_TEXT,          ///< its value is kept in a `const char *`, borrowed
  TOOL_ON,            ///< has no value, and sets a bool
  TOOL_OFF,           ///< has no value, and clears a bool
  TOOL_READ,          ///< its value is for a function
  TOOL_READ_OPTIONAL, ///< the same, NULL where it has none: --NAME or --NAME=VALUE
} ToolOptionKind;

typedef struct {
  const char *name; ///< --NAME; of one letter: -N
  ToolOptionKind kind;
  size_t field;  ///< its offset in the tool's struct
  ToolRead read; ///< TOOL_READ, TOOL_READ_OPTIONAL
} ToolOption;

typedef struct {
  const char *program; ///< for messages
  const char *help;    ///< the text of --help and -h
  const char *version; ///< the text of --version, without the end of the line; NULL: there is no such option
  const ToolOption *options;
  int numOptions;
  ToolRead argument; ///< takes arguments in their turn, up to "--"; NULL: they are left, behind all options
} ToolCommandLine;

/// Reads options until one fails. `*next` is then the index in argv, which may be in another order, of the first
/// remaining argument.
OptionsResult toolReadOptions(const ToolCommandLine *tool, int argc, char **argv, void *options, int *next);

/// Prints the error of a command line, or of `value`, if that is not NULL, in it.
OptionsResult toolOptionsFail(const char *program, const char *what, const char *value);

#endif // STITCH_TOOLS_SUPPORT_TOOL_OPTIONS_H
