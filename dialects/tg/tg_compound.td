//===- tg_compound.td - operations that tg-decompose opens *- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_COMPOUND_TD
#define STITCH_TG_COMPOUND_TD

include "dialects/tg/tg_base.td"

class TG_AlongDimOp<string mnemonic> : TG_PureOp<mnemonic, [TG_SameType]> {
  let arguments = (ins TG_Float:$operand, I64Attr:$dim);
  let results = (outs TG_Float:$result);
  let assemblyFormat = "$operand `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TG_SoftmaxOp : TG_AlongDimOp<"softmax"> {
  let summary = "exp(x - max(x)) / sum(exp(x - max(x))) along a dimension";
  let description = [{
    ```mlir
    %0 = tg.softmax %operand dim 1 : tensor<4x8xf32>
    ```
  }];
}

def TG_LogSoftmaxOp : TG_AlongDimOp<"log_softmax"> {
  let summary = "x - max(x) - log(sum(exp(x - max(x)))) along a dimension";
  let description = [{
    ```mlir
    %0 = tg.log_softmax %operand dim 1 : tensor<4x8xf32>
    ```
  }];
}

def TG_GeluOp : TG_PureOp<"gelu", [TG_SameType, Elementwise]> {
  let summary = "x * (1 + erf(x / sqrt(2))) / 2";
  let description = [{
    With `approximate`: x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.

    ```mlir
    %0 = tg.gelu %operand : tensor<8xf32>
    %1 = tg.gelu %operand approximate : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Float:$operand, UnitAttr:$approximate);
  let results = (outs TG_Float:$result);
  let assemblyFormat = "$operand (`approximate` $approximate^)? attr-dict `:` type($result)";
}

def TG_GeluGradientOp : TG_PureOp<"gelu_gradient", [TG_SameType, Elementwise]> {
  let summary = "cotangent * gelu'(operand)";
  let description = [{
    The derivative of `tg.gelu`, of its form with tanh if it is `approximate`, times what has come back to its result.

    ```mlir
    %0 = tg.gelu_gradient %operand, %cotangent : tensor<8xf32>
    %1 = tg.gelu_gradient %operand, %cotangent approximate : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Float:$operand, TG_Float:$cotangent, UnitAttr:$approximate);
  let results = (outs TG_Float:$result);
  let assemblyFormat = "$operand `,` $cotangent (`approximate` $approximate^)? attr-dict `:` type($result)";
}

def TG_LayerNormOp : TG_PureOp<"layer_norm", [TG_TypesMatch<["operand", "result"]>, TG_TypesMatch<["scale", "offset"]>]> {
  let summary = "(x - mean(x)) / sqrt(variance(x) + epsilon) * scale + offset over dimensions";
  let description = [{
    `scale` and `offset` have the sizes of the dimensions `dims`, in their order. The variance is that of the population.

    ```mlir
    %0 = tg.layer_norm %operand, %scale, %offset dims [1] epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Float:$operand, TG_Float:$scale, TG_Float:$offset, DenseI64ArrayAttr:$dims,
                       F64Attr:$epsilon);
  let results = (outs TG_Float:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $offset `dims` $dims `epsilon` $epsilon attr-dict `:` type($result) `,` type($scale)
  }];
  let hasVerifier = 1;
}

class TG_BatchNormOp<string mnemonic, list<string> features>
    : TG_PureOp<mnemonic, [TG_TypesMatch<features>]> {
  let assemblyFormat = [{
    operands `feature_index` $feature_index `epsilon` $epsilon attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TG_BatchNormTrainingOp : TG_BatchNormOp<"batch_norm_training", ["scale", "offset", "batch_mean", "batch_var"]> {
  let summary = "Normalisation of each feature by the batch's mean and variance, which are results too";
  let description = [{
    ```mlir
    %0:3 = tg.batch_norm_training %operand, %scale, %offset feature_index 1 epsilon 1.0e-5
        : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins TG_Float:$operand, TG_Float:$scale, TG_Float:$offset, I64Attr:$feature_index,
                       F64Attr:$epsilon);
  let results = (outs TG_Float:$output, TG_Float:$batch_mean, TG_Float:$batch_var);
}

def TG_BatchNormInferenceOp : TG_BatchNormOp<"batch_norm_inference", ["scale", "offset", "mean", "variance"]> {
  let summary = "Normalisation of each feature by a given mean and variance";
  let description = [{
    ```mlir
    %0 = tg.batch_norm_inference %operand, %scale, %offset, %mean, %variance feature_index 1 epsilon 1.0e-5
        : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins TG_Float:$operand, TG_Float:$scale, TG_Float:$offset, TG_Float:$mean, TG_Float:$variance,
                       I64Attr:$feature_index, F64Attr:$epsilon);
  let results = (outs TG_Float:$result);
}

def TG_BatchNormGradOp : TG_BatchNormOp<"batch_norm_grad", ["scale", "mean", "variance", "grad_scale", "grad_offset"]> {
  let summary = "The gradients of tg.batch_norm_training";
  let description = [{
    ```mlir
    %0:3 = tg.batch_norm_grad %operand, %scale, %mean, %variance, %grad_output feature_index 1 epsilon 1.0e-5
        : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>)
        -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins TG_Float:$operand, TG_Float:$scale, TG_Float:$mean, TG_Float:$variance, TG_Float:$grad_output,
                       I64Attr:$feature_index, F64Attr:$epsilon);
  let results = (outs TG_Float:$grad_operand, TG_Float:$grad_scale, TG_Float:$grad_offset);
}

#endif // STITCH_TG_COMPOUND_TD
