//===- cudnn.c - cuDNN of the test double --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor keeps the attributes that it is given; finalizing checks that all required ones are there and that its
// inner descriptors are finalized. Of strides it takes those alone that the real one computes the right thing with.
// There are seven engines for every graph: three that compute in a way that Stitch must not use (one of them for f32
// only), one that supports nothing, one that fails, as those do whose compiler is missing, and two that are right, the
// second with knobs. An operation's form is taken down when cudnnBackendExecute is called (cudnn_run.c).
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/cudnn_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDNN_SYMBOL(result, name, parameters) EXPORTED result name parameters;
#include "runtime/cuda/cudnn_symbols.def"
#undef CUDNN_SYMBOL

enum { MAX_ATTRIBUTES = 16, MAX_BYTES = 256 };

typedef struct {
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  int64_t count;
  unsigned char elements[MAX_BYTES];
} Attribute;

typedef struct Descriptor {
  Object object;
  cudnnBackendDescriptorType_t type;
  bool finalized;
  Attribute *attributes; ///< room for MAX_ATTRIBUTES; freed when the descriptor is destroyed
  int count;
  struct Descriptor *inner[3]; ///< made by the library for this one
  int numInner;
} Descriptor;

typedef struct {
  Object object;
  CUstream stream;
} Handle;

static char lastError[256];

//===----------------------------------------------------------------------===//
// Handles and errors
//===----------------------------------------------------------------------===//

size_t cudnnGetVersion(void) { return 91900; }

const char *cudnnGetErrorString(cudnnStatus_t status) {
  switch ((int)status) {
  case CUDNN_STATUS_SUCCESS:
    return "CUDNN_STATUS_SUCCESS";
  case CUDNN_STATUS_NOT_INITIALIZED:
    return "CUDNN_STATUS_NOT_INITIALIZED";
  case CUDNN_STATUS_BAD_PARAM:
    return "CUDNN_STATUS_BAD_PARAM";
  case CUDNN_STATUS_NOT_SUPPORTED:
    return "CUDNN_STATUS_NOT_SUPPORTED";
  case CUDNN_STATUS_INTERNAL_ERROR:
    return "CUDNN_STATUS_INTERNAL_ERROR";
  case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
    return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
  case CUDNN_STATUS_EXECUTION_FAILED:
    return "CUDNN_STATUS_EXECUTION_FAILED";
  default:
    return "?";
  }
}

void cudnnGetLastErrorString(char *message, size_t size) {
  snprintf(message, size, "%s", lastError);
  lastError[0] = '\0';
}

