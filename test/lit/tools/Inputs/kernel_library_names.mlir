func.func @main(%arg0: tensor<4xbf16> loc("int"), %arg1: tensor<4xbf16> loc("a[b]"), %arg2: tensor<4xf64> loc("a.b")) -> tensor<4xbf16> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<4xbf16>
  %1 = stablehlo.convert %arg2 : (tensor<4xf64>) -> tensor<4xbf16>
  %2 = stablehlo.add %0, %1 : tensor<4xbf16>
  return %2 : tensor<4xbf16>
}
