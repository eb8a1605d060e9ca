//===- page.c - the page: totals, sequence, kernels ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a compiled module and its statistics. Writes the page of stitch-report: totals, the sequence of steps, the
// graph (report_graph.c) and a section for each kernel (report_kernel.c).
//
//===----------------------------------------------------------------------===//

#include "compiler/report/apart.h"
#include "compiler/report/html.h"
#include "compiler/report/report.h"
#include "compiler/report/report_graph.h"
#include "compiler/report/report_kernel.h"
#include "compiler/report/sequence.h"

#include "ir/graph/tg.h"
#include "ir/plan/communication.h"
#include "ir/plan/plan.h"

#include <stdlib.h>

typedef long long ll;

static const char style[] = {
#embed "compiler/report/style.css"
    , 0};
static const char script[] = {
#embed "compiler/report/script.js"
    , 0};

typedef struct {
  FILE *out;
  const Report *report;
  Sequence sequence;
} Page;

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

/// One of several lengths to compare: the longest is `most`.
static void writeBar(FILE *out, const char *label, const char *kind, int64_t value, int64_t most, bool bytes) {
  fprintf(out, "<div class=bar><span>%s</span><i class=%s style=\"width:%.1f%%\"></i><b>", label, kind,
          most > 0 ? 60.0 * (double)value / (double)most : 0.0);
  if (bytes)
    htmlBytes(out, value);
  else
    htmlCount(out, value);
  fputs("</b></div>", out);
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void writeKernelCard(const Page *page) {
  const Statistics *s = page->report->statistics, *x = page->report->xla;
  int64_t unique = 0;
  for (int64_t i = 0; i < page->sequence.numSteps; ++i)
    unique += page->sequence.steps[i].kind == STEP_KERNEL;
  int64_t most = larger(s->memoryIntensiveOps, x ? x->fusions : 0);
  fputs("<div class=card><h3>Kernel launches</h3>", page->out);
  writeBar(page->out, "one each", "before", s->memoryIntensiveOps, most, false);
  if (x)
    writeBar(page->out, "as XLA fuses", "before", x->fusions, most, false);
  writeBar(page->out, "stitched", "after", s->fusions, most, false);
  fprintf(page->out, "<p>%lld different kernels; %lld grid barriers in all launches</p></div>", (ll)unique,
          (ll)s->gridBarriers);
}

static void writeTrafficCard(const Page *page) {
  const Statistics *s = page->report->statistics, *x = page->report->xla;
  int64_t after = s->bytesRead + s->bytesWritten, most = larger(s->bytesUnfused, after);
  fputs("<div class=card><h3>Global memory traffic of these</h3>", page->out);
  writeBar(page->out, "one each", "before", s->bytesUnfused, most, true);
  if (x)
    writeBar(page->out, "as XLA fuses", "before", x->bytesRead + x->bytesWritten, most, true);
  writeBar(page->out, "stitched", "after", after, most, true);
  fputs("<p>inputs once, outputs once; bytes that stay in L2 count too</p></div>", page->out);
}

static void writeNumber(const Page *page, const char *label, int64_t value) {
  fputs("<div class=number><b>", page->out);
  htmlCount(page->out, value);
  fprintf(page->out, "</b>%s</div>", label);
}

static void writeTotals(const Page *page) {
  const Statistics *s = page->report->statistics;
  fputs("<section class=totals><div class=numbers>", page->out);
  writeNumber(page, "operations", s->ops);
  writeNumber(page, "memory-intensive", s->memoryIntensiveOps);
  writeNumber(page, "kernel launches", s->fusions);
  writeNumber(page, "library calls", s->libraryCalls);
  writeNumber(page, "grid barriers", s->gridBarriers);
  writeNumber(page, "ns by the cost model", (int64_t)s->cost.total);
  if (s->cost.communication > 0) {
    writeNumber(page, "ns of communication", (int64_t)s->cost.communication);
    writeNumber(page, "ns of it overlap other steps", (int64_t)s->cost.hidden);
    writeNumber(page, "bytes sent to other processes", (int64_t)s->cost.bytesSent);
  }
  fputs("</div>", page->out);
  writeKernelCard(page);
  writeTrafficCard(page);
  fputs("</section>\n", page->out);
}

static void writeHead(const Page *page) {
  FILE *out = page->out;
  fputs(
      "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\n<title>",
      out);
  htmlString(out, page->report->title);
  fputs(" · Stitch</title>\n<style>\n", out);
  fputs(style, out);
  fputs("</style>\n<header><h1>", out);
  htmlString(out, page->report->title);
  fputs("</h1>", out);
  StitchDevice device;
  if (planGetDevice(page->report->plan, &device)) {
    fputs("<p>planned for ", out);
    htmlText(out, device.preset.data, device.preset.length);
    fprintf(out, ": %lld SMs, %lld GB/s</p>", (ll)device.sms, (ll)device.bandwidthGBps);
  }
  fputs("</header>\n", out);
}

static void writeLegend(const Page *page) {
  fputs("<p class=legend><span><i class=local></i>local: in registers, computed where needed</span>"
        "<span><i class=regional></i>regional: within a block, registers or shared memory</span>"
        "<span><i class=global></i>global: scratch memory, behind a grid barrier</span>"
        "<span><i class=independent></i>independent: an output, no reader in the kernel</span></p>\n",
        page->out);
}

//===----------------------------------------------------------------------===//
// Sequence
//===----------------------------------------------------------------------===//

static MlirOperation calledOp(const ReportStep *step) {
  if (step->kind != STEP_LIBRARY_CALL)
    return step->op;
  return mlirBlockGetFirstOperation(irBody(step->op, 0));
}

static int64_t numOperations(MlirOperation fusion) {
  int64_t count = -1; // the terminator
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    ++count;
  return count;
}

static void writeOpName(const Page *page, MlirOperation op) {
  MlirStringRef name = irOpName(op);
  bool tg = name.length > 3 && name.data[2] == '.';
  htmlText(page->out, tg ? name.data + 3 : name.data, tg ? name.length - 3 : name.length);
}

/// "dot", and with the epilogue of a library call "dot + add + gelu".
static void writeCalled(const Page *page, const ReportStep *step) {
  MlirOperation called = calledOp(step);
  writeOpName(page, called);
  if (step->kind != STEP_LIBRARY_CALL)
    return;
  for (MlirOperation op = irNextOp(called); !irOpIs(op, "stitch.yield"); op = irNextOp(op))
    if (tgKindOf(op) != TG_broadcast && tgKindOf(op) != TG_constant) {
      fputs(" + ", page->out);
      writeOpName(page, op);
    }
}

static void writeChip(const Page *page, const ReportStep *step, int64_t times) {
  static const char *const kinds[] = {"kernel", "library", "host"};
  bool communicates = step->kind == STEP_LIBRARY_CALL && planIsCommunication(step->op);
  fprintf(page->out, "<a class=%s href=\"#", communicates ? "communication" : kinds[step->kind]);
  writeStepName(page->out, step);
  fputs("\">", page->out);
  writeStepName(page->out, step);
  if (step->kind != STEP_KERNEL) {
    fputc(' ', page->out);
    writeCalled(page, step);
  }
  if (step->kind == STEP_KERNEL)
    fprintf(page->out, "<small>%lld op%s</small>", (ll)numOperations(step->op),
            numOperations(step->op) == 1 ? "" : "s");
  if (times > 1)
    fprintf(page->out, "<small>×%lld</small>", (ll)times);
  fputs("</a>", page->out);
}

static void writeSequence(const Page *page) {
  const Sequence *s = &page->sequence;
  fputs("<section><h2>What runs, in order</h2><div class=sequence>\n", page->out);
  for (int64_t i = 0; i < s->numStretches; ++i) {
    const Stretch *stretch = &s->stretches[i];
    bool boxed = stretch->times > 1 && stretch->length > 1;
    if (boxed)
      fprintf(page->out, "<div class=repeat><b>%lld times</b>", (ll)stretch->times);
    for (int64_t j = 0; j < stretch->length; ++j)
      writeChip(page, &s->steps[s->runs[stretch->start + j]], boxed ? 1 : stretch->times);
    fputs(boxed ? "</div>\n" : "\n", page->out);
  }
  fputs("</div>\n", page->out);
  writeGraph(page->out, s);
  fputs("</section>\n", page->out);
}

/// The bytes of a call between processes, and its time by the cost model.
static void writeCommunication(const Page *page, const ReportStep *step) {
  StitchDevice device;
  if (step->kind != STEP_LIBRARY_CALL || !planIsCommunication(step->op) || !planGetDevice(page->report->plan, &device))
    return;
  Communication c = planCommunicationOf(step->op, &device);
  MlirAttribute streams = irGetAttr(step->op, "stitch.streams");
  fprintf(page->out, "<td>%lld processes%s, ", (ll)c.processes, c.crossesMachines ? " on several machines" : "");
  htmlCount(page->out, (int64_t)c.traffic);
  fprintf(page->out, " bytes sent by each, %.0f ns%s", c.nanoseconds,
          mlirAttributeIsNull(streams) ? "" : ", on a stream of its own");
}

static void writeCall(const Page *page, const ReportStep *step) {
  MlirOperation op = calledOp(step);
  char prefix = step->kind == STEP_HOST ? 'H' : 'L';
  fprintf(page->out, "<tr id=%c%lld><td>%c%lld<td>×%lld<td>", prefix, (ll)step->number, prefix, (ll)step->number,
          (ll)step->launches);
  writeOperation(page->out, op);
  fputs("<td>", page->out);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    fputs(i ? ", " : "", page->out);
    htmlType(page->out, mlirValueGetType(irOperand(op, i)));
  }
  fputs("<td>", page->out);
  if (mlirOperationGetNumResults(op) > 0)
    htmlType(page->out, mlirValueGetType(irResult(op, 0)));
  writeCommunication(page, step);
  fputc('\n', page->out);
}

