// Long rows; of the last all is masked, of the first but the end. Rows, columns, and what JAX's logsumexp does.
func.func @main(%x: tensor<3x40001xf32>, %y: tensor<1037x33xf64>) -> (tensor<3x40001xf32>, tensor<3xf32>, tensor<33xf64>) {
  %lowest = tg.constant dense<0xFF800000> : tensor<3x40001xf32>
  %none = tg.constant dense<0.0> : tensor<3xf32>
  %row = tg.iota dim 0 : tensor<3xi32>
  %column = tg.iota dim 0 : tensor<40001xi32>
  %rows = tg.broadcast %row dims [0] : (tensor<3xi32>) -> tensor<3x40001xi32>
  %columns = tg.broadcast %column dims [1] : (tensor<40001xi32>) -> tensor<3x40001xi32>
  %times = tg.constant dense<30000> : tensor<3x40001xi32>
  %last = tg.constant dense<38000> : tensor<3x40001xi32>
  %first = tg.mul %rows, %times : tensor<3x40001xi32>
  %from = tg.sub %last, %first : tensor<3x40001xi32>
  %some = tg.compare ge, %columns, %from : tensor<3x40001xi32>
  %two = tg.constant dense<2> : tensor<3x40001xi32>
  %early = tg.compare lt, %rows, %two : tensor<3x40001xi32>
  %seen = tg.and %some, %early : tensor<3x40001xi1>
  %s = tg.select %seen, %x, %lowest : tensor<3x40001xi1>, tensor<3x40001xf32>
  %max = tg.reduce max %s dims [1] : (tensor<3x40001xf32>) -> tensor<3xf32>
  %m = tg.broadcast %max dims [0] : (tensor<3xf32>) -> tensor<3x40001xf32>
  %d = tg.sub %s, %m : tensor<3x40001xf32>
  %e = tg.exp %d : tensor<3x40001xf32>
  %sum = tg.reduce add %e dims [1] : (tensor<3x40001xf32>) -> tensor<3xf32>
  %l = tg.broadcast %sum dims [0] : (tensor<3xf32>) -> tensor<3x40001xf32>
  %softmax = tg.div %e, %l : tensor<3x40001xf32>
  %isFinite = tg.is_finite %max : tensor<3xf32>
  %z = tg.add %s, %s : tensor<3x40001xf32>
  %zmax = tg.reduce max %z dims [1] : (tensor<3x40001xf32>) -> tensor<3xf32>
  %r = tg.select %isFinite, %zmax, %none : tensor<3xi1>, tensor<3xf32>
  %rb = tg.broadcast %r dims [0] : (tensor<3xf32>) -> tensor<3x40001xf32>
  %zd = tg.sub %z, %rb : tensor<3x40001xf32>
  %ze = tg.exp %zd : tensor<3x40001xf32>
  %zsum = tg.reduce add %ze dims [1] : (tensor<3x40001xf32>) -> tensor<3xf32>
  %cmax = tg.reduce max %y dims [0] : (tensor<1037x33xf64>) -> tensor<33xf64>
  %cm = tg.broadcast %cmax dims [1] : (tensor<33xf64>) -> tensor<1037x33xf64>
  %cd = tg.sub %y, %cm : tensor<1037x33xf64>
  %ce = tg.exp %cd : tensor<1037x33xf64>
  %csum = tg.reduce add %ce dims [0] : (tensor<1037x33xf64>) -> tensor<33xf64>
  return %softmax, %zsum, %csum : tensor<3x40001xf32>, tensor<3xf32>, tensor<33xf64>
}
