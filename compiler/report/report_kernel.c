//===- report_kernel.c - one kernel of the page ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   summary: number, launches, figures
//   picture: materialised values, from left to right, and their readers; a lane for each group
//   groups:  a box each, a row for each operation, coloured by scheme
//   remarks: the passes' remarks about its operations
//
//===----------------------------------------------------------------------===//

#include "compiler/report/report_kernel.h"

#include "compiler/compiler_statistics.h"
#include "compiler/report/html.h"
#include "ir/graph/graph.h"
#include "ir/mlir/location.h"
#include "ir/plan/axes.h"
#include "ir/plan/plan.h"

#include <stdlib.h>
#include <string.h>

static const char *const schemeNames[] = {"independent", "local", "regional", "global"};

typedef long long ll;

/// A fusion as it is drawn. Operations without a group, of a module that is not planned to the end, are in group 0.
typedef struct {
  FILE *out;
  const ReportStep *step;
  const Remarks *remarks;
  IrGraph graph;
  int64_t numGroups;
  int64_t *group;       ///< node -> group
  StitchScheme *scheme; ///< node -> scheme
  StitchRole *role;     ///< node -> role
  int64_t *dominant;    ///< group -> node, or -1
} DrawnKernel;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static void readNodes(DrawnKernel *k) {
  int64_t n = k->graph.numNodes;
  k->group = IR_NEW_ARRAY(&k->graph.arena, int64_t, n + 1);
  k->scheme = IR_NEW_ARRAY(&k->graph.arena, StitchScheme, n + 1);
  k->role = IR_NEW_ARRAY(&k->graph.arena, StitchRole, n + 1);
  k->numGroups = 1;
  for (int64_t i = 0; i < n; ++i) {
    MlirOperation op = k->graph.nodes[i].op;
    int64_t group = irGetInt(op, "stitch.group", 0);
    k->group[i] = group >= 0 && group < n ? group : 0;
    k->numGroups = k->group[i] >= k->numGroups ? k->group[i] + 1 : k->numGroups;
    if (!planGetScheme(op, &k->scheme[i]))
      k->scheme[i] = STITCH_SCHEME_LOCAL;
    if (!planGetRole(op, &k->role[i]))
      k->role[i] = STITCH_ROLE_MEMBER;
  }
}

