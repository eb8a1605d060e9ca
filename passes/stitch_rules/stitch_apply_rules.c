//===- stitch_apply_rules.c - stitch-apply-rules -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes graphs as stitch-outline and stitch-remote leave them, whatever way they chose fusions, and the module's rules
// (ir/plan/rules.h); leaves fusions that obey them. Operations that belong together are merged first, with all
// operations between. Where whole fusions cannot be merged, the operations that the rule names are taken out of them
// before. Then each fusion with operations that a rule keeps apart is split: an operation comes into the first part
// behind its operands that no rule forbids. The pass stitch-check-rules finds rules that cannot be obeyed here. Without
// rules nothing happens.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/query.h"
#include "ir/mlir/union_find.h"
#include "ir/plan/rules.h"
#include "passes/common/fusions.h"
#include "passes/stitch_rules/regroup.h"
#include "passes/stitch_rules/rule_ops.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { STATISTIC_MERGED, STATISTIC_SPLIT };

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

static bool isOf(const Rule *rule, MlirOperation op) { return !ruleIsFree(op) && ruleMatchesAny(rule, op); }

static bool hasOpOf(const Rule *rule, MlirOperation fusion) {
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    if (isOf(rule, op))
      return true;
  return false;
}

/// The fusions of a block with operations of a rule, which the caller frees.
static MlirOperation *fusionsOf(MlirBlock block, const Rule *rule, int64_t *count) {
  MlirOperation *fusions = NULL;
  int64_t capacity = 0;
  *count = 0;
  IR_FOR_EACH_OP(op, block)
    if (isMergeable(op) && hasOpOf(rule, op)) {
      IR_RESERVE_ONE(fusions, *count, capacity);
      fusions[(*count)++] = op;
    }
  return fusions;
}

/// Dependences among the operations of a body on those that belong together.
typedef struct {
  int64_t *parts; ///< 0: operations that these wait for, 1: of the rule or between, 2: all others
  bool *isBehind, *isBefore;
  int64_t at;
} Isolation;

static void waitFor(int64_t producer, MlirValue value, void *data) {
  (void)value;
  Isolation *s = data;
  s->isBehind[s->at] = s->isBehind[s->at] || s->isBehind[producer];
}

static void markBefore(int64_t producer, MlirValue value, void *data) {
  (void)value;
  ((Isolation *)data)->isBefore[producer] = true;
}

/// Takes the operations of a rule, and those between them, out of a fusion.
static void isolate(StitchPassRun run, MlirOperation fusion, const Rule *rule) {
  Body body = bodyOf(fusion);
  Isolation s = {IR_NEW_ARRAY(&body.arena, int64_t, body.count + 1), IR_NEW_ARRAY(&body.arena, bool, body.count + 1),
                 IR_NEW_ARRAY(&body.arena, bool, body.count + 1), 0};
  for (s.at = 0; s.at < body.count; ++s.at) {
    s.isBehind[s.at] = !body.isCloned[s.at] && isOf(rule, body.ops[s.at]);
    if (!body.isCloned[s.at])
      bodyForEachProducer(&body, body.ops[s.at], waitFor, &s);
  }
  for (int64_t i = body.count; i-- > 0;) {
    s.isBefore[i] = s.isBefore[i] || (!body.isCloned[i] && isOf(rule, body.ops[i]));
    if (s.isBefore[i])
      bodyForEachProducer(&body, body.ops[i], markBefore, &s);
  }
  bool isMixed = false;
  for (int64_t i = 0; i < body.count; ++i) {
    s.parts[i] = !s.isBefore[i] ? 2 : s.isBehind[i] ? 1 : 0;
    isMixed = isMixed || (!body.isCloned[i] && s.parts[i] != 1);
  }
  if (isMixed) {
    stitchPassAddStatistic(run, STATISTIC_SPLIT, 1);
    splitFusion(&body, s.parts, 3);
  }
  bodyDestroy(&body);
}

static void explainMerge(MlirBlock block, const Rule *rule) {
  IrArena arena = {0};
  int64_t count;
  MlirOperation *fusions = fusionsOf(block, rule, &count);
  if (count > 0)
    stitchRemark(fusions[0], "one fusion: %s", ruleText(&arena, rule));
  free(fusions);
  irArenaDestroy(&arena);
}

static void putTogether(StitchPassRun run, MlirBlock block, const Rule *rule) {
  MlirOperation between;
  int64_t count;
  MlirOperation *fusions = fusionsOf(block, rule, &count);
  bool isDone = count < 2 || mergeFusions(block, fusions, count, &between);
  int64_t merged = isDone ? count : 0;
  for (int64_t i = 0; !isDone && i < count; ++i)
    isolate(run, fusions[i], rule);
  free(fusions);
  if (!isDone) {
    fusions = fusionsOf(block, rule, &count);
    merged = mergeFusions(block, fusions, count, &between) ? count : 0;
    free(fusions);
  }
  if (merged < 2)
    return;
  stitchPassAddStatistic(run, STATISTIC_MERGED, merged - 1);
  explainMerge(block, rule);
}

