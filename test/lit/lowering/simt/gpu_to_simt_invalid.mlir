// RUN: stitch-opt %s -gpu-to-simt -split-input-file -verify-diagnostics -allow-unregistered-dialect

gpu.module @kernels {
  gpu.func @kernel(%o: memref<64xindex>) kernel {
    // expected-error @+1 {{asks for dimension y or z: launches are one-dimensional}}
    %y = gpu.thread_id y
    memref.store %y, %o[%y] : memref<64xindex>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%v: memref<4xf32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %v[%i] : memref<4xf32>
    // expected-error @+1 {{'gpu.all_reduce' op has no counterpart on the simt device}}
    %r = gpu.all_reduce add %x uniform {} : (f32) -> (f32)
    memref.store %r, %v[%i] : memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%v: memref<64xf32>, %o: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %x = vector.load %v[%i] : memref<64xf32>, vector<4xf32>
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @+1 {{shuffles a value that is not a number of at most 64 bits}}
    %r, %p = gpu.shuffle xor %x, %c1, %c32 : vector<4xf32>
    vector.store %r, %o[%i] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{argument 1 is not a memref of rank 1 and static shape}}
  gpu.func @kernel(%v: memref<64xf32>, %o: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{is neither a kernel nor anything else that the simt device knows}}
  memref.global "private" constant @c : memref<2xf32> = dense<1.0>
}

// -----

gpu.module @kernels {
  gpu.func @kernel() kernel {
    // expected-error @+1 {{'other.op' op is of no dialect that kernels are made of}}
    %i = "other.op"() : () -> index
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%o: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %a = arith.constant dense<0.0> : vector<2x2xf16>
    %b = arith.constant dense<0.0> : vector<1x2xf16>
    %c = arith.constant dense<0.0> : vector<2x2xf32>
    // expected-error @+1 {{is no m16n8k16 of f16 or bf16, and no m16n8k8 or m16n8k4 of tf32, with sums in f32}}
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8]} : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %x = vector.extract %d[0, 0] : f32 from vector<2x2xf32>
    memref.store %x, %o[%i] : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%v: memref<64xf32>, %o: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %v[%i] : memref<64xf32>
    // expected-error @+1 {{does not round to nearest, ties away from zero}}
    %r = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rn>}
    memref.store %r, %o[%i] : memref<64xi32>
    gpu.return
  }
}
