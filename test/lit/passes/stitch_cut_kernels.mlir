// RUN: stitch-opt %s --split-input-file --pass-pipeline="builtin.module(stitch-pipeline{device=h200 plan=astitch},stitch-cut-kernels,stitch-verify-plan)" --stitch-remarks 2>&1 >/dev/null | FileCheck %s
// RUN: stitch-opt %s --split-input-file --pass-pipeline="builtin.module(stitch-pipeline{device=h200 plan=astitch},stitch-cut-kernels)" -o - | FileCheck %s --check-prefix=PLAN

// The value of one root goes through memory; what both kernels need besides is computed in both.

// CHECK: remark: cut in two kernels: {{[0-9]+}} and {{[0-9]+}} ns
// PLAN-LABEL: func.func @softmax
// PLAN: %[[FIRST:.*]] = stitch.fusion(%{{.*}} = %arg0) : (tensor<4096x1000xf32>) -> tensor<4096xf32>
// PLAN: tg.reduce
// PLAN: stitch.yield
// PLAN: %[[SECOND:.*]] = stitch.fusion({{.*}}%[[FIRST]]{{.*}}) : (tensor<4096x1000xf32>, tensor<4096xf32>) -> tensor<4096x1000xf32>
// PLAN: return %[[SECOND]]
func.func @softmax(%x: tensor<4096x1000xf32>) -> tensor<4096x1000xf32> {
  %m = tg.reduce max %x dims [1] : (tensor<4096x1000xf32>) -> tensor<4096xf32>
  %mb = tg.broadcast %m dims [0] : (tensor<4096xf32>) -> tensor<4096x1000xf32>
  %s = tg.sub %x, %mb : tensor<4096x1000xf32>
  %e = tg.exp %s : tensor<4096x1000xf32>
  %r = tg.reduce add %e dims [1] : (tensor<4096x1000xf32>) -> tensor<4096xf32>
  %rb = tg.broadcast %r dims [0] : (tensor<4096xf32>) -> tensor<4096x1000xf32>
  %y = tg.div %e, %rb : tensor<4096x1000xf32>
  return %y : tensor<4096x1000xf32>
}

// -----

// Nothing is left behind the only root: the kernel stays.

// PLAN-LABEL: func.func @single
// PLAN-COUNT-1: stitch.fusion
// PLAN-NOT: stitch.fusion
func.func @single(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = tg.exp %x : tensor<4096xf32>
  return %e : tensor<4096xf32>
}

// -----

// The value in memory is a result of the kernel, too.

// CHECK: remark: cut in two kernels
// CHECK-NOT: remark: cut

// PLAN-LABEL: func.func @result
// PLAN: %[[SUM:.*]] = stitch.fusion
// PLAN: %[[REST:.*]] = stitch.fusion({{.*}}%[[SUM]]
// PLAN: return %[[SUM]], %[[REST]]
func.func @result(%x: tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64x1000xf32>) {
  %r = tg.reduce add %x dims [1] : (tensor<64x1000xf32>) -> tensor<64xf32>
  %rb = tg.broadcast %r dims [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %y = tg.div %x, %rb : tensor<64x1000xf32>
  return %r, %y : tensor<64xf32>, tensor<64x1000xf32>
}
