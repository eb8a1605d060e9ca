// RUN: stitch-opt %s --split-input-file --stitch-rules --stitch-set-device='device=h200' --stitch-outline='epilogues=false' --stitch-merge-products --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=MERGE
// RUN: stitch-opt %s --split-input-file --stitch-pipeline='plan=attention-always' --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=ATTENTION

// What makes kernels and calls as a whole asks first whether rules keep their operations apart.

// MERGE: remark: stays a call of its own: a rule keeps it apart from products with a common operand
// MERGE-NOT: 3 products
// MERGE-NOT: 2 products
func.func @main(%x: tensor<64x256xf32>, %a: tensor<256x128xf32>, %b: tensor<256x128xf32>, %c: tensor<256x128xf32>) -> tensor<64x128xf32> {
  %0 = tg.dot %x, %a contract [1] x [0] {stitch.fuse = "alone"} : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %3 = tg.tanh %0 : tensor<64x128xf32>
  %4 = tg.mul %3, %1 : tensor<64x128xf32>
  %5 = tg.add %4, %2 : tensor<64x128xf32>
  return %5 : tensor<64x128xf32>
}

// -----

// ATTENTION: remark: no kernel of attention: a rule keeps its operations apart
// ATTENTION-NOT: error
func.func @main(%q: tensor<16x512x64xf16>, %k: tensor<16x512x64xf16>, %v: tensor<16x512x64xf16>) -> tensor<16x512x64xf16> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<16x512x64xf16>, tensor<16x512x64xf16>) -> tensor<16x512x512xf16>
  %1 = tg.softmax %0 dim 2 : tensor<16x512x512xf16>
  %2 = tg.dot %1, %v batch [0] x [0] contract [2] x [1] {stitch.fuse = "never"} : (tensor<16x512x512xf16>, tensor<16x512x64xf16>) -> tensor<16x512x64xf16>
  return %2 : tensor<16x512x64xf16>
}
