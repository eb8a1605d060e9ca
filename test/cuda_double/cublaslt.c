//===- cublaslt.c - cuBLASLt of the test double --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Column-major matrices, strided batches, transposition of A and B. An algorithm says in its data which alignment of
// operands and how much workspace it was found for, and a product that does not keep to it is reported. Every
// product writes over its workspace: memory that is used for something else, too, does not survive it.
//
//===----------------------------------------------------------------------===//

#include "test/cuda_double/cublaslt_epilogue.h"
#include "test/cuda_double/elements.h"
#include "test/cuda_double/internal.h"
#include "test/cuda_double/touches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBLASLT_SYMBOL(result, name, parameters) EXPORTED result name parameters;
#include "runtime/cuda/cublaslt_symbols.def"
#undef CUBLASLT_SYMBOL

enum { ALGO_MAGIC = 0x57a1, NUM_ALGOS = 3, ALGO_SPLITS = 6 };

typedef struct {
  Object object;
} Handle;

typedef struct {
  Object object;
  cublasComputeType_t compute;
  cudaDataType scale;
  cublasOperation_t transA, transB;
  Epilogue epilogue;
} MatmulDesc;

typedef struct {
  Object object;
  cudaDataType type;
  int64_t rows, columns, leading;
  int32_t batch;
  int64_t stride;
} Layout;

typedef struct {
  Object object;
  uint64_t workspace;
  uint32_t schemes;
  uint32_t alignment[4];
} Preference;

struct Matmul {
  MatmulDesc desc;
  Layout a, b, d;
  CUdeviceptr dataA, dataB, dataD, workspace;
  size_t workspaceBytes;
  int64_t splits; ///< parts of a sum, which are added up in the end; 0: there is one
};

//===----------------------------------------------------------------------===//
// Handles and descriptors
//===----------------------------------------------------------------------===//

size_t cublasLtGetVersion(void) { return 130001; }

const char *cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return "CUBLAS_STATUS_SUCCESS";
  case CUBLAS_STATUS_NOT_INITIALIZED:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case CUBLAS_STATUS_ALLOC_FAILED:
    return "CUBLAS_STATUS_ALLOC_FAILED";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_ARCH_MISMATCH:
    return "CUBLAS_STATUS_ARCH_MISMATCH";
  case CUBLAS_STATUS_EXECUTION_FAILED:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case CUBLAS_STATUS_INTERNAL_ERROR:
    return "CUBLAS_STATUS_INTERNAL_ERROR";
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "?";
}

