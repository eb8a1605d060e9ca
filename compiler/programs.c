//===- programs.c - the programs of a model with buckets of sizes --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads --dim and --buckets together. Each program has one bucket of each size; those of several sizes are all
// combinations, the last size fastest.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // open_memstream

#include "compiler/programs.h"

#include "compiler/size_buckets.h"
#include "tools/support/tool_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Entries of the command line's two lists that there may be, and lines of a file with different sizes.
enum { MAX_DIMENSIONS = 64, MAX_SIZES = 1 << 14 };

/// A "NAME=SIZES" of --dim.
typedef struct {
  const char *text;
  int length, nameLength;
  int64_t low, high;             ///< low < high: the size is open
  int64_t buckets[MAX_PROGRAMS]; ///< ascending, up to `high`
  int numBuckets;                ///< 0: it is not cut
  char file[256];                ///< that says how often sizes are met; empty: all are as frequent
  double excess;                 ///< by how much the buckets are larger than such sizes
} DimOption;

typedef struct {
  Messages *messages;
  DimOption dimensions[MAX_DIMENSIONS];
  int numDimensions;
  int64_t most; ///< buckets of a size whose buckets are not listed
  bool cutsAll; ///< all open sizes are cut, not only those that are named
} DimReader;

//===----------------------------------------------------------------------===//
// --dim
//===----------------------------------------------------------------------===//

static bool readDimension(DimReader *r, const char *text, size_t length) {
  if (r->numDimensions == MAX_DIMENSIONS)
    return messagesFail(r->messages, "--buckets goes with %d sizes at most", MAX_DIMENSIONS);
  DimOption *d = &r->dimensions[r->numDimensions++];
  const char *equals = memchr(text, '=', length); // checkOptions has seen it
  *d = (DimOption){.text = text, .length = (int)length, .nameLength = (int)(equals - text)};
  char *end;
  errno = 0;
  d->low = d->high = strtoll(equals + 1, &end, 10);
  if (end > equals + 1 && strncmp(end, "..", 2) == 0)
    d->high = strtoll(end + 2, &end, 10);
  if (end != text + length || errno || d->low < 0 || d->low > d->high || (d->low == 0 && d->high > 0))
    return messagesFail(r->messages, "--dim needs sizes such as b=8 or b=1..128, not '%.*s'", (int)length, text);
  return true;
}

static bool readDimensions(DimReader *r, const char *dims) {
  bool isOpen = false;
  for (const char *at = dims ? dims : ""; *at;) {
    size_t length = strcspn(at, ",");
    if (!readDimension(r, at, length))
      return false;
    isOpen |= r->dimensions[r->numDimensions - 1].low < r->dimensions[r->numDimensions - 1].high;
    at += length + (at[length] == ',');
  }
  return isOpen || messagesFail(r->messages, "--buckets cuts a range of sizes: --dim b=1..128 --buckets");
}

/// The dimension that an entry of --buckets names; NULL after a message.
static DimOption *findDimension(DimReader *r, const char *entry, size_t nameLength) {
  for (int i = 0; i < r->numDimensions; ++i) {
    DimOption *d = &r->dimensions[i];
    if ((size_t)d->nameLength != nameLength || memcmp(d->text, entry, nameLength) != 0)
      continue;
    if (d->low < d->high && d->numBuckets == 0)
      return d;
    messagesFail(r->messages,
                 d->numBuckets ? "--buckets gives '%.*s' buckets twice"
                               : "--buckets gives '%.*s' buckets, and --dim gives it one size",
                 (int)nameLength, entry);
    return NULL;
  }
  messagesFail(r->messages, "--buckets names '%.*s', and no --dim gives it a range, as in --dim %.*s=1..128",
               (int)nameLength, entry, (int)nameLength, entry);
  return NULL;
}

//===----------------------------------------------------------------------===//
// --buckets
//===----------------------------------------------------------------------===//

