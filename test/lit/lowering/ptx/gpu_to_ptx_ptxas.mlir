// REQUIRES: ptxas
// The kernels that run on the simt device assemble for every architecture, with nothing in local memory.
// RUN: stitch-opt %source/test/lit/runtime/simt.mlir --stitch-remarks -o %t -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_103,sm_120 format=cubin})' 2>&1 | grep remark | FileCheck %s
// RUN: stitch-opt %source/test/lit/runtime/simt.mlir --stitch-remarks -o %t -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_75,sm_90 libdevice=none format=cubin})' 2>&1 | grep remark | FileCheck %s --check-prefix=NONE
// RUN: FileCheck %s --check-prefix=BINARY < %t

// CHECK-NOT: error
// CHECK-COUNT-9: sm_75:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-COUNT-9: sm_80:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-COUNT-9: sm_86:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-COUNT-9: sm_89:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-COUNT-9: sm_90:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-COUNT-9: sm_100:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-COUNT-9: sm_103:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-COUNT-9: sm_120:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// NONE-COUNT-9: sm_75:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// NONE-COUNT-9: sm_90:{{ +}}0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads

// BINARY: gpu.binary @kernels
// BINARY-SAME: #gpu.object<#nvvm.target<chip = "sm_75"{{[^>]*}}>, bin = "\7FELF
// BINARY-SAME: #gpu.object<#nvvm.target<chip = "sm_90"{{[^>]*}}>, bin = "\7FELF
