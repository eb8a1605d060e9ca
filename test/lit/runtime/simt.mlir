// RUN: %unit/unit-simt %s
// RUN: %unit/unit-simt %s drop-barriers

// The kernels that test/unit/compiler/simt.c runs and compares with loops.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%a: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                  %b: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                  %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 256, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 4, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c1024 = arith.constant 1024 : index
      %c4 = arith.constant 4 : index
      %base = arith.muli %bid, %c1024 : index
      %off = arith.muli %tid, %c4 : index
      %i = arith.addi %base, %off : index
      %x = vector.load %a[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      %y = vector.load %b[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      %e = math.exp %x : vector<4xf32>
      %s = arith.addf %e, %y : vector<4xf32>
      vector.store %s, %out[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      gpu.return
    }
    // A product of a warp, whose lanes load their fragments from where the PTX ISA says ("Matrix Fragments for
    // mma.m16n8k16 with floating point type"): a_i and b_i of lane 4 g + t, A 16 x 16, B behind it 16 x 8, C 16 x 8.
    gpu.func @product(%ab: memref<4096xbf16> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %c: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %lane = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %g = arith.divui %lane, %c4 : index
      %t = arith.remui %lane, %c4 : index
      %t2 = arith.muli %t, %c2 : index
      %g16 = arith.muli %g, %c16 : index
      %g8 = arith.muli %g, %c8 : index
      %a_at = arith.addi %g16, %t2 : index
      %c_at = arith.addi %g8, %t2 : index
      %t16 = arith.muli %t2, %c8 : index
      %b_at = arith.addi %t16, %g : index
      %o_a0 = arith.constant 0 : index
      %i_a0 = arith.addi %a_at, %o_a0 : index
      %a0 = memref.load %ab[%i_a0] : memref<4096xbf16>
      %o_a1 = arith.constant 1 : index
      %i_a1 = arith.addi %a_at, %o_a1 : index
      %a1 = memref.load %ab[%i_a1] : memref<4096xbf16>
      %o_a2 = arith.constant 128 : index
      %i_a2 = arith.addi %a_at, %o_a2 : index
      %a2 = memref.load %ab[%i_a2] : memref<4096xbf16>
      %o_a3 = arith.constant 129 : index
      %i_a3 = arith.addi %a_at, %o_a3 : index
      %a3 = memref.load %ab[%i_a3] : memref<4096xbf16>
      %o_a4 = arith.constant 8 : index
      %i_a4 = arith.addi %a_at, %o_a4 : index
      %a4 = memref.load %ab[%i_a4] : memref<4096xbf16>
      %o_a5 = arith.constant 9 : index
      %i_a5 = arith.addi %a_at, %o_a5 : index
      %a5 = memref.load %ab[%i_a5] : memref<4096xbf16>
      %o_a6 = arith.constant 136 : index
      %i_a6 = arith.addi %a_at, %o_a6 : index
      %a6 = memref.load %ab[%i_a6] : memref<4096xbf16>
      %o_a7 = arith.constant 137 : index
      %i_a7 = arith.addi %a_at, %o_a7 : index
      %a7 = memref.load %ab[%i_a7] : memref<4096xbf16>
      %o_b0 = arith.constant 256 : index
      %i_b0 = arith.addi %b_at, %o_b0 : index
      %b0 = memref.load %ab[%i_b0] : memref<4096xbf16>
      %o_b1 = arith.constant 264 : index
      %i_b1 = arith.addi %b_at, %o_b1 : index
      %b1 = memref.load %ab[%i_b1] : memref<4096xbf16>
      %o_b2 = arith.constant 320 : index
      %i_b2 = arith.addi %b_at, %o_b2 : index
      %b2 = memref.load %ab[%i_b2] : memref<4096xbf16>
      %o_b3 = arith.constant 328 : index
      %i_b3 = arith.addi %b_at, %o_b3 : index
      %b3 = memref.load %ab[%i_b3] : memref<4096xbf16>
      %o_c0 = arith.constant 0 : index
      %i_c0 = arith.addi %c_at, %o_c0 : index
      %e0 = memref.load %c[%i_c0] : memref<4096xf32>
      %o_c1 = arith.constant 1 : index
      %i_c1 = arith.addi %c_at, %o_c1 : index
      %e1 = memref.load %c[%i_c1] : memref<4096xf32>
      %o_c2 = arith.constant 64 : index
      %i_c2 = arith.addi %c_at, %o_c2 : index
      %e2 = memref.load %c[%i_c2] : memref<4096xf32>
      %o_c3 = arith.constant 65 : index
      %i_c3 = arith.addi %c_at, %o_c3 : index
      %e3 = memref.load %c[%i_c3] : memref<4096xf32>
      %wa0 = vector.from_elements %a0, %a1 : vector<2xbf16>
      %wa1 = vector.from_elements %a2, %a3 : vector<2xbf16>
      %wa2 = vector.from_elements %a4, %a5 : vector<2xbf16>
      %wa3 = vector.from_elements %a6, %a7 : vector<2xbf16>
      %za = arith.constant dense<0.0> : vector<4x2xbf16>
      %fa0 = vector.insert %wa0, %za [0] : vector<2xbf16> into vector<4x2xbf16>
      %fa1 = vector.insert %wa1, %fa0 [1] : vector<2xbf16> into vector<4x2xbf16>
      %fa2 = vector.insert %wa2, %fa1 [2] : vector<2xbf16> into vector<4x2xbf16>
      %fa3 = vector.insert %wa3, %fa2 [3] : vector<2xbf16> into vector<4x2xbf16>
      %zb = arith.constant dense<0.0> : vector<2x2xbf16>
      %wb0 = vector.from_elements %b0, %b1 : vector<2xbf16>
      %fb0 = vector.insert %wb0, %zb [0] : vector<2xbf16> into vector<2x2xbf16>
      %wb1 = vector.from_elements %b2, %b3 : vector<2xbf16>
      %fb1 = vector.insert %wb1, %fb0 [1] : vector<2xbf16> into vector<2x2xbf16>
      %zc = arith.constant dense<0.0> : vector<2x2xf32>
      %wc0 = vector.from_elements %e0, %e1 : vector<2xf32>
      %fc0 = vector.insert %wc0, %zc [0] : vector<2xf32> into vector<2x2xf32>
      %wc1 = vector.from_elements %e2, %e3 : vector<2xf32>
      %fc1 = vector.insert %wc1, %fc0 [1] : vector<2xf32> into vector<2x2xf32>
      %d = nvgpu.mma.sync (%fa3, %fb1, %fc1) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %d0 = vector.extract %d[0, 0] : f32 from vector<2x2xf32>
      memref.store %d0, %out[%i_c0] : memref<4096xf32>
      %d1 = vector.extract %d[0, 1] : f32 from vector<2x2xf32>
      memref.store %d1, %out[%i_c1] : memref<4096xf32>
      %d2 = vector.extract %d[1, 0] : f32 from vector<2x2xf32>
      memref.store %d2, %out[%i_c2] : memref<4096xf32>
      %d3 = vector.extract %d[1, 1] : f32 from vector<2x2xf32>
      memref.store %d3, %out[%i_c3] : memref<4096xf32>
      gpu.return
    }
    // Matrices of 8 x 8 that a warp loads from shared memory, where row r of matrix i begins at 24 (8 i + r): four and two, row by row
    // and transposed. Lane l stores its word of matrix i at 2 (32 i + l).
    gpu.func @matrices(%in: memref<4096xbf16> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                       %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 1536, scratch = 0, barriers = 0>} {
      %lane = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %c24 = arith.constant 24 : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %m = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<768xbf16, #gpu.address_space<workgroup>>
      %from = arith.muli %lane, %c8 : index
      %row = arith.muli %lane, %c24 : index
      %elements = vector.load %in[%from] {alignment = 16 : i64} : memref<4096xbf16>, vector<8xbf16>
      vector.store %elements, %m[%row] {alignment = 16 : i64} : memref<768xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
      gpu.barrier
      %at = arith.muli %lane, %c2 : index
      %rows4 = nvgpu.ldmatrix %m[%row] {numTiles = 4 : i32, transpose = false} : memref<768xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
      %rows4_0 = vector.extract %rows4[0] : vector<2xbf16> from vector<4x2xbf16>
      %rows4_0_wide = arith.extf %rows4_0 : vector<2xbf16> to vector<2xf32>
      %rows4_0_first = arith.constant 0 : index
      %rows4_0_at = arith.addi %at, %rows4_0_first : index
      vector.store %rows4_0_wide, %out[%rows4_0_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %rows4_1 = vector.extract %rows4[1] : vector<2xbf16> from vector<4x2xbf16>
      %rows4_1_wide = arith.extf %rows4_1 : vector<2xbf16> to vector<2xf32>
      %rows4_1_first = arith.constant 64 : index
      %rows4_1_at = arith.addi %at, %rows4_1_first : index
      vector.store %rows4_1_wide, %out[%rows4_1_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %rows4_2 = vector.extract %rows4[2] : vector<2xbf16> from vector<4x2xbf16>
      %rows4_2_wide = arith.extf %rows4_2 : vector<2xbf16> to vector<2xf32>
      %rows4_2_first = arith.constant 128 : index
      %rows4_2_at = arith.addi %at, %rows4_2_first : index
      vector.store %rows4_2_wide, %out[%rows4_2_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %rows4_3 = vector.extract %rows4[3] : vector<2xbf16> from vector<4x2xbf16>
      %rows4_3_wide = arith.extf %rows4_3 : vector<2xbf16> to vector<2xf32>
      %rows4_3_first = arith.constant 192 : index
      %rows4_3_at = arith.addi %at, %rows4_3_first : index
      vector.store %rows4_3_wide, %out[%rows4_3_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %columns4 = nvgpu.ldmatrix %m[%row] {numTiles = 4 : i32, transpose = true} : memref<768xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
      %columns4_0 = vector.extract %columns4[0] : vector<2xbf16> from vector<4x2xbf16>
      %columns4_0_wide = arith.extf %columns4_0 : vector<2xbf16> to vector<2xf32>
      %columns4_0_first = arith.constant 256 : index
      %columns4_0_at = arith.addi %at, %columns4_0_first : index
      vector.store %columns4_0_wide, %out[%columns4_0_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %columns4_1 = vector.extract %columns4[1] : vector<2xbf16> from vector<4x2xbf16>
      %columns4_1_wide = arith.extf %columns4_1 : vector<2xbf16> to vector<2xf32>
      %columns4_1_first = arith.constant 320 : index
      %columns4_1_at = arith.addi %at, %columns4_1_first : index
      vector.store %columns4_1_wide, %out[%columns4_1_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %columns4_2 = vector.extract %columns4[2] : vector<2xbf16> from vector<4x2xbf16>
      %columns4_2_wide = arith.extf %columns4_2 : vector<2xbf16> to vector<2xf32>
      %columns4_2_first = arith.constant 384 : index
      %columns4_2_at = arith.addi %at, %columns4_2_first : index
      vector.store %columns4_2_wide, %out[%columns4_2_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %columns4_3 = vector.extract %columns4[3] : vector<2xbf16> from vector<4x2xbf16>
      %columns4_3_wide = arith.extf %columns4_3 : vector<2xbf16> to vector<2xf32>
      %columns4_3_first = arith.constant 448 : index
      %columns4_3_at = arith.addi %at, %columns4_3_first : index
      vector.store %columns4_3_wide, %out[%columns4_3_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %rows2 = nvgpu.ldmatrix %m[%row] {numTiles = 2 : i32, transpose = false} : memref<768xbf16, #gpu.address_space<workgroup>> -> vector<2x2xbf16>
      %rows2_0 = vector.extract %rows2[0] : vector<2xbf16> from vector<2x2xbf16>
      %rows2_0_wide = arith.extf %rows2_0 : vector<2xbf16> to vector<2xf32>
      %rows2_0_first = arith.constant 512 : index
      %rows2_0_at = arith.addi %at, %rows2_0_first : index
      vector.store %rows2_0_wide, %out[%rows2_0_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %rows2_1 = vector.extract %rows2[1] : vector<2xbf16> from vector<2x2xbf16>
      %rows2_1_wide = arith.extf %rows2_1 : vector<2xbf16> to vector<2xf32>
      %rows2_1_first = arith.constant 576 : index
      %rows2_1_at = arith.addi %at, %rows2_1_first : index
      vector.store %rows2_1_wide, %out[%rows2_1_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %columns2 = nvgpu.ldmatrix %m[%row] {numTiles = 2 : i32, transpose = true} : memref<768xbf16, #gpu.address_space<workgroup>> -> vector<2x2xbf16>
      %columns2_0 = vector.extract %columns2[0] : vector<2xbf16> from vector<2x2xbf16>
      %columns2_0_wide = arith.extf %columns2_0 : vector<2xbf16> to vector<2xf32>
      %columns2_0_first = arith.constant 640 : index
      %columns2_0_at = arith.addi %at, %columns2_0_first : index
      vector.store %columns2_0_wide, %out[%columns2_0_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %columns2_1 = vector.extract %columns2[1] : vector<2xbf16> from vector<2x2xbf16>
      %columns2_1_wide = arith.extf %columns2_1 : vector<2xbf16> to vector<2xf32>
      %columns2_1_first = arith.constant 704 : index
      %columns2_1_at = arith.addi %at, %columns2_1_first : index
      vector.store %columns2_1_wide, %out[%columns2_1_at] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      gpu.return
    }
    // Products of f32 that is rounded to TF32. Lanes load their fragments from where the PTX ISA says ("Matrix Fragments for mma.m16n8k8",
    // "mma.m16n8k4" with .tf32): A 16 x 8, B 8 x 8 behind it, A 16 x 4, B 4 x 8.
    gpu.func @tf32_products(%in: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                            %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %lane = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %g = arith.divui %lane, %c4 : index
      %t = arith.remui %lane, %c4 : index
      %g8 = arith.muli %g, %c8 : index
      %t8 = arith.muli %t, %c8 : index
      %a_at = arith.addi %g8, %t : index
      %b_at = arith.addi %t8, %g : index
      %c0 = arith.constant 0 : index
      %o1 = arith.constant 0 : index
      %i1 = arith.addi %a_at, %o1 : index
      %x1 = memref.load %in[%i1] : memref<4096xf32>
      %r1 = nvvm.convert.float.to.tf32 %x1 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f1 = arith.bitcast %r1 : i32 to f32
      %o2 = arith.constant 64 : index
      %i2 = arith.addi %a_at, %o2 : index
      %x2 = memref.load %in[%i2] : memref<4096xf32>
      %r2 = nvvm.convert.float.to.tf32 %x2 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f2 = arith.bitcast %r2 : i32 to f32
      %o3 = arith.constant 4 : index
      %i3 = arith.addi %a_at, %o3 : index
      %x3 = memref.load %in[%i3] : memref<4096xf32>
      %r3 = nvvm.convert.float.to.tf32 %x3 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f3 = arith.bitcast %r3 : i32 to f32
      %o4 = arith.constant 68 : index
      %i4 = arith.addi %a_at, %o4 : index
      %x4 = memref.load %in[%i4] : memref<4096xf32>
      %r4 = nvvm.convert.float.to.tf32 %x4 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f4 = arith.bitcast %r4 : i32 to f32
      %a_0 = arith.constant dense<0.0> : vector<4x1xf32>
      %a_w0 = vector.from_elements %f1 : vector<1xf32>
      %a_1 = vector.insert %a_w0, %a_0 [0] : vector<1xf32> into vector<4x1xf32>
      %a_w1 = vector.from_elements %f2 : vector<1xf32>
      %a_2 = vector.insert %a_w1, %a_1 [1] : vector<1xf32> into vector<4x1xf32>
      %a_w2 = vector.from_elements %f3 : vector<1xf32>
      %a_3 = vector.insert %a_w2, %a_2 [2] : vector<1xf32> into vector<4x1xf32>
      %a_w3 = vector.from_elements %f4 : vector<1xf32>
      %a_4 = vector.insert %a_w3, %a_3 [3] : vector<1xf32> into vector<4x1xf32>
      %o5 = arith.constant 128 : index
      %i5 = arith.addi %b_at, %o5 : index
      %x5 = memref.load %in[%i5] : memref<4096xf32>
      %r5 = nvvm.convert.float.to.tf32 %x5 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f5 = arith.bitcast %r5 : i32 to f32
      %o6 = arith.constant 160 : index
      %i6 = arith.addi %b_at, %o6 : index
      %x6 = memref.load %in[%i6] : memref<4096xf32>
      %r6 = nvvm.convert.float.to.tf32 %x6 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f6 = arith.bitcast %r6 : i32 to f32
      %b_0 = arith.constant dense<0.0> : vector<2x1xf32>
      %b_w0 = vector.from_elements %f5 : vector<1xf32>
      %b_1 = vector.insert %b_w0, %b_0 [0] : vector<1xf32> into vector<2x1xf32>
      %b_w1 = vector.from_elements %f6 : vector<1xf32>
      %b_2 = vector.insert %b_w1, %b_1 [1] : vector<1xf32> into vector<2x1xf32>
      %o7 = arith.constant 192 : index
      %i7 = arith.addi %lane, %o7 : index
      %x7 = memref.load %in[%i7] : memref<4096xf32>
      %r7 = nvvm.convert.float.to.tf32 %x7 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f7 = arith.bitcast %r7 : i32 to f32
      %o8 = arith.constant 224 : index
      %i8 = arith.addi %lane, %o8 : index
      %x8 = memref.load %in[%i8] : memref<4096xf32>
      %r8 = nvvm.convert.float.to.tf32 %x8 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f8 = arith.bitcast %r8 : i32 to f32
      %s_0 = arith.constant dense<0.0> : vector<2x1xf32>
      %s_w0 = vector.from_elements %f7 : vector<1xf32>
      %s_1 = vector.insert %s_w0, %s_0 [0] : vector<1xf32> into vector<2x1xf32>
      %s_w1 = vector.from_elements %f8 : vector<1xf32>
      %s_2 = vector.insert %s_w1, %s_1 [1] : vector<1xf32> into vector<2x1xf32>
      %o9 = arith.constant 256 : index
      %i9 = arith.addi %b_at, %o9 : index
      %x9 = memref.load %in[%i9] : memref<4096xf32>
      %r9 = nvvm.convert.float.to.tf32 %x9 {rnd = #nvvm.fp_rnd_mode<rna>}
      %f9 = arith.bitcast %r9 : i32 to f32
      %u_0 = arith.constant dense<0.0> : vector<1x1xf32>
      %u_w0 = vector.from_elements %f9 : vector<1xf32>
      %u_1 = vector.insert %u_w0, %u_0 [0] : vector<1xf32> into vector<1x1xf32>
      %zero = arith.constant dense<0.0> : vector<2x2xf32>
      %whole = nvgpu.mma.sync (%a_4, %b_2, %zero) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
      %half = nvgpu.mma.sync (%s_2, %u_1, %zero) {mmaShape = [16, 8, 4], tf32Enabled} : (vector<2x1xf32>, vector<1x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
      %t2 = arith.muli %t, %c2 : index
      %c_at = arith.addi %g8, %t2 : index
      %whole_row0 = vector.extract %whole[0] : vector<2xf32> from vector<2x2xf32>
      %whole_o0 = arith.constant 0 : index
      %whole_at0 = arith.addi %c_at, %whole_o0 : index
      vector.store %whole_row0, %out[%whole_at0] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %whole_row1 = vector.extract %whole[1] : vector<2xf32> from vector<2x2xf32>
      %whole_o1 = arith.constant 64 : index
      %whole_at1 = arith.addi %c_at, %whole_o1 : index
      vector.store %whole_row1, %out[%whole_at1] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %half_row0 = vector.extract %half[0] : vector<2xf32> from vector<2x2xf32>
      %half_o0 = arith.constant 128 : index
      %half_at0 = arith.addi %c_at, %half_o0 : index
      vector.store %half_row0, %out[%half_at0] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      %half_row1 = vector.extract %half[1] : vector<2xf32> from vector<2x2xf32>
      %half_o1 = arith.constant 192 : index
      %half_at1 = arith.addi %c_at, %half_o1 : index
      vector.store %half_row1, %out[%half_at1] {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
      gpu.return
    }
    // Matrices of 8 x 4 words of 32 bits, where row r of matrix i begins at 12 (8 i + r): four and two. Lane l stores its word of matrix i at
    // 32 i + l.
    gpu.func @wide_matrices(%in: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                            %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 1536, scratch = 0, barriers = 0>} {
      %lane = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c12 = arith.constant 12 : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %m = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<384xf32, #gpu.address_space<workgroup>>
      %from = arith.muli %lane, %c4 : index
      %row = arith.muli %lane, %c12 : index
      %elements = vector.load %in[%from] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      vector.store %elements, %m[%row] {alignment = 16 : i64} : memref<384xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      gpu.barrier
      %four = nvgpu.ldmatrix %m[%row] {numTiles = 4 : i32, transpose = false} : memref<384xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
      %two = nvgpu.ldmatrix %m[%row] {numTiles = 2 : i32, transpose = false} : memref<384xf32, #gpu.address_space<workgroup>> -> vector<2x1xf32>
      %four0 = vector.extract %four[0, 0] : f32 from vector<4x1xf32>
      %four_o0 = arith.constant 0 : index
      %four_at0 = arith.addi %lane, %four_o0 : index
      memref.store %four0, %out[%four_at0] : memref<4096xf32>
      %four1 = vector.extract %four[1, 0] : f32 from vector<4x1xf32>
      %four_o1 = arith.constant 32 : index
      %four_at1 = arith.addi %lane, %four_o1 : index
      memref.store %four1, %out[%four_at1] : memref<4096xf32>
      %four2 = vector.extract %four[2, 0] : f32 from vector<4x1xf32>
      %four_o2 = arith.constant 64 : index
      %four_at2 = arith.addi %lane, %four_o2 : index
      memref.store %four2, %out[%four_at2] : memref<4096xf32>
      %four3 = vector.extract %four[3, 0] : f32 from vector<4x1xf32>
      %four_o3 = arith.constant 96 : index
      %four_at3 = arith.addi %lane, %four_o3 : index
      memref.store %four3, %out[%four_at3] : memref<4096xf32>
      %two0 = vector.extract %two[0, 0] : f32 from vector<2x1xf32>
      %two_o0 = arith.constant 128 : index
      %two_at0 = arith.addi %lane, %two_o0 : index
      memref.store %two0, %out[%two_at0] : memref<4096xf32>
      %two1 = vector.extract %two[1, 0] : f32 from vector<2x1xf32>
      %two_o1 = arith.constant 160 : index
      %two_at1 = arith.addi %lane, %two_o1 : index
      memref.store %two1, %out[%two_at1] : memref<4096xf32>
      gpu.return
    }
    // Roundings to TF32, to nearest and of ties away from zero.
    gpu.func @tf32_roundings(%in: memref<32xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                             %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %lane = gpu.thread_id x
      %x = memref.load %in[%lane] : memref<32xf32>
      %bits = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>}
      %rounded = arith.bitcast %bits : i32 to f32
      memref.store %rounded, %out[%lane] : memref<4096xf32>
      gpu.return
    }
    // Asynchronous copies to shared memory are there behind the wait for their group, no sooner: a thread stores ones to two vectors,
    // copies to both, of the second two elements with zeros for the others, and looks at them before and behind each wait.
    gpu.func @copies(%in: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                     %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 64, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 4, block = 64, registers = 64, shared = 2048, scratch = 0, barriers = 0>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %c256 = arith.constant 256 : index
      %ones = arith.constant dense<1.0> : vector<4xf32>
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %m = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<512xf32, #gpu.address_space<workgroup>>
      %a = arith.muli %tid, %c4 : index
      %b = arith.addi %a, %c256 : index
      %before = arith.muli %bid, %c64 : index
      %number = arith.addi %before, %tid : index
      %from = arith.muli %number, %c4 : index
      %to0 = arith.muli %number, %c16 : index
      vector.store %ones, %m[%a] {alignment = 16 : i64} : memref<512xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      vector.store %ones, %m[%b] {alignment = 16 : i64} : memref<512xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %first = nvgpu.device_async_copy %in[%from], %m[%a], 4 {bypassL1} : memref<4096xf32> to memref<512xf32, #gpu.address_space<workgroup>>
      nvvm.cp.async.commit.group
      %second = nvgpu.device_async_copy %in[%from], %m[%b], 4, %c2 {bypassL1} : memref<4096xf32> to memref<512xf32, #gpu.address_space<workgroup>>
      nvvm.cp.async.commit.group
      %early = vector.load %m[%a] {alignment = 16 : i64} : memref<512xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %early_place = arith.constant 0 : index
      %early_to = arith.addi %to0, %early_place : index
      vector.store %early, %out[%early_to] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      nvvm.cp.async.wait.group 1
      %one = vector.load %m[%a] {alignment = 16 : i64} : memref<512xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %one_place = arith.constant 4 : index
      %one_to = arith.addi %to0, %one_place : index
      vector.store %one, %out[%one_to] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      %other = vector.load %m[%b] {alignment = 16 : i64} : memref<512xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %other_place = arith.constant 8 : index
      %other_to = arith.addi %to0, %other_place : index
      vector.store %other, %out[%other_to] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      nvvm.cp.async.wait.group 0
      %both = vector.load %m[%b] {alignment = 16 : i64} : memref<512xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %both_place = arith.constant 12 : index
      %both_to = arith.addi %to0, %both_place : index
      vector.store %both, %out[%both_to] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      gpu.return
    }
    // 8 rows of 512, one row a block of 128 threads: 4 values a thread.
    gpu.func @softmax(%in: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 128, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 8, block = 128, registers = 32, shared = 32, scratch = 0, barriers = 0>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c512 = arith.constant 512 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %base = arith.muli %bid, %c512 : index
      %off = arith.muli %tid, %c4 : index
      %i = arith.addi %base, %off : index
      %x = vector.load %in[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      %x0 = vector.extract %x[0] : f32 from vector<4xf32>
      %x1 = vector.extract %x[1] : f32 from vector<4xf32>
      %x2 = vector.extract %x[2] : f32 from vector<4xf32>
      %x3 = vector.extract %x[3] : f32 from vector<4xf32>
      %m0 = arith.maximumf %x0, %x1 : f32
      %m1 = arith.maximumf %x2, %x3 : f32
      %m2 = arith.maximumf %m0, %m1 : f32
      %w32 = arith.constant 32 : i32
      %o16 = arith.constant 16 : i32
      %o8 = arith.constant 8 : i32
      %o4 = arith.constant 4 : i32
      %o2 = arith.constant 2 : i32
      %o1 = arith.constant 1 : i32
      %s16, %p16 = gpu.shuffle xor %m2, %o16, %w32 : f32
      %m3 = arith.maximumf %m2, %s16 : f32
      %s8, %p8 = gpu.shuffle xor %m3, %o8, %w32 : f32
      %m4 = arith.maximumf %m3, %s8 : f32
      %s4, %p4 = gpu.shuffle xor %m4, %o4, %w32 : f32
      %m5 = arith.maximumf %m4, %s4 : f32
      %s2, %p2 = gpu.shuffle xor %m5, %o2, %w32 : f32
      %m6 = arith.maximumf %m5, %s2 : f32
      %s1, %p1 = gpu.shuffle xor %m6, %o1, %w32 : f32
      %m7 = arith.maximumf %m6, %s1 : f32
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %smax = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %ssum = memref.view %shared[%c16][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %warp = arith.divui %tid, %c32 : index
      %lane = arith.remui %tid, %c32 : index
      %first = arith.cmpi eq, %lane, %c0 : index
      scf.if %first {
        memref.store %m7, %smax[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %ninf = arith.constant 0xFF800000 : f32
      %mx = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %ninf) -> f32 {
        %v = memref.load %smax[%k] : memref<4xf32, #gpu.address_space<workgroup>>
        %n = arith.maximumf %acc, %v : f32
        scf.yield %n : f32
      }
      %mb = vector.broadcast %mx : f32 to vector<4xf32>
      %d = arith.subf %x, %mb : vector<4xf32>
      %e = math.exp %d : vector<4xf32>
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
        %v = vector.extract %e[%k] : f32 from vector<4xf32>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      }
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %sum) -> f32 {
        %ki = arith.index_cast %k : index to i32
        %o = arith.shrui %o16, %ki : i32
        %s, %p = gpu.shuffle xor %acc, %o, %w32 : f32
        %n = arith.addf %acc, %s : f32
        scf.yield %n : f32
      }
      %r1, %q1 = gpu.shuffle xor %r, %o1, %w32 : f32
      %r2 = arith.addf %r, %r1 : f32
      scf.if %first {
        memref.store %r2, %ssum[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %sv = vector.load %ssum[%c0] {alignment = 16 : i64} : memref<4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %t0 = vector.extract %sv[0] : f32 from vector<4xf32>
      %t1 = vector.extract %sv[1] : f32 from vector<4xf32>
      %t2 = vector.extract %sv[2] : f32 from vector<4xf32>
      %t3 = vector.extract %sv[3] : f32 from vector<4xf32>
      %u0 = arith.addf %t0, %t1 : f32
      %u1 = arith.addf %u0, %t2 : f32
      %u2 = arith.addf %u1, %t3 : f32
      %sb = vector.broadcast %u2 : f32 to vector<4xf32>
      %y = arith.divf %e, %sb : vector<4xf32>
      vector.store %y, %out[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      gpu.return
    }
    gpu.func @split_sum(%in: memref<8192xbf16> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %out: memref<8xf32> {llvm.align = 16 : i64, llvm.noalias},
                      %scratch: memref<128xi8> {llvm.align = 16 : i64, llvm.noalias},
                      %counter: memref<1xi32> {llvm.align = 16 : i64}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 32, block = 32, registers = 64, shared = 0, scratch = 128, barriers = 1>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c256 = arith.constant 256 : index
      %c8 = arith.constant 8 : index
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %base = arith.muli %bid, %c256 : index
      %off = arith.muli %tid, %c8 : index
      %i = arith.addi %base, %off : index
      %x = vector.load %in[%i] {alignment = 16 : i64} : memref<8192xbf16>, vector<8xbf16>
      %xf = arith.extf %x : vector<8xbf16> to vector<8xf32>
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> f32 {
        %v = vector.extract %xf[%k] : f32 from vector<8xf32>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      }
      %w32 = arith.constant 32 : i32
      %o16 = arith.constant 16 : i32
      %c5 = arith.constant 5 : index
      %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%acc = %sum) -> f32 {
        %ki = arith.index_cast %k : index to i32
        %o = arith.shrui %o16, %ki : i32
        %s, %p = gpu.shuffle xor %acc, %o, %w32 : f32
        %n = arith.addf %acc, %s : f32
        scf.yield %n : f32
      }
      %part = memref.view %scratch[%c0][] : memref<128xi8> to memref<32xf32>
      %first = arith.cmpi eq, %tid, %c0 : index
      scf.if %first {
        memref.store %r, %part[%bid] : memref<32xf32>
      }
      stitch.grid_barrier %counter : memref<1xi32>
      %mine = arith.cmpi ult, %bid, %c8 : index
      %go = arith.andi %first, %mine : i1
      scf.if %go {
        %j = arith.muli %bid, %c4 : index
        %v = vector.load %part[%j] {alignment = 16 : i64} : memref<32xf32>, vector<4xf32>
        %t = vector.reduction <add>, %v : vector<4xf32> into f32
        memref.store %t, %out[%bid] : memref<8xf32>
      }
      gpu.return
    }

    // A block reverses tiles of 64 words through shared memory, three tiles a block.
    gpu.func @reverse(%in: memref<8192xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %out: memref<8192xi32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %blocks = gpu.grid_dim x
      %c0 = arith.constant 0 : index
      %c6 = arith.constant 6 : index
      %c63 = arith.constant 63 : index
      %c64 = arith.constant 64 : index
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %tile = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xi32, #gpu.address_space<workgroup>>
      scf.for %task = %bid to %c6 step %blocks {
        %base = arith.muli %task, %c64 : index
        %i = arith.addi %base, %tid : index
        %v = memref.load %in[%i] : memref<8192xi32>
        memref.store %v, %tile[%tid] : memref<64xi32, #gpu.address_space<workgroup>>
        gpu.barrier
        %mirror = arith.subi %c63, %tid : index
        %w = memref.load %tile[%mirror] : memref<64xi32, #gpu.address_space<workgroup>>
        memref.store %w, %out[%i] : memref<8192xi32>
        gpu.barrier
      }
      gpu.return
    }

    gpu.func @mixed(%h: memref<8192xbf16> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                    %p: memref<8192xi8> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                    %n: memref<8192xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                    %out: memref<8192xi64> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 512, 1, 1>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %size = gpu.block_dim x
      %base = arith.muli %bid, %size : index
      %i = arith.addi %base, %tid : index
      %x = memref.load %h[%i] : memref<8192xbf16>
      %square = arith.mulf %x, %x : bf16
      %sum = arith.addf %square, %x : bf16
      %wide = arith.extf %sum : bf16 to f32
      %word = arith.fptosi %wide : f32 to i32
      %no = arith.extsi %word : i32 to i64
      %k = memref.load %n[%i] : memref<8192xi32>
      %k64 = arith.extsi %k : i32 to i64
      %c3 = arith.constant 3 : i64
      %c7 = arith.constant 7 : i64
      %c2 = arith.constant 2 : i32
      %t = arith.muli %k64, %c3 : i64
      %q = arith.divsi %t, %c7 : i64
      %s = arith.shrsi %k, %c2 : i32
      %s64 = arith.extsi %s : i32 to i64
      %yes = arith.subi %q, %s64 : i64
      %b = memref.load %p[%i] : memref<8192xi8>
      %zero = arith.constant 0 : i8
      %which = arith.cmpi ne, %b, %zero : i8
      %r = arith.select %which, %yes, %no : i64
      memref.store %r, %out[%i] : memref<8192xi64>
      gpu.return
    }

    gpu.func @math(%in: memref<8192xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                   %out: memref<8192xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c128 = arith.constant 128 : index
      %base = arith.muli %bid, %c128 : index
      %i = arith.addi %base, %tid : index
      %x = memref.load %in[%i] : memref<8192xf32>
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f32
      %quarters = arith.constant 0.75 : f32
      %xx = arith.mulf %x, %x : f32
      %0 = math.tanh %x : f32
      %1 = math.erf %x : f32
      %2 = math.log1p %xx : f32
      %3 = math.expm1 %x : f32
      %xx1 = arith.addf %xx, %one : f32
      %4 = math.rsqrt %xx1 : f32
      %5 = math.powf %xx, %quarters : f32
      %6 = math.sin %x : f32
      %7 = math.cos %x : f32
      %8 = arith.mulf %6, %7 : f32
      %9 = math.floor %x : f32
      %10 = math.atan2 %x, %two : f32
      %11 = math.cbrt %x : f32
      %12 = math.roundeven %x : f32
      %s1 = arith.addf %0, %1 : f32
      %s2 = arith.addf %s1, %2 : f32
      %s3 = arith.addf %s2, %3 : f32
      %s4 = arith.addf %s3, %4 : f32
      %s5 = arith.addf %s4, %5 : f32
      %s6 = arith.addf %s5, %8 : f32
      %s7 = arith.addf %s6, %9 : f32
      %s8 = arith.addf %s7, %10 : f32
      %s9 = arith.addf %s8, %11 : f32
      %s10 = arith.addf %s9, %12 : f32
      memref.store %s10, %out[%i] : memref<8192xf32>
      gpu.return
    }

    gpu.func @shuffles(%n: memref<8192xi32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                       %h: memref<8192xbf16> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                       %out: memref<8192xi64> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
      %tid = gpu.thread_id x
      %v = memref.load %n[%tid] : memref<8192xi32>
      %x = memref.load %h[%tid] : memref<8192xbf16>
      %minus = arith.constant -1 : i32
      %c3 = arith.constant 3 : i32
      %c4 = arith.constant 4 : i32
      %c5 = arith.constant 5 : i32
      %c9 = arith.constant 9 : i32
      %c32 = arith.constant 32 : i32
      %c33 = arith.constant 33 : i64
      %up, %hasUp = gpu.shuffle up %v, %c3, %c32 : i32
      %u = arith.select %hasUp, %up, %minus : i32
      %down, %hasDown = gpu.shuffle down %v, %c5, %c32 : i32
      %d = arith.select %hasDown, %down, %minus : i32
      %lane = arith.index_cast %tid : index to i32
      %source = arith.divui %lane, %c4 : i32
      %v64 = arith.extsi %v : i32 to i64
      %big = arith.shli %v64, %c33 : i64
      %index, %hasIndex = gpu.shuffle idx %big, %source, %c32 : i64
      %y, %hasY = gpu.shuffle xor %x, %c9, %c32 : bf16
      %bits = arith.bitcast %y : bf16 to i16
      %e = arith.extui %bits : i16 to i64
      %u64 = arith.extsi %u : i32 to i64
      %d64 = arith.extsi %d : i32 to i64
      %s1 = arith.addi %u64, %d64 : i64
      %s2 = arith.addi %s1, %index : i64
      %s3 = arith.addi %s2, %e : i64
      memref.store %s3, %out[%tid] : memref<8192xi64>
      gpu.return
    }

    // Only half of the threads reach the barrier.
    gpu.func @divergent(%out: memref<8192xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
      %tid = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %early = arith.cmpi ult, %tid, %c32 : index
      scf.if %early {
        gpu.barrier
      }
      gpu.return
    }

    // The last block does not reach the grid barrier.
    gpu.func @missed_grid_barrier(%counter: memref<1xi32> {llvm.align = 16 : i64}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
      %bid = gpu.block_id x
      %c2 = arith.constant 2 : index
      %early = arith.cmpi ult, %bid, %c2 : index
      scf.if %early {
        stitch.grid_barrier %counter : memref<1xi32>
      }
      gpu.return
    }
  }
}