static void readDrawnGroups(DrawnKernel *k) {
  IrArena *arena = &k->graph.arena;
  k->dominant = IR_NEW_ARRAY(arena, int64_t, k->numGroups);
  for (int64_t g = 0; g < k->numGroups; ++g)
    k->dominant[g] = -1;
  for (int64_t i = 0; i < k->graph.numNodes; ++i)
    if (k->role[i] == STITCH_ROLE_DOMINANT)
      k->dominant[k->group[i]] = i;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

enum { LONGEST_ATTRIBUTE = 48 };

static void printPart(MlirStringRef part, void *file) { fwrite(part.data, 1, part.length, file); }

/// An attribute's text, cut off where it gets long: constants may have megabytes.
static void writeAttribute(FILE *out, MlirAttribute attribute) {
  if (mlirAttributeIsADenseI64Array(attribute)) {
    intptr_t count = mlirDenseArrayGetNumElements(attribute);
    fputc('[', out);
    for (intptr_t i = 0; i < count; ++i)
      fprintf(out, i ? ", %lld" : "%lld", (ll)mlirDenseI64ArrayGetElement(attribute, i));
    fputc(']', out);
    return;
  }
  if (mlirAttributeIsAInteger(attribute)) {
    fprintf(out, "%lld", (ll)mlirIntegerAttrGetValueInt(attribute));
    return;
  }
  if (mlirAttributeIsADenseElements(attribute) && !mlirDenseElementsAttrIsSplat(attribute)) {
    htmlCount(out, mlirElementsAttrGetNumElements(attribute));
    fputs(" elements", out);
    return;
  }
  char *text = NULL;
  size_t length = 0;
  FILE *buffer = open_memstream(&text, &length);
  if (!buffer)
    return;
  mlirAttributePrint(attribute, printPart, buffer);
  if (fclose(buffer) == 0) {
    char *type = strstr(text, "> : ");
    size_t shown = type ? (size_t)(type - text) + 1 : length;
    htmlText(out, text, shown < LONGEST_ATTRIBUTE ? shown : LONGEST_ATTRIBUTE);
    fputs(shown < LONGEST_ATTRIBUTE ? "" : "…", out);
  }
  free(text);
}

static bool isPlanAttribute(MlirStringRef name) { return name.length > 7 && memcmp(name.data, "stitch.", 7) == 0; }

/// Enumerations that belong to an operation's name are written as words.
static const char *keywordOf(MlirOperation op) {
  static const char *const directions[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  static const char *const kinds[] = {"add", "mul", "min", "max", "and", "or", "xor"};
  TgKind kind = tgKindOf(op);
  int64_t number = irGetInt(op, kind == TG_compare ? "direction" : "kind", -1);
  if (kind == TG_compare && number >= 0 && number < 6)
    return directions[number];
  bool reduces = tgClassOfKind(kind) == TG_CLASS_REDUCE;
  return reduces && number >= 0 && number < 7 ? kinds[number] : NULL;
}

void writeOperation(FILE *out, MlirOperation op) {
  TgKind kind = tgKindOf(op);
  MlirStringRef name = irOpName(op);
  fputs("<b>", out);
  htmlText(out, kind == TG_NONE ? name.data : name.data + 3, kind == TG_NONE ? name.length : name.length - 3);
  const char *keyword = keywordOf(op);
  fprintf(out, "%s%s</b>", keyword ? " " : "", keyword ? keyword : "");
  fputs("<i>", out);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    MlirStringRef key = mlirIdentifierStr(attribute.name);
    bool told =
        keyword && (strncmp(key.data, "kind", key.length) == 0 || strncmp(key.data, "direction", key.length) == 0);
    bool empty =
        mlirAttributeIsADenseI64Array(attribute.attribute) && mlirDenseArrayGetNumElements(attribute.attribute) == 0;
    if (isPlanAttribute(key) || told || empty)
      continue;
    fputc(' ', out);
    htmlText(out, key.data, key.length);
    fputc(' ', out);
    writeAttribute(out, attribute.attribute);
  }
  fputs("</i>", out);
}

static void writeOperandName(DrawnKernel *k, const GraphOperand *operand) {
  if (operand->node < 0)
    fprintf(k->out, "in%lld", (ll)operand->number);
  else
    fprintf(k->out, operand->number ? "%%%lld#%lld" : "%%%lld", (ll)operand->node, (ll)operand->number);
}

/// The axes of a root's elements, and of those of its loop that it does not have the sizes alone.
static void writeAxes(FILE *out, const StitchMapping *m) {
  AxisSet own = axesOfRoot(m);
  fputs("axes ", out);
  for (int64_t i = 0; i < m->numAxes; ++i) {
    fputs(i ? " × " : "", out);
    fputs(axisIsIn(own, i) ? "" : "(", out);
    htmlCount(out, m->axes[i].size);
    fputs(axisIsIn(own, i) ? "" : ")", out);
  }
  fprintf(out, ": block of %lld threads", (ll)planBlockSize(m));
  if (m->vector > 1)
    fprintf(out, ", vectors of %lld", (ll)m->vector);
  if (m->unroll > 1)
    fprintf(out, ", %lld a thread", (ll)m->unroll);
}

static void writeRowsAndColumns(FILE *out, const StitchMapping *m) {
  bool column = m->kind == STITCH_MAPPING_COLUMN;
  fprintf(out, "%s ", stitchMappingKindName(m->kind));
  htmlCount(out, m->rows);
  fputs("×", out);
  htmlCount(out, m->columns);
  fprintf(out, ": block of %lld×%lld threads", (ll)m->blockRows, (ll)m->rowThreads);
  if (m->vector > 1)
    fprintf(out, ", vectors of %lld%s", (ll)m->vector, m->run > 0 ? " from aligned places on" : "");
  if (m->unroll > 1)
    fprintf(out, ", %lld %s", (ll)m->unroll, column ? "rows a thread" : "chunks a thread");
}

static void writeMapping(FILE *out, const StitchMapping *m) {
  if (m->kind == STITCH_MAPPING_AXES)
    writeAxes(out, m);
  else
    writeRowsAndColumns(out, m);
  if (m->split > 1)
    fprintf(out, ", split in %lld", (ll)m->split);
  if (m->cluster > 1)
    fprintf(out, ", clusters of %lld blocks", (ll)m->cluster);
  fputs(", ", out);
  htmlCount(out, planTasks(m));
  fputs(planTasks(m) == 1 ? " task" : " tasks", out);
}

static void writeBuffer(FILE *out, const StitchBuffer *b) {
  fprintf(out, "%s %lld…%lld", b->space == STITCH_SPACE_SHARED ? "shared" : "scratch", (ll)b->offset,
          (ll)(b->offset + b->size));
}

/// A place in a file without the folders, so that the page is the same wherever the model lies.
static void writeLocation(FILE *out, MlirLocation location) {
  if (!mlirLocationIsAFileLineColRange(location)) {
    mlirLocationPrint(location, htmlPart, out);
    return;
  }
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
  size_t start = file.length;
  while (start > 0 && file.data[start - 1] != '/')
    --start;
  htmlText(out, file.data + start, file.length - start);
  fprintf(out, ":%d:%d", mlirLocationFileLineColRangeGetStartLine(location),
          mlirLocationFileLineColRangeGetStartColumn(location));
}

/// All that the plan says of an operation, for the row's title.
static void writeTitle(DrawnKernel *k, int64_t i) {
  FILE *out = k->out;
  MlirOperation op = k->graph.nodes[i].op;
  StitchMapping mapping;
  StitchBuffer buffer;
  static const char *const roles[] = {"member: computed where it is needed, in registers", "dominant", "sub-dominant"};
  fprintf(out, "%%%lld, group %lld, %s\nscheme: %s", (ll)i, (ll)k->group[i], roles[k->role[i]],
          schemeNames[k->scheme[i]]);
  if (planGetMapping(op, &mapping)) {
    fputs("\nmapping: ", out);
    writeMapping(out, &mapping);
  }
  if (planGetBuffer(op, &buffer)) {
    fputs("\nbuffer: ", out);
    writeBuffer(out, &buffer);
    fputs(" bytes", out);
  }
  fputs("\nsource: ", out);
  writeLocation(out, mlirOperationGetLocation(op));
}

/// How --explain is told of an operation: by its place, or else by its name.
static void writePattern(FILE *out, MlirLocation location) {
  IrPlace place = irPlaceOf(location);
  if (place.file.length > 0) {
    htmlText(out, place.file.data, place.file.length);
    fprintf(out, ":%d:%d", place.line, place.column);
  } else {
    htmlText(out, place.name.data, place.name.length);
  }
}

static void writeRow(DrawnKernel *k, int64_t i) {
  FILE *out = k->out;
  const GraphNode *node = &k->graph.nodes[i];
  static const char *const marks[] = {"", "<em class=dom>dominant</em>", "<em class=sub>sub-dominant</em>"};
  fprintf(out, "<tr class=\"%s%s\" data-n=%lld data-in=\"", schemeNames[k->scheme[i]],
          k->role[i] == STITCH_ROLE_MEMBER ? "" : " root", (ll)i);
  for (int64_t o = 0; o < node->numOperands; ++o)
    if (node->operands[o].node >= 0)
      fprintf(out, "%lld ", (ll)node->operands[o].node);
  fputs("\" data-at=\"", out);
  writePattern(out, mlirOperationGetLocation(node->op));
  fputs("\" title=\"", out);
  writeTitle(k, i);
  fprintf(out, "\"><td>%%%lld<td>", (ll)i);
  writeOperation(out, node->op);
  fputs("<td>", out);
  for (int64_t o = 0; o < node->numOperands; ++o) {
    fputs(o ? ", " : "", out);
    writeOperandName(k, &node->operands[o]);
  }
  fputs("<td>", out);
  htmlType(out, mlirValueGetType(irResult(node->op, 0)));
  fprintf(out, "<td>%s", marks[k->role[i]]);
  if (node->yielded)
    fputs("<em class=out>output</em>", out);
  StitchBuffer buffer;
  if (planGetBuffer(node->op, &buffer)) {
    fputs("<em class=buf>", out);
    writeBuffer(out, &buffer);
    fputs("</em>", out);
  }
  fputc('\n', out);
}

static void writeGroup(DrawnKernel *k, int64_t g) {
  FILE *out = k->out;
  fprintf(out, "<div class=group data-g=%lld><h4>group %lld", (ll)g, (ll)g);
  StitchMapping mapping;
  if (k->dominant[g] >= 0 && planGetMapping(k->graph.nodes[k->dominant[g]].op, &mapping)) {
    fputs(" <span>", out);
    writeMapping(out, &mapping);
    fputs("</span>", out);
  }
  fputs("</h4><table>\n", out);
  for (int64_t i = 0; i < k->graph.numNodes; ++i)
    if (k->group[i] == g)
      writeRow(k, i);
  fputs("</table></div>\n", out);
}

//===----------------------------------------------------------------------===//
// Picture
//===----------------------------------------------------------------------===//
//
// Roots alone: members are computed on the way. A group is a lane, a level a column; a root's level is one more than
// the highest level of the roots that it reads.

enum { BOX_WIDTH = 156, BOX_HEIGHT = 34, GAP_X = 40, GAP_Y = 8, LANE = 20, MARGIN = 6, LARGEST_PICTURE = 300 };

typedef struct {
  int64_t from, to; ///< nodes
} Edge;

typedef struct {
  int64_t numRoots, numEdges, edgeCapacity;
  Edge *edges;
  int64_t *level; ///< node -> column, of roots
  int64_t *place; ///< node -> position in its lane and column, of roots
  int64_t *top;   ///< group -> top of its lane; one entry more: the end of the last
  int64_t width;
} Picture;

static bool isRoot(const DrawnKernel *k, int64_t node) { return k->role[node] != STITCH_ROLE_MEMBER; }

/// Finds the roots that `root` reads through members. `seen[node]` is the last root that came there.
static void findEdges(DrawnKernel *k, Picture *p, int64_t root, int64_t *seen, int64_t *stack) {
  int64_t depth = 0;
  for (stack[depth++] = root; depth > 0;) {
    const GraphNode *node = &k->graph.nodes[stack[--depth]];
    for (int64_t o = 0; o < node->numOperands; ++o) {
      int64_t operand = node->operands[o].node;
      if (operand < 0 || seen[operand] == root + 1)
        continue;
      seen[operand] = root + 1;
      if (!isRoot(k, operand)) {
        stack[depth++] = operand;
        continue;
      }
      IR_RESERVE_ONE(p->edges, p->numEdges, p->edgeCapacity);
      p->edges[p->numEdges++] = (Edge){operand, root};
      if (p->level[operand] + 1 > p->level[root])
        p->level[root] = p->level[operand] + 1;
    }
  }
}

static void placeRoots(DrawnKernel *k, Picture *p) {
  IrArena *arena = &k->graph.arena;
  int64_t n = k->graph.numNodes, numLevels = 0;
  for (int64_t i = 0; i < n; ++i)
    if (isRoot(k, i) && p->level[i] >= numLevels)
      numLevels = p->level[i] + 1;
  int64_t *used = IR_NEW_ARRAY(arena, int64_t, numLevels * k->numGroups + 1);
  int64_t *tallest = IR_NEW_ARRAY(arena, int64_t, k->numGroups);
  for (int64_t i = 0; i < n; ++i) {
    if (!isRoot(k, i))
      continue;
    p->place[i] = used[k->group[i] * numLevels + p->level[i]]++;
    if (p->place[i] >= tallest[k->group[i]])
      tallest[k->group[i]] = p->place[i] + 1;
  }
  p->top[0] = MARGIN;
  for (int64_t g = 0; g < k->numGroups; ++g)
    p->top[g + 1] = p->top[g] + (tallest[g] ? LANE + tallest[g] * (BOX_HEIGHT + GAP_Y) + GAP_Y : 0);
  p->width = 3 * MARGIN + numLevels * (BOX_WIDTH + GAP_X) - GAP_X;
}

static int64_t left(const Picture *p, int64_t node) { return 2 * MARGIN + p->level[node] * (BOX_WIDTH + GAP_X); }

static int64_t top(const DrawnKernel *k, const Picture *p, int64_t node) {
  return p->top[k->group[node]] + LANE + p->place[node] * (BOX_HEIGHT + GAP_Y);
}

static void writeLane(DrawnKernel *k, const Picture *p, int64_t g) {
  int64_t height = p->top[g + 1] - p->top[g] - 4;
  if (height <= 0)
    return;
  fprintf(k->out,
          "<g class=lane data-g=%lld><rect x=%d y=%lld width=%lld height=%lld rx=7 /><text x=%d y=%lld>group "
          "%lld</text></g>",
          (ll)g, MARGIN / 2, (ll)p->top[g], (ll)(p->width - MARGIN), (ll)height, 2 * MARGIN, (ll)(p->top[g] + 14),
          (ll)g);
}

/// A line for a value, in the colour of its scheme.
static void writeEdge(DrawnKernel *k, const Picture *p, Edge edge) {
  int64_t x0 = left(p, edge.from) + BOX_WIDTH, y0 = top(k, p, edge.from) + BOX_HEIGHT / 2;
  int64_t x1 = left(p, edge.to), y1 = top(k, p, edge.to) + BOX_HEIGHT / 2, bend = (x1 - x0) / 2;
  fprintf(k->out, "<path class=%s d=\"M%lld %lldC%lld %lld %lld %lld %lld %lld\"/>", schemeNames[k->scheme[edge.from]],
          (ll)x0, (ll)y0, (ll)(x0 + bend), (ll)y0, (ll)(x1 - bend), (ll)y1, (ll)x1, (ll)y1);
}

static void writeBox(DrawnKernel *k, const Picture *p, int64_t i) {
  FILE *out = k->out;
  const char *keyword = keywordOf(k->graph.nodes[i].op);
  fprintf(out, "<g class=\"box %s%s\" data-g=%lld data-n=%lld transform=\"translate(%lld,%lld)\"><title>",
          schemeNames[k->scheme[i]], k->role[i] == STITCH_ROLE_DOMINANT ? " dominant" : "", (ll)k->group[i], (ll)i,
          (ll)left(p, i), (ll)top(k, p, i));
  writeTitle(k, i);
  fprintf(out, "</title><rect width=%d height=%d rx=5 /><text class=op x=8 y=14>%s%s%s</text><text x=8 y=28>%%%lld · ",
          BOX_WIDTH, BOX_HEIGHT, tgNameOfKind(k->graph.nodes[i].kind), keyword ? " " : "", keyword ? keyword : "",
          (ll)i);
  htmlType(out, mlirValueGetType(irResult(k->graph.nodes[i].op, 0)));
  fputs("</text></g>\n", out);
}

static void writePicture(DrawnKernel *k) {
  IrArena *arena = &k->graph.arena;
  int64_t n = k->graph.numNodes;
  Picture p = {0};
  for (int64_t i = 0; i < n; ++i)
    p.numRoots += isRoot(k, i);
  if (p.numRoots < 2 || p.numRoots > LARGEST_PICTURE)
    return;
  p.level = IR_NEW_ARRAY(arena, int64_t, n);
  p.place = IR_NEW_ARRAY(arena, int64_t, n);
  p.top = IR_NEW_ARRAY(arena, int64_t, k->numGroups + 1);
  int64_t *seen = IR_NEW_ARRAY(arena, int64_t, n), *stack = IR_NEW_ARRAY(arena, int64_t, n + 1);
  for (int64_t i = 0; i < n; ++i)
    if (isRoot(k, i))
      findEdges(k, &p, i, seen, stack);
  placeRoots(k, &p);
  fprintf(k->out, "<div class=picture><svg width=%lld height=%lld>\n", (ll)p.width, (ll)(p.top[k->numGroups] + MARGIN));
  for (int64_t g = 0; g < k->numGroups; ++g)
    writeLane(k, &p, g);
  for (int64_t e = 0; e < p.numEdges; ++e)
    writeEdge(k, &p, p.edges[e]);
  for (int64_t i = 0; i < n; ++i)
    if (isRoot(k, i))
      writeBox(k, &p, i);
  fputs("</svg></div>\n", k->out);
  free(p.edges);
}

//===----------------------------------------------------------------------===//
// Summary and remarks
//===----------------------------------------------------------------------===//

static void writeSchemes(DrawnKernel *k) {
  int64_t counts[4] = {0};
  for (int64_t i = 0; i < k->graph.numNodes; ++i)
    ++counts[k->scheme[i]];
  fputs("<span class=mix>", k->out);
  for (int s = 0; s < 4; ++s)
    if (counts[s])
      fprintf(k->out, "<i class=%s style=\"flex:%lld\" title=\"%lld %s\"></i>", schemeNames[s], (ll)counts[s],
              (ll)counts[s], schemeNames[s]);
  fputs("</span>", k->out);
}

static void writeFigure(FILE *out, const char *label, int64_t value, bool bytes) {
  fprintf(out, "<span>%s <b>", label);
  if (bytes)
    htmlBytes(out, value);
  else
    htmlCount(out, value);
  fputs("</b></span>", out);
}

static void writeSummary(DrawnKernel *k, bool open) {
  FILE *out = k->out;
  const ReportStep *step = k->step;
  fprintf(out, "<details class=kernel id=K%lld%s><summary><b class=name>K%lld</b>", (ll)step->number,
          open ? " open" : "", (ll)step->number);
  fprintf(out, "<b class=times>×%lld</b>", (ll)step->launches);
  fprintf(out, "<span class=what>%lld %s in %lld %s</span>", (ll)k->graph.numNodes,
          k->graph.numNodes == 1 ? "operation" : "operations", (ll)k->numGroups,
          k->numGroups == 1 ? "group" : "groups");
  writeSchemes(k);
  fputs("<span class=figures>", out);
  StitchLaunch launch;
  if (planGetLaunch(step->op, &launch)) {
    fprintf(out, "<span title=\"blocks × threads of a block\">launch <b>%lld×%lld</b></span>", (ll)launch.grid,
            (ll)launch.block);
    if (launch.cluster > 1)
      writeFigure(out, "blocks of a cluster", launch.cluster, false);
    writeFigure(out, "registers", launch.registers, false);
    writeFigure(out, "shared", launch.shared, true);
    writeFigure(out, "scratch", launch.scratch, true);
    writeFigure(out, "grid barriers", launch.barriers, false);
  }
  Statistics statistics = {0};
  statisticsOfPlan(step->op, &statistics);
  writeFigure(out, "ns", (int64_t)statistics.cost.total, false);
  writeFigure(out, "reads", statistics.bytesRead, true);
  writeFigure(out, "writes", statistics.bytesWritten, true);
  fputs("</span></summary>\n", out);
}

static void writeInputs(DrawnKernel *k) {
  fputs("<p class=inputs>", k->out);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(k->graph.block); ++i) {
    fprintf(k->out, "<span>in%lld <i>", (ll)i);
    htmlType(k->out, mlirValueGetType(mlirBlockGetArgument(k->graph.block, i)));
    fputs("</i></span> ", k->out);
  }
  fputs("</p>\n", k->out);
}

