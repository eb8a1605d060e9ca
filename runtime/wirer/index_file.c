//===- index_file.c - the profile index in a file ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   stitch-profile 3
//   SCOPE KEY SECONDS SECONDS@37,4 ... the seconds as hexadecimal floating-point numbers, perhaps of a size
//   SCOPE KEY SECONDS@37 ... settled   with sizes: that is often enough
//   end HASH                           of all bytes before this line
//
// Lines are in the order in which keys came. A text, so that people can read it; a hash, so that nothing damaged is
// believed.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf, memrchr

#include "runtime/wirer/index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char magic[] = "stitch-profile ", version[] = "3\n";

static StitchStatus ioError(void) { return stitchStatusMake(STITCH_IO_ERROR, "%s", strerror(errno)); }

static StitchStatus damaged(const char *what) {
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "it is damaged: %s; it is left as it is", what);
}

static uint64_t hashOf(const char *data, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ (uint8_t)data[i]) * UINT64_C(0x100000001b3);
  return hash;
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

/// All of a file, with a null byte behind it; NULL text: there is no file.
static StitchStatus readAll(const char *path, char **text, size_t *size) {
  *text = NULL;
  *size = 0;
  FILE *file = fopen(path, "re");
  if (!file)
    return errno == ENOENT ? NULL : ioError();
  size_t capacity = 1 << 14;
  char *data = malloc(capacity);
  size_t count = 0;
  for (size_t got = 1; data && got;) {
    got = fread(data + count, 1, capacity - count - 1, file);
    count += got;
    if (count + 1 < capacity)
      continue;
    char *larger = realloc(data, capacity *= 2);
    if (!larger)
      free(data);
    data = larger;
  }
  StitchStatus status = !data ? stitchStatusOutOfMemory() : ferror(file) ? ioError() : NULL;
  fclose(file);
  if (status) {
    free(data);
    return status;
  }
  data[count] = '\0';
  *text = data;
  *size = count;
  return NULL;
}

