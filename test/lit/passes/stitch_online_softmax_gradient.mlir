// RUN: stitch-opt %s -split-input-file -stitch-online-softmax=choose=always | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-online-softmax --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// The gradient of causal attention, of two heads that share keys and values. Weights are kept by the forward pass; the
// kernels compute them again, and the forward one leaves maxima and sums besides. The first one of the gradient has the
// sum of each row, too; the second one sums up the rows of both heads, and reads it.

// REMARK: gradient of attention: as 2 kernels {{[0-9]+}} ns, by 6 launches {{[0-9]+}} ns: kernels
// REMARK: attention of 2 batches of 74 rows, 37 keys, 24 and 40 elements: {{.*}}: one kernel
// CHECK-LABEL: func.func @gradient
// CHECK: %[[FORWARD:.*]]:3 = stitch.fusion
// CHECK-SAME: stitch.attention = #stitch.attention<fma, rows = 16, keys = 16, buffers = 2>
// CHECK: tg.reduce max
// CHECK: tg.reduce add
// CHECK: tg.dot {{.*}} contract [3] x [1]
// CHECK: %[[ROWS:.*]]:2 = stitch.fusion({{.*}} = %[[FORWARD]]#{{[12]}}
// CHECK-SAME: stitch.attention = #stitch.attention<fma, rows = 16, keys = 16, buffers = 2, gradient = true>
// CHECK-NOT: tg.reduce max
// CHECK: tg.reduce add
// CHECK: tg.dot {{.*}} contract [3] x [1]
// CHECK: %[[KEYS:.*]]:2 = stitch.fusion({{.*}} = %[[ROWS]]#1
// CHECK-SAME: stitch.attention = #stitch.attention<fma, rows = 16, keys = 16, buffers = 2, gradient = true>
// CHECK-NOT: tg.reduce
// CHECK: tg.dot {{.*}} contract [1, 2] x [1, 2]
// CHECK: tg.dot {{.*}} contract [1, 2] x [1, 2]
// CHECK: stitch.yield
// CHECK-NOT: tg.
// CHECK: return %[[FORWARD]]#0, %[[ROWS]]#0, %[[KEYS]]#{{[01]}}, %[[KEYS]]#{{[01]}}
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @gradient(%q: tensor<2x2x37x24xf32>, %k: tensor<2x37x24xf32>, %v: tensor<2x37x40xf32>, %do: tensor<2x2x37x40xf32>) -> (tensor<2x2x37x40xf32>, tensor<2x2x37x24xf32>, tensor<2x37x24xf32>, tensor<2x37x40xf32>) {
    %low = tg.constant dense<-1.0e+09> : tensor<2x2x37x37xf32>
    %zero = tg.constant dense<0.0> : tensor<2x2x37x37xf32>
    %scale = tg.constant dense<2.0e-01> : tensor<2x2x37x37xf32>
    %one = tg.constant dense<1.0> : tensor<2x2x37xf32>
    %i = tg.iota dim 0 : tensor<37xi32>
    %rows = tg.broadcast %i dims [0] : (tensor<37xi32>) -> tensor<37x37xi32>
    %keys = tg.broadcast %i dims [1] : (tensor<37xi32>) -> tensor<37x37xi32>
    %causal = tg.compare ge, %rows, %keys : tensor<37x37xi32>
    %mask = tg.broadcast %causal dims [2, 3] : (tensor<37x37xi1>) -> tensor<2x2x37x37xi1>
    %0 = tg.dot %q, %k batch [0] x [0] contract [3] x [2] : (tensor<2x2x37x24xf32>, tensor<2x37x24xf32>) -> tensor<2x2x37x37xf32>
    %1 = tg.mul %0, %scale : tensor<2x2x37x37xf32>
    %2 = tg.select %mask, %1, %low : tensor<2x2x37x37xi1>, tensor<2x2x37x37xf32>
    %3 = tg.reduce max %2 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %4 = tg.broadcast %3 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %5 = tg.sub %2, %4 : tensor<2x2x37x37xf32>
    %6 = tg.exp %5 : tensor<2x2x37x37xf32>
    %7 = tg.reduce add %6 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %8 = tg.broadcast %7 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %9 = tg.div %6, %8 : tensor<2x2x37x37xf32>
    %10 = tg.dot %9, %v batch [0] x [0] contract [3] x [1] : (tensor<2x2x37x37xf32>, tensor<2x37x40xf32>) -> tensor<2x2x37x40xf32>
    %11 = tg.dot %9, %do batch [0] x [0] contract [1, 2] x [1, 2] : (tensor<2x2x37x37xf32>, tensor<2x2x37x40xf32>) -> tensor<2x37x40xf32>
    %12 = tg.dot %do, %v batch [0] x [0] contract [3] x [2] : (tensor<2x2x37x40xf32>, tensor<2x37x40xf32>) -> tensor<2x2x37x37xf32>
    %13 = tg.mul %7, %7 : tensor<2x2x37xf32>
    %14 = tg.div %one, %13 : tensor<2x2x37xf32>
    %15 = tg.broadcast %14 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %16 = tg.mul %12, %15 : tensor<2x2x37x37xf32>
    %17 = tg.mul %16, %6 : tensor<2x2x37x37xf32>
    %18 = tg.reduce add %17 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %19 = tg.neg %18 : tensor<2x2x37xf32>
    %20 = tg.broadcast %19 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %21 = tg.div %12, %8 : tensor<2x2x37x37xf32>
    %22 = tg.add %21, %20 : tensor<2x2x37x37xf32>
    %23 = tg.mul %22, %6 : tensor<2x2x37x37xf32>
    %24 = tg.select %mask, %23, %zero : tensor<2x2x37x37xi1>, tensor<2x2x37x37xf32>
    %25 = tg.mul %24, %scale : tensor<2x2x37x37xf32>
    %26 = tg.dot %25, %q batch [0] x [0] contract [1, 2] x [1, 2] : (tensor<2x2x37x37xf32>, tensor<2x2x37x24xf32>) -> tensor<2x37x24xf32>
    %27 = tg.dot %25, %k batch [0] x [0] contract [3] x [1] : (tensor<2x2x37x37xf32>, tensor<2x37x24xf32>) -> tensor<2x2x37x24xf32>
    return %10, %27, %26, %11 : tensor<2x2x37x40xf32>, tensor<2x2x37x24xf32>, tensor<2x37x24xf32>, tensor<2x37x40xf32>
  }
}

