// APOLLO, figure 6 (c), as section 6.1 describes it: seven branches (sums of squares of gradients) with a common tail, addn,
// and seven assignments behind it.

func.func @main(%g0: tensor<768x768xf32>, %p0: tensor<768x768xf32>, %g1: tensor<768xf32>, %p1: tensor<768xf32>, %g2: tensor<3072x768xf32>, %p2: tensor<3072x768xf32>, %g3: tensor<3072xf32>, %p3: tensor<3072xf32>, %g4: tensor<768x3072xf32>, %p4: tensor<768x3072xf32>, %g5: tensor<2x768xf32>, %p5: tensor<2x768xf32>, %g6: tensor<512x768xf32>, %p6: tensor<512x768xf32>) -> (tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<2x768xf32>, tensor<512x768xf32>) {
  %q0 = tg.mul %g0, %g0 : tensor<768x768xf32>
  %s0 = tg.reduce add %q0 dims [0, 1] : (tensor<768x768xf32>) -> tensor<f32>
  %q1 = tg.mul %g1, %g1 : tensor<768xf32>
  %s1 = tg.reduce add %q1 dims [0] : (tensor<768xf32>) -> tensor<f32>
  %q2 = tg.mul %g2, %g2 : tensor<3072x768xf32>
  %s2 = tg.reduce add %q2 dims [0, 1] : (tensor<3072x768xf32>) -> tensor<f32>
  %q3 = tg.mul %g3, %g3 : tensor<3072xf32>
  %s3 = tg.reduce add %q3 dims [0] : (tensor<3072xf32>) -> tensor<f32>
  %q4 = tg.mul %g4, %g4 : tensor<768x3072xf32>
  %s4 = tg.reduce add %q4 dims [0, 1] : (tensor<768x3072xf32>) -> tensor<f32>
  %q5 = tg.mul %g5, %g5 : tensor<2x768xf32>
  %s5 = tg.reduce add %q5 dims [0, 1] : (tensor<2x768xf32>) -> tensor<f32>
  %q6 = tg.mul %g6, %g6 : tensor<512x768xf32>
  %s6 = tg.reduce add %q6 dims [0, 1] : (tensor<512x768xf32>) -> tensor<f32>
  %t1 = tg.add %s0, %s1 : tensor<f32>
  %t2 = tg.add %t1, %s2 : tensor<f32>
  %t3 = tg.add %t2, %s3 : tensor<f32>
  %t4 = tg.add %t3, %s4 : tensor<f32>
  %t5 = tg.add %t4, %s5 : tensor<f32>
  %t6 = tg.add %t5, %s6 : tensor<f32>
  %norm = tg.rsqrt %t6 : tensor<f32>
  %n0 = tg.broadcast %norm dims [] : (tensor<f32>) -> tensor<768x768xf32>
  %c0 = tg.mul %g0, %n0 : tensor<768x768xf32>
  %o0 = tg.sub %p0, %c0 : tensor<768x768xf32>
  %n1 = tg.broadcast %norm dims [] : (tensor<f32>) -> tensor<768xf32>
  %c1 = tg.mul %g1, %n1 : tensor<768xf32>
  %o1 = tg.sub %p1, %c1 : tensor<768xf32>
  %n2 = tg.broadcast %norm dims [] : (tensor<f32>) -> tensor<3072x768xf32>
  %c2 = tg.mul %g2, %n2 : tensor<3072x768xf32>
  %o2 = tg.sub %p2, %c2 : tensor<3072x768xf32>
  %n3 = tg.broadcast %norm dims [] : (tensor<f32>) -> tensor<3072xf32>
  %c3 = tg.mul %g3, %n3 : tensor<3072xf32>
  %o3 = tg.sub %p3, %c3 : tensor<3072xf32>
  %n4 = tg.broadcast %norm dims [] : (tensor<f32>) -> tensor<768x3072xf32>
  %c4 = tg.mul %g4, %n4 : tensor<768x3072xf32>
  %o4 = tg.sub %p4, %c4 : tensor<768x3072xf32>
  %n5 = tg.broadcast %norm dims [] : (tensor<f32>) -> tensor<2x768xf32>
  %c5 = tg.mul %g5, %n5 : tensor<2x768xf32>
  %o5 = tg.sub %p5, %c5 : tensor<2x768xf32>
  %n6 = tg.broadcast %norm dims [] : (tensor<f32>) -> tensor<512x768xf32>
  %c6 = tg.mul %g6, %n6 : tensor<512x768xf32>
  %o6 = tg.sub %p6, %c6 : tensor<512x768xf32>
  return %o0, %o1, %o2, %o3, %o4, %o5, %o6 : tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<2x768xf32>, tensor<512x768xf32>
}
