// What operations compute that become loops on buffers: scatter, sort, windows, control flow.
// RUN: stitch-opt %s -pass-pipeline='builtin.module(convert-tg-to-linalg,canonicalize,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(canonicalize,stitch-release-buffers),stitch-outline-loops,func.func(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf),stitch-cpu-math,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}

func.func private @show(%x: tensor<4xf32>) {
  %print = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%print) : (tensor<*xf32>) -> ()
  return
}

func.func private @show_indices(%x: tensor<4xi32>) {
  %print = tensor.cast %x : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print) : (tensor<*xi32>) -> ()
  return
}

func.func @main() {
  call @scatters() : () -> ()
  call @sorts() : () -> ()
  call @windows() : () -> ()
  call @cumulative() : () -> ()
  call @branches() : () -> ()
  call @loops() : () -> ()
  return
}

func.func private @scatters() {
  %x = tg.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  %at = tg.constant dense<[[2], [0], [2], [4], [-1]]> : tensor<5x1xi32>
  %updates = tg.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  // Two updates meet, two are out of range.
  // CHECK: [12, 20, 34, 40]
  %sum = tg.scatter add %x, %at, %updates inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  call @show(%sum) : (tensor<4xf32>) -> ()
  // CHECK: [2, 20, 3, 40]
  %replaced = tg.scatter replace %x, %at, %updates inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  call @show(%replaced) : (tensor<4xf32>) -> ()
  // Of a window that begins before the operand the rest is within it.
  // CHECK: [2, 3, 30, 40]
  %before = tg.constant dense<[-1]> : tensor<1xi32>
  %window = tg.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %partly = tg.scatter replace %x, %before, %window update_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0
      : (tensor<4xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<4xf32>
  call @show(%partly) : (tensor<4xf32>) -> ()
  // An unsigned index beyond all is not one below zero.
  // CHECK: [10, 20, 30, 40]
  %huge = tg.constant dense<18446744073709551615> : tensor<1xui64>
  %beyond = tg.scatter replace %x, %huge, %window update_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0
      : (tensor<4xf32>, tensor<1xui64>, tensor<3xf32>) -> tensor<4xf32>
  call @show(%beyond) : (tensor<4xf32>) -> ()
  return
}

func.func private @sorts() {
  %keys = tg.constant dense<[2.0, -1.0, 2.0, 0xFFC00000]> : tensor<4xf32>
  %values = tg.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  // CHECK: [-nan, -1, 2, 2]
  // CHECK: [3, 1, 0, 2]
  %sorted:2 = tg.sort %keys, %values dim 0 is_stable : tensor<4xf32>, tensor<4xi32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %before = tg.compare lt, %a, %b total_order : tensor<f32>
    tg.yield %before : tensor<i1>
  }
  call @show(%sorted#0) : (tensor<4xf32>) -> ()
  call @show_indices(%sorted#1) : (tensor<4xi32>) -> ()
  // By distance from a value that comes from around the sort.
  // CHECK: [1, 2, 0, 3]
  %center = tg.constant dense<1> : tensor<i32>
  %near = tg.sort %values dim 0 is_stable : tensor<4xi32> {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = tg.sub %a, %center : tensor<i32>
    %1 = tg.sub %b, %center : tensor<i32>
    %2 = tg.mul %0, %0 : tensor<i32>
    %3 = tg.mul %1, %1 : tensor<i32>
    %4 = tg.compare lt, %2, %3 : tensor<i32>
    %5 = tg.compare eq, %2, %3 : tensor<i32>
    %6 = tg.compare gt, %a, %b : tensor<i32>
    %7 = tg.and %5, %6 : tensor<i1>
    %8 = tg.or %4, %7 : tensor<i1>
    tg.yield %8 : tensor<i1>
  }
  call @show_indices(%near) : (tensor<4xi32>) -> ()
  // NaN with the sign bit is the least of all.
  // CHECK: [2, 2, -1, -nan]
  // CHECK: [0, 2, 1, 3]
  %largest, %at = tg.top_k %keys k 4 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  call @show(%largest) : (tensor<4xf32>) -> ()
  call @show_indices(%at) : (tensor<4xi32>) -> ()
  return
}

func.func private @windows() {
  %x = tg.constant dense<[1.0, 5.0, 2.0, 2.0, 0.0, 7.0, 3.0]> : tensor<7xf32>
  // Windows of two elements, two apart, one of padding in front.
  // CHECK: [1, 5, 2, 7]
  %max = tg.reduce_window max %x window_dimensions [2] window_strides [2] base_dilations [1] window_dilations [1]
      padding_low [1] padding_high [0] : (tensor<7xf32>) -> tensor<4xf32>
  call @show(%max) : (tensor<4xf32>) -> ()
  // Three elements, two apart, of [1 . 5 . 2 . 2 . 0 . 7 . 3] and four of padding in front: 1 | 1 5 2 | 2 2 0 | 0 7 3.
  // CHECK: [1, 8, 4, 10]
  %sum = tg.reduce_window add %x window_dimensions [3] window_strides [4] base_dilations [2] window_dilations [2]
      padding_low [4] padding_high [0] : (tensor<7xf32>) -> tensor<4xf32>
  call @show(%sum) : (tensor<4xf32>) -> ()
  // The first of equal elements is selected: 5 (at 1), 2 (at 2), 7 (at 5).
  // CHECK: [0,  10,  20,  0,  0,  70,  0]
  %source = tg.constant dense<[10.0, 20.0, 70.0]> : tensor<3xf32>
  %selected = tg.select_and_scatter max add %x, %source window_dimensions [2] window_strides [2] padding_low [0] padding_high [0]
      : (tensor<7xf32>, tensor<3xf32>) -> tensor<7xf32>
  %print = tensor.cast %selected : tensor<7xf32> to tensor<*xf32>
  call @printMemrefF32(%print) : (tensor<*xf32>) -> ()
  return
}

func.func private @cumulative() {
  %x = tg.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: [1, 3, 6, 10]
  %0 = tg.cumulative add %x dim 0 : tensor<4xf32>
  call @show(%0) : (tensor<4xf32>) -> ()
  // CHECK: [9, 7, 4, 0]
  %1 = tg.cumulative add %x dim 0 reverse exclusive : tensor<4xf32>
  call @show(%1) : (tensor<4xf32>) -> ()
  // Affine functions behind each other: 1x + 4, 2x + 3, 3x + 2, 4x + 1. The first arguments of the body come before.
  // CHECK: [1, 2, 6, 24]
  // CHECK: [4, 11, 35, 141]
  %y = tg.constant dense<[4.0, 3.0, 2.0, 1.0]> : tensor<4xf32>
  %2:2 = tg.general_cumulative %x, %y dim 0 : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %ac = tg.mul %a, %c : tensor<f32>
    %bc = tg.mul %b, %c : tensor<f32>
    %bcd = tg.add %bc, %d : tensor<f32>
    tg.yield %ac, %bcd : tensor<f32>, tensor<f32>
  }
  call @show(%2#0) : (tensor<4xf32>) -> ()
  call @show(%2#1) : (tensor<4xf32>) -> ()
  // Without its own element, from the last one on: 7 - 4 - 3 - 2.
  // CHECK: [-2, 0, 3, 7]
  %seven = tg.constant dense<7.0> : tensor<f32>
  %3 = tg.general_cumulative %x inits %seven dim 0 reverse exclusive : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = tg.sub %a, %b : tensor<f32>
    tg.yield %less : tensor<f32>
  }
  call @show(%3) : (tensor<4xf32>) -> ()
  return
}

func.func private @branch(%index: tensor<i32>) {
  %x = tg.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.case %index : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
    tg.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }, {
    %1 = tg.neg %x : tensor<4xf32>
    tg.yield %1, %x : tensor<4xf32>, tensor<4xf32>
  }, {
    %is_one = tg.compare eq, %index, %one : tensor<i32>
    %2 = tg.if %is_one : (tensor<i1>) -> tensor<4xf32> {
      tg.yield %x : tensor<4xf32>
    } else {
      %3 = tg.add %x, %x : tensor<4xf32>
      tg.yield %3 : tensor<4xf32>
    }
    tg.yield %x, %2 : tensor<4xf32>, tensor<4xf32>
  }
  call @show(%0#0) : (tensor<4xf32>) -> ()
  call @show(%0#1) : (tensor<4xf32>) -> ()
  return
}

func.func private @branches() {
  %0 = tg.constant dense<0> : tensor<i32>
  %1 = tg.constant dense<1> : tensor<i32>
  %far = tg.constant dense<-7> : tensor<i32>
  // CHECK: [1, 2, 3, 4]
  // CHECK: [1, 2, 3, 4]
  call @branch(%0) : (tensor<i32>) -> ()
  // CHECK: [-1, -2, -3, -4]
  // CHECK: [1, 2, 3, 4]
  call @branch(%1) : (tensor<i32>) -> ()
  // CHECK: [1, 2, 3, 4]
  // CHECK: [2, 4, 6, 8]
  call @branch(%far) : (tensor<i32>) -> ()
  return
}

// The values change places in each of five rounds; one stays as it is, one is read by a loop inside the loop.
func.func private @loops() {
  %a = tg.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = tg.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %five = tg.constant dense<5> : tensor<i32>
  %0:4 = tg.while(%i = %zero, %x = %a, %y = %b, %same = %b) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> cond {
    %1 = tg.compare lt, %i, %five : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %2:2 = tg.while(%j = %zero, %sum = %x) : tensor<i32>, tensor<4xf32> cond {
      %3 = tg.compare lt, %j, %i : tensor<i32>
      tg.yield %3 : tensor<i1>
    } do {
      %4 = tg.add %j, %one : tensor<i32>
      %5 = tg.add %sum, %same : tensor<4xf32>
      tg.yield %4, %5 : tensor<i32>, tensor<4xf32>
    }
    %next = tg.add %i, %one : tensor<i32>
    tg.yield %next, %y, %2#1, %same : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: [50, 100, 150, 200]
  call @show(%0#1) : (tensor<4xf32>) -> ()
  // CHECK: [61, 122, 183, 244]
  call @show(%0#2) : (tensor<4xf32>) -> ()
  return
}
