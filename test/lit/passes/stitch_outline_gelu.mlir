// RUN: stitch-opt %s -stitch-outline -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline=f32-epilogues=true -split-input-file | FileCheck %s --check-prefix=F32
// RUN: stitch-opt %s -stitch-set-device=device=v100 -stitch-outline -split-input-file | FileCheck %s --check-prefix=V100

// RUN: stitch-opt %s -stitch-set-device=device=a100 -stitch-outline -split-input-file | FileCheck %s --check-prefix=A100

// These epilogues are taken on sm_80 and later, those of bf16 on sm_90 and later.
// V100-NOT: tg.gelu
// A100: tg.gelu %{{.*}} : tensor<5x24xf16>
// A100-NOT: tg.gelu

// gelu as JAX writes it, with its bias: no kernel is left.

// CHECK-LABEL: func.func @jax
// CHECK-NOT: stitch.fusion
// CHECK: stitch.library_call(%[[X:.*]] = %arg0, %[[W:.*]] = %arg1, %[[B:.*]] = %arg2) : {{.*}} -> tensor<5x24xf16> {
// CHECK-NEXT: %[[DOT:.*]] = tg.dot %[[X]], %[[W]]
// CHECK-NEXT: %[[WIDE:.*]] = tg.broadcast %[[B]]
// CHECK-NEXT: %[[SUM:.*]] = tg.add %[[DOT]], %[[WIDE]]
// CHECK-NEXT: %[[GELU:.*]] = tg.gelu %[[SUM]] approximate
// CHECK-NEXT: stitch.yield %[[GELU]] : tensor<5x24xf16>
// CHECK-NOT: stitch.fusion
func.func @jax(%x: tensor<5x16xf16>, %w: tensor<16x24xf16>, %b: tensor<24xf16>, %v: tensor<24x16xf16>) -> tensor<5x16xf16> {
  %half = tg.constant dense<5.000000e-01> : tensor<5x24xf16>
  %one = tg.constant dense<1.000000e+00> : tensor<5x24xf16>
  %scale = tg.constant dense<7.978520e-01> : tensor<5x24xf16>
  %cubic = tg.constant dense<4.470830e-02> : tensor<5x24xf16>
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<5x16xf16>, tensor<16x24xf16>) -> tensor<5x24xf16>
  %1 = tg.broadcast %b dims [1] : (tensor<24xf16>) -> tensor<5x24xf16>
  %2 = tg.add %0, %1 : tensor<5x24xf16>
  %3 = tg.mul %2, %2 : tensor<5x24xf16>
  %4 = tg.mul %3, %2 : tensor<5x24xf16>
  %5 = tg.mul %4, %cubic : tensor<5x24xf16>
  %6 = tg.add %2, %5 : tensor<5x24xf16>
  %7 = tg.mul %6, %scale : tensor<5x24xf16>
  %8 = tg.tanh %7 : tensor<5x24xf16>
  %9 = tg.add %8, %one : tensor<5x24xf16>
  %10 = tg.mul %9, %half : tensor<5x24xf16>
  %11 = tg.mul %2, %10 : tensor<5x24xf16>
  %12 = tg.dot %11, %v contract [1] x [0] : (tensor<5x24xf16>, tensor<24x16xf16>) -> tensor<5x16xf16>
  return %12 : tensor<5x16xf16>
}

// -----

// In f32 between conversions, as PyTorch does; with a power; with an exponential function for tanh; in a batch.

