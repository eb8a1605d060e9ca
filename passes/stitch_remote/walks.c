//===- walks.c - stitch-remote: branches of heads and tails ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO 4.3, algorithm 3: kernels that could run in parallel are found by walks along branches. From an operation that
// several others read, forwards. A branch goes on as long as an operation reads one other only. It ends with one that
// several read, which still belongs to it. From an operation that reads several others, backwards, in the same way.
// Last come the branches that end where nothing reads them any more, as if they had a tail in common. Library calls are
// on branches, but no candidates. Again and again the next kernel of each branch is taken, and as many of these are
// composed as gain time (gain.c). Each operation is on one branch of each kind, so that all walks together are as long
// as the graph.
//
// Composed kernels may be a candidate again, and then depend on another one through their other members. So every
// operation has a depth, larger than those of its operands, and all of a cluster have the same one. Composing clusters
// raises these depths, and those of their readers. Where that comes back to the cluster there would be a circle.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "passes/stitch_remote/remote.h"

#include <stdlib.h>

/// Lists of nodes, one for each node: those of node i are data[first[i]] to data[first[i + 1] - 1].
typedef struct {
  int64_t *first, *data;
} NodeLists;

/// A depth that was another one.
typedef struct {
  int64_t node, depth;
} Change;

typedef struct {
  Remote *remote;
  Clusters clusters;
  int64_t *clusterOf;   ///< node -> cluster; -1: it is no fusion
  int64_t *nextOrdered; ///< node -> the next of those that keep their order; -1: none
  NodeLists producers, consumers;
  int64_t *stack; ///< nodes whose consumers are to be raised
  int64_t depthOfStack, stackCapacity;
  Change *changes;
  int64_t numChanges, changeCapacity;
  int64_t *branches; ///< fusions of the branches of one head or tail
  int64_t *ends;     ///< behind each branch
  int64_t numBranches, length;
  int64_t *round, numRounds; ///< by cluster: when it was last in a group
} Walks;

//===----------------------------------------------------------------------===//
// Who reads whom
//===----------------------------------------------------------------------===//

static void forEachInput(const RemoteNode *node, IrOperandVisitor visit, void *data) {
  if (!node->isFusion) {
    irForEachOperand(node->op, visit, data);
    return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); ++i) // isolated from above
    visit(irOperand(node->op, i), data);
}

typedef struct {
  Walks *walks;
  int64_t reader, count;
} Reading;

static void countInput(MlirValue value, void *data) {
  (void)value;
  ++((Reading *)data)->count;
}

static void addProducer(MlirValue value, void *data) {
  Reading *r = data;
  int64_t number = irNumberOf(&r->walks->remote->numbering, value), *producers = r->walks->producers.data;
  if (number < 0 || tgKindOf(r->walks->remote->nodes[number].op) == TG_constant)
    return;
  for (int64_t i = r->walks->producers.first[r->reader]; i < r->count; ++i)
    if (producers[i] == number)
      return;
  producers[r->count++] = number;
}

static void listProducers(Walks *w) {
  Remote *remote = w->remote;
  Reading reading = {.walks = w};
  for (int64_t i = 0; i < remote->numNodes; ++i)
    forEachInput(&remote->nodes[i], countInput, &reading);
  w->producers.first = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes + 1);
  w->producers.data = IR_NEW_ARRAY(&remote->arena, int64_t, reading.count + 1);
  reading.count = 0;
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    reading.reader = i;
    w->producers.first[i] = reading.count;
    forEachInput(&remote->nodes[i], addProducer, &reading);
  }
  w->producers.first[remote->numNodes] = reading.count;
}

static void listConsumers(Walks *w) {
  Remote *remote = w->remote;
  int64_t count = remote->numNodes, *first = IR_NEW_ARRAY(&remote->arena, int64_t, count + 2);
  w->consumers = (NodeLists){first, IR_NEW_ARRAY(&remote->arena, int64_t, w->producers.first[count] + 1)};
  for (int64_t i = 0; i < w->producers.first[count]; ++i)
    ++first[w->producers.data[i] + 2]; // counts, two places on: they become beginnings, then ends
  for (int64_t i = 1; i < count + 2; ++i)
    first[i] += first[i - 1];
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = w->producers.first[i]; j < w->producers.first[i + 1]; ++j)
      w->consumers.data[first[w->producers.data[j] + 1]++] = i;
}

static int64_t numIn(const NodeLists *lists, int64_t node) { return lists->first[node + 1] - lists->first[node]; }

//===----------------------------------------------------------------------===//
// Depths
//===----------------------------------------------------------------------===//

static void setDepth(Walks *w, int64_t node, int64_t depth) {
  IR_RESERVE_ONE(w->changes, w->numChanges, w->changeCapacity);
  w->changes[w->numChanges++] = (Change){node, w->remote->nodes[node].depth};
  w->remote->nodes[node].depth = depth;
  IR_RESERVE_ONE(w->stack, w->depthOfStack, w->stackCapacity);
  w->stack[w->depthOfStack++] = node;
}

