//===- dot_onednn.c - dot through oneDNN's matmul ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// oneDNN takes the operands with their strides. An operand is packed into a dense copy at each execution where rows or
// columns have no single stride, or where oneDNN would use its reference code for the strides.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // RTLD_DEFAULT

#include "runtime/library/cpu_dot.h"
#include "runtime/library/dot_implementation.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// An operand as oneDNN sees it.
typedef struct {
  StitchMatrices matrices; // as the caller's data are
  bool packed;
  void *copy; // of the packed operand
  dnnl_memory_desc_t desc;
  dnnl_memory_t memory;
} OnednnOperand;

struct StitchDotOneDnn {
  OnednnOperand lhs;
  OnednnOperand rhs;
  dnnl_memory_desc_t resultDesc;
  dnnl_memory_t result;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
};

static StitchStatus check(dnnl_status_t status, const char *call) {
  switch (status) {
  case dnnl_success:
    return NULL;
  case dnnl_out_of_memory:
    return stitchStatusAnnotate(stitchStatusOutOfMemory(), "oneDNN: %s", call);
  case dnnl_invalid_arguments:
    return stitchStatusMake(STITCH_INTERNAL, "oneDNN: %s: invalid arguments", call);
  case dnnl_unimplemented:
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "oneDNN: %s: unimplemented", call);
  default:
    return stitchStatusMake(STITCH_DEVICE_ERROR, "oneDNN: %s: status %d", call, (int)status);
  }
}

/// CHECKED(f, x) is f(x) with its status.
#define CHECKED(function, ...) check(function(__VA_ARGS__), #function)

static bool typeOf(StitchElementType type, dnnl_data_type_t *result) {
  switch (type) {
  case STITCH_ELEMENT_F32:
    *result = dnnl_f32;
    return true;
  case STITCH_ELEMENT_BF16:
    *result = dnnl_bf16;
    return true;
  case STITCH_ELEMENT_F16:
    *result = dnnl_f16;
    return true;
  default:
    return false;
  }
}

/// A stride for a dimension of size 1, whose neighbour has the given size and stride: one that a dense matrix has.
static int64_t strideBeside(int64_t size, int64_t stride) { return stride == 1 ? size : 1; }

static void appendDim(dnnl_dims_t dims, dnnl_dims_t strides, int *rank, int64_t size, int64_t stride) {
  dims[*rank] = size;
  strides[(*rank)++] = stride;
}

/// The descriptor of [batch...][rows][columns], with rows and columns collapsed into one dimension each.
static StitchStatus describeMatrices(const StitchMatrices *matrices, dnnl_memory_desc_t *desc) {
  StitchAxes rows = matrices->rows;
  StitchAxes columns = matrices->columns;
  dnnl_data_type_t type;
  if (!stitchAxesCollapse(&rows) || !stitchAxesCollapse(&columns) || !typeOf(matrices->type, &type) ||
      matrices->batch.rank + 2 > DNNL_MAX_NDIMS)
    return stitchStatusMake(STITCH_INTERNAL, "oneDNN: an operand without a descriptor");

  int64_t numRows = stitchAxesSize(&rows);
  int64_t numColumns = stitchAxesSize(&columns);
  int64_t columnStride = columns.rank ? columns.strides[0] : strideBeside(numRows, rows.rank ? rows.strides[0] : 1);
  int64_t rowStride = rows.rank ? rows.strides[0] : strideBeside(numColumns, columnStride);
  dnnl_dims_t dims;
  dnnl_dims_t strides;
  int rank = 0;
  for (int64_t i = 0; i < matrices->batch.rank; ++i)
    appendDim(dims, strides, &rank, matrices->batch.sizes[i], matrices->batch.strides[i]);
  appendDim(dims, strides, &rank, numRows, rowStride);
  appendDim(dims, strides, &rank, numColumns, columnStride);
  return CHECKED(dnnl_memory_desc_init_by_strides, desc, rank, dims, type, strides);
}

static StitchStatus describeOperand(OnednnOperand *operand) {
  StitchMatrices seen = operand->packed ? stitchMatricesDense(&operand->matrices) : operand->matrices;
  return describeMatrices(&seen, &operand->desc);
}

