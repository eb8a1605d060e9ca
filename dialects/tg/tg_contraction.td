//===- tg_contraction.td - dot and convolution -----------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_CONTRACTION_TD
#define STITCH_TG_CONTRACTION_TD

include "dialects/tg/tg_base.td"

def TG_Precision : TG_Enum<"Precision", "what may be done to the operands of a product", [
    I32EnumAttrCase<"tf32", 1>, I32EnumAttrCase<"full", 2>]>;

def TG_DotOp : TG_PureOp<"dot"> {
  let summary = "Sum of products over contracted dimensions, for each index of batch dimensions";
  let description = [{
    The result's dimensions are the batch dimensions in the order of `lhs_batch`, then the lhs's other dimensions, then the
    rhs's. Its element type may be wider than the operands': products are then summed in it.

    With `precision tf32` operands, which are f32 as the result is, may be rounded to TF32, of 10 bits, each to nearest; with
    `precision full` never, whoever allows it. Without, `tg-allow-tf32` decides.

    ```mlir
    %0 = tg.dot %a, %b batch [0] x [0] contract [2] x [1]
        : (tensor<8x16x32xf32>, tensor<8x32x64xf32>) -> tensor<8x16x64xf32>
    %1 = tg.dot %a, %b batch [0] x [0] contract [2] x [1] precision tf32
        : (tensor<8x16x32xf32>, tensor<8x32x64xf32>) -> tensor<8x16x64xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$lhs, TG_Tensor:$rhs, TG_DimsOrNone:$lhs_batch, TG_DimsOrNone:$rhs_batch,
                       TG_DimsOrNone:$lhs_contract, TG_DimsOrNone:$rhs_contract,
                       OptionalAttr<TG_Precision>:$precision);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`batch` $lhs_batch^ `x` $rhs_batch)? (`contract` $lhs_contract^ `x` $rhs_contract)?
    (`precision` $precision^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TG_ConvolutionOp : TG_PureOp<"convolution"> {
  let summary = "Sum of products over windows";
  let description = [{
    StableHLO's convolution. In assembly `dims` names the dimensions of lhs, rhs and result: `b` batch, `f` feature, `i` and
    `o` input and output feature of the kernel, and numbers the spatial ones.

    ```mlir
    %0 = tg.convolution %lhs, %rhs dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1]
        padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
        : (tensor<2x3x8x8xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x8x8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$lhs, TG_Tensor:$rhs,
                       I64Attr:$input_batch_dimension, I64Attr:$input_feature_dimension,
                       DenseI64ArrayAttr:$input_spatial_dimensions,
                       I64Attr:$kernel_input_feature_dimension, I64Attr:$kernel_output_feature_dimension,
                       DenseI64ArrayAttr:$kernel_spatial_dimensions,
                       I64Attr:$output_batch_dimension, I64Attr:$output_feature_dimension,
                       DenseI64ArrayAttr:$output_spatial_dimensions,
                       DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$padding_low,
                       DenseI64ArrayAttr:$padding_high, DenseI64ArrayAttr:$lhs_dilation,
                       DenseI64ArrayAttr:$rhs_dilation, DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$window_reversal,
                       DefaultValuedAttr<I64Attr, "1">:$feature_group_count,
                       DefaultValuedAttr<I64Attr, "1">:$batch_group_count);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `dims`
    custom<Dimensions>("'b'", "'f'", $input_batch_dimension, $input_feature_dimension, $input_spatial_dimensions) `x`
    custom<Dimensions>("'i'", "'o'", $kernel_input_feature_dimension, $kernel_output_feature_dimension,
                       $kernel_spatial_dimensions) `->`
    custom<Dimensions>("'b'", "'f'", $output_batch_dimension, $output_feature_dimension, $output_spatial_dimensions)
    `window_strides` $window_strides `padding_low` $padding_low `padding_high` $padding_high
    `lhs_dilation` $lhs_dilation `rhs_dilation` $rhs_dilation (`window_reversal` $window_reversal^)?
    (`feature_group_count` $feature_group_count^)? (`batch_group_count` $batch_group_count^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // STITCH_TG_CONTRACTION_TD
