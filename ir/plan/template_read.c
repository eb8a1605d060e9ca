//===- template_read.c - reading templates -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is read as lists of levels, one for each dimension. Dimensions that are one loop are put together, which
// leaves a list for the rows and one for the columns. The order of their levels determines the kind of mapping. The
// grammar is FusionStitching's (5.2), with numbers that may be left out as in its examples.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // vasprintf

#include "ir/index/space.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/axes.h"
#include "ir/plan/template.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  LEVEL_GRID,
  LEVEL_CLUSTER,
  LEVEL_WARP,
  LEVEL_CTA,
  LEVEL_THREAD,
  LEVEL_RUN,
  LEVEL_SHARED,
  LEVEL_LANE,
  LEVEL_ALL,
  NUM_LEVELS
} LevelKind;
static const char *const levelNames[NUM_LEVELS] = {"GRID", "CLUSTER", "WARP", "CTA", "THREAD",
                                                   "RUN",  "SHARED",  "LANE", "ALL"};

typedef struct {
  LevelKind kind;
  int64_t number; ///< 0: left out
} Level;

enum { MOST_LEVELS = 6 };

/// The levels of some dimensions that are gone through as one.
typedef struct {
  Level levels[MOST_LEVELS];
  int count;
  intptr_t dims;
} LevelList;

enum { MOST_LISTS = IR_MAX_RANK + 1 };

typedef struct {
  const TemplateKernel *kernel;
  const char *at;
  char **problem;
  const char *name; ///< of the current schedule, as in the text
  int nameLength;
  int64_t root;
  int64_t rows, columns; ///< written before the brackets; 0: not
  StitchMapping axes;    ///< the same: dims, and sizes of axes; of kind STITCH_MAPPING_AXES if they are
  LevelList lists[MOST_LISTS];
  int numLists;
} TemplateReader;

__attribute__((format(printf, 2, 3))) static bool fail(TemplateReader *r, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0)
    text = NULL;
  va_end(arguments);
  if (r->nameLength > 0 && text) {
    char *longer = NULL;
    if (asprintf(&longer, "'%.*s': %s", r->nameLength, r->name, text) >= 0) {
      free(text);
      text = longer;
    }
  }
  *r->problem = text;
  return false;
}

//===----------------------------------------------------------------------===//
// Text -> lists of levels
//===----------------------------------------------------------------------===//

static void skipBlanks(TemplateReader *r) {
  while (isspace((unsigned char)*r->at))
    ++r->at;
}

static bool take(TemplateReader *r, char c) {
  skipBlanks(r);
  bool is = *r->at == c;
  r->at += is;
  return is;
}

static bool expect(TemplateReader *r, char c, const char *where) {
  return take(r, c) || fail(r, "expected '%c' %s, not '%.12s'", c, where, r->at);
}

static bool readNumber(TemplateReader *r, int64_t *number) {
  enum { MOST_DIGITS = 12 };
  size_t digits = strspn(r->at, "0123456789");
  if (digits == 0 || digits > MOST_DIGITS)
    return fail(r, "expected a number, not '%.12s'", r->at);
  *number = strtoll(r->at, NULL, 10);
  r->at += digits;
  return *number > 0 || fail(r, "a level has at least one part, not 0");
}

