// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline='epilogues=false' --stitch-merge-products --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-outline -stitch-merge-products 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: has no device to be planned for: set stitch.device on the module

// Three products of one tensor are a call that finds their operands where they are; the kernel behind them is behind it.

// REMARK: 3 products with a common operand cost {{[0-9]+}} ns apart, {{[0-9]+}} ns by a call that finds them by their addresses: they are merged
// CHECK-LABEL: func.func @main(%arg0: tensor<64x256xf32>
// CHECK: %[[R:.*]]:3 = stitch.library_call
// CHECK-COUNT-3: tg.dot
// CHECK-NOT: stitch.library_call
// CHECK: stitch.fusion({{.*}}%[[R]]#0
// CHECK-NOT: stitch.adaptive
// CHECK-NOT: stitch.update
func.func @main(%x: tensor<64x256xf32>, %a: tensor<256x128xf32>, %b: tensor<256x128xf32>, %c: tensor<256x128xf32>) -> tensor<64x128xf32> {
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %3 = tg.tanh %0 : tensor<64x128xf32>
  %4 = tg.mul %3, %1 : tensor<64x128xf32>
  %5 = tg.add %4, %2 : tensor<64x128xf32>
  return %5 : tensor<64x128xf32>
}

// -----

// Of two products nothing is gained: a kernel writes the addresses.

// REMARK: 2 products with a common operand cost {{[0-9]+}} ns apart, {{[0-9]+}} ns by a call that finds them by their addresses: they are left apart
// CHECK-LABEL: func.func @main(%arg0: tensor<64x256xf32>
// CHECK-COUNT-2: stitch.library_call
// CHECK: stitch.fusion
func.func @main(%x: tensor<64x256xf32>, %a: tensor<256x128xf32>, %b: tensor<256x128xf32>) -> tensor<64x128xf32> {
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %2 = tg.mul %0, %1 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// -----

// Constants that nothing else reads lie side by side, whatever their sizes are; the kernel behind reads slices.

// REMARK: 2 products with a common operand cost {{[0-9]+}} ns apart, {{[0-9]+}} ns side by side: they are merged
// CHECK-LABEL: func.func @main(%arg0: tensor<4x2xf32>
// CHECK: %[[C:.*]] = tg.constant dense<{{\[}}[1.000000e+00, 2.000000e+00, 5.000000e+00], [3.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
// CHECK: stitch.library_call({{.*}}%[[C]]
// CHECK-NEXT: tg.dot {{.*}} -> tensor<4x3xf32>
// CHECK-NOT: stitch.library_call
// CHECK: stitch.fusion
// CHECK-DAG: tg.slice {{.*}} -> tensor<4x2xf32>
// CHECK-DAG: tg.slice {{.*}} -> tensor<4x1xf32>
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a = tg.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = tg.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32>
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
  %2 = tg.reshape %1 : (tensor<4x1xf32>) -> tensor<4xf32>
  %3 = tg.broadcast %2 dims [0] : (tensor<4xf32>) -> tensor<4x2xf32>
  %4 = tg.mul %0, %3 : tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// -----

// Constants that others read as well would be in the model twice.

// CHECK-LABEL: func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<5x2xf32>
// CHECK-NOT: tensor<2x3xf32>
// CHECK-COUNT-3: stitch.library_call
func.func @main(%x: tensor<4x2xf32>, %y: tensor<5x2xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>, tensor<5x1xf32>) {
  %a = tg.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = tg.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32>
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
  %2 = tg.dot %y, %b contract [1] x [0] : (tensor<5x2xf32>, tensor<2x1xf32>) -> tensor<5x1xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x1xf32>, tensor<5x1xf32>
}

// -----

// Products that fill the device alone stay alone: 32 x 8 tiles for 132 multiprocessors.

// CHECK-LABEL: func.func @main(%arg0: tensor<4096x256xf32>
// CHECK-COUNT-3: stitch.library_call
func.func @main(%x: tensor<4096x256xf32>, %a: tensor<256x1024xf32>, %b: tensor<256x1024xf32>, %c: tensor<256x1024xf32>) -> (tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<4096x1024xf32>) {
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<4096x256xf32>, tensor<256x1024xf32>) -> tensor<4096x1024xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<4096x256xf32>, tensor<256x1024xf32>) -> tensor<4096x1024xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<4096x256xf32>, tensor<256x1024xf32>) -> tensor<4096x1024xf32>
  return %0, %1, %2 : tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<4096x1024xf32>
}

// -----

// In a loop as well. A product that waits for another one is not of its group.

// REMARK: 3 products with a common operand
// CHECK-LABEL: func.func @main(%arg0: tensor<64x64xf32>
// CHECK: tg.while
// CHECK: do {
// CHECK: stitch.library_call
// CHECK-COUNT-3: tg.dot
// CHECK: stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK-NOT: stitch.library_call
func.func @main(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %0:2 = tg.while(%i = %zero, %h = %x) : tensor<i32>, tensor<64x64xf32> cond {
    %n = tg.constant dense<8> : tensor<i32>
    %less = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %less : tensor<i1>
  } do {
    %one = tg.constant dense<1> : tensor<i32>
    %next = tg.add %i, %one : tensor<i32>
    %1 = tg.dot %h, %a contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = tg.dot %h, %b contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = tg.dot %h, %c contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = tg.mul %1, %2 : tensor<64x64xf32>
    %5 = tg.add %4, %3 : tensor<64x64xf32>
    %6 = tg.dot %5, %c contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    tg.yield %next, %6 : tensor<i32>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
}