/// Raises a node, with its cluster, to a depth. False if that is the cluster to which all this is due.
static bool raise(Walks *w, int64_t node, int64_t depth, int64_t due) {
  int64_t cluster = w->clusterOf[node];
  if (w->remote->nodes[node].depth >= depth)
    return true;
  if (cluster < 0) {
    setDepth(w, node, depth);
    return true;
  }
  const Cluster *of = &w->clusters.data[cluster];
  for (int64_t i = 0; i < of->count; ++i)
    setDepth(w, of->members[i], depth);
  return cluster != due;
}

/// Raises the readers of the nodes on the stack. False if there is a circle, or too much to do.
static bool raiseReaders(Walks *w, int64_t due) {
  enum { MOST_CHANGES = 1 << 16 };
  bool succeeded = true;
  while (w->depthOfStack && succeeded) {
    int64_t node = w->stack[--w->depthOfStack], depth = w->remote->nodes[node].depth + 1;
    for (int64_t j = w->consumers.first[node]; j < w->consumers.first[node + 1] && succeeded; ++j)
      succeeded = raise(w, w->consumers.data[j], depth, due);
    if (succeeded && w->nextOrdered[node] >= 0)
      succeeded = raise(w, w->nextOrdered[node], depth, due);
    succeeded = succeeded && w->numChanges < MOST_CHANGES;
  }
  w->depthOfStack = 0;
  return succeeded;
}

/// A cluster has got new members: gives all of them one depth. False if that cannot be; then all is as it was.
static bool alignDepths(Walks *w, int64_t cluster) {
  RemoteNode *nodes = w->remote->nodes;
  const Cluster *of = &w->clusters.data[cluster];
  int64_t depth = 0;
  for (int64_t i = 0; i < of->count; ++i)
    depth = nodes[of->members[i]].depth > depth ? nodes[of->members[i]].depth : depth;
  w->numChanges = 0;
  for (int64_t i = 0; i < of->count; ++i)
    if (nodes[of->members[i]].depth < depth)
      setDepth(w, of->members[i], depth);
  bool succeeded = raiseReaders(w, cluster);
  while (w->numChanges && !succeeded) {
    const Change *change = &w->changes[--w->numChanges];
    nodes[change->node].depth = change->depth;
  }
  return succeeded;
}

static void findFirstDepths(Walks *w) {
  Remote *remote = w->remote;
  int64_t last = -1;
  w->nextOrdered = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes);
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    int64_t depth = 0;
    for (int64_t j = w->producers.first[i]; j < w->producers.first[i + 1]; ++j) {
      int64_t of = remote->nodes[w->producers.data[j]].depth;
      depth = of > depth ? of : depth;
    }
    w->nextOrdered[i] = -1;
    if (remoteKeepsOrder(&remote->nodes[i])) {
      if (last >= 0) {
        w->nextOrdered[last] = i;
        depth = remote->nodes[last].depth > depth ? remote->nodes[last].depth : depth;
      }
      last = i;
    }
    remote->nodes[i].depth = depth + 1;
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static void addToBranch(Walks *w, int64_t node) {
  if (w->clusterOf[node] >= 0)
    w->branches[w->length++] = node;
}

static void endBranch(Walks *w) {
  int64_t begin = w->numBranches ? w->ends[w->numBranches - 1] : 0;
  if (w->length > begin)
    w->ends[w->numBranches++] = w->length;
}

/// Goes along `ahead` as long as a node has one neighbour `behind`, up to one that has several ahead.
static void walk(Walks *w, int64_t node, const NodeLists *ahead, const NodeLists *behind) {
  for (;;) {
    if (numIn(behind, node) > 1)
      break; // where branches meet
    addToBranch(w, node);
    if (numIn(ahead, node) != 1)
      break;
    node = ahead->data[ahead->first[node]];
  }
  endBranch(w);
}

/// Of a cluster: the most calls between processes that a member waits for, and the least that wait for one.
static void boundsOfCalls(const Walks *w, const Cluster *cluster, int64_t *calls, int64_t *needed) {
  *calls = 0;
  *needed = INT64_MAX;
  for (int64_t i = 0; i < cluster->count; ++i) {
    const RemoteNode *node = &w->remote->nodes[cluster->members[i]];
    *calls = node->calls > *calls ? node->calls : *calls;
    *needed = node->needed < *needed ? node->needed : *needed;
  }
}

/// Has all members of a cluster wait for the same calls. Whether they did not.
static bool alignCalls(Walks *w, const Cluster *cluster) {
  int64_t calls, needed;
  bool changed = false;
  boundsOfCalls(w, cluster, &calls, &needed);
  for (int64_t i = 0; i < cluster->count; ++i) {
    RemoteNode *node = &w->remote->nodes[cluster->members[i]];
    changed |= node->calls != calls || node->needed != needed;
    node->calls = calls;
    node->needed = needed;
  }
  return changed;
}

