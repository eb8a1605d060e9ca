// Matrix products of complex numbers that go round a loop: counted, and with a condition that the host reads. Three products of four terms
// are within 3 * (4 + 3) roundings of the product of magnitudes; what only turns and moves elements is exact.
//
// REQUIRES: jax
// RUN: stitch-run %s --seed=6 --check --thread-order=3 --output %t
// RUN: %jax_python -c "import numpy as np, sys; x, m = (np.load(f'%t/input_{i}.npy').astype(complex) for i in (0, 1)); \
// RUN:   counted, asked, n = (np.load(f'%t/output_{i}.npy') for i in (0, 1, 2)); \
// RUN:   power = np.linalg.matrix_power; turn = 1j * np.eye(4)[[1, 2, 3, 0]]; \
// RUN:   close = np.all(np.abs(counted - x @ power(m, 3)) <= 21 * 2.0**-24 * (abs(x) @ power(abs(m), 3))); \
// RUN:   sys.exit(not (close and n == 7 and np.array_equal(asked, x @ power(turn, 7))))"
func.func @main(%x: tensor<4x4xcomplex<f32>>, %m: tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %counted:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4x4xcomplex<f32>>
   cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.dot_general %a, %m, contracting_dims = [1] x [0] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<4x4xcomplex<f32>>
  }
  // Each product turns by a right angle and moves columns: seven of them until the sum of the counter's squares is beyond 100.
  %turn = stablehlo.constant dense<[[(0.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 0.0)],
                                    [(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0)], [(0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]]> : tensor<4x4xcomplex<f32>>
  %limit = stablehlo.constant dense<100> : tensor<i32>
  %asked:3 = stablehlo.while(%i = %zero, %s = %zero, %a = %x) : tensor<i32>, tensor<i32>, tensor<4x4xcomplex<f32>>
   cond {
    %p = stablehlo.compare LT, %s, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %b = stablehlo.dot_general %a, %turn, contracting_dims = [1] x [0] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %j = stablehlo.add %i, %one : tensor<i32>
    %square = stablehlo.multiply %j, %j : tensor<i32>
    %t = stablehlo.add %s, %square : tensor<i32>
    stablehlo.return %j, %t, %b : tensor<i32>, tensor<i32>, tensor<4x4xcomplex<f32>>
  }
  return %counted#1, %asked#2, %asked#0 : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<i32>
}
