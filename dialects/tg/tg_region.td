//===- tg_region.td - operations with a body of scalars -*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These operations generalise tg.reduce, tg.reduce_window, tg.scatter and tg.select_and_scatter, of one operand and a
// named operation, to several operands and any body. The body's arguments are tensors of rank 0, and so are all values
// in it.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_REGION_TD
#define STITCH_TG_REGION_TD

include "dialects/tg/tg_base.td"

class TG_BodyOp<string mnemonic, list<Trait> traits = []>
    : TG_Op<mnemonic, !listconcat(traits, [RecursiveMemoryEffects, RecursivelySpeculatable,
                                           SingleBlockImplicitTerminator<"YieldOp">])> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TG_GeneralReduceOp : TG_BodyOp<"general_reduce", [SameVariadicOperandSize]> {
  let summary = "Combines the elements of several tensors along dimensions by a body";
  let description = [{
    The body takes what is combined so far, one scalar for each input, then an element of each input. It starts from
    `inits`, of rank 0, which take part at least once: how often does not change the result of a program that has one. (The
    importer sees to it that StableHLO's take part once.) The order of the combination is not specified; the reference's
    is row-major.

    ```mlir
    %0:2 = tg.general_reduce %x, %y inits %a, %b dims [1]
        : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%c: tensor<f32>, %d: tensor<i32>, %e: tensor<f32>, %f: tensor<i32>):
      %1 = tg.mul %c, %e : tensor<f32>
      %2 = tg.add %d, %f : tensor<i32>
      tg.yield %1, %2 : tensor<f32>, tensor<i32>
    }
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs, Variadic<TG_Tensor>:$inits, DenseI64ArrayAttr:$dims);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs `inits` $inits `dims` $dims attr-dict-with-keyword `:` functional-type(operands, results) $body
  }];
}

def TG_GeneralReduceWindowOp : TG_BodyOp<"general_reduce_window", [SameVariadicOperandSize]> {
  let summary = "Combines the elements of several tensors in each window by a body";
  let description = [{
    StableHLO's reduce_window: the body is that of tg.general_reduce; padding and the holes between dilated elements hold
    the initial values.

    ```mlir
    %0 = tg.general_reduce_window %x inits %a window_dimensions [2] window_strides [2] base_dilations [1]
        window_dilations [1] padding_low [0] padding_high [0] : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32> {
    ^bb0(%c: tensor<f32>, %e: tensor<f32>):
      %1 = tg.sub %c, %e : tensor<f32>
      tg.yield %1 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs, Variadic<TG_Tensor>:$inits, DenseI64ArrayAttr:$window_dimensions,
                       DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$base_dilations,
                       DenseI64ArrayAttr:$window_dilations, DenseI64ArrayAttr:$padding_low,
                       DenseI64ArrayAttr:$padding_high);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs `inits` $inits `window_dimensions` $window_dimensions `window_strides` $window_strides
    `base_dilations` $base_dilations `window_dilations` $window_dilations `padding_low` $padding_low
    `padding_high` $padding_high attr-dict-with-keyword `:` functional-type(operands, results) $body
  }];
}

def TG_GeneralCumulativeOp : TG_BodyOp<"general_cumulative", [AttrSizedOperandSegments]> {
  let summary = "Combines each element with all before it along a dimension, by a body";
  let description = [{
    The body is that of tg.general_reduce, and must be associative: elements stay in their order, but which neighbours are
    combined first is not specified. `inits` come before the first element; without them the first result is the first
    element. `exclusive`: without the element itself, which needs `inits`. `reverse`: from the last element on, so that the
    first argument of the body has what comes behind. There are results of the first inputs, of as many as there are
    results: what others are combined to is in no memory.

    ```mlir
    %0:2 = tg.general_cumulative %x, %y dim 1
        : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    ^bb0(%c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>, %f: tensor<f32>):
      %1 = tg.mul %c, %e : tensor<f32>
      %2 = tg.mul %d, %e : tensor<f32>
      %3 = tg.add %2, %f : tensor<f32>
      tg.yield %1, %3 : tensor<f32>, tensor<f32>
    }
    %4 = tg.general_cumulative %x inits %a dim 1 reverse exclusive : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32> {
    ^bb0(%c: tensor<f32>, %e: tensor<f32>):
      %5 = tg.max %c, %e : tensor<f32>
      tg.yield %5 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs, Variadic<TG_Tensor>:$inits, I64Attr:$dim, UnitAttr:$reverse,
                       UnitAttr:$exclusive);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs (`inits` $inits^)? `dim` $dim (`reverse` $reverse^)? (`exclusive` $exclusive^)? attr-dict-with-keyword `:`
    functional-type(operands, results) $body
  }];
}

def TG_GeneralScatterOp : TG_BodyOp<"general_scatter", [SameVariadicOperandSize]> {
  let summary = "Tensors with slices of them, at offsets that are read from a tensor, updated by a body";
  let description = [{
    StableHLO's scatter, with the dimension numbers of tg.scatter. The body takes the element of each input, then that of
    each tensor of updates, and yields the new elements. The order of the updates is not specified; the reference's is
    row-major.

    ```mlir
    %0 = tg.general_scatter %x at %indices updates %u inserted_window_dims [0] scatter_dims_to_operand_dims [0]
        index_vector_dim 1 : (tensor<8xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<8xf32> {
    ^bb0(%old: tensor<f32>, %update: tensor<f32>):
      %1 = tg.sub %old, %update : tensor<f32>
      tg.yield %1 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs, TG_Index:$scatter_indices, Variadic<TG_Tensor>:$updates,
                       TG_DimsOrNone:$update_window_dims, TG_DimsOrNone:$inserted_window_dims,
                       TG_DimsOrNone:$input_batching_dims, TG_DimsOrNone:$scatter_indices_batching_dims,
                       TG_DimsOrNone:$scatter_dims_to_operand_dims, I64Attr:$index_vector_dim,
                       UnitAttr:$indices_are_sorted, UnitAttr:$unique_indices);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs `at` $scatter_indices `updates` $updates (`update_window_dims` $update_window_dims^)?
    (`inserted_window_dims` $inserted_window_dims^)? (`input_batching_dims` $input_batching_dims^)?
    (`scatter_indices_batching_dims` $scatter_indices_batching_dims^)?
    (`scatter_dims_to_operand_dims` $scatter_dims_to_operand_dims^)? `index_vector_dim` $index_vector_dim
    (`indices_are_sorted` $indices_are_sorted^)? (`unique_indices` $unique_indices^)? attr-dict-with-keyword `:`
    functional-type(operands, results) $body
  }];
}

def TG_GeneralSelectAndScatterOp : TG_BodyOp<"general_select_and_scatter"> {
  let summary = "Scatters values to the elements that windows select, by bodies";
  let description = [{
    StableHLO's select_and_scatter. In each window, an element stays selected as long as `select` of it and the next one
    yields true. `scatter` combines the values of `source` that meet at an element, starting from `init`.

    ```mlir
    %0 = tg.general_select_and_scatter %x, %source, %init window_dimensions [2] window_strides [2] padding_low [0]
        padding_high [0] : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = tg.compare gt, %a, %b : tensor<f32>
      tg.yield %1 : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = tg.add %a, %b : tensor<f32>
      tg.yield %1 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Tensor:$source, TG_Tensor:$init, DenseI64ArrayAttr:$window_dimensions,
                       DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$padding_low,
                       DenseI64ArrayAttr:$padding_high);
  let results = (outs TG_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let assemblyFormat = [{
    $operand `,` $source `,` $init `window_dimensions` $window_dimensions `window_strides` $window_strides
    `padding_low` $padding_low `padding_high` $padding_high attr-dict-with-keyword `:`
    functional-type(operands, results) $select `,` $scatter
  }];
}

#endif // STITCH_TG_REGION_TD
