// Initial values that change something take part once, whatever the body, and however the elements are shared out.
// RUN: stitch-opt %s -convert-stablehlo-to-tg | FileCheck %s
// RUN: stitch-run %s --check | FileCheck %s --check-prefix=RIGHT
// RUN: stitch-run %s --check --seed=1 --thread-order=1 -- "--device=h200, sms = 6" | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-7: ok: output
// RIGHT: 0 wrong

// A body that only chooses takes them as they are.
// CHECK-LABEL: func.func @main
// CHECK: %[[LARGEST:.*]]:2 = tg.general_reduce %arg0, %arg1 inits %{{.*}}, %{{.*}} dims [0] : (tensor<4096x33xcomplex<f32>>, tensor<4096x33xi32>, tensor<complex<f32>>, tensor<i32>) -> (tensor<33xcomplex<f32>>, tensor<33xi32>)
func.func @main(%x: tensor<4096x33xcomplex<f32>>, %n: tensor<4096x33xi32>, %y: tensor<7x1000xf32>, %m: tensor<7x1000xi32>,
                %z: tensor<1x64xf32>, %k: tensor<1x64xi32>, %e: tensor<0x5xi32>)
    -> (tensor<33xcomplex<f32>>, tensor<33xi32>, tensor<7xf32>, tensor<7xi32>, tensor<64xf32>, tensor<64xi32>, tensor<5xi32>) {
  %five = stablehlo.constant dense<(5.0, 0.0)> : tensor<complex<f32>>
  %less = stablehlo.constant dense<-5> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %n, %five, %less) ({
  ^bb0(%a: tensor<complex<f32>>, %i: tensor<i32>, %b: tensor<complex<f32>>, %j: tensor<i32>):
    %1 = stablehlo.real %a : (tensor<complex<f32>>) -> tensor<f32>
    %2 = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
    %3 = stablehlo.compare GT, %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<complex<f32>>
    %5 = stablehlo.minimum %i, %j : tensor<i32>
    stablehlo.return %4, %5 : tensor<complex<f32>>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4096x33xcomplex<f32>>, tensor<4096x33xi32>, tensor<complex<f32>>, tensor<i32>) -> (tensor<33xcomplex<f32>>, tensor<33xi32>)

  // Any other body gets a flag beside each tuple, and the initial values are combined with the results.
  // CHECK: %[[TRUE:.*]] = tg.constant dense<true> : tensor<7x1000xi1>
  // CHECK: %[[FALSE:.*]] = tg.constant dense<false> : tensor<i1>
  // CHECK: %[[SUMS:.*]]:3 = tg.general_reduce %arg2, %arg3, %[[TRUE]] inits %{{.*}}, %{{.*}}, %[[FALSE]] dims [1]
  // CHECK: ^bb0(%[[A:.*]]: tensor<f32>, %[[I:.*]]: tensor<i32>, %[[P:.*]]: tensor<i1>, %[[B:.*]]: tensor<f32>, %[[J:.*]]: tensor<i32>, %[[Q:.*]]: tensor<i1>):
  // CHECK: %[[SUM:.*]] = tg.add %[[A]], %[[B]]
  // CHECK: %[[LEFT:.*]] = tg.select %[[Q]], %[[SUM]], %[[A]]
  // CHECK: tg.select %[[P]], %[[LEFT]], %[[B]]
  // CHECK: tg.or %[[P]], %[[Q]]
  // CHECK: tg.add %{{.*}}, %[[SUMS]]#0 : tensor<7xf32>
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %6:2 = "stablehlo.reduce"(%y, %m, %three, %seven) ({
  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
    %10 = stablehlo.add %a, %b : tensor<f32>
    %11 = stablehlo.add %i, %j : tensor<i32>
    %12 = stablehlo.constant dense<1> : tensor<i32>
    %13 = stablehlo.add %11, %12 : tensor<i32>
    stablehlo.return %10, %13 : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<7x1000xf32>, tensor<7x1000xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
  %7:2 = "stablehlo.reduce"(%z, %k, %three, %seven) ({
  ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
    %10 = stablehlo.multiply %a, %b : tensor<f32>
    %11 = stablehlo.multiply %i, %j : tensor<i32>
    %12 = stablehlo.add %11, %j : tensor<i32>
    stablehlo.return %10, %12 : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<1x64xf32>, tensor<1x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, tensor<64xi32>)
  // Of nothing they are the result.
  %8 = "stablehlo.reduce"(%e, %seven) ({
  ^bb0(%i: tensor<i32>, %j: tensor<i32>):
    %10 = stablehlo.subtract %i, %j : tensor<i32>
    stablehlo.return %10 : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<0x5xi32>, tensor<i32>) -> tensor<5xi32>
  return %0#0, %0#1, %6#0, %6#1, %7#0, %7#1, %8 : tensor<33xcomplex<f32>>, tensor<33xi32>, tensor<7xf32>, tensor<7xi32>, tensor<64xf32>, tensor<64xi32>, tensor<5xi32>
}
