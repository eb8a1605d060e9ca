// New keys go to slots of a cache that is updated in place. The caller says that no two have the same slot.
module {
  func.func @main(%cache: tensor<64x4x16xf32> {tf.aliasing_output = 0 : i32}, %slots: tensor<12xi32>, %keys: tensor<12x4x16xf32>) -> tensor<64x4x16xf32> {
    %c = "stablehlo.constant"() {value = dense<"0x050000000C00000001000000020000003F0000003E000000640000000A0000000B0000001400000015000000FFFFFFFF"> : tensor<12xi32>} : () -> tensor<12xi32>
    %zero = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %zeros = "stablehlo.broadcast_in_dim"(%zero) {broadcast_dimensions = array<i64>} : (tensor<i32>) -> tensor<12xi32>
    %none = "stablehlo.multiply"(%slots, %zeros) : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    %places = "stablehlo.add"(%c, %none) : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
    %at = "stablehlo.reshape"(%places) : (tensor<12xi32>) -> tensor<12x1xi32>
    %doubled = "stablehlo.add"(%keys, %keys) : (tensor<12x4x16xf32>, tensor<12x4x16xf32>) -> tensor<12x4x16xf32>
    %0 = "stablehlo.scatter"(%cache, %at, %doubled) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) {indices_are_sorted = false, unique_indices = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<64x4x16xf32>, tensor<12x1xi32>, tensor<12x4x16xf32>) -> tensor<64x4x16xf32>
    return %0 : tensor<64x4x16xf32>
  }
}
