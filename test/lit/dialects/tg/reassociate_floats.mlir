// APOLLO section 3 of floats: as real numbers with precision=fast, else bit for bit.
// RUN: stitch-opt %s -tg-simplify=reassociate=true -split-input-file | FileCheck %s
// RUN: stitch-opt %s -tg-simplify -split-input-file | FileCheck %s --check-prefix=EXACT
// RUN: stitch-opt %s --stitch-pipeline='precision=fast' -split-input-file | FileCheck %s --check-prefix=FAST
// RUN: stitch-opt %s --stitch-pipeline='precision=default' -split-input-file | FileCheck %s --check-prefix=DEFAULT

// CHECK-LABEL: @sums
// CHECK-DAG: %[[C31:.*]] = tg.constant dense<3.100000e+00>
// CHECK-DAG: %[[C29:.*]] = tg.constant dense<2.900000e+00>
// CHECK-DAG: %[[SUM:.*]] = tg.add %arg0, %[[C31]]
// CHECK-DAG: %[[BOTH:.*]] = tg.add %arg0, %arg1
// CHECK-DAG: %[[REST:.*]] = tg.add %[[BOTH]], %[[C29]]
// CHECK: return %[[SUM]], %[[REST]], %arg0
// EXACT-LABEL: @sums
// EXACT-COUNT-4: = tg.{{add|sub}}
// EXACT: %[[ZERO:.*]] = tg.add %arg0
// EXACT: return {{.*}}, %[[ZERO]]
// FAST-LABEL: @sums
// FAST: = tg.add
// FAST: = tg.add
// FAST: = tg.add
// FAST-NOT: = tg.{{add|sub}}
// FAST: return
// DEFAULT-LABEL: @sums
// DEFAULT-COUNT-5: = tg.{{add|sub}}
func.func @sums(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %a = tg.constant dense<3.0> : tensor<64xf32>
  %b = tg.constant dense<0.1> : tensor<64xf32>
  %zero = tg.constant dense<0.0> : tensor<64xf32>
  %0 = tg.add %x, %a : tensor<64xf32>
  %1 = tg.add %0, %b : tensor<64xf32>
  %2 = tg.add %x, %a : tensor<64xf32>
  %3 = tg.add %y, %2 : tensor<64xf32>
  %4 = tg.sub %3, %b : tensor<64xf32>
  %5 = tg.add %x, %zero : tensor<64xf32>
  return %1, %4, %5 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// CHECK-LABEL: @products
// CHECK-DAG: %[[C03:.*]] = tg.constant dense<3.000000e-01>
// CHECK-DAG: %[[C11:.*]] = tg.constant dense<1.100000e+00>
// CHECK-DAG: %[[C6:.*]] = tg.constant dense<0.166666672>
// CHECK-DAG: %[[C2:.*]] = tg.constant dense<2.000000e+00>
// CHECK-DAG: tg.mul %arg0, %[[C03]]
// CHECK-DAG: tg.mul %arg0, %[[C11]]
// CHECK-DAG: %[[DIFFERENCE:.*]] = tg.sub %arg1, %arg2
// CHECK-DAG: tg.mul %arg0, %[[DIFFERENCE]]
// CHECK-DAG: tg.mul %arg0, %[[C6]]
// CHECK-DAG: tg.mul %arg0, %[[C2]]
// CHECK-NOT: tg.{{add|sub|div}}
// EXACT-LABEL: @products
// EXACT-COUNT-10: = tg.{{add|sub|mul|div}}
func.func @products(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %two = tg.constant dense<2.0> : tensor<64xf32>
  %a = tg.constant dense<3.0> : tensor<64xf32>
  %six = tg.constant dense<6.0> : tensor<64xf32>
  %b = tg.constant dense<0.1> : tensor<64xf32>
  %0 = tg.mul %x, %a : tensor<64xf32>
  %1 = tg.mul %0, %b : tensor<64xf32>
  %2 = tg.mul %x, %b : tensor<64xf32>
  %3 = tg.add %2, %x : tensor<64xf32>
  %4 = tg.mul %x, %y : tensor<64xf32>
  %5 = tg.mul %x, %z : tensor<64xf32>
  %6 = tg.sub %4, %5 : tensor<64xf32>
  %7 = tg.div %x, %a : tensor<64xf32>
  %8 = tg.div %7, %two : tensor<64xf32>
  %9 = tg.mul %x, %six : tensor<64xf32>
  %10 = tg.div %9, %a : tensor<64xf32>
  return %1, %3, %6, %8, %10 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Infinities and NaNs of inputs stay, and so do constants whose product overflows or is subnormal.
// CHECK-LABEL: @kept
// CHECK-COUNT-6: = tg.{{sub|mul}}
func.func @kept(%x: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
  %zero = tg.constant dense<0.0> : tensor<64xf16>
  %large = tg.constant dense<30000.0> : tensor<64xf16>
  %small = tg.constant dense<1.0e-3> : tensor<64xf16>
  %0 = tg.mul %x, %zero : tensor<64xf16>
  %1 = tg.sub %x, %x : tensor<64xf16>
  %2 = tg.mul %x, %large : tensor<64xf16>
  %3 = tg.mul %2, %large : tensor<64xf16>
  %4 = tg.mul %x, %small : tensor<64xf16>
  %5 = tg.mul %4, %small : tensor<64xf16>
  return %0, %1, %3, %5 : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
}