// -----

// Without a forward product the first kernel takes maxima and sums, too.

// REMARK: gradient of attention: as 2 kernels
// CHECK-LABEL: func.func @alone
// CHECK: %[[ROWS:.*]]:4 = stitch.fusion
// CHECK: tg.reduce max
// CHECK: tg.reduce add
// CHECK: tg.reduce add
// CHECK: stitch.fusion
// CHECK-NOT: tg.reduce
// CHECK: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @alone(%q: tensor<2x2x37x24xf32>, %k: tensor<2x37x24xf32>, %v: tensor<2x37x40xf32>, %do: tensor<2x2x37x40xf32>) -> (tensor<2x2x37x24xf32>, tensor<2x37x24xf32>, tensor<2x37x40xf32>) {
    %low = tg.constant dense<-1.0e+09> : tensor<2x2x37x37xf32>
    %zero = tg.constant dense<0.0> : tensor<2x2x37x37xf32>
    %scale = tg.constant dense<2.0e-01> : tensor<2x2x37x37xf32>
    %one = tg.constant dense<1.0> : tensor<2x2x37xf32>
    %i = tg.iota dim 0 : tensor<37xi32>
    %rows = tg.broadcast %i dims [0] : (tensor<37xi32>) -> tensor<37x37xi32>
    %keys = tg.broadcast %i dims [1] : (tensor<37xi32>) -> tensor<37x37xi32>
    %causal = tg.compare ge, %rows, %keys : tensor<37x37xi32>
    %mask = tg.broadcast %causal dims [2, 3] : (tensor<37x37xi1>) -> tensor<2x2x37x37xi1>
    %0 = tg.dot %q, %k batch [0] x [0] contract [3] x [2] : (tensor<2x2x37x24xf32>, tensor<2x37x24xf32>) -> tensor<2x2x37x37xf32>
    %1 = tg.mul %0, %scale : tensor<2x2x37x37xf32>
    %2 = tg.select %mask, %1, %low : tensor<2x2x37x37xi1>, tensor<2x2x37x37xf32>
    %3 = tg.reduce max %2 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %4 = tg.broadcast %3 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %5 = tg.sub %2, %4 : tensor<2x2x37x37xf32>
    %6 = tg.exp %5 : tensor<2x2x37x37xf32>
    %7 = tg.reduce add %6 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %8 = tg.broadcast %7 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %9 = tg.div %6, %8 : tensor<2x2x37x37xf32>
    %11 = tg.dot %9, %do batch [0] x [0] contract [1, 2] x [1, 2] : (tensor<2x2x37x37xf32>, tensor<2x2x37x40xf32>) -> tensor<2x37x40xf32>
    %12 = tg.dot %do, %v batch [0] x [0] contract [3] x [2] : (tensor<2x2x37x40xf32>, tensor<2x37x40xf32>) -> tensor<2x2x37x37xf32>
    %13 = tg.mul %7, %7 : tensor<2x2x37xf32>
    %14 = tg.div %one, %13 : tensor<2x2x37xf32>
    %15 = tg.broadcast %14 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %16 = tg.mul %12, %15 : tensor<2x2x37x37xf32>
    %17 = tg.mul %16, %6 : tensor<2x2x37x37xf32>
    %18 = tg.reduce add %17 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %19 = tg.neg %18 : tensor<2x2x37xf32>
    %20 = tg.broadcast %19 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %21 = tg.div %12, %8 : tensor<2x2x37x37xf32>
    %22 = tg.add %21, %20 : tensor<2x2x37x37xf32>
    %23 = tg.mul %22, %6 : tensor<2x2x37x37xf32>
    %24 = tg.select %mask, %23, %zero : tensor<2x2x37x37xi1>, tensor<2x2x37x37xf32>
    %25 = tg.mul %24, %scale : tensor<2x2x37x37xf32>
    %26 = tg.dot %25, %q batch [0] x [0] contract [1, 2] x [1, 2] : (tensor<2x2x37x37xf32>, tensor<2x2x37x24xf32>) -> tensor<2x37x24xf32>
    %27 = tg.dot %25, %k batch [0] x [0] contract [3] x [1] : (tensor<2x2x37x37xf32>, tensor<2x37x24xf32>) -> tensor<2x2x37x24xf32>
    return %27, %26, %11 : tensor<2x2x37x24xf32>, tensor<2x37x24xf32>, tensor<2x37x40xf32>
  }
}

