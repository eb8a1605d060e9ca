// RUN: stitch-opt %s -stitch-dominants -verify-diagnostics -split-input-file

func.func @no_device(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no device to be planned for: set stitch.device on the module}}
  %0 = stitch.fusion(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = tg.neg %a : tensor<4xf32>
    stitch.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @dot(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
      // expected-error @below {{cannot be stitched: only memory-intensive tg operations belong in a fusion}}
      %1 = tg.dot %a, %a contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      stitch.yield %1 : tensor<4x4xf32>
    }
    return %0 : tensor<4x4xf32>
  }
}
