// Tokens attend to each other, and the sequence is returned the other way round behind a first row of ones: t moves.
// Of other lines those from number t on are returned, the more the smaller t is.
module {
  func.func @main(%x: tensor<3x?x8xf32> {stitch.dims = ["", "t", ""]}, %w: tensor<8x8xf32>, %lines: tensor<50x8xf32>) -> (tensor<3x?x8xf32>, tensor<?x?xf32>, tensor<?x8xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %threes = stablehlo.constant dense<3> : tensor<1xi32>
    %ones = stablehlo.constant dense<1.0> : tensor<3x1x8xf32>
    %t = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?x8xf32>) -> tensor<i32>
    %l = stablehlo.reshape %t : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %threes, %l, %l, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %q = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<3x?x8xf32>, tensor<8x8xf32>) -> tensor<3x?x8xf32>
    %s = stablehlo.dot_general %q, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x?x8xf32>, tensor<3x?x8xf32>) -> tensor<3x?x?xf32>
    %m = stablehlo.reduce(%s init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<3x?x?xf32>, tensor<f32>) -> tensor<3x?xf32>
    %ms = stablehlo.dynamic_broadcast_in_dim %m, %shape, dims = [0, 1] : (tensor<3x?xf32>, tensor<3xi32>) -> tensor<3x?x?xf32>
    %d = stablehlo.subtract %s, %ms : tensor<3x?x?xf32>
    %e = stablehlo.exponential %d : tensor<3x?x?xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x?x?xf32>, tensor<f32>) -> tensor<3x?xf32>
    %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [0, 1] : (tensor<3x?xf32>, tensor<3xi32>) -> tensor<3x?x?xf32>
    %p = stablehlo.divide %e, %sums : tensor<3x?x?xf32>
    %a = stablehlo.dot_general %p, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x?x?xf32>, tensor<3x?x8xf32>) -> tensor<3x?x8xf32>
    %r = stablehlo.reverse %a, dims = [1] : tensor<3x?x8xf32>
    %0 = stablehlo.concatenate %ones, %r, dim = 1 : (tensor<3x1x8xf32>, tensor<3x?x8xf32>) -> tensor<3x?x8xf32>
    %1 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
    %none = stablehlo.constant dense<0> : tensor<1xi32>
    %each = stablehlo.constant dense<1> : tensor<2xi32>
    %ends = stablehlo.constant dense<[50, 8]> : tensor<2xi32>
    %from = stablehlo.concatenate %l, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %2 = stablehlo.real_dynamic_slice %lines, %from, %ends, %each : (tensor<50x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    return %0, %1, %2 : tensor<3x?x8xf32>, tensor<?x?xf32>, tensor<?x8xf32>
  }
}
