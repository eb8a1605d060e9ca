//===- stitch_outline.c - stitch-outline ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.1, stitching scope identification. Takes functions of tg operations (after tg-simplify); leaves
// stitch.fusion, stitch.library_call, constants, views (tg.reshape) and the operations that neither can hold.
//
// Fusions must never form a cycle through what stays outside. Instead of searching for paths, every operation gets a
// level: the number of outside operations on the longest path to it. A stitched operation never has a smaller level
// than its operands, and what comes back from an outside operation has a larger level than all that went into it; so
// the connected components of equal level are free of cycles, and finding them is linear in the size of the graph. A
// component whose results are first needed at a later level then sinks to that level, into its users' component.
//
// Operations that cost nothing where they are read (constants, iota, broadcast, reshape, slices of values in memory)
// belong to no component: each component that reads one gets a clone, so that what crosses the border of a kernel is
// never an expanded or copied tensor.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/arena.h"
#include "ir/build.h"
#include "ir/map.h"
#include "ir/query.h"
#include "ir/tg.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
  NODE_STITCHED, ///< goes into a fusion
  NODE_FREE,     ///< is cloned into each fusion that reads it
  NODE_OUTSIDE   ///< stays outside: library calls, host operations, the terminator
} NodeKind;

typedef struct {
  MlirOperation op;
  NodeKind kind;
  bool usedOutside; ///< by an outside operation, directly or through views
  bool endsFusion;  ///< scope=xla: its users start another fusion
  int64_t level;
  int64_t leaf;      ///< FREE: the node that its chain of operands starts at, or -1 (constant, function argument)
  int64_t component; ///< STITCHED: union-find parent, at the end the representative
} Node;

typedef struct {
  StitchPassRun run;
  MlirBlock block;
  IrArena arena;
  IrMap numbers; ///< operation -> node
  Node *nodes;
  int64_t numNodes;
  int64_t maxOps;
  int64_t maxOperands;
  bool xlaScope;
} Outline;

enum { OPTION_SCOPE, OPTION_MAX_OPS, OPTION_MAX_OPERANDS };
enum { STATISTIC_FUSIONS, STATISTIC_STITCHED, STATISTIC_LIBRARY_CALLS, STATISTIC_SUNK };

static int64_t nodeOfValue(const Outline *outline, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  return mlirOperationIsNull(op) ? -1 : irMapGet(&outline->numbers, op.ptr, -1);
}

//===----------------------------------------------------------------------===//
// Operands, including the values that an operation's regions capture
//===----------------------------------------------------------------------===//

typedef void (*OperandVisitor)(Outline *outline, MlirValue value, void *data);

typedef struct {
  Outline *outline;
  OperandVisitor visit;
  void *data;
  MlirOperation top;
} OperandWalk;

static MlirWalkResult visitNestedOperands(MlirOperation op, void *data) {
  OperandWalk *walk = data;
  if (!mlirOperationEqual(op, walk->top))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (nodeOfValue(walk->outline, irOperand(op, i)) >= 0)
        walk->visit(walk->outline, irOperand(op, i), walk->data);
  return MlirWalkResultAdvance;
}

