// RUN: stitch-opt %s -split-input-file -verify-diagnostics=only-expected -convert-tg-to-linalg

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'tg.neg' op operand 0 of type tensor<?xf32> has a dynamic shape}}
  %0 = tg.neg %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @comparator(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "tg.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{'tg.reduce' op has no lowering inside 'tg.sort', whose region must be elementwise on tensors of rank 0}}
    %1 = tg.reduce add %y dims [0] : (tensor<2xf32>) -> tensor<f32>
    %2 = tg.compare lt, %a, %1 : tensor<f32>
    tg.yield %2 : tensor<i1>
  }) {dim = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @host_operation(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tg.custom_call' op calls 'unknown', which is no function that Stitch knows}}
  %0 = tg.custom_call "unknown"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @in_a_region(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %0 = tg.if %p : (tensor<i1>) -> tensor<4xf32> {
    // expected-error @+1 {{'tg.custom_call' op calls 'unknown', which is no function that Stitch knows}}
    %1 = tg.custom_call "unknown"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  } else {
    tg.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @mixed_dot(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<i32> {
  // expected-error @+1 {{'tg.dot' op has no lowering to linalg for tensor<4xf32>}}
  %0 = tg.dot %x, %y contract [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
