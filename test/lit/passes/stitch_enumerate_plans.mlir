// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline --stitch-remote='policy=gain' --stitch-enumerate=growth=1000 --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: stitch-opt %s --split-input-file --stitch-outline --stitch-enumerate=growth=1000 --stitch-remarks -o %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: FileCheck %s --check-prefix=OFF --input-file=%t
// DEVICE: remark: plans do not vary: there is no device to tell their costs for
// OFF-NOT: stitch.adaptive

// A softmax is one kernel or, by XLA's rules, several, whatever reads it. Two of them are one variable.

// REMARK: remark: can be planned in 2 ways, here and in 1 equal parts: as it is for {{[0-9]+}} ns, and by other rules for {{[0-9]+}} ns
// REMARK: remark: 1 adaptive variables: 10^0.7 combinations, of which 2 are to be run
// CHECK-LABEL: func.func @main(%arg0: tensor<512x768xf32>
// CHECK-SAME: attributes {stitch.update = ["parallel", "plan_0"]}
// CHECK: %[[A:.*]] = stitch.adaptive "plan_0" ["planned", "xla"] : tensor<512x768xf32> {
// CHECK-COUNT-1: stitch.fusion(
// CHECK-NOT: stitch.fusion(
// CHECK: }, {
// CHECK: %[[M:.*]] = stitch.fusion({{.*}} = %arg0)
// CHECK: tg.reduce max
// CHECK: stitch.fusion({{.*}} = %arg0, {{.*}} = %[[M]])
// CHECK: stitch.fusion(
// CHECK: stitch.yield
// CHECK: %[[P:.*]] = stitch.library_call({{.*}} = %[[A]]
// CHECK: %[[B:.*]] = stitch.adaptive "plan_0" ["planned", "xla"] : tensor<512x768xf32> {
// CHECK: stitch.fusion({{.*}} = %[[P]])
// CHECK: }, {
// CHECK: stitch.fusion({{.*}} = %[[P]])
// CHECK: return %[[B]]
func.func @main(%x: tensor<512x768xf32>, %w: tensor<768x768xf32>) -> tensor<512x768xf32> {
  %0 = tg.reduce max %x dims [1] : (tensor<512x768xf32>) -> tensor<512xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<512xf32>) -> tensor<512x768xf32>
  %2 = tg.sub %x, %1 : tensor<512x768xf32>
  %3 = tg.exp %2 : tensor<512x768xf32>
  %4 = tg.reduce add %3 dims [1] : (tensor<512x768xf32>) -> tensor<512xf32>
  %5 = tg.broadcast %4 dims [0] : (tensor<512xf32>) -> tensor<512x768xf32>
  %6 = tg.div %3, %5 : tensor<512x768xf32>
  %7 = tg.dot %6, %w contract [1] x [0] : (tensor<512x768xf32>, tensor<768x768xf32>) -> tensor<512x768xf32>
  %8 = tg.reduce max %7 dims [1] : (tensor<512x768xf32>) -> tensor<512xf32>
  %9 = tg.broadcast %8 dims [0] : (tensor<512xf32>) -> tensor<512x768xf32>
  %10 = tg.sub %7, %9 : tensor<512x768xf32>
  %11 = tg.exp %10 : tensor<512x768xf32>
  %12 = tg.reduce add %11 dims [1] : (tensor<512x768xf32>) -> tensor<512xf32>
  %13 = tg.broadcast %12 dims [0] : (tensor<512xf32>) -> tensor<512x768xf32>
  %14 = tg.div %11, %13 : tensor<512x768xf32>
  return %14 : tensor<512x768xf32>
}

// -----

// What stitch-remote has packed comes apart.

// CHECK-LABEL: func.func @main(%arg0: tensor<64x48xf32>
// CHECK: %[[R:.*]]:2 = stitch.adaptive "plan_0" ["planned", "astitch"] : tensor<64xf32>, tensor<64xf32> {
// CHECK: stitch.fusion({{.*}}) : (tensor<64x48xf32>, tensor<64x48xf32>) -> (tensor<64xf32>, tensor<64xf32>)
// CHECK: }, {
// CHECK: stitch.fusion({{.*}} = %arg{{[01]}}) : (tensor<64x48xf32>) -> tensor<64xf32>
// CHECK: stitch.fusion({{.*}} = %arg{{[01]}}) : (tensor<64x48xf32>) -> tensor<64xf32>
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @main(%x: tensor<64x48xf32>, %y: tensor<64x48xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = tg.exp %x : tensor<64x48xf32>
  %1 = tg.reduce add %0 dims [1] : (tensor<64x48xf32>) -> tensor<64xf32>
  %2 = tg.tanh %y : tensor<64x48xf32>
  %3 = tg.reduce add %2 dims [1] : (tensor<64x48xf32>) -> tensor<64xf32>
  return %1, %3 : tensor<64xf32>, tensor<64xf32>
}

// -----

// What the library does behind a product, a kernel can do. The kernel of a gelu has the approximation opened.

// REMARK: remark: can be planned in 2 ways, here and in 0 equal parts: as it is for {{[0-9]+}} ns, and as a product and a kernel for {{[0-9]+}} ns
// CHECK-LABEL: func.func @main(%arg0: tensor<64x48xf32>
// CHECK: stitch.adaptive "epilogue_0" ["library", "kernel"] : tensor<64x32xf32> {
// CHECK: stitch.library_call(
// CHECK-NEXT: tg.dot
// CHECK: tg.add
// CHECK: }, {
// CHECK: %[[D:.*]] = stitch.library_call({{.*}}) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: tg.dot
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion({{.*}}%[[D]]
// CHECK: tg.add
func.func @main(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>, %b: tensor<32xf32>) -> tensor<64x32xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
  %1 = tg.broadcast %b dims [1] : (tensor<32xf32>) -> tensor<64x32xf32>
  %2 = tg.add %0, %1 : tensor<64x32xf32>
  return %2 : tensor<64x32xf32>
}

// -----

// What a loop updates in place stays where it is.

// CHECK-LABEL: func.func @main(%arg0: tensor<16x64xf32>
// CHECK-NOT: stitch.adaptive
func.func @main(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %count = tg.constant dense<16> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %init = tg.constant dense<0.0> : tensor<16x64xf32>
  %r:2 = tg.while(%i = %zero, %buffer = %init) : tensor<i32>, tensor<16x64xf32> cond {
    %less = tg.compare lt, %i, %count : tensor<i32>
    tg.yield %less : tensor<i1>
  } do {
    %row = tg.dynamic_slice %x[%i, %zero] sizes [1, 64] : (tensor<16x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %sum = tg.reduce add %row dims [1] : (tensor<1x64xf32>) -> tensor<1xf32>
    %all = tg.broadcast %sum dims [0] : (tensor<1xf32>) -> tensor<1x64xf32>
    %new = tg.div %row, %all : tensor<1x64xf32>
    %next = tg.dynamic_update_slice %buffer[%i, %zero], %new : (tensor<16x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<16x64xf32>
    %j = tg.add %i, %one : tensor<i32>
    tg.yield %j, %next : tensor<i32>, tensor<16x64xf32>
  }
  return %r#1 : tensor<16x64xf32>
}
