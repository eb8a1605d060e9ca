// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -stitch-schemes -stitch-schedule -stitch-buffers -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -stitch-schemes -stitch-schedule -stitch-buffers -stitch-remarks -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A value that other threads of the row read goes through shared memory, behind the area for reductions; reduces with one
// element a row stay in registers.

// CHECK-LABEL: func.func @shared
// CHECK: tg.add {{.*}}#stitch.buffer<shared, offset = 0, size = 16384>{{.*}} block_rows = 16, {{.*}}#stitch.scheme<regional>
// CHECK: tg.reduce
// CHECK-NOT: stitch.buffer
// REMARK: remark: shared memory: 0 bytes for reductions, 16384 for values (16384 without reuse); scratch memory: 0 bytes
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @shared(%x: tensor<65536x256xf32>, %y: tensor<65536x256xf32>)
      -> (tensor<65536x256xf32>, tensor<65536x256xf32>, tensor<65536xf32>) {
    %a = tg.add %x, %y : tensor<65536x256xf32>
    %v = tg.reverse %a dims [1] : tensor<65536x256xf32>
    %b = tg.mul %v, %x : tensor<65536x256xf32>
    %r = tg.reduce add %b dims [1] : (tensor<65536x256xf32>) -> tensor<65536xf32>
    return %a, %b, %r : tensor<65536x256xf32>, tensor<65536x256xf32>, tensor<65536xf32>
  }
}

// -----

// The same with rows of 64 KB on a device whose blocks have 48 KB: global. As a result of the fusion the value is in memory
// already, and has no buffer.

// CHECK-LABEL: func.func @demoted
// CHECK: tg.add {{[^{]*}}{stitch.group = 0 : i64, {{.*}}#stitch.scheme<global>
// REMARK: remark: regional -> global: its 65536 bytes of {{[0-9]+}} do not fit into the 49152 bytes of shared memory of a block
module attributes {stitch.device = #stitch.device<h200, shared_per_block = 49152>} {
  func.func @demoted(%x: tensor<256x16384xf32>, %y: tensor<256x16384xf32>)
      -> (tensor<256x16384xf32>, tensor<256x16384xf32>, tensor<256xf32>) {
    %a = tg.add %x, %y : tensor<256x16384xf32>
    %v = tg.reverse %a dims [1] : tensor<256x16384xf32>
    %b = tg.mul %v, %x : tensor<256x16384xf32>
    %r = tg.reduce add %b dims [1] : (tensor<256x16384xf32>) -> tensor<256xf32>
    return %a, %b, %r : tensor<256x16384xf32>, tensor<256x16384xf32>, tensor<256xf32>
  }
}

// -----

// Scratch memory is reused behind the barrier after its last reader.

// CHECK-LABEL: func.func @reuse
// CHECK: tg.reduce {{.*}}#stitch.buffer<scratch, offset = 0, size = 32768>
// CHECK: tg.reshape {{.*}}#stitch.buffer<scratch, offset = 32768, size = 512>
// CHECK: tg.reduce {{.*}}#stitch.buffer<scratch, offset = 0, size = 32768>
// CHECK: tg.reshape {{.*}}#stitch.buffer<scratch, offset = 32768, size = 512>
// CHECK: tg.reduce {{.*}}#stitch.buffer<scratch, offset = 0, size = 32768>
// REMARK: remark: shared memory: {{.*}}; scratch memory: 33280 bytes (99328 without reuse)
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @reuse(%x: tensor<65536x128xf32>) -> tensor<128xf32> {
    %c = tg.reduce add %x dims [0] : (tensor<65536x128xf32>) -> tensor<128xf32>
    %cb = tg.broadcast %c dims [1] : (tensor<128xf32>) -> tensor<65536x128xf32>
    %d = tg.sub %x, %cb : tensor<65536x128xf32>
    %e = tg.reduce max %d dims [0] : (tensor<65536x128xf32>) -> tensor<128xf32>
    %eb = tg.broadcast %e dims [1] : (tensor<128xf32>) -> tensor<65536x128xf32>
    %f = tg.sub %x, %eb : tensor<65536x128xf32>
    %g = tg.reduce max %f dims [0] : (tensor<65536x128xf32>) -> tensor<128xf32>
    return %g : tensor<128xf32>
  }
}

// -----

// So is shared memory: what is reversed first has no reader any more when what is reversed third is written.

// CHECK-LABEL: func.func @reuse_shared
// CHECK: tg.add {{.*}}#stitch.buffer<shared, offset = 0, size = 16384>
// CHECK: tg.mul {{.*}}#stitch.buffer<shared, offset = 16384, size = 16384>
// CHECK: tg.mul {{.*}}#stitch.buffer<shared, offset = 0, size = 16384>
// REMARK: remark: shared memory: 0 bytes for reductions, 32768 for values (49152 without reuse)
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @reuse_shared(%x: tensor<65536x256xf32>, %y: tensor<65536x256xf32>)
      -> (tensor<65536x256xf32>, tensor<65536x256xf32>, tensor<65536x256xf32>, tensor<65536xf32>) {
    %a = tg.add %x, %y : tensor<65536x256xf32>
    %ra = tg.reverse %a dims [1] : tensor<65536x256xf32>
    %b = tg.mul %ra, %x : tensor<65536x256xf32>
    %rb = tg.reverse %b dims [1] : tensor<65536x256xf32>
    %c = tg.mul %rb, %y : tensor<65536x256xf32>
    %rc = tg.reverse %c dims [1] : tensor<65536x256xf32>
    %d = tg.mul %rc, %x : tensor<65536x256xf32>
    %r = tg.reduce add %d dims [1] : (tensor<65536x256xf32>) -> tensor<65536xf32>
    return %a, %b, %c, %r : tensor<65536x256xf32>, tensor<65536x256xf32>, tensor<65536x256xf32>, tensor<65536xf32>
  }
}
