// Booleans of a byte each, and elements behind the module.
func.func @main(%a: tensor<4x3xf32>, %b: tensor<3x8xf32>) -> (tensor<4x3xf32>, tensor<4x8xf32>) {
  %mask = stablehlo.constant dense<"0x010000010100010101000101"> : tensor<4x3xi1>
  %scale = stablehlo.constant dense_resource<scale> : tensor<4x3xf32>
  %bits = stablehlo.constant dense_resource<bits> : tensor<4x8xi1>
  %bias = stablehlo.constant dense_resource<torch_tensor_8_torch.bfloat16> : tensor<8xbf16>
  %0 = stablehlo.multiply %a, %scale : tensor<4x3xf32>
  %1 = stablehlo.select %mask, %0, %a : tensor<4x3xi1>, tensor<4x3xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.convert %bias : (tensor<8xbf16>) -> tensor<8xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.add %2, %4 : tensor<4x8xf32>
  %6 = stablehlo.select %bits, %5, %2 : tensor<4x8xi1>, tensor<4x8xf32>
  return %1, %6 : tensor<4x3xf32>, tensor<4x8xf32>
}
{-#
  dialect_resources: {
    builtin: {
      scale: "0x040000000000803F000000400000404000008040CDCCCC3DCDCC4C3E0000A0400000C0400000803F000000400000404000008040",
      bits: "0x0100000055AA0FF0",
      torch_tensor_8_torch.bfloat16: "0x02000000803F0040404080403F3E003F8040C040"
    }
  }
#-}