// CHECK-LABEL: func.func @other_forms
// CHECK-COUNT-3: tg.gelu %{{.*}} approximate
// CHECK-NOT: stitch.fusion
func.func @other_forms(%x: tensor<3x5x16xbf16>, %w: tensor<3x16x8xbf16>, %y: tensor<5x16xbf16>, %v: tensor<16x8xbf16>)
    -> (tensor<3x5x8xbf16>, tensor<5x8xbf16>, tensor<5x8xbf16>) {
  %half = tg.constant dense<0.5> : tensor<3x5x8xf32>
  %one = tg.constant dense<1.0> : tensor<3x5x8xf32>
  %scale = tg.constant dense<0.7978845608> : tensor<3x5x8xf32>
  %cubic = tg.constant dense<0.044715> : tensor<3x5x8xf32>
  %0 = tg.dot %x, %w batch [0] x [0] contract [2] x [1] : (tensor<3x5x16xbf16>, tensor<3x16x8xbf16>) -> tensor<3x5x8xbf16>
  %1 = tg.convert %0 : (tensor<3x5x8xbf16>) -> tensor<3x5x8xf32>
  %2 = tg.mul %1, %1 : tensor<3x5x8xf32>
  %3 = tg.mul %2, %1 : tensor<3x5x8xf32>
  %4 = tg.fma %cubic, %3, %1 : tensor<3x5x8xf32>
  %5 = tg.mul %scale, %4 : tensor<3x5x8xf32>
  %6 = tg.tanh %5 : tensor<3x5x8xf32>
  %7 = tg.add %6, %one : tensor<3x5x8xf32>
  %8 = tg.mul %half, %1 : tensor<3x5x8xf32>
  %9 = tg.mul %8, %7 : tensor<3x5x8xf32>
  %10 = tg.convert %9 : (tensor<3x5x8xf32>) -> tensor<3x5x8xbf16>

  %three = tg.constant dense<3.0> : tensor<5x8xbf16>
  %ones = tg.constant dense<1.0> : tensor<5x8xbf16>
  %two = tg.constant dense<1.5957> : tensor<5x8xbf16>
  %cubics = tg.constant dense<0.044715> : tensor<5x8xbf16>
  %11 = tg.dot %y, %v contract [1] x [0] : (tensor<5x16xbf16>, tensor<16x8xbf16>) -> tensor<5x8xbf16>
  %12 = tg.pow %11, %three : tensor<5x8xbf16>
  %13 = tg.mul %12, %cubics : tensor<5x8xbf16>
  %14 = tg.add %13, %11 : tensor<5x8xbf16>
  %15 = tg.mul %14, %two : tensor<5x8xbf16>
  %16 = tg.logistic %15 : tensor<5x8xbf16>
  %17 = tg.mul %16, %11 : tensor<5x8xbf16>

  %18 = tg.dot %v, %y contract [0] x [1] : (tensor<16x8xbf16>, tensor<5x16xbf16>) -> tensor<8x5xbf16>
  %19 = tg.transpose %18 permutation [1, 0] : (tensor<8x5xbf16>) -> tensor<5x8xbf16>
  %20 = tg.dot %y, %v contract [1] x [0] : (tensor<5x16xbf16>, tensor<16x8xbf16>) -> tensor<5x8xbf16>
  %21 = tg.pow %20, %three : tensor<5x8xbf16>
  %22 = tg.mul %21, %cubics : tensor<5x8xbf16>
  %23 = tg.add %22, %20 : tensor<5x8xbf16>
  %24 = tg.mul %23, %two : tensor<5x8xbf16>
  %25 = tg.neg %24 : tensor<5x8xbf16>
  %26 = tg.exp %25 : tensor<5x8xbf16>
  %27 = tg.add %26, %ones : tensor<5x8xbf16>
  %28 = tg.div %20, %27 : tensor<5x8xbf16>
  return %10, %17, %28 : tensor<3x5x8xbf16>, tensor<5x8xbf16>, tensor<5x8xbf16>
}

// -----

// Not gelu in its form with tanh: another factor, erf, what has another use on its way, what a kernel alone reads.

