// RUN: stitch-opt %s --stitch-outline=max-operands=8 | FileCheck %s

// Three parameters' updates, whose gradients are clipped by the norm of all of them: more inputs than a fusion may have.
// What waits for the norm reads the gradients from memory in any case, so the first cut is there; the others are between
// parameters. A decayed moment is made where it is used, not before the norm, from where it would go through memory.

// The gradients and their norm.
// CHECK: %[[A:.*]]:5 = stitch.fusion
// CHECK-NOT: tg.constant dense<0.899999976>
// CHECK-COUNT-3: tg.reduce add
// CHECK: %[[NORM:.*]] = tg.rsqrt
// CHECK-NEXT: stitch.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[NORM]]
// The first parameter, all of it.
// CHECK: %[[B:.*]]:2 = stitch.fusion({{.*}} = %[[A]]#1, {{.*}} = %[[A]]#4, {{.*}} = %arg2, {{.*}} = %[[A]]#0, {{.*}} = %arg3)
// CHECK: tg.mul %{{.*}}, %cst
// CHECK: tg.add
// CHECK: tg.sub
// CHECK: stitch.yield
// The other two.
// CHECK: %[[C:.*]]:4 = stitch.fusion
// CHECK-NOT: %[[B]]#
// CHECK: stitch.yield
// CHECK: return %[[B]]#0, %[[C]]#0, %[[C]]#1, %[[B]]#1, %[[C]]#2, %[[C]]#3
func.func @main(%g0: tensor<128x256xf32>, %h0: tensor<128x256xf32>, %m0: tensor<128x256xf32>, %p0: tensor<128x256xf32>, %g1: tensor<128x256xf32>, %h1: tensor<128x256xf32>, %m1: tensor<128x256xf32>, %p1: tensor<128x256xf32>, %g2: tensor<128x256xf32>, %h2: tensor<128x256xf32>, %m2: tensor<128x256xf32>, %p2: tensor<128x256xf32>, %rate: tensor<f32>) -> (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>) {
  %decay = tg.constant dense<0.9> : tensor<128x256xf32>
  %one = tg.constant dense<1.0> : tensor<f32>
  %left = tg.sub %one, %rate : tensor<f32>
  %sum0 = tg.add %g0, %h0 : tensor<128x256xf32>
  %square0 = tg.mul %sum0, %sum0 : tensor<128x256xf32>
  %norm0 = tg.reduce add %square0 dims [0, 1] : (tensor<128x256xf32>) -> tensor<f32>
  %sum1 = tg.add %g1, %h1 : tensor<128x256xf32>
  %square1 = tg.mul %sum1, %sum1 : tensor<128x256xf32>
  %norm1 = tg.reduce add %square1 dims [0, 1] : (tensor<128x256xf32>) -> tensor<f32>
  %sum2 = tg.add %g2, %h2 : tensor<128x256xf32>
  %square2 = tg.mul %sum2, %sum2 : tensor<128x256xf32>
  %norm2 = tg.reduce add %square2 dims [0, 1] : (tensor<128x256xf32>) -> tensor<f32>
  %norm01 = tg.add %norm0, %norm1 : tensor<f32>
  %norm = tg.add %norm01, %norm2 : tensor<f32>
  %scale = tg.rsqrt %norm : tensor<f32>
  %scales = tg.broadcast %scale dims [] : (tensor<f32>) -> tensor<128x256xf32>
  %rates = tg.broadcast %left dims [] : (tensor<f32>) -> tensor<128x256xf32>
  %clipped0 = tg.mul %sum0, %scales : tensor<128x256xf32>
  %clipped1 = tg.mul %sum1, %scales : tensor<128x256xf32>
  %clipped2 = tg.mul %sum2, %scales : tensor<128x256xf32>
  %decayed0 = tg.mul %m0, %decay : tensor<128x256xf32>
  %decayed1 = tg.mul %m1, %decay : tensor<128x256xf32>
  %decayed2 = tg.mul %m2, %decay : tensor<128x256xf32>
  %moment0 = tg.add %decayed0, %clipped0 : tensor<128x256xf32>
  %moment1 = tg.add %decayed1, %clipped1 : tensor<128x256xf32>
  %moment2 = tg.add %decayed2, %clipped2 : tensor<128x256xf32>
  %step0 = tg.mul %moment0, %rates : tensor<128x256xf32>
  %new0 = tg.sub %p0, %step0 : tensor<128x256xf32>
  %step1 = tg.mul %moment1, %rates : tensor<128x256xf32>
  %new1 = tg.sub %p1, %step1 : tensor<128x256xf32>
  %step2 = tg.mul %moment2, %rates : tensor<128x256xf32>
  %new2 = tg.sub %p2, %step2 : tensor<128x256xf32>
  return %moment0, %moment1, %moment2, %new0, %new1, %new2 : tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>
}
