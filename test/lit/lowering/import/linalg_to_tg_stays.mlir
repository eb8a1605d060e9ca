// RUN: stitch-opt %s -convert-linalg-to-tg -verify-diagnostics=only-expected | FileCheck %s

// Forms and types that tg does not have stay as they are: nothing of it becomes tg, and named operations keep their names.

// CHECK-NOT: tg.
// CHECK: linalg.exp
// CHECK: linalg.copy
// CHECK: linalg.add
// CHECK: tensor.pad
// CHECK: linalg.pack
// CHECK: linalg.winograd_filter_transform
// CHECK: tensor.extract_slice
// CHECK: tensor.cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
// CHECK: tensor.cast %{{.*}} : tensor<*xf32> to tensor<4xf32>
// CHECK: tensor.pad
// CHECK: tensor.concat
// CHECK: linalg.generic
// CHECK: arith.cmpi sgt
// CHECK-NOT: tg.

#id = affine_map<(d0) -> (d0)>
#csr = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @memrefs(%a: memref<4xf32>, %b: memref<4xf32>, %t: tensor<4xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  return
}
func.func @index_elements(%a: tensor<4xindex>) -> tensor<4xindex> {
  %0 = arith.addi %a, %a : tensor<4xindex>
  return %0 : tensor<4xindex>
}
func.func @complex(%a: tensor<4xcomplex<f16>>) -> tensor<4xcomplex<f16>> {
  %0 = linalg.copy ins(%a : tensor<4xcomplex<f16>>) outs(%a : tensor<4xcomplex<f16>>) -> tensor<4xcomplex<f16>>
  return %0 : tensor<4xcomplex<f16>>
}
func.func @vectors(%a: tensor<4xvector<4xf32>>) -> tensor<4xvector<4xf32>> {
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<4xvector<4xf32>>) {
  ^bb0(%o: vector<4xf32>):
    %1 = arith.addf %o, %o : vector<4xf32>
    linalg.yield %1 : vector<4xf32>
  } -> tensor<4xvector<4xf32>>
  return %0 : tensor<4xvector<4xf32>>
}
func.func @sparse(%a: tensor<4xf32, #csr>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.add ins(%a, %b : tensor<4xf32, #csr>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @loop_in_body(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> f32 {
      %e = math.exp %v : f32
      scf.yield %e : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @print(f32)
func.func @effects(%a: tensor<4xf32>, %m: memref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<9xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %i = linalg.index 0 : index
    %c = arith.cmpf ogt, %x, %z : f32
    %r = scf.if %c -> f32 {
      memref.store %x, %m[%i] : memref<4xf32>
      scf.yield %x : f32
    } else {
      scf.yield %z : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %1 = linalg.map ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) (%x: f32, %o: f32) {
    func.call @print(%x) : (f32) -> ()
    linalg.yield %x : f32
  }
  %2 = tensor.generate {
  ^bb0(%i: index):
    %z = arith.constant 1.0 : f32
    func.call @print(%z) : (f32) -> ()
    tensor.yield %z : f32
  } : tensor<4xf32>
  %3 = tensor.pad %a low[3] high[2] {
  ^bb0(%i: index):
    %z = arith.constant 2.0 : f32
    memref.store %z, %m[%i] : memref<4xf32>
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<9xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<9xf32>
}
func.func @partial(%a: tensor<4x6xf32>, %o: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @dynamic_sizes(%a: tensor<8x8xf32>, %n: index, %z: f32, %i: tensor<8xi32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x?x4x2xf32>, tensor<8x8xf32>) {
  %0 = tensor.extract_slice %a[0, 0] [%n, 8] [1, 1] : tensor<8x8xf32> to tensor<?x8xf32>
  %1 = tensor.pad %0 low[1, 0] high[%n, 0] {
  ^bb0(%p: index, %q: index):
    tensor.yield %z : f32
  } : tensor<?x8xf32> to tensor<?x8xf32>
  %d = tensor.empty(%n, %n) : tensor<?x?x4x2xf32>
  %2 = linalg.pack %1 padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %d : tensor<?x8xf32> -> tensor<?x?x4x2xf32>
  return %0, %1, %2, %a : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x?x4x2xf32>, tensor<8x8xf32>
}
func.func @winograd(%a: tensor<2x4x4x5xf32>, %o: tensor<6x6x1x1x4xf32>, %f: tensor<2x3x3x5xf32>, %p: tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32> {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%p : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return %0 : tensor<6x6x5x2xf32>
}
// Sizes that are forgotten and turn out to be others: a slice beyond the tensor, a cast to another size. Unranked tensors.
func.func @beyond(%a: tensor<5xf32>, %b: tensor<10xf32>, %u: tensor<*xf32>) -> (tensor<10xf32>, tensor<10xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tensor.cast %a : tensor<5xf32> to tensor<?xf32>
  %1 = tensor.extract_slice %0[0] [10] [1] : tensor<?xf32> to tensor<10xf32>
  %2 = tensor.cast %0 : tensor<?xf32> to tensor<4xf32>
  %3 = tensor.cast %u : tensor<*xf32> to tensor<4xf32>
  return %1, %b, %2, %3 : tensor<10xf32>, tensor<10xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func @less(%a: tensor<5xf32>, %n: index, %z: f32) -> (tensor<4xf32>, tensor<9xf32>) {
  %0 = tensor.pad %a low[%n] high[%n] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<5xf32> to tensor<4xf32>
  %1 = tensor.cast %a : tensor<5xf32> to tensor<?xf32>
  %2 = tensor.concat dim(0) %1, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<9xf32>
  return %0, %2 : tensor<4xf32>, tensor<9xf32>
}
// The number of an element has 32 bits in tg.
func.func @far(%a: tensor<3000000000xi8>, %v: tensor<i8>, %k: tensor<i64>) -> tensor<i64> {
  %0:2 = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a : tensor<3000000000xi8>) outs(%v, %k : tensor<i8>, tensor<i64>) {
  ^bb0(%x: i8, %m: i8, %n: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %g = arith.cmpi sgt, %x, %m : i8
    %y = arith.select %g, %x, %m : i8
    %z = arith.select %g, %j, %n : i64
    linalg.yield %y, %z : i8, i64
  } -> (tensor<i8>, tensor<i64>)
  return %0#1 : tensor<i64>
}