// CHECK-LABEL: func.func @no_gelu
// CHECK-NOT: tg.gelu
func.func @no_gelu(%x: tensor<5x16xbf16>, %v: tensor<16x8xbf16>)
    -> (tensor<5x8xbf16>, tensor<5x8xbf16>, tensor<5x8xbf16>, tensor<5x8xbf16>, tensor<5xbf16>) {
  %half = tg.constant dense<0.5> : tensor<5x8xbf16>
  %one = tg.constant dense<1.0> : tensor<5x8xbf16>
  %three = tg.constant dense<3.0> : tensor<5x8xbf16>
  %two = tg.constant dense<1.5957> : tensor<5x8xbf16>
  %cubic = tg.constant dense<0.044715> : tensor<5x8xbf16>
  %swish = tg.constant dense<1.702> : tensor<5x8xbf16>
  %root = tg.constant dense<0.70710678> : tensor<5x8xbf16>

  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<5x16xbf16>, tensor<16x8xbf16>) -> tensor<5x8xbf16>
  %1 = tg.mul %0, %swish : tensor<5x8xbf16>
  %2 = tg.logistic %1 : tensor<5x8xbf16>
  %3 = tg.mul %2, %0 : tensor<5x8xbf16>

  %4 = tg.dot %x, %v contract [1] x [0] : (tensor<5x16xbf16>, tensor<16x8xbf16>) -> tensor<5x8xbf16>
  %5 = tg.mul %4, %root : tensor<5x8xbf16>
  %6 = tg.erf %5 : tensor<5x8xbf16>
  %7 = tg.add %6, %one : tensor<5x8xbf16>
  %8 = tg.mul %7, %half : tensor<5x8xbf16>
  %9 = tg.mul %8, %4 : tensor<5x8xbf16>

  %10 = tg.dot %x, %v contract [1] x [0] : (tensor<5x16xbf16>, tensor<16x8xbf16>) -> tensor<5x8xbf16>
  %11 = tg.pow %10, %three : tensor<5x8xbf16>
  %12 = tg.mul %11, %cubic : tensor<5x8xbf16>
  %13 = tg.add %12, %10 : tensor<5x8xbf16>
  %14 = tg.mul %13, %two : tensor<5x8xbf16>
  %15 = tg.logistic %14 : tensor<5x8xbf16>
  %16 = tg.mul %15, %10 : tensor<5x8xbf16>

  %17 = tg.dot %x, %v contract [1] x [0] : (tensor<5x16xbf16>, tensor<16x8xbf16>) -> tensor<5x8xbf16>
  %18 = tg.pow %17, %three : tensor<5x8xbf16>
  %19 = tg.mul %18, %cubic : tensor<5x8xbf16>
  %20 = tg.add %19, %17 : tensor<5x8xbf16>
  %21 = tg.mul %20, %two : tensor<5x8xbf16>
  %22 = tg.logistic %21 : tensor<5x8xbf16>
  %23 = tg.mul %22, %17 : tensor<5x8xbf16>
  %24 = tg.reduce add %23 dims [1] : (tensor<5x8xbf16>) -> tensor<5xbf16>
  return %3, %9, %15, %16, %24 : tensor<5x8xbf16>, tensor<5x8xbf16>, tensor<5x8xbf16>, tensor<5x8xbf16>, tensor<5xbf16>
}

// -----

// f32 only where an approximate tanh is allowed; a result of f32 of 16-bit operands, never.

// CHECK-LABEL: func.func @f32
// CHECK-NOT: tg.gelu
// F32-LABEL: func.func @f32
// F32: tg.dot {{.*}} : (tensor<5x16xf32>,
// F32-NEXT: tg.gelu %{{.*}} approximate : tensor<5x8xf32>
// F32-NOT: tg.gelu
func.func @f32(%x: tensor<5x16xf32>, %v: tensor<16x8xf32>, %y: tensor<5x16xf16>, %u: tensor<16x8xf16>)
    -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %three = tg.constant dense<3.0> : tensor<5x8xf32>
  %two = tg.constant dense<1.5957691216> : tensor<5x8xf32>
  %cubic = tg.constant dense<0.044715> : tensor<5x8xf32>
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<5x16xf32>, tensor<16x8xf32>) -> tensor<5x8xf32>
  %1 = tg.pow %0, %three : tensor<5x8xf32>
  %2 = tg.mul %1, %cubic : tensor<5x8xf32>
  %3 = tg.add %2, %0 : tensor<5x8xf32>
  %4 = tg.mul %3, %two : tensor<5x8xf32>
  %5 = tg.logistic %4 : tensor<5x8xf32>
  %6 = tg.mul %5, %0 : tensor<5x8xf32>
  %7 = tg.dot %y, %u contract [1] x [0] : (tensor<5x16xf16>, tensor<16x8xf16>) -> tensor<5x8xf32>
  %8 = tg.pow %7, %three : tensor<5x8xf32>
  %9 = tg.mul %8, %cubic : tensor<5x8xf32>
  %10 = tg.add %9, %7 : tensor<5x8xf32>
  %11 = tg.mul %10, %two : tensor<5x8xf32>
  %12 = tg.logistic %11 : tensor<5x8xf32>
  %13 = tg.mul %12, %7 : tensor<5x8xf32>
  return %6, %13 : tensor<5x8xf32>, tensor<5x8xf32>
}