static void forEachOperand(Outline *outline, MlirOperation op, OperandVisitor visit, void *data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    visit(outline, irOperand(op, i), data);
  if (mlirOperationGetNumRegions(op) == 0)
    return;
  OperandWalk walk = {outline, visit, data, op};
  mlirOperationWalk(op, visitNestedOperands, &walk, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// What each operation is
//===----------------------------------------------------------------------===//

static bool isSplatConstant(MlirOperation op) {
  MlirAttribute value = irGetAttr(op, "value");
  return mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value);
}

/// The node that a value comes from when free operations are looked through, or -1 if it is in memory before all.
static int64_t leafOf(const Outline *outline, MlirValue value) {
  int64_t number = nodeOfValue(outline, value);
  return number >= 0 && outline->nodes[number].kind == NODE_FREE ? outline->nodes[number].leaf : number;
}

static bool isStitched(const Outline *outline, int64_t number) {
  return number >= 0 && outline->nodes[number].kind == NODE_STITCHED;
}

static NodeKind classify(const Outline *outline, MlirOperation op) {
  TgKind kind = tgKindOf(op);
  switch (kind) {
  case TG_constant:
    return isSplatConstant(op) ? NODE_FREE : NODE_OUTSIDE;
  case TG_iota:
  case TG_broadcast:
  case TG_reshape:
    return NODE_FREE;
  case TG_slice:
    return isStitched(outline, leafOf(outline, irOperand(op, 0))) ? NODE_STITCHED : NODE_FREE;
  default:
    return tgIsMemoryIntensive(op) ? NODE_STITCHED : NODE_OUTSIDE;
  }
}

static void markUsedOutside(Outline *outline, MlirValue value, void *data) {
  (void)data;
  int64_t number = nodeOfValue(outline, value);
  if (number >= 0)
    outline->nodes[number].usedOutside = true;
}

static bool isReplicatingBroadcast(MlirOperation op) {
  return tgKindOf(op) == TG_broadcast &&
         irNumElements(irShapeOf(irOperand(op, 0))) < irNumElements(irShapeOf(irResult(op, 0)));
}

/// XLA fuses neither a reduce nor an expensive operation followed by a broadcast into its users.
static bool endsFusionInXla(MlirOperation op) {
  if (tgClassOfKind(tgKindOf(op)) == TG_CLASS_REDUCE)
    return true;
  if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_ELEMENTWISE || tgCostOfKind(tgKindOf(op)) != TG_COST_EXPENSIVE)
    return false;
  IR_FOR_EACH_USE(use, irResult(op, 0))
  if (isReplicatingBroadcast(mlirOpOperandGetOwner(use)))
    return true;
  return false;
}

static void classifyAll(Outline *outline) {
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    Node *node = &outline->nodes[i];
    node->kind = classify(outline, node->op);
    node->leaf = node->kind == NODE_FREE && mlirOperationGetNumOperands(node->op) > 0
                     ? leafOf(outline, irOperand(node->op, 0))
                     : -1;
    node->endsFusion = node->kind == NODE_STITCHED && outline->xlaScope && endsFusionInXla(node->op);
  }
  // A reshape that is used outside stays there as a view; any other free operation must then be computed by a fusion.
  for (int64_t i = outline->numNodes; i-- > 0;) {
    Node *node = &outline->nodes[i];
    TgKind kind = tgKindOf(node->op);
    if (node->kind == NODE_FREE && node->usedOutside && kind != TG_reshape && kind != TG_constant)
      node->kind = NODE_STITCHED;
    if (node->kind == NODE_OUTSIDE || (node->kind == NODE_FREE && node->usedOutside))
      forEachOperand(outline, node->op, markUsedOutside, NULL);
  }
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (outline->nodes[i].kind == NODE_FREE && mlirOperationGetNumOperands(outline->nodes[i].op) > 0)
      outline->nodes[i].leaf = leafOf(outline, irOperand(outline->nodes[i].op, 0));
}

//===----------------------------------------------------------------------===//
// Levels and components
//===----------------------------------------------------------------------===//

typedef struct {
  int64_t level;
  bool userIsStitched;
} LevelQuery;

static void raiseLevel(Outline *outline, MlirValue value, void *data) {
  LevelQuery *query = data;
  int64_t leaf = leafOf(outline, value);
  if (leaf < 0)
    return;
  const Node *node = &outline->nodes[leaf];
  bool next = node->kind == NODE_STITCHED && (!query->userIsStitched || node->endsFusion);
  int64_t level = node->level + next;
  if (level > query->level)
    query->level = level;
}

static bool hasOrder(const Node *node) {
  return node->kind == NODE_OUTSIDE && tgClassOfKind(tgKindOf(node->op)) != TG_CLASS_COMPUTE &&
         tgKindOf(node->op) != TG_constant;
}

static void computeLevels(Outline *outline) {
  int64_t orderedLevel = 0; // host operations keep their order
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    Node *node = &outline->nodes[i];
    if (node->kind == NODE_FREE)
      continue;
    LevelQuery query = {hasOrder(node) ? orderedLevel : 0, node->kind == NODE_STITCHED};
    forEachOperand(outline, node->op, raiseLevel, &query);
    node->level = query.level;
    if (hasOrder(node))
      orderedLevel = node->level;
  }
}

