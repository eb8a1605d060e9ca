//===- cublaslt_epilogue.h - epilogues of the test double's cuBLASLt -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_CUDA_DOUBLE_CUBLASLT_EPILOGUE_H
#define STITCH_TEST_CUDA_DOUBLE_CUBLASLT_EPILOGUE_H

#include "runtime/cuda/cublaslt_abi.h"
#include "runtime/element_type.h"

/// The epilogue that a matmul descriptor asks for.
typedef struct {
  uint32_t kind; ///< cublasLtEpilogue_t
  CUdeviceptr vector, matrix;
  int64_t leading; ///< of the matrix
} Epilogue;

/// The product that it belongs to: D is rows x columns, A is rows x inner.
typedef struct {
  StitchElementType operand, result;
  int64_t rows, columns, inner, batch;
} EpilogueShape;

/// Whether the library has it for such a product. An epilogue that its documentation forbids is a violation.
cublasStatus_t checkEpilogue(const Epilogue *epilogue, const EpilogueShape *shape, const char *function);

/// An epilogue with its data in host memory. False if these are not in device memory.
typedef struct {
  const Epilogue *epilogue;
  EpilogueShape shape;
  void *vector, *matrix;
} EpilogueRun;
bool beginEpilogue(const Epilogue *epilogue, const EpilogueShape *shape, EpilogueRun *run);
/// Touches the vector and the matrix (touches.h).
void touchEpilogue(const EpilogueRun *run);

/// The element of D in a row and column, from its sum.
double finishElement(const EpilogueRun *run, int64_t row, int64_t column, double sum);

/// Writes the gradient of a bias: the sums of D's rows, or of A's rows or B's columns. Each is a dense row-major array
/// of complex numbers without imaginary parts; D is rounded to its type.
void finishVector(const EpilogueRun *run, const double _Complex *a, const double _Complex *b, const double _Complex *d);

#endif // STITCH_TEST_CUDA_DOUBLE_CUBLASLT_EPILOGUE_H
