// Every plan of AStitch's ablation, on every device, keeps the promises of docs/ir.md.
//
// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-pipeline,stitch-verify-plan)" | FileCheck %s
// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-pipeline{plan=hdm},stitch-verify-plan)" | FileCheck %s
// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-pipeline{plan=atm device=v100},stitch-verify-plan)" | FileCheck %s --check-prefix=XLA
// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-pipeline{plan=xla device=t4},stitch-verify-plan)" | FileCheck %s --check-prefix=XLA
// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-pipeline{device=simt},stitch-verify-plan)" | FileCheck %s
// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-pipeline{device=a100},stitch-verify-plan)" -o %t.1
// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-pipeline{device=a100},stitch-verify-plan)" -o %t.2
// RUN: diff %t.1 %t.2
// RUN: not stitch-opt %s -stitch-pipeline=plan=worst 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: not stitch-opt %s -stitch-pipeline=device=abacus 2>&1 | FileCheck %s --check-prefix=DEVICE

// PLAN: option 'plan' must be best, astitch, astitch-by-cost, fusionstitching, apollo, merged, cheapest, thin, cheapest-thin, rolled, tiled, attention, attention-thin, attention-cheapest, attention-always, running, running-thin, running-always, persistent-never, persistent-always, skinny-always, hdm, atm, xla, apollo-layer1, apollo-layer2, unfused or patterns
// DEVICE: pipeline 'stitch-pipeline': option 'device' must be v100, t4, a100, h100, h200 or simt, and is 'abacus'

// Backward pass of a layer norm: reduces by rows and by columns of the same tensors.

// CHECK-LABEL: func.func @main
// CHECK: stitch.fusion
// CHECK-NOT: stitch.fusion
// XLA-LABEL: func.func @main
// XLA: stitch.fusion
// XLA: stitch.fusion
func.func @main(%x: tensor<1024x768xf32>, %dy: tensor<1024x768xf32>, %gamma: tensor<768xf32>)
    -> (tensor<1024x768xf32>, tensor<768xf32>, tensor<768xf32>) {
  %n = tg.constant dense<768.0> : tensor<1024xf32>
  %eps = tg.constant dense<1.0e-5> : tensor<1024xf32>
  %sum = tg.reduce add %x dims [1] : (tensor<1024x768xf32>) -> tensor<1024xf32>
  %mean = tg.div %sum, %n : tensor<1024xf32>
  %meanb = tg.broadcast %mean dims [0] : (tensor<1024xf32>) -> tensor<1024x768xf32>
  %d = tg.sub %x, %meanb : tensor<1024x768xf32>
  %dd = tg.mul %d, %d : tensor<1024x768xf32>
  %sumdd = tg.reduce add %dd dims [1] : (tensor<1024x768xf32>) -> tensor<1024xf32>
  %var = tg.div %sumdd, %n : tensor<1024xf32>
  %vare = tg.add %var, %eps : tensor<1024xf32>
  %rstd = tg.rsqrt %vare : tensor<1024xf32>
  %rstdb = tg.broadcast %rstd dims [0] : (tensor<1024xf32>) -> tensor<1024x768xf32>
  %xhat = tg.mul %d, %rstdb : tensor<1024x768xf32>
  %gb = tg.broadcast %gamma dims [1] : (tensor<768xf32>) -> tensor<1024x768xf32>
  %g = tg.mul %dy, %gb : tensor<1024x768xf32>
  %gx = tg.mul %g, %xhat : tensor<1024x768xf32>
  %c1 = tg.reduce add %g dims [1] : (tensor<1024x768xf32>) -> tensor<1024xf32>
  %c2 = tg.reduce add %gx dims [1] : (tensor<1024x768xf32>) -> tensor<1024xf32>
  %m1 = tg.div %c1, %n : tensor<1024xf32>
  %m2 = tg.div %c2, %n : tensor<1024xf32>
  %m1b = tg.broadcast %m1 dims [0] : (tensor<1024xf32>) -> tensor<1024x768xf32>
  %m2b = tg.broadcast %m2 dims [0] : (tensor<1024xf32>) -> tensor<1024x768xf32>
  %t0 = tg.mul %xhat, %m2b : tensor<1024x768xf32>
  %t1 = tg.sub %g, %m1b : tensor<1024x768xf32>
  %t2 = tg.sub %t1, %t0 : tensor<1024x768xf32>
  %dx = tg.mul %t2, %rstdb : tensor<1024x768xf32>
  %dyx = tg.mul %dy, %xhat : tensor<1024x768xf32>
  %dgamma = tg.reduce add %dyx dims [0] : (tensor<1024x768xf32>) -> tensor<768xf32>
  %dbeta = tg.reduce add %dy dims [0] : (tensor<1024x768xf32>) -> tensor<768xf32>
  return %dx, %dgamma, %dbeta : tensor<1024x768xf32>, tensor<768xf32>, tensor<768xf32>
}
