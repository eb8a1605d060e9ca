// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_80,sm_12})' 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{format=elf})' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{libdevice=/nowhere/libdevice.bc})' 2>&1 | FileCheck %s --check-prefix=LIBDEVICE
// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{libdevice=%s})' 2>&1 | FileCheck %s --check-prefix=BITCODE

// FORMAT: error: pass 'gpu-to-ptx': option 'format' must be isa, cubin, all or nvvm, and is 'elf'
// LIBDEVICE: error: pass 'gpu-to-ptx': option 'libdevice' names a file that cannot be read: /nowhere/libdevice.bc: No such file or directory
// ARCH: error: pass 'gpu-to-ptx': option 'arch' must be some of sm_70|sm_75|{{.*}}|sm_120, with commas between, and is 'sm_80,sm_12'
// BITCODE: error: 'gpu.module' op the library '{{.*}}' is not LLVM bitcode

gpu.module @kernels {
  gpu.func @kernel(%a: memref<64xf64>) kernel {
    %tid = gpu.thread_id x
    %x = memref.load %a[%tid] : memref<64xf64>
    %y = math.exp %x : f64
    memref.store %y, %a[%tid] : memref<64xf64>
    gpu.return
  }
}