static bool readLevel(TemplateReader *r, Level *level) {
  skipBlanks(r);
  size_t length = strspn(r->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  for (int i = 0; i < NUM_LEVELS; ++i) {
    if (strlen(levelNames[i]) != length || memcmp(r->at, levelNames[i], length) != 0)
      continue;
    *level = (Level){.kind = (LevelKind)i};
    r->at += length;
    if (*r->at != '_')
      return true;
    ++r->at;
    return readNumber(r, &level->number);
  }
  return fail(r, "expected GRID, CLUSTER, WARP, CTA, LANE or THREAD, not '%.12s'", r->at);
}

/// Whether a list says how its dimensions are gone through, but not in how many parts.
static bool isBare(const LevelList *list) { return list->count == 1 && list->levels[0].number == 0; }

/// Dimensions before this one that have its first level, without a number, are gone through together with it.
static void joinDimensions(TemplateReader *r) {
  LevelList *last = &r->lists[r->numLists - 1];
  if (r->axes.kind != STITCH_MAPPING_AXES && r->numLists > 1 && isBare(&last[-1]) &&
      last[-1].levels[0].kind == last->levels[0].kind) {
    last->dims += last[-1].dims;
    last[-1] = *last;
    --r->numLists;
  }
}

static bool readList(TemplateReader *r) {
  if (r->numLists == MOST_LISTS)
    return fail(r, "has more dimensions than a tensor can have");
  LevelList *list = &r->lists[r->numLists++];
  *list = (LevelList){.dims = 1};
  do {
    if (list->count == MOST_LEVELS)
      return fail(r, "a dimension has at most %d levels", MOST_LEVELS);
    if (!readLevel(r, &list->levels[list->count++]))
      return false;
  } while (take(r, '-'));
  joinDimensions(r);
  return true;
}

static bool readName(TemplateReader *r) {
  skipBlanks(r);
  r->name = r->at;
  while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '.')
    ++r->at;
  r->nameLength = (int)(r->at - r->name);
  return r->nameLength > 0 || fail(r, "expected the name of an operation, not '%.12s'", r->at);
}

/// `0,2 of 64x8x128}`.
static bool readAxes(TemplateReader *r) {
  StitchMapping *m = &r->axes;
  m->kind = STITCH_MAPPING_AXES;
  skipBlanks(r);
  for (bool isNext = *r->at != 'o'; isNext; isNext = take(r, ',')) {
    skipBlanks(r);
    if (!isdigit((unsigned char)*r->at) || m->numDims == STITCH_MAX_AXES)
      return fail(r, "expected at most %d numbers of axes, not '%.12s'", STITCH_MAX_AXES, r->at);
    m->dims[m->numDims++] = *r->at++ - '0';
  }
  if (!expect(r, 'o', "of 'of'") || !expect(r, 'f', "of 'of'"))
    return false;
  do {
    skipBlanks(r);
    if (m->numAxes == STITCH_MAX_AXES)
      return fail(r, "has more than %d axes", STITCH_MAX_AXES);
    if (!readNumber(r, &m->axes[m->numAxes++].size))
      return false;
  } while (take(r, 'x'));
  return expect(r, '}', "behind the sizes of axes");
}

static bool readSizes(TemplateReader *r) {
  r->rows = r->columns = 0;
  r->axes = (StitchMapping){0};
  if (take(r, '{'))
    return readAxes(r);
  if (!take(r, '<'))
    return true;
  return readNumber(r, &r->rows) && expect(r, 'x', "between rows and columns") && readNumber(r, &r->columns) &&
         expect(r, '>', "behind rows and columns");
}

//===----------------------------------------------------------------------===//
// Lists -> rows, columns, and the threads that share them
//===----------------------------------------------------------------------===//

static bool findRoot(TemplateReader *r, const Schedule *schedules) {
  for (r->root = 0; r->root < r->kernel->numRoots; ++r->root) {
    const char *name = r->kernel->rootNames[r->root];
    if (strlen(name) == (size_t)r->nameLength && memcmp(name, r->name, (size_t)r->nameLength) == 0)
      return schedules[r->root].mapping.rows == 0 || fail(r, "has two schedules");
  }
  return fail(r, "the kernel has no such root");
}

static MlirOperation rootOp(const TemplateReader *r) { return r->kernel->graph.nodes[r->kernel->roots[r->root]].op; }

static bool beginsWith(const LevelList *list, LevelKind kind, bool hasNumber) {
  return list->levels[0].kind == kind && (list->levels[0].number > 0) == hasNumber;
}

