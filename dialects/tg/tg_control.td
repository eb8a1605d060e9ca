//===- tg_control.td - control flow ------------------*- tablegen -*-===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TG_CONTROL_TD
#define STITCH_TG_CONTROL_TD

include "dialects/tg/tg_base.td"

def TG_YieldOp : TG_PureOp<"yield", [Terminator, ParentOneOf<["SortOp", "WhileOp", "IfOp", "CaseOp", "GeneralCumulativeOp",
    "GeneralReduceOp", "GeneralReduceWindowOp", "GeneralScatterOp", "GeneralSelectAndScatterOp"]>]> {
  let summary = "Ends a region and names its values";
  let description = [{
    In the regions of tg.sort, tg.while, tg.if, tg.case and the operations tg.general_*.

    ```mlir
    %0 = tg.if %pred : (tensor<i1>) -> tensor<8xf32> {
      tg.yield %x : tensor<8xf32>
    } else {
      %1 = tg.neg %x : tensor<8xf32>
      tg.yield %1 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

def TG_WhileOp : TG_Op<"while", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Repeats a body as long as a condition holds";
  let description = [{
    Both regions take the values that go round; the first yields a predicate, the second the next values. `trip_count`
    is how often the body runs, if that is known; the condition need not be computed then.

    ```mlir
    %0 = tg.while(%x = %init) : tensor<i32> cond {
      %1 = tg.compare lt, %x, %limit : tensor<i32>
      tg.yield %1 : tensor<i1>
    } do {
      %1 = tg.add %x, %step : tensor<i32>
      tg.yield %1 : tensor<i32>
    }
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inits, OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$trip_count);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def TG_IfOp : TG_Op<"if", [RecursiveMemoryEffects, RecursivelySpeculatable,
                           SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "One of two regions, by a predicate";
  let description = [{
    ```mlir
    %0 = tg.if %pred : (tensor<i1>) -> tensor<8xf32> {
      tg.yield %x : tensor<8xf32>
    } else {
      tg.yield %y : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins TG_ScalarPredicate:$pred);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$on_true, SizedRegion<1>:$on_false);
  let assemblyFormat = [{
    $pred attr-dict-with-keyword `:` functional-type(operands, results) $on_true `else` $on_false
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def TG_CaseOp : TG_Op<"case", [RecursiveMemoryEffects, RecursivelySpeculatable,
                               SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "One of several regions, by an index";
  let description = [{
    An index that is out of range takes the last region.

    ```mlir
    %0 = tg.case %index : (tensor<i32>) -> tensor<8xf32> {
      tg.yield %x : tensor<8xf32>
    }, {
      tg.yield %y : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins TG_ScalarIndex:$index);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = [{
    $index attr-dict-with-keyword `:` functional-type(operands, results) $branches
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def TG_OptimizationBarrierOp : TG_PureOp<"optimization_barrier", [TG_InferType]> {
  let summary = "Its operands, none of which is known before all are there";
  let description = [{
    ```mlir
    %0:2 = tg.optimization_barrier %a, %b : tensor<8xf32>, tensor<4xi32>
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let assemblyFormat = "($inputs^ `:` type($inputs))? attr-dict";
}

def TG_CustomCallOp : TG_Op<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A call of a function that the runtime provides";
  let description = [{
    ```mlir
    %0 = tg.custom_call "scale"(%x) {backend_config = "2.0"} : (tensor<8xf32>) -> tensor<8xf32>
    tg.custom_call "log"(%x) has_side_effect : (tensor<8xf32>) -> ()
    ```
  }];
  let arguments = (ins Variadic<TG_Tensor>:$inputs, StrAttr:$call_target_name, UnitAttr:$has_side_effect,
                       OptionalAttr<AnyAttr>:$backend_config);
  let results = (outs Variadic<TG_Tensor>:$outputs);
  let assemblyFormat = [{
    $call_target_name `(` $inputs `)` (`has_side_effect` $has_side_effect^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // STITCH_TG_CONTROL_TD
