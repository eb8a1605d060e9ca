// RUN: stitch-opt %s -stitch-apply-rules -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-apply-rules -split-input-file --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What belongs together is on both sides of a product, in fusions that cannot be one: it is taken out of both first.

// REMARK: remark: one fusion: rule 'together a b'

// CHECK-LABEL: func.func @taken_out
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: tg.cos
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.sin
// CHECK-NEXT: stitch.yield
// CHECK: stitch.library_call
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: tg.add
// CHECK-NEXT: stitch.yield
module attributes {stitch.rules = [{at = loc("rules":2:1), kind = "together", patterns = ["a", "b"]}]} {
  func.func @taken_out(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0:2 = stitch.fusion(%x = %a) : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %4 = tg.exp %x : tensor<64x64xf32> loc("a")
      %5 = tg.sin %4 : tensor<64x64xf32>
      stitch.yield %4, %5 : tensor<64x64xf32>, tensor<64x64xf32>
    }
    %1 = stitch.library_call(%x = %0#1, %y = %a) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %4 = tg.dot %x, %y contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      stitch.yield %4 : tensor<64x64xf32>
    }
    %2 = stitch.fusion(%x = %1, %y = %0#0) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %4 = tg.tanh %x : tensor<64x64xf32>
      %5 = tg.cos %y : tensor<64x64xf32> loc("b")
      %6 = tg.add %4, %5 : tensor<64x64xf32>
      stitch.yield %6 : tensor<64x64xf32>
    }
    return %2 : tensor<64x64xf32>
  }
}

// -----

// A fusion on the way goes along, and so does a view, which a product reads besides.

// CHECK-LABEL: func.func @between
// CHECK: %[[ONE:.*]]:2 = stitch.fusion
// CHECK: tg.exp
// CHECK-NEXT: tg.reshape
// CHECK-NEXT: tg.sin
// CHECK-NEXT: tg.cos
// CHECK-NEXT: stitch.yield
// CHECK: %[[VIEW:.*]] = tg.reshape %[[ONE]]#0
// CHECK: stitch.library_call({{.*}} = %[[VIEW]]
// CHECK: return {{.*}}, %[[ONE]]#1
// CHECK-NOT: stitch.fusion
module attributes {stitch.rules = [{at = loc("rules":2:1), kind = "together", patterns = ["a", "b"]}]} {
  func.func @between(%a: tensor<64x64xf32>) -> (tensor<f32>, tensor<4096xf32>) {
    %0 = stitch.fusion(%x = %a) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
      %5 = tg.exp %x : tensor<64x64xf32> loc("a")
      stitch.yield %5 : tensor<64x64xf32>
    }
    %1 = tg.reshape %0 : (tensor<64x64xf32>) -> tensor<4096xf32>
    %2 = stitch.library_call(%x = %1) : (tensor<4096xf32>) -> tensor<f32> {
      %5 = tg.dot %x, %x contract [0] x [0] : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<f32>
      stitch.yield %5 : tensor<f32>
    }
    %3 = stitch.fusion(%x = %1) : (tensor<4096xf32>) -> tensor<4096xf32> {
      %5 = tg.sin %x : tensor<4096xf32>
      stitch.yield %5 : tensor<4096xf32>
    }
    %4 = stitch.fusion(%x = %3) : (tensor<4096xf32>) -> tensor<4096xf32> {
      %5 = tg.cos %x : tensor<4096xf32> loc("b")
      stitch.yield %5 : tensor<4096xf32>
    }
    return %2, %4 : tensor<f32>, tensor<4096xf32>
  }
}

// -----

// An update in place comes behind what reads its buffer, wherever that goes.

// CHECK-LABEL: func.func @in_place
// CHECK: do {
// CHECK: stitch.fusion
// CHECK: tg.exp
// CHECK: tg.cos
// CHECK: stitch.yield
// CHECK: tg.dynamic_update_slice
module attributes {stitch.rules = [{at = loc("rules":2:1), kind = "together", patterns = ["a", "b"]}]} {
  func.func @in_place(%n: tensor<i32>, %v: tensor<64x8xf32>, %u: tensor<1x8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>) {
    %s = tg.constant dense<0> : tensor<i32>
    %0:4 = tg.while(%j = %s, %x = %v, %w = %u, %y = %v) : tensor<i32>, tensor<64x8xf32>, tensor<1x8xf32>, tensor<64x8xf32> cond {
      %c = stitch.fusion(%p = %j, %q = %n) : (tensor<i32>, tensor<i32>) -> tensor<i1> {
        %1 = tg.compare lt, %p, %q : tensor<i32>
        stitch.yield %1 : tensor<i1>
      }
      tg.yield %c : tensor<i1>
    } do {
      %zero = tg.constant dense<0> : tensor<i32>
      %1 = stitch.fusion(%p = %x) : (tensor<64x8xf32>) -> tensor<64x8xf32> {
        %5 = tg.exp %p : tensor<64x8xf32> loc("a")
        stitch.yield %5 : tensor<64x8xf32>
      }
      %2 = tg.dynamic_update_slice %x[%j, %zero], %w {stitch.in_place} : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
      %3:2 = stitch.fusion(%p = %w, %q = %j) : (tensor<1x8xf32>, tensor<i32>) -> (tensor<1x8xf32>, tensor<i32>) {
        %one = tg.constant dense<1> : tensor<i32>
        %5 = tg.cos %p : tensor<1x8xf32> loc("b")
        %6 = tg.add %q, %one : tensor<i32>
        stitch.yield %5, %6 : tensor<1x8xf32>, tensor<i32>
      }
      tg.yield %3#1, %2, %3#0, %1 : tensor<i32>, tensor<64x8xf32>, tensor<1x8xf32>, tensor<64x8xf32>
    }
    return %0#1, %0#3 : tensor<64x8xf32>, tensor<64x8xf32>
  }
}

// -----

// Splitting: what is between two operations that belong together stays with them; what only a later part reads goes there, if less crosses.

// REMARK: remark: 2 fusions instead of one: rules keep operations apart

// CHECK-LABEL: func.func @split
// CHECK: stitch.fusion
// CHECK: tg.exp
// CHECK-NEXT: tg.sin
// CHECK-NEXT: tg.cos
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.rsqrt
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: tg.mul
// CHECK-NEXT: stitch.yield
module attributes {stitch.rules = [{at = loc("rules":2:1), kind = "together", patterns = ["a", "b"]},
                                   {at = loc("rules":3:1), kind = "apart", patterns = ["op=sin", "op=tanh"]}]} {
  func.func @split(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = stitch.fusion(%x = %a, %y = %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
      %1 = tg.rsqrt %y : tensor<64x64xf32>
      %2 = tg.exp %x : tensor<64x64xf32> loc("a")
      %3 = tg.sin %2 : tensor<64x64xf32>
      %4 = tg.cos %3 : tensor<64x64xf32> loc("b")
      %5 = tg.tanh %4 : tensor<64x64xf32>
      %6 = tg.mul %5, %1 : tensor<64x64xf32>
      stitch.yield %6 : tensor<64x64xf32>
    }
    return %0 : tensor<64x64xf32>
  }
}