static void writeRemarks(DrawnKernel *k) {
  bool any = false;
  for (int64_t i = 0; k->remarks && i < k->graph.numNodes; ++i)
    for (const Remark *r = remarksOf(k->remarks, k->graph.nodes[i].op); r; r = r->next) {
      if (!any)
        fputs("<details class=remarks><summary>why: the remarks of the planning passes</summary><ul>\n", k->out);
      any = true;
      fprintf(k->out, "<li data-n=%lld><b>%%%lld %s</b> ", (ll)i, (ll)i, tgNameOfKind(k->graph.nodes[i].kind));
      htmlString(k->out, r->text);
      fputc('\n', k->out);
    }
  fputs(any ? "</ul></details>\n" : "", k->out);
}

void writeKernel(FILE *out, const ReportStep *step, const Remarks *remarks, bool open) {
  MlirBlock body = irBody(step->op, 0);
  DrawnKernel k = {.out = out, .step = step, .remarks = remarks, .graph = irGraphCreate(body)};
  readNodes(&k);
  readDrawnGroups(&k);
  writeSummary(&k, open);
  writeInputs(&k);
  writePicture(&k);
  fputs("<div class=groups>\n", out);
  for (int64_t g = 0; g < k.numGroups; ++g)
    writeGroup(&k, g);
  fputs("</div>\n", out);
  writeRemarks(&k);
  fputs("</details>\n", out);
  irGraphDestroy(&k.graph);
}
