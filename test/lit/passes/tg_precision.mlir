// RUN: stitch-opt %s --tg-precision -split-input-file | FileCheck %s
// RUN: stitch-opt %s --tg-precision=precision=strict -split-input-file | FileCheck %s --check-prefix=STRICT
// RUN: stitch-opt %s --tg-precision --stitch-remarks -split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --tg-precision=precision=fast -split-input-file | FileCheck %s --check-prefix=FAST
// RUN: stitch-opt %s --tg-precision -split-input-file | FileCheck %s --check-prefix=DEFAULT --implicit-check-not=tg.approximate
// RUN: not stitch-opt %s --tg-precision=precision=fastest -split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Kernels of attention divide by reciprocals of constants (the scale of scores), and the one of a gradient that keeps queries by those of
// its rows, as the forward one does its result, by the sum that all elements of a row share; the one that keeps keys has few elements of a row.
// RUN: sed 's/tg.mul \(.0, .scale\)/tg.div \1/' %S/../models/Inputs/attention_gradient.mlir > %t.attention.mlir
// RUN: stitch-compile %t.attention.mlir --pipeline=plan=attention-always --emit=plan -o - | FileCheck %s --check-prefix=ATTENTION
// ATTENTION: stitch.fusion
// ATTENTION: tg.div {{.*}} {tg.reciprocal} :
// ATTENTION: tg.div {{.*}} {tg.reciprocal, tg.unscaled} : tensor<2x2x37x37xf32>
// ATTENTION: stitch.fusion
// ATTENTION-COUNT-2: tg.div {{.*}} {tg.reciprocal} : tensor<2x2x37x37xf32>
// ATTENTION: stitch.fusion
// ATTENTION: tg.div {{.*}} {tg.reciprocal} :
// ATTENTION-NOT: tg.reciprocal

// Exponentials that become weights of 16 bits are a GPU's instruction, in the forward kernel and in those of the gradient, and so are quotients whose
// divisor no row shares; of weights of 32 bits they are not, nor with precision=strict. The bound of the whole model counts them (tg_error_bounds.mlir).
// RUN: mkdir -p %t.sizes
// RUN: %python %S/../models/Inputs/attention_sizes.py %t.sizes gradient
// RUN: stitch-compile %t.sizes/bf16_64.mlir --pipeline=plan=attention-always --emit=plan -o - | FileCheck %s --check-prefix=WEIGHTS
// RUN: stitch-compile %t.sizes/f32_64.mlir --pipeline=plan=attention-always --emit=plan -o - | FileCheck %s --check-prefix=EXACT
// RUN: stitch-compile %t.sizes/bf16_64.mlir --pipeline='plan=attention-always precision=strict' --emit=plan -o - | FileCheck %s --check-prefix=EXACT
// WEIGHTS: tg.exp {{.*}} {tg.approximate} : tensor<64x512x512xf32>
// WEIGHTS: tg.div {{.*}} {tg.reciprocal, tg.unscaled} : tensor<64x512x512xf32>
// WEIGHTS: tg.exp {{.*}} {tg.approximate} : tensor<64x512x512xf32>
// WEIGHTS: tg.div {{.*}} {tg.reciprocal} : tensor<64x512x512xf32>
// WEIGHTS: tg.exp {{.*}} {tg.approximate} : tensor<64x512x512xf32>
// WEIGHTS: tg.div {{.*}} {tg.approximate} : tensor<64x512x512xf32>
// EXACT: stitch.attention
// EXACT-NOT: tg.approximate

// UNKNOWN: error: pass 'tg-precision': option 'precision' must be strict, default or fast, and is 'fastest'
// STRICT-NOT: tg.contract
// STRICT-NOT: tg.reciprocal

