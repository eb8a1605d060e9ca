// RUN: stitch-opt %s -tg-decompose -tg-simplify -stitch-outline -split-input-file | FileCheck %s
// RUN: stitch-opt %s -tg-decompose -tg-simplify -stitch-set-device -stitch-outline=epilogues=false -split-input-file | FileCheck %s --check-prefix=NONE
// NONE-NOT: tg.gelu

// A training step: the first call keeps the operand of gelu, another one computes the gradient from it and sums its rows.
// (tg-decompose writes the gradient in another way than the passes that look for it.)

// CHECK-LABEL: func.func @training
// CHECK: %[[FORWARD:.*]]:2 = stitch.library_call
// CHECK: %[[SUM:.*]] = tg.add
// CHECK-NEXT: %[[GELU:.*]] = tg.gelu %[[SUM]] approximate
// CHECK-NEXT: stitch.yield %[[GELU]], %[[SUM]] : tensor<5x24xf16>, tensor<5x24xf16>
// CHECK: stitch.library_call({{.*}} = %[[FORWARD]]#0
// CHECK-NOT: stitch.fusion
// CHECK: %[[BACKWARD:.*]]:2 = stitch.library_call({{.*}}, %[[OPERAND:.*]] = %[[FORWARD]]#1)
// CHECK-NEXT: %[[DOT:.*]] = tg.dot
// CHECK-NEXT: %[[GRADIENT:.*]] = tg.gelu_gradient %[[OPERAND]], %[[DOT]] approximate
// CHECK-NEXT: %[[ROWS:.*]] = tg.reduce add %[[GRADIENT]] dims [0]
// CHECK-NEXT: stitch.yield %[[GRADIENT]], %[[ROWS]]
// CHECK-NOT: stitch.fusion
// CHECK: stitch.library_call({{.*}} = %[[BACKWARD]]#0)
// CHECK: return {{.*}}, %[[BACKWARD]]#1,
func.func @training(%x: tensor<5x16xf16>, %w: tensor<16x24xf16>, %b: tensor<24xf16>, %v: tensor<24x16xf16>, %g: tensor<5x16xf16>)
    -> (tensor<5x16xf16>, tensor<24xf16>, tensor<16x24xf16>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<5x16xf16>, tensor<16x24xf16>) -> tensor<5x24xf16>
  %1 = tg.broadcast %b dims [1] : (tensor<24xf16>) -> tensor<5x24xf16>
  %2 = tg.add %0, %1 : tensor<5x24xf16>
  %3 = tg.gelu %2 approximate : tensor<5x24xf16>
  %4 = tg.dot %3, %v contract [1] x [0] : (tensor<5x24xf16>, tensor<24x16xf16>) -> tensor<5x16xf16>
  %5 = tg.dot %g, %v contract [1] x [1] : (tensor<5x16xf16>, tensor<24x16xf16>) -> tensor<5x24xf16>
  %6 = tg.gelu_gradient %2, %5 approximate : tensor<5x24xf16>
  %7 = tg.reduce add %6 dims [0] : (tensor<5x24xf16>) -> tensor<24xf16>
  %8 = tg.dot %x, %6 contract [0] x [0] : (tensor<5x16xf16>, tensor<5x24xf16>) -> tensor<16x24xf16>
  return %4, %7, %8 : tensor<5x16xf16>, tensor<24xf16>, tensor<16x24xf16>
}

// -----

// As JAX differentiates its gelu, rounded to bf16 at every step; the operand is an argument, as where forward and backward
// graphs are compiled apart. A kernel reads the gradient, too: it sums.

