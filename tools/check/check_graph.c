//===- check_graph.c - the graph of a launch in a model file --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the bytes of a StitchModelGraph (docs/ir.md, section 6). Leaves operations, types, slices and loop-carried
// values, or an error for bytes that are damaged.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_graph.h"

#include <stdlib.h>
#include <string.h>

static const char *const kindNames[] = {
#define TG_OP(name, class, cost, error) #name,
#include "ir/graph/tg.def"
#undef TG_OP
};

const char *checkKindName(CheckKind kind) { return kindNames[kind]; }

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The unread part of the bytes. After an error everything that is read is 0.
typedef struct {
  const int64_t *next, *end;
  const char *const *texts;
  int64_t numTexts;
  const char *problem; ///< NULL: none so far
} GraphReader;

static void failReader(GraphReader *r, const char *problem) {
  r->problem = r->problem ? r->problem : problem;
  r->next = r->end;
}

static int64_t word(GraphReader *r) {
  if (r->next < r->end)
    return *r->next++;
  failReader(r, "it ends too early");
  return 0;
}

/// A number of things that are at least a word each.
static int64_t countOf(GraphReader *r) {
  int64_t count = word(r);
  if (count < 0 || count > r->end - r->next)
    failReader(r, "it counts more than there is");
  return r->problem ? 0 : count;
}

static const int64_t *readWords(GraphReader *r, int64_t count) {
  const int64_t *words = r->next;
  if (count > r->end - r->next)
    failReader(r, "it counts more than there is");
  else
    r->next += count;
  return words;
}

/// The text with that number; NULL: there is none, which is allowed for -1.
static const char *optionalText(GraphReader *r) {
  int64_t number = word(r);
  if (number >= 0 && number < r->numTexts)
    return r->texts[number];
  if (number != -1)
    failReader(r, "it names a text that is not there");
  return NULL;
}

static const char *text(GraphReader *r) {
  int64_t number = word(r);
  if (number >= 0 && number < r->numTexts)
    return r->texts[number];
  failReader(r, "it names a text that is not there");
  return "";
}

