//===- stitch_streams.c - stitch-streams ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.5.3 to 4.5.5. Takes a planned graph. Writes the super-epoch and the epoch on each step of @main that can
// overlap with others: a kernel, a library call or versions of some. Where the epoch has several steps, it also writes
// the adaptive variable that decides on the step's stream (docs/ir.md, section 2).
//
// A super-epoch is a few milliseconds of steps, by the cost model, without a loop or branch between them. All streams
// are joined at its end, so super-epochs are explored in parallel. The steps of an epoch depend on earlier epochs
// alone, and stand together; the time of an epoch depends on the state of those before it. So the epochs of a
// super-epoch are explored together, by all their combinations (exhaustive), where these are few, and one after the
// other (prefix) where not. In the latter an epoch's streams are not judged by the epochs behind it. In an epoch it
// matters how many of equivalent steps are on each stream, not which. A stream's variable is measured around all that
// an epoch runs: the wirer finds the best versions of that first.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/query.h"
#include "ir/plan/plan.h"
#include "passes/stitch_streams/streams.h"
#include "stitch.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_STREAMS, OPTION_SUPER_EPOCH, OPTION_EXHAUSTIVE };
enum { STATISTIC_VARIABLES, STATISTIC_VERSIONS };

typedef struct {
  MlirContext context;
  StitchDevice device;
  int64_t numStreams;
  double limit;       ///< nanoseconds of a super-epoch
  int64_t exhaustive; ///< combinations of the epochs of a super-epoch that are all explored
  int64_t numSuperEpochs, numVariables, numVersions;
  MlirAttribute *trees; ///< of super-epochs
  intptr_t numTrees, treeCapacity;
  MlirAttribute *forks; ///< variables that others depend on: an epoch's computation depends on them, too
  intptr_t numForks, forkCapacity;
} Streams;

/// The variables of a super-epoch, behind the mode.
typedef struct {
  MlirAttribute *parts;
  intptr_t count, capacity;
  int64_t combinations; ///< of their versions; more than can be explored: INT64_MAX
} Tree;

static void addSubtree(Tree *tree, MlirAttribute part) {
  IR_RESERVE_ONE(tree->parts, tree->count, tree->capacity);
  tree->parts[tree->count++] = part;
}

static void addFork(Streams *s, MlirAttribute name) {
  for (intptr_t i = 0; i < s->numForks; ++i)
    if (mlirAttributeEqual(s->forks[i], name))
      return;
  IR_RESERVE_ONE(s->forks, s->numForks, s->forkCapacity);
  s->forks[s->numForks++] = name;
}

/// Adds the contexts of all variables in an update tree.
static void collectForks(Streams *s, MlirAttribute tree) {
  bool isInner = mlirAttributeIsAArray(tree), isLeaf = mlirAttributeIsADictionary(tree);
  MlirAttribute context = isLeaf ? irEntry(tree, "context") : mlirAttributeGetNull();
  for (intptr_t i = 1; isInner && i < mlirArrayAttrGetNumElements(tree); ++i)
    collectForks(s, mlirArrayAttrGetElement(tree, i));
  for (intptr_t i = 0; !mlirAttributeIsNull(context) && i < mlirArrayAttrGetNumElements(context); ++i)
    addFork(s, mlirArrayAttrGetElement(context, i));
}

/// The leaf of a variable in the update tree.
static MlirAttribute leafOf(const Streams *s, MlirAttribute name) {
  MlirNamedAttribute entries[2] = {irNamed(s->context, "context", mlirArrayAttrGet(s->context, s->numForks, s->forks)),
                                   irNamed(s->context, "variable", name)};
  return s->numForks ? mlirDictionaryAttrGet(s->context, 2, entries) : name;
}

static MlirAttribute versionNames(MlirContext context, const Assignments *a) {
  MlirAttribute names[STREAM_MAX_VERSIONS];
  for (int64_t v = 0; v < a->numVersions; ++v)
    names[v] = irStringAttr(context, a->names[v]);
  return mlirArrayAttrGet(context, a->numVersions, names);
}

