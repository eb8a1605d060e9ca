//===- template.c - the template of a planned kernel ---------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mapping is a nest of loops over rows and over columns. Each is a list of levels, the outermost first. It says how
// many blocks (GRID), blocks of a cluster (CLUSTER), warps (WARP) or threads (CTA) there are, how many elements a
// thread has (THREAD), and in which runs (RUN). The reader is template_read.c.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/template.h"

#include "ir/index/space.h"
#include "ir/mlir/text.h"
#include "ir/plan/axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The roots of a kernel
//===----------------------------------------------------------------------===//

/// The name of a root that is the `count`th of its value.
static const char *nameOfRoot(TemplateKernel *kernel, int64_t node, IrMap *counts) {
  const char *name = kernel->names.names[node];
  int64_t count = irMapGet(counts, name, 0);
  irMapSet(counts, name, count + 1);
  if (count == 0)
    return name;
  size_t size = strlen(name) + 24;
  char *text = irArenaAllocate(&kernel->names.arena, size);
  snprintf(text, size, "%s.%" PRId64, name, count);
  return text;
}

TemplateKernel templateKernelCreate(MlirOperation fusion) {
  TemplateKernel kernel = {.graph = irGraphCreate(irBody(fusion, 0))};
  kernel.names = kernelNamesCreate(fusion, &kernel.graph);
  kernel.roots = IR_NEW_ARRAY(&kernel.names.arena, int64_t, kernel.graph.numNodes + 1);
  kernel.rootNames = IR_NEW_ARRAY(&kernel.names.arena, const char *, kernel.graph.numNodes + 1);
  IrMap counts = {0};
  for (int64_t i = 0; i < kernel.graph.numNodes; ++i) {
    if (!planIsRoot(kernel.graph.nodes[i].op))
      continue;
    kernel.rootNames[kernel.numRoots] = nameOfRoot(&kernel, i, &counts);
    kernel.roots[kernel.numRoots++] = i;
  }
  irMapDestroy(&counts);
  return kernel;
}

