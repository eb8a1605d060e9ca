// RUN: stitch-opt %s -split-input-file -verify-diagnostics=only-expected -stitch-pipeline="plan=astitch" -convert-stitch-to-gpu -allow-unregistered-dialect

func.func @complex(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8xcomplex<f32>>) {
  // expected-error @+1 {{begins a graph between operations of other dialects that takes or returns tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8xcomplex<f32>>: only tensors of static shape without encoding, of at most 16 dimensions, 15 of complex numbers, can cross that border}}
  %0 = tg.exp %a : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8xcomplex<f32>>
  "test.use"(%0) : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8xcomplex<f32>>) -> ()
  return
}

// -----

func.func @dynamic(%a: tensor<?xf32>) {
  // expected-error @+1 {{dynamic}}
  %0 = tg.exp %a : tensor<?xf32>
  "test.use"(%0) : (tensor<?xf32>) -> ()
  return
}

// -----

func.func @inside(%a: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  "test.use"(%a) : (tensor<4xf32>) -> ()
  %0 = tg.if %p : (tensor<i1>) -> tensor<4xf32> {
    // expected-error @+1 {{'test.op' op has no implementation outside of kernels and libraries}}
    %1 = "test.op"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  } else {
    tg.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @unregistered(%a: tensor<4xf32>) {
  "test.region"() ({
    // expected-error @+1 {{begins a graph in the region of 'test.region', whose dialect is not registered: no function can be called there}}
    %0 = tg.exp %a : tensor<4xf32>
    "test.use"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
  return
}
