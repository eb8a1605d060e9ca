//===- components.c - stitch-outline: levels and components --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes classified operations. Leaves components of stitched operations, each of which can be a fusion without a cycle:
// operations of one level that are connected by values or by inputs. Components with later users only sink to their
// level (stitch_outline.c).
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/union_find.h"
#include "passes/stitch_outline/outline.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const Outline *outline;
  int64_t level;
  bool userIsStitched;
} LevelQuery;

static void raiseLevel(MlirValue value, void *data) {
  LevelQuery *query = data;
  int64_t leaf = leafOf(query->outline, value);
  if (leaf < 0)
    return;
  const OutlineNode *node = &query->outline->nodes[leaf];
  bool next = node->kind == NODE_STITCHED && (!query->userIsStitched || node->endsFusion);
  int64_t level = node->level + next;
  if (level > query->level)
    query->level = level;
}

bool nodeKeepsOrder(const OutlineNode *node) {
  TgKind kind = tgKindOf(node->op);
  return node->kind == NODE_OUTSIDE && tgClassOfKind(kind) != TG_CLASS_COMPUTE &&
         tgClassOfKind(kind) != TG_CLASS_KERNEL && !irOpIs(node->op, "stitch.library_call") &&
         !irOpIs(node->op, "stitch.fusion") && kind != TG_constant;
}

static void computeLevels(Outline *outline) {
  int64_t orderedLevel = 0; // host operations keep their order
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    OutlineNode *node = &outline->nodes[i];
    if (node->kind == NODE_FREE)
      continue;
    LevelQuery query = {outline, nodeKeepsOrder(node) ? orderedLevel : 0, node->kind == NODE_STITCHED};
    irForEachOperand(node->op, raiseLevel, &query);
    node->level = query.level;
    if (nodeKeepsOrder(node))
      orderedLevel = node->level;
  }
}

static int64_t representative(Outline *outline, int64_t number) { return unionFindRoot(outline->components, number); }

static void uniteEqualLevels(Outline *outline) {
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    if (outline->nodes[i].kind != NODE_STITCHED)
      continue;
    MlirOperation op = outline->nodes[i].op;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(op); ++j) {
      int64_t leaf = leafOf(outline, irOperand(op, j));
      if (isStitched(outline, leaf) && !outline->nodes[leaf].endsFusion &&
          outline->nodes[leaf].level == outline->nodes[i].level)
        unionFindUnite(outline->components, leaf, i);
    }
  }
}

Members listMembers(Outline *outline) {
  int64_t count = outline->numNodes;
  Members members = {IR_NEW_ARRAY(&outline->arena, int64_t, count), IR_NEW_ARRAY(&outline->arena, int64_t, count),
                     IR_NEW_ARRAY(&outline->arena, int64_t, count)};
  memset(members.first, -1, sizeof(int64_t) * (size_t)count);
  for (int64_t i = 0; i < count; ++i) {
    members.next[i] = -1;
    if (outline->nodes[i].kind != NODE_STITCHED)
      continue;
    int64_t component = representative(outline, i);
    if (members.first[component] < 0)
      members.first[component] = i;
    else
      members.next[members.last[component]] = i;
    members.last[component] = i;
  }
  return members;
}

/// Who reads each stitched node, free operations looked through.
typedef struct {
  const Outline *outline;
  int64_t *head; ///< node -> first entry of its list of users
  int64_t *next;
  int64_t *user;
  int64_t count;
  int64_t capacity;
  int64_t current;
} Users;

static void recordUse(MlirValue value, void *data) {
  Users *users = data;
  int64_t leaf = leafOf(users->outline, value);
  if (!isStitched(users->outline, leaf))
    return;
  if (users->count == users->capacity) {
    users->capacity = users->capacity ? 2 * users->capacity : 256;
    users->next = irReallocate(users->next, sizeof(int64_t) * (size_t)users->capacity);
    users->user = irReallocate(users->user, sizeof(int64_t) * (size_t)users->capacity);
  }
  users->user[users->count] = users->current;
  users->next[users->count] = users->head[leaf];
  users->head[leaf] = users->count++;
}

static Users listUsers(const Outline *outline) {
  Users users = {.outline = outline, .head = irAllocate(sizeof(int64_t) * (size_t)outline->numNodes)};
  memset(users.head, -1, sizeof(int64_t) * (size_t)outline->numNodes);
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    users.current = i;
    if (outline->nodes[i].kind != NODE_FREE)
      irForEachOperand(outline->nodes[i].op, recordUse, &users);
  }
  return users;
}

