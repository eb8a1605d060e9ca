// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -stitch-schemes -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -stitch-schemes -stitch-remarks -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Rows stay in the block.

// CHECK-LABEL: func.func @softmax
// CHECK: tg.reduce max {{.*}}#stitch.scheme<regional>
// CHECK: tg.exp {{.*}}#stitch.scheme<local>
// CHECK: tg.reduce add {{.*}}#stitch.scheme<regional>
// CHECK: tg.div {{.*}}#stitch.scheme<independent>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @softmax(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %mb = tg.broadcast %m dims [0] : (tensor<512xf32>) -> tensor<512x128xf32>
    %d = tg.sub %x, %mb : tensor<512x128xf32>
    %e = tg.exp %d : tensor<512x128xf32>
    %s = tg.reduce add %e dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %sb = tg.broadcast %s dims [0] : (tensor<512xf32>) -> tensor<512x128xf32>
    %r = tg.div %e, %sb : tensor<512x128xf32>
    return %r : tensor<512x128xf32>
  }
}

// -----

// A reader that takes the rows in reverse order needs other blocks' rows.

// CHECK-LABEL: func.func @reversed
// CHECK: tg.reduce add {{.*}}#stitch.scheme<global>
// CHECK: tg.mul {{.*}}#stitch.scheme<independent>
// REMARK: remark: global: its reader needs elements of other rows
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @reversed(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %v = tg.reverse %r dims [0] : tensor<512xf32>
    %b = tg.broadcast %v dims [0] : (tensor<512xf32>) -> tensor<512x128xf32>
    %a = tg.mul %b, %x : tensor<512x128xf32>
    return %a : tensor<512x128xf32>
  }
}

// -----

// A column reduce has no rows left; what it reads from the row groups' phase must then be in memory too if it is read again
// behind the barrier.

// CHECK-LABEL: func.func @later_phase
// CHECK: tg.reduce max {{.*}} dims [1] {{.*}}#stitch.scheme<global>
// CHECK: tg.reduce add {{.*}} dims [0] {{.*}}#stitch.scheme<global>
// CHECK: tg.add {{.*}}#stitch.scheme<independent>
// REMARK: remark: global: a reader waits for a grid barrier
// REMARK: remark: global: its result is split among blocks
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @later_phase(%x: tensor<4096x128xf32>) -> tensor<4096x128xf32> {
    %r = tg.reduce max %x dims [1] : (tensor<4096x128xf32>) -> tensor<4096xf32>
    %c = tg.reduce add %x dims [0] : (tensor<4096x128xf32>) -> tensor<128xf32>
    %rb = tg.broadcast %r dims [0] : (tensor<4096xf32>) -> tensor<4096x128xf32>
    %cb = tg.broadcast %c dims [1] : (tensor<128xf32>) -> tensor<4096x128xf32>
    %0 = tg.mul %x, %rb : tensor<4096x128xf32>
    %a = tg.add %0, %cb : tensor<4096x128xf32>
    return %a : tensor<4096x128xf32>
  }
}

// -----

// A cheap result that other rows read is computed again rather than waited for; one that the same thread reads stays in a
// register.

// CHECK-LABEL: func.func @again
// CHECK: tg.add {{.*}}group = 0 {{.*}}#stitch.scheme<independent>
// CHECK: tg.add {{.*}}group = [[R:[0-9]+]] {{.*}}role<member>, stitch.scheme = #stitch.scheme<local>
// CHECK: tg.reduce {{.*}}group = [[R]] {{.*}}#stitch.scheme<independent>
// REMARK: remark: computed again where it is read
// CHECK-LABEL: func.func @same_thread
// CHECK: tg.add {{.*}}<flat,{{.*}}#stitch.scheme<regional>
// CHECK: tg.neg {{.*}}<flat,{{.*}}#stitch.scheme<independent>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @again(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>) {
    %a = tg.add %x, %y : tensor<64x32xf32>
    %t = tg.transpose %a permutation [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %r = tg.reduce max %t dims [1] : (tensor<32x64xf32>) -> tensor<32xf32>
    return %a, %r : tensor<64x32xf32>, tensor<32xf32>
  }
  func.func @same_thread(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
    %a = tg.add %x, %y : tensor<64x32xf32>
    %b = tg.neg %a : tensor<64x32xf32>
    return %a, %b : tensor<64x32xf32>, tensor<64x32xf32>
  }
}

