//===- tg_elementwise.td - elementwise operations --------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_ELEMENTWISE_TD
#define STITCH_TG_ELEMENTWISE_TD

include "dialects/tg/tg_base.td"

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

class TG_Example<string text> {
  string value = "\n\n```mlir\n" # text # "\n```\n";
}

class TG_UnaryOp<string mnemonic, string text, Type type = TG_FloatOrComplex, list<Trait> traits = [],
                 string example = "tensor<8xf32>">
    : TG_PureOp<mnemonic, !listconcat([TG_SameType, Elementwise], traits)> {
  let summary = "Elementwise " # text;
  let description = "The " # text # " of each element." #
                    TG_Example<"%0 = tg." # mnemonic # " %operand : " # example>.value;
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasFolder = 1;
}

// The result's element type follows from the operand's, which alone is printed.
class TG_UnaryInferOp<string mnemonic, string text, Type type, Type resultType, string example>
    : TG_PureOp<mnemonic, [TG_InferType, Elementwise]> {
  let summary = "Elementwise " # text;
  let description = "The " # text # "." # TG_Example<"%0 = tg." # mnemonic # " %operand : " # example>.value;
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def TG_AbsOp : TG_UnaryInferOp<"abs", "absolute value (of a complex number: its magnitude, a float)", TG_Number, TG_Real,
                               "tensor<8xf32>">;
def TG_NegOp : TG_UnaryOp<"neg", "negation", TG_Number, [Involution]> {
  let hasCanonicalizer = 1;
}
def TG_SignOp : TG_UnaryOp<"sign", "sign (-1, 0 or 1; of a zero: that zero; of NaN: NaN)", TG_Number, [Idempotent]>;
def TG_CeilOp : TG_UnaryOp<"ceil", "least integer not below", TG_Float, [Idempotent]>;
def TG_FloorOp : TG_UnaryOp<"floor", "greatest integer not above", TG_Float, [Idempotent]>;
def TG_RoundOp : TG_UnaryOp<"round", "nearest integer, ties away from zero", TG_Float, [Idempotent]>;
def TG_RoundEvenOp : TG_UnaryOp<"round_even", "nearest integer, ties to even", TG_Float, [Idempotent]>;
def TG_ExpOp : TG_UnaryOp<"exp", "exponential">;
def TG_Expm1Op : TG_UnaryOp<"expm1", "exponential minus one, accurate near zero">;
def TG_LogOp : TG_UnaryOp<"log", "natural logarithm">;
def TG_Log1pOp : TG_UnaryOp<"log1p", "natural logarithm of one plus the operand, accurate near zero">;
def TG_LogisticOp : TG_UnaryOp<"logistic", "logistic function, 1 / (1 + exp(-x))">;
def TG_TanhOp : TG_UnaryOp<"tanh", "hyperbolic tangent">;
def TG_TanOp : TG_UnaryOp<"tan", "tangent">;
def TG_SinOp : TG_UnaryOp<"sin", "sine">;
def TG_CosOp : TG_UnaryOp<"cos", "cosine">;
def TG_SqrtOp : TG_UnaryOp<"sqrt", "square root">;
def TG_RsqrtOp : TG_UnaryOp<"rsqrt", "reciprocal square root">;
def TG_CbrtOp : TG_UnaryOp<"cbrt", "cube root">;
def TG_ErfOp : TG_UnaryOp<"erf", "error function", TG_Float>;
def TG_ErfcOp : TG_UnaryOp<"erfc", "complementary error function, one minus erf, accurate where that is small", TG_Float>;

// Constants of these are not computed when the program is compiled.
class TG_SpecialFunction<string mnemonic, string text> : TG_UnaryOp<mnemonic, text, TG_Float> {
  let hasFolder = 0;
}
def TG_ErfInvOp : TG_SpecialFunction<"erf_inv", "inverse of the error function">;
def TG_BesselI1eOp : TG_SpecialFunction<"bessel_i1e", "exponentially scaled modified Bessel function, exp(-|x|) I1(x)">;
def TG_LgammaOp : TG_SpecialFunction<"lgamma", "logarithm of the gamma function's magnitude">;
def TG_DigammaOp : TG_SpecialFunction<"digamma", "derivative of lgamma">;
def TG_NotOp : TG_UnaryOp<"not", "bitwise complement (of i1: logical negation)", TG_Bits, [Involution],
                          "tensor<8xi1>"> {
  let hasCanonicalizer = 1;
}
def TG_PopcntOp : TG_UnaryOp<"popcnt", "number of bits that are one", TG_Integer, [], "tensor<8xi32>">;
def TG_ClzOp : TG_UnaryOp<"clz", "number of leading zero bits", TG_Integer, [], "tensor<8xi32>">;
def TG_IsFiniteOp : TG_UnaryInferOp<"is_finite", "test for neither an infinity nor NaN", TG_Float, TG_Predicate,
                                    "tensor<8xf32>">;
def TG_RealOp : TG_UnaryInferOp<"real", "real part (of a float: itself)", TG_FloatOrComplex, TG_Float,
                                "tensor<8xcomplex<f32>>">;
def TG_ImagOp : TG_UnaryInferOp<"imag", "imaginary part (of a float: zero)", TG_FloatOrComplex, TG_Float,
                                "tensor<8xcomplex<f32>>">;

def TG_ReducePrecisionOp : TG_PureOp<"reduce_precision", [TG_SameType, Elementwise]> {
  let summary = "Elementwise rounding to fewer bits";
  let description = [{
    Rounds each element, ties to even, to a float of so many exponent and mantissa bits and back.

    ```mlir
    %0 = tg.reduce_precision %operand exponent_bits 8 mantissa_bits 7 : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Float:$operand, I64Attr:$exponent_bits, I64Attr:$mantissa_bits);
  let results = (outs TG_Float:$result);
  let assemblyFormat = [{
    $operand `exponent_bits` $exponent_bits `mantissa_bits` $mantissa_bits attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

class TG_BinaryOp<string mnemonic, string text, Type type, list<Trait> traits = [], string example = "tensor<8xf32>">
    : TG_PureOp<mnemonic, !listconcat([TG_SameType, Elementwise], traits)> {
  let summary = "Elementwise " # text;
  let description = "The " # text # " of each pair of elements." #
                    TG_Example<"%0 = tg." # mnemonic # " %lhs, %rhs : " # example>.value;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def TG_AddOp : TG_BinaryOp<"add", "sum (of i1: or)", TG_Tensor, [Commutative]> {
  let hasCanonicalizer = 1;
}
def TG_SubOp : TG_BinaryOp<"sub", "difference", TG_Number> {
  let hasCanonicalizer = 1;
}
def TG_MulOp : TG_BinaryOp<"mul", "product (of i1: and)", TG_Tensor, [Commutative]> {
  let hasCanonicalizer = 1;
}
def TG_DivOp : TG_BinaryOp<"div", "quotient (of integers: towards zero; by zero: -1, all bits one; the smallest by -1: "
                                  "the smallest)", TG_Number> {
  let hasCanonicalizer = 1;
}
def TG_RemOp : TG_BinaryOp<"rem", "remainder, with the sign of the dividend (of integers by zero: the dividend)", TG_Real>;
def TG_PowOp : TG_BinaryOp<"pow", "power", TG_Number> {
  let hasCanonicalizer = 1;
}
def TG_MaxOp : TG_BinaryOp<"max", "maximum (NaN if either is NaN; of i1: or)", TG_Ordered, [Commutative, Idempotent]>;
def TG_MinOp : TG_BinaryOp<"min", "minimum (NaN if either is NaN; of i1: and)", TG_Ordered, [Commutative, Idempotent]>;
def TG_Atan2Op : TG_BinaryOp<"atan2", "angle of the point (rhs, lhs)", TG_FloatOrComplex>;
class TG_SpecialFunctionOfTwo<string mnemonic, string text> : TG_BinaryOp<mnemonic, text, TG_Float> {
  let hasFolder = 0;
}
def TG_ZetaOp : TG_SpecialFunctionOfTwo<"zeta", "Hurwitz zeta function, the sum of (rhs + k)^-lhs over k = 0, 1, 2, ... "
                                                "(NaN for lhs < 1)">;
def TG_PolygammaOp : TG_SpecialFunctionOfTwo<"polygamma", "derivative of digamma, lhs times (NaN unless that is 0, 1, 2, ...),"
                                                          " at rhs">;
def TG_AndOp : TG_BinaryOp<"and", "bitwise and", TG_Bits, [Commutative, Idempotent], "tensor<8xi1>">;
def TG_OrOp : TG_BinaryOp<"or", "bitwise or", TG_Bits, [Commutative, Idempotent], "tensor<8xi1>">;
def TG_XorOp : TG_BinaryOp<"xor", "bitwise exclusive or", TG_Bits, [Commutative], "tensor<8xi1>">;
def TG_ShlOp : TG_BinaryOp<"shl", "shift to the left (by the width or more: 0)", TG_Integer, [], "tensor<8xi32>">;
def TG_ShrArithOp : TG_BinaryOp<"shr_arith", "shift to the right that copies the sign bit (by the width or more: all sign)",
                                TG_Integer, [], "tensor<8xi32>">;
def TG_ShrLogicOp : TG_BinaryOp<"shr_logic", "shift to the right that brings zeros in (by the width or more: 0)",
                                TG_Integer, [], "tensor<8xi32>">;

def TG_ComplexOp : TG_PureOp<"complex", [TG_SameOperands, TG_InferType, Elementwise]> {
  let summary = "Elementwise complex number of real and imaginary part";
  let description = [{
    ```mlir
    %0 = tg.complex %lhs, %rhs : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Float:$lhs, TG_Float:$rhs);
  let results = (outs TG_FloatOrComplex:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def TG_CompareOp : TG_PureOp<"compare", [TG_SameOperands, TG_InferType, Elementwise]> {
  let summary = "Elementwise comparison";
  let description = [{
    Compares each pair of elements. A comparison with NaN is false but for `ne`. With `total_order`, floats compare by
    IEEE 754 totalOrder: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. Complex numbers compare by `eq` and `ne` only.

    ```mlir
    %0 = tg.compare lt, %lhs, %rhs : tensor<8xf32>
    %1 = tg.compare lt, %lhs, %rhs total_order : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$lhs, TG_Tensor:$rhs, TG_Direction:$direction, UnitAttr:$total_order);
  let results = (outs TG_Predicate:$result);
  let assemblyFormat = "$direction `,` $lhs `,` $rhs (`total_order` $total_order^)? attr-dict `:` type($lhs)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

def TG_SelectOp : TG_PureOp<"select", [TG_TypesMatch<["on_true", "on_false", "result"]>]> {
  let summary = "One of two tensors, element by element or as a whole";
  let description = [{
    `pred` has the shape of the others or rank 0.

    ```mlir
    %0 = tg.select %pred, %on_true, %on_false : tensor<8xi1>, tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Predicate:$pred, TG_Tensor:$on_true, TG_Tensor:$on_false);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$pred `,` $on_true `,` $on_false attr-dict `:` type($pred) `,` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_ClampOp : TG_PureOp<"clamp", [TG_TypesMatch<["operand", "result"]>]> {
  let summary = "Elementwise minimum(maximum(operand, min), max)";
  let description = [{
    `min` and `max` each have the operand's shape or rank 0.

    ```mlir
    %0 = tg.clamp %min, %operand, %max : tensor<f32>, tensor<8xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins TG_Ordered:$min, TG_Ordered:$operand, TG_Ordered:$max);
  let results = (outs TG_Ordered:$result);
  let assemblyFormat = "$min `,` $operand `,` $max attr-dict `:` type($min) `,` type($result) `,` type($max)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TG_FmaOp : TG_PureOp<"fma", [TG_SameType, Elementwise]> {
  let summary = "Elementwise a * b + c with a single rounding";
  let description = [{
    ```mlir
    %0 = tg.fma %a, %b, %c : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Float:$a, TG_Float:$b, TG_Float:$c);
  let results = (outs TG_Float:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

def TG_ConvertOp : TG_PureOp<"convert", [TG_SameShape, Elementwise]> {
  let summary = "Elementwise conversion of values";
  let description = [{
    To a narrower float: to nearest, ties to even. From a float to an integer: towards zero. From i1: 0 or 1; to i1: is
    it nonzero. Between integers: modulo the width. From real to complex: imaginary part zero; from complex to real:
    the real part.

    ```mlir
    %0 = tg.convert %operand : (tensor<8xf32>) -> tensor<8xf16>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_BitcastConvertOp : TG_PureOp<"bitcast_convert"> {
  let summary = "The same bits as another element type";
  let description = [{
    If the element types differ in width, the side of the narrower one has an additional last dimension of the ratio.

    ```mlir
    %0 = tg.bitcast_convert %operand : (tensor<8xf32>) -> tensor<8xi32>
    %1 = tg.bitcast_convert %operand : (tensor<8xf32>) -> tensor<8x2xi16>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // STITCH_TG_ELEMENTWISE_TD
