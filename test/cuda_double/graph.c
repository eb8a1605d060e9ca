//===- graph.c - captures and graphs of the test double ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// An executable graph: copies of the operations, and the nodes that they are known by.
typedef struct {
  Object object;
  Graph *graph;
  Op *ops;
  Dependencies *dependencies; ///< of each; nodes of destroyed graphs are still there
  size_t count;
  LastLaunch last;
} Exec;

bool addDependencies(Dependencies *to, const Dependencies *from) {
  for (size_t i = 0; i < from->count; ++i) {
    size_t j = 0;
    while (j < to->count && to->nodes[j] != from->nodes[i])
      ++j;
    if (j == MAX_DEPENDENCIES)
      return false;
    to->nodes[j] = from->nodes[i];
    to->count += j == to->count;
  }
  return true;
}

Node *addNode(Graph *graph, const Op *op, const Dependencies *dependencies) {
  if (graph->count == graph->capacity) {
    graph->capacity = graph->capacity ? 2 * graph->capacity : 64;
    graph->nodes = realloc(graph->nodes, graph->capacity * sizeof(Node *));
    if (!graph->nodes)
      abort();
  }
  Node *node = newObject(KIND_NODE, sizeof(*node));
  node->op = *op;
  node->index = graph->count;
  node->dependencies = *dependencies;
  graph->nodes[graph->count++] = node;
  return node;
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

CUresult double_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  ENTER_CONTEXT(cuStreamIsCapturing);
  const Stream *s = streamOf(stream, "cuStreamIsCapturing");
  if (!s)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = s->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
            : s->capture   ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                           : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult double_cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  ENTER_CONTEXT(cuStreamBeginCapture);
  Stream *stream = streamOf(handle, "cuStreamBeginCapture");
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (isLegacy(stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture)
    return CUDA_ERROR_INVALID_VALUE;
  if (mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
    violation("cuStreamBeginCapture: other threads would disturb this capture");
  stream->capture = newObject(KIND_GRAPH, sizeof(Graph));
  stream->dependencies.count = 0;
  stream->isBranch = false;
  stream->invalidated = false;
  stream->thread = (unsigned long long)pthread_self();
  return CUDA_SUCCESS;
}

void destroyGraph(Graph *graph) {
  for (size_t i = 0; i < graph->count; ++i)
    destroyObject(graph->nodes[i]);
  destroyObject(graph);
}

/// Notes the nodes that are before a node, and that itself.
static void markBefore(const Graph *graph, const Dependencies *from, bool *isBefore) {
  for (size_t i = 0; i < from->count; ++i) {
    const Node *node = (const Node *)from->nodes[i];
    if (isBefore[node->index])
      continue;
    isBefore[node->index] = true;
    markBefore(graph, &node->dependencies, isBefore);
  }
}

/// Ends the branches of a capture. Whether all operations on them are before the next one on the stream.
static bool endBranches(const Stream *origin, bool *invalidated) {
  const Graph *graph = origin->capture;
  bool *isBefore = calloc(graph->count + 1, sizeof(bool)), isJoined = true;
  if (!isBefore)
    abort();
  markBefore(graph, &origin->dependencies, isBefore);
  for (Object *object = firstObject(); object; object = object->next) {
    Stream *branch = (Stream *)object;
    if (object->kind != KIND_STREAM || branch->capture != graph || branch == origin)
      continue;
    for (size_t i = 0; i < branch->dependencies.count; ++i)
      isJoined &= isBefore[((const Node *)branch->dependencies.nodes[i])->index];
    *invalidated |= branch->invalidated;
    branch->capture = NULL;
    branch->invalidated = branch->isBranch = false;
  }
  free(isBefore);
  return isJoined;
}

/// A capture that was disturbed ends with an error and no graph.
CUresult double_cuStreamEndCapture(CUstream handle, CUgraph *result) {
  __attribute__((cleanup(leave))) int entered = enterLock();
  int injected = enterCall("cuStreamEndCapture"); // whatever it returns, the capture has ended
  (void)entered;
  if (!currentContext("cuStreamEndCapture"))
    return CUDA_ERROR_INVALID_CONTEXT;
  Stream *stream = streamOf(handle, "cuStreamEndCapture");
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  Graph *graph = stream->capture;
  bool invalidated = stream->invalidated;
  *result = NULL;
  if (!graph || stream->isBranch)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  bool isJoined = endBranches(stream, &invalidated);
  stream->capture = NULL;
  stream->invalidated = false;
  if (injected || invalidated || !isJoined) {
    destroyGraph(graph);
    return injected      ? injected
           : invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                         : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  *result = (CUgraph)graph;
  return CUDA_SUCCESS;
}

CUresult double_cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                       const CUgraphNode **dependencies, size_t *count) {
  ENTER_CONTEXT(cuStreamGetCaptureInfo);
  Stream *stream = streamOf(handle, "cuStreamGetCaptureInfo");
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = stream->capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  *id = 1;
  *graph = (CUgraph)stream->capture;
  *dependencies = stream->dependencies.nodes;
  *count = stream->dependencies.count;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static void copyOps(Exec *exec, const Graph *graph) {
  exec->ops = realloc(exec->ops, (graph->count + 1) * sizeof(*exec->ops));
  exec->dependencies = realloc(exec->dependencies, (graph->count + 1) * sizeof(*exec->dependencies));
  if (!exec->ops || !exec->dependencies)
    abort();
  exec->count = graph->count;
  for (size_t i = 0; i < graph->count; ++i) {
    exec->ops[i] = graph->nodes[i]->op;
    exec->dependencies[i] = graph->nodes[i]->dependencies;
  }
}

CUresult double_cuGraphInstantiateWithFlags(CUgraphExec *result, CUgraph graph, unsigned long long flags) {
  ENTER_CONTEXT(cuGraphInstantiateWithFlags);
  if (flags || !isObject(graph, KIND_GRAPH, "cuGraphInstantiateWithFlags"))
    return CUDA_ERROR_INVALID_VALUE;
  Exec *exec = newObject(KIND_EXEC, sizeof(*exec));
  exec->graph = (Graph *)graph;
  copyOps(exec, exec->graph);
  *result = (CUgraphExec)exec;
  return CUDA_SUCCESS;
}

static Launch *newLaunch(const Exec *exec) {
  static Launch *launches = NULL; // kept: operations in queues know theirs
  Launch *launch = calloc(1, sizeof(*launch));
  size_t count = exec->count;
  if (!launch || !(launch->dependencies = calloc(count + 1, sizeof(Dependencies))) ||
      !(launch->ends = calloc(count + 1, sizeof(double))))
    abort();
  launch->next = launches;
  launch->count = count;
  launch->begin = -1;
  for (size_t i = 0; i < count; ++i)
    launch->dependencies[i] = exec->dependencies[i];
  return launches = launch;
}

/// The nodes run in the order that is the least like that of the capture: an edge that is missing shows.
static size_t lastReady(const Launch *launch, const bool *hasRun) {
  for (size_t i = launch->count; i-- > 0;) {
    bool isReady = !hasRun[i];
    const Dependencies *d = &launch->dependencies[i];
    for (size_t j = 0; j < d->count; ++j)
      isReady &= hasRun[((const Node *)d->nodes[j])->index];
    if (isReady)
      return i;
  }
  abort(); // nodes depend on those before them
}

CUresult double_cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  ENTER_CONTEXT(cuGraphLaunch);
  if (!isObject(handle, KIND_EXEC, "cuGraphLaunch"))
    return CUDA_ERROR_INVALID_HANDLE;
  Exec *exec = (Exec *)handle;
  Stream *launched = streamOf(stream, "cuGraphLaunch");
  if (!launched)
    return CUDA_ERROR_INVALID_HANDLE;
  Launch *launch = newLaunch(exec);
  const Position *position = launched->capture ? NULL : placeLaunch(launched, &exec->last);
  CUresult result = CUDA_SUCCESS;
  bool *hasRun = calloc(exec->count + 1, sizeof(bool));
  if (!hasRun)
    abort();
  for (size_t i = 0; i < exec->count && !result; ++i) {
    size_t node = lastReady(launch, hasRun);
    Op op = exec->ops[node];
    op.launch = launch;
    op.node = node;
    op.position = position;
    hasRun[node] = true;
    result = enqueue(stream, &op);
  }
  free(hasRun);
  return result;
}

/// Whether an update can turn one operation into another.
static bool sameShape(const Op *a, const Op *b) {
  if (a->kind != b->kind || (a->kind == OP_MATMUL && !sameMatmul(a->matmul, b->matmul)) ||
      (a->kind == OP_CONVOLUTION && !sameConvolution(a->convolution, b->convolution)) ||
      (a->kind == OP_WORK && a->work->run != b->work->run))
    return false;
  return a->kind != OP_KERNEL || a->function == b->function;
}

static bool sameEdges(const Dependencies *a, const Dependencies *b) {
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; ++i)
    same = ((const Node *)a->nodes[i])->index == ((const Node *)b->nodes[i])->index;
  return same;
}

CUresult double_cuGraphExecUpdate(CUgraphExec handle, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  ENTER_CONTEXT(cuGraphExecUpdate);
  if (!isObject(handle, KIND_EXEC, "cuGraphExecUpdate") || !isObject(graph, KIND_GRAPH, "cuGraphExecUpdate"))
    return CUDA_ERROR_INVALID_HANDLE;
  Exec *exec = (Exec *)handle;
  const Graph *other = (const Graph *)graph;
  bool same = exec->count == other->count;
  for (size_t i = 0; same && i < exec->count; ++i)
    same = sameShape(&exec->ops[i], &other->nodes[i]->op) &&
           sameEdges(&exec->dependencies[i], &other->nodes[i]->dependencies);
  info->result = same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (!same)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  copyOps(exec, other);
  return CUDA_SUCCESS;
}

/// The node must be one of the graph that `exec` was instantiated from, and alive.
CUresult double_cuGraphExecKernelNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS_v2 *parameters) {
  ENTER_CONTEXT(cuGraphExecKernelNodeSetParams);
  if (!isObject(handle, KIND_EXEC, "cuGraphExecKernelNodeSetParams") ||
      !isObject(node, KIND_NODE, "cuGraphExecKernelNodeSetParams") ||
      !isObject(parameters->func, KIND_FUNCTION, "cuGraphExecKernelNodeSetParams"))
    return CUDA_ERROR_INVALID_HANDLE;
  Exec *exec = (Exec *)handle;
  for (size_t i = 0; i < exec->graph->count; ++i) {
    if ((CUgraphNode)exec->graph->nodes[i] != node)
      continue;
    Op *op = &exec->ops[i];
    if (op->kind != OP_KERNEL || (CUfunction)op->function != parameters->func || op->grid != parameters->gridDimX ||
        op->block != parameters->blockDimX || op->sharedBytes != parameters->sharedMemBytes)
      return CUDA_ERROR_INVALID_VALUE;
    op->parameters = calloc((size_t)op->function->numParameters + 1, 8);
    if (!op->parameters)
      abort();
    for (int p = 0; p < op->function->numParameters; ++p)
      memcpy(op->parameters + 8 * p, parameters->kernelParams[p], 8);
    return CUDA_SUCCESS;
  }
  violation("cuGraphExecKernelNodeSetParams: the node is of another graph");
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult double_cuGraphExecDestroy(CUgraphExec exec) {
  ENTER(cuGraphExecDestroy);
  if (!isObject(exec, KIND_EXEC, "cuGraphExecDestroy"))
    return CUDA_ERROR_INVALID_HANDLE;
  destroyObject(exec);
  return stickyError;
}

CUresult double_cuGraphDestroy(CUgraph graph) {
  ENTER(cuGraphDestroy);
  if (!isObject(graph, KIND_GRAPH, "cuGraphDestroy"))
    return CUDA_ERROR_INVALID_HANDLE;
  destroyGraph((Graph *)graph);
  return stickyError;
}