//===----------------------------------------------------------------------===//
// Apart
//===----------------------------------------------------------------------===//

/// The operations of a body while they are dealt out to parts. Those that belong together are a node, by the number of
/// the first of them.
typedef struct {
  const Rules *rules;
  Body body;
  int64_t *nodes;   ///< union-find
  bool *isSubject;  ///< some rule keeps it apart from others
  int64_t *parts;   ///< of nodes
  int64_t at, part; ///< of the current node: the first part that it can have
  bool isHeld;      ///< a producer of the current operation is in this, or a later, part
} Splitting;

static bool findSubjects(Splitting *s) {
  bool any = false;
  for (int64_t i = 0; i < s->body.count; ++i) {
    s->isSubject[i] = !s->body.isCloned[i] && rulesSeparate(s->rules, s->body.ops[i]);
    any = any || s->isSubject[i];
  }
  return any;
}

/// Reachability for operations that belong together: any operation between two of them belongs to them.
static void uniteBetween(Splitting *s, const Rule *rule) {
  Isolation between = {NULL, IR_NEW_ARRAY(&s->body.arena, bool, s->body.count + 1),
                       IR_NEW_ARRAY(&s->body.arena, bool, s->body.count + 1), 0};
  int64_t first = -1;
  for (between.at = 0; between.at < s->body.count; ++between.at)
    if (!s->body.isCloned[between.at]) {
      between.isBehind[between.at] = isOf(rule, s->body.ops[between.at]);
      bodyForEachProducer(&s->body, s->body.ops[between.at], waitFor, &between);
    }
  for (int64_t i = s->body.count; i-- > 0;) {
    between.isBefore[i] = between.isBefore[i] || (!s->body.isCloned[i] && isOf(rule, s->body.ops[i]));
    if (between.isBefore[i])
      bodyForEachProducer(&s->body, s->body.ops[i], markBefore, &between);
  }
  for (int64_t i = 0; i < s->body.count; ++i)
    if (between.isBehind[i] && between.isBefore[i]) {
      first = first < 0 ? i : first;
      unionFindUnite(s->nodes, first, i);
    }
}

/// Whether rules keep two operations apart that do not read each other.
static bool isAgainst(const Splitting *s, int64_t a, int64_t b) {
  return (s->isSubject[a] || s->isSubject[b]) && ruleAgainst(s->rules, s->body.ops[a], s->body.ops[b], false);
}

/// Whether an operation of a part has something against one of a node.
static bool partRefuses(const Splitting *s, int64_t part, int64_t node) {
  for (int64_t i = 0; i < s->body.count; ++i) {
    if (s->body.isCloned[i] || unionFindRoot(s->nodes, i) != node)
      continue;
    for (int64_t k = 0; k < s->body.count; ++k) {
      int64_t other = unionFindRoot(s->nodes, k);
      if (!s->body.isCloned[k] && other != node && s->parts[other] == part && isAgainst(s, i, k))
        return true;
    }
  }
  return false;
}

static void raisePart(int64_t producer, MlirValue value, void *data) {
  (void)value;
  Splitting *s = data;
  int64_t node = unionFindRoot(s->nodes, producer);
  if (node == unionFindRoot(s->nodes, s->at))
    return;
  bool isApart = ruleAgainst(s->rules, s->body.ops[producer], s->body.ops[s->at], /*isRead=*/true) != NULL;
  s->isHeld = s->isHeld || s->parts[node] < 0;
  s->part = max64(s->part, s->parts[node] + isApart);
}

/// The first part that a node can be in by its operands; false if one of these has no part yet.
static bool findPart(Splitting *s, int64_t node) {
  s->part = 0;
  s->isHeld = false;
  for (s->at = 0; s->at < s->body.count; ++s->at)
    if (!s->body.isCloned[s->at] && unionFindRoot(s->nodes, s->at) == node)
      bodyForEachProducer(&s->body, s->body.ops[s->at], raisePart, s);
  return !s->isHeld;
}

/// Deals all nodes out. Returns the number of parts, or 0 where operations that belong together wait for themselves.
static int64_t dealOut(Splitting *s) {
  int64_t numParts = 0, left = 0;
  for (int64_t i = 0; i < s->body.count; ++i) {
    s->parts[i] = -1;
    left += !s->body.isCloned[i] && unionFindRoot(s->nodes, i) == i;
  }
  for (bool goesOn = true; goesOn && left > 0;) {
    goesOn = false;
    for (int64_t i = 0; i < s->body.count; ++i) {
      if (s->body.isCloned[i] || unionFindRoot(s->nodes, i) != i || s->parts[i] >= 0 || !findPart(s, i))
        continue;
      int64_t part = s->part;
      while (part < numParts && partRefuses(s, part, i))
        ++part;
      s->parts[i] = part;
      numParts = max64(numParts, part + 1);
      --left;
      goesOn = true;
    }
  }
  return left == 0 ? numParts : 0;
}

