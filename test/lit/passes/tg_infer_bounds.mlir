// RUN: stitch-opt %s --tg-infer-bounds --stitch-remarks -split-input-file -verify-diagnostics=only-expected | FileCheck %s

// A prefill's last logits: the norm of one row, and its product. The sum of squares follows the row, too.
// CHECK-LABEL: func.func @last_logits
// CHECK: %[[ROW:.*]] = tg.slice %arg0 [127:128, 0:64]
// CHECK: tg.reduce add {{.*}} dims [1] : (tensor<1x64xf32>) -> tensor<1xf32>
// CHECK: tg.dot {{.*}} : (tensor<1x64xf32>, tensor<64x500xf32>) -> tensor<1x500xf32>
// CHECK-NOT: tensor<128x500xf32>
// CHECK: return {{.*}} : tensor<1x500xf32>
func.func @last_logits(%x: tensor<128x64xf32>, %w: tensor<64x500xf32>) -> tensor<1x500xf32> {
  %squares = tg.mul %x, %x : tensor<128x64xf32>
  %sum = tg.reduce add %squares dims [1] : (tensor<128x64xf32>) -> tensor<128xf32>
  %root = tg.rsqrt %sum : tensor<128xf32>
  %wide = tg.broadcast %root dims [0] : (tensor<128xf32>) -> tensor<128x64xf32>
  %norm = tg.mul %x, %wide : tensor<128x64xf32>
  // expected-remark @below {{500 of 64000 elements are computed: no others are read}}
  %logits = tg.dot %norm, %w contract [1] x [0] : (tensor<128x64xf32>, tensor<64x500xf32>) -> tensor<128x500xf32>
  %last = tg.slice %logits [127:128, 0:500] : (tensor<128x500xf32>) -> tensor<1x500xf32>
  return %last : tensor<1x500xf32>
}

// -----

// Rows and tokens are one dimension between two reshapes: every 20th row is read, which a stride says.
// CHECK-LABEL: func.func @every_first_token
// CHECK: tg.slice %arg0 [0:101:20, 0:16]
// CHECK: tg.dot {{.*}} -> tensor<6x24xf32>
func.func @every_first_token(%x: tensor<120x16xf32>, %w: tensor<16x24xf32>) -> tensor<6x1x24xf32> {
  // expected-remark @below {{144 of 2880 elements}}
  %y = tg.dot %x, %w contract [1] x [0] : (tensor<120x16xf32>, tensor<16x24xf32>) -> tensor<120x24xf32>
  %z = tg.reshape %y : (tensor<120x24xf32>) -> tensor<6x20x24xf32>
  %s = tg.slice %z [0:6, 0:1, 0:24] : (tensor<6x20x24xf32>) -> tensor<6x1x24xf32>
  return %s : tensor<6x1x24xf32>
}

// -----

// Two readers of 3 and 2 rows: all between them is computed once.
// CHECK-LABEL: func.func @two_readers
// CHECK: tg.exp {{.*}} : tensor<8x4xf32>
// CHECK-DAG: tg.slice {{.*}} [0:3, 0:4]
// CHECK-DAG: tg.slice {{.*}} [6:8, 0:4]
func.func @two_readers(%x: tensor<64x4xf32>) -> (tensor<3x4xf32>, tensor<2x4xf32>) {
  %y = tg.exp %x : tensor<64x4xf32>
  %a = tg.slice %y [10:13, 0:4] : (tensor<64x4xf32>) -> tensor<3x4xf32>
  %b = tg.slice %y [16:18, 0:4] : (tensor<64x4xf32>) -> tensor<2x4xf32>
  return %a, %b : tensor<3x4xf32>, tensor<2x4xf32>
}

// -----

// All rows but the last: the product stays whole.
// CHECK-LABEL: func.func @all_but_one
// CHECK: tg.dot {{.*}} -> tensor<64x8xf32>
func.func @all_but_one(%x: tensor<64x4xf32>, %w: tensor<4x8xf32>) -> tensor<63x8xf32> {
  %y = tg.dot %x, %w contract [1] x [0] : (tensor<64x4xf32>, tensor<4x8xf32>) -> tensor<64x8xf32>
  %s = tg.slice %y [0:63, 0:8] : (tensor<64x8xf32>) -> tensor<63x8xf32>
  return %s : tensor<63x8xf32>
}

