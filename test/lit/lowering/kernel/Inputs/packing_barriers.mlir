// Row reduces in several warps and in clusters, column reduces and a carried one, all independent, for test/lit/mutate_barriers.test.
func.func @main(%a: tensor<30x1000xf32>, %b: tensor<7x1100xf32>, %c: tensor<300x64xf32>, %d: tensor<2x30000xf32>, %e: tensor<1000x96xf32>, %f: tensor<12x900xf32>) -> (tensor<30x1000xf32>, tensor<7x1100xf32>, tensor<64xf32>, tensor<2xf32>, tensor<1000xf32>, tensor<96xf32>, tensor<12xf32>) {
  %0 = tg.reduce add %a dims [1] : (tensor<30x1000xf32>) -> tensor<30xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<30xf32>) -> tensor<30x1000xf32>
  %2 = tg.sub %a, %1 : tensor<30x1000xf32>
  %3 = tg.reduce max %b dims [1] : (tensor<7x1100xf32>) -> tensor<7xf32>
  %4 = tg.broadcast %3 dims [0] : (tensor<7xf32>) -> tensor<7x1100xf32>
  %5 = tg.sub %b, %4 : tensor<7x1100xf32>
  %6 = tg.reduce add %5 dims [1] : (tensor<7x1100xf32>) -> tensor<7xf32>
  %7 = tg.broadcast %6 dims [0] : (tensor<7xf32>) -> tensor<7x1100xf32>
  %8 = tg.add %5, %7 : tensor<7x1100xf32>
  %9 = tg.reduce add %c dims [0] : (tensor<300x64xf32>) -> tensor<64xf32>
  %10 = tg.reduce max %d dims [1] : (tensor<2x30000xf32>) -> tensor<2xf32>
  %11 = tg.reduce add %e dims [1] : (tensor<1000x96xf32>) -> tensor<1000xf32>
  %12 = tg.reduce add %e dims [0] : (tensor<1000x96xf32>) -> tensor<96xf32>
  %13 = tg.reduce add %f dims [1] : (tensor<12x900xf32>) -> tensor<12xf32>
  return %2, %8, %9, %10, %11, %12, %13 : tensor<30x1000xf32>, tensor<7x1100xf32>, tensor<64xf32>, tensor<2xf32>, tensor<1000xf32>, tensor<96xf32>, tensor<12xf32>
}
