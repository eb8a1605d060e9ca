//===- tg_reduction.td - reductions ----------------------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_REDUCTION_TD
#define STITCH_TG_REDUCTION_TD

include "dialects/tg/tg_base.td"

def TG_ReduceOp : TG_PureOp<"reduce", [TG_InferType]> {
  let summary = "Combines the elements along dimensions";
  let description = [{
    Starts from the identity of `kind`: 0, 1, the largest value (infinity) for `min`, the smallest for `max`, all bits
    one for `and`. The order of the combination is not specified. The result lacks the reduced dimensions.

    ```mlir
    %0 = tg.reduce add %operand dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Kind:$kind, DenseI64ArrayAttr:$dims);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$kind $operand `dims` $dims attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_ArgReduceOp : TG_PureOp<"arg_reduce"> {
  let summary = "The smallest or largest element along a dimension, and its index";
  let description = [{
    `kind` is `min` or `max`. Of equal elements the one with the least index is taken; NaN is taken before any number.

    ```mlir
    %value, %index = tg.arg_reduce max %operand dim 1 : (tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xi32>)
    ```
  }];
  let arguments = (ins TG_Ordered:$operand, TG_Kind:$kind, I64Attr:$dim);
  let results = (outs TG_Ordered:$value, TG_Index:$index);
  let assemblyFormat = "$kind $operand `dim` $dim attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // STITCH_TG_REDUCTION_TD