static void *allocate(GraphReader *r, int64_t count, size_t size) {
  void *memory = calloc((size_t)count + 1, size);
  if (!memory)
    failReader(r, "out of memory");
  return memory;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static CheckType readType(GraphReader *r) {
  CheckType type = {.type = (StitchElementType)word(r), .symbol = word(r)};
  type.shape.rank = countOf(r);
  if (stitchElementBytes(type.type) == 0 || type.shape.rank > CHECK_MAX_RANK) {
    failReader(r, "a value has a type that is none");
    return (CheckType){0};
  }
  const int64_t *dims = readWords(r, type.shape.rank);
  for (int64_t d = 0; !r->problem && d < type.shape.rank; ++d)
    type.shape.dims[d] = dims[d];
  return type;
}

static CheckKind readKind(GraphReader *r) {
  const char *name = text(r);
  for (int i = 0; i < CHECK_NUM_KINDS; ++i)
    if (strcmp(name, kindNames[i]) == 0)
      return (CheckKind)i;
  failReader(r, "it has an operation that is none");
  return CHECK_abs;
}

/// Numbers of values below `limit`.
static const int64_t *readValues(GraphReader *r, int64_t count, int64_t limit) {
  const int64_t *values = readWords(r, count);
  for (int64_t i = 0; !r->problem && i < count; ++i)
    if (values[i] < 0 || values[i] >= limit)
      failReader(r, "it reads a value before it is there");
  return values;
}

static void readGraph(GraphReader *r, CheckGraph *graph);

static CheckOp readOp(GraphReader *r, int64_t numKnown, int64_t numValues) {
  CheckOp op = {.kind = readKind(r), .firstResult = numKnown};
  op.place.file = optionalText(r);
  op.place.line = word(r);
  op.place.column = word(r);
  op.place.name = optionalText(r);
  op.numOperands = countOf(r);
  op.operands = readValues(r, op.numOperands, numKnown);
  op.numResults = word(r);
  if (op.numResults < 0 || op.numResults > numValues - numKnown)
    failReader(r, "an operation has more results than there are values");
  op.numAttributes = countOf(r);
  op.attributes = allocate(r, op.numAttributes, sizeof(*op.attributes));
  for (int64_t i = 0; !r->problem && i < op.numAttributes; ++i) {
    op.attributes[i].name = text(r);
    op.attributes[i].count = countOf(r);
    op.attributes[i].values = readWords(r, op.attributes[i].count);
  }
  op.numRegions = countOf(r);
  op.regions = allocate(r, op.numRegions, sizeof(*op.regions));
  op.sides = allocate(r, CHECK_MAX_SIDES, sizeof(*op.sides));
  op.lost = allocate(r, 1, sizeof(*op.lost));
  for (int64_t i = 0; !r->problem && i < op.numRegions; ++i)
    readGraph(r, &op.regions[i]);
  return op;
}

static void readGraph(GraphReader *r, CheckGraph *graph) {
  graph->numValues = countOf(r);
  graph->types = allocate(r, graph->numValues, sizeof(*graph->types));
  for (int64_t i = 0; !r->problem && i < graph->numValues; ++i)
    graph->types[i] = readType(r);
  graph->numArguments = word(r);
  if (graph->numArguments < 0 || graph->numArguments > graph->numValues)
    failReader(r, "it has more arguments than values");
  int64_t numOps = countOf(r), numKnown = graph->numArguments;
  graph->ops = allocate(r, numOps, sizeof(*graph->ops));
  for (; !r->problem && graph->numOps < numOps; ++graph->numOps) {
    graph->ops[graph->numOps] = readOp(r, numKnown, graph->numValues);
    numKnown += graph->ops[graph->numOps].numResults;
  }
  graph->numResults = countOf(r);
  graph->results = readValues(r, graph->numResults, numKnown);
}

static void destroyGraph(CheckGraph *graph) {
  for (int64_t i = 0; graph->ops && i < graph->numOps; ++i) {
    CheckOp *op = &graph->ops[i];
    for (int64_t j = 0; op->regions && j < op->numRegions; ++j)
      destroyGraph(&op->regions[j]);
    free(op->regions);
    free(op->attributes);
    free(op->sides);
    free(op->lost);
  }
  free(graph->ops);
  free(graph->types);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void readSlice(GraphReader *r, const CheckLaunch *launch, CheckSlice *slice) {
  slice->result = word(r);
  slice->argument = word(r);
  slice->buffer = readType(r);
  slice->sizes = readWords(r, slice->buffer.shape.rank);
  slice->starts = readWords(r, slice->buffer.shape.rank);
  slice->constants = readWords(r, slice->buffer.shape.rank);
  bool inRange = slice->result >= 0 && slice->result < launch->numOutputs;
  for (int64_t d = 0; !r->problem && d < slice->buffer.shape.rank; ++d)
    inRange &= slice->starts[d] >= -1 && slice->starts[d] < launch->graph.numResults;
  if (!inRange)
    failReader(r, "a slice is of a result that is not there");
}

/// Whether a result of the graph has as many elements as an argument, and of the same type.
static bool canCarry(const CheckGraph *graph, int64_t argument, int64_t result) {
  const CheckType *a = &graph->types[argument], *b = &graph->types[graph->results[result]];
  return a->type == b->type && checkShapeElements(&a->shape) == checkShapeElements(&b->shape);
}

static void readLoop(GraphReader *r, CheckLaunch *launch) {
  launch->iterations = word(r);
  launch->waits = word(r);
  launch->numCarried = countOf(r);
  launch->carried = allocate(r, launch->numCarried, sizeof(*launch->carried));
  for (int64_t i = 0; !r->problem && i < launch->numCarried; ++i) {
    int64_t argument = word(r), result = word(r), other = word(r);
    launch->carried[i] = (CheckCarried){argument, result, other};
    bool areThere =
        argument >= -1 && argument < launch->graph.numArguments && result >= 0 && result < launch->numOutputs;
    if (!areThere || (argument >= 0 && !canCarry(&launch->graph, argument, result)))
      failReader(r, "something goes round that is not there, or becomes something else");
  }
  if (launch->iterations < 2 || launch->waits < 1)
    failReader(r, "its loop does not run twice, or never waits");
}

/// The words of a graph, to be freed; NULL: out of memory. The last ones are 0 if its end is missing.
static int64_t *decode(const StitchModelGraph *graph, int64_t *count) {
  int64_t *words = malloc(sizeof(*words) * (size_t)(graph->bytes + 1));
  *count = 0;
  for (int64_t i = 0; words && i < graph->bytes;) {
    uint64_t word = 0;
    for (int shift = 0; shift < 70 && i < graph->bytes; shift += 7) {
      uint8_t byte = graph->data[i++];
      word |= shift < 64 ? (uint64_t)(byte & 0x7F) << shift : 0;
      if (byte < 0x80)
        break;
    }
    words[(*count)++] = (int64_t)(word >> 1 ^ -(word & 1));
  }
  return words;
}

StitchStatus checkLaunchRead(const StitchModelGraph *graph, const char *const *texts, int64_t numTexts,
                             CheckLaunch *launch) {
  int64_t count;
  *launch = (CheckLaunch){.words = decode(graph, &count)};
  if (!launch->words)
    return stitchStatusOutOfMemory();
  GraphReader r = {.next = launch->words, .end = launch->words + count, .texts = texts, .numTexts = numTexts};
  readGraph(&r, &launch->graph);
  launch->inputs = readWords(&r, launch->graph.numArguments);
  launch->numOutputs = countOf(&r);
  launch->outputs = readWords(&r, launch->numOutputs);
  if (launch->numOutputs > launch->graph.numResults)
    failReader(&r, "it has more outputs than results");
  launch->numSlices = countOf(&r);
  launch->slices = allocate(&r, launch->numSlices, sizeof(*launch->slices));
  for (int64_t i = 0; !r.problem && i < launch->numSlices; ++i)
    readSlice(&r, launch, &launch->slices[i]);
  int64_t what = word(&r);
  launch->isLibraryCall = what == 1;
  launch->softmaxTiles = what > 1 ? what - 1 : 0;
  launch->iterations = 1;
  if (!r.problem && r.next != r.end)
    readLoop(&r, launch);
  if (!r.problem && r.next != r.end)
    failReader(&r, "something follows it");
  if (!r.problem)
    return NULL;
  checkLaunchDestroy(launch);
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model file has the graph of a launch that cannot be read: %s",
                          r.problem);
}

void checkLaunchDestroy(CheckLaunch *launch) {
  destroyGraph(&launch->graph);
  free(launch->slices);
  free(launch->carried);
  free(launch->words);
  *launch = (CheckLaunch){0};
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const CheckAttribute *checkFindAttribute(const CheckOp *op, const char *name) {
  for (int64_t i = 0; i < op->numAttributes; ++i)
    if (strcmp(op->attributes[i].name, name) == 0)
      return &op->attributes[i];
  return NULL;
}

int64_t checkInteger(const CheckOp *op, const char *name, int64_t missing) {
  const CheckAttribute *attribute = checkFindAttribute(op, name);
  return attribute && attribute->count == 1 ? attribute->values[0] : missing;
}

CheckAttribute checkList(const CheckOp *op, const char *name) {
  const CheckAttribute *attribute = checkFindAttribute(op, name);
  return attribute ? *attribute : (CheckAttribute){.name = name};
}
