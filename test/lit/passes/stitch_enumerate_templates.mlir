// RUN: stitch-opt %s --split-input-file --stitch-pipeline='device=h200 plan=astitch' --stitch-enumerate-templates='growth=500' --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: stitch-opt %s --split-input-file --stitch-pipeline='device=h200 plan=astitch' --stitch-enumerate-templates='growth=500 versions=1' | FileCheck %s --check-prefix=ONE
// RUN: stitch-opt %s --split-input-file --stitch-pipeline='device=h200 plan=astitch' --stitch-enumerate-templates='growth=0' | FileCheck %s --check-prefix=NONE
// RUN: stitch-opt %s --split-input-file --stitch-pipeline='device=h200 plan=astitch' --stitch-enumerate-templates='growth=500 kernels=0' | FileCheck %s --check-prefix=NONE
// NONE-NOT: stitch.adaptive

// A softmax in two places is one variable, whose versions have other mappings or launches. What reads it reads the choice.

// REMARK: remark: can be planned by 3 templates, here and in 1 equal kernels: its plan takes {{[0-9]+}} ns, others take {{[0-9]+}} ns and more
// REMARK: remark: 1 kernels have other templates: 10^0.5 combinations, of which 3 are to be run
// CHECK-LABEL: func.func @main(%arg0: tensor<64x768xf32>
// CHECK-SAME: stitch.update = ["parallel", "template_0"]
// CHECK: %[[A:.*]] = stitch.adaptive "template_0" ["planned", "other_1", "other_2"] : tensor<64x768xf32> {
// CHECK: stitch.fusion({{.*}} = %arg0) {{.*}} attributes {stitch.launch = [[PLANNED:#stitch.launch<[^>]*>]]
// CHECK: }, {
// CHECK-NOT: stitch.launch = [[PLANNED]]
// CHECK: stitch.fusion({{.*}} = %arg0)
// CHECK: }, {
// CHECK: stitch.fusion({{.*}} = %arg0)
// CHECK: stitch.library_call({{.*}} = %[[A]]
// CHECK: %[[B:.*]] = stitch.adaptive "template_0" ["planned", "other_1", "other_2"] : tensor<64x768xf32> {
// CHECK: return %[[B]]
// ONE: stitch.adaptive "template_0" ["planned", "other_1"]
func.func @main(%x: tensor<64x768xf32>, %w: tensor<768x768xf32>) -> tensor<64x768xf32> {
  %0 = tg.reduce max %x dims [1] : (tensor<64x768xf32>) -> tensor<64xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<64xf32>) -> tensor<64x768xf32>
  %2 = tg.sub %x, %1 : tensor<64x768xf32>
  %3 = tg.exp %2 : tensor<64x768xf32>
  %4 = tg.reduce add %3 dims [1] : (tensor<64x768xf32>) -> tensor<64xf32>
  %5 = tg.broadcast %4 dims [0] : (tensor<64xf32>) -> tensor<64x768xf32>
  %6 = tg.div %3, %5 : tensor<64x768xf32>
  %7 = tg.dot %6, %w contract [1] x [0] : (tensor<64x768xf32>, tensor<768x768xf32>) -> tensor<64x768xf32>
  %8 = tg.reduce max %7 dims [1] : (tensor<64x768xf32>) -> tensor<64xf32>
  %9 = tg.broadcast %8 dims [0] : (tensor<64xf32>) -> tensor<64x768xf32>
  %10 = tg.sub %7, %9 : tensor<64x768xf32>
  %11 = tg.exp %10 : tensor<64x768xf32>
  %12 = tg.reduce add %11 dims [1] : (tensor<64x768xf32>) -> tensor<64xf32>
  %13 = tg.broadcast %12 dims [0] : (tensor<64xf32>) -> tensor<64x768xf32>
  %14 = tg.div %11, %13 : tensor<64x768xf32>
  return %14 : tensor<64x768xf32>
}

// -----

// Blocks that are small to reach more multiprocessors: larger ones are the first other version, whatever the model says.

// CHECK-LABEL: func.func @main(%arg0: tensor<64x256xf32>
// CHECK: attributes {stitch.launch = #stitch.launch<grid = 64, block = 64,
// CHECK: }, {
// CHECK: attributes {stitch.launch = #stitch.launch<grid = 16, block = 256,
func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = tg.reduce max %x dims [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<64xf32>) -> tensor<64x256xf32>
  %2 = tg.sub %x, %1 : tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}

// -----

// What is in a loop is updated where it is: the kernel stays as it is planned.

// CHECK-LABEL: func.func @main(%arg0: tensor<8x4096xf32>
// CHECK-NOT: stitch.adaptive
// ONE-LABEL: func.func @main(%arg0: tensor<8x4096xf32>
func.func @main(%x: tensor<8x4096xf32>, %row: tensor<1x4096xf32>) -> tensor<8x4096xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %eight = tg.constant dense<8> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %zero, %all = %x) : tensor<i32>, tensor<8x4096xf32> cond {
    %more = tg.compare lt, %i, %eight : tensor<i32>
    tg.yield %more : tensor<i1>
  } do {
    %next = tg.add %i, %one : tensor<i32>
    %1 = tg.convert %i : (tensor<i32>) -> tensor<f32>
    %2 = tg.broadcast %1 dims [] : (tensor<f32>) -> tensor<1x4096xf32>
    %3 = tg.mul %row, %2 : tensor<1x4096xf32>
    %4 = tg.dynamic_update_slice %all[%i, %zero], %3 : (tensor<8x4096xf32>, tensor<1x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4096xf32>
    tg.yield %next, %4 : tensor<i32>, tensor<8x4096xf32>
  }
  return %0#1 : tensor<8x4096xf32>
}