// -----

// Another reader wants all of it.
// CHECK-LABEL: func.func @read_whole
// CHECK: tg.exp {{.*}} : tensor<64x4xf32>
func.func @read_whole(%x: tensor<64x4xf32>) -> (tensor<1x4xf32>, tensor<64x4xf32>) {
  %y = tg.exp %x : tensor<64x4xf32>
  %a = tg.slice %y [10:11, 0:4] : (tensor<64x4xf32>) -> tensor<1x4xf32>
  return %a, %y : tensor<1x4xf32>, tensor<64x4xf32>
}

// -----

// A sum of rows reads all of them; of the columns few are read. A sort along rows is computed for some rows.
// CHECK-LABEL: func.func @reductions
// CHECK: tg.reduce add {{.*}} dims [0] : (tensor<64x2xf32>) -> tensor<2xf32>
// CHECK: tg.sort {{.*}} : tensor<1x40xf32>
func.func @reductions(%x: tensor<64x40xf32>) -> (tensor<2xf32>, tensor<1x40xf32>) {
  %y = tg.exp %x : tensor<64x40xf32>
  %sum = tg.reduce add %y dims [0] : (tensor<64x40xf32>) -> tensor<40xf32>
  %a = tg.slice %sum [4:6] : (tensor<40xf32>) -> tensor<2xf32>
  %s = tg.sort %x dim 1 : tensor<64x40xf32> {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = tg.compare lt, %l, %r : tensor<f32>
    tg.yield %c : tensor<i1>
  }
  %b = tg.slice %s [9:10, 0:40] : (tensor<64x40xf32>) -> tensor<1x40xf32>
  return %a, %b : tensor<2xf32>, tensor<1x40xf32>
}

// -----

// Few images of a batch and few features of a convolution; a window keeps the dimensions that it does not cross.
// CHECK-LABEL: func.func @convolution
// CHECK: tg.convolution {{.*}} -> tensor<1x2x9x9xf32>
// CHECK: tg.reduce_window max {{.*}} -> tensor<1x2x3x3xf32>
func.func @convolution(%x: tensor<8x4x9x9xf32>, %w: tensor<16x4x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // expected-remark @below {{162 of 10368 elements}}
  %y = tg.convolution %x, %w dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1] padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] : (tensor<8x4x9x9xf32>, tensor<16x4x3x3xf32>) -> tensor<8x16x9x9xf32>
  %p = tg.reduce_window max %y window_dimensions [1, 1, 3, 3] window_strides [1, 1, 3, 3] base_dilations [1, 1, 1, 1] window_dilations [1, 1, 1, 1] padding_low [0, 0, 0, 0] padding_high [0, 0, 0, 0] : (tensor<8x16x9x9xf32>) -> tensor<8x16x3x3xf32>
  %s = tg.slice %p [2:3, 5:7, 0:3, 0:3] : (tensor<8x16x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %s : tensor<1x2x3x3xf32>
}

// -----

// A value that a loop's body reads is computed whole, and so are open sizes.
// CHECK-LABEL: func.func @loop
// CHECK: tg.exp {{.*}} : tensor<64xf32>
func.func @loop(%x: tensor<64xf32>, %n: tensor<i1>) -> (tensor<1xf32>, tensor<64xf32>) {
  %y = tg.exp %x : tensor<64xf32>
  %a = tg.slice %y [3:4] : (tensor<64xf32>) -> tensor<1xf32>
  %z = tg.if %n : (tensor<i1>) -> tensor<64xf32> {
    tg.yield %y : tensor<64xf32>
  } else {
    tg.yield %x : tensor<64xf32>
  }
  return %a, %z : tensor<1xf32>, tensor<64xf32>
}

// -----