static void writeCalls(const Page *page) {
  const Sequence *s = &page->sequence;
  bool any = false;
  for (int64_t i = 0; i < s->numSteps; ++i) {
    if (s->steps[i].kind == STEP_KERNEL)
      continue;
    if (!any)
      fputs("<section><h2>Library calls and host operations</h2><table class=calls>\n"
            "<tr><th><th>runs<th>operation<th>operands<th>result\n",
            page->out);
    any = true;
    writeCall(page, &s->steps[i]);
  }
  fputs(any ? "</table></section>\n" : "", page->out);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Boxes are open while the page stays short enough to read from top to bottom.
enum { OPEN_OPERATIONS = 250 };

static void writeKernels(const Page *page) {
  const Sequence *s = &page->sequence;
  fputs("<section><h2>Kernels</h2><p class=tools><button data-open=1>open all</button><button data-open=0>close "
        "all</button><input placeholder=\"find an operation …\" aria-label=find></p>\n",
        page->out);
  writeLegend(page);
  int64_t operations = 0;
  for (int64_t i = 0; i < s->numSteps; ++i) {
    if (s->steps[i].kind != STEP_KERNEL)
      continue;
    operations += numOperations(s->steps[i].op);
    writeKernel(page->out, &s->steps[i], page->report->remarks, operations <= OPEN_OPERATIONS);
  }
  fputs("</section>\n", page->out);
}

char *reportPage(const Report *report, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    return NULL;
  Page page = {out, report, sequenceOf(report->plan)};
  writeHead(&page);
  writeTotals(&page);
  writeSequence(&page);
  writeKernels(&page);
  writeCalls(&page);
  fputs("<aside id=why hidden></aside>\n<script>\n", out);
  writeReasons(out, &page.sequence);
  fprintf(out, "%s</script>\n</html>\n", script);
  sequenceDestroy(&page.sequence);
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}
