// RUN: stitch-opt %s -split-input-file -stitch-persistent-loops=choose=always --stitch-remarks 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: stitch-opt %s -split-input-file -stitch-persistent-loops --stitch-remarks 2>%t.remarks | FileCheck %s --check-prefix=MODEL
// RUN: FileCheck %s --check-prefix=COSTS < %t.remarks
// RUN: stitch-opt %s -split-input-file -stitch-persistent-loops=choose=never | FileCheck %s --check-prefix=NEVER --implicit-check-not=stitch.persistent
// RUN: not stitch-opt %s -split-input-file -stitch-persistent-loops=choose=now 2>&1 | FileCheck %s --check-prefix=CHOOSE

// CHOOSE: pass 'stitch-persistent-loops': option 'choose' must be model, always or never, and is 'now'
// NEVER: func.func @step

// A step is one kernel, its row goes into a stack: the kernel can have the loop inside. One block has all of a step: it waits for itself, and needs no
// launch for each.
// CHECK-LABEL: func.func @step
// CHECK: stitch.fusion
// CHECK-SAME: attributes {stitch.persistent}
// MODEL-LABEL: func.func @step
// MODEL: stitch.persistent
// COSTS: an iteration takes {{[0-9]+}} ns as a launch, {{[0-9]+}} ns as a part of one: the loop goes into its kernel
module attributes {stitch.device = #stitch.device<h200, launch_ns = 1400, barrier_ns = 1100>} {
  func.func @step(%h0: tensor<8xf32>, %w: tensor<8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
    %zero = tg.constant dense<0> : tensor<i32>
    %empty = tg.constant dense<0.0> : tensor<4x8xf32>
    %r:3 = tg.while(%i = %zero, %h = %h0, %hs = %empty) : tensor<i32>, tensor<8xf32>, tensor<4x8xf32> attributes {trip_count = 4 : i64} cond {
      %n = tg.constant dense<4> : tensor<i32>
      %c = tg.compare lt, %i, %n : tensor<i32>
      tg.yield %c : tensor<i1>
    } do {
      %z = tg.constant dense<0> : tensor<i32>
      %f:2 = stitch.fusion(%a = %i, %b = %h, %v = %w) : (tensor<i32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
        %one = tg.constant dense<1> : tensor<i32>
        %1 = tg.add %a, %one : tensor<i32>
        %2 = tg.mul %b, %v : tensor<8xf32>
        stitch.yield %1, %2 : tensor<i32>, tensor<8xf32>
      }
      %row = tg.reshape %f#1 : (tensor<8xf32>) -> tensor<1x8xf32>
      %stacked = tg.dynamic_update_slice %hs[%i, %z], %row : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
      tg.yield %f#0, %f#1, %stacked : tensor<i32>, tensor<8xf32>, tensor<4x8xf32>
    }
    return %r#1, %r#2 : tensor<8xf32>, tensor<4x8xf32>
  }
}

// -----

// What takes all blocks waits at grid barriers, which take longer than launches: such a loop goes into its kernel for what its iterations need not read
// again, here 4194304 bytes. Of three iterations that is too little.
// MODEL-LABEL: func.func @three_with_weights
// MODEL-NOT: stitch.persistent
// COSTS: an iteration takes {{[0-9]+}} ns as a launch, {{[0-9]+}} ns as a part of one: the loop stays outside
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @three_with_weights(%h0: tensor<1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %r = tg.while(%h = %h0) : tensor<1024xf32> attributes {trip_count = 3 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%b = %h, %v = %w) : (tensor<1024xf32>, tensor<1024x1024xf32>) -> tensor<1024xf32> {
        %1 = tg.broadcast %b dims [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
        %2 = tg.mul %1, %v : tensor<1024x1024xf32>
        %3 = tg.reduce add %2 dims [1] : (tensor<1024x1024xf32>) -> tensor<1024xf32>
        stitch.yield %3 : tensor<1024xf32>
      }
      tg.yield %f : tensor<1024xf32>
    }
    return %r : tensor<1024xf32>
  }
}

// -----

// MODEL-LABEL: func.func @many_with_weights
// MODEL: stitch.persistent
// COSTS: an iteration takes {{[0-9]+}} ns as a launch, {{[0-9]+}} ns as a part of one: the loop goes into its kernel
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @many_with_weights(%h0: tensor<1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %r = tg.while(%h = %h0) : tensor<1024xf32> attributes {trip_count = 64 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%b = %h, %v = %w) : (tensor<1024xf32>, tensor<1024x1024xf32>) -> tensor<1024xf32> {
        %1 = tg.broadcast %b dims [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
        %2 = tg.mul %1, %v : tensor<1024x1024xf32>
        %3 = tg.reduce add %2 dims [1] : (tensor<1024x1024xf32>) -> tensor<1024xf32>
        stitch.yield %3 : tensor<1024xf32>
      }
      tg.yield %f : tensor<1024xf32>
    }
    return %r : tensor<1024xf32>
  }
}

// -----

// Without such inputs no number of iterations is enough, where a step takes all blocks.
// MODEL-LABEL: func.func @many
// MODEL-NOT: stitch.persistent
// COSTS: an iteration takes {{[0-9]+}} ns as a launch, {{[0-9]+}} ns as a part of one: the loop stays outside
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @many(%h0: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %r = tg.while(%h = %h0) : tensor<1048576xf32> attributes {trip_count = 1000 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%b = %h) : (tensor<1048576xf32>) -> tensor<1048576xf32> {
        %1 = tg.exp %b : tensor<1048576xf32>
        stitch.yield %1 : tensor<1048576xf32>
      }
      tg.yield %f : tensor<1048576xf32>
    }
    return %r : tensor<1048576xf32>
  }
}