const char *cublasLtGetStatusString(cublasStatus_t status) {
  return status ? "as the test double was told" : "success";
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  ENTER(cublasLtCreate);
  if (!currentContext("cublasLtCreate"))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = newObject(KIND_BLAS, sizeof(Handle));
  return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t destroy(void *object, Kind kind, const char *function) {
  if (!isObject(object, kind, function))
    return CUBLAS_STATUS_INVALID_VALUE;
  destroyObject(object);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  ENTER(cublasLtDestroy);
  return destroy(handle, KIND_BLAS, "cublasLtDestroy");
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType scale) {
  ENTER(cublasLtMatmulDescCreate);
  MatmulDesc *created = newObject(KIND_MATMUL, sizeof(*created));
  created->compute = compute;
  created->scale = scale;
  created->epilogue.kind = CUBLASLT_EPILOGUE_DEFAULT;
  *desc = created;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  ENTER(cublasLtMatmulDescDestroy);
  return destroy(desc, KIND_MATMUL, "cublasLtMatmulDescDestroy");
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes) {
  ENTER(cublasLtMatmulDescSetAttribute);
  MatmulDesc *matmul = desc;
  if (!isObject(desc, KIND_MATMUL, "cublasLtMatmulDescSetAttribute"))
    return CUBLAS_STATUS_INVALID_VALUE;
  const struct {
    cublasLtMatmulDescAttributes_t attribute;
    void *field;
    size_t bytes;
  } fields[] = {
      {CUBLASLT_MATMUL_DESC_TRANSA, &matmul->transA, sizeof(matmul->transA)},
      {CUBLASLT_MATMUL_DESC_TRANSB, &matmul->transB, sizeof(matmul->transB)},
      {CUBLASLT_MATMUL_DESC_EPILOGUE, &matmul->epilogue.kind, sizeof(matmul->epilogue.kind)},
      {CUBLASLT_MATMUL_DESC_BIAS_POINTER, &matmul->epilogue.vector, sizeof(matmul->epilogue.vector)},
      {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &matmul->epilogue.matrix, sizeof(matmul->epilogue.matrix)},
      {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &matmul->epilogue.leading, sizeof(matmul->epilogue.leading)},
  };
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i)
    if (fields[i].attribute == attribute && fields[i].bytes == bytes) {
      memcpy(fields[i].field, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  ENTER(cublasLtMatrixLayoutCreate);
  if (rows == 0 || columns == 0 || leading < (int64_t)rows) {
    violation("cublasLtMatrixLayoutCreate: %llu x %llu with a leading dimension of %lld", (unsigned long long)rows,
              (unsigned long long)columns, (long long)leading);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Layout *created = newObject(KIND_LAYOUT, sizeof(*created));
  created->type = type;
  created->rows = (int64_t)rows;
  created->columns = (int64_t)columns;
  created->leading = leading;
  created->batch = 1;
  *layout = created;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  ENTER(cublasLtMatrixLayoutDestroy);
  return destroy(layout, KIND_LAYOUT, "cublasLtMatrixLayoutDestroy");
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void *value,
                                                size_t bytes) {
  ENTER(cublasLtMatrixLayoutSetAttribute);
  Layout *layout = handle;
  bool isBatch = attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
  if (!isObject(layout, KIND_LAYOUT, "cublasLtMatrixLayoutSetAttribute") ||
      bytes != (isBatch ? sizeof(layout->batch) : sizeof(layout->stride)))
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(isBatch ? (void *)&layout->batch : (void *)&layout->stride, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  ENTER(cublasLtMatmulPreferenceCreate);
  *preference = newObject(KIND_PREFERENCE, sizeof(Preference));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  ENTER(cublasLtMatmulPreferenceDestroy);
  return destroy(preference, KIND_PREFERENCE, "cublasLtMatmulPreferenceDestroy");
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t handle,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
                                                    size_t bytes) {
  ENTER(cublasLtMatmulPreferenceSetAttribute);
  Preference *preference = handle;
  void *field = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? (void *)&preference->workspace
                : attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK
                    ? (void *)&preference->schemes
                    : (void *)&preference->alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES];
  size_t expected = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? sizeof(uint64_t) : sizeof(uint32_t);
  if (!isObject(preference, KIND_PREFERENCE, "cublasLtMatmulPreferenceSetAttribute") || bytes != expected)
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(field, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

/// The product's inner size, or 0 if the operands do not fit together.
static int64_t innerSize(const MatmulDesc *desc, const Layout *a, const Layout *b, const Layout *d) {
  int64_t m = desc->transA ? a->columns : a->rows, k = desc->transA ? a->rows : a->columns;
  int64_t n = desc->transB ? b->rows : b->columns, kb = desc->transB ? b->columns : b->rows;
  bool fits =
      k == kb && m == d->rows && n == d->columns && a->batch == b->batch && a->batch == d->batch && a->type == b->type;
  return fits ? k : 0;
}

static bool areDescriptors(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                           cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                           const char *function) {
  return isObject(handle, KIND_BLAS, function) && isObject(desc, KIND_MATMUL, function) &&
         isObject(a, KIND_LAYOUT, function) && isObject(b, KIND_LAYOUT, function) &&
         isObject(c, KIND_LAYOUT, function) && isObject(d, KIND_LAYOUT, function);
}

static StitchElementType elementOf(cudaDataType type) {
  switch (type) {
  case CUDA_R_64F:
    return STITCH_ELEMENT_F64;
  case CUDA_R_32F:
    return STITCH_ELEMENT_F32;
  case CUDA_R_32I:
    return STITCH_ELEMENT_I32;
  case CUDA_R_16F:
    return STITCH_ELEMENT_F16;
  case CUDA_R_16BF:
    return STITCH_ELEMENT_BF16;
  case CUDA_R_8I:
    return STITCH_ELEMENT_I8;
  case CUDA_C_32F:
    return STITCH_ELEMENT_COMPLEX64;
  case CUDA_C_64F:
    return STITCH_ELEMENT_COMPLEX128;
  }
  abort();
}

static EpilogueShape epilogueShape(const MatmulDesc *desc, const Layout *a, const Layout *b, const Layout *d) {
  return (EpilogueShape){
      .operand = elementOf(a->type),
      .result = elementOf(d->type),
      .rows = d->rows,
      .columns = d->columns,
      .inner = innerSize(desc, a, b, d),
      .batch = d->batch,
  };
}

/// The types that cublasLtMatmul's table has ("Supported data types" of its description).
static bool areTyped(const MatmulDesc *desc, const Layout *a, const Layout *d) {
  static const struct {
    cublasComputeType_t compute;
    cudaDataType scale, operands, result;
  } table[] = {
      {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F},
      {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F},
      {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF},
      {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F},
      {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
      {CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
      {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
      {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
      {CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
      {CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
      {CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I},
  };
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i)
    if (table[i].compute == desc->compute && table[i].scale == desc->scale && table[i].operands == a->type &&
        table[i].result == d->type)
      return true;
  return false;
}

static bool isAtMultiplesOf4(const Layout *layout) {
  return layout->leading % 4 == 0 && layout->stride * (int64_t)stitchElementBytes(elementOf(layout->type)) % 4 == 0;
}

/// Of integers: "To use IMMA kernels" of the same description. Where this does not hold, algorithms that heuristics
/// named have been refused by cublasLtMatmul, and have computed something else.
static void checkTypes(const MatmulDesc *desc, const Layout *a, const Layout *b, const Layout *d,
                       const char *function) {
  if (!areTyped(desc, a, d))
    violation("%s: types %d to %d, computed in %d, scaled in %d", function, (int)a->type, (int)d->type,
              (int)desc->compute, (int)desc->scale);
  if (desc->compute == CUBLAS_COMPUTE_32I && (d->rows % 4 != 0 || innerSize(desc, a, b, d) % 4 != 0 ||
                                              !isAtMultiplesOf4(a) || !isAtMultiplesOf4(b) || !isAtMultiplesOf4(d)))
    violation("%s: a product of integers with a size or leading dimension that is no multiple of 4", function);
}

/// Into how many parts an algorithm splits sums, if it may and shall: fewer elements take more, as blocks would be
/// idle.
static uint64_t splitsFor(uint32_t schemes, const Layout *d) {
  int64_t elements = d->rows * d->columns;
  return schemes == CUBLASLT_REDUCTION_SCHEME_NONE || !config.splits ? 1
         : elements < 1024                                           ? 3
         : elements < 16384                                          ? 2
                                                                     : 1;
}

/// Algorithm `index`: the workspace that it needs grows with the index, and the first needs some, too.
static cublasLtMatmulHeuristicResult_t algorithm(int index, const Preference *preference, uint64_t splits) {
  cublasLtMatmulHeuristicResult_t result = {.workspaceSize = (size_t)(index + 1) * 4096, .wavesCount = 1.0f};
  result.algo.data[0] = ALGO_MAGIC;
  result.algo.data[1] = (uint64_t)index;
  for (int i = 0; i < 4; ++i)
    result.algo.data[2 + i] = preference->alignment[i];
  result.algo.data[ALGO_SPLITS] = splits;
  return result;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t *results, int *count) {
  ENTER(cublasLtMatmulAlgoGetHeuristic);
  *count = 0;
  if (!areDescriptors(handle, desc, a, b, c, d, "cublasLtMatmulAlgoGetHeuristic") ||
      !isObject(preference, KIND_PREFERENCE, "cublasLtMatmulAlgoGetHeuristic") || innerSize(desc, a, b, d) == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  uint32_t schemes = ((const Preference *)preference)->schemes;
  if (schemes != CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE && schemes != CUBLASLT_REDUCTION_SCHEME_NONE)
    violation("cublasLtMatmulAlgoGetHeuristic: partial sums may be rounded to the type of the result");
  checkTypes(desc, a, b, d, "cublasLtMatmulAlgoGetHeuristic");
  EpilogueShape shape = epilogueShape(desc, a, b, d);
  cublasStatus_t status = checkEpilogue(&((MatmulDesc *)desc)->epilogue, &shape, "cublasLtMatmulAlgoGetHeuristic");
  if (status)
    return status;
  for (; *count < requested && *count < NUM_ALGOS; ++*count)
    results[*count] = algorithm(*count, preference, splitsFor(schemes, d));
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// op(matrix) as a dense row-major array: rows x columns after the operation. Real numbers have no imaginary part.
static double complex *widen(const Layout *layout, cublasOperation_t operation, const void *data, int64_t batch) {
  double complex *result = malloc((size_t)(layout->rows * layout->columns + 1) * sizeof(*result));
  if (!result)
    abort();
  for (int64_t c = 0; c < layout->columns; ++c)
    for (int64_t r = 0; r < layout->rows; ++r) {
      double complex value =
          loadComplexElement(elementOf(layout->type), data, batch * layout->stride + c * layout->leading + r);
      result[operation == CUBLAS_OP_N ? r * layout->columns + c : c * layout->rows + r] = value;
    }
  return result;
}

static double complex narrowed(double complex value) {
  return __builtin_complex((double)(float)creal(value), (double)(float)cimag(value));
}

static double complex roundedToTf32(double complex value) {
  return __builtin_complex(roundToTf32(creal(value)), roundToTf32(cimag(value)));
}

/// Sums in the type that the descriptor computes in.
static void multiply(const Matmul *p, const void *a, const void *b, const EpilogueRun *epilogue, void *d,
                     int64_t batch) {
  int64_t m = p->d.rows, n = p->d.columns, k = innerSize(&p->desc, &p->a, &p->b, &p->d);
  double complex *left = widen(&p->a, p->desc.transA, a, batch), *right = widen(&p->b, p->desc.transB, b, batch);
  double complex *sums = malloc((size_t)n * sizeof(*sums)), *parts = malloc((size_t)n * sizeof(*parts));
  double complex *stored = malloc((size_t)(m * n) * sizeof(*stored));
  StitchElementType type = elementOf(p->d.type);
  bool isTf32 = p->desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32,
       narrow = isTf32 || p->desc.compute == CUBLAS_COMPUTE_32F;
  int64_t splits = p->splits ? p->splits : 1; // products of cuBLAS have none
  if (!sums || !parts || !stored)
    abort();
  for (int64_t i = 0; i < m; ++i) {
    memset(sums, 0, (size_t)n * sizeof(*sums));
    for (int64_t part = 0; part < splits; ++part) {
      memset(parts, 0, (size_t)n * sizeof(*parts));
      for (int64_t l = part * k / splits; l < (part + 1) * k / splits; ++l)
        for (int64_t j = 0; j < n; ++j) {
          double complex x = left[i * k + l], y = right[l * n + j];
          double complex sum = parts[j] + (isTf32 ? roundedToTf32(x) * roundedToTf32(y) : x * y);
          parts[j] = narrow ? narrowed(sum) : sum;
        }
      for (int64_t j = 0; j < n; ++j)
        sums[j] = narrow ? narrowed(sums[j] + parts[j]) : sums[j] + parts[j];
    }
    for (int64_t j = 0; j < n; ++j) {
      int64_t place = batch * p->d.stride + j * p->d.leading + i;
      if (p->desc.epilogue.kind == CUBLASLT_EPILOGUE_DEFAULT)
        storeComplexElement(type, d, place, sums[j]);
      else
        storeElement(type, d, place, finishElement(epilogue, i, j, creal(sums[j])));
      stored[i * n + j] = loadComplexElement(type, d, place);
    }
  }
  finishVector(epilogue, left, right, stored);
  free(left);
  free(right);
  free(sums);
  free(parts);
  free(stored);
}

/// A batch may be the same matrix again and again.
static void touchMatrices(const Layout *layout, const void *data, bool isStore) {
  size_t bytes = stitchElementBytes(elementOf(layout->type));
  for (int64_t i = 0; i < layout->batch; ++i)
    touchStrided((const char *)data + (size_t)(i * layout->stride) * bytes, (size_t)layout->columns,
                 (size_t)layout->leading * bytes, (size_t)layout->rows * bytes, isStore);
}

/// Bytes from the first to the last element of all matrices.
static size_t extent(const Layout *layout) {
  int64_t elements = (layout->batch - 1) * layout->stride + (layout->columns - 1) * layout->leading + layout->rows;
  return (size_t)elements * stitchElementBytes(elementOf(layout->type));
}

bool runMatmul(const Matmul *p) {
  const void *a = translate(p->dataA, extent(&p->a)), *b = translate(p->dataB, extent(&p->b));
  EpilogueShape shape = epilogueShape(&p->desc, &p->a, &p->b, &p->d);
  EpilogueRun epilogue;
  bool hasEpilogue = beginEpilogue(&p->desc.epilogue, &shape, &epilogue);
  void *d = translate(p->dataD, extent(&p->d));
  void *workspace = p->workspaceBytes ? translate(p->workspace, p->workspaceBytes) : NULL;
  if (!a || !b || !d || !hasEpilogue || (p->workspaceBytes && !workspace)) {
    fprintf(stderr, "cuda double: an operand of a matrix product is not device memory\n");
    return false;
  }
  if (workspace)
    memset(workspace, 0xff, p->workspaceBytes);
  touch(workspace, p->workspaceBytes, true);
  touchMatrices(&p->a, a, false);
  touchMatrices(&p->b, b, false);
  touchMatrices(&p->d, d, true);
  touchEpilogue(&epilogue);
  for (int64_t batch = 0; batch < p->d.batch; ++batch)
    multiply(p, a, b, &epilogue, d, batch);
  return true;
}

bool sameMatmul(const Matmul *a, const Matmul *b) {
  return a->desc.compute == b->desc.compute && a->desc.scale == b->desc.scale && a->desc.transA == b->desc.transA &&
         a->desc.transB == b->desc.transB && a->desc.epilogue.kind == b->desc.epilogue.kind &&
         a->workspaceBytes == b->workspaceBytes;
}

//===----------------------------------------------------------------------===//
// Products of cuBLAS
//===----------------------------------------------------------------------===//

static cudaDataType scaleOf(const PlainMatmul *p) {
  bool isComplex = p->cType == CUDA_C_32F || p->cType == CUDA_C_64F;
  if (p->compute == CUBLAS_COMPUTE_64F)
    return isComplex ? CUDA_C_64F : CUDA_R_64F;
  return isComplex ? CUDA_C_32F : CUDA_R_32F;
}

static Matmul matmulOf(const PlainMatmul *p) {
  bool plainA = p->transA == CUBLAS_OP_N, plainB = p->transB == CUBLAS_OP_N;
  Matmul matmul = {.desc = {.compute = p->compute, .scale = scaleOf(p), .transA = p->transA, .transB = p->transB}};
  matmul.desc.epilogue.kind = CUBLASLT_EPILOGUE_DEFAULT;
  matmul.a = (Layout){{0}, p->aType, plainA ? p->m : p->k, plainA ? p->k : p->m, p->lda, 1, 0};
  matmul.b = (Layout){{0}, p->bType, plainB ? p->k : p->n, plainB ? p->n : p->k, p->ldb, 1, 0};
  matmul.d = (Layout){{0}, p->cType, p->m, p->n, p->ldc, 1, 0};
  return matmul;
}

/// The table of cublasGemmBatchedEx's description has the types of areTyped but those of integers.
bool isPlainMatmul(const PlainMatmul *p, const char *function) {
  Matmul matmul = matmulOf(p);
  bool fits = p->m > 0 && p->n > 0 && p->k > 0 && p->lda >= matmul.a.rows && p->ldb >= matmul.b.rows && p->ldc >= p->m;
  if (!fits)
    violation("%s: sizes or leading dimensions that are none", function);
  bool isTyped =
      p->aType == p->bType && p->compute != CUBLAS_COMPUTE_32I && areTyped(&matmul.desc, &matmul.a, &matmul.d);
  if (!isTyped)
    violation("%s: types %d, %d to %d, computed in %d", function, (int)p->aType, (int)p->bType, (int)p->cType,
              (int)p->compute);
  return fits && isTyped;
}

bool isUnscaled(const PlainMatmul *p, const void *alpha, const void *beta) {
  StitchElementType type = elementOf(scaleOf(p));
  return loadComplexElement(type, alpha, 0) == 1.0 && loadComplexElement(type, beta, 0) == 0.0;
}

bool runPlainMatmul(const PlainMatmul *p, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) {
  Matmul matmul = matmulOf(p);
  matmul.dataA = a;
  matmul.dataB = b;
  matmul.dataD = c;
  return runMatmul(&matmul);
}

//===----------------------------------------------------------------------===//
// Products of cuBLASLt
//===----------------------------------------------------------------------===//

static void checkAlignment(const cublasLtMatmulAlgo_t *algo, CUdeviceptr a, CUdeviceptr b, CUdeviceptr d) {
  const CUdeviceptr addresses[] = {a, b, d, d};
  for (int i = 0; i < 4; ++i)
    if (algo->data[2 + i] && addresses[i] % algo->data[2 + i] != 0)
      violation("cublasLtMatmul: operand %c is not aligned to %d bytes, as was promised", "ABCD"[i],
                (int)algo->data[2 + i]);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t aLayout, const void *b, cublasLtMatrixLayout_t bLayout,
                              const void *beta, const void *c, cublasLtMatrixLayout_t cLayout, void *d,
                              cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspaceBytes, CUstream stream) {
  ENTER(cublasLtMatmul);
  if (!areDescriptors(handle, desc, aLayout, bLayout, cLayout, dLayout, "cublasLtMatmul") || c != d || !algo ||
      algo->data[0] != ALGO_MAGIC || workspaceBytes < (size_t)(algo->data[1] + 1) * 4096)
    return CUBLAS_STATUS_INVALID_VALUE;
  cudaDataType scale = ((MatmulDesc *)desc)->scale;
  if (loadComplexElement(elementOf(scale), alpha, 0) != 1.0 || loadComplexElement(elementOf(scale), beta, 0) != 0.0) {
    violation("cublasLtMatmul: alpha and beta are not 1 and 0");
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  checkTypes(desc, aLayout, bLayout, dLayout, "cublasLtMatmul");
  if (workspaceBytes && (uintptr_t)workspace % 256 != 0) // as cublasSetWorkspace requires
    violation("cublasLtMatmul: the workspace is not aligned to 256 bytes");
  EpilogueShape shape = epilogueShape(desc, aLayout, bLayout, dLayout);
  cublasStatus_t status = checkEpilogue(&((MatmulDesc *)desc)->epilogue, &shape, "cublasLtMatmul");
  if (status)
    return status;
  Matmul *matmul = calloc(1, sizeof(*matmul));
  if (!matmul)
    abort();
  *matmul = (Matmul){
      .desc = *(MatmulDesc *)desc,
      .a = *(Layout *)aLayout,
      .b = *(Layout *)bLayout,
      .d = *(Layout *)dLayout,
      .dataA = (CUdeviceptr)(uintptr_t)a,
      .dataB = (CUdeviceptr)(uintptr_t)b,
      .dataD = (CUdeviceptr)(uintptr_t)d,
      .workspace = (CUdeviceptr)(uintptr_t)workspace,
      .workspaceBytes = workspaceBytes,
      .splits = (int64_t)algo->data[ALGO_SPLITS],
  };
  checkAlignment(algo, matmul->dataA, matmul->dataB, matmul->dataD);
  int faster = NUM_ALGOS - 1 - (int)algo->data[1];
  const Layout *to = &matmul->d;
  uint64_t depth = (uint64_t)(matmul->desc.transA ? matmul->a.rows : matmul->a.columns);
  uint64_t problem = (uint64_t)to->rows << 40 ^ (uint64_t)to->columns << 20 ^ depth ^ (uint64_t)to->batch << 56;
  return enqueue(
             stream,
             &(Op){
                 .kind = OP_MATMUL, .matmul = matmul, .problem = problem, .columns = to->columns, .fasterWays = faster})
             ? CUBLAS_STATUS_EXECUTION_FAILED
             : CUBLAS_STATUS_SUCCESS;
}