/// The streams of one step in all versions.
static MlirAttribute streamsOf(MlirContext context, const Assignments *a, int64_t step) {
  int64_t on[STREAM_MAX_VERSIONS];
  for (int64_t v = 0; v < a->numVersions; ++v)
    on[v] = a->on[v * a->numSteps + step];
  return mlirDenseI64ArrayGet(context, a->numVersions, on);
}

/// Writes the attributes of an epoch's steps.
static void writeEpoch(Streams *s, StreamNode *const *steps, int64_t count, Tree *tree) {
  int64_t *classes = irAllocate(sizeof(*classes) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i)
    classes[i] = steps[i]->class;
  Assignments a = assignmentsOf(classes, count, s->numStreams);
  free(classes);
  MlirAttribute name = {NULL}, versions = {NULL};
  if (a.numVersions > 1) {
    char text[32];
    snprintf(text, sizeof(text), "streams_%lld", (long long)s->numVariables++);
    name = irStringAttr(s->context, text);
    versions = versionNames(s->context, &a);
    s->numVersions += a.numVersions;
    tree->combinations = tree->combinations > s->exhaustive ? INT64_MAX : tree->combinations * a.numVersions;
    addSubtree(tree, leafOf(s, name));
    stitchRemark(steps[0]->op, "%lld steps on %lld streams: %lld versions", (long long)count, (long long)s->numStreams,
                 (long long)a.numVersions);
  }
  for (int64_t i = 0; i < count; ++i) {
    MlirNamedAttribute entries[5] = {
        irNamed(s->context, "super_epoch", irI64Attr(s->context, s->numSuperEpochs)),
        irNamed(s->context, "epoch", irI64Attr(s->context, steps[i]->epoch)),
    };
    if (a.numVersions > 1) {
      entries[2] = irNamed(s->context, "variable", name);
      entries[3] = irNamed(s->context, "versions", versions);
      entries[4] = irNamed(s->context, "on", streamsOf(s->context, &a, i));
    }
    irSetAttr(steps[i]->op, "stitch.streams", mlirDictionaryAttrGet(s->context, a.numVersions > 1 ? 5 : 2, entries));
  }
  assignmentsDestroy(&a);
}

static void moveBefore(MlirOperation op, MlirOperation before) {
  MlirBlock block = mlirOperationGetBlock(before);
  mlirOperationRemoveFromParent(op);
  mlirBlockInsertOwnedOperationBefore(block, before, op);
}

/// Ends a super-epoch at `end`, the operation behind it.
static void closeSuperEpoch(Streams *s, SuperEpoch *epoch, MlirOperation end) {
  Tree tree = {.combinations = 1};
  addSubtree(&tree, mlirAttributeGetNull()); // the mode
  superEpochPartition(epoch);
  StreamNode **steps = irAllocate(sizeof(StreamNode *) * (size_t)(epoch->count + 1));
  for (intptr_t begin = 0, next; begin < epoch->count; begin = next) {
    int64_t count = 0;
    for (next = begin; next < epoch->count && epoch->nodes[next].epoch == epoch->nodes[begin].epoch; ++next) {
      moveBefore(epoch->nodes[next].op, end);
      if (epoch->nodes[next].isStep)
        steps[count++] = &epoch->nodes[next];
    }
    if (count)
      writeEpoch(s, steps, count, &tree);
  }
  free(steps);
  if (tree.count > 1) {
    bool isExhaustive = tree.count > 2 && tree.combinations <= s->exhaustive;
    tree.parts[0] = irStringAttr(s->context, isExhaustive ? "exhaustive" : "prefix");
    IR_RESERVE_ONE(s->trees, s->numTrees, s->treeCapacity);
    s->trees[s->numTrees++] = mlirArrayAttrGet(s->context, tree.count, tree.parts);
  }
  ++s->numSuperEpochs;
  free(tree.parts);
  free(epoch->nodes);
  *epoch = (SuperEpoch){0};
}

