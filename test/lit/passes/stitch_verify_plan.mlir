// RUN: stitch-opt %s -stitch-schedule -stitch-verify-plan -verify-diagnostics -split-input-file

// A plan that holds.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @holds(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<64x32xf32>) -> tensor<64x32xf32> attributes {stitch.launch = #stitch.launch<grid = 2, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.reduce add %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : (tensor<64x32xf32>) -> tensor<64xf32>
      %2 = tg.broadcast %1 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<64xf32>) -> tensor<64x32xf32>
      %3 = tg.mul %2, %a {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : tensor<64x32xf32>
      stitch.yield %3 : tensor<64x32xf32>
    }
    return %0 : tensor<64x32xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @member(%x: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<64xf32>) -> tensor<64xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 64, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      // expected-error @below {{is a member of group 1 with a user in group 0}}
      %1 = tg.neg %a {stitch.group = 1 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : tensor<64xf32>
      // expected-error @below {{reads group 1 from group 0: groups must be numbered in topological order}}
      %2 = tg.abs %1 {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 64, vector = 1, unroll = 1, split = 1>} : tensor<64xf32>
      %3 = tg.exp %2 {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 64, vector = 1, unroll = 1, split = 1>} : tensor<64xf32>
      stitch.yield %3 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @mapping(%x: tensor<64x30xf32>) -> tensor<64xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<64x30xf32>) -> tensor<64xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 128, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      // expected-error @below {{has a mapping of 32 x 30 elements where it reduces 64 x 30}}
      // expected-error @below {{has a mapping for blocks of 256 threads in a fusion whose blocks have 128}}
      // expected-error @below {{has vectors of 4, which do not divide its 30 columns}}
      // expected-error @below {{has a split of 2, which does not cover its space with chunks that all have an element}}
      %1 = tg.reduce add %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<global>, stitch.mapping = #stitch.mapping<row, rows = 32, columns = 30, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 2>} : (tensor<64x30xf32>) -> tensor<64xf32>
      stitch.yield %1 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @scheme(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
    // expected-error @below {{has grid barriers and a grid of 9999 blocks, of which 528 can be co-resident}}
    %0 = stitch.fusion(%a = %x) : (tensor<64x32xf32>) -> tensor<64x32xf32> attributes {stitch.launch = #stitch.launch<grid = 9999, block = 256, registers = 64, shared = 0, scratch = 128, barriers = 1>} {
      // expected-error @below {{cannot be regional: its reader needs elements of other rows}}
      // expected-error @below {{is regional but read in phase 1, after its own, 0}}
      %1 = tg.reduce add %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : (tensor<64x32xf32>) -> tensor<64xf32>
      // expected-error @below {{has a buffer of 128 bytes for 256}}
      %2 = tg.reduce max %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<global>, stitch.buffer = #stitch.buffer<scratch, offset = 0, size = 128>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : (tensor<64x32xf32>) -> tensor<64xf32>
      %3 = tg.add %1, %2 {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : tensor<64xf32>
      %4 = tg.reverse %3 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : tensor<64xf32>
      %5 = tg.broadcast %4 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<64xf32>) -> tensor<64x32xf32>
      // expected-error @below {{is regional but read in phase 1, after its own, 0}}
      %7 = tg.abs %a {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : tensor<64x32xf32>
      %6 = tg.mul %5, %7 {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : tensor<64x32xf32>
      stitch.yield %6 : tensor<64x32xf32>
    }
    return %0 : tensor<64x32xf32>
  }
}

// -----

// An input as a result: nothing would write it.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @passed_through(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    // expected-error @below {{has an input as result 1, which no root writes}}
    %0:2 = stitch.fusion(%a = %x) : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) attributes {stitch.launch = #stitch.launch<grid = 1, block = 64, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.abs %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 64, vector = 1, unroll = 1, split = 1>} : tensor<64xf32>
      stitch.yield %1, %a : tensor<64xf32>, tensor<64xf32>
    }
    return %0#0, %0#1 : tensor<64xf32>, tensor<64xf32>
  }
}

// -----

