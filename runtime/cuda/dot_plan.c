//===- dot_plan.c - how cuBLASLt computes a tg.dot -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt's matrices are column-major: a matrix whose rows are contiguous is the transposed one for it, without
// anything being moved. So it computes the transposed result as rhs^T lhs^T; and where the result's columns are
// contiguous, the result itself as lhs rhs. Operands are passed with their strides, transposed or not, in strided
// batches; one whose rows or columns have no single stride is packed first. Types that cuBLASLt does not have go
// through a kernel of our own.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/dot_plan.h"
#include "runtime/library/cpu_epilogue.h"

#include <stdlib.h>

/// Inputs of a model are aligned to this; everything else to more.
enum { POINTER_ALIGNMENT = 16 };

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
  case STITCH_ELEMENT_COMPLEX64:
    *result = CUDA_C_32F;
    return true;
  case STITCH_ELEMENT_COMPLEX128:
    *result = CUDA_C_64F;
    return true;
  default:
    return false;
  }
}

/// The combinations that cublasLtMatmul's table of types has and that sum as docs/ir.md says: f64; f32, f16 and bf16 in
/// f32; i8 in i32; complex numbers in their own type.
static bool chooseTypes(const StitchDotShape *shape, bool tf32, cudaDataType *scale, cublasComputeType_t *compute) {
  StitchElementType in = shape->lhs.type, out = shape->result.type;
  if (shape->rhs.type != in)
    return false;
  if ((in == STITCH_ELEMENT_F64 || in == STITCH_ELEMENT_COMPLEX128) && out == in) {
    *scale = in == STITCH_ELEMENT_F64 ? CUDA_R_64F : CUDA_C_64F;
    *compute = CUBLAS_COMPUTE_64F;
  } else if (in == STITCH_ELEMENT_I8 && out == STITCH_ELEMENT_I32) {
    *scale = CUDA_R_32I;
    *compute = CUBLAS_COMPUTE_32I;
  } else if ((in == STITCH_ELEMENT_F32 || in == STITCH_ELEMENT_COMPLEX64) && out == in) {
    *scale = in == STITCH_ELEMENT_F32 ? CUDA_R_32F : CUDA_C_32F;
    *compute = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  } else if ((in == STITCH_ELEMENT_F16 || in == STITCH_ELEMENT_BF16) && (out == in || out == STITCH_ELEMENT_F32)) {
    *scale = CUDA_R_32F;
    *compute = CUBLAS_COMPUTE_32F;
  } else {
    return false;
  }
  return true;
}

/// Whether a problem's operands may be rounded to TF32.
static bool mayRound(const StitchCudaCalls *calls, const StitchLibraryProblem *problem) {
  return problem->precision == STITCH_LIBRARY_TF32 || (calls->tf32 && problem->precision != STITCH_LIBRARY_FULL);
}

static bool isEmpty(const StitchDotShape *shape) { return shape->batch * shape->m * shape->n == 0 || shape->k == 0; }

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

/// Describes an operand or the result. Rows or columns of one element have whatever stride suits. `operation` turns the
/// library's view of the matrix into the transposed operand.
static StitchStatus describeOperand(StitchCudaDot *dot, StitchCudaOperand *operand) {
  const StitchCublasLt *blas = &dot->calls->blas;
  StitchMatrices seen = stitchCudaDotSeenMatrices(operand);
  cudaDataType type = CUDA_R_32F;
  if (!stitchAxesCollapse(&seen.rows) || !stitchAxesCollapse(&seen.columns) || !typeOf(seen.type, &type))
    return stitchStatusMake(STITCH_INTERNAL, "an operand that cuBLASLt cannot be given");
  int64_t rows = stitchAxesSize(&seen.rows), columns = stitchAxesSize(&seen.columns);
  bool rowsContiguous = seen.columns.rank == 0 || seen.columns.strides[0] == 1;
  operand->leading = rowsContiguous ? (seen.rows.rank ? seen.rows.strides[0] : columns) : seen.columns.strides[0];
  operand->operation = rowsContiguous ? CUBLAS_OP_N : CUBLAS_OP_T;
  StitchStatus status = CUBLASLT_CALL(blas, cublasLtMatrixLayoutCreate, &operand->layout, type,
                                      (uint64_t)(rowsContiguous ? columns : rows),
                                      (uint64_t)(rowsContiguous ? rows : columns), operand->leading);
  if (!status && dot->batchAxis >= 0)
    status = setBatch(blas, operand->layout, seen.batch.sizes[dot->batchAxis], seen.batch.strides[dot->batchAxis]);
  operand->alignment = operand->packed ? 256 : POINTER_ALIGNMENT;
  for (int64_t i = 0; i < seen.batch.rank; ++i)
    if (i != dot->batchAxis)
      operand->alignment =
          largestPowerOfTwo((uint64_t)seen.batch.strides[i] * stitchElementBytes(seen.type), operand->alignment);
  return status;
}

