// RUN: stitch-compile %s --target=sm_90 --device=h200 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=NARROW
// RUN: stitch-compile %s --device=h200 --target=simt -o %t.so && stitch-run %t.so --check --seed=3
// RUN: sed 's/512x1024/77x8/g' %s > %t.short.mlir
// RUN: stitch-compile %t.short.mlir --target=sm_70 --device=v100 --emit=ptx -o %t.short.ptx
// RUN: FileCheck %s --input-file=%t.short.ptx --check-prefix=NARROW
// RUN: stitch-compile %t.short.mlir --device=v100 --target=simt -o %t.short.so && stitch-run %t.short.so --check --seed=4

// Masks take a byte an element in memory; a thread has several of them side by side, and reads and writes them by words: comparisons that are
// results, in f32 and bf16, selects by an input, a dropout that leaves its mask. No access has one byte, or two. (The last elements of a tensor that are no whole vector are read one by one.)

// CHECK: ld.global.nc{{.*}}.v2.b32
// CHECK: st.global.v2.b32
// NARROW-NOT: {{(ld|st)\.global[a-z.]*\.[a-z](8|16) }}
// NARROW: .visible .entry
// NARROW-NOT: {{(ld|st)\.global[a-z.]*\.[a-z](8|16) }}
func.func @main(%a: tensor<512x1024xf32>, %b: tensor<512x1024xf32>, %m: tensor<512x1024xi1>, %c: tensor<512x1024xbf16>, %d: tensor<512x1024xbf16>)
    -> (tensor<512x1024xi1>, tensor<512x1024xi1>, tensor<512x1024xf32>, tensor<512x1024xbf16>, tensor<512x1024xf32>, tensor<512x1024xi1>) {
  %0 = tg.compare lt, %a, %b : tensor<512x1024xf32>
  %1 = tg.compare lt, %c, %d : tensor<512x1024xbf16>
  %2 = tg.select %m, %a, %b : tensor<512x1024xi1>, tensor<512x1024xf32>
  %3 = tg.select %m, %c, %d : tensor<512x1024xi1>, tensor<512x1024xbf16>
  %keep = tg.constant dense<0.9> : tensor<512x1024xf32>
  %zero = tg.constant dense<0.0> : tensor<512x1024xf32>
  %kept = tg.compare lt, %b, %keep : tensor<512x1024xf32>
  %scaled = tg.div %a, %keep : tensor<512x1024xf32>
  %4 = tg.select %kept, %scaled, %zero : tensor<512x1024xi1>, tensor<512x1024xf32>
  return %0, %1, %2, %3, %4, %kept : tensor<512x1024xi1>, tensor<512x1024xi1>, tensor<512x1024xf32>, tensor<512x1024xbf16>, tensor<512x1024xf32>, tensor<512x1024xi1>
}