static void destroyUsers(Users *users) {
  free(users->head);
  free(users->next);
  free(users->user);
}

/// Calls `visit` with each user of a component and the latest level at which the user lets the component be. `joins`
/// tells whether the component could then become part of the user's.
typedef void (*ComponentUseVisitor)(Outline *outline, int64_t user, int64_t level, bool joins, void *data);

static void forEachComponentUse(Outline *outline, const Members *members, const Users *users, int64_t component,
                                ComponentUseVisitor visit, void *data) {
  for (int64_t i = members->first[component]; i >= 0; i = members->next[i])
    for (int64_t use = users->head[i]; use >= 0; use = users->next[use]) {
      int64_t user = users->user[use];
      if (outline->nodes[user].kind == NODE_OUTSIDE) {
        visit(outline, user, outline->nodes[user].level - 1, false, data);
        continue;
      }
      int64_t of = representative(outline, user);
      if (of != representative(outline, component))
        visit(outline, user, outline->nodes[of].level - outline->nodes[i].endsFusion, !outline->nodes[i].endsFusion,
              data);
    }
}

typedef struct {
  int64_t level;
  bool joins;
} LatestLevel;

static void findLatestLevel(Outline *outline, int64_t user, int64_t level, bool joins, void *data) {
  (void)outline;
  (void)user;
  LatestLevel *latest = data;
  if (level < latest->level)
    *latest = (LatestLevel){level, joins};
  else if (level == latest->level)
    latest->joins |= joins;
}

typedef struct {
  int64_t component;
  int64_t level;
} SinkingComponent;

static void joinUser(Outline *outline, int64_t user, int64_t level, bool joins, void *data) {
  SinkingComponent *sinking = data;
  if (!joins || level != sinking->level)
    return;
  unionFindUnite(outline->components, sinking->component, user);
  outline->nodes[representative(outline, user)].level = level;
}

typedef struct {
  int64_t level;
  int64_t number;
} LevelOrder;

static int compareFallingLevel(const void *a, const void *b) {
  const LevelOrder *x = a, *y = b;
  if (x->level != y->level)
    return x->level > y->level ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int64_t *componentsByFallingLevel(Outline *outline, const Members *members, int64_t *count) {
  LevelOrder *order = IR_NEW_ARRAY(&outline->arena, LevelOrder, outline->numNodes);
  *count = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (members->first[i] >= 0)
      order[(*count)++] = (LevelOrder){outline->nodes[i].level, i};
  qsort(order, (size_t)*count, sizeof(*order), compareFallingLevel);
  int64_t *numbers = IR_NEW_ARRAY(&outline->arena, int64_t, *count);
  for (int64_t i = 0; i < *count; ++i)
    numbers[i] = order[i].number;
  return numbers;
}

/// A component that only later levels use joins all its users of the first of these levels. Users go first, so that a
/// chain sinks as a whole.
static void sinkComponents(Outline *outline) {
  Members members = listMembers(outline);
  Users users = listUsers(outline);
  int64_t count;
  int64_t *order = componentsByFallingLevel(outline, &members, &count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t component = order[i], level = outline->nodes[component].level;
    LatestLevel latest = {INT64_MAX, false};
    forEachComponentUse(outline, &members, &users, component, findLatestLevel, &latest);
    if (!latest.joins || latest.level <= level)
      continue;
    if (!outline->proposing)
      stitchRemark(outline->nodes[component].op, "sinks from level %lld to level %lld, to its first users",
                   (long long)level, (long long)latest.level);
    stitchPassAddStatistic(outline->run, STATISTIC_SUNK, !outline->proposing);
    SinkingComponent sinking = {component, latest.level};
    forEachComponentUse(outline, &members, &users, component, joinUser, &sinking);
  }
  destroyUsers(&users);
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (outline->nodes[i].kind == NODE_STITCHED)
      outline->nodes[i].level = outline->nodes[representative(outline, i)].level;
}

void formComponents(Outline *outline) {
  outline->components = unionFindCreate(&outline->arena, outline->numNodes);
  computeLevels(outline);
  uniteEqualLevels(outline);
  sinkComponents(outline);
}