static int64_t extentOf(const TemplateReader *r, intptr_t first, intptr_t count) {
  IrShape shape = planIterationShape(rootOp(r));
  int64_t extent = 1;
  for (intptr_t i = first; i < first + count && i < shape.rank; ++i)
    extent *= shape.dims[i];
  return extent;
}

/// Levels of the GRID for some dimensions and then WARP or CTA, without numbers, for others, as in the paper: a block
/// has all rows of the latter.
static bool joinRowsOfBlock(TemplateReader *r) {
  LevelList *rows = &r->lists[0], *inner = &r->lists[1];
  bool is = r->rows == 0 && r->numLists == 3 && rows->levels[0].kind == LEVEL_GRID && rows->count <= 2 && isBare(inner);
  if (!is)
    return true;
  Level level = {inner->levels[0].kind, extentOf(r, rows->dims, inner->dims)};
  if (rows->count == 2 && rows->levels[1].kind != level.kind)
    return fail(r, "rows of a block are for WARP or for CTA, not for both");
  if (rows->count == 2)
    level.number *= rows->levels[1].number > 0 ? rows->levels[1].number : 1;
  rows->levels[1] = level;
  rows->count = 2;
  rows->dims += inner->dims;
  *inner = r->lists[2];
  --r->numLists;
  return true;
}

/// How many rows and columns the lists go through.
static bool findSpace(TemplateReader *r, bool hasRows, bool hasShared, StitchMapping *m) {
  IrShape shape = planIterationShape(rootOp(r));
  int numSpaces = r->numLists - hasShared;
  if (r->rows > 0) {
    *m = (StitchMapping){.rows = r->rows, .columns = r->columns};
    return numSpaces == 1 + hasRows || fail(r, "has %d lists of levels where rows and columns take two", numSpaces);
  }
  intptr_t dims = 0;
  for (int i = 0; i < numSpaces; ++i)
    dims += r->lists[i].dims;
  if (dims != shape.rank)
    return fail(r, "has levels for %d dimensions, but goes through %d", (int)dims, (int)shape.rank);
  intptr_t rowDims = hasRows ? r->lists[0].dims : 0;
  *m = (StitchMapping){.rows = extentOf(r, 0, rowDims), .columns = extentOf(r, rowDims, shape.rank - rowDims)};
  return true;
}

//===----------------------------------------------------------------------===//
// Levels -> mapping
//===----------------------------------------------------------------------===//

/// Takes the next level of a list if it is of that kind; its number, or 1.
static int64_t takeLevel(const LevelList *list, int *at, LevelKind kind) {
  if (*at == list->count || list->levels[*at].kind != kind)
    return 1;
  int64_t number = list->levels[(*at)++].number;
  return number > 0 ? number : 1;
}

static bool expectEnd(TemplateReader *r, const LevelList *list, int at) {
  return at == list->count || fail(r, "level %s has no meaning at this place", levelNames[list->levels[at].kind]);
}

/// WARP_n or CTA_n: rows of threads.
static bool readRowsOfThreads(TemplateReader *r, const LevelList *list, int *at, StitchMapping *m) {
  bool isWarps = *at < list->count && list->levels[*at].kind == LEVEL_WARP;
  m->blockRows = takeLevel(list, at, isWarps ? LEVEL_WARP : LEVEL_CTA);
  if (isWarps && m->rowThreads != 32)
    return fail(r, "a row for each WARP has 32 threads, not %" PRId64, m->rowThreads);
  return expectEnd(r, list, *at);
}

static bool hasLevel(const LevelList *list, LevelKind kind) {
  for (int i = 0; i < list->count; ++i)
    if (list->levels[i].kind == kind)
      return true;
  return false;
}

