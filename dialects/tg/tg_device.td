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

/// `groups` has the numbers of the processes of each group in a row; -1 fills up shorter rows. A process number is
/// replica * partitions + partition, in StableHLO's words. A collective along another dimension runs along the
/// outermost one, with transposes around it.
class TG_CollectiveOp<string mnemonic, list<Trait> traits = []> : TG_PureOp<mnemonic, traits> {
  dag groupsOf = (ins I64ElementsAttr:$groups);
  string form = "$operand `groups` $groups attr-dict `:` ";
  let results = (outs TG_Tensor:$result);
  let hasVerifier = 1;
}

def TG_AllReduceOp : TG_CollectiveOp<"all_reduce", [TG_SameType]> {
  let summary = "Combines tensors across the processes of a group";
  let description = [{
    In the order of the group, and rounded once.

    ```mlir
    %0 = tg.all_reduce add %operand groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand, TG_Kind:$kind), groupsOf);
  let assemblyFormat = "$kind " # form # "type($result)";
}

def TG_AllGatherOp : TG_CollectiveOp<"all_gather"> {
  let summary = "Concatenates tensors across the processes of a group";
  let description = [{
    ```mlir
    %0 = tg.all_gather %operand groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<16xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand), groupsOf);
  let assemblyFormat = form # "functional-type(operands, results)";
}

def TG_ReduceScatterOp : TG_CollectiveOp<"reduce_scatter"> {
  let summary = "Combines tensors across the processes of a group, each of which gets a part";
  let description = [{
    ```mlir
    %0 = tg.reduce_scatter add %operand groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand, TG_Kind:$kind), groupsOf);
  let assemblyFormat = "$kind " # form # "functional-type(operands, results)";
}

def TG_AllToAllOp : TG_CollectiveOp<"all_to_all", [TG_SameType]> {
  let summary = "Part i of the tensor goes to process i of the group, and its part to the place of that process";
  let description = [{
    ```mlir
    %0 = tg.all_to_all %operand groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8x4xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand), groupsOf);
  let assemblyFormat = form # "type($result)";
}

def TG_CollectiveBroadcastOp : TG_CollectiveOp<"collective_broadcast", [TG_SameType]> {
  let summary = "The tensor of the first process of a group, for all of it";
  let description = [{
    A process of no group gets zeros.

    ```mlir
    %0 = tg.collective_broadcast %operand groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8xf32>
    ```
  }];
  let arguments = !con((ins TG_Tensor:$operand), groupsOf);
  let assemblyFormat = form # "type($result)";
}

def TG_CollectivePermuteOp : TG_PureOp<"collective_permute", [TG_SameType]> {
  let summary = "Sends tensors from processes to processes";
  let description = [{
    Each row of `pairs` is a source and a target; a process that is no target gets zeros.

    ```mlir
    %0 = tg.collective_permute %operand pairs dense<[[0, 1], [1, 0]]> : tensor<2x2xi64> : tensor<8xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$operand, I64ElementsAttr:$pairs);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = "$operand `pairs` $pairs attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TG_ProcessIdOp : TG_PureOp<"process_id"> {
  let summary = "The number of this process";
  let description = [{
    ```mlir
    %0 = tg.process_id : tensor<ui32>
    ```
  }];
  let results = (outs TG_ScalarIndex:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif // STITCH_TG_DEVICE_TD
