//===- kernel.c - one kernel of the page ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   summary: number, launches, figures
//   picture: groups from left to right, in the order in which they need each other
//   groups:  a box each, a row for each operation, coloured by scheme
//   remarks: what the passes said of its operations
//
//===----------------------------------------------------------------------===//

#include "tools/report/kernel.h"

#include "ir/graph.h"
#include "ir/plan.h"
#include "tools/report/html.h"
#include "tools/stitch-compile/statistics.h"

#include <stdlib.h>
#include <string.h>

static const char *const schemeNames[] = {"independent", "local", "regional", "global"};
static const char *const mappingNames[] = {"flat", "row", "column"};

typedef long long ll;

/// A fusion as it is drawn. Operations without a group, of a module that is not planned to the end, are in group 0.
typedef struct {
  FILE *out;
  const Step *step;
  const Remarks *remarks;
  IrGraph graph;
  int64_t numGroups;
  int64_t *group;       ///< node -> group
  StitchScheme *scheme; ///< node -> scheme
  StitchRole *role;     ///< node -> role
  int64_t *dominant;    ///< group -> node, or -1
  int64_t *level;       ///< group -> longest way to it
  int64_t *place;       ///< group -> position among those of its level
} Kernel;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static void readNodes(Kernel *k) {
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

static void readGroups(Kernel *k) {
  IrArena *arena = &k->graph.arena;
  k->dominant = IR_NEW_ARRAY(arena, int64_t, k->numGroups);
  k->level = IR_NEW_ARRAY(arena, int64_t, k->numGroups);
  k->place = IR_NEW_ARRAY(arena, int64_t, k->numGroups);
  for (int64_t g = 0; g < k->numGroups; ++g)
    k->dominant[g] = -1;
  for (int64_t i = 0; i < k->graph.numNodes; ++i)
    if (k->role[i] == STITCH_ROLE_DOMINANT)
      k->dominant[k->group[i]] = i;
}

/// Groups are numbered in topological order: levels are right after one walk over them in that order.
static void placeGroups(Kernel *k) {
  IrArena *arena = &k->graph.arena;
  int64_t n = k->graph.numNodes, *first = IR_NEW_ARRAY(arena, int64_t, k->numGroups + 1);
  int64_t *nodes = IR_NEW_ARRAY(arena, int64_t, n + 1), *count = IR_NEW_ARRAY(arena, int64_t, k->numGroups + 1);
  for (int64_t i = 0; i < n; ++i)
    ++first[k->group[i] + 1];
  for (int64_t g = 0; g < k->numGroups; ++g)
    first[g + 1] += first[g];
  for (int64_t i = 0; i < n; ++i)
    nodes[first[k->group[i]] + count[k->group[i]]++] = i;
  int64_t *atLevel = IR_NEW_ARRAY(arena, int64_t, k->numGroups + 1);
  for (int64_t g = 0; g < k->numGroups; ++g) {
    for (int64_t j = first[g]; j < first[g + 1]; ++j) {
      const GraphNode *node = &k->graph.nodes[nodes[j]];
      for (int64_t o = 0; o < node->numOperands; ++o) {
        int64_t from = node->operands[o].node < 0 ? g : k->group[node->operands[o].node];
        if (from < g && k->level[from] + 1 > k->level[g])
          k->level[g] = k->level[from] + 1;
      }
    }
    k->place[g] = atLevel[k->level[g]]++;
  }
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

/// The enumerations that belong to what an operation computes come as words.
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

static void writeOperandName(Kernel *k, const GraphOperand *operand) {
  if (operand->node < 0)
    fprintf(k->out, "in%lld", (ll)operand->number);
  else
    fprintf(k->out, operand->number ? "%%%lld#%lld" : "%%%lld", (ll)operand->node, (ll)operand->number);
}

static void writeMapping(FILE *out, const StitchMapping *m) {
  bool column = m->kind == STITCH_MAPPING_COLUMN;
  fprintf(out, "%s ", mappingNames[m->kind]);
  htmlCount(out, m->rows);
  fputs("×", out);
  htmlCount(out, m->columns);
  fprintf(out, ": block of %lld×%lld threads", (ll)m->blockRows, (ll)m->rowThreads);
  if (m->vector > 1)
    fprintf(out, ", vectors of %lld", (ll)m->vector);
  if (m->unroll > 1)
    fprintf(out, ", %lld %s", (ll)m->unroll, column ? "rows a thread" : "chunks a thread");
  if (m->split > 1)
    fprintf(out, ", split in %lld", (ll)m->split);
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
static void writeTitle(Kernel *k, int64_t i) {
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

static void writeRow(Kernel *k, int64_t i) {
  FILE *out = k->out;
  const GraphNode *node = &k->graph.nodes[i];
  static const char *const marks[] = {"", "<em class=dom>dominant</em>", "<em class=sub>sub-dominant</em>"};
  fprintf(out, "<tr class=\"%s%s\" data-n=%lld data-in=\"", schemeNames[k->scheme[i]],
          k->role[i] == STITCH_ROLE_MEMBER ? "" : " root", (ll)i);
  for (int64_t o = 0; o < node->numOperands; ++o)
    if (node->operands[o].node >= 0)
      fprintf(out, "%lld ", (ll)node->operands[o].node);
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

static void writeGroup(Kernel *k, int64_t g) {
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

enum { BOX_WIDTH = 132, BOX_HEIGHT = 34, GAP_X = 44, GAP_Y = 12, MARGIN = 4, LARGEST_PICTURE = 400 };

static int64_t left(const Kernel *k, int64_t g) { return MARGIN + k->level[g] * (BOX_WIDTH + GAP_X); }
static int64_t top(const Kernel *k, int64_t g) { return MARGIN + k->place[g] * (BOX_HEIGHT + GAP_Y); }

/// A line for the value that leaves one group for another, in the colour of its scheme.
static void writeEdge(Kernel *k, int64_t from, int64_t to, StitchScheme scheme) {
  int64_t x0 = left(k, from) + BOX_WIDTH, y0 = top(k, from) + BOX_HEIGHT / 2;
  int64_t x1 = left(k, to), y1 = top(k, to) + BOX_HEIGHT / 2, bend = (x1 - x0) / 2;
  fprintf(k->out, "<path class=%s d=\"M%lld %lldC%lld %lld %lld %lld %lld %lld\"/>", schemeNames[scheme], (ll)x0,
          (ll)y0, (ll)(x0 + bend), (ll)y0, (ll)(x1 - bend), (ll)y1, (ll)x1, (ll)y1);
}

static void writeEdges(Kernel *k) {
  for (int64_t i = 0; i < k->graph.numNodes; ++i) {
    const GraphNode *node = &k->graph.nodes[i];
    int64_t last = -1; // one line for each group that reads it; users are in rising order
    for (int64_t u = 0; u < node->numUsers; ++u) {
      int64_t to = k->group[node->users[u]];
      if (to > k->group[i] && to != last)
        writeEdge(k, k->group[i], to, k->scheme[i]);
      last = to;
    }
  }
}

static void writeBox(Kernel *k, int64_t g) {
  FILE *out = k->out;
  int64_t dominant = k->dominant[g];
  fprintf(out, "<g class=%s data-g=%lld transform=\"translate(%lld,%lld)\">",
          schemeNames[dominant < 0 ? STITCH_SCHEME_LOCAL : k->scheme[dominant]], (ll)g, (ll)left(k, g), (ll)top(k, g));
  fprintf(out, "<rect width=%d height=%d rx=5 /><text x=8 y=14>group %lld</text><text class=op x=8 y=28>", BOX_WIDTH,
          BOX_HEIGHT, (ll)g);
  if (dominant >= 0) {
    MlirOperation op = k->graph.nodes[dominant].op;
    const char *keyword = keywordOf(op);
    fprintf(out, "%s%s%s", tgNameOfKind(k->graph.nodes[dominant].kind), keyword ? " " : "", keyword ? keyword : "");
  }
  fputs("</text></g>\n", out);
}

static void writePicture(Kernel *k) {
  if (k->numGroups < 2 || k->numGroups > LARGEST_PICTURE)
    return;
  int64_t right = 0, bottom = 0;
  for (int64_t g = 0; g < k->numGroups; ++g) {
    right = left(k, g) + BOX_WIDTH > right ? left(k, g) + BOX_WIDTH : right;
    bottom = top(k, g) + BOX_HEIGHT > bottom ? top(k, g) + BOX_HEIGHT : bottom;
  }
  fprintf(k->out, "<div class=picture><svg width=%lld height=%lld>\n", (ll)right + MARGIN, (ll)bottom + MARGIN);
  writeEdges(k);
  for (int64_t g = 0; g < k->numGroups; ++g)
    writeBox(k, g);
  fputs("</svg></div>\n", k->out);
}

//===----------------------------------------------------------------------===//
// Summary and remarks
//===----------------------------------------------------------------------===//

static void writeSchemes(Kernel *k) {
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

static void writeSummary(Kernel *k, bool open) {
  FILE *out = k->out;
  const Step *step = k->step;
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
    writeFigure(out, "registers", launch.registers, false);
    writeFigure(out, "shared", launch.shared, true);
    writeFigure(out, "scratch", launch.scratch, true);
    writeFigure(out, "grid barriers", launch.barriers, false);
  }
  Statistics statistics = {0};
  statisticsOfPlan(step->op, &statistics);
  writeFigure(out, "reads", statistics.bytesRead, true);
  writeFigure(out, "writes", statistics.bytesWritten, true);
  fputs("</span></summary>\n", out);
}

static void writeInputs(Kernel *k) {
  fputs("<p class=inputs>", k->out);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(k->graph.block); ++i) {
    fprintf(k->out, "<span>in%lld <i>", (ll)i);
    htmlType(k->out, mlirValueGetType(mlirBlockGetArgument(k->graph.block, i)));
    fputs("</i></span> ", k->out);
  }
  fputs("</p>\n", k->out);
}

static void writeRemarks(Kernel *k) {
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

void writeKernel(FILE *out, const Step *step, const Remarks *remarks, bool open) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(step->op, 0));
  Kernel k = {.out = out, .step = step, .remarks = remarks, .graph = irGraphCreate(body)};
  readNodes(&k);
  readGroups(&k);
  placeGroups(&k);
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