/// A single level without a number: with THREAD one thread has all columns; CTA leaves the threads to the plan, unless
/// a row has a warp.
static bool readBareThreads(TemplateReader *r, LevelKind kind, StitchMapping *m) {
  StitchMapping planned;
  int64_t parts = m->split * m->cluster;
  if (kind == LEVEL_THREAD) {
    m->unroll = ceilDiv(m->columns, parts);
    return true;
  }
  if (kind != LEVEL_CTA)
    return fail(r, "level %s has no meaning at this place", levelNames[kind]);
  if (!planGetMapping(rootOp(r), &planned))
    return fail(r, "the plan has no mapping to take numbers from");
  m->rowThreads = hasLevel(&r->lists[0], LEVEL_WARP) ? 32 : planned.rowThreads;
  m->vector = planned.vector;
  m->run = planned.run;
  m->unroll = ceilDiv(planColumnsOfVectors(m), parts * m->rowThreads * m->vector);
  return true;
}

/// [THREAD_unroll-]CTA_threads[-THREAD_vector].
static bool readThreadsOfRow(TemplateReader *r, const LevelList *list, int *at, StitchMapping *m) {
  if (*at == list->count - 1 && list->levels[*at].number == 0)
    return readBareThreads(r, list->levels[*at].kind, m);
  m->unroll = takeLevel(list, at, LEVEL_THREAD);
  m->rowThreads = takeLevel(list, at, LEVEL_CTA);
  m->vector = takeLevel(list, at, LEVEL_THREAD);
  if (*at == list->count)
    return true;
  m->run = takeLevel(list, at, LEVEL_RUN);
  return expectEnd(r, list, *at) &&
         (m->run < m->vector || fail(r, "runs of %" PRId64 " are not part of vectors of %" PRId64, m->run, m->vector));
}

static bool readTilesOfColumns(TemplateReader *r, const LevelList *list, StitchMapping *m) {
  int at = 1; // GRID
  m->rowThreads = takeLevel(list, &at, LEVEL_CTA);
  m->vector = takeLevel(list, &at, LEVEL_THREAD);
  return expectEnd(r, list, at);
}

static bool readRow(TemplateReader *r, StitchMapping *m) {
  int row = 1, column = 0; // GRID or ALL
  m->kind = STITCH_MAPPING_ROW;
  m->isReplicated = r->lists[0].levels[0].kind == LEVEL_ALL;
  m->cluster = takeLevel(&r->lists[1], &column, LEVEL_CLUSTER);
  m->split = takeLevel(&r->lists[1], &column, LEVEL_GRID);
  if (!readThreadsOfRow(r, &r->lists[1], &column, m) || !readRowsOfThreads(r, &r->lists[0], &row, m))
    return false;
  if (m->isReplicated && (m->rows > m->blockRows || m->split > 1 || m->cluster > 1))
    return fail(r,
                "%" PRId64 " rows are more than the %" PRId64 " that ALL blocks have, or parts of them are dealt out",
                m->rows, m->blockRows);
  int64_t blocks = r->lists[0].levels[0].number, needed = ceilDiv(m->rows, m->blockRows);
  return blocks == 0 || blocks == needed ||
         fail(r, "%" PRId64 " rows, %" PRId64 " in a block, are GRID_%" PRId64 ", not GRID_%" PRId64, m->rows,
              m->blockRows, needed, blocks);
}

static bool readFlat(TemplateReader *r, bool hasShared, StitchMapping *m) {
  int at = 0, shared = 0;
  m->kind = STITCH_MAPPING_FLAT;
  m->split = takeLevel(&r->lists[0], &at, LEVEL_GRID);
  if (!readThreadsOfRow(r, &r->lists[0], &at, m))
    return false;
  m->blockRows = hasShared ? takeLevel(&r->lists[1], &shared, LEVEL_CTA) : 1;
  return true;
}

/// Of a reduction, or of its result, which has an element for each column.
static bool readColumn(TemplateReader *r, StitchMapping *m) {
  int at = 0;
  const GraphNode *node = &r->kernel->graph.nodes[r->kernel->roots[r->root]];
  bool isKept = node->class != TG_CLASS_REDUCE &&
                (irNumElements(planIterationShape(node->op)) == m->columns || planIsStacked(node->op));
  m->kind = isKept ? STITCH_MAPPING_KEPT : STITCH_MAPPING_COLUMN;
  m->cluster = takeLevel(&r->lists[0], &at, LEVEL_CLUSTER);
  m->split = takeLevel(&r->lists[0], &at, LEVEL_GRID);
  m->unroll = takeLevel(&r->lists[0], &at, LEVEL_THREAD);
  return readTilesOfColumns(r, &r->lists[1], m) && readRowsOfThreads(r, &r->lists[0], &at, m);
}

