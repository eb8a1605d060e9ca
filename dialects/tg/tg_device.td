//===- tg_device.td - random numbers and collectives -*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_DEVICE_TD
#define STITCH_TG_DEVICE_TD

include "dialects/tg/tg_base.td"

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

def TG_RngOp : TG_Op<"rng"> {
  let summary = "Random numbers of a distribution";
  let description = [{
    `uniform` is over [a, b); `normal` has mean a and standard deviation b. Each execution makes new numbers: its effect is
    that of an allocation, so it is removed if nothing uses it and never merged with another.

    ```mlir
    %0 = tg.rng uniform %a, %b : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Ordered:$a, TG_Ordered:$b, TG_Distribution:$distribution);
  let results = (outs Res<TG_Ordered, "", [MemAlloc]>:$result);
  let assemblyFormat = "$distribution $a `,` $b attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TG_RngBitGeneratorOp : TG_PureOp<"rng_bit_generator"> {
  let summary = "Random bits from a state, and the next state";
  let description = [{
    ```mlir
    %state, %bits = tg.rng_bit_generator three_fry %initial_state
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    ```
  }];
  let arguments = (ins TG_Integer:$initial_state, TG_RngAlgorithm:$rng_algorithm);
  let results = (outs TG_Integer:$output_state, TG_Real:$output);
  let assemblyFormat = "$rng_algorithm $initial_state attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

class TG_CollectiveOp<string mnemonic, list<Trait> traits = []> : TG_PureOp<mnemonic, traits> {
  dag group = (ins I64ElementsAttr:$replica_groups, OptionalAttr<I64Attr>:$channel_id,
                   UnitAttr:$use_global_device_ids);
  string groupFormat = "`replica_groups` $replica_groups (`channel_id` $channel_id^)? "
                       "(`use_global_device_ids` $use_global_device_ids^)? attr-dict `:` ";
  let results = (outs TG_Tensor:$result);
  let hasVerifier = 1;
}

def TG_AllReduceOp : TG_CollectiveOp<"all_reduce", [TG_SameType]> {
  let summary = "Combines tensors across the processes of a group";
  let description = [{
    Each row of `replica_groups` is a group; -1 fills up shorter ones.

    ```mlir
    %0 = tg.all_reduce add %operand replica_groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand, TG_Kind:$kind), group);
  let assemblyFormat = "$kind $operand " # groupFormat # "type($result)";
}

def TG_AllGatherOp : TG_CollectiveOp<"all_gather"> {
  let summary = "Concatenates tensors across the processes of a group";
  let description = [{
    ```mlir
    %0 = tg.all_gather %operand dim 0 replica_groups dense<[[0, 1]]> : tensor<1x2xi64>
        : (tensor<8xf32>) -> tensor<16xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand, I64Attr:$dim), group);
  let assemblyFormat = "$operand `dim` $dim " # groupFormat # "functional-type(operands, results)";
}

def TG_ReduceScatterOp : TG_CollectiveOp<"reduce_scatter"> {
  let summary = "Combines tensors across the processes of a group, each of which gets a part";
  let description = [{
    ```mlir
    %0 = tg.reduce_scatter add %operand dim 0 replica_groups dense<[[0, 1]]> : tensor<1x2xi64>
        : (tensor<8xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand, TG_Kind:$kind, I64Attr:$dim), group);
  let assemblyFormat = "$kind $operand `dim` $dim " # groupFormat # "functional-type(operands, results)";
}

def TG_AllToAllOp : TG_CollectiveOp<"all_to_all"> {
  let summary = "Each process of a group sends a part to each other and concatenates what it gets";
  let description = [{
    ```mlir
    %0 = tg.all_to_all %operand split_dimension 0 concat_dimension 1 split_count 2
        replica_groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8x4xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand, I64Attr:$split_dimension, I64Attr:$concat_dimension,
                            I64Attr:$split_count), group);
  let assemblyFormat = "$operand `split_dimension` $split_dimension `concat_dimension` $concat_dimension "
                       "`split_count` $split_count " # groupFormat # "functional-type(operands, results)";
}

def TG_CollectiveBroadcastOp
    : TG_CollectiveOp<"collective_broadcast", [TG_SameType]> {
  let summary = "The tensor of the first process of a group, for all of it";
  let description = [{
    ```mlir
    %0 = tg.collective_broadcast %operand replica_groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand), group);
  let assemblyFormat = "$operand " # groupFormat # "type($result)";
}

def TG_CollectivePermuteOp
    : TG_PureOp<"collective_permute", [TG_SameType]> {
  let summary = "Sends tensors from processes to processes";
  let description = [{
    Each row of `source_target_pairs` is a source and a target; a process that is no target gets zeros.

    ```mlir
    %0 = tg.collective_permute %operand source_target_pairs dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>
        : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, I64ElementsAttr:$source_target_pairs, OptionalAttr<I64Attr>:$channel_id);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $operand `source_target_pairs` $source_target_pairs (`channel_id` $channel_id^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

class TG_ProcessOp<string mnemonic, string text> : TG_PureOp<mnemonic> {
  let summary = text # " of this process";
  let description = "\n```mlir\n%0 = tg." # mnemonic # " : tensor<ui32>\n```\n";
  let results = (outs TG_ScalarIndex:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TG_PartitionIdOp : TG_ProcessOp<"partition_id", "The partition">;
def TG_ReplicaIdOp : TG_ProcessOp<"replica_id", "The replica">;

#endif // STITCH_TG_DEVICE_TD
