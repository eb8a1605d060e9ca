// RUN: stitch-compile %s --pipeline=plan=astitch --checks -o %t.so
// RUN: stitch-run %t.so --dim t=1 --check | FileCheck %s
// RUN: stitch-run %t.so --dim t=5 --check --thread-order=3 | FileCheck %s
// RUN: stitch-run %t.so --dim t=11 --check | FileCheck %s

// Rows of a known number and, in a later phase of the kernel, rows of an open number, by the same mapping: a block that has one task of each
// goes through as many of the latter as there are.

// CHECK: ok: 1 of 1 launches checked alone, 0 wrong

func.func @main(%x: tensor<44x16xf32>, %w: tensor<16x44xf32>, %z: tensor<11xf32, "t">, %t: tensor<i32> {stitch.symbol = {name = "t", low = 1, high = 11}}) -> (tensor<44x16xf32, "t">, tensor<11xf32, "t">) {
  %s = tg.reduce add %x dims [1] : (tensor<44x16xf32>) -> tensor<44xf32>
  %b = tg.broadcast %s dims [1] : (tensor<44xf32>) -> tensor<16x44xf32>
  %m = tg.mul %w, %b : tensor<16x44xf32>
  %tr = tg.transpose %m permutation [1, 0] : (tensor<16x44xf32>) -> tensor<44x16xf32>
  %r = tg.reduce max %tr dims [1] : (tensor<44x16xf32>) -> tensor<44xf32>
  %rb = tg.broadcast %r dims [0] : (tensor<44xf32>) -> tensor<44x16xf32>
  %y = tg.sub %x, %rb : tensor<44x16xf32>
  %e = tg.exp %y : tensor<44x16xf32>
  %i = tg.iota dim 0 : tensor<44xi32, "t">
  %g = tg.gather %e, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 16] : (tensor<44x16xf32>, tensor<44xi32, "t">) -> tensor<44x16xf32, "t">
  return %g, %z : tensor<44x16xf32, "t">, tensor<11xf32, "t">
}
