// What a kernel reads behind a wait and lies in memory since before the model runs is asked for in front of it (docs/ir.md, "Prefetches").

// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=persistent-never -stitch-remarks 2>/dev/null | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=persistent-never -stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two products of one row in one kernel: the second matrix before the grid barrier that the sums of
// the first one need; nothing before phase 0, whose loads come at once.
// CHECK-LABEL: func.func @barrier
// CHECK: stitch.launch = #stitch.launch<{{.*}}barriers = {{[1-9]}}>
// CHECK-SAME: stitch.prefetch = [#stitch.prefetch<phase = 1, input = 2, offset = 0, bytes = 8388608>]
// CHECK-NOT: prefetch<phase = 0
// CHECK: return
// REMARK: blocks prefetch 8388608 bytes of the next phase's inputs before they wait
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @barrier(%x: tensor<1x2048xbf16>, %w: tensor<2048x2048xbf16>, %v: tensor<2048x2048xbf16>) -> tensor<1x2048xbf16> {
    %a = tg.dot %x, %w contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    %t = tg.tanh %a : tensor<1x2048xbf16>
    %b = tg.dot %t, %v contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    return %b : tensor<1x2048xbf16>
  }
}

// -----

// A device without bulk prefetches: nothing.
// CHECK-LABEL: func.func @older
// CHECK-NOT: stitch.prefetch
// CHECK: return
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @older(%x: tensor<1x2048xbf16>, %w: tensor<2048x2048xbf16>, %v: tensor<2048x2048xbf16>) -> tensor<1x2048xbf16> {
    %a = tg.dot %x, %w contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    %t = tg.tanh %a : tensor<1x2048xbf16>
    %b = tg.dot %t, %v contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    return %b : tensor<1x2048xbf16>
  }
}

// -----

// More than there is room for in the cache: the same share of both matrices that are read side by side.
// CHECK-LABEL: func.func @shares
// CHECK: stitch.prefetch = [#stitch.prefetch<phase = 1, input = {{[0-9]+}}, offset = 0, bytes = 6553{{[0-9]+}}>, #stitch.prefetch<phase = 1, input = {{[0-9]+}}, offset = 0, bytes = 6553{{[0-9]+}}>]
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @shares(%x: tensor<1x2048xbf16>, %w: tensor<2048x2048xbf16>, %g: tensor<2048x8192xbf16>, %u: tensor<2048x8192xbf16>) -> tensor<1x8192xbf16> {
    %a = tg.dot %x, %w contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    %t = tg.tanh %a : tensor<1x2048xbf16>
    %b = tg.dot %t, %g contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<1x8192xbf16>
    %c = tg.dot %t, %u contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<1x8192xbf16>
    %y = tg.mul %b, %c : tensor<1x8192xbf16>
    return %y : tensor<1x8192xbf16>
  }
}
