// RUN: stitch-opt %s --tg-peer-sums=sums=at-once -o - | FileCheck %s --check-prefix=ONCE
// RUN: stitch-opt %s --tg-peer-sums=sums=two-steps -o - | FileCheck %s --check-prefix=TWO
// RUN: stitch-opt %s --tg-peer-sums=sums=calls -o - | FileCheck %s --check-prefix=CALLS
// RUN: stitch-opt %s --tg-peer-sums -o - | FileCheck %s --check-prefix=BEST
// RUN: sed -e 's/<h200>/<h200, machine_gpus = 2>/' %s | stitch-opt --tg-peer-sums -o - | FileCheck %s --check-prefix=CALLS
// RUN: sed -e 's/ {stitch.device.*/ {/' -e 's/attributes {/attributes {stitch.partitions = 3 : i64} {/' -e 's/{ {/{/' %s | not stitch-opt --tg-peer-sums 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: {{.*}}has no device whose links could be told

// Three processes. A narrow float is summed in f32, in the order of the group, and rounded once. In two steps a process combines its rows,
// those from its number times two on. A product, a scalar that has no three parts, truth values, complex numbers, and groups of
// unlike sizes.
module attributes {stitch.device = #stitch.device<h200>, stitch.partitions = 3 : i64} {
  func.func @main(%a: tensor<6x8xbf16>, %b: tensor<f32>, %c: tensor<4xi1>, %d: tensor<4xcomplex<f32>>, %e: tensor<4xf32>)
      -> (tensor<6x8xbf16>, tensor<f32>, tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<4xf32>) {
    %0 = tg.all_reduce add %a groups dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<6x8xbf16>
    %1 = tg.all_reduce mul %b groups dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<f32>
    %2 = tg.all_reduce or %c groups dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<4xi1>
    %3 = tg.all_reduce add %d groups dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<4xcomplex<f32>>
    %4 = tg.all_reduce add %e groups dense<[[0, 1], [2, -1]]> : tensor<2x2xi64> : tensor<4xf32>
    return %0, %1, %2, %3, %4 : tensor<6x8xbf16>, tensor<f32>, tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<4xf32>
  }
}
// ONCE-DAG: %[[A:.*]] = tg.collective_broadcast %arg0 groups dense<{{\[\[}}0, 1, 2]]>
// ONCE-DAG: %[[B:.*]] = tg.collective_broadcast %arg0 groups dense<{{\[\[}}1, 0, 2]]>
// ONCE-DAG: %[[C:.*]] = tg.collective_broadcast %arg0 groups dense<{{\[\[}}2, 0, 1]]>
// ONCE-DAG: %[[A32:.*]] = tg.convert %[[A]] : (tensor<6x8xbf16>) -> tensor<6x8xf32>
// ONCE-DAG: %[[B32:.*]] = tg.convert %[[B]]
// ONCE-DAG: %[[AB:.*]] = tg.add %[[A32]], %[[B32]]
// ONCE-DAG: %[[C32:.*]] = tg.convert %[[C]]
// ONCE: %[[ABC:.*]] = tg.add %[[AB]], %[[C32]]
// ONCE: %[[SUM:.*]] = tg.convert %[[ABC]] : (tensor<6x8xf32>) -> tensor<6x8xbf16>
// ONCE-COUNT-3: tg.collective_broadcast %arg1
// ONCE: tg.mul
// ONCE: %[[PRODUCT:.*]] = tg.mul
// ONCE: %[[OR:.*]] = tg.all_reduce or
// ONCE: %[[COMPLEX:.*]] = tg.all_reduce add
// ONCE: %[[UNLIKE:.*]] = tg.all_reduce add
// ONCE: return %[[SUM]], %[[PRODUCT]], %[[OR]], %[[COMPLEX]], %[[UNLIKE]]

// TWO-DAG: %[[ID:.*]] = tg.process_id
// TWO-DAG: %[[TWO:.*]] = tg.constant dense<2> : tensor<i32>
// TWO: %[[START:.*]] = tg.mul
// TWO-COUNT-3: tg.collective_broadcast %arg0
// TWO-COUNT-3: tg.dynamic_slice %{{.*}}[%[[START]], %{{.*}}] sizes [2, 8]
// TWO: %[[PART:.*]] = tg.convert {{.*}} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
// TWO-COUNT-3: tg.collective_broadcast %[[PART]]
// TWO: tg.concatenate
// TWO-COUNT-3: tg.collective_broadcast %arg1
// TWO-NOT: tg.dynamic_slice

// CALLS-COUNT-5: tg.all_reduce
// CALLS-NOT: tg.collective_broadcast

// The small ones are cheaper in the kernels behind them.
// BEST-COUNT-6: tg.collective_broadcast
// BEST-COUNT-3: tg.all_reduce