// The logits of a token whose number is computed behind them, of arguments: it is computed before, and one row of logits.
// CHECK-LABEL: func.func @token
// CHECK-SAME: %[[X:.*]]: tensor<40x30xf32>, %[[W:.*]]: tensor<30x50xf32>, %[[P:.*]]: tensor<i32>
// CHECK: %[[AT:.*]] = tg.add %[[P]], %{{.*}} : tensor<i32>
// CHECK: %[[ROW:.*]] = tg.dynamic_slice %[[X]][%[[AT]], %{{.*}}] sizes [1, 30]
// CHECK: %[[Y:.*]] = tg.dot %[[ROW]], %[[W]]
// CHECK: tg.tanh %[[Y]] : tensor<1x50xf32>
func.func @token(%x: tensor<40x30xf32>, %w: tensor<30x50xf32>, %p: tensor<i32>) -> tensor<1x50xf32> {
  // expected-remark @below {{50 of 2000 elements}}
  %y = tg.dot %x, %w contract [1] x [0] : (tensor<40x30xf32>, tensor<30x50xf32>) -> tensor<40x50xf32>
  %t = tg.tanh %y : tensor<40x50xf32>
  %one = tg.constant dense<1> : tensor<i32>
  %zero = tg.constant dense<0> : tensor<i32>
  %at = tg.add %p, %one : tensor<i32>
  %s = tg.dynamic_slice %t[%at, %zero] sizes [1, 50] : (tensor<40x50xf32>, tensor<i32>, tensor<i32>) -> tensor<1x50xf32>
  return %s : tensor<1x50xf32>
}

// -----

// Rows at indices, twice the same ones: they are gathered before the product.
// CHECK-LABEL: func.func @rows
// CHECK: %[[ROWS:.*]] = tg.gather %arg0, %arg2 {{.*}} : (tensor<40x30xf32>, tensor<5xi32>) -> tensor<5x30xf32>
// CHECK: %[[Y:.*]] = tg.dot %[[ROWS]], %arg1
// CHECK-DAG: tg.exp %[[Y]] : tensor<5x50xf32>
// CHECK-DAG: tg.tanh %[[Y]] : tensor<5x50xf32>
func.func @rows(%x: tensor<40x30xf32>, %w: tensor<30x50xf32>, %i: tensor<5xi32>) -> (tensor<5x50xf32>, tensor<5x50xf32>) {
  // expected-remark @below {{250 of 2000 elements}}
  %y = tg.dot %x, %w contract [1] x [0] : (tensor<40x30xf32>, tensor<30x50xf32>) -> tensor<40x50xf32>
  %e = tg.exp %y : tensor<40x50xf32>
  %t = tg.tanh %y : tensor<40x50xf32>
  %a = tg.gather %e, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 50] : (tensor<40x50xf32>, tensor<5xi32>) -> tensor<5x50xf32>
  %b = tg.gather %t, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 50] : (tensor<40x50xf32>, tensor<5xi32>) -> tensor<5x50xf32>
  return %a, %b : tensor<5x50xf32>, tensor<5x50xf32>
}

// -----

// The row that the product itself decides about is not known before it.
// CHECK-LABEL: func.func @greatest
// CHECK: tg.dot {{.*}} -> tensor<40x50xf32>
func.func @greatest(%x: tensor<40x30xf32>, %w: tensor<30x50xf32>) -> tensor<1x50xf32> {
  %y = tg.dot %x, %w contract [1] x [0] : (tensor<40x30xf32>, tensor<30x50xf32>) -> tensor<40x50xf32>
  %sum = tg.reduce add %y dims [1] : (tensor<40x50xf32>) -> tensor<40xf32>
  %value, %at = tg.arg_reduce max %sum dim 0 : (tensor<40xf32>) -> (tensor<f32>, tensor<i32>)
  %zero = tg.constant dense<0> : tensor<i32>
  %s = tg.dynamic_slice %y[%at, %zero] sizes [1, 50] : (tensor<40x50xf32>, tensor<i32>, tensor<i32>) -> tensor<1x50xf32>
  return %s : tensor<1x50xf32>
}

// -----

// Elements 10 and 11 of every other one are elements 20 and 22.
// CHECK-LABEL: func.func @part_of_strided
// CHECK: tg.slice %arg0 [20:23:2] : (tensor<64xf32>) -> tensor<2xf32>
// CHECK: tg.exp {{.*}} : tensor<2xf32>
func.func @part_of_strided(%x: tensor<64xf32>) -> tensor<2xf32> {
  %s = tg.slice %x [0:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %e = tg.exp %s : tensor<32xf32>
  %p = tg.slice %e [10:12] : (tensor<32xf32>) -> tensor<2xf32>
  return %p : tensor<2xf32>
}
