//===- comparison.c - results of a launch against their bounds ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an output in memory and the expected tensor with error bounds. Leaves counts of right, wrong and unknown
// elements in the kernel's record, with the first wrong one, and adopts the actual bits for later operations.
//
//===----------------------------------------------------------------------===//

#include "tools/check/comparison.h"

#include "runtime/tensor.h"
#include "tools/support/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

CheckOptions checkerOptions(const Checker *c) {
  return (CheckOptions){
      .symbolHighs = c->symbolHighs, .symbolValues = c->symbolValues, .operandRoundoff = c->options.operandRoundoff};
}

size_t checkerBytes(StitchElementType type, const CheckShape *shape) {
  return stitchElementBytes(type) * (size_t)checkShapeElements(shape);
}

/// Elements of an output as the launch has left them, and as they must be.
typedef struct {
  const OutputComparison *output;
  const CheckTensor *got, *expected;
  CheckedPart *part;
  WrongElement *wrong; ///< of this output; NULL: none so far, or too many in the run
  int64_t numWrong;
} ElementComparison;

static bool isSame(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }
static bool isNear(double a, double b, double error) { return isSame(a, b) || fabs(a - b) <= error; }

static bool isWithin(const CheckTensor *got, const CheckTensor *expected, int64_t i, double error) {
  if (checkClassOf(got->type) == CHECK_INTEGER) {
    if (got->integer[i] == expected->integer[i])
      return true;
    return error != 0.0 && fabs((double)got->integer[i] - (double)expected->integer[i]) <= error;
  }
  if (checkClassOf(got->type) == CHECK_REAL)
    return isNear(got->real[i], expected->real[i], error);
  double complex a = got->number[i], b = expected->number[i];
  if (isfinite(creal(b)) && isfinite(cimag(b)))
    return cabs(a - b) <= error;
  return isNear(creal(a), creal(b), error) && isNear(cimag(a), cimag(b), error);
}

bool checkIsFinite(const CheckTensor *tensor) {
  for (int64_t i = 0; i < tensor->count && checkClassOf(tensor->type) == CHECK_REAL; ++i)
    if (!isfinite(tensor->real[i]))
      return false;
  for (int64_t i = 0; i < tensor->count && checkClassOf(tensor->type) == CHECK_COMPLEX; ++i)
    if (!isfinite(creal(tensor->number[i])) || !isfinite(cimag(tensor->number[i])))
      return false;
  return true;
}

static bool isUndefined(const CheckTensor *tensor, int64_t i) {
  if (checkClassOf(tensor->type) == CHECK_REAL)
    return isnan(tensor->real[i]);
  return checkClassOf(tensor->type) == CHECK_COMPLEX &&
         (isnan(creal(tensor->number[i])) || isnan(cimag(tensor->number[i])));
}

static double complexPartOf(const CheckTensor *tensor, int64_t i, bool imaginary) {
  switch (checkClassOf(tensor->type)) {
  case CHECK_INTEGER:
    return checkIsUnsigned(tensor->type) ? (double)(uint64_t)tensor->integer[i] : (double)tensor->integer[i];
  case CHECK_REAL:
    return tensor->real[i];
  default:
    return imaginary ? cimag(tensor->number[i]) : creal(tensor->number[i]);
  }
}

const CheckOp *checkDefiningOp(const CheckGraph *graph, int64_t value) {
  for (int64_t i = 0; i < graph->numOps; ++i)
    if (value >= graph->ops[i].firstResult && value < graph->ops[i].firstResult + graph->ops[i].numResults)
      return &graph->ops[i];
  return NULL;
}

