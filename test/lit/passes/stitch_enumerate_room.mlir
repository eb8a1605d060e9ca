// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-enumerate=growth=70 --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-enumerate=growth=400 | FileCheck %s --check-prefix=WHOLE

// Two kernels, of which the second reads the first. Where there is room, what is planned otherwise is both together; where
// there is not, each by itself, the one that takes longest first. What is left out, though the model expects it to take
// hardly longer, is told with its time.

// REMARK: remark: plan=cheapest, here and in 0 equal parts, is left out, as it would make the file too long (option growth): {{[0-9]+}} ns, and [[BOTH:[0-9]+]] ns as it is
// REMARK: remark: plan=astitch, here and in 0 equal parts, is left out, as it would make the file too long (option growth): {{[0-9]+}} ns, and [[BOTH]] ns as it is
// REMARK: remark: can be planned in 2 ways, here and in 0 equal parts: as it is for {{[0-9]+}} ns, and by other rules for {{[0-9]+}} ns
// CHECK: stitch.adaptive "plan_0" ["planned", "astitch"] : tensor<4096xf32>, tensor<512xf32>
// CHECK-NOT: stitch.adaptive
// WHOLE: stitch.adaptive "plan_0" ["planned", "astitch", "cheapest", "apollo"] : tensor<4096xf32>, tensor<64xf32>
// WHOLE-NOT: stitch.adaptive
func.func @main(%x: tensor<4096x512xf32>, %s: tensor<64x512xf32>) -> (tensor<4096xf32>, tensor<64xf32>) {
  %0:2 = stitch.fusion(%a = %x) : (tensor<4096x512xf32>) -> (tensor<4096xf32>, tensor<512xf32>) {
    %1 = tg.reduce max %a dims [1] : (tensor<4096x512xf32>) -> tensor<4096xf32>
    %2 = tg.broadcast %1 dims [0] : (tensor<4096xf32>) -> tensor<4096x512xf32>
    %3 = tg.sub %a, %2 : tensor<4096x512xf32>
    %4 = tg.exp %3 : tensor<4096x512xf32>
    %5 = tg.reduce add %4 dims [1] : (tensor<4096x512xf32>) -> tensor<4096xf32>
    %6 = tg.reduce add %a dims [0] : (tensor<4096x512xf32>) -> tensor<512xf32>
    stitch.yield %5, %6 : tensor<4096xf32>, tensor<512xf32>
  }
  %10 = stitch.fusion(%a = %s, %b = %0#1) : (tensor<64x512xf32>, tensor<512xf32>) -> tensor<64xf32> {
    %c = tg.broadcast %b dims [1] : (tensor<512xf32>) -> tensor<64x512xf32>
    %d = tg.mul %a, %c : tensor<64x512xf32>
    %1 = tg.reduce max %d dims [1] : (tensor<64x512xf32>) -> tensor<64xf32>
    %2 = tg.broadcast %1 dims [0] : (tensor<64xf32>) -> tensor<64x512xf32>
    %3 = tg.sub %d, %2 : tensor<64x512xf32>
    %4 = tg.exp %3 : tensor<64x512xf32>
    %5 = tg.reduce add %4 dims [1] : (tensor<64x512xf32>) -> tensor<64xf32>
    stitch.yield %5 : tensor<64xf32>
  }
  return %0#0, %10 : tensor<4096xf32>, tensor<64xf32>
}
