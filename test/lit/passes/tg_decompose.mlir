// RUN: stitch-opt %s -tg-decompose -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @softmax
// CHECK: %[[M:.*]] = tg.reduce max %arg0 dims [1]
// CHECK: %[[B:.*]] = tg.broadcast %[[M]] dims [0]
// CHECK: %[[S:.*]] = tg.sub %arg0, %[[B]]
// CHECK: tg.reduce add %{{.*}} dims [1]
// CHECK: tg.div
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.softmax %x dim 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Narrow elements are computed in f32 and rounded once.
// CHECK-LABEL: @gelu
// CHECK: %[[X:.*]] = tg.convert %arg0 : (tensor<8xbf16>) -> tensor<8xf32>
// CHECK: tg.erf %{{.*}} : tensor<8xf32>
// CHECK: %[[R:.*]] = tg.convert %{{.*}} : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK: return %[[R]]
func.func @gelu(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = tg.gelu %x : tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// The gradient of the one form has the density of the normal distribution, that of the other only what gelu itself has.
// CHECK-LABEL: @gelu_gradient
// CHECK: tg.erf %{{.*}} : tensor<8xf64>
// CHECK: tg.exp %{{.*}} : tensor<8xf64>
// CHECK: tg.tanh %{{.*}} : tensor<8xf32>
// CHECK-NOT: tg.exp
// CHECK: tg.convert %{{.*}} : (tensor<8xf32>) -> tensor<8xf16>
// CHECK: return
func.func @gelu_gradient(%x: tensor<8xf64>, %g: tensor<8xf64>, %y: tensor<8xf16>) -> (tensor<8xf64>, tensor<8xf16>) {
  %0 = tg.gelu_gradient %x, %g : tensor<8xf64>
  %1 = tg.gelu_gradient %y, %y approximate : tensor<8xf16>
  return %0, %1 : tensor<8xf64>, tensor<8xf16>
}

// -----

// CHECK-LABEL: @normalizations
// CHECK-NOT: tg.{{(layer|batch)_norm}}
// CHECK: tg.log
// CHECK: tg.sqrt
func.func @normalizations(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = tg.log_softmax %x dim 0 : tensor<4x8xf32>
  %1 = tg.layer_norm %0, %s, %s dims [1] epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  %2:3 = tg.batch_norm_training %1, %s, %s feature_index 1 epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %3 = tg.batch_norm_inference %1, %s, %s, %2#1, %2#2 feature_index 1 epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4:3 = tg.batch_norm_grad %1, %s, %2#1, %2#2, %g feature_index 1 epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %2#0, %3, %4#0, %4#1, %4#2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Regions are looked into; random numbers are elementwise over a counter.
// CHECK-LABEL: @random
// CHECK: tg.if
// CHECK-NOT: tg.rng
// CHECK: tg.iota dim 0 : tensor<4xui64>
func.func @random(%state: tensor<2xui64>, %p: tensor<i1>) -> tensor<8xui32> {
  %0 = tg.if %p : (tensor<i1>) -> tensor<8xui32> {
    %1, %2 = tg.rng_bit_generator three_fry %state : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    tg.yield %2 : tensor<8xui32>
  } else {
    %3, %4 = tg.rng_bit_generator philox %state : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    tg.yield %4 : tensor<8xui32>
  }
  return %0 : tensor<8xui32>
}

// -----

func.func @state(%state: tensor<4xui64>) -> tensor<8xui32> {
  // expected-error @+1 {{'tg.rng_bit_generator' op has a state of type tensor<4xui64>: expected 64-bit integers, two for three_fry, two or three for philox}}
  %0, %1 = tg.rng_bit_generator philox %state : (tensor<4xui64>) -> (tensor<4xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}

// -----

func.func @distribution(%a: tensor<i1>, %b: tensor<i1>) -> tensor<8xi1> {
  // expected-error @+1 {{'tg.rng' op has no uniform distribution of i1}}
  %0 = tg.rng uniform %a, %b : (tensor<i1>, tensor<i1>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}