// A product that an addition, a difference and a sum read is contracted; one that something else reads, too, is not.
// REMARK: contracted: it is not rounded before it is added
// CHECK-LABEL: func.func @products
// CHECK: tg.mul {{.*}} {tg.contract}
// CHECK-NEXT: tg.add {{.*}} {tg.contract}
// CHECK-NEXT: tg.sub {{.*}} {tg.contract}
// CHECK-NEXT: tg.reduce add {{.*}} {tg.contract}
// CHECK-NEXT: tg.mul %{{.*}}, %{{.*}} : tensor<8x8xf32>
// CHECK-NEXT: tg.add %{{.*}}, %{{.*}} : tensor<8x8xf32>
// CHECK-NEXT: tg.exp
// CHECK-NEXT: tg.mul %{{.*}}, %{{.*}} : tensor<8x8xf32>
// CHECK-NEXT: tg.reduce max %{{.*}} dims [1] :
func.func @products(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %0:6 = stitch.fusion(%x = %a, %y = %b) : (tensor<8x8xf32>, tensor<8x8xf32>)
      -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
    %1 = tg.mul %x, %y : tensor<8x8xf32>
    %2 = tg.add %1, %y : tensor<8x8xf32>
    %3 = tg.sub %x, %1 : tensor<8x8xf32>
    %4 = tg.reduce add %1 dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %5 = tg.mul %x, %x : tensor<8x8xf32>
    %6 = tg.add %5, %y : tensor<8x8xf32>
    %7 = tg.exp %5 : tensor<8x8xf32>
    %8 = tg.mul %y, %y : tensor<8x8xf32>
    %9 = tg.reduce max %8 dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    stitch.yield %2, %3, %4, %6, %7, %9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5
      : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// -----

// A product less itself is zero, and would be its own rounding error.
// CHECK-LABEL: func.func @twice
// CHECK: tg.mul %{{.*}}, %{{.*}} : tensor<8x8xf32>
// CHECK-NEXT: tg.sub %{{.*}}, %{{.*}} : tensor<8x8xf32>
func.func @twice(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stitch.fusion(%x = %a, %y = %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
    %1 = tg.mul %x, %y : tensor<8x8xf32>
    %2 = tg.sub %1, %1 : tensor<8x8xf32>
    stitch.yield %2 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// In 16 bits the graph rounds the product; integers have nothing to round.
// CHECK-LABEL: func.func @other_types
// CHECK-NOT: tg.contract
func.func @other_types(%a: tensor<8x8xbf16>, %b: tensor<8x8xi32>) -> (tensor<8x8xbf16>, tensor<8x8xi32>) {
  %0:2 = stitch.fusion(%x = %a, %y = %b) : (tensor<8x8xbf16>, tensor<8x8xi32>) -> (tensor<8x8xbf16>, tensor<8x8xi32>) {
    %1 = tg.mul %x, %x : tensor<8x8xbf16>
    %2 = tg.add %1, %x : tensor<8x8xbf16>
    %3 = tg.mul %y, %y : tensor<8x8xi32>
    %4 = tg.add %3, %y : tensor<8x8xi32>
    stitch.yield %2, %4 : tensor<8x8xbf16>, tensor<8x8xi32>
  }
  return %0#0, %0#1 : tensor<8x8xbf16>, tensor<8x8xi32>
}

// -----

// A thread that goes down columns inverts their divisors, if it has at least four elements of each; with precision=fast a GPU's own division is shorter.
// REMARK: divides by a reciprocal in two parts: the elements that a thread goes down share the divisor
// CHECK-LABEL: func.func @columns
// CHECK: tg.div {{.*}}tg.reciprocal} : tensor<64x32xf32>
// FAST-LABEL: func.func @columns
// FAST: tg.div {{.*}}tg.approximate} : tensor<64x32xf32>
func.func @columns(%a: tensor<64x32xf32>, %s: tensor<32xf32>) -> tensor<64x32xf32> {
  %0 = stitch.fusion(%x = %a, %y = %s) : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32> {
    %1 = tg.broadcast %y dims [1] {stitch.group = 0 : i64} : (tensor<32xf32>) -> tensor<64x32xf32>
    %2 = tg.div %x, %1 {stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<column, rows = 64, columns = 32, block_rows = 16, row_threads = 32, vector = 1, unroll = 1, split = 1>} : tensor<64x32xf32>
    stitch.yield %2 : tensor<64x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

// -----

// CHECK-LABEL: func.func @short_columns
// CHECK-NOT: tg.reciprocal
// CHECK: stitch.yield
func.func @short_columns(%a: tensor<64x32xf32>, %s: tensor<32xf32>) -> tensor<64x32xf32> {
  %0 = stitch.fusion(%x = %a, %y = %s) : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32> {
    %1 = tg.broadcast %y dims [1] {stitch.group = 0 : i64} : (tensor<32xf32>) -> tensor<64x32xf32>
    %2 = tg.div %x, %1 {stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<column, rows = 64, columns = 32, block_rows = 32, row_threads = 32, vector = 1, unroll = 1, split = 1>} : tensor<64x32xf32>
    stitch.yield %2 : tensor<64x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

// -----

// Divisors of rows and constants are inverted; those of columns that no mapping goes down, of single elements, and powers of two are not.
// REMARK: divides by a reciprocal in two parts
// CHECK-LABEL: func.func @quotients
// CHECK: tg.div {{.*}} {tg.reciprocal} : tensor<8x8xf32>
// CHECK: tg.div {{.*}} {tg.reciprocal} : tensor<8x8xf32>
// CHECK-NOT: tg.reciprocal
// CHECK: stitch.yield
func.func @quotients(%a: tensor<8x8xf32>, %s: tensor<8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:5 = stitch.fusion(%x = %a, %y = %s) : (tensor<8x8xf32>, tensor<8xf32>)
      -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %keep = tg.constant dense<0.9> : tensor<8x8xf32>
    %half = tg.constant dense<-0.5> : tensor<8x8xf32>
    %rows = tg.broadcast %y dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %columns = tg.broadcast %y dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %1 = tg.div %x, %rows : tensor<8x8xf32>
    %2 = tg.div %x, %keep : tensor<8x8xf32>
    %3 = tg.div %x, %columns : tensor<8x8xf32>
    %4 = tg.div %x, %x : tensor<8x8xf32>
    %5 = tg.div %x, %half : tensor<8x8xf32>
    stitch.yield %1, %2, %3, %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A GPU approximates these in f32 and 16 bits, not in f64; a shared divisor is inverted in any case.
// DEFAULT-LABEL: func.func @approximations
// FAST-LABEL: func.func @approximations
// FAST: tg.exp %{{.*}} {tg.approximate} : tensor<8x8xf32>
// FAST-NEXT: tg.tanh %{{.*}} {tg.approximate} : tensor<8x8xbf16>
// FAST-NEXT: tg.logistic %{{.*}} {tg.approximate} : tensor<8x8xbf16>
// FAST-NEXT: tg.sqrt %{{.*}} {tg.approximate} : tensor<8x8xf32>
// FAST-NEXT: tg.rsqrt %{{.*}} {tg.approximate} : tensor<8x8xf32>
// FAST-NEXT: tg.div %{{.*}}, %{{.*}} {tg.approximate} : tensor<8x8xf32>
// FAST-NEXT: tg.log %{{[0-9]+}} : tensor<8x8xf32>
// FAST-NEXT: tg.exp %{{[a-z0-9]+}} : tensor<8x8xf64>
// FAST-NEXT: tg.reduce add
// FAST-NEXT: tg.broadcast
// FAST-NEXT: tg.div %{{.*}}, %{{.*}} {tg.reciprocal} : tensor<8x8xf32>
func.func @approximations(%a: tensor<8x8xf32>, %b: tensor<8x8xbf16>, %c: tensor<8x8xf64>)
    -> (tensor<8x8xf32>, tensor<8x8xbf16>, tensor<8x8xf64>, tensor<8x8xf32>) {
  %0:4 = stitch.fusion(%x = %a, %y = %b, %z = %c) : (tensor<8x8xf32>, tensor<8x8xbf16>, tensor<8x8xf64>)
      -> (tensor<8x8xf32>, tensor<8x8xbf16>, tensor<8x8xf64>, tensor<8x8xf32>) {
    %1 = tg.exp %x : tensor<8x8xf32>
    %2 = tg.tanh %y : tensor<8x8xbf16>
    %3 = tg.logistic %2 : tensor<8x8xbf16>
    %4 = tg.sqrt %1 : tensor<8x8xf32>
    %5 = tg.rsqrt %4 : tensor<8x8xf32>
    %6 = tg.div %5, %x : tensor<8x8xf32>
    %7 = tg.log %6 : tensor<8x8xf32>
    %8 = tg.exp %z : tensor<8x8xf64>
    %9 = tg.reduce add %x dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %10 = tg.broadcast %9 dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %11 = tg.div %7, %10 : tensor<8x8xf32>
    stitch.yield %7, %3, %8, %11 : tensor<8x8xf32>, tensor<8x8xbf16>, tensor<8x8xf64>, tensor<8x8xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8x8xf32>, tensor<8x8xbf16>, tensor<8x8xf64>, tensor<8x8xf32>
}

// -----

// The reciprocal of a root is one instruction of a GPU's by default, too; not in f64, and not where a kernel reads several vectors of 16 bits for
// all rows, whose loads ptxas would move before it.
// REMARK: the reciprocal of a root is one instruction on a GPU
// CHECK-LABEL: func.func @roots
// CHECK: tg.rsqrt %{{.*}} {tg.reciprocal} : tensor<8xf32>
// CHECK: tg.rsqrt %{{[a-z0-9]+}} : tensor<8xf64>
// CHECK: tg.rsqrt %{{[a-z0-9]+}} : tensor<8xf32>
// STRICT-LABEL: func.func @roots
// STRICT-NOT: tg.reciprocal
func.func @roots(%a: tensor<8x8xf32>, %b: tensor<8xf32>, %c: tensor<8xf64>, %d: tensor<8xbf16>)
    -> (tensor<8xf32>, tensor<8xf64>, tensor<8xf32>) {
  %0:2 = stitch.fusion(%x = %b, %z = %c, %y = %d) : (tensor<8xf32>, tensor<8xf64>, tensor<8xbf16>) -> (tensor<8xf32>, tensor<8xf64>) {
    %1 = tg.rsqrt %x : tensor<8xf32>
    %2 = tg.rsqrt %z : tensor<8xf64>
    stitch.yield %1, %2 : tensor<8xf32>, tensor<8xf64>
  }
  %3 = stitch.fusion(%m = %a, %x = %b, %gamma = %d, %beta = %d) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xf32> {
    %4 = tg.rsqrt %x : tensor<8xf32>
    stitch.yield %4 : tensor<8xf32>
  }
  return %0#0, %0#1, %3 : tensor<8xf32>, tensor<8xf64>, tensor<8xf32>
}

// -----

// A planned kernel may have registers for all of them: 32 words of a row's elements and 32 of gamma and beta, and 16 besides; 8 more where
// several warps have a row.
// CHECK-LABEL: func.func @root_with_registers
// CHECK: tg.rsqrt %{{.*}} {tg.reciprocal} : tensor<64xf32>
// CHECK: tg.rsqrt %{{[a-z0-9]+}} : tensor<64xf32>
// CHECK: tg.rsqrt %{{[a-z0-9]+}} : tensor<64xf32>
func.func @root_with_registers(%a: tensor<64x1024xf16>, %b: tensor<64xf32>, %d: tensor<1024xf16>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stitch.fusion(%m = %a, %x = %b, %gamma = %d, %beta = %d) : (tensor<64x1024xf16>, tensor<64xf32>, tensor<1024xf16>, tensor<1024xf16>) -> tensor<64xf32>
      attributes {stitch.launch = #stitch.launch<grid = 8, block = 256, registers = 96, shared = 0, scratch = 0, barriers = 0>} {
    %w = tg.convert %m : (tensor<64x1024xf16>) -> tensor<64x1024xf32>
    %s = tg.reduce add %w dims [1] {stitch.mapping = #stitch.mapping<row, rows = 64, columns = 1024, block_rows = 8, row_threads = 32, vector = 8, unroll = 4, split = 1>} : (tensor<64x1024xf32>) -> tensor<64xf32>
    %1 = tg.rsqrt %s : tensor<64xf32>
    stitch.yield %1 : tensor<64xf32>
  }
  %2 = stitch.fusion(%m = %a, %x = %b, %gamma = %d, %beta = %d) : (tensor<64x1024xf16>, tensor<64xf32>, tensor<1024xf16>, tensor<1024xf16>) -> tensor<64xf32>
      attributes {stitch.launch = #stitch.launch<grid = 8, block = 256, registers = 72, shared = 0, scratch = 0, barriers = 0>} {
    %w = tg.convert %m : (tensor<64x1024xf16>) -> tensor<64x1024xf32>
    %s = tg.reduce add %w dims [1] {stitch.mapping = #stitch.mapping<row, rows = 64, columns = 1024, block_rows = 8, row_threads = 32, vector = 8, unroll = 4, split = 1>} : (tensor<64x1024xf32>) -> tensor<64xf32>
    %3 = tg.rsqrt %s : tensor<64xf32>
    stitch.yield %3 : tensor<64xf32>
  }
  %4 = stitch.fusion(%m = %a, %x = %b, %gamma = %d, %beta = %d) : (tensor<64x1024xf16>, tensor<64xf32>, tensor<1024xf16>, tensor<1024xf16>) -> tensor<64xf32> {
    %5 = tg.rsqrt %x : tensor<64xf32>
    stitch.yield %5 : tensor<64xf32>
  }
  return %0, %2, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Gelu: 1 + tanh(y) is 2 logistic(2 y), and the factors of two go to constants that are near: here y's, and one half, which is one then.
// CHECK-LABEL: func.func @gelu
// CHECK-NOT: tg.tanh
// CHECK: %[[FACTOR:.*]] = tg.constant dense<1.600000e+00>
// CHECK: %[[Y:.*]] = tg.mul %{{.*}}, %[[FACTOR]]
// CHECK: %[[S:.*]] = tg.logistic %[[Y]] {tg.reciprocal} : tensor<8x8xf32>
// CHECK-NEXT: %[[G:.*]] = tg.mul %{{.*}}, %[[S]]
// CHECK-NEXT: stitch.yield %[[G]]
// REMARK: a sum of one and a hyperbolic tangent is a logistic function
// STRICT-LABEL: func.func @gelu
// STRICT: tg.tanh
// FAST-LABEL: func.func @gelu
// FAST: tg.tanh {{.*}} {tg.approximate}
func.func @gelu(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stitch.fusion(%x = %a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %c = tg.constant dense<0.8> : tensor<8x8xf32>
    %one = tg.constant dense<1.0> : tensor<8x8xf32>
    %half = tg.constant dense<0.5> : tensor<8x8xf32>
    %1 = tg.mul %x, %c : tensor<8x8xf32>
    %2 = tg.tanh %1 : tensor<8x8xf32>
    %3 = tg.add %2, %one : tensor<8x8xf32>
    %4 = tg.mul %x, %3 : tensor<8x8xf32>
    %5 = tg.mul %4, %half {stitch.role = #stitch.role<member>} : tensor<8x8xf32>
    stitch.yield %5 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// A root keeps its product with one; its constant is none.
// CHECK-LABEL: func.func @root
// CHECK: tg.constant {stitch.role = #stitch.role<member>} dense<1.000000e+00>
// CHECK-NEXT: tg.mul {{.*}} {stitch.role = #stitch.role<dominant>}
func.func @root(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stitch.fusion(%x = %a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %one = tg.constant dense<1.0> : tensor<8x8xf32>
    %half = tg.constant {stitch.role = #stitch.role<member>} dense<0.5> : tensor<8x8xf32>
    %1 = tg.tanh %x : tensor<8x8xf32>
    %2 = tg.add %1, %one : tensor<8x8xf32>
    %3 = tg.mul %2, %half {stitch.role = #stitch.role<dominant>} : tensor<8x8xf32>
    stitch.yield %3 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// The factor of x takes it; where none is near, and where none is a constant, the factors are written out.
// CHECK-LABEL: func.func @factors
// CHECK: %[[X3:.*]] = tg.mul %[[X:.*]], %[[SIX:.*]] :
// CHECK: %[[TWO_Y:.*]] = tg.add %[[X]], %[[X]]
// CHECK: %[[S:.*]] = tg.logistic %[[TWO_Y]]
// CHECK: %[[FIRST:.*]] = tg.mul %[[X3]], %[[S]]
// CHECK: tg.logistic
// CHECK: %[[TWO:.*]] = tg.constant dense<2.000000e+00>
// CHECK: %[[SECOND:.*]] = tg.mul %{{.*}}, %[[TWO]]
// CHECK: stitch.yield %[[FIRST]], %[[SECOND]]
func.func @factors(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = stitch.fusion(%x = %a, %z = %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %one = tg.constant dense<1.0> : tensor<8x8xf32>
    %three = tg.constant dense<3.0> : tensor<8x8xf32>
    %1 = tg.mul %x, %three : tensor<8x8xf32>
    %2 = tg.tanh %x : tensor<8x8xf32>
    %3 = tg.add %one, %2 : tensor<8x8xf32>
    %4 = tg.mul %1, %3 : tensor<8x8xf32>
    %5 = tg.tanh %z : tensor<8x8xf32>
    %6 = tg.add %5, %one : tensor<8x8xf32>
    stitch.yield %4, %6 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A tangent that something else reads, a root, and f64 stay.
// CHECK-LABEL: func.func @tangents
// CHECK-NOT: tg.logistic
// CHECK: return
func.func @tangents(%a: tensor<8x8xf32>, %b: tensor<8x8xf64>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>) {
  %0:4 = stitch.fusion(%x = %a, %z = %b) : (tensor<8x8xf32>, tensor<8x8xf64>)
      -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>) {
    %one = tg.constant dense<1.0> : tensor<8x8xf32>
    %wide = tg.constant dense<1.0> : tensor<8x8xf64>
    %1 = tg.tanh %x : tensor<8x8xf32>
    %2 = tg.add %1, %one : tensor<8x8xf32>
    %3 = tg.tanh %z : tensor<8x8xf64>
    %4 = tg.add %3, %wide : tensor<8x8xf64>
    %5 = tg.tanh %2 {stitch.role = #stitch.role<dominant>} : tensor<8x8xf32>
    %6 = tg.add %5, %one : tensor<8x8xf32>
    stitch.yield %1, %2, %4, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf64>, tensor<8x8xf32>
}

// -----

// A softmax divides by a sum of which one term is one: it needs no scale. (Of another value's maximum nothing is known, nor along other dimensions.)
// CHECK-LABEL: func.func @softmax
// CHECK: tg.div {{.*}} {tg.reciprocal, tg.unscaled} : tensor<8x8xf32>
// CHECK: tg.div {{.*}} {tg.reciprocal} : tensor<8x8xf32>
// CHECK: tg.div {{.*}} {tg.reciprocal} : tensor<8x8xf32>
// REMARK: divides by a reciprocal in two parts: a row's elements share the divisor, which is at least one
func.func @softmax(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:3 = stitch.fusion(%x = %a, %z = %c) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %m = tg.reduce max %x dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %mb = tg.broadcast %m dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %s = tg.sub %x, %mb : tensor<8x8xf32>
    %e = tg.exp %s : tensor<8x8xf32>
    %t = tg.reduce add %e dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %tb = tg.broadcast %t dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %p = tg.div %e, %tb : tensor<8x8xf32>
    %s2 = tg.sub %z, %mb : tensor<8x8xf32>
    %e2 = tg.exp %s2 : tensor<8x8xf32>
    %t2 = tg.reduce add %e2 dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %tb2 = tg.broadcast %t2 dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %p2 = tg.div %e2, %tb2 : tensor<8x8xf32>
    %mb3 = tg.broadcast %m dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %s3 = tg.sub %x, %mb3 : tensor<8x8xf32>
    %e3 = tg.exp %s3 : tensor<8x8xf32>
    %t3 = tg.reduce add %e3 dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %tb3 = tg.broadcast %t3 dims [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %p3 = tg.div %e3, %tb3 : tensor<8x8xf32>
    stitch.yield %p, %p2, %p3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Of a sum of two products both are rounded, whatever has moved or chosen one of them, in the fusion or in one before; with precision=fast one is not.
// CHECK-LABEL: func.func @two_products
// CHECK-NOT: tg.contract
// FAST-LABEL: func.func @two_products
// FAST: stitch.yield
// FAST: tg.mul {{.*}} {tg.contract}
// FAST: tg.sub {{.*}} {tg.contract}
// FAST: tg.mul {{.*}} {tg.contract}
// FAST: tg.add {{.*}} {tg.contract}
func.func @two_products(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %before = stitch.fusion(%x = %a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %1 = tg.mul %x, %x : tensor<8x8xf32>
    stitch.yield %1 : tensor<8x8xf32>
  }
  %0:2 = stitch.fusion(%x = %a, %y = %b, %z = %before) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %1 = tg.mul %x, %y : tensor<8x8xf32>
    %2 = tg.sub %1, %z : tensor<8x8xf32>
    %3 = tg.mul %y, %y : tensor<8x8xf32>
    %4 = tg.mul %x, %x : tensor<8x8xf32>
    %5 = tg.max %4, %x : tensor<8x8xf32>
    %6 = tg.transpose %5 permutation [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %7 = tg.neg %6 : tensor<8x8xf32>
    %8 = tg.add %7, %3 : tensor<8x8xf32>
    stitch.yield %2, %8 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
