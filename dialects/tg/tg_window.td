//===- tg_window.td - windows, sorts, cumulative operations *- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_WINDOW_TD
#define STITCH_TG_WINDOW_TD

include "dialects/tg/tg_base.td"

def TG_ReduceWindowOp : TG_PureOp<"reduce_window", [TG_InferType]> {
  let summary = "Combines the elements in each window";
  let description = [{
    StableHLO's reduce_window of one input; like tg.reduce it starts from the identity of `kind`, which is also what
    padding holds.

    ```mlir
    %0 = tg.reduce_window max %operand window_dimensions [1, 2] window_strides [1, 2] base_dilations [1, 1]
        window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Kind:$kind, DenseI64ArrayAttr:$window_dimensions,
                       DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$base_dilations,
                       DenseI64ArrayAttr:$window_dilations, DenseI64ArrayAttr:$padding_low,
                       DenseI64ArrayAttr:$padding_high);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand `window_dimensions` $window_dimensions `window_strides` $window_strides
    `base_dilations` $base_dilations `window_dilations` $window_dilations `padding_low` $padding_low
    `padding_high` $padding_high attr-dict `:` functional-type(operands, results)
  }];
}

def TG_SelectAndScatterOp : TG_PureOp<"select_and_scatter"> {
  let summary = "Scatters values to the elements that windows select";
  let description = [{
    StableHLO's select_and_scatter: `select_kind` (`min` or `max`) chooses an element of each window of `operand`: one
    stays chosen as long as it is at most (or at least) the next, so it is the first of equal ones. `scatter_kind`
    combines the values of `source` that meet there, from its identity.

    ```mlir
    %0 = tg.select_and_scatter max add %operand, %source window_dimensions [1, 2] window_strides [1, 2]
        padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins TG_Ordered:$operand, TG_Ordered:$source, TG_Kind:$select_kind, TG_Kind:$scatter_kind,
                       DenseI64ArrayAttr:$window_dimensions, DenseI64ArrayAttr:$window_strides,
                       DenseI64ArrayAttr:$padding_low, DenseI64ArrayAttr:$padding_high);
  let results = (outs TG_Ordered:$result);
  let assemblyFormat = [{
    $select_kind $scatter_kind $operand `,` $source `window_dimensions` $window_dimensions
    `window_strides` $window_strides `padding_low` $padding_low `padding_high` $padding_high attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TG_CumulativeOp : TG_PureOp<"cumulative", [TG_SameType]> {
  let summary = "Combines each element with all before it along a dimension";
  let description = [{
    `exclusive`: without the element itself, starting from the identity of `kind`. `reverse`: with all after it instead.

    ```mlir
    %0 = tg.cumulative add %operand dim 1 : tensor<4x8xf32>
    %1 = tg.cumulative max %operand dim 1 reverse exclusive : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Kind:$kind, I64Attr:$dim, UnitAttr:$reverse, UnitAttr:$exclusive);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand `dim` $dim (`reverse` $reverse^)? (`exclusive` $exclusive^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TG_SortOp : TG_Op<"sort", [RecursiveMemoryEffects, RecursivelySpeculatable, TG_InferType,
                               SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Sorts tensors together along a dimension";
  let description = [{
    `comparator` takes two elements of each input (the first of the first input, the second of the first input, the first of
    the second, ...) as tensors of rank 0 and yields whether the first ones belong before the second ones.

    ```mlir
    %0:2 = tg.sort %keys, %values dim 1 is_stable : tensor<4x8xf32>, tensor<4x8xi32> {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %before = tg.compare lt, %a, %b total_order : tensor<f32>
      tg.yield %before : tensor<i1>
    }
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs, I64Attr:$dim, UnitAttr:$is_stable);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$comparator);
  let assemblyFormat = [{
    $inputs `dim` $dim (`is_stable` $is_stable^)? attr-dict-with-keyword `:` type($inputs) $comparator
  }];
  let hasRegionVerifier = 1;
}

def TG_TopKOp : TG_PureOp<"top_k"> {
  let summary = "The k largest elements along the last dimension, in decreasing order, and their indices";
  let description = [{
    Floats are compared by IEEE 754's totalOrder: NaN is above all numbers (with the sign bit, below), +0 above -0. Of
    equal elements the one with the lesser index comes first.

    ```mlir
    %values, %indices = tg.top_k %operand k 3 : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    ```
  }];
  let arguments = (ins TG_Ordered:$operand, I64Attr:$k);
  let results = (outs TG_Ordered:$values, TG_Index:$indices);
  let assemblyFormat = "$operand `k` $k attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // STITCH_TG_WINDOW_TD