// -----

// The mean is read within the block and by the columns' group: the one reads it in registers, the other a copy.

// CHECK-LABEL: func.func @publish
// CHECK: tg.reduce add {{.*}} dims [1] {{.*}}group = 0 {{.*}}#stitch.scheme<regional>
// CHECK: %[[MEAN:.*]] = tg.div {{.*}}group = 0 {{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>
// CHECK: %[[COPY:.*]] = tg.reshape %[[MEAN]] {{.*}}group = 0 {{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<global>
// CHECK: tg.broadcast %[[MEAN]] {{.*}}group = 0
// CHECK: tg.broadcast %[[COPY]] {{.*}}group = 1
// CHECK: tg.reduce max {{.*}}group = 0 {{.*}}#stitch.scheme<independent>
// CHECK: tg.reduce max {{.*}}group = 1 {{.*}}#stitch.scheme<independent>
// REMARK: remark: published: readers in the block take it from there, the others a copy from behind a barrier
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @publish(%x: tensor<12x256xf32>) -> (tensor<12xf32>, tensor<256xf32>) {
    %n = tg.constant dense<256.0> : tensor<12xf32>
    %sum = tg.reduce add %x dims [1] : (tensor<12x256xf32>) -> tensor<12xf32>
    %mean = tg.div %sum, %n : tensor<12xf32>
    %b = tg.broadcast %mean dims [0] : (tensor<12xf32>) -> tensor<12x256xf32>
    %d = tg.sub %x, %b : tensor<12x256xf32>
    %r = tg.reduce max %d dims [1] : (tensor<12x256xf32>) -> tensor<12xf32>
    %c = tg.reduce max %d dims [0] : (tensor<12x256xf32>) -> tensor<256xf32>
    return %r, %c : tensor<12xf32>, tensor<256xf32>
  }
}

// -----

// What reads it by rows as well, but behind another barrier, finds it in the copy: the mean itself stays in the block, and
// the maximum behind it does not wait.

// CHECK-LABEL: func.func @publish_for_later
// CHECK: %[[MEAN:.*]] = tg.div {{.*}}group = 0 {{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>
// CHECK: %[[COPY:.*]] = tg.reshape %[[MEAN]] {{.*}}group = 0 {{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<global>
// CHECK: tg.broadcast %[[MEAN]] {{.*}}group = 0
// CHECK: tg.broadcast %[[COPY]] {{.*}}group = 1
// CHECK: tg.broadcast %[[COPY]] {{.*}}group = 2
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @publish_for_later(%x: tensor<12x256xf32>) -> (tensor<12xf32>, tensor<12x256xf32>) {
    %n = tg.constant dense<256.0> : tensor<12xf32>
    %sum = tg.reduce add %x dims [1] : (tensor<12x256xf32>) -> tensor<12xf32>
    %mean = tg.div %sum, %n : tensor<12xf32>
    %b = tg.broadcast %mean dims [0] : (tensor<12xf32>) -> tensor<12x256xf32>
    %d = tg.sub %x, %b : tensor<12x256xf32>
    %r = tg.reduce max %d dims [1] : (tensor<12x256xf32>) -> tensor<12xf32>
    %c = tg.reduce max %d dims [0] : (tensor<12x256xf32>) -> tensor<256xf32>
    %cb = tg.broadcast %c dims [1] : (tensor<256xf32>) -> tensor<12x256xf32>
    %y = tg.add %x, %cb : tensor<12x256xf32>
    %again = tg.broadcast %mean dims [0] : (tensor<12xf32>) -> tensor<12x256xf32>
    %z = tg.mul %y, %again : tensor<12x256xf32>
    return %r, %z : tensor<12xf32>, tensor<12x256xf32>
  }
}

// -----

// Where all that reads it does so behind a barrier, it is in memory once; there is no copy.