// CHECK-LABEL: func.func @jax_backward
// CHECK: %[[CALL:.*]] = stitch.library_call({{.*}}, %[[OPERAND:.*]] = %arg0) : {{.*}} -> tensor<5x24xbf16> {
// CHECK-NEXT: %[[DOT:.*]] = tg.dot
// CHECK-NEXT: tg.gelu_gradient %[[OPERAND]], %[[DOT]] approximate
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion({{.*}} = %[[CALL]])
// CHECK-DAG: tg.reduce
// CHECK-DAG: tg.reduce
func.func @jax_backward(%x: tensor<5x24xbf16>, %v: tensor<24x16xbf16>, %g: tensor<5x16xbf16>)
    -> (tensor<5x24xbf16>, tensor<24xbf16>, tensor<24xbf16>) {
  %half = tg.constant dense<5.000000e-01> : tensor<5x24xbf16>
  %one = tg.constant dense<1.000000e+00> : tensor<5x24xbf16>
  %scale = tg.constant dense<7.968750e-01> : tensor<5x24xbf16>
  %cubic = tg.constant dense<4.467770e-02> : tensor<5x24xbf16>
  %three = tg.constant dense<3.000000e+00> : tensor<5x24xbf16>
  %0 = tg.mul %x, %x : tensor<5x24xbf16>
  %1 = tg.mul %0, %x : tensor<5x24xbf16>
  %2 = tg.mul %0, %three : tensor<5x24xbf16>
  %3 = tg.mul %1, %cubic : tensor<5x24xbf16>
  %4 = tg.add %x, %3 : tensor<5x24xbf16>
  %5 = tg.mul %4, %scale : tensor<5x24xbf16>
  %6 = tg.tanh %5 : tensor<5x24xbf16>
  %7 = tg.sub %one, %6 : tensor<5x24xbf16>
  %8 = tg.add %6, %one : tensor<5x24xbf16>
  %9 = tg.mul %8, %half : tensor<5x24xbf16>
  %10 = tg.dot %g, %v contract [1] x [1] : (tensor<5x16xbf16>, tensor<24x16xbf16>) -> tensor<5x24xbf16>
  %11 = tg.mul %x, %10 : tensor<5x24xbf16>
  %12 = tg.mul %10, %9 : tensor<5x24xbf16>
  %13 = tg.mul %11, %half : tensor<5x24xbf16>
  %14 = tg.mul %13, %7 : tensor<5x24xbf16>
  %15 = tg.mul %14, %6 : tensor<5x24xbf16>
  %16 = tg.add %14, %15 : tensor<5x24xbf16>
  %17 = tg.mul %16, %scale : tensor<5x24xbf16>
  %18 = tg.add %12, %17 : tensor<5x24xbf16>
  %19 = tg.mul %17, %cubic : tensor<5x24xbf16>
  %20 = tg.mul %19, %2 : tensor<5x24xbf16>
  %21 = tg.add %18, %20 : tensor<5x24xbf16>
  %22 = tg.reduce add %21 dims [0] : (tensor<5x24xbf16>) -> tensor<24xbf16>
  %23 = tg.reduce max %21 dims [0] : (tensor<5x24xbf16>) -> tensor<24xbf16>
  return %21, %22, %23 : tensor<5x24xbf16>, tensor<24xbf16>, tensor<24xbf16>
}

// -----

// The gradient of gelu's form with erf; columns that are no multiple of 8, where cuBLASLt has no second matrix; a gradient
// that is not all that there is of the product. Where the gradient stays in a kernel, so does gelu.

// CHECK-LABEL: func.func @stays
// CHECK-NOT: tg.gelu
func.func @stays(%x: tensor<5x16xf16>, %w: tensor<16x12xf16>, %v: tensor<12x16xf16>, %g: tensor<5x16xf16>, %y: tensor<5x24xf16>, %u: tensor<24x16xf16>)
    -> (tensor<5x12xf16>, tensor<5x12xf16>, tensor<5x24xf16>, tensor<5x24xf16>, tensor<5x24xf16>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<5x16xf16>, tensor<16x12xf16>) -> tensor<5x12xf16>
  %1 = tg.gelu %0 approximate : tensor<5x12xf16>
  %2 = tg.dot %g, %v contract [1] x [1] : (tensor<5x16xf16>, tensor<12x16xf16>) -> tensor<5x12xf16>
  %3 = tg.gelu_gradient %0, %2 approximate : tensor<5x12xf16>
  %4 = tg.dot %g, %u contract [1] x [1] : (tensor<5x16xf16>, tensor<24x16xf16>) -> tensor<5x24xf16>
  %5 = tg.gelu_gradient %y, %4 : tensor<5x24xf16>
  %6 = tg.dot %x, %u contract [1] x [1] : (tensor<5x16xf16>, tensor<24x16xf16>) -> tensor<5x24xf16>
  %7 = tg.gelu_gradient %y, %6 approximate : tensor<5x24xf16>
  return %1, %3, %5, %6, %7 : tensor<5x12xf16>, tensor<5x12xf16>, tensor<5x24xf16>, tensor<5x24xf16>, tensor<5x24xf16>
}

// -----

// The caller wants the operand of gelu, too: the call adds the bias, and a kernel computes gelu. The gradient goes on being
// the product's.

// CHECK-LABEL: func.func @operand_returned
// CHECK: %[[SUM:.*]] = stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK-NEXT: tg.broadcast
// CHECK-NEXT: %[[INNER:.*]] = tg.add
// CHECK-NEXT: stitch.yield %[[INNER]] : tensor<5x24xf16>
// CHECK: stitch.library_call({{.*}} = %[[SUM]])
// CHECK: tg.gelu_gradient
// CHECK: stitch.fusion({{.*}} = %[[SUM]])
func.func @operand_returned(%x: tensor<5x16xf16>, %w: tensor<16x24xf16>, %b: tensor<24xf16>, %v: tensor<24x16xf16>, %g: tensor<5x16xf16>)
    -> (tensor<5x24xf16>, tensor<5x24xf16>, tensor<5x24xf16>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<5x16xf16>, tensor<16x24xf16>) -> tensor<5x24xf16>
  %1 = tg.broadcast %b dims [1] : (tensor<24xf16>) -> tensor<5x24xf16>
  %2 = tg.add %0, %1 : tensor<5x24xf16>
  %3 = tg.gelu %2 approximate : tensor<5x24xf16>
  %4 = tg.dot %g, %v contract [1] x [1] : (tensor<5x16xf16>, tensor<24x16xf16>) -> tensor<5x24xf16>
  %5 = tg.gelu_gradient %2, %4 approximate : tensor<5x24xf16>
  return %2, %3, %5 : tensor<5x24xf16>, tensor<5x24xf16>, tensor<5x24xf16>
}
