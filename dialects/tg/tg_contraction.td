//===- tg_contraction.td - dot and convolution -----------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_CONTRACTION_TD
#define STITCH_TG_CONTRACTION_TD

include "dialects/tg/tg_base.td"

def TG_DotOp : TG_PureOp<"dot"> {
  let summary = "Sum of products over contracted dimensions, for each index of batch dimensions";
  let description = [{
    The result's dimensions are the batch dimensions in the order of `lhs_batch`, then the lhs's other dimensions, then the
    rhs's. Its element type may be wider than the operands': products are then summed in it.

    ```mlir
    %0 = tg.dot %a, %b batch [0] x [0] contract [2] x [1]
        : (tensor<8x16x32xf32>, tensor<8x32x64xf32>) -> tensor<8x16x64xf32>
    ```
  }];
  let arguments = (ins TG_Tensor:$lhs, TG_Tensor:$rhs, TG_DimsOrNone:$lhs_batch, TG_DimsOrNone:$rhs_batch,
                       TG_DimsOrNone:$lhs_contract, TG_DimsOrNone:$rhs_contract);
  let results = (outs TG_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`batch` $lhs_batch^ `x` $rhs_batch)? (`contract` $lhs_contract^ `x` $rhs_contract)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // STITCH_TG_CONTRACTION_TD
