// RUN: stitch-opt %s --donate-arguments="pairs=0:1,2:0" | FileCheck %s
// RUN: stitch-opt %s --donate-arguments | FileCheck %s --check-prefix=NONE
// RUN: not stitch-opt %s --donate-arguments="pairs=0:2" 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not stitch-opt %s --donate-arguments="pairs=4:1" 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not stitch-opt %s --donate-arguments="pairs=3:1" 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not stitch-opt %s --donate-arguments="pairs=0:1,0:0" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not stitch-opt %s --donate-arguments="pairs=0:1,1:1" 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not stitch-opt %s --donate-arguments="pairs=0" 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not stitch-opt %s --donate-arguments="pairs=0:-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: echo 'module {}' | not stitch-opt - --donate-arguments="pairs=0:0" 2>&1 | FileCheck %s --check-prefix=MAIN

// CHECK: func.func @main(%arg0: tensor<4xf32> {stitch.donated = 1 : i64}, %arg1: tensor<4xf32>, %arg2: tensor<4xf32> {stitch.donated = 0 : i64}, %arg3: tensor<4xi32>)
// NONE: func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xi32>)
// RESULT: donate_arguments.mlir:[[#@LINE+7]]:1: error: 'func.func' op has no result 2: argument 0 cannot be donated to result 2
// ARGUMENT: donate_arguments.mlir:[[#@LINE+6]]:1: error: 'func.func' op has no argument 4: argument 4 cannot be donated to result 1
// TYPES: donate_arguments.mlir:[[#@LINE+5]]:74: error: argument 3 cannot be donated to result 1: their types are tensor<4xi32> and tensor<4xf32>
// TWICE: donate_arguments.mlir:[[#@LINE+4]]:17: error: argument 0 cannot be donated to result 0: argument 0 is donated to result 1 already
// SHARED: donate_arguments.mlir:[[#@LINE+3]]:36: error: argument 1 cannot be donated to result 1: argument 0 is donated to result 1 already
// PAIR: donate_arguments.mlir:[[#@LINE+2]]:1: error: 'func.func' op cannot donate '0': pairs of an argument and a result are 0:1,2:0
// NEGATIVE: donate_arguments.mlir:[[#@LINE+1]]:1: error: 'func.func' op cannot donate '0:-1'
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tg.add %a, %b : tensor<4xf32>
  %1 = tg.mul %0, %c : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// MAIN: error: 'builtin.module' op has no function @main with a body, whose arguments could be donated
