// Products with elementwise operations around them: weights on either side, batches, odd sizes, elements of 16 bits.

func.func @main(%x: tensor<50x37xf32>, %w: tensor<37x96xf32>, %bias: tensor<96xf32>, %a: tensor<3x20x24xf32>, %b: tensor<3x24x130xf32>,
                %h: tensor<70x64xf16>, %g: tensor<64x128xf16>, %n: tensor<33x5x48xf32>)
    -> (tensor<50x96xf32>, tensor<50x96xf32>, tensor<3x20x130xf32>, tensor<128x70xf16>, tensor<33x5x64xf32>) {
  // In front on the left, behind: a bias, and x * sigmoid(x), whose operand is a result, too.
  %0 = tg.exp %x : tensor<50x37xf32>
  %1 = tg.dot %0, %w contract [1] x [0] : (tensor<50x37xf32>, tensor<37x96xf32>) -> tensor<50x96xf32>
  %2 = tg.broadcast %bias dims [1] : (tensor<96xf32>) -> tensor<50x96xf32>
  %3 = tg.add %1, %2 : tensor<50x96xf32>
  %4 = tg.logistic %3 : tensor<50x96xf32>
  %5 = tg.mul %3, %4 : tensor<50x96xf32>
  // In front on both sides; the right one has more rows.
  %6 = tg.sin %a : tensor<3x20x24xf32>
  %7 = tg.tanh %b : tensor<3x24x130xf32>
  %8 = tg.dot %6, %7 batch [0] x [0] contract [2] x [1] : (tensor<3x20x24xf32>, tensor<3x24x130xf32>) -> tensor<3x20x130xf32>
  %9 = tg.abs %8 : tensor<3x20x130xf32>
  // 16 bits, transposed behind.
  %10 = tg.neg %h : tensor<70x64xf16>
  %11 = tg.dot %10, %g contract [1] x [0] : (tensor<70x64xf16>, tensor<64x128xf16>) -> tensor<70x128xf16>
  %12 = tg.tanh %11 : tensor<70x128xf16>
  %13 = tg.transpose %12 permutation [1, 0] : (tensor<70x128xf16>) -> tensor<128x70xf16>
  // Two free dimensions, an operand that is transposed.
  %14 = tg.slice %w [0:32, 0:96] : (tensor<37x96xf32>) -> tensor<32x96xf32>
  %15 = tg.reshape %14 : (tensor<32x96xf32>) -> tensor<64x48xf32>
  %16 = tg.exp %n : tensor<33x5x48xf32>
  %17 = tg.dot %16, %15 contract [2] x [1] : (tensor<33x5x48xf32>, tensor<64x48xf32>) -> tensor<33x5x64xf32>
  return %3, %5, %9, %13, %17 : tensor<50x96xf32>, tensor<50x96xf32>, tensor<3x20x130xf32>, tensor<128x70xf16>, tensor<33x5x64xf32>
}
