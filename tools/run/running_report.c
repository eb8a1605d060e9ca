//===- running_report.c - reports of a run, as text and JSON --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a run's results for people, and writes them as JSON; writes a profile as a trace of events.
//
//===----------------------------------------------------------------------===//

#include "tools/run/run.h"

#include "tools/support/number.h"
#include "tools/support/tool_file.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static void printTimes(const RunOptions *o, const Run *run) {
  double fastest = run->seconds[0] * 1e3;
  if (o->repeat == 1)
    printf("%s: %.3f ms\n", o->device, fastest);
  else
    printf("%s: fastest %.3f ms, median %.3f ms of %d runs\n", o->device, fastest, run->seconds[o->repeat / 2] * 1e3,
           o->repeat);
  if (!run->hostSeconds)
    return;
  printf("  on %s: %s\n", run->sessionDevice, run->sessionDetails);
  if (o->copies == COPIES_NONE)
    printf("  the host was busy for %.1f us, the median of all runs\n", run->hostSeconds[o->repeat / 2] * 1e6);
}

/// An element as "1.5", or "(1.5, -2)" for a complex number.
static void formatElement(char *text, size_t size, StitchDataType dtype, const void *data, int64_t index) {
  double complex value = toolLoadComplex(dtype, data, index);
  snprintf(text, size, toolIsComplex(dtype) ? "(%.9g, %.9g)" : "%.9g", creal(value), cimag(value));
}

static void printMismatch(const Run *run, int64_t index, const Comparison *c) {
  StitchOutputInfo info = run->outputInfos[index];
  if (c->mismatches) {
    char output[64], reference[64];
    formatElement(output, sizeof(output), info.dtype, run->outputs[index], c->firstMismatch);
    formatElement(reference, sizeof(reference), info.dtype, run->references[index], c->firstMismatch);
    printf("  %lld elements are wrong; the first is element %lld: %s, and the reference has %s\n",
           (long long)c->mismatches, (long long)c->firstMismatch, output, reference);
  }
}

/// Whether launches are checked one by one: then an output need not be compared as a whole.
static bool checksLaunches(const Run *run) { return run->checker && run->checker->hasGraphs; }

/// Whether enough of an output was compared to say that it is right.
static bool isCompared(const Run *run, const Comparison *c) {
  return comparisonIsDefined(c) && (checksLaunches(run) || comparisonIsWhole(c));
}

/// Whether enough was compared to say that the run is right.
static bool comparesAll(const Run *run) {
  for (int64_t i = 0; run->comparisons && i < run->numOutputs; ++i)
    if (!isCompared(run, &run->comparisons[i]))
      return false;
  return (run->comparisons || checksLaunches(run)) && (!run->checker || checkerComparesAll(run->checker));
}

static void printComparison(const Run *run, int64_t index) {
  const Comparison *c = &run->comparisons[index];
  StitchOutputInfo info = run->outputInfos[index];
  char type[256];
  stitchFormatTensorType(type, sizeof(type), info.dtype, info.rank, info.dims);
  printf("%s: output %lld '%s' %s: max absolute error %.3g, relative %.3g", comparisonPasses(c) ? "ok" : "FAIL",
         (long long)index, info.name, type, c->maxAbsolute, c->maxRelative);
  if (toolIsFloat(info.dtype))
    printf(", %llu ulp; bound %.3g (sums of %lld, depth %lld, condition %.3g)", (unsigned long long)c->maxUlp, c->bound,
           (long long)info.longestReduction, (long long)info.depth, c->condition);
  if (!c->whole)
    printf("; not compared as a whole: the bounds of most elements are above 1/16 of the largest");
  else if (c->loose)
    printf("; the bounds of %lld elements are above 1/16 of the largest", (long long)c->loose);
  if (c->unstable)
    printf("; %lld elements beyond theirs jump and are not compared", (long long)c->unstable);
  if (c->notFinite)
    printf("; %lld elements are NaN or infinite, in the reference too", (long long)c->notFinite);
  putchar('\n');
  printMismatch(run, index, c);
  if (!isCompared(run, c))
    printf("not checked: output %lld: of %lld elements %lld are NaN and %lld jump%s\n", (long long)index,
           (long long)c->elements, (long long)c->undefined, (long long)c->unstable,
           c->whole ? "" : ", and the bounds of most are above 1/16 of the largest");
}

static const char *missingReference(const Run *run) {
  return stitchModelNumSymbols(run->model) ? "the model has open sizes; give it compiled for these as --reference"
                                           : "the model was compiled with --no-reference";
}

/// With JSON on standard output, that is all there is.
static bool writesJsonAlone(const RunOptions *o) { return o->jsonFile && strcmp(o->jsonFile, "-") == 0; }