static int64_t representative(Outline *outline, int64_t number) {
  while (outline->nodes[number].component != number) {
    int64_t parent = outline->nodes[number].component;
    outline->nodes[number].component = outline->nodes[parent].component;
    number = parent;
  }
  return number;
}

/// The first operation of a component represents it.
static void unite(Outline *outline, int64_t a, int64_t b) {
  a = representative(outline, a);
  b = representative(outline, b);
  if (a < b)
    outline->nodes[b].component = a;
  else
    outline->nodes[a].component = b;
}

static void formComponents(Outline *outline) {
  for (int64_t i = 0; i < outline->numNodes; ++i)
    outline->nodes[i].component = i;
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    if (outline->nodes[i].kind != NODE_STITCHED)
      continue;
    MlirOperation op = outline->nodes[i].op;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(op); ++j) {
      int64_t leaf = leafOf(outline, irOperand(op, j));
      if (isStitched(outline, leaf) && !outline->nodes[leaf].endsFusion &&
          outline->nodes[leaf].level == outline->nodes[i].level)
        unite(outline, leaf, i);
    }
  }
}

/// Members of each component as linked lists in program order, and the order of components by level.
typedef struct {
  int64_t *next;  ///< node -> next node of its component, or -1
  int64_t *first; ///< representative -> first node, or -1
  int64_t *last;
} Members;

static Members listMembers(Outline *outline) {
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

typedef struct {
  int64_t *head; ///< node -> first entry of its list of users
  int64_t *next;
  int64_t *user;
  int64_t count;
  int64_t capacity;
  int64_t current;
} Users;

static void recordUse(Outline *outline, MlirValue value, void *data) {
  Users *users = data;
  int64_t leaf = leafOf(outline, value);
  if (!isStitched(outline, leaf))
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

/// Who reads each stitched node, free operations looked through.
static Users listUsers(Outline *outline) {
  Users users = {.head = irAllocate(sizeof(int64_t) * (size_t)outline->numNodes)};
  memset(users.head, -1, sizeof(int64_t) * (size_t)outline->numNodes);
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    users.current = i;
    if (outline->nodes[i].kind != NODE_FREE)
      forEachOperand(outline, outline->nodes[i].op, recordUse, &users);
  }
  return users;
}

static void destroyUsers(Users *users) {
  free(users->head);
  free(users->next);
  free(users->user);
}

/// Calls `visit` with each user of a component and the latest level at which the user lets the component be; `joins`
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
} Sinking;

static void joinUser(Outline *outline, int64_t user, int64_t level, bool joins, void *data) {
  Sinking *sinking = data;
  if (!joins || level != sinking->level)
    return;
  unite(outline, sinking->component, user);
  outline->nodes[representative(outline, user)].level = level;
}

static int64_t *componentsByFallingLevel(Outline *outline, const Members *members, int64_t *count);

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
    stitchRemark(outline->nodes[component].op, "sinks from level %lld to level %lld, to its first users",
                 (long long)level, (long long)latest.level);
    stitchPassAddStatistic(outline->run, STATISTIC_SUNK, 1);
    Sinking sinking = {component, latest.level};
    forEachComponentUse(outline, &members, &users, component, joinUser, &sinking);
  }
  destroyUsers(&users);
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (outline->nodes[i].kind == NODE_STITCHED)
      outline->nodes[i].level = outline->nodes[representative(outline, i)].level;
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

//===----------------------------------------------------------------------===//
// Fusions in the making
//===----------------------------------------------------------------------===//

/// A fusion: nodes [first, first + count) of the list of stitched nodes sorted by component.
typedef struct {
  int64_t level;
  const int64_t *members;
  int64_t count;
} Fusion;

typedef struct {
  Fusion *data;
  int64_t count;
  int64_t capacity;
} Fusions;

/// Inputs of a fusion in the order in which its operations read them, free operations looked through.
typedef struct {
  IrMap numbers;
  MlirValue *values;
  int64_t count;
  int64_t capacity;
} ValueList;

static int64_t addValue(ValueList *list, MlirValue value) {
  int64_t number = irMapGet(&list->numbers, value.ptr, -1);
  if (number >= 0)
    return number;
  IR_RESERVE_ONE(list->values, list->count, list->capacity);
  list->values[list->count] = value;
  irMapSet(&list->numbers, value.ptr, list->count);
  return list->count++;
}