// CHECK-LABEL: func.func @all_later
// CHECK: %[[SUM:.*]] = tg.reduce add {{.*}} dims [1] {{.*}}group = 0 {{.*}}#stitch.scheme<global>
// CHECK-NOT: tg.reshape
// CHECK: return
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @all_later(%x: tensor<12x256xf32>) -> tensor<12x256xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<12x256xf32>) -> tensor<12xf32>
    %rows = tg.broadcast %sum dims [0] : (tensor<12xf32>) -> tensor<12x256xf32>
    %d = tg.sub %x, %rows : tensor<12x256xf32>
    %c = tg.reduce max %d dims [0] : (tensor<12x256xf32>) -> tensor<256xf32>
    %cb = tg.broadcast %c dims [1] : (tensor<256xf32>) -> tensor<12x256xf32>
    %y = tg.add %x, %cb : tensor<12x256xf32>
    %again = tg.broadcast %sum dims [0] : (tensor<12xf32>) -> tensor<12x256xf32>
    %z = tg.mul %y, %again : tensor<12x256xf32>
    return %z : tensor<12x256xf32>
  }
}

// -----

// Every element needs a result that 64 blocks have left in parts: a copy combines them once.

// CHECK-LABEL: func.func @combine
// CHECK: %[[SUM:.*]] = tg.reduce add {{.*}} dims [0] {{.*}} split = 64>{{.*}}#stitch.scheme<global>
// CHECK: %[[COPY:.*]] = tg.reshape %[[SUM]] {{.*}}<flat, rows = 1, columns = 128,{{.*}}#stitch.scheme<global>
// CHECK: tg.broadcast %[[COPY]]
// REMARK: remark: combined once: its readers would load partial results for {{[0-9]+}} ns, a barrier costs 1350 ns
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @combine(%x: tensor<65536x128xf32>) -> tensor<65536x128xf32> {
    %c = tg.reduce add %x dims [0] : (tensor<65536x128xf32>) -> tensor<128xf32>
    %cb = tg.broadcast %c dims [1] : (tensor<128xf32>) -> tensor<65536x128xf32>
    %d = tg.sub %x, %cb : tensor<65536x128xf32>
    return %d : tensor<65536x128xf32>
  }
}

// -----

// What is computed of a split reduce is not computed again, though it would hide behind memory accesses: its readers would
// have to combine the partial results, or wait until these are combined, which is no barrier less. One thread combines them
// and computes on.

// CHECK-LABEL: func.func @of_partial_results
// CHECK: %[[SUM:.*]] = tg.reduce add {{.*}} split = 53>{{.*}}#stitch.scheme<global>
// CHECK-NOT: tg.reshape
// CHECK: tg.rsqrt %[[SUM]] {{.*}}<flat, rows = 1, columns = 256,{{.*}}#stitch.scheme<global>
// CHECK-NOT: tg.rsqrt
// REMARK-LABEL: remark: group 0: column mapping of 25088 x 256
// REMARK-NOT: computed again
// REMARK-NOT: combined once
// REMARK: remark: global: its result is split among blocks
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @of_partial_results(%x: tensor<25088x256xbf16>) -> tensor<25088x256xbf16> {
    %f = tg.convert %x : (tensor<25088x256xbf16>) -> tensor<25088x256xf32>
    %c = tg.reduce add %f dims [0] : (tensor<25088x256xf32>) -> tensor<256xf32>
    %r = tg.rsqrt %c : tensor<256xf32>
    %rb = tg.broadcast %r dims [1] : (tensor<256xf32>) -> tensor<25088x256xf32>
    %m = tg.mul %f, %rb : tensor<25088x256xf32>
    %d = tg.convert %m : (tensor<25088x256xf32>) -> tensor<25088x256xbf16>
    return %d : tensor<25088x256xbf16>
  }
}

// -----

// What a concatenation reads is computed again for it, with what the thread has in registers on the way.

// CHECK-LABEL: func.func @through_registers
// CHECK: %[[S:.*]] = tg.tanh {{.*}}group = 0 {{.*}}#stitch.scheme<regional>
// CHECK: tg.mul %[[S]], {{.*}}group = 0 {{.*}}#stitch.scheme<independent>
// CHECK: tg.tanh {{.*}}group = [[C:[0-9]+]] {{.*}}role<member>
// CHECK: tg.mul {{.*}}group = [[C]] {{.*}}role<member>
// CHECK: tg.concatenate {{.*}}group = [[C]] {{.*}}#stitch.scheme<independent>

