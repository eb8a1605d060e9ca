// Operations that are kernels of their own: how they are launched, and a run with the checks of the simt device. What they compute:
// test/operations/kernel_ops.py.
// RUN: stitch-compile %s --emit=gpu --no-reference -o - | FileCheck %s
// RUN: stitch-compile %s -o %t.so --target=simt,sm_80 --no-reference --checks
// RUN: stitch-run %t.so --device=simt --thread-order=2
// RUN: stitch-opt %s --stitch-pipeline=device=h200 --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: a kernel of its own: 10 blocks of 256 threads, 1 grid barriers

// A sort of a line that does not fit into shared memory works in scratch memory, between grid barriers.
// CHECK-DAG: gpu.func @sort_{{[0-9]+}}(%{{[^:]*}}: memref<10000xf32> {{{.*}}llvm.readonly}, %{{[^:]*}}: memref<10000xi32> {{{.*}}llvm.readonly}, %{{[^:]*}}: memref<10000xf32> {{{[^}]*}}}, %{{[^:]*}}: memref<10000xi32> {{{[^}]*}}}, %{{[^:]*}}: memref<120000xi8>
// CHECK-DAG: gpu.func @top_k_{{[0-9]+}}({{.*}}barriers = 0>
// CHECK-DAG: gpu.func @scatter_{{[0-9]+}}({{.*}}barriers = 0>
// CHECK-DAG: gpu.func @cumulative_{{[0-9]+}}({{.*}}barriers = 1>
// CHECK-DAG: gpu.func @select_and_scatter_{{[0-9]+}}({{.*}}shared = 0

func.func @main(%keys: tensor<10000xf32>, %numbers: tensor<10000xi32>, %x: tensor<5x300xbf16>, %table: tensor<50x33xf16>,
                %rows: tensor<70xi32>, %updates: tensor<70x33xf16>, %line: tensor<1x50001xf32>, %image: tensor<2x3x9x9xf32>,
                %gradient: tensor<2x3x5x5xf32>)
    -> (tensor<10000xf32>, tensor<10000xi32>, tensor<5x7xbf16>, tensor<5x7xi32>, tensor<50x33xf16>, tensor<1x50001xf32>,
        tensor<2x3x9x9xf32>) {
  %sorted:2 = tg.sort %keys, %numbers dim 0 is_stable : tensor<10000xf32>, tensor<10000xi32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %before = tg.compare lt, %a, %b total_order : tensor<f32>
    tg.yield %before : tensor<i1>
  }
  %largest, %where = tg.top_k %x k 7 : (tensor<5x300xbf16>) -> (tensor<5x7xbf16>, tensor<5x7xi32>)
  %scattered = tg.scatter add %table, %rows, %updates update_window_dims [1] inserted_window_dims [0]
      scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<50x33xf16>, tensor<70xi32>, tensor<70x33xf16>) -> tensor<50x33xf16>
  %sums = tg.cumulative add %line dim 1 reverse : tensor<1x50001xf32>
  %unpooled = tg.select_and_scatter max add %image, %gradient window_dimensions [1, 1, 3, 3] window_strides [1, 1, 2, 2]
      padding_low [0, 0, 1, 1] padding_high [0, 0, 1, 1] : (tensor<2x3x9x9xf32>, tensor<2x3x5x5xf32>) -> tensor<2x3x9x9xf32>
  return %sorted#0, %sorted#1, %largest, %where, %scattered, %sums, %unpooled : tensor<10000xf32>, tensor<10000xi32>,
      tensor<5x7xbf16>, tensor<5x7xi32>, tensor<50x33xf16>, tensor<1x50001xf32>, tensor<2x3x9x9xf32>
}
