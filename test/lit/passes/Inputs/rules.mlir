#rows = loc("layer/rows"("model.py":10:4))
#norm = loc("layer/norm"(callsite("f"("model.py":11:8) at "main"("train.py":3:1))))
#exp = loc("layer/exp"("/home/me/model.py":12:4))
func.func @main(%a: tensor<1024x512xf32>, %b: tensor<1024x512xf32>, %w: tensor<512x512xf32>) -> (tensor<1024x512xf32>, tensor<1024x512xf32>) {
  %0 = tg.add %a, %b : tensor<1024x512xf32> loc("layer/sum")
  %1 = tg.reduce add %0 dims [1] : (tensor<1024x512xf32>) -> tensor<1024xf32> loc(#rows)
  %2 = tg.broadcast %1 dims [0] : (tensor<1024xf32>) -> tensor<1024x512xf32> loc("layer/spread")
  %3 = tg.div %0, %2 : tensor<1024x512xf32> loc(#norm)
  %4 = tg.exp %3 : tensor<1024x512xf32> loc(#exp)
  %5 = tg.dot %4, %w contract [1] x [0] : (tensor<1024x512xf32>, tensor<512x512xf32>) -> tensor<1024x512xf32> loc("head/dot")
  %6 = tg.tanh %5 : tensor<1024x512xf32> loc("head/after")
  return %6, %4 : tensor<1024x512xf32>, tensor<1024x512xf32>
}