/// Notes the first wrong element of an output.
static void noteWrong(ElementComparison *m, int64_t i, double error) {
  Checker *c = m->output->checker;
  if (m->numWrong++ > 0 || c->numWrong == CHECKER_MAX_WRONG)
    return;
  bool imaginary =
      checkClassOf(m->got->type) == CHECK_COMPLEX && isSame(creal(m->got->number[i]), creal(m->expected->number[i]));
  m->wrong = &c->wrongElements[c->numWrong++];
  *m->wrong = (WrongElement){.kernel = m->output->kernel,
                             .launch = c->launches,
                             .site = m->output->step->site,
                             .iteration = m->output->iteration,
                             .output = m->output->output,
                             .op = m->output->op,
                             .index = i,
                             .shape = m->got->shape,
                             .got = complexPartOf(m->got, i, imaginary),
                             .expected = complexPartOf(m->expected, i, imaginary),
                             .bound = error};
}

/// The record of the output, or of a value in scratch memory; NULL without memory.
static CheckedPart *partOfKernel(const OutputComparison *output) {
  CheckedKernel *kernel = output->kernel;
  for (int64_t i = 0; i < kernel->numParts; ++i)
    if (kernel->parts[i].op == output->op && kernel->parts[i].output == output->output)
      return &kernel->parts[i];
  CheckedPart *parts = realloc(kernel->parts, ((size_t)kernel->numParts + 1) * sizeof(*parts));
  if (!parts)
    return NULL;
  kernel->parts = parts;
  parts[kernel->numParts] = (CheckedPart){.op = output->op, .output = output->output};
  return &parts[kernel->numParts++];
}

/// Whether it is right, or nothing is known of it.
static bool compareElement(ElementComparison *m, int64_t i) {
  double error = checkErrorAt(m->expected, i);
  ++m->output->kernel->elements;
  ++m->part->elements;
  if (!isfinite(error)) {
    ++m->output->kernel->uncertain;
    ++m->part->uncertain;
    m->part->unbounded += m->output->isFinite;
    return true;
  }
  if (!isWithin(m->got, m->expected, i, error)) {
    noteWrong(m, i, error);
    return false;
  }
  m->output->kernel->undefined += isUndefined(m->expected, i);
  m->part->undefined += isUndefined(m->expected, i);
  double distance = fabs(complexPartOf(m->got, i, false) - complexPartOf(m->expected, i, false));
  if (error > 0.0 && isfinite(distance))
    m->output->kernel->largestError = fmax(m->output->kernel->largestError, distance / error);
  return true;
}

static void adoptElement(CheckTensor *to, const CheckTensor *got, int64_t i) {
  checkCopyElement(to, i, got, i); // the earlier facts about it are dropped
  if (to->error)
    to->error[i] = 0.0;
}

static void endComparison(ElementComparison *m) {
  if (m->wrong)
    m->wrong->wrongElements = m->numWrong;
  m->output->kernel->wrong += m->numWrong > 0;
}

/// The distance of two buffers of a type.
static double distanceInUlp(StitchElementType type, const void *a, const void *b, int64_t count) {
  StitchDataType dtype = stitchDataTypeOf(type);
  size_t bytes = stitchElementBytes(type);
  double largest = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    if (memcmp((const char *)a + (size_t)i * bytes, (const char *)b + (size_t)i * bytes, bytes) == 0)
      continue;
    if (!toolIsFloat(dtype))
      return INFINITY;
    double complex x = toolLoadComplex(dtype, a, i), y = toolLoadComplex(dtype, b, i);
    bool finite = isfinite(creal(x)) && isfinite(cimag(x)) && isfinite(creal(y)) && isfinite(cimag(y));
    bool same = isSame(creal(x), creal(y)) && isSame(cimag(x), cimag(y));
    if (!finite && !same)
      return INFINITY;
    if (finite)
      largest = fmax(largest, (double)toolUlpDistance(dtype, a, b, i));
  }
  return largest;
}