static bool readCarried(TemplateReader *r, StitchMapping *m) {
  int row = 1, column = 0; // THREAD, or SHARED
  m->kind = STITCH_MAPPING_CARRIED;
  m->sumsInShared = r->lists[0].levels[0].kind == LEVEL_SHARED;
  int64_t ofRows = takeLevel(&r->lists[0], &row, LEVEL_CLUSTER); // else the cluster's blocks have parts of the columns
  m->split = takeLevel(&r->lists[0], &row, LEVEL_GRID);
  m->cluster = max64(ofRows, takeLevel(&r->lists[1], &column, LEVEL_CLUSTER));
  return readThreadsOfRow(r, &r->lists[1], &column, m) && readRowsOfThreads(r, &r->lists[0], &row, m);
}

static bool readTile(TemplateReader *r, StitchMapping *m) {
  int at = 1; // GRID
  m->kind = STITCH_MAPPING_TILE;
  m->unroll = takeLevel(&r->lists[0], &at, LEVEL_THREAD);
  return readTilesOfColumns(r, &r->lists[1], m) && readRowsOfThreads(r, &r->lists[0], &at, m);
}

/// A flat space is dealt out to so many blocks; threads that share its elements stand behind all dimensions.
static bool isFlatSpace(const TemplateReader *r) {
  const LevelList *first = &r->lists[0], *second = &r->lists[1];
  if (!beginsWith(first, LEVEL_GRID, true) || r->numLists > 2)
    return false;
  bool hasAll = r->rows > 0 ? r->rows == 1 : first->dims == planIterationShape(rootOp(r)).rank;
  return r->numLists == 1 || (hasAll && second->count == 1 && beginsWith(second, LEVEL_CTA, true));
}

/// The threads go over the rows, with accumulators of their own or in shared memory.
static bool isCarried(const LevelList *rows) {
  const Level *first = &rows->levels[0];
  return (first->kind == LEVEL_THREAD || first->kind == LEVEL_SHARED) && first->number == 0 && rows->count > 1;
}

/// The levels of one axis: [GRID_n-][CLUSTER_n-][THREAD_n-][WARP_n-][LANE_n[-THREAD_n]].
static bool readAxis(TemplateReader *r, const LevelList *list, StitchAxis *axis) {
  int at = 0;
  int64_t tasks = takeLevel(list, &at, LEVEL_GRID);
  axis->cluster = takeLevel(list, &at, LEVEL_CLUSTER);
  axis->unroll = takeLevel(list, &at, LEVEL_THREAD);
  axis->warps = takeLevel(list, &at, LEVEL_WARP);
  bool hasLanes = at < list->count && list->levels[at].kind == LEVEL_LANE;
  axis->lanes = takeLevel(list, &at, LEVEL_LANE);
  axis->vector = hasLanes ? takeLevel(list, &at, LEVEL_THREAD) : 1;
  if (!expectEnd(r, list, at))
    return false;
  return tasks == axisTasks(axis) ||
         fail(r, "has GRID_%" PRId64 " for an axis that takes %" PRId64 " tasks", tasks, axisTasks(axis));
}

static bool readAxesMapping(TemplateReader *r, StitchMapping *m) {
  *m = r->axes;
  if (r->numLists != m->numAxes)
    return fail(r, "has levels for %d axes of %" PRId64, r->numLists, m->numAxes);
  for (int64_t i = 0; i < m->numAxes; ++i)
    if (!readAxis(r, &r->lists[i], &m->axes[i]))
      return false;
  for (int64_t i = 0; i < m->numDims; ++i)
    if (m->dims[i] >= m->numAxes)
      return fail(r, "has no axis %" PRId64, m->dims[i]);
  stitchCompleteAxes(m);
  return true;
}