/// Notes the message for cudnnGetLastErrorString.
__attribute__((format(printf, 1, 2))) static cudnnStatus_t badParameter(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(lastError, sizeof(lastError), format, arguments);
  va_end(arguments);
  return CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  ENTER(cudnnCreate);
  if (!currentContext("cudnnCreate"))
    return CUDNN_STATUS_NOT_INITIALIZED;
  *handle = newObject(KIND_DNN, sizeof(Handle));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  ENTER(cudnnDestroy);
  if (!isObject(handle, KIND_DNN, "cudnnDestroy"))
    return CUDNN_STATUS_BAD_PARAM;
  destroyObject(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, CUstream stream) {
  ENTER(cudnnSetStream);
  if (!isObject(handle, KIND_DNN, "cudnnSetStream") || !streamOf(stream, "cudnnSetStream"))
    return CUDNN_STATUS_BAD_PARAM;
  ((Handle *)(void *)handle)->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static size_t bytesOf(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_HANDLE:
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_DOUBLE:
  case CUDNN_TYPE_VOID_PTR:
  case CUDNN_TYPE_BACKEND_DESCRIPTOR:
    return 8;
  case CUDNN_TYPE_BOOLEAN:
  case CUDNN_TYPE_CHAR:
    return 1;
  default: // enumerations and floats
    return 4;
  }
}

static const Attribute *find(const Descriptor *descriptor, cudnnBackendAttributeName_t name) {
  for (int i = 0; i < descriptor->count; ++i)
    if (descriptor->attributes[i].name == name)
      return &descriptor->attributes[i];
  return NULL;
}

static int64_t integer(const Descriptor *descriptor, cudnnBackendAttributeName_t name) {
  int64_t value = 0;
  const Attribute *attribute = find(descriptor, name);
  if (attribute)
    memcpy(&value, attribute->elements, bytesOf(attribute->type)); // little-endian
  return value;
}

static const Descriptor *reference(const Descriptor *descriptor, cudnnBackendAttributeName_t name) {
  return (const Descriptor *)(uintptr_t)integer(descriptor, name);
}

static void integers(const Descriptor *descriptor, cudnnBackendAttributeName_t name, int64_t *values) {
  const Attribute *attribute = find(descriptor, name);
  memcpy(values, attribute->elements, (size_t)attribute->count * sizeof(*values));
}

static Descriptor *newDescriptor(cudnnBackendDescriptorType_t type) {
  Descriptor *descriptor = newObject(KIND_DNN_DESCRIPTOR, sizeof(*descriptor));
  descriptor->type = type;
  descriptor->attributes = calloc(MAX_ATTRIBUTES, sizeof(Attribute));
  if (!descriptor->attributes)
    abort();
  return descriptor;
}

/// Inner descriptors are destroyed with it.
static void destroyDescriptor(Descriptor *descriptor) {
  for (int i = 0; i < descriptor->numInner; ++i)
    destroyDescriptor(descriptor->inner[i]);
  free(descriptor->attributes);
  descriptor->attributes = NULL;
  descriptor->count = 0;
  destroyObject(descriptor);
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *result) {
  ENTER(cudnnBackendCreateDescriptor);
  *result = newDescriptor(type);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  ENTER(cudnnBackendDestroyDescriptor);
  if (!isObject(descriptor, KIND_DNN_DESCRIPTOR, "cudnnBackendDestroyDescriptor"))
    return CUDNN_STATUS_BAD_PARAM;
  destroyDescriptor(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

static void set(Descriptor *descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                int64_t count, const void *elements) {
  Attribute *attribute = &descriptor->attributes[descriptor->count++];
  *attribute = (Attribute){.name = name, .type = type, .count = count};
  memcpy(attribute->elements, elements, (size_t)count * bytesOf(type));
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void *elements) {
  ENTER(cudnnBackendSetAttribute);
  Descriptor *descriptor = handle;
  if (!isObject(descriptor, KIND_DNN_DESCRIPTOR, "cudnnBackendSetAttribute"))
    return CUDNN_STATUS_BAD_PARAM;
  if (descriptor->finalized || find(descriptor, name) || descriptor->count == MAX_ATTRIBUTES || !elements ||
      count < 1 || (size_t)count * bytesOf(type) > MAX_BYTES)
    return badParameter("attribute %d of descriptor type %d cannot be set", (int)name, (int)descriptor->type);
  for (int64_t i = 0; type == CUDNN_TYPE_BACKEND_DESCRIPTOR && i < count; ++i) {
    const Descriptor *other = ((Descriptor *const *)elements)[i];
    if (!isObject(other, KIND_DNN_DESCRIPTOR, "cudnnBackendSetAttribute") || !other->finalized)
      return badParameter("attribute %d: descriptor %lld is not finalized", (int)name, (long long)i);
  }
  set(descriptor, name, type, count, elements);
  return CUDNN_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

/// The engines that the heuristics propose, in this order.
static const struct {
  int64_t index;
  cudnnBackendNumericalNote_t note;
  bool hasNote, hasKnobs;
  cudnnStatus_t status; ///< of making a plan
  int64_t workspace;
} engines[] = {
    {101, CUDNN_NUMERICAL_NOTE_WINOGRAD, true, false, CUDNN_STATUS_SUCCESS, 0},
    {102, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, true, false, CUDNN_STATUS_SUCCESS, 0},
    {100, CUDNN_NUMERICAL_NOTE_TENSOR_CORE, true, false, CUDNN_STATUS_SUCCESS, 4096},
    {9, CUDNN_NUMERICAL_NOTE_TENSOR_CORE, false, false, CUDNN_STATUS_NOT_SUPPORTED, 0},
    {8, CUDNN_NUMERICAL_NOTE_TENSOR_CORE, false, false, CUDNN_STATUS_INTERNAL_ERROR, 0},
    {0, CUDNN_NUMERICAL_NOTE_TENSOR_CORE, false, false, CUDNN_STATUS_SUCCESS, 4096},
    {7, CUDNN_NUMERICAL_NOTE_TENSOR_CORE, false, true, CUDNN_STATUS_SUCCESS, 8200},
};
enum { NUM_ENGINES = sizeof(engines) / sizeof(engines[0]) };

static int engineOf(const Descriptor *configuration) {
  int64_t index = integer(reference(configuration, CUDNN_ATTR_ENGINECFG_ENGINE), CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  for (int i = 0; i < NUM_ENGINES; ++i)
    if (engines[i].index == index)
      return i;
  return -1;
}

static Descriptor *newInner(Descriptor *outer, cudnnBackendDescriptorType_t type) {
  Descriptor *descriptor = newDescriptor(type);
  descriptor->finalized = true;
  outer->inner[outer->numInner++] = descriptor;
  return descriptor;
}

/// Fills in a descriptor that the caller has made: configuration `i`.
static void fillConfig(Descriptor *configuration, const Descriptor *graph, int i) {
  Descriptor *engine = newInner(configuration, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
  set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &engines[i].index);
  configuration->finalized = true;
  set(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &engine);
  if (!engines[i].hasKnobs)
    return;
  cudnnBackendDescriptor_t knobs[2];
  for (int k = 0; k < 2; ++k) {
    Descriptor *knob = newInner(configuration, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    set(knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &(int){2 + 11 * k});
    set(knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &(int64_t){5 - 4 * k});
    knobs[k] = knob;
  }
  set(configuration, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, knobs);
}

/// Copies a descriptor into one that the caller has made.
static void copyInto(const Descriptor *from, Descriptor *to) {
  to->finalized = true;
  to->count = from->count;
  memcpy(to->attributes, from->attributes, (size_t)from->count * sizeof(*from->attributes));
}

static cudnnStatus_t getResults(const Descriptor *heuristics, int64_t requested, int64_t *count,
                                cudnnBackendDescriptor_t *configs) {
  const Descriptor *graph = reference(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  bool fallback = integer(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE) == CUDNN_HEUR_MODE_FALLBACK;
  *count = fallback ? 1 : NUM_ENGINES;
  for (int64_t i = 0; i < requested && i < *count; ++i)
    fillConfig(configs[i], graph, fallback ? NUM_ENGINES - 2 : (int)i);
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t getNotes(const Descriptor *engine, int64_t *count, void *notes) {
  *count = 0;
  for (int i = 0; i < NUM_ENGINES; ++i)
    if (engines[i].index == integer(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX) && engines[i].hasNote)
      ((cudnnBackendNumericalNote_t *)notes)[(*count)++] = engines[i].note;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t requested, int64_t *count,
                                       void *elements) {
  ENTER(cudnnBackendGetAttribute);
  const Descriptor *descriptor = handle;
  if (!isObject(descriptor, KIND_DNN_DESCRIPTOR, "cudnnBackendGetAttribute") || !descriptor->finalized)
    return badParameter("attribute %d of a descriptor that is not finalized", (int)name);
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS)
    return getResults(descriptor, requested, count, elements);
  if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE)
    return getNotes(descriptor, count, elements);
  const Attribute *attribute = find(descriptor, name);
  *count = attribute ? attribute->count : 0;
  if (attribute && attribute->type != type)
    return badParameter("attribute %d has type %d", (int)name, (int)attribute->type);
  for (int64_t i = 0; i < *count && i < requested; ++i)
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
      copyInto(((Descriptor *const *)(const void *)attribute->elements)[i], ((Descriptor **)elements)[i]);
    else
      memcpy((char *)elements + (size_t)i * bytesOf(type), attribute->elements + (size_t)i * bytesOf(type),
             bytesOf(type));
  return CUDNN_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Finalizing
//===----------------------------------------------------------------------===//

/// Whether all attributes of a list, ended by -1, are there.
static cudnnStatus_t requireAll(const Descriptor *descriptor, const int *names) {
  for (; *names >= 0; ++names)
    if (!find(descriptor, (cudnnBackendAttributeName_t)*names))
      return badParameter("descriptor type %d lacks attribute %d", (int)descriptor->type, *names);
  return CUDNN_STATUS_SUCCESS;
}
#define REQUIRE(...) requireAll(descriptor, (const int[]){__VA_ARGS__, -1})

static cudnnStatus_t checkTensor(const Descriptor *descriptor) {
  cudnnStatus_t status = REQUIRE(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_ATTR_TENSOR_STRIDES,
                                 CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  if (status)
    return status;
  const Attribute *dims = find(descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS);
  const Attribute *strides = find(descriptor, CUDNN_ATTR_TENSOR_STRIDES);
  if (dims->count != strides->count || dims->count < 3 || dims->count > RUN_MAX_RANK)
    return badParameter("a tensor of %lld dimensions", (long long)dims->count);
  for (int64_t i = 0; i < dims->count; ++i)
    if (((const int64_t *)(const void *)dims->elements)[i] < 1 ||
        ((const int64_t *)(const void *)strides->elements)[i] < 1)
      return badParameter("a dimension or stride is not positive");
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t checkConvolution(const Descriptor *descriptor) {
  return REQUIRE(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                 CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
                 CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
                 CUDNN_ATTR_CONVOLUTION_DILATIONS);
}

static RunTensor tensorOf(const Descriptor *descriptor) {
  RunTensor tensor = {
      .type = (cudnnDataType_t)integer(descriptor, CUDNN_ATTR_TENSOR_DATA_TYPE),
      .rank = find(descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS)->count,
      .id = integer(descriptor, CUDNN_ATTR_TENSOR_UNIQUE_ID),
      .alignment = integer(descriptor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT),
  };
  integers(descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.dims);
  integers(descriptor, CUDNN_ATTR_TENSOR_STRIDES, tensor.strides);
  return tensor;
}

/// The names of an operation's parts: image, filter, output, convolution, alpha, beta.
static const int *partsOf(cudnnBackendDescriptorType_t type) {
  static const int forward[] = {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                                -1};
  static const int data[] = {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                             -1};
  static const int filter[] = {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                               CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                               -1};
  return type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR         ? forward
         : type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ? data
                                                                                : filter;
}

static RunConvolution convolutionOf(const Descriptor *operation) {
  const int *parts = partsOf(operation->type);
  const Descriptor *convolution = reference(operation, (cudnnBackendAttributeName_t)parts[3]);
  RunConvolution run = {
      .type = operation->type,
      .compute = (cudnnDataType_t)integer(convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE),
      .flipped = integer(convolution, CUDNN_ATTR_CONVOLUTION_CONV_MODE) == CUDNN_CONVOLUTION,
      .numSpatial = integer(convolution, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS),
      .image = tensorOf(reference(operation, (cudnnBackendAttributeName_t)parts[0])),
      .filter = tensorOf(reference(operation, (cudnnBackendAttributeName_t)parts[1])),
      .output = tensorOf(reference(operation, (cudnnBackendAttributeName_t)parts[2])),
  };
  integers(convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, run.low);
  integers(convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, run.high);
  integers(convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, run.strides);
  integers(convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, run.dilations);
  return run;
}

static cudnnStatus_t checkOperation(const Descriptor *descriptor) {
  cudnnStatus_t status = requireAll(descriptor, partsOf(descriptor->type));
  if (status)
    return status;
  RunConvolution run = convolutionOf(descriptor);
  const char *reason = checkRunConvolution(&run);
  return reason ? badParameter("%s", reason) : CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t checkPointwise(const Descriptor *descriptor) {
  cudnnStatus_t status = REQUIRE(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                 CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  const Descriptor *pointwise = status ? NULL : reference(descriptor, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  if (pointwise && integer(pointwise, CUDNN_ATTR_POINTWISE_MODE) == CUDNN_POINTWISE_ADD)
    status = REQUIRE(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  return status;
}

/// Operation `i` of a graph; NULL behind the last.
static const Descriptor *operationOf(const Descriptor *graph, int64_t i) {
  const Attribute *operations = find(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  return i < operations->count ? ((Descriptor *const *)(const void *)operations->elements)[i] : NULL;
}

/// Adds the operations behind the convolution, each of which must use the tensor that the one before computes.
static cudnnStatus_t addEpilogue(RunConvolution *run, const Descriptor *graph) {
  const Descriptor *last =
      reference(operationOf(graph, 0), (cudnnBackendAttributeName_t)partsOf(operationOf(graph, 0)->type)[2]);
  for (int64_t i = 1; operationOf(graph, i); ++i) {
    const Descriptor *operation = operationOf(graph, i);
    if (reference(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC) != last ||
        !integer(last, CUDNN_ATTR_TENSOR_IS_VIRTUAL))
      return badParameter("operation %lld does not use the one before", (long long)i);
    const Descriptor *pointwise = reference(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    if (integer(pointwise, CUDNN_ATTR_POINTWISE_MODE) == CUDNN_POINTWISE_ADD)
      run->added[run->numAdded++] = tensorOf(reference(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
    else
      run->relu = true;
    last = reference(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  }
  run->output = tensorOf(last);
  return integer(last, CUDNN_ATTR_TENSOR_IS_VIRTUAL) ? badParameter("the result is nowhere") : CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t checkGraph(const Descriptor *descriptor) {
  cudnnStatus_t status = REQUIRE(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  if (status)
    return status;
  RunConvolution run = convolutionOf(operationOf(descriptor, 0));
  status = addEpilogue(&run, descriptor);
  if (status || hasOneLayout(&run))
    return status;
  violation("cudnnBackendFinalize: the operands of a convolution are not dense in one layout");
  return CUDNN_STATUS_NOT_SUPPORTED;
}

static cudnnStatus_t checkPlan(const Descriptor *descriptor) {
  cudnnStatus_t status = REQUIRE(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
  if (status)
    return status;
  int engine = engineOf(reference(descriptor, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  if (engine < 0)
    return CUDNN_STATUS_NOT_SUPPORTED;
  if (engines[engine].status)
    return engines[engine].status;
  set((Descriptor *)(uintptr_t)descriptor, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
      &engines[engine].workspace);
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t check(const Descriptor *descriptor) {
  switch (descriptor->type) {
  case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    return checkTensor(descriptor);
  case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
    return checkConvolution(descriptor);
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    return checkOperation(descriptor);
  case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
    return checkGraph(descriptor);
  case CUDNN_BACKEND_POINTWISE_DESCRIPTOR:
    return REQUIRE(CUDNN_ATTR_POINTWISE_MODE, CUDNN_ATTR_POINTWISE_MATH_PREC);
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    return checkPointwise(descriptor);
  case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    return REQUIRE(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINEHEUR_MODE);
  case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
    return REQUIRE(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
    return REQUIRE(CUDNN_ATTR_ENGINECFG_ENGINE);
  case CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR:
    return REQUIRE(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
  case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
    return checkPlan(descriptor);
  case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
    return REQUIRE(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                   CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  default:
    return badParameter("descriptor type %d is unknown to the test double", (int)descriptor->type);
  }
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
  ENTER(cudnnBackendFinalize);
  Descriptor *descriptor = handle;
  if (!isObject(descriptor, KIND_DNN_DESCRIPTOR, "cudnnBackendFinalize") || descriptor->finalized)
    return badParameter("a descriptor is finalized twice");
  cudnnStatus_t status = check(descriptor);
  descriptor->finalized = status == CUDNN_STATUS_SUCCESS;
  return status;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// The address of the tensor with an id; 0 if the data do not have it, or not aligned as was promised.
static CUdeviceptr addressOf(const Descriptor *data, const RunTensor *tensor) {
  const Attribute *ids = find(data, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const Attribute *pointers = find(data, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  for (int64_t i = 0; i < ids->count && i < pointers->count; ++i)
    if (((const int64_t *)(const void *)ids->elements)[i] == tensor->id) {
      CUdeviceptr address = ((const CUdeviceptr *)(const void *)pointers->elements)[i];
      if (address % (CUdeviceptr)tensor->alignment == 0)
        return address;
      violation("cudnnBackendExecute: operand %lld is not aligned to %lld bytes, as was promised",
                (long long)tensor->id, (long long)tensor->alignment);
    }
  return 0;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t planHandle,
                                  cudnnBackendDescriptor_t dataHandle) {
  ENTER(cudnnBackendExecute);
  const Descriptor *plan = planHandle, *data = dataHandle;
  if (!isObject(handle, KIND_DNN, "cudnnBackendExecute") ||
      !isObject(plan, KIND_DNN_DESCRIPTOR, "cudnnBackendExecute") ||
      !isObject(data, KIND_DNN_DESCRIPTOR, "cudnnBackendExecute") || !plan->finalized || !data->finalized)
    return badParameter("a plan or its data are not finalized");
  const Descriptor *configuration = reference(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const Descriptor *graph =
      reference(reference(configuration, CUDNN_ATTR_ENGINECFG_ENGINE), CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  int engine = engineOf(configuration);
  RunConvolution *run = malloc(sizeof(*run));
  if (!run)
    abort();
  *run = convolutionOf(operationOf(graph, 0));
  addEpilogue(run, graph);
  for (int i = 0; i < run->numAdded; ++i)
    run->added[i].data = addressOf(data, &run->added[i]);
  run->image.data = addressOf(data, &run->image);
  run->filter.data = addressOf(data, &run->filter);
  run->output.data = addressOf(data, &run->output);
  run->workspace = (CUdeviceptr)integer(data, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  run->workspaceBytes = (size_t)engines[engine].workspace;
  run->roundsToTf32 = engines[engine].hasNote && run->image.type == CUDNN_DATA_FLOAT;
  if (engines[engine].note == CUDNN_NUMERICAL_NOTE_WINOGRAD)
    violation("cudnnBackendExecute: an engine that transforms its operands");
  if (engines[engine].note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)
    violation("cudnnBackendExecute: an engine that rounds its operands to a smaller type");
  if (!run->image.data || !run->filter.data || !run->output.data)
    return badParameter("the data lack an operand");
  return enqueue(((Handle *)(void *)handle)->stream,
                 &(Op){.kind = OP_CONVOLUTION, .convolution = run, .fasterWays = NUM_ENGINES - 1 - engine})
             ? CUDNN_STATUS_EXECUTION_FAILED
             : CUDNN_STATUS_SUCCESS;
}
