func.func @schemes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    // A root without a plan.
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>} : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

func.func @roots(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %e = tg.exp %a : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
