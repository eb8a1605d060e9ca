// Products of i8 that are summed in i32. The first two keep to the multiples of 4 that NVIDIA asks for (the second is a
// batch); the others miss them, one with what is contracted and one with the columns of the result.
func.func @main(%a: tensor<6x12xi8>, %b: tensor<12x16xi8>, %c: tensor<3x5x8xi8>, %d: tensor<3x8x4xi8>,
                %e: tensor<8x7xi8>, %f: tensor<7x8xi8>, %g: tensor<8x4xi8>, %h: tensor<4x6xi8>)
    -> (tensor<6x16xi32>, tensor<3x5x4xi32>, tensor<8x8xi32>, tensor<8x6xi32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x12xi8>, tensor<12x16xi8>) -> tensor<6x16xi32>
  %1 = stablehlo.dot_general %c, %d, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<3x5x8xi8>, tensor<3x8x4xi8>) -> tensor<3x5x4xi32>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<8x7xi8>, tensor<7x8xi8>) -> tensor<8x8xi32>
  %3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [0] : (tensor<8x4xi8>, tensor<4x6xi8>) -> tensor<8x6xi32>
  return %0, %1, %2, %3 : tensor<6x16xi32>, tensor<3x5x4xi32>, tensor<8x8xi32>, tensor<8x6xi32>
}
