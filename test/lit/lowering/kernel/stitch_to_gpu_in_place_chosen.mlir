// RUN: stitch-compile %s --device="h200, launch_ns = 1" -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=0 && stitch-run %t.so --check --seed=1 --thread-order=2 && stitch-run %t.so --check --seed=3 --thread-order=5

// A slice that replaces rows where one truth value says so, and nothing elsewhere: a scatter, whose operand is copied (stitch-in-place).
func.func @main(%x: tensor<64x16xf32>, %u: tensor<1x16xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<64x16xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %0 = tg.dynamic_update_slice %x[%i, %zero], %u : (tensor<64x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<64x16xf32>
  %1 = tg.select %p, %0, %x : tensor<i1>, tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}
