// The function that is compiled is @main, or the only public one, or the one that is asked for.
// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-opt %t.0.mlir --select-entry | FileCheck %s --check-prefix=ONLY
// RUN: stitch-compile %t.0.mlir --emit=tg -o - | FileCheck %s --check-prefix=COMPILED
// RUN: stitch-compile %t.0.mlir --entry=forward --emit=tg -o - | FileCheck %s --check-prefix=COMPILED
// RUN: stitch-compile %t.1.mlir --emit=tg -o - | FileCheck %s --check-prefix=MAIN
// RUN: stitch-compile %t.1.mlir --entry=other --emit=tg -o - | FileCheck %s --check-prefix=OTHER
// RUN: stitch-opt %t.1.mlir --select-entry=name=other | FileCheck %s --check-prefix=RENAMED
// RUN: stitch-report %t.1.mlir --entry=other -o %t.html
// RUN: not stitch-compile %t.2.mlir --emit=tg 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not stitch-compile %t.2.mlir --entry=third --emit=tg 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: stitch-compile %t.2.mlir --entry=second --emit=tg -o - | FileCheck %s --check-prefix=COMPILED
// RUN: not stitch-compile %t.2.mlir --entry= --emit=tg 2>&1 | FileCheck %s --check-prefix=EMPTY

// ONLY: func.func @main(
// ONLY: call @helper
// ONLY: func.func private @helper

// COMPILED: func.func @main(
// COMPILED-NEXT: tg.neg
// COMPILED-NOT: func.func
func.func @forward(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @helper(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// MAIN: func.func @main(
// MAIN-NEXT: tg.abs
// MAIN-NOT: func.func
// OTHER: func.func @main(
// OTHER-NEXT: tg.abs
// OTHER-NEXT: tg.neg
// OTHER-NOT: func.func
// RENAMED: func.func private @main_1(
// RENAMED: func.func @main(
// RENAMED-NEXT: call @main_1
// RENAMED: func.func private @main_0(
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @other(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @main(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main_0() {
  return
}

// -----

// SEVERAL: error: 'builtin.module' op has several public functions and no @main; --entry=NAME chooses one (of select-entry: name=NAME): @first, @second
// MISSING: error: 'builtin.module' op has no function @third with a body; public are: @first, @second
// EMPTY: stitch-compile: error: --entry needs the name of a function, without quotation marks, not ''
func.func @first(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @second(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