// Clusters: one size for the launch and all roots, one that the device has; a value that other blocks have a part of.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @clusters(%x: tensor<8x256xf32>) -> (tensor<8x256xf32>, tensor<8x256xf32>) {
    %0:2 = stitch.fusion(%a = %x) : (tensor<8x256xf32>) -> (tensor<8x256xf32>, tensor<8x256xf32>) attributes {stitch.launch = #stitch.launch<grid = 32, block = 32, registers = 64, shared = 16, scratch = 0, barriers = 0, cluster = 4>} {
      %1 = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1, cluster = 16>} : tensor<8x256xf32>
      // expected-error @below {{does not share rows, block_rows, row_threads and cluster with the dominant of its group}}
      // expected-error @below {{has a split of 1, which does not cover its space}}
      %2 = tg.neg %a {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1, cluster = 4>} : tensor<8x256xf32>
      stitch.yield %1, %2 : tensor<8x256xf32>, tensor<8x256xf32>
    }
    return %0#0, %0#1 : tensor<8x256xf32>, tensor<8x256xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cluster_size(%x: tensor<8x256xf32>) -> tensor<8x256xf32> {
    // expected-error @below {{is launched in clusters of 16 blocks; its roots need 16, the device has up to 8}}
    %0 = stitch.fusion(%a = %x) : (tensor<8x256xf32>) -> tensor<8x256xf32> attributes {stitch.launch = #stitch.launch<grid = 32, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0, cluster = 16>} {
      %1 = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1, cluster = 16>} : tensor<8x256xf32>
      stitch.yield %1 : tensor<8x256xf32>
    }
    return %0 : tensor<8x256xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cluster_launch(%x: tensor<8x256xf32>) -> tensor<8x256xf32> {
    // expected-error @below {{is launched in clusters of 2 blocks; its roots need 4, the device has up to 8}}
    %0 = stitch.fusion(%a = %x) : (tensor<8x256xf32>) -> tensor<8x256xf32> attributes {stitch.launch = #stitch.launch<grid = 32, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0, cluster = 2>} {
      // expected-error @below {{is handled by clusters of 4 blocks in a launch with clusters of 2}}
      %1 = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1, cluster = 4>} : tensor<8x256xf32>
      stitch.yield %1 : tensor<8x256xf32>
    }
    return %0 : tensor<8x256xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cluster_locality(%x: tensor<8x256xf32>) -> (tensor<8x256xf32>, tensor<8x256xf32>) {
    %0:2 = stitch.fusion(%a = %x) : (tensor<8x256xf32>) -> (tensor<8x256xf32>, tensor<8x256xf32>) attributes {stitch.launch = #stitch.launch<grid = 32, block = 32, registers = 64, shared = 256, scratch = 0, barriers = 0, cluster = 4>} {
      // expected-error @below {{cannot be regional: its reader needs elements that other blocks of the cluster have}}
      %1 = tg.exp %a {stitch.buffer = #stitch.buffer<shared, offset = 0, size = 256>, stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1, cluster = 4>} : tensor<8x256xf32>
      %2 = tg.reverse %1 dims [1] {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1, cluster = 4>} : tensor<8x256xf32>
      stitch.yield %1, %2 : tensor<8x256xf32>, tensor<8x256xf32>
    }
    return %0#0, %0#1 : tensor<8x256xf32>, tensor<8x256xf32>
  }
}

// -----

// Another order of the same part of a row: the block has it in its shared memory, 64 elements of it.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cluster_parts(%x: tensor<8x256xf32>) -> (tensor<8x256xf32>, tensor<8x256xf32>) {
    %0:2 = stitch.fusion(%a = %x) : (tensor<8x256xf32>) -> (tensor<8x256xf32>, tensor<8x256xf32>) attributes {stitch.launch = #stitch.launch<grid = 32, block = 32, registers = 64, shared = 256, scratch = 0, barriers = 0, cluster = 4>} {
      %1 = tg.exp %a {stitch.buffer = #stitch.buffer<shared, offset = 0, size = 256>, stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1, cluster = 4>} : tensor<8x256xf32>
      %2 = tg.neg %1 {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 256, block_rows = 1, row_threads = 32, vector = 1, unroll = 2, split = 1, cluster = 4>} : tensor<8x256xf32>
      stitch.yield %1, %2 : tensor<8x256xf32>, tensor<8x256xf32>
    }
    return %0#0, %0#1 : tensor<8x256xf32>, tensor<8x256xf32>
  }
}

// -----

