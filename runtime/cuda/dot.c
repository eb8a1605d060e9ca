//===- dot.c - tg.dot on a GPU -------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt's matrices are column-major: a matrix whose rows are contiguous is the transposed one for it, without
// anything being moved. So it computes the transposed result as rhs^T lhs^T; and where the result's columns are
// contiguous, the result itself as lhs rhs.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/dot.h"

#include "runtime/cuda/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 8, TIMED_CALLS = 5, KEY_BYTES = 512 };

/// Algorithms may use this much memory: what NVIDIA recommends for Hopper, and enough for every other GPU.
enum { MAX_WORKSPACE = 32 << 20 };

/// Inputs of a model are aligned to this; everything else to more.
enum { POINTER_ALIGNMENT = 16 };

/// An operand as the library sees it.
typedef struct {
  StitchMatrices matrices; ///< as the caller's data are
  bool packed;
  size_t packedBytes;
  cublasOperation_t operation;
  cublasLtMatrixLayout_t layout;
  uint32_t alignment; ///< bytes, of the first element of each matrix that a call begins with
} Operand;

struct StitchCudaDot {
  StitchCudaDotContext context;
  StitchDotShape shape;
  cudaDataType scaleType;
  cublasComputeType_t computeType;
  Operand lhs, rhs, result;
  bool resultTransposed;     ///< its columns are contiguous, not its rows
  cublasLtMatmulDesc_t desc; ///< NULL: the kernel of our own computes it
  cublasLtMatmulHeuristicResult_t candidates[MAX_CANDIDATES];
  int numCandidates;
  int chosen;
  bool tuned;        ///< nothing is left to be timed
  int64_t batchAxis; ///< which batch axis is the library's strided batch; others are loops here. -1: none
  char key[KEY_BYTES];
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool typeOf(StitchElementType type, cudaDataType *result) {
  switch (type) {
  case STITCH_ELEMENT_F64:
    *result = CUDA_R_64F;
    return true;
  case STITCH_ELEMENT_F32:
    *result = CUDA_R_32F;
    return true;
  case STITCH_ELEMENT_F16:
    *result = CUDA_R_16F;
    return true;
  case STITCH_ELEMENT_BF16:
    *result = CUDA_R_16BF;
    return true;
  case STITCH_ELEMENT_I8:
    *result = CUDA_R_8I;
    return true;
  case STITCH_ELEMENT_I32:
    *result = CUDA_R_32I;
    return true;
  default:
    return false;
  }
}

/// The combinations that cublasLtMatmul's table of types has and that sum as docs/ir.md says: f64; f32, f16 and bf16 in
/// f32; i8 in i32.
static bool chooseTypes(const StitchDotShape *shape, bool tf32, cudaDataType *scale, cublasComputeType_t *compute) {
  StitchElementType in = shape->lhs.type, out = shape->result.type;
  if (shape->rhs.type != in)
    return false;
  if (in == STITCH_ELEMENT_F64 && out == in) {
    *scale = CUDA_R_64F;
    *compute = CUBLAS_COMPUTE_64F;
  } else if (in == STITCH_ELEMENT_I8 && out == STITCH_ELEMENT_I32) {
    *scale = CUDA_R_32I;
    *compute = CUBLAS_COMPUTE_32I;
  } else if (in == STITCH_ELEMENT_F32 && out == in) {
    *scale = CUDA_R_32F;
    *compute = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  } else if ((in == STITCH_ELEMENT_F16 || in == STITCH_ELEMENT_BF16) && (out == in || out == STITCH_ELEMENT_F32)) {
    *scale = CUDA_R_32F;
    *compute = CUBLAS_COMPUTE_32F;
  } else {
    return false;
  }
  return true;
}

bool stitchCudaDotNeedsBlas(const StitchDotShape *shape) {
  cudaDataType scale;
  cublasComputeType_t compute;
  return shape->batch * shape->m * shape->n > 0 && shape->k > 0 && chooseTypes(shape, false, &scale, &compute);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static uint32_t largestPowerOfTwo(uint64_t value, uint32_t limit) {
  uint32_t power = 1;
  while (power < limit && value % (2 * power) == 0)
    power *= 2;
  return power;
}

static StitchStatus setBatch(const StitchCublasLt *blas, cublasLtMatrixLayout_t layout, int64_t count, int64_t stride) {
  int32_t count32 = (int32_t)count;
  StitchStatus status = CUBLASLT_CALL(blas, cublasLtMatrixLayoutSetAttribute, layout,
                                      CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count32, sizeof(count32));
  return status ? status
                : CUBLASLT_CALL(blas, cublasLtMatrixLayoutSetAttribute, layout,
                                CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof(stride));
}

/// The matrices that the library is given: those of the caller, or dense ones.
static StitchMatrices seenMatrices(const Operand *operand) {
  return operand->packed ? stitchMatricesDense(&operand->matrices) : operand->matrices;
}

/// Describes an operand or the result. Rows or columns of one element have whatever stride suits. `operation` turns
/// what the library sees as a matrix into the transposed operand.
static StitchStatus describe(StitchCudaDot *dot, Operand *operand) {
  const StitchCublasLt *blas = dot->context.blas;
  StitchMatrices seen = seenMatrices(operand);
  cudaDataType type = CUDA_R_32F;
  if (!stitchAxesCollapse(&seen.rows) || !stitchAxesCollapse(&seen.columns) || !typeOf(seen.type, &type))
    return stitchStatusMake(STITCH_INTERNAL, "an operand that cuBLASLt cannot be given");
  int64_t rows = stitchAxesSize(&seen.rows), columns = stitchAxesSize(&seen.columns);
  bool rowsContiguous = seen.columns.rank == 0 || seen.columns.strides[0] == 1;
  int64_t leading = rowsContiguous ? (seen.rows.rank ? seen.rows.strides[0] : columns) : seen.columns.strides[0];
  operand->operation = rowsContiguous ? CUBLAS_OP_N : CUBLAS_OP_T;
  StitchStatus status =
      CUBLASLT_CALL(blas, cublasLtMatrixLayoutCreate, &operand->layout, type,
                    (uint64_t)(rowsContiguous ? columns : rows), (uint64_t)(rowsContiguous ? rows : columns), leading);
  if (!status && dot->batchAxis >= 0)
    status = setBatch(blas, operand->layout, seen.batch.sizes[dot->batchAxis], seen.batch.strides[dot->batchAxis]);
  operand->alignment = operand->packed ? 256 : POINTER_ALIGNMENT;
  for (int64_t i = 0; i < seen.batch.rank; ++i)
    if (i != dot->batchAxis)
      operand->alignment =
          largestPowerOfTwo((uint64_t)seen.batch.strides[i] * stitchElementBytes(seen.type), operand->alignment);
  return status;
}

/// The operands in the order in which the library multiplies them.
static const Operand *firstOperand(const StitchCudaDot *dot) { return dot->resultTransposed ? &dot->lhs : &dot->rhs; }
static const Operand *secondOperand(const StitchCudaDot *dot) { return dot->resultTransposed ? &dot->rhs : &dot->lhs; }

static cublasOperation_t operationOf(const StitchCudaDot *dot, const Operand *operand) {
  if (!dot->resultTransposed)
    return operand->operation;
  return operand->operation == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static StitchStatus describeProduct(StitchCudaDot *dot) {
  const StitchCublasLt *blas = dot->context.blas;
  cublasOperation_t first = operationOf(dot, firstOperand(dot)), second = operationOf(dot, secondOperand(dot));
  StitchStatus status = CUBLASLT_CALL(blas, cublasLtMatmulDescCreate, &dot->desc, dot->computeType, dot->scaleType);
  if (!status)
    status = CUBLASLT_CALL(blas, cublasLtMatmulDescSetAttribute, dot->desc, CUBLASLT_MATMUL_DESC_TRANSA, &first,
                           sizeof(first));
  if (!status)
    status = CUBLASLT_CALL(blas, cublasLtMatmulDescSetAttribute, dot->desc, CUBLASLT_MATMUL_DESC_TRANSB, &second,
                           sizeof(second));
  return status;
}

/// The largest batch axis is the library's.
static int64_t chooseBatchAxis(const StitchAxes *batch) {
  int64_t best = -1;
  for (int64_t i = 0; i < batch->rank; ++i)
    if (best < 0 || batch->sizes[i] > batch->sizes[best])
      best = i;
  return best;
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

static StitchStatus setPreferences(const StitchCudaDot *dot, cublasLtMatmulPreference_t preference) {
  // Partial sums stay in the type that they are computed in: a result is rounded once.
  uint64_t workspace = MAX_WORKSPACE;
  uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  const struct {
    cublasLtMatmulPreferenceAttributes_t attribute;
    const void *value;
    size_t bytes;
  } attributes[] = {
      {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)},
      {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof(schemes)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &firstOperand(dot)->alignment, sizeof(uint32_t)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &secondOperand(dot)->alignment, sizeof(uint32_t)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &dot->result.alignment, sizeof(uint32_t)},
      {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &dot->result.alignment, sizeof(uint32_t)},
  };
  StitchStatus status = NULL;
  for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !status; ++i)
    status = CUBLASLT_CALL(dot->context.blas, cublasLtMatmulPreferenceSetAttribute, preference, attributes[i].attribute,
                           attributes[i].value, attributes[i].bytes);
  return status;
}

/// Keeps the candidates that can be used; leaves none if the library has no algorithm for this product.
static StitchStatus findCandidates(StitchCudaDot *dot) {
  const StitchCublasLt *blas = dot->context.blas;
  cublasLtMatmulPreference_t preference = NULL;
  int count = 0;
  StitchStatus status = CUBLASLT_CALL(blas, cublasLtMatmulPreferenceCreate, &preference);
  if (!status)
    status = setPreferences(dot, preference);
  if (!status)
    status = CUBLASLT_CALL(blas, cublasLtMatmulAlgoGetHeuristic, blas->handle, dot->desc, firstOperand(dot)->layout,
                           secondOperand(dot)->layout, dot->result.layout, dot->result.layout, preference,
                           dot->context.autotune ? MAX_CANDIDATES : 1, dot->candidates, &count);
  if (preference)
    blas->cublasLtMatmulPreferenceDestroy(preference);
  if (stitchStatusCode(status) == STITCH_UNIMPLEMENTED) {
    stitchStatusFree(status);
    return NULL;
  }
  for (int i = 0; i < count && !status; ++i)
    if (dot->candidates[i].state == CUBLAS_STATUS_SUCCESS && dot->candidates[i].workspaceSize <= MAX_WORKSPACE)
      dot->candidates[dot->numCandidates++] = dot->candidates[i];
  return status;
}

/// Takes the algorithm that was chosen in an earlier run, if this library still accepts it.
static bool takeChoice(StitchCudaDot *dot) {
  const StitchCublasLt *blas = dot->context.blas;
  const cublasLtMatmulAlgo_t *algo = stitchChoicesFind(dot->context.choices, dot->key);
  cublasLtMatmulHeuristicResult_t result = {.state = CUBLAS_STATUS_NOT_SUPPORTED};
  if (!algo ||
      blas->cublasLtMatmulAlgoCheck(blas->handle, dot->desc, firstOperand(dot)->layout, secondOperand(dot)->layout,
                                    dot->result.layout, dot->result.layout, algo, &result) != CUBLAS_STATUS_SUCCESS ||
      result.workspaceSize > MAX_WORKSPACE)
    return false;
  result.algo = *algo;
  dot->candidates[0] = result;
  dot->numCandidates = 1;
  return true;
}

static void writeKey(StitchCudaDot *dot) {
  const StitchDotShape *shape = &dot->shape;
  int length = snprintf(dot->key, KEY_BYTES, "cuBLASLt %zu, %s sm_%d: %s x %s -> %s%s, %lld x %lld x %lld",
                        dot->context.blas->cublasLtGetVersion(), dot->context.cuda->name, dot->context.cuda->arch,
                        stitchElementName(shape->lhs.type), stitchElementName(shape->rhs.type),
                        stitchElementName(shape->result.type), dot->context.tf32 ? " (tf32)" : "", (long long)shape->m,
                        (long long)shape->n, (long long)shape->k);
  static const char *const names[] = {"lhs", "rhs", "result"};
  const StitchMatrices operands[] = {seenMatrices(&dot->lhs), seenMatrices(&dot->rhs), seenMatrices(&dot->result)};
  for (int i = 0; i < 3 && length < KEY_BYTES; ++i) {
    length += snprintf(dot->key + length, (size_t)(KEY_BYTES - length), ", %s", names[i]);
    const StitchAxes *groups[] = {&operands[i].batch, &operands[i].rows, &operands[i].columns};
    for (int g = 0; g < 3; ++g)
      for (int64_t a = 0; a < groups[g]->rank && length < KEY_BYTES; ++a)
        length += snprintf(dot->key + length, (size_t)(KEY_BYTES - length), " %c%lld*%lld", "brc"[g],
                           (long long)groups[g]->sizes[a], (long long)groups[g]->strides[a]);
  }
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

static size_t roundUp(size_t bytes) { return (bytes + 255) / 256 * 256; }

static Operand operandOf(const StitchMatrices *matrices) {
  Operand operand = {.matrices = *matrices, .packed = !stitchMatricesAreStrided(matrices)};
  int64_t elements =
      stitchAxesSize(&matrices->batch) * stitchAxesSize(&matrices->rows) * stitchAxesSize(&matrices->columns);
  operand.packedBytes = operand.packed ? roundUp((size_t)elements * stitchElementBytes(matrices->type)) : 0;
  return operand;
}

static void destroyDescriptions(StitchCudaDot *dot) {
  const StitchCublasLt *blas = dot->context.blas;
  cublasLtMatrixLayout_t *layouts[] = {&dot->lhs.layout, &dot->rhs.layout, &dot->result.layout};
  for (int i = 0; i < 3; ++i) {
    if (*layouts[i])
      blas->cublasLtMatrixLayoutDestroy(*layouts[i]);
    *layouts[i] = NULL;
  }
  if (dot->desc)
    blas->cublasLtMatmulDescDestroy(dot->desc);
  dot->desc = NULL;
}

static StitchStatus planProduct(StitchCudaDot *dot) {
  dot->batchAxis = chooseBatchAxis(&dot->shape.lhs.batch);
  StitchStatus status = describe(dot, &dot->lhs);
  if (!status)
    status = describe(dot, &dot->rhs);
  if (!status)
    status = describe(dot, &dot->result);
  dot->resultTransposed = dot->result.operation == CUBLAS_OP_T;
  if (!status)
    status = describeProduct(dot);
  if (status)
    return status;
  writeKey(dot);
  dot->tuned = takeChoice(dot) || !dot->context.autotune;
  if (dot->numCandidates == 0)
    status = findCandidates(dot);
  if (!status && dot->numCandidates == 0)
    destroyDescriptions(dot); // the kernel of our own has to do it
  return status;
}

StitchStatus stitchCudaDotCreate(const StitchCudaDotContext *context, const StitchDotShape *shape,
                                 StitchCudaDot **result) {
  StitchCudaDot *dot = calloc(1, sizeof(*dot));
  if (!dot)
    return stitchStatusOutOfMemory();
  dot->context = *context;
  dot->shape = *shape;
  dot->lhs = operandOf(&shape->lhs);
  dot->rhs = operandOf(&shape->rhs);
  dot->result = operandOf(&shape->result);
  dot->batchAxis = -1;
  StitchStatus status = NULL;
  if (stitchCudaDotNeedsBlas(shape) && !dot->result.packed &&
      chooseTypes(shape, context->tf32, &dot->scaleType, &dot->computeType))
    status = planProduct(dot);
  if (status)
    stitchCudaDotFree(dot);
  else
    *result = dot;
  return status;
}

static size_t algorithmBytes(const StitchCudaDot *dot) {
  size_t bytes = 0;
  for (int i = 0; i < dot->numCandidates; ++i)
    if (roundUp(dot->candidates[i].workspaceSize) > bytes)
      bytes = roundUp(dot->candidates[i].workspaceSize);
  return bytes;
}

size_t stitchCudaDotWorkspaceBytes(const StitchCudaDot *dot) {
  return dot->desc ? algorithmBytes(dot) + dot->lhs.packedBytes + dot->rhs.packedBytes : 0;
}

void stitchCudaDotFree(StitchCudaDot *dot) {
  if (dot)
    destroyDescriptions(dot);
  free(dot);
}

//===----------------------------------------------------------------------===//
// Our own kernels
//===----------------------------------------------------------------------===//

static StitchKernelAxes kernelAxes(const StitchAxes *axes) {
  StitchKernelAxes result = {.rank = axes->rank};
  memcpy(result.sizes, axes->sizes, sizeof(result.sizes));
  memcpy(result.strides, axes->strides, sizeof(result.strides));
  return result;
}

static StitchStatus launch(StitchCuda *cuda, CUfunction function, int64_t threads, void *parameters, CUstream stream) {
  enum { MAX_BLOCKS = 1 << 16 };
  int64_t blocks = (threads + STITCH_KERNEL_BLOCK - 1) / STITCH_KERNEL_BLOCK;
  CUlaunchConfig config = {
      .gridDimX = (unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS),
      .gridDimY = 1,
      .gridDimZ = 1,
      .blockDimX = STITCH_KERNEL_BLOCK,
      .blockDimY = 1,
      .blockDimZ = 1,
      .hStream = stream,
  };
  return CUDA_CALL(cuda, cuLaunchKernelEx, &config, function, &parameters, NULL);
}

/// Packs an operand into `to`.
static StitchStatus pack(const StitchCudaDot *dot, const Operand *operand, const void *from, void *to,
                         CUstream stream) {
  const StitchMatrices *matrices = &operand->matrices;
  StitchPackParameters parameters = {
      .from = from,
      .to = to,
      .elementBytes = (int64_t)stitchElementBytes(matrices->type),
  };
  const StitchAxes *groups[] = {&matrices->batch, &matrices->rows, &matrices->columns};
  StitchAxes all = {0};
  for (int g = 0; g < 3; ++g)
    for (int64_t i = 0; i < groups[g]->rank; ++i, ++all.rank) {
      all.sizes[all.rank] = groups[g]->sizes[i];
      all.strides[all.rank] = groups[g]->strides[i];
    }
  parameters.axes = kernelAxes(&all);
  parameters.count = stitchAxesSize(&all);
  return launch(dot->context.cuda, dot->context.pack, parameters.count, &parameters, stream);
}

static StitchStatus callKernel(const StitchCudaDot *dot, const void *lhs, const void *rhs, void *result,
                               CUstream stream) {
  const StitchDotShape *shape = &dot->shape;
  StitchDotParameters parameters = {
      .lhs = lhs,
      .rhs = rhs,
      .result = result,
      .lhsType = shape->lhs.type,
      .rhsType = shape->rhs.type,
      .resultType = shape->result.type,
      .batch = shape->batch,
      .m = shape->m,
      .n = shape->n,
      .k = shape->k,
      .lhsBatch = kernelAxes(&shape->lhs.batch),
      .lhsRows = kernelAxes(&shape->lhs.rows),
      .lhsColumns = kernelAxes(&shape->lhs.columns),
      .rhsBatch = kernelAxes(&shape->rhs.batch),
      .rhsRows = kernelAxes(&shape->rhs.rows),
      .rhsColumns = kernelAxes(&shape->rhs.columns),
      .resultBatch = kernelAxes(&shape->result.batch),
      .resultRows = kernelAxes(&shape->result.rows),
      .resultColumns = kernelAxes(&shape->result.columns),
  };
  return launch(dot->context.cuda, dot->context.product, shape->batch * shape->m * shape->n, &parameters, stream);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The operands of one call, packed where they have to be.
typedef struct {
  const char *lhs, *rhs;
  char *result;
  void *workspace; ///< of the algorithm
  CUstream stream;
} Call;

static StitchStatus multiply(const StitchCudaDot *dot, const Call *call, const void *lhs, const void *rhs,
                             void *result) {
  static const float one32 = 1.0f, zero32 = 0.0f;
  static const double one64 = 1.0, zero64 = 0.0;
  static const int32_t oneInt = 1, zeroInt = 0;
  const void *one = &one32, *zero = &zero32;
  if (dot->scaleType == CUDA_R_64F) {
    one = &one64;
    zero = &zero64;
  } else if (dot->scaleType == CUDA_R_32I) {
    one = &oneInt;
    zero = &zeroInt;
  }
  const cublasLtMatmulHeuristicResult_t *chosen = &dot->candidates[dot->chosen];
  const StitchCublasLt *blas = dot->context.blas;
  cublasStatus_t status =
      blas->cublasLtMatmul(blas->handle, dot->desc, one, dot->resultTransposed ? lhs : rhs, firstOperand(dot)->layout,
                           dot->resultTransposed ? rhs : lhs, secondOperand(dot)->layout, zero, result,
                           dot->result.layout, result, dot->result.layout, &chosen->algo,
                           chosen->workspaceSize ? call->workspace : NULL, chosen->workspaceSize, call->stream);
  return stitchCublasLtCheck(blas, status, "cublasLtMatmul");
}

/// Bytes from the first element of the first matrix to that of matrix `index`, which counts along the batch axes that
/// are loops here.
static size_t matrixOffset(const StitchCudaDot *dot, const Operand *operand, int64_t index) {
  StitchMatrices seen = seenMatrices(operand);
  int64_t offset = 0;
  for (int64_t i = seen.batch.rank; i-- > 0;) {
    if (i == dot->batchAxis)
      continue;
    offset += index % seen.batch.sizes[i] * seen.batch.strides[i];
    index /= seen.batch.sizes[i];
  }
  return (size_t)offset * stitchElementBytes(seen.type);
}

/// All products of the batch: one call for each element of the axes that are loops.
static StitchStatus multiplyAll(const StitchCudaDot *dot, const Call *call) {
  int64_t count = dot->shape.batch;
  if (dot->batchAxis >= 0)
    count /= dot->shape.lhs.batch.sizes[dot->batchAxis];
  StitchStatus status = NULL;
  for (int64_t i = 0; i < count && !status; ++i)
    status = multiply(dot, call, call->lhs + matrixOffset(dot, &dot->lhs, i),
                      call->rhs + matrixOffset(dot, &dot->rhs, i), call->result + matrixOffset(dot, &dot->result, i));
  return status;
}

/// Time of some calls with the candidate that is chosen, in milliseconds.
static StitchStatus timeCandidate(const StitchCudaDot *dot, const Call *call, CUevent start, CUevent end,
                                  float *milliseconds) {
  StitchCuda *cuda = dot->context.cuda;
  StitchStatus status = multiplyAll(dot, call); // what is done once is not measured
  if (!status)
    status = CUDA_CALL(cuda, cuEventRecord, start, call->stream);
  for (int i = 0; i < TIMED_CALLS && !status; ++i)
    status = multiplyAll(dot, call);
  if (!status)
    status = CUDA_CALL(cuda, cuEventRecord, end, call->stream);
  if (!status)
    status = CUDA_CALL(cuda, cuEventSynchronize, end);
  return status ? status : CUDA_CALL(cuda, cuEventElapsedTime, milliseconds, start, end);
}

static StitchStatus timeCandidates(StitchCudaDot *dot, const Call *call, CUevent start, CUevent end) {
  int best = 0;
  float bestTime = 0.0f;
  StitchStatus status = NULL;
  for (dot->chosen = 0; dot->chosen < dot->numCandidates && !status; ++dot->chosen) {
    float time = 0.0f;
    status = timeCandidate(dot, call, start, end, &time);
    if (!status && (dot->chosen == 0 || time < bestTime)) {
      best = dot->chosen;
      bestTime = time;
    }
  }
  dot->chosen = best;
  return status;
}

/// Chooses the fastest candidate; leaves that to a later call while the stream is captured.
static StitchStatus tune(StitchCudaDot *dot, const Call *call) {
  StitchCuda *cuda = dot->context.cuda;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUevent start = NULL, end = NULL;
  StitchStatus status = CUDA_CALL(cuda, cuStreamIsCapturing, call->stream, &capture);
  if (status || capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return status;
  status = CUDA_CALL(cuda, cuEventCreate, &start, CU_EVENT_DEFAULT);
  if (!status)
    status = CUDA_CALL(cuda, cuEventCreate, &end, CU_EVENT_DEFAULT);
  if (!status)
    status = timeCandidates(dot, call, start, end);
  if (start)
    cuda->driver.cuEventDestroy(start);
  if (end)
    cuda->driver.cuEventDestroy(end);
  if (!status)
    status = stitchChoicesSet(dot->context.choices, dot->key, &dot->candidates[dot->chosen].algo);
  dot->tuned = !status;
  return status;
}

StitchStatus stitchCudaDotCall(StitchCudaDot *dot, const void *lhs, const void *rhs, void *result, void *workspace,
                               CUstream stream) {
  const StitchDotShape *shape = &dot->shape;
  int64_t elements = shape->batch * shape->m * shape->n;
  if (elements == 0)
    return NULL;
  if (shape->k == 0) // an empty sum; zero is all zero bits in every type
    return CUDA_CALL(dot->context.cuda, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)result, 0,
                     (size_t)elements * stitchElementBytes(shape->result.type), stream);
  if (!dot->desc)
    return callKernel(dot, lhs, rhs, result, stream);
  Call call = {.lhs = lhs, .rhs = rhs, .result = result, .workspace = workspace, .stream = stream};
  char *packed = (char *)workspace + algorithmBytes(dot);
  StitchStatus status = NULL;
  if (dot->lhs.packed) {
    status = pack(dot, &dot->lhs, lhs, packed, stream);
    call.lhs = packed;
    packed += dot->lhs.packedBytes;
  }
  if (dot->rhs.packed && !status) {
    status = pack(dot, &dot->rhs, rhs, packed, stream);
    call.rhs = packed;
  }
  if (!status && !dot->tuned)
    status = tune(dot, &call);
  return status ? status : multiplyAll(dot, &call);
}