/// The dense result has lhs' batch and rows and rhs' columns.
static StitchStatus describeResult(const StitchDotShape *shape, dnnl_memory_desc_t *desc) {
  StitchMatrices result = {shape->result.type, shape->lhs.batch, shape->lhs.rows, shape->rhs.columns};
  result = stitchMatricesDense(&result);
  return describeMatrices(&result, desc);
}

/// Sets `primitive` to NULL if oneDNN has none for these descriptors.
static StitchStatus createMatmul(StitchDotOneDnn *dot, dnnl_primitive_t *primitive) {
  dnnl_matmul_desc_t matmul;
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t desc = NULL;
  *primitive = NULL;
  StitchStatus status = CHECKED(dnnl_matmul_desc_init, &matmul, &dot->lhs.desc, &dot->rhs.desc, NULL, &dot->resultDesc);
  if (!status)
    status = CHECKED(dnnl_primitive_attr_create, &attr);
  if (!status) // never less precise than the types say, whatever the environment asks oneDNN for
    status = CHECKED(dnnl_primitive_attr_set_fpmath_mode, attr, dnnl_fpmath_mode_strict);
  if (!status)
    status = CHECKED(dnnl_primitive_desc_create, &desc, &matmul, attr, dot->engine, NULL);
  if (!status)
    status = CHECKED(dnnl_primitive_create, primitive, desc);
  if (desc)
    dnnl_primitive_desc_destroy(desc);
  if (attr)
    dnnl_primitive_attr_destroy(attr);
  if (stitchStatusCode(status) == STITCH_UNIMPLEMENTED) {
    stitchStatusFree(status);
    return NULL;
  }
  return status;
}

static const char *implementationName(dnnl_primitive_t primitive) {
  const_dnnl_primitive_desc_t desc;
  const char *name;
  if (dnnl_primitive_get_primitive_desc(primitive, &desc) != dnnl_success ||
      dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, (void *)&name) != dnnl_success)
    return "?";
  return name;
}

static bool isOptimised(dnnl_primitive_t primitive) {
  return primitive && strncmp(implementationName(primitive), "ref", 3) != 0;
}

static StitchStatus describeOperands(StitchDotOneDnn *dot, bool lhsPacked, bool rhsPacked) {
  dot->lhs.packed = lhsPacked;
  dot->rhs.packed = rhsPacked;
  StitchStatus status = describeOperand(&dot->lhs);
  return status ? status : describeOperand(&dot->rhs);
}

/// The primitive for the operands as they are, or packed where that gives a better one.
static StitchStatus createPrimitive(StitchDotOneDnn *dot) {
  bool lhsPacked = !stitchMatricesAreStrided(&dot->lhs.matrices);
  bool rhsPacked = !stitchMatricesAreStrided(&dot->rhs.matrices);
  StitchStatus status = describeOperands(dot, lhsPacked, rhsPacked);
  if (!status)
    status = createMatmul(dot, &dot->primitive);
  if (status || (lhsPacked && rhsPacked) || isOptimised(dot->primitive))
    return status;

  dnnl_primitive_t dense = NULL;
  status = describeOperands(dot, true, true);
  if (!status)
    status = createMatmul(dot, &dense);
  if (!isOptimised(dense)) {
    if (dense)
      dnnl_primitive_destroy(dense);
    return status ? status : describeOperands(dot, lhsPacked, rhsPacked);
  }
  if (dot->primitive)
    dnnl_primitive_destroy(dot->primitive);
  dot->primitive = dense;
  return NULL;
}

static StitchStatus createMemory(StitchDotOneDnn *dot, OnednnOperand *operand) {
  void *data = DNNL_MEMORY_NONE;
  if (operand->packed) {
    size_t bytes = dnnl_memory_desc_get_size(&operand->desc);
    operand->copy = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!operand->copy)
      return stitchStatusOutOfMemory();
    data = operand->copy;
  }
  return CHECKED(dnnl_memory_create, &operand->memory, &operand->desc, dot->engine, data);
}

