//===- cudnn_plan.c - plans for operation graphs of cuDNN ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From cuDNN's heuristics come engine configurations: an engine and the values of its knobs. An engine says in notes
// how it computes; a configuration becomes a plan if the engine supports this graph on this GPU.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cudnn_plan.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

enum { MAX_CONFIGS = 32, MAX_NOTES = 16 };

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

static StitchStatus get(const StitchCudnn *dnn, cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                        cudnnBackendAttributeType_t type, int64_t capacity, int64_t *count, void *elements) {
  return CUDNN_CALL(dnn, cudnnBackendGetAttribute, descriptor, name, type, capacity, count, elements);
}

/// The descriptors of a list, `max` at most. (To be asked for their number alone, cuDNN 9 gives an upper bound.)
static StitchStatus getDescriptors(StitchCudnnPool *pool, cudnnBackendDescriptor_t descriptor,
                                   cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type, int64_t max,
                                   int64_t *count, cudnnBackendDescriptor_t *elements) {
  StitchStatus status = NULL;
  *count = 0;
  for (int64_t i = 0; i < max && !status; ++i)
    status = stitchCudnnCreate(pool, type, &elements[i]);
  if (!status)
    status = get(pool->dnn, descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, max, count, elements);
  *count = *count < max ? *count : max;
  return status;
}

/// Whether the engine computes as it has to.
static StitchStatus keepsRules(const StitchCudnn *dnn, cudnnBackendDescriptor_t engine, const StitchCudnnRules *rules,
                               bool *keeps) {
  cudnnBackendNumericalNote_t notes[MAX_NOTES];
  int64_t count = 0;
  StitchStatus status =
      get(dnn, engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, MAX_NOTES, &count, notes);
  *keeps = true;
  for (int64_t i = 0; i < count && i < MAX_NOTES && !status; ++i)
    switch ((int)notes[i]) {
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE: // of f32: TF32
      *keeps = *keeps && rules->tensorCores;
      break;
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS: // of f32: to 16 bits
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
    case CUDNN_NUMERICAL_NOTE_FFT:      // errors that do not depend on the products of one sum alone
    case CUDNN_NUMERICAL_NOTE_WINOGRAD: // the same
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      *keeps = false;
      break;
    default:
      break;
    }
  return status;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static StitchStatus makePlan(StitchCudnnPool *pool, cudnnBackendDescriptor_t config, StitchCudnnPlan *plan) {
  const StitchCudnn *dnn = pool->dnn;
  const StitchCudnnAttribute attributes[] = {
      {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config},
      dnn->handle ? (StitchCudnnAttribute){CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &dnn->handle}
                  : (StitchCudnnAttribute){CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                           &dnn->gpuModel},
  };
  int64_t bytes = 0, count = 0;
  StitchStatus status =
      stitchCudnnMake(pool, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, attributes, COUNT(attributes), &plan->plan);
  if (!status)
    status = get(dnn, plan->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes);
  plan->workspaceBytes = (size_t)bytes;
  return status;
}

/// Makes a plan of a configuration unless that breaks the rules or the engine cannot. Engines that are compiled when
/// they are needed fail in many ways (a library for that is missing, say), of which none is about the others.
static StitchStatus tryConfig(StitchCudnnPool *pool, cudnnBackendDescriptor_t config, const StitchCudnnRules *rules,
                              StitchCudnnPlan *plan, bool *taken) {
  cudnnBackendDescriptor_t engine = NULL;
  int64_t count = 0;
  bool keeps = false;
  *taken = false;
  StitchStatus status = stitchCudnnCreate(pool, CUDNN_BACKEND_ENGINE_DESCRIPTOR, &engine);
  if (!status)
    status = get(pool->dnn, config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
  if (!status)
    status = keepsRules(pool->dnn, engine, rules, &keeps);
  if (status || !keeps)
    return status;
  status = makePlan(pool, config, plan);
  if (status && stitchStatusCode(status) != STITCH_OUT_OF_MEMORY) {
    stitchStatusFree(status);
    return NULL;
  }
  if (status || plan->workspaceBytes > rules->maxWorkspace)
    return status;
  *taken = true;
  return NULL;
}

/// Adds the plans that one kind of heuristics proposes.
static StitchStatus askHeuristics(StitchCudnnPool *pool, cudnnBackendDescriptor_t graph, cudnnBackendHeurMode_t mode,
                                  const StitchCudnnRules *rules, int max, StitchCudnnPlan *plans, int *count) {
  const StitchCudnn *dnn = pool->dnn;
  const StitchCudnnAttribute attributes[] = {
      {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph},
      {CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode},
      {CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &dnn->gpuModel},
  };
  cudnnBackendDescriptor_t heuristics = NULL, configs[MAX_CONFIGS];
  int64_t found = 0;
  StitchStatus status =
      stitchCudnnMake(pool, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, attributes, dnn->handle ? 2 : 3, &heuristics);
  if (!status)
    status = getDescriptors(pool, heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                            MAX_CONFIGS, &found, configs);
  for (int64_t i = 0; i < found && *count < max && !status; ++i) {
    bool taken = false;
    status = tryConfig(pool, configs[i], rules, &plans[*count], &taken);
    *count += !status && taken;
  }
  return status;
}

StitchStatus stitchCudnnFindPlans(StitchCudnnPool *pool, cudnnBackendDescriptor_t graph, const StitchCudnnRules *rules,
                                  int max, StitchCudnnPlan *plans, int *count) {
  static const cudnnBackendHeurMode_t modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK};
  *count = 0;
  for (int i = 0; i < COUNT(modes) && *count == 0; ++i) {
    StitchStatus status = askHeuristics(pool, graph, modes[i], rules, max, plans, count);
    if (stitchStatusCode(status) == STITCH_UNIMPLEMENTED)
      stitchStatusFree(status); // no engine is for such a graph
    else if (status)
      return status;
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

StitchStatus stitchCudnnPack(StitchCudnnPool *pool, const StitchCudnnData *data, cudnnBackendDescriptor_t *pack) {
  const StitchCudnnAttribute attributes[] = {
      {CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, data->count, data->ids},
      {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data->count, data->pointers},
      {CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &data->workspace},
  };
  return stitchCudnnMake(pool, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, attributes, COUNT(attributes), pack);
}

StitchStatus stitchCudnnExecute(const StitchCudnn *dnn, const StitchCudnnPlan *plan, cudnnBackendDescriptor_t pack,
                                CUstream stream) {
  StitchStatus status = CUDNN_CALL(dnn, cudnnSetStream, dnn->handle, stream);
  return status ? status : CUDNN_CALL(dnn, cudnnBackendExecute, dnn->handle, plan->plan, pack);
}