/// Which kind of mapping it is follows from the outermost levels.
static bool readMapping(TemplateReader *r, StitchMapping *m) {
  if (r->axes.kind == STITCH_MAPPING_AXES)
    return readAxesMapping(r, m);
  const LevelList *first = &r->lists[0], *second = &r->lists[1];
  bool isFlat = isFlatSpace(r), hasShared = isFlat && r->numLists == 2;
  if (!joinRowsOfBlock(r))
    return false;
  if (!isFlat && r->numLists != 2)
    return fail(r, "has %d lists of levels where rows and columns take two", r->numLists);
  if (!findSpace(r, !isFlat, hasShared, m))
    return false;
  m->blockRows = m->rowThreads = m->vector = m->unroll = m->split = m->cluster = 1;
  if (isFlat)
    return readFlat(r, hasShared, m);
  bool isTiled = beginsWith(second, LEVEL_GRID, false);
  if (isCarried(first))
    return readCarried(r, m);
  if (isTiled)
    return beginsWith(first, LEVEL_GRID, false) ? readTile(r, m) : readColumn(r, m);
  return first->levels[0].kind == LEVEL_GRID || first->levels[0].kind == LEVEL_ALL
             ? readRow(r, m)
             : fail(r, "neither rows nor columns are dealt out to the GRID");
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static bool readSchedule(TemplateReader *r, Schedule *schedules) {
  if (!readName(r) || !readSizes(r) || !expect(r, '[', "before the levels"))
    return false;
  r->numLists = 0;
  do {
    if (!readList(r))
      return false;
  } while (take(r, ','));
  if (!expect(r, ']', "behind the levels") || !findRoot(r, schedules))
    return false;
  Schedule *schedule = &schedules[r->root];
  bool isShared = take(r, 'S'), isScratch = !isShared && take(r, 'G');
  schedule->place = isShared ? TEMPLATE_IN_SHARED : isScratch ? TEMPLATE_IN_SCRATCH : TEMPLATE_IN_PLACE;
  return expect(r, ';', "at the end of a schedule") && readMapping(r, &schedule->mapping);
}

/// A root without a schedule.
static bool leaveOutRoot(TemplateReader *r, Schedule *schedule) {
  const GraphNode *node = &r->kernel->graph.nodes[r->kernel->roots[r->root]];
  r->name = r->kernel->rootNames[r->root];
  r->nameLength = (int)strlen(r->name);
  *schedule = (Schedule){.place = templatePlaceOf(node->op), .isComputedAgain = true};
  if (node->class == TG_CLASS_REDUCE || node->yielded || schedule->place != TEMPLATE_IN_SCRATCH ||
      !planGetMapping(node->op, &schedule->mapping))
    return fail(r, "has no schedule: only a value in scratch memory that is neither a reduction nor a result can be "
                   "computed again where it is read");
  return true;
}

bool templateRead(const TemplateKernel *kernel, const char *text, Schedule *schedules, char **problem) {
  TemplateReader r = {.kernel = kernel, .at = text, .problem = problem};
  *problem = NULL;
  memset(schedules, 0, sizeof(*schedules) * (size_t)kernel->numRoots);
  for (skipBlanks(&r); *r.at; skipBlanks(&r))
    if (!readSchedule(&r, schedules))
      return false;
  for (r.root = 0; r.root < kernel->numRoots; ++r.root)
    if (schedules[r.root].mapping.rows == 0 && !leaveOutRoot(&r, &schedules[r.root]))
      return false;
  return true;
}

char *templateNextName(const char **text) {
  const char *at = *text + strspn(*text, " \t\r\n"), *end = strchr(at, ';');
  if (!*at)
    return NULL;
  *text = end ? end + 1 : at + strlen(at);
  return strndup(at, strcspn(at, "[<{; \t\r\n"));
}