void templateKernelDestroy(TemplateKernel *kernel) {
  kernelNamesDestroy(&kernel->names);
  irGraphDestroy(&kernel->graph);
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// A level behind those that there are; with `number` 0 it goes without one.
static void addLevel(IrText *list, const char *level, int64_t number) {
  irTextFormat(list, "%s%s", list->length ? "-" : "", level);
  if (number > 0)
    irTextFormat(list, "_%" PRId64, number);
}

/// Of levels with one element nothing is said.
static void addLevelIfMany(IrText *list, const char *level, int64_t number) {
  if (number > 1)
    addLevel(list, level, number);
}

/// The rows of threads of a block: warps, or others.
static void addRowsOfThreads(IrText *list, const StitchMapping *m) {
  addLevel(list, m->rowThreads == 32 ? "WARP" : "CTA", m->blockRows);
}

/// unroll x threads x vector, where each block has a part.
static void addThreadsOfRow(IrText *list, const StitchMapping *m) {
  addLevelIfMany(list, "THREAD", m->unroll);
  addLevel(list, "CTA", m->rowThreads);
  addLevelIfMany(list, "THREAD", m->vector);
  if (m->run > 0)
    addLevel(list, "RUN", m->run);
}

static void addBlocksOfRow(IrText *list, const StitchMapping *m) {
  addLevelIfMany(list, "CLUSTER", m->cluster);
  addLevelIfMany(list, "GRID", m->kind == STITCH_MAPPING_CARRIED ? 1 : m->split);
}

/// Tiles of columns, as many as there are.
static void addTilesOfColumns(IrText *list, const StitchMapping *m) {
  addLevel(list, "GRID", 0);
  addLevel(list, "CTA", m->rowThreads);
  addLevelIfMany(list, "THREAD", m->vector);
}

/// The levels of rows and of columns. A mapping without rows leaves them empty; threads that share elements instead of
/// having some of their own are `shared`.
typedef struct {
  IrText rows, columns, shared;
} LevelTexts;

static void describeMapping(const StitchMapping *m, LevelTexts *levels) {
  IrText *rows = &levels->rows, *columns = &levels->columns;
  switch (m->kind) {
  case STITCH_MAPPING_ROW:
    addLevel(rows, m->isReplicated ? "ALL" : "GRID", 0);
    addRowsOfThreads(rows, m);
    addBlocksOfRow(columns, m);
    addThreadsOfRow(columns, m);
    return;
  case STITCH_MAPPING_FLAT:
    addLevel(columns, "GRID", m->split);
    addThreadsOfRow(columns, m);
    if (m->blockRows > 1)
      addLevel(&levels->shared, "CTA", m->blockRows);
    return;
  case STITCH_MAPPING_COLUMN:
  case STITCH_MAPPING_KEPT:
    addLevelIfMany(rows, "CLUSTER", m->cluster);
    addLevelIfMany(rows, "GRID", m->split);
    addLevelIfMany(rows, "THREAD", m->unroll);
    addRowsOfThreads(rows, m);
    addTilesOfColumns(columns, m);
    return;
  case STITCH_MAPPING_CARRIED:
    addLevel(rows, m->sumsInShared ? "SHARED" : "THREAD", 0);
    if (planSharesSums(m))
      addLevelIfMany(rows, "CLUSTER", m->cluster);
    addLevel(rows, "GRID", m->split);
    addRowsOfThreads(rows, m);
    if (!planSharesSums(m))
      addBlocksOfRow(columns, m);
    addThreadsOfRow(columns, m);
    return;
  case STITCH_MAPPING_AXES: // appendAxes
    return;
  case STITCH_MAPPING_TILE:
    addLevel(rows, "GRID", 0);
    addLevelIfMany(rows, "THREAD", m->unroll);
    addRowsOfThreads(rows, m);
    addTilesOfColumns(columns, m);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// How many of the dimensions of a root's space are rows, if both rows and columns have dimensions of their own; -1 if
/// not. Then the schedule says how many of each there are.
static intptr_t dimensionsOfRows(MlirOperation root, const StitchMapping *m, IrShape shape) {
  if (m->kind == STITCH_MAPPING_KEPT || planIsStacked(root) || irNumElements(shape) != planMappedElements(m) ||
      shape.rank == 0)
    return -1;
  if (m->kind == STITCH_MAPPING_FLAT)
    return 0;
  intptr_t rows = irLeadingDims(shape, m->rows);
  return rows > 0 && rows < shape.rank ? rows : -1;
}

/// Dimensions that are gone through as one: the outer ones have the list's first level, without a number.
static void appendDimensions(IrText *text, const IrText *list, intptr_t count) {
  size_t first = strcspn(list->data, "-_");
  for (intptr_t i = 1; i < count; ++i)
    irTextFormat(text, "%.*s,", (int)first, list->data);
  irTextFormat(text, "%s", list->data);
}

/// `{0,2 of 64x8x128}`: the axes of the root's elements, and the sizes of all; then the levels of each axis.
static void appendAxes(IrText *text, const StitchMapping *m) {
  irTextFormat(text, "{");
  for (int64_t i = 0; i < m->numDims; ++i)
    irTextFormat(text, "%s%" PRId64, i ? "," : "", m->dims[i]);
  irTextFormat(text, " of ");
  for (int64_t i = 0; i < m->numAxes; ++i)
    irTextFormat(text, "%s%" PRId64, i ? "x" : "", m->axes[i].size);
  irTextFormat(text, "}[");
  for (int64_t i = 0; i < m->numAxes; ++i) {
    const StitchAxis *a = &m->axes[i];
    IrText levels = {.arena = text->arena};
    addLevelIfMany(&levels, "GRID", axisTasks(a));
    addLevelIfMany(&levels, "CLUSTER", a->cluster);
    addLevelIfMany(&levels, "THREAD", a->unroll);
    addLevelIfMany(&levels, "WARP", a->warps);
    if (a->vector > 1 || a->lanes > 1)
      addLevel(&levels, "LANE", a->lanes);
    addLevelIfMany(&levels, "THREAD", a->vector);
    irTextFormat(text, "%s%s", i ? "," : "", levels.length ? levels.data : "THREAD_1");
  }
  irTextFormat(text, "]");
}

static void appendMapping(IrText *text, MlirOperation root, const StitchMapping *m) {
  if (m->kind == STITCH_MAPPING_AXES) {
    appendAxes(text, m);
    return;
  }
  IrArena *arena = text->arena;
  LevelTexts levels = {{.arena = arena}, {.arena = arena}, {.arena = arena}};
  IrShape shape = planIterationShape(root);
  intptr_t rows = dimensionsOfRows(root, m, shape);
  describeMapping(m, &levels);
  if (rows < 0)
    irTextFormat(text, "<%" PRId64 "x%" PRId64 ">", m->rows, m->columns);
  irTextFormat(text, "[");
  if (levels.rows.length) {
    appendDimensions(text, &levels.rows, rows < 0 ? 1 : rows);
    irTextFormat(text, ",");
  }
  appendDimensions(text, &levels.columns, rows < 0 ? 1 : shape.rank - rows);
  if (levels.shared.length)
    irTextFormat(text, ",%s", levels.shared.data);
  irTextFormat(text, "]");
}

char *templateOfMapping(MlirOperation root, const StitchMapping *mapping) {
  IrArena arena = {0};
  IrText text = {.arena = &arena};
  appendMapping(&text, root, mapping);
  char *copy = strdup(text.data);
  irArenaDestroy(&arena);
  return copy;
}

//===----------------------------------------------------------------------===//
// The template
//===----------------------------------------------------------------------===//

TemplatePlace templatePlaceOf(MlirOperation root) {
  StitchScheme scheme;
  StitchBuffer buffer;
  bool isGlobal = planGetScheme(root, &scheme) && scheme == STITCH_SCHEME_GLOBAL;
  if (isGlobal)
    return TEMPLATE_IN_SCRATCH;
  return planGetBuffer(root, &buffer) && buffer.space == STITCH_SPACE_SHARED ? TEMPLATE_IN_SHARED : TEMPLATE_IN_PLACE;
}

char *templateOf(const TemplateKernel *kernel) {
  static const char *const places[] = {
      [TEMPLATE_IN_PLACE] = "", [TEMPLATE_IN_SHARED] = "S", [TEMPLATE_IN_SCRATCH] = "G"};
  IrArena arena = {0};
  IrText text = {.arena = &arena};
  irTextFormat(&text, "%s", "");
  for (int64_t i = 0; i < kernel->numRoots; ++i) {
    MlirOperation root = kernel->graph.nodes[kernel->roots[i]].op;
    StitchMapping mapping;
    if (!planGetMapping(root, &mapping))
      continue;
    irTextFormat(&text, "%s", kernel->rootNames[i]);
    appendMapping(&text, root, &mapping);
    irTextFormat(&text, "%s;\n", places[templatePlaceOf(root)]);
  }
  char *copy = strdup(text.data);
  irArenaDestroy(&arena);
  return copy;
}