static void destroyValueList(ValueList *list) {
  irMapDestroy(&list->numbers);
  free(list->values);
}

/// The value in memory that a chain of free operations reads; null for a constant or iota.
static MlirValue baseOf(const Outline *outline, MlirValue value) {
  for (;;) {
    int64_t number = nodeOfValue(outline, value);
    if (number < 0 || outline->nodes[number].kind != NODE_FREE)
      return value;
    if (mlirOperationGetNumOperands(outline->nodes[number].op) == 0)
      return (MlirValue){NULL};
    value = irOperand(outline->nodes[number].op, 0);
  }
}

static int64_t numOperandsOf(const Outline *outline, const Fusion *fusion) {
  ValueList values = {0};
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(op); ++j) {
      MlirValue base = baseOf(outline, irOperand(op, j));
      int64_t number = mlirValueIsNull(base) ? -1 : nodeOfValue(outline, base);
      bool inside = number >= fusion->members[0] && number <= fusion->members[fusion->count - 1] &&
                    isStitched(outline, number) &&
                    outline->nodes[number].component == outline->nodes[fusion->members[0]].component;
      if (!mlirValueIsNull(base) && !inside)
        addValue(&values, base);
    }
  }
  int64_t count = values.count;
  destroyValueList(&values);
  return count;
}

/// Adds a component as one fusion, or halves it in program order until its parts are within the bounds. Program order
/// is topological, so the halves form no cycle.
static void addFusion(Outline *outline, Fusions *fusions, Fusion fusion) {
  if (fusion.count > 1 && (fusion.count > outline->maxOps || numOperandsOf(outline, &fusion) > outline->maxOperands)) {
    int64_t half = fusion.count / 2;
    addFusion(outline, fusions, (Fusion){fusion.level, fusion.members, half});
    addFusion(outline, fusions, (Fusion){fusion.level, fusion.members + half, fusion.count - half});
    return;
  }
  IR_RESERVE_ONE(fusions->data, fusions->count, fusions->capacity);
  fusions->data[fusions->count++] = fusion;
}

static Fusions listFusions(Outline *outline) {
  Members members = listMembers(outline);
  int64_t *list = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes);
  int64_t used = 0;
  Fusions fusions = {0};
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    if (outline->nodes[i].kind == NODE_STITCHED)
      outline->nodes[i].component = representative(outline, i);
  }
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    if (members.first[i] < 0)
      continue;
    int64_t start = used;
    for (int64_t j = members.first[i]; j >= 0; j = members.next[j])
      list[used++] = j;
    addFusion(outline, &fusions, (Fusion){outline->nodes[i].level, list + start, used - start});
  }
  // From here on a node's component is its fusion.
  for (int64_t i = 0; i < fusions.count; ++i)
    for (int64_t j = 0; j < fusions.data[i].count; ++j)
      outline->nodes[fusions.data[i].members[j]].component = i;
  return fusions;
}

//===----------------------------------------------------------------------===//
// Results: values that are used outside their fusion
//===----------------------------------------------------------------------===//

typedef struct {
  IrMap escaping; ///< values that must be yielded
  int64_t fusion; ///< of the user, or -1
} Escapes;

static void recordEscape(Outline *outline, MlirValue value, void *data) {
  Escapes *escapes = data;
  MlirValue base = baseOf(outline, value);
  if (mlirValueIsNull(base))
    return;
  int64_t number = nodeOfValue(outline, base);
  if (isStitched(outline, number) && outline->nodes[number].component != escapes->fusion)
    irMapSet(&escapes->escaping, base.ptr, 1);
}

static Escapes findEscapes(Outline *outline) {
  Escapes escapes = {0};
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    const Node *node = &outline->nodes[i];
    if (node->kind == NODE_FREE)
      continue;
    escapes.fusion = node->kind == NODE_STITCHED ? node->component : -1;
    forEachOperand(outline, node->op, recordEscape, &escapes);
  }
  return escapes;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// One fusion's body while it is filled.