// The kept elements of a column reduce hold; those with other threads, and those of other columns, do not.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @kept(%x: tensor<16x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stitch.fusion(%a = %x, %b = %y) : (tensor<16x64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {stitch.launch = #stitch.launch<grid = 4, block = 64, registers = 64, shared = 2048, scratch = 0, barriers = 0>} {
      %1 = tg.reduce add %a dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<column, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 4, unroll = 2, split = 1>} : (tensor<16x64xf32>) -> tensor<64xf32>
      %2 = tg.add %b, %1 {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<kept, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 4, unroll = 2, split = 1>} : tensor<64xf32>
      stitch.yield %2 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
  func.func @other_threads(%x: tensor<16x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stitch.fusion(%a = %x, %b = %y) : (tensor<16x64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {stitch.launch = #stitch.launch<grid = 4, block = 64, registers = 64, shared = 2048, scratch = 0, barriers = 0>} {
      // expected-error @below {{cannot be regional: its reader does not go by the same columns}}
      %1 = tg.reduce add %a dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<column, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 4, unroll = 2, split = 1>} : (tensor<16x64xf32>) -> tensor<64xf32>
      %2 = tg.add %b, %1 {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<kept, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 2, unroll = 2, split = 1>} : tensor<64xf32>
      stitch.yield %2 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
  func.func @other_columns(%x: tensor<16x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stitch.fusion(%a = %x, %b = %y) : (tensor<16x64xf32>, tensor<64xf32>) -> tensor<64xf32> attributes {stitch.launch = #stitch.launch<grid = 4, block = 64, registers = 64, shared = 2048, scratch = 0, barriers = 0>} {
      // expected-error @below {{cannot be regional: its reader needs elements of other columns}}
      %1 = tg.reduce add %a dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<column, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 4, unroll = 2, split = 1>} : (tensor<16x64xf32>) -> tensor<64xf32>
      %2 = tg.reverse %1 dims [0] {stitch.group = 1 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : tensor<64xf32>
      %3 = tg.add %b, %2 {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<kept, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 4, unroll = 2, split = 1>} : tensor<64xf32>
      stitch.yield %3 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

// The kernel has the loop around it inside, or has had before it was taken out: an iteration ends with a grid barrier.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @persistent(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
    // expected-error @below {{is launched with 0 grid barriers and needs 1}}
    %0 = stitch.fusion(%a = %x) : (tensor<64x32xf32>) -> tensor<64x32xf32> attributes {stitch.launch = #stitch.launch<grid = 2, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>, stitch.persistent} {
      %1 = tg.reduce add %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : (tensor<64x32xf32>) -> tensor<64xf32>
      %2 = tg.broadcast %1 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<64xf32>) -> tensor<64x32xf32>
      %3 = tg.mul %2, %a {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : tensor<64x32xf32>
      stitch.yield %3 : tensor<64x32xf32>
    }
    return %0 : tensor<64x32xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @persistent_beside_others(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %r:2 = tg.while(%y = %x, %z = %x) : tensor<64x32xf32>, tensor<64x32xf32> attributes {trip_count = 4 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      // expected-error @below {{cannot have the loop around it inside: a loop-carried value is not computed by the kernel alone}}
      %0 = stitch.fusion(%a = %y) : (tensor<64x32xf32>) -> tensor<64x32xf32> attributes {stitch.launch = #stitch.launch<grid = 2, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 1>, stitch.persistent} {
      %1 = tg.reduce add %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : (tensor<64x32xf32>) -> tensor<64xf32>
      %2 = tg.broadcast %1 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<64xf32>) -> tensor<64x32xf32>
      %3 = tg.mul %2, %a {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : tensor<64x32xf32>
      stitch.yield %3 : tensor<64x32xf32>
      }
      tg.yield %z, %0 : tensor<64x32xf32>, tensor<64x32xf32>
    }
    return %r#0 : tensor<64x32xf32>
  }
}

// -----

// A thread's rows are three apart, and of odd length: every other one begins elsewhere between aligned places.

module attributes {stitch.device = #stitch.device<h200, sms = 4>} {
  func.func @carried_elsewhere(%arg0: tensor<64x1031xf32>) -> (tensor<64xf32>, tensor<1031xf32>) {
    %0:2 = stitch.fusion(%arg1 = %arg0) : (tensor<64x1031xf32>) -> (tensor<64xf32>, tensor<1031xf32>) attributes {stitch.launch = #stitch.launch<grid = 3, block = 512, registers = 128, shared = 41024, scratch = 16496, barriers = 1>} {
      %1 = tg.reduce max %arg1 dims [1] {stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 1031, block_rows = 1, row_threads = 512, vector = 2, unroll = 2, split = 1, run = 1>, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>} : (tensor<64x1031xf32>) -> tensor<64xf32>
      // expected-error @below {{accumulates column sums by vectors of 2 that have other columns in other rows of a thread}}
      %2 = tg.reduce add %arg1 dims [0] {stitch.buffer = #stitch.buffer<scratch, offset = 0, size = 12384>, stitch.group = 1 : i64, stitch.mapping = #stitch.mapping<carried, rows = 64, columns = 1031, block_rows = 1, row_threads = 512, vector = 2, unroll = 2, split = 3, run = 1>, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<global>} : (tensor<64x1031xf32>) -> tensor<1031xf32>
      stitch.yield %1, %2 : tensor<64xf32>, tensor<1031xf32>
    }
    return %0#0, %0#1 : tensor<64xf32>, tensor<1031xf32>
  }
}
