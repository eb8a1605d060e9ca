func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %a = "stablehlo.sort"(%x) ({
           ^bb0(%p: tensor<f32>, %q: tensor<f32>):
             %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %l : tensor<i1>
         }) {dimension = 1 : i64, is_stable = true} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = "stablehlo.sort"(%y) ({
           ^bb0(%p: tensor<f32>, %q: tensor<f32>):
             %l = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %l : tensor<i1>
         }) {dimension = 1 : i64, is_stable = true} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %a, %b : tensor<64x64xf32>, tensor<64x64xf32>
}