/// The smallest size that a bucket may be named by: the range of a program has two sizes at least.
static int64_t leastBucket(const DimOption *d) { return d->low + 1; }

/// Reads "13,18,24,30,83".
static bool readList(DimReader *r, DimOption *d, const char *text) {
  for (const char *at = text; *at;) {
    char *end;
    errno = 0;
    int64_t size = strtoll(at, &end, 10), last = d->numBuckets ? d->buckets[d->numBuckets - 1] : 0;
    if (end == at || errno || (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0'))
      return messagesFail(r->messages, "--buckets needs sizes such as b:13,18,24, not '%s'", text);
    if (size <= last)
      return messagesFail(r->messages, "--buckets needs sizes that ascend, and %lld follows %lld", (long long)size,
                          (long long)last);
    if (size < leastBucket(d) || size > d->high)
      return messagesFail(r->messages, "--buckets: %lld is no bucket of '%.*s', which must be from %lld to %lld",
                          (long long)size, d->length, d->text, (long long)leastBucket(d), (long long)d->high);
    if (d->numBuckets == MAX_PROGRAMS)
      return messagesFail(r->messages, "--buckets gives '%.*s' more than %d buckets", d->nameLength, d->text,
                          MAX_PROGRAMS);
    d->buckets[d->numBuckets++] = size;
    at = end + (*end == ',');
  }
  return d->buckets[d->numBuckets - 1] == d->high ||
         messagesFail(r->messages, "--buckets: the largest bucket of '%.*s' is %lld, which does not hold %lld",
                      d->length, d->text, (long long)d->buckets[d->numBuckets - 1], (long long)d->high);
}

/// Runs of sizes, by size, while a file is read.
typedef struct {
  BucketSize *sizes;
  int count;
} Histogram;

static int compareSizes(const void *a, const void *b) {
  int64_t x = ((const BucketSize *)a)->size, y = ((const BucketSize *)b)->size;
  return (x > y) - (x < y);
}

/// Sorts the sizes and adds up the runs of those that are there twice.
static void sortHistogram(Histogram *h) {
  qsort(h->sizes, (size_t)h->count, sizeof(*h->sizes), compareSizes);
  int count = 0;
  for (int i = 0; i < h->count; ++i)
    if (count && h->sizes[count - 1].size == h->sizes[i].size)
      h->sizes[count - 1].runs += h->sizes[i].runs;
    else
      h->sizes[count++] = h->sizes[i];
  h->count = count;
}

/// Reads a line "SIZE RUNS"; of an empty one, or a comment, nothing.
static bool readLine(DimReader *r, const DimOption *d, const char *file, int line, char *text, Histogram *h) {
  text += strspn(text, " \t\r");
  if (*text == '\0' || *text == '#')
    return true;
  char *end, *last;
  errno = 0;
  int64_t size = strtoll(text, &end, 10);
  double runs = strtod(end, &last);
  bool isRead = end > text && last > end && !errno && runs >= 0.0 && runs <= 1e15;
  if (!isRead || last[strspn(last, " \t\r")] != '\0')
    return messagesFail(r->messages, "%s:%d: expected a size and how many runs have it, such as '13 250'", file, line);
  if (size < d->low || size > d->high)
    return messagesFail(r->messages, "%s:%d: %lld is no size of '%.*s'", file, line, (long long)size, d->length,
                        d->text);
  if (h->count == MAX_SIZES)
    return messagesFail(r->messages, "%s:%d: there are more than %d lines with sizes", file, line, MAX_SIZES);
  h->sizes[h->count++] = (BucketSize){size < leastBucket(d) ? leastBucket(d) : size, runs};
  return true;
}

static bool readLines(DimReader *r, const DimOption *d, const char *file, char *data, Histogram *h) {
  int number = 0;
  bool ok = true;
  for (char *line = data; line && ok;) {
    char *end = strchr(line, '\n');
    if (end)
      *end = '\0';
    ok = readLine(r, d, file, ++number, line, h);
    line = end ? end + 1 : NULL;
  }
  return ok && (h->count || messagesFail(r->messages, "'%s' has no sizes", file));
}

/// Places the buckets by a file of sizes and their runs.
static bool readFile(DimReader *r, DimOption *d, const char *file) {
  char *data = NULL;
  size_t size;
  snprintf(d->file, sizeof(d->file), "%s", file);
  if (!messagesCheck(r->messages, toolReadFile(file, &data, &size)))
    return false;
  Histogram h = {.sizes = malloc(sizeof(*h.sizes) * (MAX_SIZES + 1))};
  bool ok = h.sizes || messagesFail(r->messages, "out of memory");
  ok = ok && readLines(r, d, file, data, &h);
  if (ok) {
    h.sizes[h.count++] = (BucketSize){d->high, 0.0}; // every size of the range has a bucket
    sortHistogram(&h);
    d->numBuckets = bucketsPlace(h.sizes, h.count, (int)r->most, d->buckets);
    ok = d->numBuckets || messagesFail(r->messages, "out of memory");
  }
  if (ok)
    d->excess = bucketsExcess(h.sizes, h.count, d->buckets, d->numBuckets);
  free(h.sizes);
  free(data);
  return ok;
}

/// A number alone: how many buckets a size has.
static bool readMost(DimReader *r, const char *text) {
  char *end;
  errno = 0;
  r->most = strtoll(text, &end, 10);
  r->cutsAll = true;
  return (*end == '\0' && !errno && r->most >= 1 && r->most <= MAX_PROGRAMS) ||
         messagesFail(r->messages, "--buckets needs from 1 to %d buckets, not '%s'", MAX_PROGRAMS, text);
}

static bool readNamed(DimReader *r, const char *text) {
  const char *colon = strchr(text, ':');
  DimOption *d = findDimension(r, text, (size_t)(colon - text));
  if (!d)
    return false;
  if (colon[1] == '\0')
    return messagesFail(r->messages, "--buckets needs sizes such as b:13,18,24, or a file, behind '%s'", text);
  return isdigit((unsigned char)colon[1]) ? readList(r, d, colon + 1) : readFile(r, d, colon + 1);
}

/// Reads the entries with names, or those without, of a list that it may write to.
static bool readEntries(DimReader *r, char *entries, bool named) {
  bool ok = true;
  for (char *entry = entries; entry && ok;) {
    char *end = strchr(entry, ';');
    if (end)
      *end = '\0';
    if (*entry && (strchr(entry, ':') != NULL) == named)
      ok = named ? readNamed(r, entry) : readMost(r, entry);
    if (end)
      *end = ';';
    entry = end ? end + 1 : NULL;
  }
  return ok;
}

/// Cuts an open size into buckets of as many sizes each.
static void cutEvenly(const DimReader *r, DimOption *d) {
  d->numBuckets = bucketsCut(d->low, d->high, (int)r->most, d->buckets);
  int first = 0; // of those that may be buckets
  while (d->buckets[first] < leastBucket(d))
    ++first;
  d->numBuckets -= first;
  memmove(d->buckets, d->buckets + first, sizeof(*d->buckets) * (size_t)d->numBuckets);
}

static bool readBuckets(DimReader *r, char *entries) {
  if (!readEntries(r, entries, /*named=*/false))
    return false;
  r->cutsAll |= !strchr(entries, ':');
  if (!readEntries(r, entries, /*named=*/true))
    return false;
  for (int i = 0; i < r->numDimensions && r->cutsAll; ++i)
    if (r->dimensions[i].low < r->dimensions[i].high && r->dimensions[i].numBuckets == 0)
      cutEvenly(r, &r->dimensions[i]);
  return true;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Writes the range of the sizes that the program of bucket `bucket` can run. From the least size on, though smaller
/// buckets have programs of their own: a size that falls as this one grows is as large as for the smallest in all.
static void writeRange(FILE *text, const DimOption *d, int bucket) {
  fprintf(text, "%.*s=%lld..%lld", d->nameLength, d->text, (long long)d->low, (long long)d->buckets[bucket]);
}

/// The --dim text of program `number`.
static char *dimsOfProgram(const DimReader *r, int number) {
  int digits[MAX_DIMENSIONS] = {0};
  for (int i = r->numDimensions - 1; i >= 0; --i)
    if (r->dimensions[i].numBuckets) {
      digits[i] = number % r->dimensions[i].numBuckets;
      number /= r->dimensions[i].numBuckets;
    }
  char *result = NULL;
  size_t size;
  FILE *text = open_memstream(&result, &size);
  if (!text)
    return NULL;
  for (int i = 0; i < r->numDimensions; ++i) {
    fprintf(text, "%s", i ? "," : "");
    if (r->dimensions[i].numBuckets)
      writeRange(text, &r->dimensions[i], digits[i]);
    else
      fprintf(text, "%.*s", r->dimensions[i].length, r->dimensions[i].text);
  }
  return fclose(text) == 0 ? result : NULL;
}

static bool makePrograms(DimReader *r, Programs *programs) {
  int64_t count = 1;
  for (int i = 0; i < r->numDimensions; ++i) {
    count *= r->dimensions[i].numBuckets ? r->dimensions[i].numBuckets : 1;
    if (count > MAX_PROGRAMS)
      return messagesFail(r->messages,
                          "--buckets makes a program for each combination of buckets, and these are more than %d: give "
                          "fewer buckets, as in --buckets=b:32,128",
                          MAX_PROGRAMS);
  }
  for (int i = 0; i < count; ++i) {
    programs->dims[i] = dimsOfProgram(r, i);
    if (!programs->dims[i])
      return messagesFail(r->messages, "out of memory");
    programs->count = i + 1;
  }
  return true;
}

/// By how much the buckets are larger than sizes that are all as frequent.
static double excessOfEven(const DimOption *d) {
  double own = 0.5 * ((double)d->low + (double)d->high) * (double)(d->high - d->low + 1), padded = 0.0;
  for (int k = 0; k < d->numBuckets; ++k)
    padded += (double)d->buckets[k] * (double)(d->buckets[k] - (k ? d->buckets[k - 1] : d->low - 1));
  return padded / own - 1.0;
}

/// Reports the buckets of a size, and their cost.
static void describeDim(const DimReader *r, const DimOption *d) {
  char list[MAX_PROGRAMS * 24];
  int length = 0;
  for (int k = 0; k < d->numBuckets; ++k)
    length += snprintf(list + length, sizeof(list) - (size_t)length, "%s%lld", k ? ", " : "", (long long)d->buckets[k]);
  double percent = 100.0 * (*d->file ? d->excess : excessOfEven(d));
  messagesNote(r->messages, "buckets of %.*s: %s; on average %.1f%% larger than %s%s%s", d->nameLength, d->text, list,
               percent, *d->file ? "the sizes in '" : "sizes that are all as frequent", d->file, *d->file ? "'" : "");
}

bool programsRead(const char *dims, const char *buckets, Messages *m, Programs *programs) {
  enum { USUAL_BUCKETS = 5 };
  DimReader r = {.messages = m, .most = USUAL_BUCKETS};
  *programs = (Programs){0};
  char *entries = strdup(buckets);
  bool ok = entries || messagesFail(m, "out of memory");
  ok = ok && readDimensions(&r, dims) && readBuckets(&r, entries) && makePrograms(&r, programs);
  for (int i = 0; i < r.numDimensions && ok; ++i)
    if (r.dimensions[i].numBuckets)
      describeDim(&r, &r.dimensions[i]);
  free(entries);
  return ok;
}

void programsDestroy(Programs *programs) {
  for (int i = 0; i < programs->count; ++i)
    free(programs->dims[i]);
  programs->count = 0;
}
