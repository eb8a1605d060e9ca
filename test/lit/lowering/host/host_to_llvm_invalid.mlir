// RUN: stitch-opt %s --convert-host-to-llvm -split-input-file -verify-diagnostics

// expected-error @below {{'builtin.module' op has no function @main}}
module {
}

// -----

// expected-error @below {{'func.func' op must have a body}}
func.func private @main()

// -----

// expected-error @below {{'func.func' op must have the attributes 'stitch.inputs' and 'stitch.outputs'}}
func.func @main(%a: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{'func.func' op must have its inputs, its outputs and at most one arena as arguments}}
func.func @main(%a: memref<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 1 : i64} {
  return
}

// -----

// expected-error @below {{'func.func' op must have memrefs as arguments}}
func.func @main(%a: tensor<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
  return
}

// -----

func.func @main(%a: memref<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
  // expected-error @below {{'memref.alloc' op has no place in host code}}
  %0 = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func private @f(memref<4xf32>)
func.func @main(%a: memref<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
  // expected-error @below {{'func.call' op calls a function without the attribute 'stitch.library'}}
  call @f(%a) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @main(%a: memref<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
  // expected-error @below {{'memref.reinterpret_cast' op must have offset 0 and static sizes and strides in host code}}
  %0 = memref.reinterpret_cast %a to offset: [2], sizes: [2], strides: [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  return
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<4xf32>) kernel {
      gpu.return
    }
  }
  func.func @main(%a: memref<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
    %c2 = arith.constant 2 : index
    // expected-error @below {{'gpu.launch_func' op must be one-dimensional}}
    gpu.launch_func @kernels::@k blocks in (%c2, %c2, %c2) threads in (%c2, %c2, %c2) args(%a : memref<4xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%a: memref<4xf32>) kernel attributes {stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 32, shared = 0, scratch = 0, barriers = 0, cluster = 4>} {
      gpu.return
    }
  }
  func.func @main(%a: memref<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    // expected-error @below {{'gpu.launch_func' op must have the clusters that its kernel has}}
    gpu.launch_func @kernels::@k clusters in (%c2, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<4xf32>)
    return
  }
}

// -----

func.func @main(%a: memref<1xi8>, %b: memref<1xi8>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 1 : i64} {
  %before = gpu.wait async
  // expected-error @below {{'gpu.memcpy' op must copy into a memref.alloca in host code}}
  %after = gpu.memcpy async [%before] %b, %a : memref<1xi8>, memref<1xi8>
  return
}

// -----

func.func @main(%a: memref<1xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.load' op must load an integer from a constant place of a 1-D memref in host code}}
  %0 = memref.load %a[%c0] : memref<1xf32>
  return
}

// -----

// expected-error @below {{'func.func' op has a block argument that host code cannot compute}}
func.func @main(%a: memref<1xf32>, %x: memref<1xf32>) attributes {stitch.inputs = 2 : i64, stitch.outputs = 0 : i64} {
  %f = arith.constant 1.0 : f32
  cf.br ^next(%f : f32)
^next(%g: f32):
  return
}

// -----

func.func @main(%a: memref<4xf32>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
  // expected-error @below {{'stitch.step' op must have the number of steps before it}}
  stitch.step 1 super_epoch 0 after []
  return
}