bool printRun(const RunOptions *o, const Run *run) {
  bool passes = o->incomplete || !o->check || comparesAll(run), quiet = writesJsonAlone(o);
  if (!quiet)
    printTimes(o, run);
  if (o->check && !run->comparisons && !quiet)
    printf("outputs are not compared as a whole: %s\n",
           o->fromReference ? "expected values replaced the results of launches" : missingReference(run));
  for (int64_t i = 0; run->comparisons && i < run->numOutputs; ++i) {
    passes = passes && comparisonPasses(&run->comparisons[i]);
    if (!quiet)
      printComparison(run, i);
  }
  if (!run->checker)
    return passes;
  if (!quiet)
    checkerPrint(run->checker, stdout);
  return passes && checkerPasses(run->checker);
}

StitchStatus printCoverage(const RunOptions *o, Run *run) {
  FILE *out = writesJsonAlone(o) ? NULL : stdout;
  StitchStatus status = checkerCoverage(run->checker, out, &run->coverage);
  if (!status && out)
    fprintf(out, "%lld of %lld sides taken\n", (long long)run->coverage.taken, (long long)run->coverage.all);
  return status;
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static cJSON *outputReport(const Run *run, int64_t index) {
  StitchOutputInfo info = run->outputInfos[index];
  const Comparison *c = &run->comparisons[index];
  cJSON *report = cJSON_CreateObject();
  cJSON_AddStringToObject(report, "name", info.name);
  cJSON_AddStringToObject(report, "dtype", stitchDataTypeName(info.dtype));
  cJSON *dims = cJSON_AddArrayToObject(report, "dims");
  for (int32_t i = 0; i < info.rank; ++i)
    cJSON_AddItemToArray(dims, cJSON_CreateNumber((double)info.dims[i]));
  cJSON_AddNumberToObject(report, "max_absolute", c->maxAbsolute);
  cJSON_AddNumberToObject(report, "max_relative", c->maxRelative);
  cJSON_AddNumberToObject(report, "max_ulp", (double)c->maxUlp);
  cJSON_AddNumberToObject(report, "bound", c->bound);
  cJSON_AddNumberToObject(report, "condition", c->condition);
  cJSON_AddNumberToObject(report, "longest_reduction", (double)info.longestReduction);
  cJSON_AddNumberToObject(report, "depth", (double)info.depth);
  cJSON_AddBoolToObject(report, "whole", c->whole);
  cJSON_AddNumberToObject(report, "loose", (double)c->loose);
  cJSON_AddNumberToObject(report, "unstable", (double)c->unstable);
  cJSON_AddNumberToObject(report, "not_finite", (double)c->notFinite);
  cJSON_AddNumberToObject(report, "undefined", (double)c->undefined);
  cJSON_AddNumberToObject(report, "elements", (double)c->elements);
  cJSON_AddNumberToObject(report, "mismatches", (double)c->mismatches);
  cJSON_AddBoolToObject(report, "ok", comparisonPasses(c));
  return report;
}

static cJSON *launchesReport(const RunOptions *o, const Run *run) {
  const Checker *c = run->checker;
  cJSON *report = cJSON_CreateObject();
  cJSON_AddNumberToObject(report, "launches", (double)c->launches);
  cJSON_AddNumberToObject(report, "checked", (double)c->checked);
  cJSON_AddNumberToObject(report, "wrong", (double)c->wrong);
  if (o->coverage) {
    cJSON_AddNumberToObject(report, "sides", (double)run->coverage.all);
    cJSON_AddNumberToObject(report, "sides_taken", (double)run->coverage.taken);
  }
  cJSON_AddNumberToObject(report, "seconds", c->seconds);
  cJSON *kernels = cJSON_AddArrayToObject(report, "kernels");
  for (int64_t i = 0; i < c->numKernels; ++i) {
    const CheckedKernel *k = &c->kernels[i];
    cJSON *kernel = cJSON_CreateObject();
    cJSON_AddStringToObject(kernel, "name", k->name);
    cJSON_AddNumberToObject(kernel, "launches", (double)k->launches);
    cJSON_AddNumberToObject(kernel, "checked", (double)k->checked);
    cJSON_AddNumberToObject(kernel, "wrong", (double)k->wrong);
    cJSON_AddNumberToObject(kernel, "elements", (double)k->elements);
    cJSON_AddNumberToObject(kernel, "uncertain", (double)k->uncertain);
    cJSON_AddNumberToObject(kernel, "undefined", (double)k->undefined);
    cJSON_AddNumberToObject(kernel, "of_bound", k->largestError);
    cJSON_AddNumberToObject(kernel, "changed_ulp", fmin(k->changedUlp, 1e18));
    if (k->problem)
      cJSON_AddStringToObject(kernel, "problem", k->problem);
    cJSON_AddItemToArray(kernels, kernel);
  }
  return report;
}

static void fillReport(cJSON *report, const RunOptions *o, const Run *run) {
  cJSON_AddStringToObject(report, "model", o->model);
  cJSON_AddStringToObject(report, "device", o->device);
  cJSON_AddStringToObject(report, "planned_for", stitchModelDevice(run->model));
  cJSON_AddNumberToObject(report, "seed", (double)o->seed);
  cJSON_AddNumberToObject(report, "thread_order", (double)o->threadOrder);
  cJSON_AddItemToObject(report, "seconds", cJSON_CreateDoubleArray(run->seconds, o->repeat));
  if (run->hostSeconds)
    cJSON_AddItemToObject(report, "host_seconds", cJSON_CreateDoubleArray(run->hostSeconds, o->repeat));
  cJSON_AddStringToObject(report, "ran_on", run->sessionDevice);
  cJSON_AddStringToObject(report, "ran_as", run->sessionDetails);
  if (run->checker)
    cJSON_AddItemToObject(report, "launches", launchesReport(o, run));
  if (!o->check)
    return;
  bool passes = (!run->checker || checkerPasses(run->checker)) && (o->incomplete || comparesAll(run));
  cJSON *outputs = run->comparisons ? cJSON_AddArrayToObject(report, "outputs") : NULL;
  for (int64_t i = 0; outputs && i < run->numOutputs; ++i) {
    cJSON_AddItemToArray(outputs, outputReport(run, i));
    passes = passes && comparisonPasses(&run->comparisons[i]);
  }
  cJSON_AddBoolToObject(report, "ok", passes);
}

StitchStatus writeRunReport(const RunOptions *o, const Run *run) {
  cJSON *report = cJSON_CreateObject(); // cJSON's functions accept NULL and do nothing then
  fillReport(report, o, run);
  char *text = cJSON_Print(report);
  StitchStatus status = text ? toolWriteFile(o->jsonFile, text, strlen(text)) : stitchStatusOutOfMemory();
  if (!status && strcmp(o->jsonFile, "-") == 0)
    putchar('\n');
  cJSON_free(text);
  cJSON_Delete(report);
  return status;
}

//===----------------------------------------------------------------------===//
// The profile
//===----------------------------------------------------------------------===//

/// A complete event ("X") of Chrome's trace format; times in microseconds.
static cJSON *traceEvent(const StitchProfileStep *step) {
  cJSON *event = cJSON_CreateObject();
  cJSON_AddStringToObject(event, "name", step->name);
  const char *category = step->isCommunication ? "communication" : step->isLibraryCall ? "library" : "kernel";
  cJSON_AddStringToObject(event, "cat", category);
  cJSON_AddStringToObject(event, "ph", "X");
  cJSON_AddNumberToObject(event, "ts", step->startSeconds * 1e6);
  cJSON_AddNumberToObject(event, "dur", step->seconds * 1e6);
  cJSON_AddNumberToObject(event, "pid", 0);
  cJSON_AddNumberToObject(event, "tid", 0);
  if (step->isLibraryCall)
    return event;
  cJSON *arguments = cJSON_AddObjectToObject(event, "args");
  cJSON_AddNumberToObject(arguments, "grid", (double)step->grid);
  cJSON_AddNumberToObject(arguments, "block", (double)step->block);
  cJSON_AddNumberToObject(arguments, "shared_bytes", (double)step->sharedBytes);
  return event;
}

StitchStatus writeProfile(const RunOptions *o, const Run *run) {
  cJSON *trace = cJSON_CreateObject();
  cJSON *events = cJSON_AddArrayToObject(trace, "traceEvents");
  double communication = 0;
  for (int64_t i = 0; i < run->numSteps; ++i) {
    cJSON_AddItemToArray(events, traceEvent(&run->steps[i]));
    communication += run->steps[i].isCommunication ? run->steps[i].seconds : 0;
  }
  cJSON_AddStringToObject(trace, "displayTimeUnit", "ns");
  cJSON *other = cJSON_AddObjectToObject(trace, "otherData");
  cJSON_AddStringToObject(other, "model", o->model);
  cJSON_AddStringToObject(other, "device", run->sessionDevice);
  cJSON_AddNumberToObject(other, "communication_us", communication * 1e6);
  char *text = cJSON_Print(trace);
  StitchStatus status = text ? toolWriteFile(o->profileFile, text, strlen(text)) : stitchStatusOutOfMemory();
  cJSON_free(text);
  cJSON_Delete(trace);
  return status;
}
