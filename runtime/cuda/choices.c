//===- choices.c - algorithms chosen by measurement, kept in a file ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/choices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] = "stitch-choices 2\n";

static StitchChoice *find(const StitchChoices *choices, const char *key) {
  for (int64_t i = 0; i < choices->count; ++i)
    if (strcmp(choices->data[i].key, key) == 0)
      return &choices->data[i];
  return NULL;
}

const char *stitchChoicesFind(const StitchChoices *choices, const char *key) {
  const StitchChoice *choice = find(choices, key);
  return choice ? choice->algorithm : NULL;
}

/// Adds a key without an algorithm.
static StitchStatus append(StitchChoices *choices, const char *key) {
  if (choices->count == choices->capacity) {
    int64_t capacity = choices->capacity ? 2 * choices->capacity : 16;
    StitchChoice *larger = realloc(choices->data, (size_t)capacity * sizeof(*larger));
    if (!larger)
      return stitchStatusOutOfMemory();
    choices->data = larger;
    choices->capacity = capacity;
  }
  char *copy = strdup(key);
  if (!copy)
    return stitchStatusOutOfMemory();
  choices->data[choices->count++] = (StitchChoice){.key = copy};
  return NULL;
}

StitchStatus stitchChoicesSet(StitchChoices *choices, const char *key, const char *algorithm) {
  char *copy = strdup(algorithm);
  StitchChoice *choice = find(choices, key);
  StitchStatus status = !copy ? stitchStatusOutOfMemory() : choice ? NULL : append(choices, key);
  if (status) {
    free(copy);
    return status;
  }
  if (!choice)
    choice = &choices->data[choices->count - 1];
  free(choice->algorithm);
  choice->algorithm = copy;
  choices->changed = true;
  return NULL;
}

void stitchChoicesDestroy(StitchChoices *choices) {
  for (int64_t i = 0; i < choices->count; ++i) {
    free(choices->data[i].key);
    free(choices->data[i].algorithm);
  }
  free(choices->data);
  *choices = (StitchChoices){0};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Takes "ALGORITHM KEY\n" apart; false if the line is not of that form.
static bool parseLine(char *line, const char **algorithm, const char **key) {
  size_t length = strlen(line);
  char *blank = strchr(line, ' ');
  if (!blank || blank == line || line[length - 1] != '\n' || blank + 2 >= line + length)
    return false;
  line[length - 1] = *blank = '\0';
  *algorithm = line;
  *key = blank + 1;
  return true;
}

static StitchStatus readLines(FILE *file, StitchChoices *choices) {
  char *line = NULL;
  size_t size = 0;
  StitchStatus status = NULL;
  bool hasLine = getline(&line, &size, file) >= 0;
  if (!hasLine && ferror(file))
    status = stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  else if (!hasLine || strcmp(line, header) != 0)
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "it is no file of choices");
  for (int64_t number = 2; !status && getline(&line, &size, file) >= 0; ++number) {
    const char *algorithm = NULL, *key = NULL;
    status = parseLine(line, &algorithm, &key)
                 ? stitchChoicesSet(choices, key, algorithm)
                 : stitchStatusMake(STITCH_INVALID_ARGUMENT, "line %lld is damaged", (long long)number);
  }
  if (!status && ferror(file))
    status = stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  free(line);
  return status;
}

StitchStatus stitchChoicesRead(const char *path, StitchChoices *choices) {
  FILE *file = fopen(path, "re");
  if (!file && errno == ENOENT)
    return NULL;
  StitchStatus status = file ? readLines(file, choices) : stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  if (file)
    fclose(file);
  choices->changed = false;
  return stitchStatusAnnotate(status, "cannot read '%s'", path);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static StitchStatus writeLines(FILE *file, const StitchChoices *choices) {
  fputs(header, file);
  for (int64_t i = 0; i < choices->count; ++i)
    fprintf(file, "%s %s\n", choices->data[i].algorithm, choices->data[i].key);
  return fflush(file) || ferror(file) ? stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno)) : NULL;
}

/// Writes a file beside `path` and gives it the name at the end.
static StitchStatus replaceFile(const char *path, const char *temporary, const StitchChoices *choices) {
  FILE *file = fopen(temporary, "we");
  if (!file)
    return stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  StitchStatus status = writeLines(file, choices);
  if (fclose(file) && !status)
    status = stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  if (!status && rename(temporary, path))
    status = stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno));
  if (status)
    unlink(temporary);
  return status;
}

StitchStatus stitchChoicesWrite(const char *path, StitchChoices *choices) {
  size_t size = strlen(path) + 32;
  char *temporary = malloc(size);
  if (!temporary)
    return stitchStatusOutOfMemory();
  snprintf(temporary, size, "%s.%ld", path, (long)getpid());
  StitchStatus status = replaceFile(path, temporary, choices);
  free(temporary);
  if (!status)
    choices->changed = false;
  return stitchStatusAnnotate(status, "cannot write '%s'", path);
}
