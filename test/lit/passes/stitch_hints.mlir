// RUN: stitch-opt %s -convert-stablehlo-to-tg -stitch-pipeline="plan=astitch" -split-input-file -verify-diagnostics=only-expected | FileCheck %s

// Hints on operations (docs/rules.md), of StableHLO and of tg. They become names in locations, and rules of the module.

// CHECK-LABEL: func.func @alone
// CHECK: stitch.fusion
// CHECK-NEXT: tg.add
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: stitch.yield
// CHECK-NOT: stitch.rules
func.func @alone(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.add %a, %b : tensor<64x64xf32>
  %1 = stablehlo.exponential %0 {stitch.name = "mine", stitch.fuse = "alone"} : tensor<64x64xf32>
  %2 = stablehlo.tanh %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// Never: through memory to what reads it, but in one kernel with what does not.

// CHECK-LABEL: func.func @never
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: tg.sub
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: stitch.yield
func.func @never(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = tg.exp %a {stitch.fuse = "never"} : tensor<64x64xf32>
  %1 = tg.tanh %0 : tensor<64x64xf32>
  %2 = tg.sub %a, %b : tensor<64x64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// As JAX's set_xla_metadata writes it. Too small to be worth it, two of different shapes go together.

// CHECK-LABEL: func.func @frontend
// CHECK: stitch.fusion
// CHECK: tg.exp
// CHECK: tg.tanh
// CHECK: stitch.yield
// CHECK-NOT: stitch.fusion
func.func @frontend(%a: tensor<4096x512xf32>, %b: tensor<7x8191xf32>) -> (tensor<4096x512xf32>, tensor<7x8191xf32>) {
  %0 = stablehlo.exponential %a {mhlo.frontend_attributes = {stitch.fuse = "with:other"}} : tensor<4096x512xf32>
  %1 = stablehlo.tanh %b : tensor<7x8191xf32> loc("other")
  return %0, %1 : tensor<4096x512xf32>, tensor<7x8191xf32>
}

// -----

// Schemes and templates: a value that would be computed in registers goes through memory; rows have a warp each.

// CHECK-LABEL: func.func @values
// CHECK: tg.exp {{.*}}stitch.scheme = #stitch.scheme<global>
// CHECK: tg.reduce {{.*}}block_rows = 8, row_threads = 32, vector = 4, unroll = 2,
func.func @values(%a: tensor<1024x256xf32>) -> tensor<1024x256xf32> {
  %0 = tg.exp %a {stitch.scheme = "global"} : tensor<1024x256xf32>
  %1 = tg.reduce add %0 dims [1] {stitch.template = "[GRID-WARP_8,THREAD_2-CTA_32-THREAD_4]"} : (tensor<1024x256xf32>) -> tensor<1024xf32>
  %2 = tg.broadcast %1 dims [0] : (tensor<1024xf32>) -> tensor<1024x256xf32>
  %3 = tg.div %0, %2 : tensor<1024x256xf32>
  return %3 : tensor<1024x256xf32>
}

// -----

// In a loop, and within a library call.

// CHECK-LABEL: func.func @places
// CHECK: stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK: tg.max
// CHECK: tg.while
// CHECK: tg.add
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: stitch.yield
func.func @places(%n: tensor<i32>, %a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %zero = tg.constant dense<0.0> : tensor<64x64xf16>
  %0 = tg.dot %a, %b contract [1] x [0] {stitch.fuse = "alone"} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = tg.max %0, %zero : tensor<64x64xf16>
  %i = tg.constant dense<0> : tensor<i32>
  %2:2 = tg.while(%j = %i, %x = %1) : tensor<i32>, tensor<64x64xf16> cond {
    %4 = tg.compare lt, %j, %n : tensor<i32>
    tg.yield %4 : tensor<i1>
  } do {
    %one = tg.constant dense<1> : tensor<i32>
    %5 = tg.add %j, %one : tensor<i32>
    %6 = tg.exp %x {stitch.fuse = "alone"} : tensor<64x64xf16>
    %7 = tg.tanh %6 : tensor<64x64xf16>
    tg.yield %5, %7 : tensor<i32>, tensor<64x64xf16>
  }
  return %1, %2#1 : tensor<64x64xf16>, tensor<64x64xf16>
}

// -----

// A compound operation is several of tg, which are alone together; a location of a call keeps its hint.

// CHECK-LABEL: func.func @compound
// CHECK: stitch.fusion
// CHECK-NEXT: tg.sin
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK: tg.reduce max
// CHECK: tg.exp
// CHECK: tg.reduce add
// CHECK: tg.div
// CHECK: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: tg.cos
// CHECK-NEXT: stitch.yield
func.func @compound(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.sin %a : tensor<64x64xf32>
  %1 = tg.softmax %0 dim 1 {stitch.fuse = "alone"} : tensor<64x64xf32>
  %2 = tg.tanh %1 {stitch.name = "outer", stitch.fuse = "with:inner"} : tensor<64x64xf32>
  %3 = tg.cos %2 {stitch.fuse = "with:outer"} : tensor<64x64xf32> loc(callsite("inner"("f":1:1) at "g":2:2))
  return %3 : tensor<64x64xf32>
}

// -----

// In a function, which is inlined wherever it is called.

// CHECK-LABEL: func.func public @main
// CHECK: stitch.fusion
// CHECK-NEXT: tg.add
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.sin
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
func.func private @called(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.exponential %a {stitch.fuse = "alone"} : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

func.func public @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.add %a, %a : tensor<64x64xf32>
  %1 = call @called(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.sine %1 : tensor<64x64xf32>
  %3 = call @called(%2) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

// What is folded away says so, and so does what is read in every kernel; the compilation goes on.

// CHECK-LABEL: func.func @folded
func.func @folded(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = tg.constant dense<0.0> : tensor<8x8xf32>
  // expected-remark @+1 {{hint 'stitch.fuse = "alone"': no operation is left that has it: simplification has folded it, or merged it with another}}
  %0 = tg.reverse %a dims [] {stitch.fuse = "alone"} : tensor<8x8xf32>
  %1 = tg.exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
