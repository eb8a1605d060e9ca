// RUN: stitch-opt %s --stitch-select-versions='versions=*=b,inner=c' | FileCheck %s --check-prefix=ALL
// RUN: stitch-opt %s --stitch-select-versions='versions=outer=b' | FileCheck %s --check-prefix=ONE
// RUN: stitch-opt %s --stitch-select-versions | FileCheck %s --check-prefix=FIRST
// RUN: not stitch-opt %s --stitch-select-versions='versions=outer=b,outer=z,other=a' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: stitch-compile %source/test/lit/runtime/Inputs/adaptive.mlir --adaptive --pipeline='plan=astitch growth=300 versions=*=all,products_1=by_2' -o %t.so
// RUN: stitch-run %t.so --check | FileCheck %s --check-prefix=CHECKED
// RUN: not stitch-opt %s --stitch-select-versions='versions=outer=b,outer' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not stitch-run %t.so --versions='*=all' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not stitch-compile %source/test/lit/runtime/Inputs/adaptive.mlir --pipeline='versions=*=all' -o %t.so 2>&1 | FileCheck %s --check-prefix=ADAPTIVE
// ADAPTIVE: versions needs adaptive=true: without it there are none

// One version of each variable is left, those in versions that are taken too, and no update tree. Choices that come
// later count; "*" means all variables that have the version. A variable may be in a version that is not taken.

// ALL-NOT: stitch.adaptive
// ALL-LABEL: func.func @main
// ALL-NOT: stitch.update
// ALL-NEXT: tg.while
// ALL: %[[TANH:[0-9]+]] = tg.tanh
// ALL-NEXT: %[[NEG:[0-9]+]] = tg.neg %[[TANH]]
// ALL-NEXT: %[[ABS:[0-9]+]] = tg.abs %[[NEG]]
// ALL-NEXT: tg.yield %{{.*}}, %[[ABS]]

// ONE-NOT: stitch.adaptive
// ONE: %[[TANH:[0-9]+]] = tg.tanh
// ONE-NEXT: %[[EXP:[0-9]+]] = tg.exp %[[TANH]]
// ONE-NEXT: %[[ABS:[0-9]+]] = tg.abs %[[EXP]]

// FIRST-NOT: stitch.adaptive
// FIRST: %[[SQRT:[0-9]+]] = tg.sqrt
// FIRST-NEXT: tg.yield %{{.*}}, %[[SQRT]]

// NONE-DAG: error: {{.*}}stitch-select-versions: there is no adaptive variable and version 'outer=z'
// NONE-DAG: error: {{.*}}stitch-select-versions: there is no adaptive variable and version 'other=a'
// FORM: error: pass 'stitch-select-versions': option 'versions' must be versions such as products_0=all,*=xla, and is 'outer=b,outer'

// CHECKED: ok: output 2
// CHECKED: launches checked alone, 0 wrong
// NOTHING: error: {{.*}}the model has no adaptive variable and version '*=all'
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> attributes {stitch.update = ["parallel", "outer", "inner"]} {
  %r:2 = tg.while(%i = %n, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %more = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %more : tensor<i1>
  } do {
    %1 = stitch.adaptive "outer" ["a", "b"] : tensor<4xf32> {
      %a = tg.sqrt %v : tensor<4xf32>
      stitch.yield %a : tensor<4xf32>
    }, {
      %t = tg.tanh %v : tensor<4xf32>
      %2 = stitch.adaptive "inner" ["a", "b", "c"] : tensor<4xf32> {
        %e = tg.exp %t : tensor<4xf32>
        stitch.yield %e : tensor<4xf32>
      }, {
        stitch.yield %t : tensor<4xf32>
      }, {
        %g = tg.neg %t : tensor<4xf32>
        stitch.yield %g : tensor<4xf32>
      }
      %b = tg.abs %2 : tensor<4xf32>
      stitch.yield %b : tensor<4xf32>
    }
    tg.yield %i, %1 : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
