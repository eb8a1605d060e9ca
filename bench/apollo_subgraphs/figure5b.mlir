// APOLLO, figure 5 (b), as section 6.1 describes it: the layer normalisation behind a residual addition of BERT.

func.func @main(%x: tensor<4096x768xf32>, %y: tensor<4096x768xf32>, %g: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<4096x768xf32> {
  %r = tg.add %x, %y : tensor<4096x768xf32>
  %n = tg.constant dense<0.00130208333> : tensor<4096xf32>
  %s = tg.reduce add %r dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  %m = tg.mul %s, %n : tensor<4096xf32>
  %mb = tg.broadcast %m dims [0] : (tensor<4096xf32>) -> tensor<4096x768xf32>
  %c = tg.sub %r, %mb : tensor<4096x768xf32>
  %q = tg.mul %c, %c : tensor<4096x768xf32>
  %qs = tg.reduce add %q dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  %var = tg.mul %qs, %n : tensor<4096xf32>
  %eps = tg.constant dense<1.0e-12> : tensor<4096xf32>
  %ve = tg.add %var, %eps : tensor<4096xf32>
  %i = tg.rsqrt %ve : tensor<4096xf32>
  %ib = tg.broadcast %i dims [0] : (tensor<4096xf32>) -> tensor<4096x768xf32>
  %h = tg.mul %c, %ib : tensor<4096x768xf32>
  %gb = tg.broadcast %g dims [1] : (tensor<768xf32>) -> tensor<4096x768xf32>
  %bb = tg.broadcast %b dims [1] : (tensor<768xf32>) -> tensor<4096x768xf32>
  %o = tg.mul %h, %gb : tensor<4096x768xf32>
  %p = tg.add %o, %bb : tensor<4096x768xf32>
  return %p : tensor<4096x768xf32>
}
