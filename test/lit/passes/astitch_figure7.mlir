// RUN: stitch-opt %s "-stitch-pipeline=device=a100 plan=astitch" -split-input-file | FileCheck %s --check-prefixes=CHECK,PAPER
// RUN: stitch-opt %s -stitch-pipeline=device=a100 -split-input-file | FileCheck %s --check-prefixes=CHECK,COST

// The graph of AStitch figure 7. What figures 7 and 9 say: dominants reduce.1 and reduce.2, sub-dominants power.1 and
// multiply.1; reduce.1 regional, power.1 and reduce.2 global, multiply.1 independent; one kernel.

// reduce.1 and power.1 go by 30000 rows, reduce.2 by 64 rows of 30000: every row of it needs what many blocks have
// computed, so power.1 is global. The 64 rows are too few for the device, and are split, which makes reduce.2 global, as in the
// paper. By cost, 64 blocks take what memory gives, and reduce.2 is regional: one barrier less.
// One kernel is what the model takes, too, where a launch costs as much as a grid barrier or more.

// CHECK-LABEL: func.func @figure7
// CHECK: stitch.fusion
// PAPER-SAME: barriers = 2
// COST-SAME: barriers = 1
// CHECK: tg.reduce add {{.*}} {stitch.group = 0 : i64, {{.*}}rows = 30000, columns = 64,{{.*}}role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.task
// CHECK: tg.div {{.*}} {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>}
// CHECK: tg.pow {{.*}} {stitch.buffer = #stitch.buffer<scratch,{{.*}}stitch.group = 0 : i64, {{.*}}rows = 30000, columns = 1,{{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<global>, stitch.task
// CHECK: tg.broadcast {{.*}} {stitch.group = 1 : i64, stitch.role = #stitch.role<member>
// PAPER: tg.reduce add {{.*}}stitch.group = 1 : i64, {{.*}}rows = 64, columns = 30000,{{.*}}role<dominant>, stitch.scheme = #stitch.scheme<global>, stitch.task
// COST: tg.reduce add {{.*}} {stitch.group = 1 : i64, {{.*}}rows = 64, columns = 30000,{{.*}}role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.task
// CHECK: tg.mul {{.*}} {stitch.group = 1 : i64, {{.*}}rows = 64, columns = 30000,{{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.task
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<a100, launch_ns = 1400>} {
  func.func @figure7(%p1: tensor<30000x64xf32>, %p2: tensor<30000xf32>, %p3: tensor<30000xf32>)
      -> tensor<64x30000xf32> {
    %broadcast1 = tg.broadcast %p2 dims [0] : (tensor<30000xf32>) -> tensor<30000x64xf32>
    %add1 = tg.add %p1, %broadcast1 : tensor<30000x64xf32>
    %reduce1 = tg.reduce add %add1 dims [1] : (tensor<30000x64xf32>) -> tensor<30000xf32>
    %divide1 = tg.div %reduce1, %p2 : tensor<30000xf32>
    %power1 = tg.pow %divide1, %p3 : tensor<30000xf32>
    %broadcast2 = tg.broadcast %power1 dims [1] : (tensor<30000xf32>) -> tensor<64x30000xf32>
    %reduce2 = tg.reduce add %broadcast2 dims [1] : (tensor<64x30000xf32>) -> tensor<64xf32>
    %broadcast3 = tg.broadcast %reduce2 dims [0] : (tensor<64xf32>) -> tensor<64x30000xf32>
    %multiply1 = tg.mul %broadcast2, %broadcast3 : tensor<64x30000xf32>
    return %multiply1 : tensor<64x30000xf32>
  }
}

// -----

// Shapes for which the checks come out the other way: 8 rows of reduce.1 are few and long, so it is split and global;
// power.1 and reduce.2 go by the same 8 rows, and short ones: power.1 and reduce.2 are regional.

// CHECK-LABEL: func.func @figure7_otherwise
// CHECK: stitch.fusion
// CHECK-SAME: barriers = 1
// CHECK: tg.reduce add {{.*}} rows = 8, columns = 240000,{{.*}}role<dominant>, stitch.scheme = #stitch.scheme<global>, stitch.task
// CHECK: tg.pow {{.*}} rows = 8, columns = 1,{{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.task
// CHECK: tg.reduce add {{.*}} rows = 8, columns = 512,{{.*}}role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.task
// CHECK: tg.mul {{.*}} rows = 8, columns = 512,{{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.task
// CHECK-NOT: stitch.fusion
func.func @figure7_otherwise(%p1: tensor<8x240000xf32>, %p2: tensor<8xf32>, %p3: tensor<8xf32>, %p4: tensor<8x512xf32>)
    -> tensor<8x512xf32> {
  %broadcast1 = tg.broadcast %p2 dims [0] : (tensor<8xf32>) -> tensor<8x240000xf32>
  %add1 = tg.add %p1, %broadcast1 : tensor<8x240000xf32>
  %reduce1 = tg.reduce add %add1 dims [1] : (tensor<8x240000xf32>) -> tensor<8xf32>
  %divide1 = tg.div %reduce1, %p2 : tensor<8xf32>
  %power1 = tg.pow %divide1, %p3 : tensor<8xf32>
  %broadcast2 = tg.broadcast %power1 dims [0] : (tensor<8xf32>) -> tensor<8x512xf32>
  %scaled = tg.sub %broadcast2, %p4 : tensor<8x512xf32> // a sum of equal elements would be a product
  %reduce2 = tg.reduce add %scaled dims [1] : (tensor<8x512xf32>) -> tensor<8xf32>
  %broadcast3 = tg.broadcast %reduce2 dims [0] : (tensor<8xf32>) -> tensor<8x512xf32>
  %multiply1 = tg.mul %broadcast2, %broadcast3 : tensor<8x512xf32>
  return %multiply1 : tensor<8x512xf32>
}

// -----

// Figure 5: power<2> - broadcast<2,128> - add<2,128>. The two values of power are computed once for each row, not once for
// each of the 128 elements, and stay in the block.

// CHECK-LABEL: func.func @figure5
// CHECK: stitch.fusion
// CHECK-SAME: barriers = 0
// CHECK: tg.pow {{.*}} rows = 2, columns = 1,{{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.task
// CHECK: tg.add {{.*}} rows = 2, columns = 128,{{.*}}role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.task
func.func @figure5(%x: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %power = tg.pow %x, %y : tensor<2xf32>
  %broadcast = tg.broadcast %power dims [0] : (tensor<2xf32>) -> tensor<2x128xf32>
  %add = tg.add %broadcast, %z : tensor<2x128xf32>
  return %add : tensor<2x128xf32>
}
