// RUN: stitch-opt %s --convert-host-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @stitch_host_main(
// CHECK-SAME: %[[CALLBACKS:[a-z0-9]+]]: !llvm.ptr, %[[INPUTS:[a-z0-9]+]]: !llvm.ptr
// CHECK-DAG: %[[FLAG:.*]] = llvm.load %[[INPUTS]]
// CHECK-DAG: %[[HOST:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 16 : i64}
// CHECK: %[[CODE:.*]] = llvm.call @stitchReadDevice(%[[CALLBACKS]], %[[HOST]], %[[FLAG]], %{{.*}})
// CHECK: llvm.cond_br %{{.*}}, ^[[FAILURE:bb[0-9]+]](%[[CODE]] : i32), ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[LOOP:bb[0-9]+]](%{{.*}}: !llvm.ptr):
// CHECK-NEXT: llvm.br ^[[END:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// CHECK: %[[BYTE:.*]] = llvm.load %[[HOST]] : !llvm.ptr -> i8
// CHECK: %[[GO:.*]] = llvm.icmp "ne" %[[BYTE]]
// CHECK: llvm.cond_br %[[GO]], ^[[LOOP]](%[[FLAG]] : !llvm.ptr), ^[[END]]
// CHECK: ^[[FAILURE]](%{{.*}}: i32):
func.func @main(%flag: memref<1xi8>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 0 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %host = memref.alloca() : memref<1xi8>
  %before = gpu.wait async
  %after = gpu.memcpy async [%before] %host, %flag : memref<1xi8>, memref<1xi8>
  gpu.wait [%after]
  %byte = memref.load %host[%c0] : memref<1xi8>
  %go = arith.cmpi ne, %byte, %zero : i8
  cf.cond_br %go, ^loop(%flag : memref<1xi8>), ^end
^loop(%carried: memref<1xi8>):
  cf.br ^end
^end:
  return
}
