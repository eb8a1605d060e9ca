// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_12})' -split-input-file -verify-diagnostics
// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{format=elf})' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{libdevice=/nowhere/libdevice.bc})' 2>&1 | FileCheck %s --check-prefix=LIBDEVICE
// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{libdevice=%s})' 2>&1 | FileCheck %s --check-prefix=BITCODE

// FORMAT: error: pass 'gpu-to-ptx': option 'format' must be isa, cubin, all or nvvm, and is 'elf'
// LIBDEVICE: error: 'builtin.module' op cannot be compiled: cannot read the library '/nowhere/libdevice.bc'
// BITCODE: error: 'gpu.module' op the library '{{.*}}' is not LLVM bitcode

// expected-error @+1 {{cannot be compiled for the architecture 'sm_12': Stitch knows sm_70, sm_75}}
gpu.module @kernels {
  gpu.func @kernel(%a: memref<64xf64>) kernel {
    %tid = gpu.thread_id x
    %x = memref.load %a[%tid] : memref<64xf64>
    %y = math.exp %x : f64
    memref.store %y, %a[%tid] : memref<64xf64>
    gpu.return
  }
}
