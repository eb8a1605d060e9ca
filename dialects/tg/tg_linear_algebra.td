//===- tg_linear_algebra.td - transforms and solvers -----*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on the last dimensions of a tensor, for each index of the others: its batch. Libraries compute them, and these
// know f32, f64 and complex numbers of both: TG_LibraryNumber.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_LINEAR_ALGEBRA_TD
#define STITCH_TG_LINEAR_ALGEBRA_TD

include "dialects/tg/tg_base.td"

def TG_LibraryNumber : TG_TensorOf<"isLibraryNumberTensor", "f32, f64, or complex numbers of them">;

def TG_FftTransform : TG_Enum<"FftTransform", "direction and types of a Fourier transform", [
    I32EnumAttrCase<"fft", 0>, I32EnumAttrCase<"ifft", 1>, I32EnumAttrCase<"rfft", 2>, I32EnumAttrCase<"irfft", 3>]>;

def TG_Triangle : TG_Enum<"Triangle", "half of a matrix, with the diagonal", [
    I32EnumAttrCase<"lower", 0>, I32EnumAttrCase<"upper", 1>]>;

def TG_Side : TG_Enum<"Side", "side of the unknown on which a matrix stands", [
    I32EnumAttrCase<"left", 0>, I32EnumAttrCase<"right", 1>]>;

def TG_Transposition : TG_Enum<"Transposition", "what is done to a matrix before it is used", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"transpose", 1>, I32EnumAttrCase<"adjoint", 2>]>;

def TG_FftOp : TG_PureOp<"fft"> {
  let summary = "Fourier transform along the last dimensions";
  let description = [{
    Transforms the last one to three dimensions, which have the sizes `length` (of the real tensor, if one is real).
    `fft` multiplies by exp(-2 pi i k n / N); `ifft` by its conjugate, and divides by the number of elements transformed.
    `rfft` is the `fft` of a real operand, of whose last dimension only the first N / 2 + 1 elements are in the result; the others
    are conjugates of those. `irfft` is its inverse; imaginary parts that no real tensor's transform has are ignored.

    ```mlir
    %0 = tg.fft rfft %operand length [8, 6] : (tensor<3x8x6xf32>) -> tensor<3x8x4xcomplex<f32>>
    ```
  }];
  let arguments = (ins TG_LibraryNumber:$operand, TG_FftTransform:$transform, DenseI64ArrayAttr:$length);
  let results = (outs TG_LibraryNumber:$result);
  let assemblyFormat = "$transform $operand `length` $length attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TG_CholeskyOp : TG_PureOp<"cholesky", [TG_SameType]> {
  let summary = "Cholesky factor of Hermitian positive definite matrices";
  let description = [{
    Of each matrix A the triangular L with L L^H = A (`lower`) or U with U^H U = A (`upper`), whose diagonal is positive. Only that
    triangle of A is read, and of its diagonal the real parts. The other triangle of the result is zero. Where A is not
    positive definite (a NaN in it counts as that) the result's triangle is NaN; other matrices of the batch are not affected.

    ```mlir
    %0 = tg.cholesky lower %operand : tensor<5x3x3xf32>
    ```
  }];
  let arguments = (ins TG_LibraryNumber:$operand, TG_Triangle:$triangle);
  let results = (outs TG_LibraryNumber:$result);
  let assemblyFormat = "$triangle $operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TG_TriangularSolveOp : TG_PureOp<"triangular_solve", [AllTypesMatch<["b", "result"]>]> {
  let summary = "Solution of systems of equations with triangular matrices";
  let description = [{
    The X with op(A) X = B (`left`) or X op(A) = B (`right`), where op is nothing, the transpose or the adjoint, for each matrix A and B of
    the batch. Only the `triangle` of A is read; with `unit_diagonal` its diagonal is not, and counts as ones. Nothing is checked: a
    zero on the diagonal divides.

    ```mlir
    %0 = tg.triangular_solve left lower %a, %b transposition adjoint unit_diagonal
        : tensor<5x3x3xcomplex<f32>>, tensor<5x3x7xcomplex<f32>>
    ```
  }];
  let arguments = (ins TG_LibraryNumber:$a, TG_LibraryNumber:$b, TG_Side:$side, TG_Triangle:$triangle,
                       DefaultValuedAttr<TG_Transposition, "::tg::Transposition::none">:$transposition,
                       UnitAttr:$unit_diagonal);
  let results = (outs TG_LibraryNumber:$result);
  let assemblyFormat = [{
    $side $triangle $a `,` $b (`transposition` $transposition^)? (`unit_diagonal` $unit_diagonal^)? attr-dict `:`
    type($a) `,` type($b)
  }];
  let hasVerifier = 1;
}

#endif // STITCH_TG_LINEAR_ALGEBRA_TD