typedef struct {
  Outline *outline;
  MlirBlock body;
  int64_t fusion;
  ValueList inputs;
  IrMap clones; ///< free operation -> its index in `cloned`
  MlirOperation *cloned;
  int64_t numCloned;
  int64_t capacity;
} Body;

static MlirValue insideValue(Body *body, MlirValue value);

static MlirValue insideClone(Body *body, int64_t number) {
  MlirOperation op = body->outline->nodes[number].op;
  int64_t known = irMapGet(&body->clones, op.ptr, -1);
  if (known >= 0)
    return irResult(body->cloned[known], 0);
  MlirOperation clone = mlirOperationClone(op);
  if (mlirOperationGetNumOperands(op) > 0)
    mlirOperationSetOperand(clone, 0, insideValue(body, irOperand(op, 0)));
  mlirBlockAppendOwnedOperation(body->body, clone);
  IR_RESERVE_ONE(body->cloned, body->numCloned, body->capacity);
  body->cloned[body->numCloned] = clone;
  irMapSet(&body->clones, op.ptr, body->numCloned++);
  return irResult(clone, 0);
}

/// What stands for an outside value within the body: itself, a clone, or a block argument.
static MlirValue insideValue(Body *body, MlirValue value) {
  int64_t number = nodeOfValue(body->outline, value);
  if (number >= 0 && body->outline->nodes[number].kind == NODE_FREE)
    return insideClone(body, number);
  if (isStitched(body->outline, number) && body->outline->nodes[number].component == body->fusion)
    return value;
  int64_t known = body->inputs.count;
  int64_t input = addValue(&body->inputs, value);
  if (input == known)
    mlirBlockAddArgument(body->body, mlirValueGetType(value),
                         mlirLocationUnknownGet(mlirTypeGetContext(mlirValueGetType(value))));
  return mlirBlockGetArgument(body->body, input);
}

static void moveInside(Body *body, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, insideValue(body, irOperand(op, i)));
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(body->body, op);
}

static void replaceUsesOutside(MlirBlock body, MlirValue value, MlirValue by) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  while (!mlirOpOperandIsNull(use)) {
    MlirOpOperand next = mlirOpOperandGetNextUse(use);
    MlirOperation owner = mlirOpOperandGetOwner(use);
    if (!mlirBlockEqual(mlirOperationGetBlock(owner), body))
      mlirOperationSetOperand(owner, mlirOpOperandGetOperandNumber(use), by);
    use = next;
  }
}

/// Closes a body with stitch.yield and puts it, as operation `name`, at the end of the block (before the terminator).
static MlirOperation closeBody(Body *body, const char *name, MlirLocation loc, const ValueList *results) {
  MlirBlock block = body->outline->block;
  IrBuilder inside = irBuilderAtEnd(body->body, loc);
  irOp(&inside, "stitch.yield", (IrValues){results->count, results->values}, IR_NO_TYPES, IR_NO_ATTRS);

  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), loc);
  mlirOperationStateAddOperands(&state, body->inputs.count, body->inputs.values);
  for (int64_t i = 0; i < results->count; ++i) {
    MlirType type = mlirValueGetType(results->values[i]);
    mlirOperationStateAddResults(&state, 1, &type);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body->body);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(block, mlirBlockGetTerminator(block), op);
  for (int64_t i = 0; i < results->count; ++i)
    replaceUsesOutside(body->body, results->values[i], irResult(op, i));

  destroyValueList(&body->inputs);
  irMapDestroy(&body->clones);
  free(body->cloned);
  return op;
}

static void emitFusion(Outline *outline, const Fusion *fusion, int64_t number, const Escapes *escapes) {
  Body body = {.outline = outline, .body = mlirBlockCreate(0, NULL, NULL), .fusion = number};
  ValueList results = {0};
  for (int64_t i = 0; i < fusion->count; ++i) {
    MlirOperation op = outline->nodes[fusion->members[i]].op;
    moveInside(&body, op);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      if (irMapContains(&escapes->escaping, irResult(op, j).ptr))
        addValue(&results, irResult(op, j));
  }
  int64_t numInputs = body.inputs.count;
  MlirOperation last = outline->nodes[fusion->members[fusion->count - 1]].op;
  MlirOperation op = closeBody(&body, "stitch.fusion", mlirOperationGetLocation(last), &results);
  stitchRemark(op, "fusion of %lld operations at level %lld: %lld inputs, %lld results", (long long)fusion->count,
               (long long)fusion->level, (long long)numInputs, (long long)results.count);
  stitchPassAddStatistic(outline->run, STATISTIC_FUSIONS, 1);
  stitchPassAddStatistic(outline->run, STATISTIC_STITCHED, fusion->count);
  destroyValueList(&results);
}

