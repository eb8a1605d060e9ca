// RUN: stitch-opt %s -split-input-file "-stitch-pipeline=plan=astitch precision=strict" --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,STRICT
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: stitch-opt %s -split-input-file "-stitch-pipeline=plan=astitch precision=fast" --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,FAST

// What elementwise operations execute (ir/plan/instructions.def), for 1024 x 1024 elements on 132 x 128 lanes at 1.98 GHz, beside two accesses of four
// instructions to each vector: 32.3 ns for each instruction of an element (1024 tasks, at most 8 for a multiprocessor). The shared quotient reads its divisor, too, one for a row.

// STRICT: the kernel costs {{.*}}, instructions 323, further rounds
// DEFAULT: the kernel costs {{.*}}, instructions 323, further rounds
// FAST: the kernel costs {{.*}}, instructions 129, further rounds
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = tg.exp %x : tensor<1024x1024xf32>
    return %0 : tensor<1024x1024xf32>
  }
}

// -----

// STRICT: the kernel costs {{.*}}, instructions 388, further rounds
// DEFAULT: the kernel costs {{.*}}, instructions 162, further rounds
// FAST: the kernel costs {{.*}}, instructions 162, further rounds
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<1024xf32>) -> tensor<1024x1024xf32> {
    %0 = tg.broadcast %y dims [0] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %1 = tg.div %x, %0 : tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
}

// -----

// Instructions in f64 take two lanes' time.

// CHECK: the kernel costs {{.*}}, instructions 2521, further rounds
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1024x1024xf64>) -> tensor<1024x1024xf64> {
    %0 = tg.exp %x : tensor<1024x1024xf64>
    return %0 : tensor<1024x1024xf64>
  }
}

// -----

// CHECK: the kernel costs {{.*}}, instructions 1099, further rounds
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1024x1024xi32>, %y: tensor<1024x1024xi32>) -> tensor<1024x1024xi32> {
    %0 = tg.rem %x, %y : tensor<1024x1024xi32>
    return %0 : tensor<1024x1024xi32>
  }
}
