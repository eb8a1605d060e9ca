// RUN: stitch-opt %s --tg-tree-sums --split-input-file -verify-diagnostics -o - | FileCheck %s
// RUN: not stitch-opt %s '--stitch-pipeline=sums=tree' 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: sums=tree needs precision=strict

// Four samples of each of four processes: neighbours first, within a process and between them. Integers, and a reduction of another
// dimension, have no such order.
module attributes {stitch.partitions = 4 : i64} {
  func.func @main(%a: tensor<4x8xf16>, %b: tensor<4x8xi32>) -> (tensor<8xf16>, tensor<8xi32>, tensor<4xf16>) {
    %0 = tg.reduce add %a dims [0] : (tensor<4x8xf16>) -> tensor<8xf16>
    %1 = tg.all_reduce add %0 groups dense<[[0, 1, 2, 3]]> : tensor<1x4xi64> : tensor<8xf16>
    %2 = tg.reduce add %b dims [0] : (tensor<4x8xi32>) -> tensor<8xi32>
    %3 = tg.reduce add %a dims [1] : (tensor<4x8xf16>) -> tensor<4xf16>
    return %1, %2, %3 : tensor<8xf16>, tensor<8xi32>, tensor<4xf16>
  }
}
// CHECK-LABEL: func.func @main
// CHECK: %[[EVEN:.*]] = tg.slice %arg0 [0:4:2, 0:8]
// CHECK: %[[ODD:.*]] = tg.slice %arg0 [1:4:2, 0:8]
// CHECK: %[[PAIRS:.*]] = tg.add %[[EVEN]], %[[ODD]] : tensor<2x8xf16>
// CHECK: %[[FIRST:.*]] = tg.slice %[[PAIRS]]
// CHECK: %[[SECOND:.*]] = tg.slice %[[PAIRS]]
// CHECK: tg.add %[[FIRST]], %[[SECOND]] : tensor<1x8xf16>
// CHECK: %[[P0:.*]] = tg.collective_broadcast %{{.*}} groups dense<{{\[\[}}0, 1, 2, 3]]>
// CHECK: %[[P1:.*]] = tg.collective_broadcast %{{.*}} groups dense<{{\[\[}}1, 0, 2, 3]]>
// CHECK: %[[P2:.*]] = tg.collective_broadcast
// CHECK: %[[P3:.*]] = tg.collective_broadcast
// CHECK: %[[P01:.*]] = tg.add %[[P0]], %[[P1]] : tensor<8xf16>
// CHECK: %[[P23:.*]] = tg.add %[[P2]], %[[P3]]
// CHECK: %[[ALL:.*]] = tg.add %[[P01]], %[[P23]]
// CHECK: tg.reduce add %arg1 dims [0]
// CHECK: tg.reduce add %arg0 dims [1]
// CHECK: return %[[ALL]]

// -----

// A sample's own elements one after the other.
module {
  func.func @main(%a: tensor<2x3x8xf32>) -> tensor<8xf32> {
    %0 = tg.reduce add %a dims [0, 1] : (tensor<2x3x8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: tg.add {{.*}}tensor<2x1x8xf32>
// CHECK: tg.add {{.*}}tensor<1x1x8xf32>
// CHECK-NOT: tg.reduce

// -----

module attributes {stitch.partitions = 3 : i64} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{is not between 2, 4, 8 or 16 processes in each group, as sums=tree needs}}
    %0 = tg.all_reduce add %a groups dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {stitch.partitions = 2 : i64} {
  func.func @main(%a: tensor<12x8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
    // expected-error @below {{is a part of a sum between processes, but not of 2, 4, ..., 64 samples, as sums=tree needs}}
    %0 = tg.reduce add %a dims [0] : (tensor<12x8xf32>) -> tensor<8xf32>
    %1 = tg.all_reduce add %0 groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8xf32>
    // expected-error @below {{gives each process a part: sums=tree takes all_reduce}}
    %2 = tg.reduce_scatter add %b groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<4xf32>
    return %1, %2 : tensor<8xf32>, tensor<4xf32>
  }
}

// -----

module attributes {stitch.partitions = 2 : i64} {
  func.func @main(%a: tensor<8xf32>, %n: tensor<i1>) -> tensor<8xf32> {
    %0 = tg.if %n : (tensor<i1>) -> tensor<8xf32> {
      // expected-error @below {{is in a loop or branch: sums=tree takes sums between processes in @main itself}}
      %1 = tg.all_reduce add %a groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8xf32>
      tg.yield %1 : tensor<8xf32>
    } else {
      tg.yield %a : tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
}
