// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-compile %t.0.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefixes=BF16,AMPERE
// RUN: stitch-compile %t.0.mlir --target=sm_90 --device=h200 --emit=ptx -o - | FileCheck %s --check-prefixes=BF16,HOPPER
// RUN: stitch-compile %t.0.mlir --target=sm_75 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=TURING
// RUN: stitch-compile %t.1.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=F16
// RUN: stitch-compile %t.2.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=ROUNDED
// RUN: stitch-compile %t.3.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=MAXIMUM
// RUN: stitch-compile %t.0.mlir -o %t.so && stitch-run %t.so --check --seed=1
// RUN: stitch-compile %t.1.mlir -o %t.so && stitch-run %t.so --check --seed=1
// RUN: stitch-compile %t.2.mlir -o %t.so && stitch-run %t.so --check --seed=1
// RUN: stitch-compile %t.3.mlir -o %t.so && stitch-run %t.so --check --seed=1

// Two elements of 16 bits an instruction, where the graph rounds after each operation. A product and a sum are fused operations with -0 and with 1
// on sm_80. Nothing is widened, but for the comparison before sm_90; before sm_80 all is.

// BF16-LABEL: .entry fusion_0
// HOPPER-NOT: cvt.f32.bf16
// BF16-NOT: cvt.rn.bf16.f32
// AMPERE: fma.rn.bf16x2
// AMPERE: fma.rn.bf16x2
// HOPPER: mul.rn.bf16x2
// HOPPER: add.rn.bf16x2
// BF16: max.NaN.bf16x2
// BF16-NOT: cvt.rn.bf16.f32
// AMPERE: setp.lt.f32
// HOPPER: setp.lt.bf16
// BF16: ret;
// TURING-NOT: bf16x2
func.func @main(%x: tensor<64x4096xbf16>, %y: tensor<64x4096xbf16>, %z: tensor<64x4096xbf16>) -> (tensor<64x4096xbf16>, tensor<64x4096xi1>) {
  %0 = tg.mul %x, %y : tensor<64x4096xbf16>
  %1 = tg.add %0, %z : tensor<64x4096xbf16>
  %2 = tg.max %1, %x : tensor<64x4096xbf16>
  %3 = tg.compare lt, %2, %z : tensor<64x4096xbf16>
  return %2, %3 : tensor<64x4096xbf16>, tensor<64x4096xi1>
}

// -----

// F16-LABEL: .entry fusion_0
// F16-NOT: cvt.{{rn|f32}}
// F16: mul.rn.f16x2
// F16-NOT: cvt.{{rn|f32}}
// F16: add.rn.f16x2
// F16-NOT: cvt.{{rn|f32}}
// F16: max.NaN.f16x2
// F16-NOT: cvt.{{rn|f32}}
// F16: ret;
func.func @main(%x: tensor<64x4096xf16>, %y: tensor<64x4096xf16>, %z: tensor<64x4096xf16>) -> tensor<64x4096xf16> {
  %0 = tg.mul %x, %y : tensor<64x4096xf16>
  %1 = tg.add %0, %z : tensor<64x4096xf16>
  %2 = tg.max %1, %x : tensor<64x4096xf16>
  return %2 : tensor<64x4096xf16>
}

// -----

// What a function gives is rounded and widened again, two by an instruction each time.

// ROUNDED-LABEL: .entry fusion_0
// ROUNDED-NOT: cvt.rn.bf16.f32
// ROUNDED: cvt.rn.bf16x2.f32
// ROUNDED-NOT: cvt.rn.bf16.f32
// ROUNDED: ret;
func.func @main(%x: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  %0 = tg.sqrt %x : tensor<64x4096xbf16>
  %1 = tg.log %0 : tensor<64x4096xbf16>
  return %1 : tensor<64x4096xbf16>
}

// -----

// A sum that is rounded behind maximum and minimum is one of 16 bits, and they are, too: both bounds are exact. That of
// a bound which no f16 is stays in f32.

// MAXIMUM-LABEL: .entry fusion_0
// MAXIMUM-NOT: cvt.rn.f16
// MAXIMUM: add.rn.f16x2
// MAXIMUM-NOT: cvt.rn.f16
// MAXIMUM: max.NaN.f16x2
// MAXIMUM-NOT: cvt.rn.f16
// MAXIMUM: min.NaN.f16x2
// MAXIMUM: max.NaN.f32
// MAXIMUM: ret;
func.func @main(%x: tensor<64x4096xf16>, %y: tensor<64x4096xf16>) -> (tensor<64x4096xf16>, tensor<64x4096xf16>) {
  %least = tg.constant dense<0.0> : tensor<64x4096xf32>
  %largest = tg.constant dense<6.0> : tensor<64x4096xf32>
  %odd = tg.constant dense<0.1> : tensor<64x4096xf32>
  %0 = tg.convert %x : (tensor<64x4096xf16>) -> tensor<64x4096xf32>
  %1 = tg.convert %y : (tensor<64x4096xf16>) -> tensor<64x4096xf32>
  %2 = tg.add %0, %1 : tensor<64x4096xf32>
  %3 = tg.max %2, %least : tensor<64x4096xf32>
  %4 = tg.min %3, %largest : tensor<64x4096xf32>
  %5 = tg.convert %4 : (tensor<64x4096xf32>) -> tensor<64x4096xf16>
  %6 = tg.sub %0, %1 : tensor<64x4096xf32>
  %7 = tg.max %6, %odd : tensor<64x4096xf32>
  %8 = tg.convert %7 : (tensor<64x4096xf32>) -> tensor<64x4096xf16>
  return %5, %8 : tensor<64x4096xf16>, tensor<64x4096xf16>
}