static cublasOperation_t operationOf(const StitchCudaDot *dot, const StitchCudaOperand *operand) {
  if (!dot->resultTransposed)
    return operand->operation;
  return operand->operation == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static StitchStatus describeProduct(StitchCudaDot *dot) {
  const StitchCublasLt *blas = &dot->calls->blas;
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

void stitchCudaDotScales(const StitchCudaDot *dot, const void **one, const void **zero) {
  // Real numbers and, with the second element, complex ones.
  static const float one32[] = {1.0f, 0.0f}, zero32[] = {0.0f, 0.0f};
  static const double one64[] = {1.0, 0.0}, zero64[] = {0.0, 0.0};
  static const int32_t oneInt = 1, zeroInt = 0;
  bool isDouble = dot->scaleType == CUDA_R_64F || dot->scaleType == CUDA_C_64F;
  *one = isDouble ? (const void *)one64 : dot->scaleType == CUDA_R_32I ? (const void *)&oneInt : one32;
  *zero = isDouble ? (const void *)zero64 : dot->scaleType == CUDA_R_32I ? (const void *)&zeroInt : zero32;
}

StitchCudaDotForm stitchCudaDotFormOf(const StitchCudaDot *dot) {
  StitchCudaDotForm form = {
      .transA = operationOf(dot, firstOperand(dot)),
      .transB = operationOf(dot, secondOperand(dot)),
      .m = dot->resultTransposed ? dot->shape.m : dot->shape.n,
      .n = dot->resultTransposed ? dot->shape.n : dot->shape.m,
      .k = dot->shape.k,
      .lda = firstOperand(dot)->leading,
      .ldb = secondOperand(dot)->leading,
      .ldc = dot->result.leading,
  };
  typeOf(dot->shape.lhs.type, &form.type);
  typeOf(dot->shape.result.type, &form.resultType);
  stitchCudaDotScales(dot, &form.one, &form.zero);
  return form;
}

/// NVIDIA promises products of integers under two conditions (cublasLtMatmul, "To use IMMA kernels"). Matrices lie at
/// multiples of 4 bytes. Leading dimensions, the library's rows of the result and the contracted dimension are
/// multiples of 4. For others the heuristics do name algorithms, of which some are refused and some are wrong.
static bool isPromised(const StitchCudaDot *dot) {
  enum { MULTIPLE = 4 };
  const StitchCudaOperand *operands[] = {&dot->lhs, &dot->rhs, &dot->result};
  int64_t rows = dot->resultTransposed ? dot->shape.m : dot->shape.n;
  bool promised = rows % MULTIPLE == 0 && dot->shape.k % MULTIPLE == 0;
  for (int i = 0; i < 3 && promised; ++i) {
    StitchMatrices seen = stitchCudaDotSeenMatrices(operands[i]);
    int64_t batchStride = dot->batchAxis >= 0 ? seen.batch.strides[dot->batchAxis] : 0;
    promised = operands[i]->leading % MULTIPLE == 0 && operands[i]->alignment % MULTIPLE == 0 &&
               batchStride * (int64_t)stitchElementBytes(seen.type) % MULTIPLE == 0;
  }
  return promised;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

static StitchStatus setAttribute(const StitchCudaDot *dot, cublasLtMatmulDescAttributes_t attribute, const void *value,
                                 size_t bytes) {
  return CUBLASLT_CALL(&dot->calls->blas, cublasLtMatmulDescSetAttribute, dot->desc, attribute, value, bytes);
}

StitchStatus stitchCudaDotSetAddresses(const StitchCudaDot *dot, const void *vector, const void *matrix) {
  StitchStatus status = NULL;
  if (dot->problem.epilogue.hasBias || dot->problem.epilogue.sum)
    status = setAttribute(dot, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &vector, sizeof(vector));
  if (!status && stitchEpiloguePreactivation(&dot->problem))
    status = setAttribute(dot, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &matrix, sizeof(matrix));
  return status;
}

/// Whether cuBLASLt may have the epilogue. Its vectors run along cuBLASLt's rows, which are our columns. Its second
/// matrix has the result's layout, with a leading dimension that is a multiple of 8. Elements of the other operands
/// have the result's type.
static bool canHaveEpilogue(const StitchCudaDot *dot) {
  enum { LEADING_MULTIPLE = 8 };
  const StitchLibraryEpilogue *e = &dot->problem.epilogue;
  const StitchDotShape *shape = &dot->shape;
  if (dot->isApart || dot->scaleType != CUDA_R_32F || e->hasAddend)
    return false;
  if (e->sum == STITCH_LIBRARY_SUM_OF_LHS || e->sum == STITCH_LIBRARY_SUM_OF_RHS)
    return !stitchEpilogueExists(&dot->problem) && shape->batch == 1;
  bool hasMatrix = stitchEpiloguePreactivation(&dot->problem) != 0;
  bool hasSum = e->sum != STITCH_LIBRARY_NO_SUM, isGradient = e->activation == STITCH_LIBRARY_GELU_GRADIENT;
  return stitchEpilogueExists(&dot->problem) && !dot->resultTransposed &&
         (!hasMatrix || (shape->batch == 1 && shape->n % LEADING_MULTIPLE == 0)) &&
         (!hasSum || (isGradient && !e->hasBias)) && !(isGradient && e->hasBias);
}

/// Of sums of operands: BGRADA sums cuBLASLt's first operand.
static uint32_t epilogueBits(const StitchCudaDot *dot) {
  const StitchLibraryEpilogue *e = &dot->problem.epilogue;
  uint32_t bias = e->hasBias ? CUBLASLT_EPILOGUE_BIAS : 0;
  switch (e->activation) {
  case STITCH_LIBRARY_RELU:
    return CUBLASLT_EPILOGUE_RELU | bias;
  case STITCH_LIBRARY_GELU:
    return (e->hasPreactivation ? CUBLASLT_EPILOGUE_GELU_AUX : CUBLASLT_EPILOGUE_GELU) | bias;
  case STITCH_LIBRARY_GELU_GRADIENT:
    return e->sum ? CUBLASLT_EPILOGUE_DGELU_BGRAD : CUBLASLT_EPILOGUE_DGELU;
  default:
    if (!e->sum)
      return bias;
    return dot->resultTransposed == (e->sum == STITCH_LIBRARY_SUM_OF_LHS) ? CUBLASLT_EPILOGUE_BGRADA
                                                                          : CUBLASLT_EPILOGUE_BGRADB;
  }
}

static StitchStatus setEpilogue(const StitchCudaDot *dot, uint32_t epilogue) {
  return setAttribute(dot, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
}

/// Has the product do the epilogue if cuBLASLt can. An algorithm is looked for whose vector and matrix are aligned as
/// operands are: it goes by their addresses.
static StitchStatus describeEpilogue(StitchCudaDot *dot) {
  const void *aligned = (const void *)(uintptr_t)POINTER_ALIGNMENT;
  dot->hasEpilogue = canHaveEpilogue(dot);
  if (!dot->hasEpilogue)
    return NULL;
  StitchStatus status = setEpilogue(dot, epilogueBits(dot));
  if (!status)
    status = stitchCudaDotSetAddresses(dot, aligned, aligned);
  if (status || !stitchEpiloguePreactivation(&dot->problem))
    return status;
  return setAttribute(dot, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &dot->shape.n, sizeof(dot->shape.n));
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// The largest batch axis is the library's.
static int64_t chooseBatchAxis(const StitchAxes *batch) {
  int64_t best = -1;
  for (int64_t i = 0; i < batch->rank; ++i)
    if (best < 0 || batch->sizes[i] > batch->sizes[best])
      best = i;
  return best;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

static StitchCudaOperand operandOf(const StitchMatrices *matrices) {
  StitchCudaOperand operand = {.matrices = *matrices, .packed = !stitchMatricesAreStrided(matrices)};
  int64_t elements =
      stitchAxesSize(&matrices->batch) * stitchAxesSize(&matrices->rows) * stitchAxesSize(&matrices->columns);
  operand.packedBytes = operand.packed ? stitchCudaAligned((size_t)elements * stitchElementBytes(matrices->type)) : 0;
  return operand;
}

static void destroyDescriptions(StitchCudaDot *dot) {
  const StitchCublasLt *blas = &dot->calls->blas;
  cublasLtMatrixLayout_t *layouts[] = {&dot->lhs.layout, &dot->rhs.layout, &dot->result.layout};
  for (int i = 0; i < 3; ++i) {
    if (*layouts[i])
      blas->cublasLtMatrixLayoutDestroy(*layouts[i]);
    *layouts[i] = NULL;
  }
  if (dot->desc)
    blas->cublasLtMatmulDescDestroy(dot->desc);
  dot->desc = NULL;
  dot->hasEpilogue = false;
}

static StitchStatus findAlgorithms(StitchCudaDot *dot) {
  StitchStatus status = stitchCudaDotFindAlgorithms(dot);
  if (status || dot->numCandidates > 0 || !dot->hasEpilogue)
    return status;
  dot->hasEpilogue = false;
  status = setEpilogue(dot, CUBLASLT_EPILOGUE_DEFAULT);
  return status ? status : stitchCudaDotFindAlgorithms(dot);
}

/// Whether an invariant product has fewer rows than the model's largest sizes give it.
static bool isSmaller(const StitchLibraryProblem *problem) {
  bool found = false;
  for (int64_t i = 0; i < problem->numOperands && problem->isInvariant; ++i)
    found |= problem->operands[i].rank > 0 && problem->operands[i].dims[0] != problem->largest[i];
  return found;
}

static StitchStatus createDotPlan(StitchCudaCalls *calls, const StitchLibraryProblem *problem, bool isApart,
                                  StitchCudaDot **result);

/// The algorithm of the largest product computes an invariant product: then the sum of a row does not depend on the
/// number of rows.
static StitchStatus takeAlgorithm(StitchCudaDot *dot) {
  StitchLibraryProblem problem = dot->problem;
  StitchCudaDot *largest = NULL;
  for (int64_t i = 0; i < problem.numOperands; ++i)
    if (problem.operands[i].rank > 0)
      problem.operands[i].dims[0] = problem.largest[i];
  StitchStatus status = createDotPlan(dot->calls, &problem, dot->isApart, &largest);
  if (status)
    return status;
  bool isSame = dot->resultTransposed == largest->resultTransposed && dot->lhs.operation == largest->lhs.operation &&
                dot->rhs.operation == largest->rhs.operation && (dot->hasEpilogue || !largest->hasEpilogue);
  if (!isSame)
    status = stitchStatusMake(STITCH_UNIMPLEMENTED, "a product whose rows shall have the same bits for all sizes is "
                                                    "multiplied in another form for this one");
  if (!status && dot->hasEpilogue && !largest->hasEpilogue) {
    dot->hasEpilogue = false;
    status = setEpilogue(dot, CUBLASLT_EPILOGUE_DEFAULT);
  }
  dot->numCandidates = largest->numCandidates;
  dot->candidates[0] = largest->candidates[0];
  stitchCudaDotDestroy(largest);
  return status;
}

static StitchStatus planProduct(StitchCudaDot *dot) {
  dot->batchAxis = chooseBatchAxis(&dot->shape.lhs.batch);
  StitchStatus status = describeOperand(dot, &dot->lhs);
  if (!status)
    status = describeOperand(dot, &dot->rhs);
  if (!status)
    status = describeOperand(dot, &dot->result);
  dot->resultTransposed = dot->result.operation == CUBLAS_OP_T;
  if (!status && dot->computeType == CUBLAS_COMPUTE_32I && !isPromised(dot)) {
    destroyDescriptions(dot);
    return NULL;
  }
  if (!status)
    status = describeProduct(dot);
  if (!status)
    status = describeEpilogue(dot);
  if (!status)
    status = isSmaller(&dot->problem) ? takeAlgorithm(dot) : findAlgorithms(dot);
  if (!status && dot->numCandidates == 0)
    destroyDescriptions(dot); // the kernel of our own has to do it
  return status;
}

void stitchCudaDotDestroy(void *call) {
  StitchCudaDot *dot = call;
  if (!dot)
    return;
  stitchCudaDotDestroy(dot->apart);
  destroyDescriptions(dot);
  free(dot);
}

static StitchStatus createDotPlan(StitchCudaCalls *calls, const StitchLibraryProblem *problem, bool isApart,
                                  StitchCudaDot **result) {
  StitchCudaDot *dot = calloc(1, sizeof(*dot));
  if (!dot)
    return stitchStatusOutOfMemory();
  dot->isApart = isApart;
  StitchDotShape *shape = &dot->shape;
  StitchEpilogueShape epilogue;
  StitchStatus status = stitchDotShapeOf(problem, shape);
  if (!status)
    status = stitchEpilogueShapeOf(problem, &epilogue);
  if (!status && problem->epilogue.sum)
    status = stitchSumsOf(problem, shape, &dot->sums);
  dot->calls = calls;
  dot->problem = *problem;
  dot->batchAxis = -1;
  if (!status && !isEmpty(shape)) {
    dot->lhs = operandOf(&shape->lhs);
    dot->rhs = operandOf(&shape->rhs);
    dot->result = operandOf(&shape->result);
  }
  if (!status && !isEmpty(shape) && !dot->result.packed &&
      chooseTypes(shape, mayRound(calls, problem), &dot->scaleType, &dot->computeType)) {
    status = stitchCudaCallsOpenBlas(calls);
    if (!status)
      status = planProduct(dot);
  }
  if (!status && dot->hasEpilogue && !problem->isInvariant) {
    status = createDotPlan(calls, problem, true, &dot->apart);
  }
  if (status)
    stitchCudaDotDestroy(dot);
  else
    *result = dot;
  return status;
}

StitchStatus stitchCudaDotCreate(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **result) {
  StitchCudaDot *dot = NULL;
  StitchStatus status = createDotPlan(calls, problem, false, &dot);
  *result = dot;
  return status;
}
