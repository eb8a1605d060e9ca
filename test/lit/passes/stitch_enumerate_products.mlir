// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline='epilogues=false' --stitch-enumerate='growth=1000' --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-online-softmax='choose=always' --stitch-outline --stitch-enumerate='growth=1000' | FileCheck %s --check-prefix=INSIDE
// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline --stitch-enumerate='growth=1000 plans=false' | FileCheck %s --check-prefix=OFF
// OFF-NOT: stitch.adaptive

// A softmax between two products is a kernel of attention or products by a library, whatever the plan at hand has. What is
// a kernel behind the product can be planned otherwise.

// REMARK: remark: can be planned in 2 ways, here and in 0 equal parts: as it is for {{[0-9]+}} ns, and with products in kernels for {{[0-9]+}} ns
// CHECK-LABEL: func.func @main(%arg0: tensor<8x512x128xf32>
// CHECK: %[[R:.*]] = stitch.adaptive "products_inside_0" ["library", "attention"] : tensor<8x512x128xf32> {
// CHECK: stitch.library_call
// CHECK: stitch.adaptive "plan_1"
// CHECK: stitch.library_call
// CHECK: }, {
// CHECK-NEXT: stitch.fusion({{.*}}) : (tensor<8x512x128xf32>, tensor<8x512x128xf32>, tensor<8x512x128xf32>) -> tensor<8x512x128xf32> attributes {stitch.attention = #stitch.attention
// CHECK-NOT: stitch.library_call
// CHECK: return %[[R]]
// INSIDE-LABEL: func.func @main(%arg0: tensor<8x512x128xf32>
// INSIDE: stitch.adaptive "attention_0" ["planned", "library"] : tensor<8x512x128xf32> {
// INSIDE-NEXT: stitch.fusion({{.*}}) {{.*}} attributes {stitch.attention
// INSIDE: }, {
// INSIDE-COUNT-2: stitch.library_call
func.func @main(%q: tensor<8x512x128xf32>, %k: tensor<8x512x128xf32>, %v: tensor<8x512x128xf32>) -> tensor<8x512x128xf32> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<8x512x128xf32>, tensor<8x512x128xf32>) -> tensor<8x512x512xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<8x512x512xf32>) -> tensor<8x512xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<8x512xf32>) -> tensor<8x512x512xf32>
  %3 = tg.sub %0, %2 : tensor<8x512x512xf32>
  %4 = tg.exp %3 : tensor<8x512x512xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<8x512x512xf32>) -> tensor<8x512xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<8x512xf32>) -> tensor<8x512x512xf32>
  %7 = tg.div %4, %6 : tensor<8x512x512xf32>
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] : (tensor<8x512x512xf32>, tensor<8x512x128xf32>) -> tensor<8x512x128xf32>
  return %8 : tensor<8x512x128xf32>
}

// -----

// Thin products with what reads them: two equal layers are one variable. As one kernel there is no library call.

// REMARK: remark: can be planned in 2 ways, here and in 1 equal parts: as it is for {{[0-9]+}} ns, and with products in kernels for {{[0-9]+}} ns
// CHECK-LABEL: func.func @main(%arg0: tensor<1x512xf32>
// CHECK: %[[A:.*]] = stitch.adaptive "products_inside_0" ["library", "thin"] : tensor<1x512xf32> {
// CHECK: stitch.library_call
// CHECK: stitch.fusion
// CHECK: }, {
// CHECK: stitch.fusion
// CHECK-NOT: tg.dot
// CHECK: tg.tanh
// CHECK: stitch.yield
// CHECK: stitch.adaptive "products_inside_0" ["library", "thin"] : tensor<1x512xf32> {
// CHECK: stitch.library_call({{.*}} = %[[A]]
func.func @main(%x: tensor<1x512xf32>, %v: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<1x512xf32> {
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
  %1 = tg.tanh %0 : tensor<1x512xf32>
  %2 = tg.dot %1, %w contract [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
  %3 = tg.tanh %2 : tensor<1x512xf32>
  return %3 : tensor<1x512xf32>
}

// -----

// A product that is not thin has no such version.

// CHECK-LABEL: func.func @main(%arg0: tensor<512x512xf32>
// CHECK-NOT: products_inside
// INSIDE-LABEL: func.func @main(%arg0: tensor<512x512xf32>
func.func @main(%x: tensor<512x512xf32>, %v: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = tg.tanh %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}