/// Whether the file is whole; `lines` is then the text between its first and its last line.
static StitchStatus checkText(const char *text, size_t size, const char **lines, size_t *linesSize) {
  size_t magicSize = strlen(magic), headSize = magicSize + strlen(version);
  if (size < magicSize || memcmp(text, magic, magicSize) != 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "it is no profile index; it is left as it is");
  const char *firstEnd = memchr(text, '\n', size);
  if (firstEnd && (size < headSize || memcmp(text + magicSize, version, strlen(version)) != 0))
    return stitchStatusMake(
        STITCH_FAILED_PRECONDITION,
        "it has version %.*s of the format, and this runtime knows version %.*s; it is left as it is",
        (int)(firstEnd - text - (ptrdiff_t)magicSize), text + magicSize, (int)strlen(version) - 1, version);
  const char *last = size > headSize && text[size - 1] == '\n' ? memrchr(text, '\n', size - 1) : NULL;
  char expected[32];
  size_t before = last ? (size_t)(last + 1 - text) : 0;
  snprintf(expected, sizeof(expected), "end %016" PRIx64 "\n", hashOf(text, before));
  if (!last || before < headSize || strlen(expected) != size - before || memcmp(last + 1, expected, size - before) != 0)
    return damaged("its end is not the hash of the text before");
  *lines = text + headSize;
  *linesSize = before - headSize;
  return NULL;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

typedef struct {
  const char *scope, *key, *samples; ///< not ended by null bytes
  int scopeSize, keySize;
  const char *end; ///< the newline
} IndexLine;

static bool parseLine(const char *text, const char *end, IndexLine *line) {
  const char *newline = memchr(text, '\n', (size_t)(end - text));
  const char *first = newline ? memchr(text, ' ', (size_t)(newline - text)) : NULL;
  const char *second = first ? memchr(first + 1, ' ', (size_t)(newline - first - 1)) : NULL;
  if (!second || first == text || second == first + 1)
    return false;
  *line = (IndexLine){text, first + 1, second, (int)(first - text), (int)(second - first - 1), newline};
  return true;
}

/// Reads "@37,4" at `*next`, if there is such a thing. False: the text there is no size.
static bool takeSize(const char **next, StitchIndexSize *size) {
  *size = (StitchIndexSize){0};
  for (int i = 0; **next == (i ? ',' : '@'); ++i) {
    char *end = NULL;
    if (i == STITCH_INDEX_MAX_SYMBOLS || (*next)[1] < '0' || (*next)[1] > '9')
      return false;
    size->values[i] = strtoll(*next + 1, &end, 10);
    *next = end;
  }
  return **next == ' ' || **next == '\n';
}

/// Takes the samples of a line: in the file they come before those that are not saved yet.
static StitchStatus takeLine(const IndexLine *line, StitchIndex *index) {
  static const char settled[] = " settled";
  char *key = strndup(line->key, (size_t)line->keySize);
  StitchStatus status = key ? NULL : stitchStatusOutOfMemory();
  const char *next = line->samples, *last = line->end - strlen(settled);
  bool isSettled = last > next && memcmp(last, settled, strlen(settled)) == 0;
  const char *samplesEnd = isSettled ? last : line->end;
  for (int count = 0; !status && next < samplesEnd; ++count) {
    char *end = NULL;
    StitchIndexSize size;
    double seconds = strtod(next, &end);
    bool valid =
        end > next && end <= samplesEnd && isfinite(seconds) && seconds >= 0 && count < STITCH_INDEX_MAX_SAMPLES;
    next = end;
    valid = valid && takeSize(&next, &size);
    status = valid ? stitchIndexAdd(index, key, size, seconds) : damaged("a line does not have seconds");
  }
  if (!status && isSettled)
    stitchIndexFind(index, key)->isSettled = true;
  free(key);
  return status;
}

static StitchStatus takeLines(const char *lines, size_t size, const char *scope, StitchIndex *index) {
  const char *end = lines + size;
  StitchStatus status = NULL;
  while (!status && lines < end) {
    IndexLine line;
    if (!parseLine(lines, end, &line))
      return damaged("a line is not of the form of others");
    if ((size_t)line.scopeSize == strlen(scope) && memcmp(line.scope, scope, strlen(scope)) == 0)
      status = takeLine(&line, index);
    lines = line.end + 1;
  }
  return status;
}

/// The entries of the file, and then the new ones here.
static StitchStatus merge(const StitchIndex *index, const char *lines, size_t size, const char *scope,
                          StitchIndex *merged) {
  StitchStatus status = takeLines(lines, size, scope, merged);
  for (int64_t i = 0; i < index->count && !status; ++i)
    for (int64_t s = index->entries[i].numSaved; s < index->entries[i].count && !status; ++s)
      status = stitchIndexAdd(merged, index->entries[i].key, index->sizes[index->entries[i].sizeNumbers[s]],
                              index->entries[i].samples[s]);
  for (int64_t i = 0; i < index->count && !status; ++i)
    if (index->entries[i].isSettled)
      stitchIndexFind(merged, index->entries[i].key)->isSettled = true;
  return status;
}

static bool hasNews(const StitchIndex *index) {
  bool news = false;
  for (int64_t i = 0; i < index->count; ++i)
    news |= index->entries[i].numSaved < index->entries[i].count ||
            index->entries[i].isSettled != index->entries[i].wasSettled;
  return news;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void printLines(FILE *file, const char *lines, size_t size, const char *scope, const StitchIndex *merged) {
  fprintf(file, "%s%s", magic, version);
  for (const char *end = lines + size; lines < end;) { // those of others
    IndexLine line;
    parseLine(lines, end, &line);
    if ((size_t)line.scopeSize != strlen(scope) || memcmp(line.scope, scope, strlen(scope)) != 0)
      fwrite(lines, 1, (size_t)(line.end + 1 - lines), file);
    lines = line.end + 1;
  }
  for (int64_t i = 0; i < merged->count; ++i) {
    fprintf(file, "%s %s", scope, merged->entries[i].key);
    for (int64_t s = 0; s < merged->entries[i].count; ++s) {
      fprintf(file, " %a", merged->entries[i].samples[s]);
      const int64_t *values = merged->sizes[merged->entries[i].sizeNumbers[s]].values;
      for (int64_t v = 0; v < STITCH_INDEX_MAX_SYMBOLS && values[v]; ++v)
        fprintf(file, "%c%" PRId64, v ? ',' : '@', values[v]);
    }
    fputs(merged->entries[i].isSettled ? " settled\n" : "\n", file);
  }
}

/// Writes a temporary file in the folder of `path`, under the lock the only one of its name, and renames it at the end.
static StitchStatus replaceFile(const char *path, const char *text, size_t size) {
  char *temporary = NULL;
  if (asprintf(&temporary, "%s.new", path) < 0)
    return stitchStatusOutOfMemory();
  FILE *file = fopen(temporary, "we");
  StitchStatus status = file ? NULL : ioError();
  if (file) {
    bool written = fwrite(text, 1, size, file) == size && fprintf(file, "end %016" PRIx64 "\n", hashOf(text, size)) > 0;
    if (!written || fflush(file))
      status = ioError();
    if (fclose(file) && !status)
      status = ioError();
    if (!status && rename(temporary, path))
      status = ioError();
    if (status)
      unlink(temporary);
  }
  free(temporary);
  return status;
}

static StitchStatus writeIndex(const char *path, const char *lines, size_t size, const char *scope,
                               const StitchIndex *merged) {
  char *text = NULL;
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  if (!memory)
    return stitchStatusOutOfMemory();
  printLines(memory, lines, size, scope, merged);
  bool failed = ferror(memory);
  failed |= fclose(memory) != 0;
  StitchStatus status = failed ? stitchStatusOutOfMemory() : replaceFile(path, text, length);
  free(text);
  return status;
}

/// With the lock.
static StitchStatus synchronize(StitchIndex *index, const char *path, const char *scope) {
  char *text = NULL;
  size_t size = 0, linesSize = 0;
  const char *lines = "";
  StitchStatus status = readAll(path, &text, &size);
  if (!status && text)
    status = checkText(text, size, &lines, &linesSize);
  for (int64_t i = 0; i < index->count && !text; ++i)
    index->entries[i].numSaved = 0; // the file has been removed
  StitchIndex merged = {0};
  if (!status)
    status = merge(index, lines, linesSize, scope, &merged);
  if (!status && hasNews(index))
    status = writeIndex(path, lines, linesSize, scope, &merged);
  free(text);
  if (status) {
    stitchIndexDestroy(&merged);
    return status;
  }
  for (int64_t i = 0; i < merged.count; ++i) {
    merged.entries[i].numSaved = merged.entries[i].count;
    merged.entries[i].wasSettled = merged.entries[i].isSettled;
  }
  stitchIndexDestroy(index);
  *index = merged;
  return NULL;
}

static StitchStatus lockAndSynchronize(StitchIndex *index, const char *path, const char *scope, const char *lockPath) {
  int lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0)
    return ioError();
  int locked;
  do
    locked = flock(lock, LOCK_EX);
  while (locked && errno == EINTR);
  StitchStatus status = locked ? ioError() : synchronize(index, path, scope);
  close(lock);
  return status;
}

StitchStatus stitchIndexSynchronize(StitchIndex *index, const char *path, const char *scope) {
  char *lockPath = NULL;
  if (asprintf(&lockPath, "%s.lock", path) < 0)
    return stitchStatusOutOfMemory();
  StitchStatus status = lockAndSynchronize(index, path, scope, lockPath);
  free(lockPath);
  return stitchStatusAnnotate(status, "profile index '%s'", path);
}