/// Writes a launch's results, or compares them with those of another run.
static StitchStatus keepOutput(ElementComparison *m, StitchElementType type, const void *data, int64_t count) {
  Checker *c = m->output->checker;
  size_t bytes = stitchElementBytes(type) * (size_t)count;
  if (m->output->isPast)
    return NULL;
  if (c->options.save && fwrite(data, 1, bytes, c->options.save) != bytes)
    return stitchStatusMake(STITCH_IO_ERROR, "cannot write the results of launches");
  if (!c->options.saved)
    return NULL;
  void *before = malloc(bytes + 16);
  if (!before)
    return stitchStatusOutOfMemory();
  bool complete = fread(before, 1, bytes, c->options.saved) == bytes;
  double distance = complete ? distanceInUlp(type, data, before, count) : INFINITY;
  m->output->kernel->changedUlp = fmax(m->output->kernel->changedUlp, distance);
  free(before);
  return NULL;
}

static StitchStatus replaceOutput(const ElementComparison *m, void *memory, void *data, size_t bytes) {
  if (!m->output->checker->options.replace || m->output->isPast || bytes == 0)
    return NULL;
  checkTensorStore(m->expected, data);
  return m->output->step->store(m->output->step, memory, data, bytes);
}

StitchStatus checkOutput(const OutputComparison *output, void *memory, const CheckTensor *expected,
                         CheckTensor *adopt) {
  ElementComparison comparison = {.output = output, .expected = expected, .part = partOfKernel(output)},
                    *m = &comparison;
  size_t bytes = checkerBytes(expected->type, &expected->shape);
  void *data = m->part ? malloc(bytes + 16) : NULL;
  if (!data)
    return stitchStatusOutOfMemory();
  StitchStatus status = NULL;
  if (output->isCopy)
    memcpy(data, memory, bytes);
  else if (bytes)
    status = output->step->fetch(output->step, data, memory, bytes);
  CheckTensor *got = status ? NULL : checkTensorLoad(expected->type, &expected->shape, data);
  if (!status && !got)
    status = stitchStatusOutOfMemory();
  if (!status) {
    m->got = got;
    status = keepOutput(m, expected->type, data, got->count);
  }
  if (!status)
    status = replaceOutput(m, memory, data, bytes);
  for (int64_t i = 0; got && i < got->count; ++i)
    if ((compareElement(m, i) || output->isPast || !output->checker->options.replace) && adopt)
      adoptElement(adopt, got, i);
  endComparison(m);
  checkTensorFree(got);
  free(data);
  return status;
}

//===----------------------------------------------------------------------===//
// Slices of buffers
//===----------------------------------------------------------------------===//

/// Where element `index` of a slice is in its buffer. The starts are moved inside.
static int64_t placeInBuffer(const CheckSlice *slice, CheckTensor *const *results, const CheckShape *buffer,
                             const CheckShape *shape, const int64_t *index) {
  int64_t strides[CHECK_MAX_RANK], place = 0;
  checkShapeStrides(buffer, strides);
  for (int64_t d = 0; d < buffer->rank; ++d) {
    const CheckTensor *start = slice->starts[d] < 0 ? NULL : results[slice->starts[d]];
    int64_t first = start ? start->integer[0] : slice->constants[d], last = buffer->dims[d] - shape->dims[d];
    bool beyond = start && checkIsUnsigned(start->type) ? (uint64_t)first > (uint64_t)last : first > last;
    first = beyond ? last : first < 0 ? 0 : first;
    place += (first + index[d]) * strides[d];
  }
  return place;
}

bool checkUpdateBuffer(const CheckSlice *slice, CheckTensor *const *results, CheckTensor *expected) {
  const CheckTensor *result = results[slice->result];
  CheckShape shape = {.rank = expected->shape.rank};
  if (!checkTensorAddErrors(expected))
    return false;
  for (int64_t d = 0; d < shape.rank; ++d)
    shape.dims[d] = slice->sizes[d];
  CheckOdometer o = checkOdometer(&shape);
  for (int64_t i = 0; i < result->count; ++i, checkAdvance(&o))
    checkCopyElement(expected, placeInBuffer(slice, results, &expected->shape, &shape, o.index), result, i);
  return true;
}
