// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-compile %t.0.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=BOOLEANS
// RUN: stitch-compile %t.1.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=LOGIC
// RUN: stitch-compile %t.2.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefixes=CONVERT,PACKED
// RUN: stitch-compile %t.2.mlir --target=sm_70 --device=v100 --emit=ptx -o - | FileCheck %s --check-prefixes=CONVERT,CLAMPED
// RUN: stitch-compile %t.3.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=WIDE
// RUN: stitch-compile %t.4.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=BYTES
// RUN: stitch-compile %t.5.mlir --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s --check-prefix=LEFT
// RUN: stitch-compile %t.0.mlir -o %t.so && stitch-run %t.so --check --seed=1
// RUN: stitch-compile %t.1.mlir -o %t.so && stitch-run %t.so --check --seed=1
// RUN: stitch-compile %t.2.mlir -o %t.so && stitch-run %t.so --check --seed=1
// RUN: stitch-compile %t.3.mlir -o %t.so && stitch-run %t.so --check --seed=1
// RUN: stitch-compile %t.4.mlir -o %t.so && stitch-run %t.so --check --seed=1

// What is compared becomes a word by one instruction for each element, and no byte is selected or moved.

// BOOLEANS-LABEL: .entry fusion_0
// BOOLEANS-NOT: prmt
// BOOLEANS: selp.b32 {{.*}}, 1, 0, %p
// BOOLEANS: @%p{{[0-9]+}} add.u32 [[W:%r[0-9]+]], [[W]], 0x100;
// BOOLEANS: @%p{{[0-9]+}} add.u32 [[X:%r[0-9]+]], [[X]], 0x10000;
// BOOLEANS: @%p{{[0-9]+}} add.u32 [[Y:%r[0-9]+]], [[Y]], 0x1000000;
// BOOLEANS-NOT: prmt
// BOOLEANS: st.global.v2.b32
// BOOLEANS: ret;
func.func @main(%x: tensor<64x4096xf32>, %y: tensor<64x4096xf32>) -> tensor<64x4096xi1> {
  %0 = tg.compare lt, %x, %y : tensor<64x4096xf32>
  return %0 : tensor<64x4096xi1>
}

// -----

// Booleans that are loaded are never taken apart; a constant is a word, what is compared becomes one.

// LOGIC-LABEL: .entry fusion_0
// LOGIC-NOT: prmt
// LOGIC-NOT: and.b32 {{.*}}, 255
// LOGIC: @%p{{[0-9]+}} add.u32
// LOGIC-NOT: setp.{{eq|ne}}
// LOGIC: st.global.v2.b32
// LOGIC: ret;
func.func @main(%p: tensor<64x4096xi1>, %q: tensor<64x4096xi1>, %x: tensor<64x4096xf32>) -> tensor<64x4096xi1> {
  %zero = tg.constant dense<0.0> : tensor<64x4096xf32>
  %0 = tg.not %p : tensor<64x4096xi1>
  %1 = tg.or %0, %q : tensor<64x4096xi1>
  %2 = tg.compare lt, %x, %zero : tensor<64x4096xf32>
  %3 = tg.xor %1, %2 : tensor<64x4096xi1>
  return %3 : tensor<64x4096xi1>
}

// -----

// Two conversions are packed by an instruction that saturates, the upper ones first; before sm_75 they are clamped.

// CONVERT-LABEL: .entry fusion_0
// CONVERT-NOT: setp.{{nan|ge|lt}}
// PACKED: cvt.rzi.s32.f32
// PACKED: cvt.pack.sat.s8.s32.b32 [[HIGH:%r[0-9]+]], %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
// PACKED: cvt.pack.sat.s8.s32.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, [[HIGH]];
// PACKED-NOT: prmt
// CLAMPED: cvt.rzi.s32.f32
// CLAMPED: max.s32 {{.*}}, -128
// CLAMPED: min.s32 {{.*}}, 127
// CLAMPED-NOT: cvt.pack
// CONVERT: ret;
func.func @main(%x: tensor<64x4096xf32>) -> tensor<64x4096xi8> {
  %0 = tg.convert %x : (tensor<64x4096xf32>) -> tensor<64x4096xi8>
  return %0 : tensor<64x4096xi8>
}

// -----

// Of 32 bits and unsigned the instruction alone does it; of 16 bits it is clamped.

// WIDE-LABEL: .entry fusion_0
// WIDE-NOT: setp
// WIDE-DAG: cvt.rzi.u32.f32
// WIDE-DAG: cvt.rzi.s32.f32
// WIDE: max.s32 {{.*}}, 0
// WIDE: min.s32 {{.*}}, 65535
// WIDE-NOT: setp
// WIDE: ret;
func.func @main(%x: tensor<64x4096xf32>) -> (tensor<64x4096xui32>, tensor<64x4096xui16>) {
  %0 = tg.convert %x : (tensor<64x4096xf32>) -> tensor<64x4096xui32>
  %1 = tg.convert %x : (tensor<64x4096xf32>) -> tensor<64x4096xui16>
  return %0, %1 : tensor<64x4096xui32>, tensor<64x4096xui16>
}

// -----

// Nothing is carried from byte to byte; of products the bytes above take no part in the result.

// BYTES-LABEL: .entry fusion_0
// BYTES-NOT: prmt
// BYTES-DAG: and.b32 {{.*}}, 2139062143
// BYTES-DAG: and.b32 {{.*}}, -2139062144
// BYTES-DAG: shr.u32 {{.*}}, 24
// BYTES-DAG: mul.lo.s32
// BYTES-NOT: prmt
// BYTES: ret;
func.func @main(%x: tensor<64x4096xi8>, %y: tensor<64x4096xi8>) -> tensor<64x4096xi8> {
  %0 = tg.sub %x, %y : tensor<64x4096xi8>
  %1 = tg.mul %0, %y : tensor<64x4096xi8>
  %2 = tg.add %1, %x : tensor<64x4096xi8>
  return %2 : tensor<64x4096xi8>
}

// -----

// What is no such operation is left to LLVM, and so is all that becomes a vector with it.

// LEFT-LABEL: .entry fusion_0
// LEFT-NOT: 2139062143
// LEFT: prmt
// LEFT: ret;
func.func @main(%x: tensor<64x4096xi8>, %y: tensor<64x4096xi8>) -> tensor<64x4096xi8> {
  %0 = tg.add %x, %y : tensor<64x4096xi8>
  %1 = tg.max %0, %y : tensor<64x4096xi8>
  return %1 : tensor<64x4096xi8>
}