/// All super-epochs at the same time, in parallel with the earlier variables.
static void writeTree(const Streams *s, MlirOperation main) {
  MlirAttribute known = irGetAttr(main, "stitch.update");
  MlirAttribute *parts = irAllocate(sizeof(*parts) * (size_t)(s->numTrees + 2));
  intptr_t count = 0;
  parts[count++] = irStringAttr(s->context, "parallel");
  if (!mlirAttributeIsNull(known))
    parts[count++] = known;
  for (intptr_t i = 0; i < s->numTrees; ++i)
    parts[count++] = s->trees[i];
  irSetAttr(main, "stitch.update", mlirArrayAttrGet(s->context, count, parts));
  free(parts);
}

static void runStreams(StitchPassRun pass, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  Streams s = {.context = mlirOperationGetContext(module),
               .numStreams = stitchPassGetInt(pass, OPTION_STREAMS),
               .limit = 1e3 * (double)stitchPassGetInt(pass, OPTION_SUPER_EPOCH),
               .exhaustive = stitchPassGetInt(pass, OPTION_EXHAUSTIVE)};
  if (mlirOperationIsNull(main) || mlirBlockIsNull(irBody(main, 0)) || s.numStreams == 1)
    return;
  if (!planGetDevice(module, &s.device)) {
    stitchEmitOpError(module, "has no device for which streams could be planned: set stitch.device");
    stitchPassSignalFailure(pass);
    return;
  }
  MlirAttribute known = irGetAttr(main, "stitch.update");
  if (!mlirAttributeIsNull(known))
    collectForks(&s, known);
  SuperEpoch epoch = {0};
  IR_FOR_EACH_OP_REPLACING(op, irBody(main, 0)) {
    bool isEnd = mlirOperationEqual(op, mlirBlockGetTerminator(irBody(main, 0))) ||
                 (tgIsControlFlow(op) && !irOpIs(op, "stitch.adaptive"));
    if (epoch.count && (isEnd || epoch.cost > s.limit))
      closeSuperEpoch(&s, &epoch, op);
    if (!isEnd)
      superEpochAdd(&epoch, op, &s.device);
  }
  if (s.numTrees)
    writeTree(&s, main);
  stitchRemark(main, "%lld super-epochs on %lld streams: %lld adaptive variables of %lld versions together",
               (long long)s.numSuperEpochs, (long long)s.numStreams, (long long)s.numVariables,
               (long long)s.numVersions);
  stitchPassAddStatistic(pass, STATISTIC_VARIABLES, s.numVariables);
  stitchPassAddStatistic(pass, STATISTIC_VERSIONS, s.numVersions);
  free(s.trees);
  free(s.forks);
}

static const StitchPassOption options[] = {
    {"streams", "that steps may be on, 1 to 8; 1: nothing is done", STITCH_OPTION_INT, 2, NULL},
    {"super-epoch", "microseconds, by the cost model, after which all streams are joined", STITCH_OPTION_INT, 3000,
     NULL},
    {"exhaustive",
     "combinations of a super-epoch's epochs that are all explored; of more, one epoch is explored after the other",
     STITCH_OPTION_INT, 16, NULL},
};

static const StitchValidValues valid[] = {{"streams", "1..8"}, {"super-epoch", "0.."}, {"exhaustive", "0..4096"}};

static const StitchPassStatistic statistics[] = {
    {"variables", "epochs whose steps can be on several streams"},
    {"versions", "of all of them"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchStreamsPass = {
    .argument = "stitch-streams",
    .description = "On which streams kernels and library calls can run becomes adaptive variables (Astra 4.5.3)",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|stitch.library_call|tg",
    .after = "stitch-outline",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runStreams,
};