static void emitOutside(Outline *outline, const Node *node) {
  MlirOperation terminator = mlirBlockGetTerminator(outline->block);
  if (mlirOperationEqual(node->op, terminator))
    return;
  if (tgClassOfKind(tgKindOf(node->op)) != TG_CLASS_COMPUTE) {
    mlirOperationMoveBefore(node->op, terminator);
    return;
  }
  Body body = {.outline = outline, .body = mlirBlockCreate(0, NULL, NULL), .fusion = -1};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); ++i) {
    MlirValue operand = irOperand(node->op, i);
    int64_t known = body.inputs.count;
    int64_t input = addValue(&body.inputs, operand);
    if (input == known)
      mlirBlockAddArgument(body.body, mlirValueGetType(operand), mlirOperationGetLocation(node->op));
    mlirOperationSetOperand(node->op, i, mlirBlockGetArgument(body.body, input));
  }
  mlirOperationRemoveFromParent(node->op);
  mlirBlockAppendOwnedOperation(body.body, node->op);
  ValueList results = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(node->op); ++i)
    addValue(&results, irResult(node->op, i));
  closeBody(&body, "stitch.library_call", mlirOperationGetLocation(node->op), &results);
  stitchPassAddStatistic(outline->run, STATISTIC_LIBRARY_CALLS, 1);
  destroyValueList(&results);
}

/// Levels give the order of what is left: what is outside and its views, then the fusions of the level, then the views
/// of their results.
typedef enum { STAGE_OUTSIDE, STAGE_FUSION, STAGE_VIEW } Stage;

typedef struct {
  int64_t level;
  Stage stage;
  int64_t position;
  int64_t fusion; ///< or -1
} Emission;

static int compareEmissions(const void *a, const void *b) {
  const Emission *x = a, *y = b;
  if (x->level != y->level)
    return x->level < y->level ? -1 : 1;
  if (x->stage != y->stage)
    return x->stage < y->stage ? -1 : 1;
  return (x->position > y->position) - (x->position < y->position);
}

static Emission emissionOf(const Outline *outline, int64_t number) {
  const Node *node = &outline->nodes[number];
  if (node->kind == NODE_OUTSIDE || node->leaf < 0)
    return (Emission){node->level, STAGE_OUTSIDE, number, -1};
  const Node *leaf = &outline->nodes[node->leaf];
  return (Emission){leaf->level, leaf->kind == NODE_STITCHED ? STAGE_VIEW : STAGE_OUTSIDE, number, -1};
}

static void emitAll(Outline *outline, const Fusions *fusions) {
  Escapes escapes = findEscapes(outline);
  Emission *order = IR_NEW_ARRAY(&outline->arena, Emission, outline->numNodes + fusions->count);
  int64_t count = 0;
  for (int64_t i = 0; i < outline->numNodes; ++i)
    if (outline->nodes[i].kind == NODE_OUTSIDE ||
        (outline->nodes[i].kind == NODE_FREE && outline->nodes[i].usedOutside))
      order[count++] = emissionOf(outline, i);
  for (int64_t i = 0; i < fusions->count; ++i)
    order[count++] = (Emission){fusions->data[i].level, STAGE_FUSION, fusions->data[i].members[0], i};
  qsort(order, (size_t)count, sizeof(*order), compareEmissions);
  for (int64_t i = 0; i < count; ++i) {
    if (order[i].fusion >= 0)
      emitFusion(outline, &fusions->data[order[i].fusion], order[i].fusion, &escapes);
    else
      emitOutside(outline, &outline->nodes[order[i].position]);
  }
  irMapDestroy(&escapes.escaping);
  for (int64_t i = outline->numNodes; i-- > 0;)
    if (outline->nodes[i].kind == NODE_FREE && !outline->nodes[i].usedOutside)
      mlirOperationDestroy(outline->nodes[i].op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void numberOperations(Outline *outline) {
  IR_FOR_EACH_OP(op, outline->block)++ outline->numNodes;
  outline->nodes = IR_NEW_ARRAY(&outline->arena, Node, outline->numNodes);
  int64_t number = 0;
  IR_FOR_EACH_OP(op, outline->block) {
    outline->nodes[number].op = op;
    irMapSet(&outline->numbers, op.ptr, number++);
  }
}

static bool isUsed(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, i))))
      return true;
  return false;
}

