//===- tool_options.c - command lines as tables of options ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a table of options into getopt_long's, stores values in the fields that the table names, and prints --help and
// --version.
//
//===----------------------------------------------------------------------===//

#include "tools/support/tool_options.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>

enum { MAX_OPTIONS = 32 };

/// getopt's numbers: those of a table's options begin here, above all letters. Its own of an argument is 1.
enum { ARGUMENT = 1, FIRST_OPTION = 256 };

/// A table of options as getopt_long wants it.
typedef struct {
  struct option names[MAX_OPTIONS + 3]; ///< with --help, --version and an end
  char letters[2 * MAX_OPTIONS + 3];
} GetoptTable;

static bool isLetter(const ToolOption *option) { return option->name[1] == '\0'; }

static bool hasValue(const ToolOption *option) { return option->kind == TOOL_TEXT || option->kind == TOOL_READ; }

static GetoptTable tableOf(const ToolCommandLine *tool) {
  GetoptTable table = {0};
  int numNames = 0, numLetters = 0;
  assert(tool->numOptions <= MAX_OPTIONS);
  if (tool->argument)
    table.letters[numLetters++] = '-'; // arguments are returned in their turn
  for (int i = 0; i < tool->numOptions; ++i) {
    const ToolOption *option = &tool->options[i];
    int value = hasValue(option)                     ? required_argument
                : option->kind == TOOL_READ_OPTIONAL ? optional_argument
                                                     : no_argument;
    if (!isLetter(option)) {
      table.names[numNames++] = (struct option){option->name, value, NULL, FIRST_OPTION + i};
      continue;
    }
    table.letters[numLetters++] = option->name[0];
    if (value == required_argument)
      table.letters[numLetters++] = ':';
  }
  table.letters[numLetters] = 'h';
  table.names[numNames++] = (struct option){"help", no_argument, NULL, 'h'};
  if (tool->version)
    table.names[numNames++] = (struct option){"version", no_argument, NULL, FIRST_OPTION + tool->numOptions};
  return table;
}

/// The option of a number or letter that getopt has returned.
static const ToolOption *findOption(const ToolCommandLine *tool, int number) {
  for (int i = 0; i < tool->numOptions; ++i)
    if (isLetter(&tool->options[i]) ? number == tool->options[i].name[0] : number == FIRST_OPTION + i)
      return &tool->options[i];
  return NULL;
}

static OptionsResult readOption(const ToolOption *option, const char *value, void *options) {
  void *field = (char *)options + option->field;
  switch (option->kind) {
  case TOOL_TEXT:
    *(const char **)field = value;
    return OPTIONS_RUN;
  case TOOL_ON:
  case TOOL_OFF:
    *(bool *)field = option->kind == TOOL_ON;
    return OPTIONS_RUN;
  case TOOL_READ:
  case TOOL_READ_OPTIONAL:
    return option->read(options, value);
  }
  return OPTIONS_EXIT_FAILURE;
}

static OptionsResult explainHelp(const char *program) {
  fprintf(stderr, "%s --help explains the options\n", program);
  return OPTIONS_EXIT_FAILURE;
}

static OptionsResult print(const char *text, const char *end) {
  fputs(text, stdout);
  fputs(end, stdout);
  return OPTIONS_EXIT_SUCCESS;
}

OptionsResult toolReadOptions(const ToolCommandLine *tool, int argc, char **argv, void *options, int *next) {
  GetoptTable table = tableOf(tool);
  OptionsResult result = OPTIONS_RUN;
  for (int number;
       result == OPTIONS_RUN && (number = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1;) {
    const ToolOption *option = findOption(tool, number);
    if (option)
      result = readOption(option, optarg, options);
    else if (number == ARGUMENT && tool->argument)
      result = tool->argument(options, optarg);
    else if (number == 'h')
      result = print(tool->help, "");
    else if (number == FIRST_OPTION + tool->numOptions)
      result = print(tool->version, "\n");
    else
      result = explainHelp(tool->program); // getopt has printed the error
  }
  *next = optind;
  return result;
}

OptionsResult toolOptionsFail(const char *program, const char *what, const char *value) {
  fprintf(stderr, "%s: error: %s%s%s%s\n", program, what, value ? " '" : "", value ? value : "", value ? "'" : "");
  return explainHelp(program);
}
