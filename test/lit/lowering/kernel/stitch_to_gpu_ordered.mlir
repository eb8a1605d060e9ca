// RUN: stitch-opt %s -split-input-file --stitch-schedule --convert-stitch-to-gpu | FileCheck %s
// RUN: stitch-opt %s -split-input-file --stitch-schedule --convert-stitch-to-gpu --gpu-to-ptx=arch=sm_90 | FileCheck %s --check-prefix=PTX

// Four roots, one after the other and without a loop, that read more than a thread has registers for: each reads when
// those before it have stored.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: memref<2048xf32> {{[{]}}llvm.align = 16 : i64, llvm.readonly}
// CHECK-SAME: memref<2048xf16> {{[{]}}llvm.align = 16 : i64, llvm.noalias}
// PTX-NOT: ld.global.nc
// PTX: ld.global.v4.b32
// PTX-NOT: ld.global.nc
// PTX-LABEL: func.func @main
func.func @main(%a0: tensor<2048xf32>, %a1: tensor<2048xf32>, %a2: tensor<2048xf32>, %a3: tensor<2048xf32>) -> (tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>) {
  %0:4 = stitch.fusion(%x0 = %a0, %x1 = %a1, %x2 = %a2, %x3 = %a3) : (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) -> (tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>) attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 24, shared = 0, scratch = 0, barriers = 0>} {
    %1 = tg.convert %x0 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    %2 = tg.convert %x1 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    %3 = tg.convert %x2 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    %4 = tg.convert %x3 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    stitch.yield %1, %2, %3, %4 : tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>
}

// -----

// What all of them read fits: it may be moved anywhere.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: memref<2048xf32> {{[{]}}llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// PTX: ld.global.nc.v4.b32
func.func @main(%a0: tensor<2048xf32>, %a1: tensor<2048xf32>, %a2: tensor<2048xf32>, %a3: tensor<2048xf32>) -> (tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>) {
  %0:4 = stitch.fusion(%x0 = %a0, %x1 = %a1, %x2 = %a2, %x3 = %a3) : (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) -> (tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>) attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 32, shared = 0, scratch = 0, barriers = 0>} {
    %1 = tg.convert %x0 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    %2 = tg.convert %x1 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    %3 = tg.convert %x2 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    %4 = tg.convert %x3 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 8, unroll = 1, split = 1>} : (tensor<2048xf32>) -> tensor<2048xf16>
    stitch.yield %1, %2, %3, %4 : tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf16>
}

// -----

// A loop goes through the elements of all: there, the loads of a step come before its stores.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: memref<4096xf32> {{[{]}}llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// PTX: ld.global.nc.v4.b32
func.func @main(%a0: tensor<4096xf32>, %a1: tensor<4096xf32>, %a2: tensor<4096xf32>, %a3: tensor<4096xf32>) -> (tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>) {
  %0:4 = stitch.fusion(%x0 = %a0, %x1 = %a1, %x2 = %a2, %x3 = %a3) : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> (tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>) attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 24, shared = 0, scratch = 0, barriers = 0>} {
    %1 = tg.convert %x0 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 4096, block_rows = 1, row_threads = 256, vector = 8, unroll = 2, split = 1>} : (tensor<4096xf32>) -> tensor<4096xf16>
    %2 = tg.convert %x1 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 4096, block_rows = 1, row_threads = 256, vector = 8, unroll = 2, split = 1>} : (tensor<4096xf32>) -> tensor<4096xf16>
    %3 = tg.convert %x2 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 4096, block_rows = 1, row_threads = 256, vector = 8, unroll = 2, split = 1>} : (tensor<4096xf32>) -> tensor<4096xf16>
    %4 = tg.convert %x3 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 4096, block_rows = 1, row_threads = 256, vector = 8, unroll = 2, split = 1>} : (tensor<4096xf32>) -> tensor<4096xf16>
    stitch.yield %1, %2, %3, %4 : tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>
}
