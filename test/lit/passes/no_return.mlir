// Functions that do not end with a return, which unregistered operations allow.
// RUN: not stitch-opt %s --allow-unregistered-dialect --stitch-set-device --stitch-outline 2>&1 | FileCheck %s
// RUN: not stitch-opt %s --allow-unregistered-dialect --tg-error-bounds 2>&1 | FileCheck %s

// CHECK: [[@LINE+1]]:1: error: 'func.func' op does not end with a return
func.func @main(%a: tensor<4xf32>) {
  %0 = tg.abs %a : tensor<4xf32>
  "other.end"() : () -> ()
}
