func.func @main(%arg0: tensor<12x257x12xf16>, %arg1: tensor<33x2xf32>, %arg2: tensor<12x12x257xf32>, %arg3: tensor<12x12x257xf32>, %arg4: tensor<12x12x3xf32>, %arg5: tensor<12x12x257xi32>, %arg6: tensor<12x12x257xf32>, %arg7: tensor<12x12x257xf32>) -> tensor<12x12x257xf32> {
  %0 = "tg.tanh"(%arg2) : (tensor<12x12x257xf32>) -> (tensor<12x12x257xf32>)
  %1 = "tg.reduce"(%0) {kind = 0 : i32, dims = array<i64: 0, 1>} : (tensor<12x12x257xf32>) -> (tensor<257xf32>)
  %2 = "tg.broadcast"(%1) {dims = array<i64: 2>} : (tensor<257xf32>) -> (tensor<12x12x257xf32>)
  %3 = "tg.sub"(%0, %2) : (tensor<12x12x257xf32>, tensor<12x12x257xf32>) -> (tensor<12x12x257xf32>)
  %10 = "tg.cumulative"(%3) {kind = 2 : i32, dim = 0 : i64} : (tensor<12x12x257xf32>) -> (tensor<12x12x257xf32>)
  %14 = "tg.add"(%10, %arg6) : (tensor<12x12x257xf32>, tensor<12x12x257xf32>) -> (tensor<12x12x257xf32>)
  %15:2 = "tg.sort"(%14, %arg3) ({
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %c = "tg.compare"(%a0, %b0) {direction = 2 : i32, total_order} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "tg.yield"(%c) : (tensor<i1>) -> ()
  }) {dim = 2 : i64, is_stable} : (tensor<12x12x257xf32>, tensor<12x12x257xf32>) -> (tensor<12x12x257xf32>, tensor<12x12x257xf32>)
  func.return %15#1 : tensor<12x12x257xf32>
}