/// A fusion without results would compute nothing.
static void eraseUnused(MlirBlock block) {
  MlirOperation terminator = mlirBlockGetTerminator(block);
  int64_t count = 0;
  IR_FOR_EACH_OP(op, block)++ count;
  MlirOperation *ops = irAllocate(sizeof(MlirOperation) * (size_t)count);
  count = 0;
  IR_FOR_EACH_OP(op, block) ops[count++] = op;
  while (count-- > 0)
    if (!mlirOperationEqual(ops[count], terminator) && tgIsMemoryIntensive(ops[count]) && !isUsed(ops[count]))
      mlirOperationDestroy(ops[count]);
  free(ops);
}

static void outlineBlock(Outline *outline) {
  eraseUnused(outline->block);
  numberOperations(outline);
  classifyAll(outline);
  computeLevels(outline);
  formComponents(outline);
  sinkComponents(outline);
  Fusions fusions = listFusions(outline);
  emitAll(outline, &fusions);
  free(fusions.data);
}

static bool outlineFunction(StitchPassRun run, MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(block))
    return true;
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block))) {
    stitchEmitOpError(function, "has control flow: stitch-outline takes functions of one block");
    return false;
  }
  Outline outline = {.run = run,
                     .block = block,
                     .maxOps = stitchPassGetInt(run, OPTION_MAX_OPS),
                     .maxOperands = stitchPassGetInt(run, OPTION_MAX_OPERANDS),
                     .xlaScope = strcmp(stitchPassGetString(run, OPTION_SCOPE), "xla") == 0};
  outlineBlock(&outline);
  irMapDestroy(&outline.numbers);
  irArenaDestroy(&outline.arena);
  return true;
}

static bool optionsAreValid(StitchPassRun run, MlirOperation module) {
  const char *scope = stitchPassGetString(run, OPTION_SCOPE);
  if (strcmp(scope, "xla") != 0 && strcmp(scope, "exhaustive") != 0)
    stitchEmitOpError(module, "stitch-outline: scope must be 'exhaustive' or 'xla', got '%s'", scope);
  else if (stitchPassGetInt(run, OPTION_MAX_OPS) < 1 || stitchPassGetInt(run, OPTION_MAX_OPERANDS) < 1)
    stitchEmitOpError(module, "stitch-outline: max-ops and max-operands must be positive");
  else
    return true;
  return false;
}

static void runOutline(StitchPassRun run, MlirOperation module) {
  bool succeeded = optionsAreValid(run, module);
  if (succeeded)
    IR_FOR_EACH_OP(op, mlirModuleGetBody(mlirModuleFromOperation(module)))
  if (irOpIs(op, "func.func"))
    succeeded &= outlineFunction(run, op);
  if (!succeeded)
    stitchPassSignalFailure(run);
}

static const StitchPassOption options[] = {
    {"scope",
     "exhaustive: as large as possible; xla: a reduce, or an expensive operation before a broadcast, ends a fusion",
     STITCH_OPTION_STRING, 0, "exhaustive"},
    {"max-ops", "most operations in a fusion", STITCH_OPTION_INT, 1024, NULL},
    {"max-operands", "most inputs of a fusion", STITCH_OPTION_INT, 256, NULL},
};

static const StitchPassStatistic statistics[] = {
    {"fusions", "fusions made"},
    {"stitched-ops", "operations in fusions, without clones"},
    {"library-calls", "library calls made"},
    {"sunk-components", "components that joined a user of a later level"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchOutlinePass = {
    .argument = "stitch-outline",
    .description = "Outline memory-intensive subgraphs into stitch.fusion (AStitch 4.1)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runOutline,
};