StitchStatus stitchDotOneDnnCreate(const StitchDotShape *shape, StitchDotOneDnn **result) {
  dnnl_data_type_t unused;
  *result = NULL;
  if (!typeOf(shape->lhs.type, &unused) || !typeOf(shape->rhs.type, &unused) || !typeOf(shape->result.type, &unused) ||
      shape->lhs.batch.rank + 2 > DNNL_MAX_NDIMS)
    return NULL;
  StitchDotOneDnn *dot = calloc(1, sizeof(*dot));
  if (!dot)
    return stitchStatusOutOfMemory();
  dot->lhs.matrices = shape->lhs;
  dot->rhs.matrices = shape->rhs;
  StitchStatus status = CHECKED(dnnl_engine_create, &dot->engine, dnnl_cpu, 0);
  if (!status)
    status = CHECKED(dnnl_stream_create, &dot->stream, dot->engine, dnnl_stream_default_flags);
  if (!status)
    status = describeResult(shape, &dot->resultDesc);
  if (!status)
    status = createPrimitive(dot);
  if (status || !dot->primitive) {
    stitchDotOneDnnDestroy(dot);
    return status;
  }
  status = createMemory(dot, &dot->lhs);
  if (!status)
    status = createMemory(dot, &dot->rhs);
  if (!status)
    status = CHECKED(dnnl_memory_create, &dot->result, &dot->resultDesc, dot->engine, DNNL_MEMORY_NONE);
  if (status)
    stitchDotOneDnnDestroy(dot);
  else
    *result = dot;
  return status;
}

/// oneDNN's handles are not const, but it only writes to results.
static StitchStatus setOperand(OnednnOperand *operand, const void *data) {
  if (!operand->packed)
    return CHECKED(dnnl_memory_set_data_handle, operand->memory, (void *)(uintptr_t)data);
  stitchMatricesPack(&operand->matrices, data, operand->copy);
  return NULL;
}

StitchStatus stitchDotOneDnnExecute(StitchDotOneDnn *dot, const void *lhs, const void *rhs, void *result) {
  dnnl_exec_arg_t arguments[] = {
      {DNNL_ARG_SRC, dot->lhs.memory}, {DNNL_ARG_WEIGHTS, dot->rhs.memory}, {DNNL_ARG_DST, dot->result}};
  StitchStatus status = setOperand(&dot->lhs, lhs);
  if (!status)
    status = setOperand(&dot->rhs, rhs);
  if (!status)
    status = CHECKED(dnnl_memory_set_data_handle, dot->result, result);
  if (!status)
    status = CHECKED(dnnl_primitive_execute, dot->primitive, dot->stream, 3, arguments);
  if (!status)
    status = CHECKED(dnnl_stream_wait, dot->stream);
  return status;
}

void stitchDotOneDnnDestroy(StitchDotOneDnn *dot) {
  if (!dot)
    return;
  if (dot->result)
    dnnl_memory_destroy(dot->result);
  if (dot->rhs.memory)
    dnnl_memory_destroy(dot->rhs.memory);
  if (dot->lhs.memory)
    dnnl_memory_destroy(dot->lhs.memory);
  if (dot->primitive)
    dnnl_primitive_destroy(dot->primitive);
  if (dot->stream)
    dnnl_stream_destroy(dot->stream);
  if (dot->engine)
    dnnl_engine_destroy(dot->engine);
  free(dot->rhs.copy);
  free(dot->lhs.copy);
  free(dot);
}

const char *stitchDotOneDnnImplementation(const StitchDotOneDnn *dot) { return implementationName(dot->primitive); }

/// OpenMP, as far as oneDNN has brought it along: this library is not linked with one.
static void *findOpenMp(const char *function) { return dlsym(RTLD_DEFAULT, function); }

int stitchDotLibraryThreads(void) {
  int (*get)(void) = (int (*)(void))(uintptr_t)findOpenMp("omp_get_max_threads");
  return get ? get() : 1;
}

int stitchDotOneDnnSetThreads(int count) {
  void (*set)(int) = (void (*)(int))(uintptr_t)findOpenMp("omp_set_num_threads");
  int before = stitchDotLibraryThreads();
  if (set)
    set(count);
  return before;
}

void stitchDotLibraryName(char *text, size_t size) {
  const dnnl_version_t *version = dnnl_version();
  snprintf(text, size, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
}