// -----

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: stitch.persistent
// REMARK: the loop stays outside of kernels: it is not known to run twice or more
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @unknown(%h0: tensor<8xf32>) -> tensor<8xf32> {
    %r = tg.while(%h = %h0) : tensor<8xf32> cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%b = %h) : (tensor<8xf32>) -> tensor<8xf32> {
        %1 = tg.exp %b : tensor<8xf32>
        stitch.yield %1 : tensor<8xf32>
      }
      tg.yield %f : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @two_kernels
// CHECK-NOT: stitch.persistent
// REMARK: the loop stays outside of kernels: an iteration is more than one kernel
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @two_kernels(%h0: tensor<8xf32>) -> tensor<8xf32> {
    %r = tg.while(%h = %h0) : tensor<8xf32> attributes {trip_count = 9 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %e = stitch.fusion(%b = %h) : (tensor<8xf32>) -> tensor<8xf32> {
        %1 = tg.exp %b : tensor<8xf32>
        stitch.yield %1 : tensor<8xf32>
      }
      %f = stitch.fusion(%b = %e) : (tensor<8xf32>) -> tensor<8xf32> {
        %1 = tg.neg %b : tensor<8xf32>
        stitch.yield %1 : tensor<8xf32>
      }
      tg.yield %f : tensor<8xf32>
    }
    return %r : tensor<8xf32>
  }
}

// -----

// Values that change places are copied by the host; so is a result that two values are.
// CHECK-LABEL: func.func @exchanged
// CHECK-NOT: stitch.persistent
// REMARK: the loop stays outside of kernels: a loop-carried value is not computed by the kernel alone
// CHECK-LABEL: func.func @twice
// CHECK-NOT: stitch.persistent
// REMARK: the loop stays outside of kernels: a loop-carried value is not computed by the kernel alone
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @exchanged(%h0: tensor<8xf32>) -> tensor<8xf32> {
    %r:2 = tg.while(%h = %h0, %g = %h0) : tensor<8xf32>, tensor<8xf32> attributes {trip_count = 9 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%b = %h) : (tensor<8xf32>) -> tensor<8xf32> {
        %1 = tg.exp %b : tensor<8xf32>
        stitch.yield %1 : tensor<8xf32>
      }
      tg.yield %g, %f : tensor<8xf32>, tensor<8xf32>
    }
    return %r#0 : tensor<8xf32>
  }
  func.func @twice(%h0: tensor<8xf32>) -> tensor<8xf32> {
    %r:2 = tg.while(%h = %h0, %g = %h0) : tensor<8xf32>, tensor<8xf32> attributes {trip_count = 9 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%b = %h, %d = %g) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
        %1 = tg.add %b, %d : tensor<8xf32>
        stitch.yield %1 : tensor<8xf32>
      }
      tg.yield %f, %f : tensor<8xf32>, tensor<8xf32>
    }
    return %r#0 : tensor<8xf32>
  }
}

// -----

// A cache that an iteration updates in place and reads: blocks would read slices that others have written in the iteration before.
// CHECK-LABEL: func.func @cache
// CHECK-NOT: stitch.persistent
// REMARK: the loop stays outside of kernels: an iteration reads a value that earlier ones have updated in place
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @cache(%c0: tensor<16x8xf32>, %x: tensor<1x8xf32>) -> tensor<16x8xf32> {
    %zero = tg.constant dense<0> : tensor<i32>
    %r:3 = tg.while(%i = %zero, %c = %c0, %k = %x) : tensor<i32>, tensor<16x8xf32>, tensor<1x8xf32> attributes {trip_count = 9 : i64} cond {
      %t = tg.constant dense<true> : tensor<i1>
      tg.yield %t : tensor<i1>
    } do {
      %z = tg.constant dense<0> : tensor<i32>
      %f:3 = stitch.fusion(%n = %i, %b = %c, %v = %k) : (tensor<i32>, tensor<16x8xf32>, tensor<1x8xf32>) -> (tensor<i32>, tensor<1x8xf32>, tensor<1x8xf32>) {
        %one = tg.constant dense<1> : tensor<i32>
        %none = tg.constant dense<0> : tensor<i32>
        %1 = tg.add %n, %one : tensor<i32>
        %w = tg.tanh %v : tensor<1x8xf32>
        %2 = tg.dynamic_update_slice %b[%n, %none], %w : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
        %3 = tg.reduce max %2 dims [0] : (tensor<16x8xf32>) -> tensor<8xf32>
        %4 = tg.reshape %3 : (tensor<8xf32>) -> tensor<1x8xf32>
        stitch.yield %1, %w, %4 : tensor<i32>, tensor<1x8xf32>, tensor<1x8xf32>
      }
      %u = tg.dynamic_update_slice %c[%i, %z], %f#1 {stitch.in_place} : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
      tg.yield %f#0, %u, %f#2 : tensor<i32>, tensor<16x8xf32>, tensor<1x8xf32>
    }
    return %r#1 : tensor<16x8xf32>
  }
}