/// Has a node wait for what its operands wait for, and be needed where its readers are. Whether that is new.
static bool takeCalls(Walks *w, int64_t number) {
  RemoteNode *nodes = w->remote->nodes, *node = &nodes[number];
  int64_t calls = node->calls, needed = node->needed;
  for (int64_t j = w->producers.first[number]; j < w->producers.first[number + 1]; ++j) {
    const RemoteNode *producer = &nodes[w->producers.data[j]];
    int64_t of = producer->calls + producer->isCall;
    node->calls = of > node->calls ? of : node->calls;
  }
  for (int64_t j = w->consumers.first[number]; j < w->consumers.first[number + 1]; ++j) {
    const RemoteNode *consumer = &nodes[w->consumers.data[j]];
    int64_t of = consumer->isCall ? consumer->calls : consumer->needed;
    node->needed = of < node->needed ? of : node->needed;
  }
  return calls != node->calls || needed != node->needed;
}

/// A cluster has new members: what that means for all others. It ends, as there is no circle.
static void spreadCalls(Walks *w) {
  for (bool changed = w->remote->hasCalls; changed;) {
    changed = false;
    for (int64_t i = 0; i < w->remote->numNodes; ++i)
      changed |= takeCalls(w, i);
    for (int64_t i = 0; i < w->clusters.count; ++i)
      changed |= alignCalls(w, &w->clusters.data[i]);
  }
}

static bool mayJoin(int64_t cluster, void *data) {
  Walks *w = data;
  const Cluster *of = &w->clusters.data[cluster];
  int64_t calls, needed;
  boundsOfCalls(w, of, &calls, &needed);
  if (calls > needed) // a call would wait for one more
    return false;
  int64_t *before = irAllocate(sizeof(*before) * (size_t)(of->count + 1));
  for (int64_t i = 0; i < of->count; ++i) {
    before[i] = w->clusterOf[of->members[i]];
    w->clusterOf[of->members[i]] = cluster;
  }
  bool may = alignDepths(w, cluster);
  for (int64_t i = 0; i < of->count && !may; ++i)
    w->clusterOf[of->members[i]] = before[i];
  free(before);
  if (may)
    spreadCalls(w);
  return may;
}

/// Composes the first kernels of all branches, then the second ones, and so on.
static void joinBranches(Walks *w) {
  int64_t *group = irAllocate(sizeof(*group) * (size_t)(w->numBranches + 1));
  for (int64_t k = 0, count = 2; count >= 2; ++k) {
    count = 0;
    ++w->numRounds;
    for (int64_t b = 0; b < w->numBranches; ++b) {
      int64_t at = (b ? w->ends[b - 1] : 0) + k;
      int64_t cluster = at < w->ends[b] ? w->clusterOf[w->branches[at]] : -1;
      if (cluster < 0 || w->round[cluster] == w->numRounds)
        continue;
      w->round[cluster] = w->numRounds;
      group[count++] = cluster;
    }
    if (count >= 2)
      joinGroupByGain(w->remote, &w->clusters, group, count, mayJoin, w);
  }
  w->numBranches = w->length = 0;
  free(group);
}

/// The branches of all nodes with several neighbours `ahead`.
static void joinAlong(Walks *w, const NodeLists *ahead, const NodeLists *behind) {
  for (int64_t i = 0; i < w->remote->numNodes; ++i) {
    if (numIn(ahead, i) < 2)
      continue;
    for (int64_t j = ahead->first[i]; j < ahead->first[i + 1]; ++j)
      walk(w, ahead->data[j], ahead, behind);
    joinBranches(w);
  }
}

/// The branches that nothing reads, but for the caller.
static void joinIndependent(Walks *w) {
  for (int64_t i = 0; i < w->remote->numNodes; ++i)
    if (numIn(&w->consumers, i) == 0)
      walk(w, i, &w->producers, &w->consumers);
  joinBranches(w);
}

Clusters walkBranches(Remote *remote) {
  Walks w = {.remote = remote};
  w.clusterOf = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes);
  w.branches = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes + 1);
  w.ends = IR_NEW_ARRAY(&remote->arena, int64_t, remote->numNodes + 1);
  listProducers(&w);
  listConsumers(&w);
  findFirstDepths(&w);
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    w.clusterOf[i] = -1;
    if (!remote->nodes[i].isFusion)
      continue;
    Cluster alone = {0};
    addToCluster(remote, &alone, i);
    IR_RESERVE_ONE(w.clusters.data, w.clusters.count, w.clusters.capacity);
    w.clusterOf[i] = w.clusters.count;
    w.clusters.data[w.clusters.count++] = alone;
  }
  w.round = IR_NEW_ARRAY(&remote->arena, int64_t, w.clusters.count + 1);
  joinAlong(&w, &w.consumers, &w.producers);
  joinAlong(&w, &w.producers, &w.consumers);
  joinIndependent(&w);
  for (int64_t i = 0; i < w.clusters.count; ++i)
    if (w.clusters.data[i].count)
      w.clusters.data[i].depth = 2 * remote->nodes[w.clusters.data[i].members[0]].depth; // as of others: calls are odd
  free(w.stack);
  free(w.changes);
  return w.clusters;
}