// A value that is cheap beside the memory accesses of its readers costs nothing to compute again.

// CHECK-LABEL: func.func @hidden
// CHECK-NOT: scheme<global>
// CHECK: tg.select {{.*}}#stitch.scheme<independent>
// REMARK: remark: computed again where it is read: 0 ns instead of 1350 ns with a barrier

// Of a large input no more is read again than the slice.

// CHECK-LABEL: func.func @slice_of_input
// CHECK-NOT: scheme<global>
// CHECK: return
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @through_registers(%x: tensor<256x36xf32>, %y: tensor<256x36xf32>)
      -> (tensor<256x36xf32>, tensor<256x36xf32>, tensor<256x72xf32>) {
    %s = tg.tanh %x : tensor<256x36xf32>
    %a = tg.mul %s, %y : tensor<256x36xf32>
    %c = tg.concatenate %a, %y dim 1 : (tensor<256x36xf32>, tensor<256x36xf32>) -> tensor<256x72xf32>
    return %s, %a, %c : tensor<256x36xf32>, tensor<256x36xf32>, tensor<256x72xf32>
  }
  func.func @hidden(%x: tensor<1048576x32xf32>, %variance: tensor<32xf32>) -> tensor<1048576x32xf32> {
    %r = tg.rsqrt %variance : tensor<32xf32>
    %b = tg.broadcast %r dims [1] : (tensor<32xf32>) -> tensor<1048576x32xf32>
    %m = tg.mul %x, %b : tensor<1048576x32xf32>
    %zero = tg.constant dense<0.0> : tensor<1048576x32xf32>
    %p = tg.compare ge, %m, %zero : tensor<1048576x32xf32>
    %s = tg.select %p, %m, %zero : tensor<1048576x32xi1>, tensor<1048576x32xf32>
    return %s : tensor<1048576x32xf32>
  }
  func.func @slice_of_input(%all: tensor<500x32x256xf32>, %w: tensor<32x256xf32>) -> (tensor<32x256xf32>, tensor<32x64xf32>) {
    %s = tg.slice %all [7:8, 0:32, 0:256] : (tensor<500x32x256xf32>) -> tensor<1x32x256xf32>
    %r = tg.reshape %s : (tensor<1x32x256xf32>) -> tensor<32x256xf32>
    %a = tg.mul %r, %w : tensor<32x256xf32>
    %l = tg.slice %a [0:32, 0:64] : (tensor<32x256xf32>) -> tensor<32x64xf32>
    %h = tg.slice %a [0:32, 64:128] : (tensor<32x256xf32>) -> tensor<32x64xf32>
    %e = tg.sub %l, %h : tensor<32x64xf32>
    return %a, %e : tensor<32x256xf32>, tensor<32x64xf32>
  }
}

// -----

// What is computed again leaves its first place, with all that served it alone: an operand and what that operand reads, too.

// CHECK-LABEL: func.func @leaves
// CHECK-COUNT-1: tg.neg
// CHECK-NOT: tg.neg
// CHECK: tg.concatenate {{.*}}role<member>
// CHECK-NOT: tg.concatenate
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @leaves(%x: tensor<8x1100xi32>) -> tensor<23x1099xi32> {
    %w = tg.reduce_window min %x window_dimensions [1, 2] window_strides [1, 1] base_dilations [2, 2] window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0] : (tensor<8x1100xi32>) -> tensor<15x2198xi32>
    %n = tg.neg %w : tensor<15x2198xi32>
    %c = tg.concatenate %n, %n, %w dim 0 : (tensor<15x2198xi32>, tensor<15x2198xi32>, tensor<15x2198xi32>) -> tensor<45x2198xi32>
    %r = tg.reduce_window min %c window_dimensions [1, 3] window_strides [2, 2] base_dilations [1, 1] window_dilations [1, 1] padding_low [0, 1] padding_high [0, 1] : (tensor<45x2198xi32>) -> tensor<23x1099xi32>
    return %r : tensor<23x1099xi32>
  }
}
