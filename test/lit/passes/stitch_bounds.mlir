// RUN: stitch-opt %s -stitch-outline -stitch-remote | FileCheck %s --check-prefix=ALL
// RUN: stitch-opt %s -stitch-outline=max-bytes=4096 -stitch-remote=max-bytes=4096 | FileCheck %s --check-prefix=BYTES
// RUN: stitch-opt %s -stitch-outline=max-operands=2 -stitch-remote=max-operands=2 | FileCheck %s --check-prefix=OPERANDS
// RUN: stitch-opt %s -stitch-outline=max-ops=2 -stitch-remote=max-ops=2 | FileCheck %s --check-prefix=OPS
// RUN: not stitch-opt %s -stitch-outline=max-bytes=0 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: pass 'stitch-outline': option 'max-bytes' must be 1 or more, and is 0

// Four inputs of 2048 bytes: all in one fusion, or halved until each has no more than what is allowed. What is halved is not merged
// again.

// ALL-COUNT-1: stitch.fusion(
// ALL-NOT: stitch.fusion(
// BYTES-COUNT-3: stitch.fusion(
// OPERANDS-COUNT-3: stitch.fusion(
// OPS-COUNT-2: stitch.fusion(
// OPS-NOT: stitch.fusion(
func.func @main(%a: tensor<512xf32>, %b: tensor<512xf32>, %c: tensor<512xf32>, %d: tensor<512xf32>) -> tensor<512xf32> {
  %0 = tg.add %a, %b : tensor<512xf32>
  %1 = tg.mul %0, %0 : tensor<512xf32>
  %2 = tg.add %1, %c : tensor<512xf32>
  %3 = tg.add %2, %d : tensor<512xf32>
  return %3 : tensor<512xf32>
}
