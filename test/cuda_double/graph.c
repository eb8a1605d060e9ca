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
  size_t count;
} Exec;

Node *addNode(Graph *graph, const Op *op) {
  if (graph->count == graph->capacity) {
    graph->capacity = graph->capacity ? 2 * graph->capacity : 64;
    graph->nodes = realloc(graph->nodes, graph->capacity * sizeof(Node *));
    if (!graph->nodes)
      abort();
  }
  Node *node = newObject(KIND_NODE, sizeof(*node));
  node->op = *op;
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
  stream->last = NULL;
  stream->invalidated = false;
  stream->thread = (unsigned long long)pthread_self();
  return CUDA_SUCCESS;
}

void destroyGraph(Graph *graph) {
  for (size_t i = 0; i < graph->count; ++i)
    destroyObject(graph->nodes[i]);
  destroyObject(graph);
}

/// A capture that was disturbed ends with an error and no graph.
CUresult double_cuStreamEndCapture(CUstream handle, CUgraph *result) {
  ENTER_CONTEXT(cuStreamEndCapture);
  Stream *stream = streamOf(handle, "cuStreamEndCapture");
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  Graph *graph = stream->capture;
  bool invalidated = stream->invalidated;
  *result = NULL;
  if (!graph)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  stream->capture = NULL;
  stream->invalidated = false;
  if (invalidated) {
    destroyGraph(graph);
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
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
  *dependencies = &stream->last;
  *count = stream->last ? 1 : 0;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static void copyOps(Exec *exec, const Graph *graph) {
  exec->ops = realloc(exec->ops, (graph->count + 1) * sizeof(*exec->ops));
  if (!exec->ops)
    abort();
  exec->count = graph->count;
  for (size_t i = 0; i < graph->count; ++i)
    exec->ops[i] = graph->nodes[i]->op;
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

CUresult double_cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  ENTER_CONTEXT(cuGraphLaunch);
  if (!isObject(handle, KIND_EXEC, "cuGraphLaunch"))
    return CUDA_ERROR_INVALID_HANDLE;
  const Exec *exec = (const Exec *)handle;
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < exec->count && !result; ++i)
    result = enqueue(stream, &exec->ops[i]);
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

CUresult double_cuGraphExecUpdate(CUgraphExec handle, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  ENTER_CONTEXT(cuGraphExecUpdate);
  if (!isObject(handle, KIND_EXEC, "cuGraphExecUpdate") || !isObject(graph, KIND_GRAPH, "cuGraphExecUpdate"))
    return CUDA_ERROR_INVALID_HANDLE;
  Exec *exec = (Exec *)handle;
  const Graph *other = (const Graph *)graph;
  bool same = exec->count == other->count;
  for (size_t i = 0; same && i < exec->count; ++i)
    same = sameShape(&exec->ops[i], &other->nodes[i]->op);
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
