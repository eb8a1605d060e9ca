// APOLLO, figure 5 (c), as section 6.1 describes it: the gradient of that layer normalisation, for what it normalises.

func.func @main(%x: tensor<4096x768xf32>, %y: tensor<4096x768xf32>, %g: tensor<768xf32>, %d: tensor<4096x768xf32>) -> tensor<4096x768xf32> {
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
  %dg = tg.mul %d, %gb : tensor<4096x768xf32>
  %a = tg.reduce add %dg dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  %am = tg.mul %a, %n : tensor<4096xf32>
  %amb = tg.broadcast %am dims [0] : (tensor<4096xf32>) -> tensor<4096x768xf32>
  %dh = tg.mul %dg, %h : tensor<4096x768xf32>
  %e = tg.reduce add %dh dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  %em = tg.mul %e, %n : tensor<4096xf32>
  %emb = tg.broadcast %em dims [0] : (tensor<4096xf32>) -> tensor<4096x768xf32>
  %he = tg.mul %h, %emb : tensor<4096x768xf32>
  %t = tg.sub %dg, %amb : tensor<4096x768xf32>
  %u = tg.sub %t, %he : tensor<4096x768xf32>
  %o = tg.mul %u, %ib : tensor<4096x768xf32>
  return %o : tensor<4096x768xf32>
}