static int64_t bytesOfResults(MlirOperation op) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    bytes += irTensorBytes(mlirValueGetType(irResult(op, i)));
  return bytes;
}

/// The first readers of the operations of a body, and the bytes that the current one reads of others.
typedef struct {
  Splitting *s;
  int64_t *latest; ///< the part that the readers of an operation let it be in
  int64_t at, bytes;
  bool isRead; ///< by the end of the body
} SinkingBody;

static void countBytes(int64_t producer, MlirValue value, void *data) {
  (void)producer;
  ((SinkingBody *)data)->bytes += irTensorBytes(mlirValueGetType(value));
}

static void noteReader(int64_t producer, MlirValue value, void *data) {
  (void)value;
  SinkingBody *k = data;
  Splitting *s = k->s;
  bool isApart = ruleAgainst(s->rules, s->body.ops[producer], s->body.ops[k->at], /*isRead=*/true) != NULL;
  k->latest[producer] = min64(k->latest[producer], s->parts[unionFindRoot(s->nodes, k->at)] - isApart);
}

static void noteEnd(int64_t producer, MlirValue value, void *data) {
  (void)value;
  ((SinkingBody *)data)->latest[producer] = -1;
}

static bool isGrouped(const Splitting *s, int64_t i) {
  bool is = unionFindRoot(s->nodes, i) != i;
  for (int64_t other = i + 1; other < s->body.count && !is; ++other)
    is = unionFindRoot(s->nodes, other) == i;
  return is;
}

/// An operation that only later parts read goes into the first of these, if less crosses from part to part then.
static void sink(Splitting *s, MlirOperation yield) {
  SinkingBody k = {.s = s, .latest = IR_NEW_ARRAY(&s->body.arena, int64_t, s->body.count + 1)};
  for (int64_t i = 0; i < s->body.count; ++i)
    k.latest[i] = INT64_MAX;
  bodyForEachProducer(&s->body, yield, noteEnd, &k);
  for (k.at = s->body.count - 1; k.at >= 0; --k.at) {
    int64_t i = k.at, part = k.latest[i];
    MlirOperation op = s->body.ops[i];
    if (s->body.isCloned[i])
      continue;
    k.bytes = 0;
    bodyForEachProducer(&s->body, op, countBytes, &k);
    bool canSink = !s->isSubject[i] && part != INT64_MAX && part > s->parts[unionFindRoot(s->nodes, i)] &&
                   k.bytes <= bytesOfResults(op) && !isGrouped(s, i);
    if (canSink && !partRefuses(s, part, i))
      s->parts[i] = part;
    bodyForEachProducer(&s->body, op, noteReader, &k);
  }
}

static void splitAsRulesSay(StitchPassRun run, const Rules *rules, MlirOperation fusion) {
  Splitting s = {.rules = rules, .body = bodyOf(fusion)};
  s.isSubject = IR_NEW_ARRAY(&s.body.arena, bool, s.body.count + 1);
  if (!findSubjects(&s)) {
    bodyDestroy(&s.body);
    return;
  }
  s.nodes = unionFindCreate(&s.body.arena, s.body.count);
  s.parts = IR_NEW_ARRAY(&s.body.arena, int64_t, s.body.count + 1);
  for (int64_t r = 0; r < rules->count; ++r)
    if (rules->data[r].kind == RULE_TOGETHER)
      uniteBetween(&s, &rules->data[r]);
  int64_t numParts = dealOut(&s);
  if (numParts > 1) {
    sink(&s, mlirBlockGetTerminator(irBody(fusion, 0)));
    for (int64_t i = 0; i < s.body.count; ++i)
      s.parts[i] = s.parts[unionFindRoot(s.nodes, i)];
    stitchRemark(fusion, "%lld fusions instead of one: rules keep operations apart", (long long)numParts);
    stitchPassAddStatistic(run, STATISTIC_SPLIT, 1);
    splitFusion(&s.body, s.parts, numParts);
  }
  bodyDestroy(&s.body);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool applyToGraph(StitchPassRun run, MlirBlock block) {
  Rules rules = rulesOf(mlirBlockGetParentOperation(block));
  for (int64_t i = 0; i < rules.count; ++i)
    if (rules.data[i].kind == RULE_TOGETHER)
      putTogether(run, block, &rules.data[i]);
  if (rules.count > 0) {
    IR_FOR_EACH_OP_REPLACING(op, block) {
      if (isMergeable(op))
        splitAsRulesSay(run, &rules, op);
    }
  }
  rulesDestroy(&rules);
  return true;
}

static void runApplyRules(StitchPassRun run, MlirOperation module) { planGraphs(run, module, applyToGraph); }

static const StitchPassStatistic statistics[] = {
    {"merged", "fusions that are part of another one now"},
    {"split", "fusions that are several now"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchApplyRulesPass = {
    .argument = "stitch-apply-rules",
    .description = "Merge and split fusions as rules and hints say",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|tg",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runApplyRules,
};
