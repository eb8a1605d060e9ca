// Layers with gelu and its gradient, of b rows: what their library calls write besides has as many.
module {
  func.func @main(%x: tensor<?x16xf16> {stitch.dims = ["b", ""]}, %w: tensor<16x24xf16>, %b: tensor<24xf16>, %v: tensor<24x16xf16>)
      -> (tensor<?x16xf16>, tensor<24xf16>, tensor<16x24xf16>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f16>
    %n = stablehlo.constant dense<24> : tensor<1xi32>
    %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x16xf16>) -> tensor<i32>
    %list = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %list, %n, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %c0 = stablehlo.constant dense<1.59576912> : tensor<f16>
    %c1 = stablehlo.constant dense<0.044715> : tensor<f16>
    %c2 = stablehlo.constant dense<1.0> : tensor<f16>
    %c3 = stablehlo.constant dense<0.134145> : tensor<f16>
    %scale = stablehlo.dynamic_broadcast_in_dim %c0, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<?x24xf16>
    %cubic = stablehlo.dynamic_broadcast_in_dim %c1, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<?x24xf16>
    %one = stablehlo.dynamic_broadcast_in_dim %c2, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<?x24xf16>
    %thrice = stablehlo.dynamic_broadcast_in_dim %c3, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<?x24xf16>
    %dot = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x16xf16>, tensor<16x24xf16>) -> tensor<?x24xf16>
    %bias = stablehlo.dynamic_broadcast_in_dim %b, %shape, dims = [1] : (tensor<24xf16>, tensor<2xi32>) -> tensor<?x24xf16>
    %u = stablehlo.add %dot, %bias : tensor<?x24xf16>
    %square = stablehlo.multiply %u, %u : tensor<?x24xf16>
    %cube = stablehlo.multiply %square, %u : tensor<?x24xf16>
    %more = stablehlo.multiply %cube, %cubic : tensor<?x24xf16>
    %inner = stablehlo.add %u, %more : tensor<?x24xf16>
    %scaled = stablehlo.multiply %inner, %scale : tensor<?x24xf16>
    %weight = stablehlo.logistic %scaled : tensor<?x24xf16>
    %gelu = stablehlo.multiply %u, %weight : tensor<?x24xf16>
    %y = stablehlo.dot_general %gelu, %v, contracting_dims = [1] x [0] : (tensor<?x24xf16>, tensor<24x16xf16>) -> tensor<?x16xf16>
    // The gradient: w + u w (1 - w) scale (1 + 3 cubic u^2).
    %dg = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : (tensor<?x16xf16>, tensor<24x16xf16>) -> tensor<?x24xf16>
    %rest = stablehlo.subtract %one, %weight : tensor<?x24xf16>
    %s0 = stablehlo.multiply %weight, %rest : tensor<?x24xf16>
    %s1 = stablehlo.multiply %thrice, %square : tensor<?x24xf16>
    %s2 = stablehlo.add %s1, %one : tensor<?x24xf16>
    %s3 = stablehlo.multiply %s2, %scale : tensor<?x24xf16>
    %s4 = stablehlo.multiply %s0, %s3 : tensor<?x24xf16>
    %s5 = stablehlo.multiply %s4, %u : tensor<?x24xf16>
    %derivative = stablehlo.add %weight, %s5 : tensor<?x24xf16>
    %du = stablehlo.multiply %dg, %derivative : tensor<?x24xf16>
    %db = stablehlo.reduce(%du init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x24xf16>, tensor<f16>) -> tensor<24xf16>
    %dw = stablehlo.dot_general %x, %du, contracting_dims = [0] x [0] : (tensor<?x16xf16>, tensor<?x24xf16>) -> tensor<16x24xf16>
    return %y, %db, %dw : tensor<?x16xf16>, tensor<24xf16>, tensor<16x24xf16>
  }
}
