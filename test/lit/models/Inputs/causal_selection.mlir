// Row 0 sees no score but minus infinity, and is NaN where a weight is kept: so of keys that the causal mask hides alone, in
// tiles that nobody computes the scores of. Behind key 200 row 1 keeps none: it is 0, though NaN would be what is kept.
func.func @main(%q: tensor<40x16xf32>, %k: tensor<256x16xf32>, %v: tensor<256x8xf32>) -> tensor<40x8xf32> {
  %lowest = tg.constant dense<0xFF800000> : tensor<40x256xf32>
  %zero = tg.constant dense<0.0> : tensor<40x256xf32>
  %two = tg.constant dense<2> : tensor<40x256xi32>
  %first = tg.constant dense<1> : tensor<40x256xi32>
  %far = tg.constant dense<200> : tensor<40x256xi32>
  %i = tg.iota dim 0 : tensor<40xi32>
  %j = tg.iota dim 0 : tensor<256xi32>
  %row = tg.broadcast %i dims [0] : (tensor<40xi32>) -> tensor<40x256xi32>
  %key = tg.broadcast %j dims [1] : (tensor<256xi32>) -> tensor<40x256xi32>
  %0 = tg.dot %q, %k contract [1] x [1] : (tensor<40x16xf32>, tensor<256x16xf32>) -> tensor<40x256xf32>
  %hides = tg.compare lt, %row, %two : tensor<40x256xi32>
  %1 = tg.select %hides, %lowest, %0 : tensor<40x256xi1>, tensor<40x256xf32>
  %causal = tg.compare ge, %row, %key : tensor<40x256xi32>
  %2 = tg.select %causal, %1, %lowest : tensor<40x256xi1>, tensor<40x256xf32>
  %3 = tg.reduce max %2 dims [1] : (tensor<40x256xf32>) -> tensor<40xf32>
  %4 = tg.broadcast %3 dims [0] : (tensor<40xf32>) -> tensor<40x256xf32>
  %5 = tg.sub %2, %4 : tensor<40x256xf32>
  %6 = tg.exp %5 : tensor<40x256xf32>
  %7 = tg.reduce add %6 dims [1] : (tensor<40x256xf32>) -> tensor<40xf32>
  %8 = tg.broadcast %7 dims [0] : (tensor<40xf32>) -> tensor<40x256xf32>
  %9 = tg.div %6, %8 : tensor<40x256xf32>
  %other = tg.compare ne, %row, %first : tensor<40x256xi32>
  %late = tg.compare ge, %key, %far : tensor<40x256xi32>
  %keeps = tg.and %other, %late : tensor<40x256xi1>
  %10 = tg.select %keeps, %9, %zero : tensor<40x256xi1>, tensor<40x256xf32>
  %11 = tg.dot %10, %v contract [1] x [0] : (tensor<40x256xf32>, tensor<256x8xf32>) -> tensor<40x8xf32>
  return %11 : tensor<40x8xf32>
}
