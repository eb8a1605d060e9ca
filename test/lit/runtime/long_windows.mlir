// REQUIRES: long-tests
// RUN: stitch-compile %s --target=simt --stats=%t.json -o %t.so
// RUN: stitch-run %t.so --check --thread-order=3 | FileCheck %s
// RUN: stitch-compile %s --emit=plan -o - | FileCheck %s --check-prefix=PLAN

// Long windows by doubling: prefixes and suffixes, exclusive ones, with initial values that are no identities, of two
// operands, with dilations and strides, over two dimensions, in several types.

// PLAN-NOT: reduce_window
// CHECK-COUNT-9: ok: output
// CHECK: 0 wrong
func.func @main(%x: tensor<257xf32>, %y: tensor<257xi32>, %h: tensor<2x600xbf16>, %image: tensor<40x47xf64>, %init: tensor<f32>,
                %c: tensor<129xcomplex<f32>>, %u: tensor<300xui8>)
    -> (tensor<257xf32>, tensor<257xf32>, tensor<257xi32>, tensor<257xf32>, tensor<2x150xbf16>, tensor<40x47xf64>, tensor<129xcomplex<f32>>,
        tensor<300xui8>, tensor<300xui8>) {
  // Log-sums of exponentials, from an initial value that changes them.
  %0 = tg.general_reduce_window %x inits %init window_dimensions [257] window_strides [1] base_dilations [1] window_dilations [1]
      padding_low [256] padding_high [0] : (tensor<257xf32>, tensor<f32>) -> tensor<257xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = tg.max %a, %b : tensor<f32>
    %d = tg.sub %a, %b : tensor<f32>
    %n = tg.abs %d : tensor<f32>
    %e = tg.neg %n : tensor<f32>
    %p = tg.exp %e : tensor<f32>
    %l = tg.log1p %p : tensor<f32>
    %s = tg.add %m, %l : tensor<f32>
    tg.yield %s : tensor<f32>
  }
  // The largest element and where it is, of all behind.
  %lowest = tg.constant dense<0xFF800000> : tensor<f32>
  %nowhere = tg.constant dense<-1> : tensor<i32>
  %1:2 = tg.general_reduce_window %x, %y inits %lowest, %nowhere window_dimensions [257] window_strides [1] base_dilations [1]
      window_dilations [1] padding_low [0] padding_high [256] : (tensor<257xf32>, tensor<257xi32>, tensor<f32>, tensor<i32>) -> (tensor<257xf32>, tensor<257xi32>) {
  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
    %p = tg.compare ge, %a, %b : tensor<f32>
    %s = tg.select %p, %a, %b : tensor<i1>, tensor<f32>
    %t = tg.select %p, %i, %j : tensor<i1>, tensor<i32>
    tg.yield %s, %t : tensor<f32>, tensor<i32>
  }
  // An order that matters: the last of all that are before the element itself.
  %2 = tg.general_reduce_window %x inits %init window_dimensions [257] window_strides [1] base_dilations [1] window_dilations [1]
      padding_low [257] padding_high [-1] : (tensor<257xf32>, tensor<f32>) -> tensor<257xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    tg.yield %b : tensor<f32>
  }
  %3 = tg.reduce_window add %h window_dimensions [1, 301] window_strides [1, 2] base_dilations [1, 1] window_dilations [1, 1]
      padding_low [0, 0] padding_high [0, -1] : (tensor<2x600xbf16>) -> tensor<2x150xbf16>
  %4 = tg.reduce_window max %image window_dimensions [13, 11] window_strides [1, 1] base_dilations [1, 1] window_dilations [2, 1]
      padding_low [12, 5] padding_high [12, 5] : (tensor<40x47xf64>) -> tensor<40x47xf64>
  %zero = tg.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %5 = tg.general_reduce_window %c inits %zero window_dimensions [129] window_strides [1] base_dilations [1] window_dilations [1]
      padding_low [128] padding_high [0] : (tensor<129xcomplex<f32>>, tensor<complex<f32>>) -> tensor<129xcomplex<f32>> {
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %s = tg.add %a, %b : tensor<complex<f32>>
    tg.yield %s : tensor<complex<f32>>
  }
  %6 = tg.reduce_window min %u window_dimensions [99] window_strides [1] base_dilations [1] window_dilations [1]
      padding_low [49] padding_high [49] : (tensor<300xui8>) -> tensor<300xui8>
  %7 = tg.reduce_window xor %u window_dimensions [99] window_strides [1] base_dilations [1] window_dilations [1]
      padding_low [98] padding_high [0] : (tensor<300xui8>) -> tensor<300xui8>
  return %0, %1#0, %1#1, %2, %3, %4, %5, %6, %7 : tensor<257xf32>, tensor<257xf32>, tensor<257xi32>, tensor<257xf32>, tensor<2x150xbf16>, tensor<40x47xf64>,
      tensor<129xcomplex<f32>>, tensor<300xui8>, tensor<300xui8>
}
