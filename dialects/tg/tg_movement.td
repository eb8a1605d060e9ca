//===- tg_movement.td - constants and data movement ------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_MOVEMENT_TD
#define STITCH_TG_MOVEMENT_TD

include "dialects/tg/tg_base.td"

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def TG_ConstantOp : TG_PureOp<"constant", [ConstantLike, TG_TypesMatch<["value", "result"]>,
                                           DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    ```mlir
    %0 = tg.constant dense<1.0> : tensor<8xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TG_IotaOp : TG_PureOp<"iota"> {
  let summary = "The index along a dimension: 0, 1, 2, ...";
  let description = [{
    ```mlir
    %0 = tg.iota dim 1 : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs TG_Number:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def TG_BroadcastOp : TG_PureOp<"broadcast"> {
  let summary = "Copies along new dimensions and dimensions of size one";
  let description = [{
    Dimension i of the operand becomes dimension `dims[i]` of the result: of the same size, or one in the operand.

    ```mlir
    %0 = tg.broadcast %operand dims [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_ReshapeOp : TG_PureOp<"reshape"> {
  let summary = "The same elements in row-major order in another shape";
  let description = [{
    ```mlir
    %0 = tg.reshape %operand : (tensor<8x4xf32>) -> tensor<32xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_TransposeOp : TG_PureOp<"transpose", [TG_InferType]> {
  let summary = "Dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand.

    ```mlir
    %0 = tg.transpose %operand permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$operand `permutation` $permutation attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_ReverseOp : TG_PureOp<"reverse", [TG_SameType]> {
  let summary = "Elements in reverse order along dimensions";
  let description = [{
    ```mlir
    %0 = tg.reverse %operand dims [0] : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Slices and joins
//===----------------------------------------------------------------------===//

def TG_SliceOp : TG_PureOp<"slice", [TG_InferType]> {
  let summary = "Elements start, start + stride, ... below limit of each dimension";
  let description = [{
    In assembly each dimension is `start:limit` or `start:limit:stride`.

    ```mlir
    %0 = tg.slice %operand [2:4, 0:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits,
                       DenseI64ArrayAttr:$strides);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<Ranges>($starts, $limits, $strides) attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_DynamicSliceOp : TG_PureOp<"dynamic_slice", [TG_InferType]> {
  let summary = "A slice at an offset that is computed";
  let description = [{
    There is one start index for each dimension; it is clamped so that the slice lies within the operand.

    ```mlir
    %0 = tg.dynamic_slice %operand[%i, %j] sizes [1, 4] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, Variadic<TG_ScalarIndex>:$start_indices, DenseI64ArrayAttr:$sizes);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $operand `[` $start_indices `]` `sizes` $sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_DynamicUpdateSliceOp : TG_PureOp<"dynamic_update_slice", [TG_InferType]> {
  let summary = "A tensor with a slice of it, at an offset that is computed, replaced";
  let description = [{
    There is one start index for each dimension; it is clamped so that the slice lies within the operand.

    ```mlir
    %0 = tg.dynamic_update_slice %operand[%i, %j], %update
        : (tensor<8x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Tensor:$update, Variadic<TG_ScalarIndex>:$start_indices);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $operand `[` $start_indices `]` `,` $update attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def TG_PadOp : TG_PureOp<"pad", [TG_InferType]> {
  let summary = "A value put before, after and between the elements";
  let description = [{
    `low` and `high` may be negative: they then take elements away. `interior` elements go between each two.

    ```mlir
    %0 = tg.pad %operand, %padding_value low [0, 1] high [0, -1] interior [0, 0]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Tensor:$padding_value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `low` $low `high` $high `interior` $interior attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_ConcatenateOp : TG_PureOp<"concatenate", [TG_InferType]> {
  let summary = "Tensors one after the other along a dimension";
  let description = [{
    ```mlir
    %0 = tg.concatenate %a, %b dim 0 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_GatherOp : TG_PureOp<"gather", [TG_InferType]> {
  let summary = "Slices at offsets that are read from a tensor";
  let description = [{
    StableHLO's gather. `index_vector_dim` is the dimension of `start_indices` whose elements make one start index (its
    rank: each element is a start index of its own). A start index is clamped so that the slice lies within the operand.

    ```mlir
    %0 = tg.gather %operand, %start_indices offset_dims [1] collapsed_slice_dims [0] start_index_map [0]
        index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Index:$start_indices, TG_DimsOrNone:$offset_dims,
                       TG_DimsOrNone:$collapsed_slice_dims, TG_DimsOrNone:$operand_batching_dims,
                       TG_DimsOrNone:$start_indices_batching_dims, TG_DimsOrNone:$start_index_map,
                       I64Attr:$index_vector_dim, DenseI64ArrayAttr:$slice_sizes, UnitAttr:$indices_are_sorted);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $start_indices (`offset_dims` $offset_dims^)? (`collapsed_slice_dims` $collapsed_slice_dims^)?
    (`operand_batching_dims` $operand_batching_dims^)? (`start_indices_batching_dims` $start_indices_batching_dims^)?
    (`start_index_map` $start_index_map^)? `index_vector_dim` $index_vector_dim `slice_sizes` $slice_sizes
    (`indices_are_sorted` $indices_are_sorted^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TG_ScatterOp : TG_PureOp<"scatter", [TG_InferType]> {
  let summary = "A tensor with slices of it, at offsets that are read from a tensor, updated";
  let description = [{
    StableHLO's scatter of one input. `kind` is what its update computation does: combines the element with the update, or
    replaces it. An element of
    `updates` whose place is outside of the operand is left out. The order of the updates is not specified.

    ```mlir
    %0 = tg.scatter add %operand, %scatter_indices, %updates update_window_dims [1] inserted_window_dims [0]
        scatter_dims_to_operand_dims [0] index_vector_dim 1
        : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<100x4xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, TG_Index:$scatter_indices, TG_Tensor:$updates, TG_UpdateKind:$kind,
                       TG_DimsOrNone:$update_window_dims, TG_DimsOrNone:$inserted_window_dims,
                       TG_DimsOrNone:$input_batching_dims, TG_DimsOrNone:$scatter_indices_batching_dims,
                       TG_DimsOrNone:$scatter_dims_to_operand_dims, I64Attr:$index_vector_dim,
                       UnitAttr:$indices_are_sorted, UnitAttr:$unique_indices);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand `,` $scatter_indices `,` $updates (`update_window_dims` $update_window_dims^)?
    (`inserted_window_dims` $inserted_window_dims^)? (`input_batching_dims` $input_batching_dims^)?
    (`scatter_indices_batching_dims` $scatter_indices_batching_dims^)?
    (`scatter_dims_to_operand_dims` $scatter_dims_to_operand_dims^)? `index_vector_dim` $index_vector_dim
    (`indices_are_sorted` $indices_are_sorted^)? (`unique_indices` $unique_indices^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // STITCH_TG_MOVEMENT_TD