// -----

// Something else needs the gradient of the scores, as that of a bias does: they are in memory.

// REMARK: no kernel of attention's gradient: a 'tg.mul' is needed in memory
// CHECK-LABEL: func.func @needed
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @needed(%q: tensor<2x2x37x24xf32>, %k: tensor<2x37x24xf32>, %v: tensor<2x37x40xf32>, %do: tensor<2x2x37x40xf32>) -> (tensor<2x2x37x40xf32>, tensor<2x2x37x24xf32>, tensor<2x37x24xf32>, tensor<2x37x40xf32>, tensor<2x2x37x37xf32>) {
    %low = tg.constant dense<-1.0e+09> : tensor<2x2x37x37xf32>
    %zero = tg.constant dense<0.0> : tensor<2x2x37x37xf32>
    %scale = tg.constant dense<2.0e-01> : tensor<2x2x37x37xf32>
    %one = tg.constant dense<1.0> : tensor<2x2x37xf32>
    %i = tg.iota dim 0 : tensor<37xi32>
    %rows = tg.broadcast %i dims [0] : (tensor<37xi32>) -> tensor<37x37xi32>
    %keys = tg.broadcast %i dims [1] : (tensor<37xi32>) -> tensor<37x37xi32>
    %causal = tg.compare ge, %rows, %keys : tensor<37x37xi32>
    %mask = tg.broadcast %causal dims [2, 3] : (tensor<37x37xi1>) -> tensor<2x2x37x37xi1>
    %0 = tg.dot %q, %k batch [0] x [0] contract [3] x [2] : (tensor<2x2x37x24xf32>, tensor<2x37x24xf32>) -> tensor<2x2x37x37xf32>
    %1 = tg.mul %0, %scale : tensor<2x2x37x37xf32>
    %2 = tg.select %mask, %1, %low : tensor<2x2x37x37xi1>, tensor<2x2x37x37xf32>
    %3 = tg.reduce max %2 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %4 = tg.broadcast %3 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %5 = tg.sub %2, %4 : tensor<2x2x37x37xf32>
    %6 = tg.exp %5 : tensor<2x2x37x37xf32>
    %7 = tg.reduce add %6 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %8 = tg.broadcast %7 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %9 = tg.div %6, %8 : tensor<2x2x37x37xf32>
    %10 = tg.dot %9, %v batch [0] x [0] contract [3] x [1] : (tensor<2x2x37x37xf32>, tensor<2x37x40xf32>) -> tensor<2x2x37x40xf32>
    %11 = tg.dot %9, %do batch [0] x [0] contract [1, 2] x [1, 2] : (tensor<2x2x37x37xf32>, tensor<2x2x37x40xf32>) -> tensor<2x37x40xf32>
    %12 = tg.dot %do, %v batch [0] x [0] contract [3] x [2] : (tensor<2x2x37x40xf32>, tensor<2x37x40xf32>) -> tensor<2x2x37x37xf32>
    %13 = tg.mul %7, %7 : tensor<2x2x37xf32>
    %14 = tg.div %one, %13 : tensor<2x2x37xf32>
    %15 = tg.broadcast %14 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %16 = tg.mul %12, %15 : tensor<2x2x37x37xf32>
    %17 = tg.mul %16, %6 : tensor<2x2x37x37xf32>
    %18 = tg.reduce add %17 dims [3] : (tensor<2x2x37x37xf32>) -> tensor<2x2x37xf32>
    %19 = tg.neg %18 : tensor<2x2x37xf32>
    %20 = tg.broadcast %19 dims [0, 1, 2] : (tensor<2x2x37xf32>) -> tensor<2x2x37x37xf32>
    %21 = tg.div %12, %8 : tensor<2x2x37x37xf32>
    %22 = tg.add %21, %20 : tensor<2x2x37x37xf32>
    %23 = tg.mul %22, %6 : tensor<2x2x37x37xf32>
    %24 = tg.select %mask, %23, %zero : tensor<2x2x37x37xi1>, tensor<2x2x37x37xf32>
    %25 = tg.mul %24, %scale : tensor<2x2x37x37xf32>
    %26 = tg.dot %25, %q batch [0] x [0] contract [1, 2] x [1, 2] : (tensor<2x2x37x37xf32>, tensor<2x2x37x24xf32>) -> tensor<2x37x24xf32>
    %27 = tg.dot %25, %k batch [0] x [0] contract [3] x [1] : (tensor<2x2x37x37xf32>, tensor<2x37x24xf32>) -> tensor<2x2x37x24xf32>
    return %10, %27, %26, %11, %23 : tensor<2x2x37x40xf32>, tensor<2x2x37x24xf32>, tensor<2x37x24xf32>, tensor<2x37x40xf32>, tensor<2x2x37x37xf32>
  }
}
