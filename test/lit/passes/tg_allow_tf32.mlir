// RUN: stitch-opt %s --tg-allow-tf32 | FileCheck %s
// RUN: stitch-opt %s --tg-allow-tf32 --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --stitch-pipeline='plan=astitch tf32=true' | FileCheck %s --check-prefix=PLAN
// RUN: stitch-opt %s --stitch-pipeline='plan=astitch' | FileCheck %s --check-prefix=DEFAULT
// RUN: not stitch-opt %s --stitch-pipeline='plan=astitch tf32=maybe' 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: option 'tf32' must be true or false, and is 'maybe'

// Of f32 what says nothing is allowed; what has said something keeps it. Products of other types are as they were.
// CHECK: module attributes {stitch.tf32}
// CHECK: tg.dot %arg0, %arg0 contract [1] x [1] precision tf32 : (tensor<64x64xf32>
// CHECK-NEXT: tg.dot %{{.*}}, %arg0 contract [1] x [1] precision tf32 : (tensor<64x64xf32>
// CHECK-NEXT: tg.dot %{{.*}}, %arg0 contract [1] x [1] precision full : (tensor<64x64xf32>
// CHECK-NEXT: tg.dot %arg1, %arg1 contract [1] x [1] : (tensor<64x64xf16>

// REMARK: remark: its operands may be rounded to TF32: it has no precision, and tf32=true allows it
// REMARK: remark: its operands may be rounded to TF32: it says so itself
// REMARK: remark: its operands may not be rounded to TF32: it says so itself
// REMARK-NOT: TF32

// Without the option products keep what they say.
// PLAN-COUNT-2: precision tf32
// PLAN: precision full
// DEFAULT: tg.dot
// DEFAULT-NOT: precision
// DEFAULT: precision tf32
// DEFAULT: precision full
func.func @main(%a: tensor<64x64xf32>, %h: tensor<64x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf16>) {
  %0 = tg.dot %a, %a contract [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tg.dot %0, %a contract [1] x [1] precision tf32 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tg.dot %1, %a contract [1] x [1] precision full : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = tg.dot %h, %h contract [1] x [1] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %2, %3 : tensor<64x64xf32>, tensor<64x64xf16>
}
