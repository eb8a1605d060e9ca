// Everything that precision=fast approximates (docs/precision.md), on elements that no power of two divides.
func.func @main(%x: tensor<129x37xf32>, %y: tensor<129x37xbf16>, %h: tensor<129x37xf16>)
    -> (tensor<129x37xf32>, tensor<129x37xf32>, tensor<129x37xf32>, tensor<129x37xf32>, tensor<129x37xbf16>, tensor<129x37xbf16>, tensor<129x37xf16>) {
  %e = tg.exp %x : tensor<129x37xf32>
  %t = tg.tanh %x : tensor<129x37xf32>
  %l = tg.logistic %x : tensor<129x37xf32>
  %s = tg.sqrt %e : tensor<129x37xf32>
  %d = tg.div %t, %s : tensor<129x37xf32>
  %lb = tg.logistic %y : tensor<129x37xbf16>
  %r = tg.rsqrt %lb : tensor<129x37xbf16>
  %tb = tg.tanh %y : tensor<129x37xbf16>
  %eh = tg.exp %h : tensor<129x37xf16>
  return %e, %t, %l, %d, %r, %tb, %eh
      : tensor<129x37xf32>, tensor<129x37xf32>, tensor<129x37xf32>, tensor<129x37xf32>, tensor<129x37xbf16>, tensor<129x37xbf16>, tensor<129x37xf16>
}
