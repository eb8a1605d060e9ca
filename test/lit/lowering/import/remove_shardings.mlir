// RUN: stitch-opt %s --remove-shardings -split-input-file | FileCheck %s

// As JAX prints a jit with shardings for one device.
// CHECK-LABEL: module @one
// CHECK-NOT: sdy.{{mesh|sharding_constraint|reshard|sharding_group|propagation_barrier}}
// CHECK: %[[S:.*]] = "stablehlo.sine"(%{{.*}})
// CHECK: return %[[S]]
module @one attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["d"=1]> {stablehlo.mesh = {axes = [{name = "d", size = 1 : i64}]}}
  sdy.mesh @empty_mesh = <[]>
  sdy.mesh @one_device = <[], device_ids=[3]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.sine %arg0 : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"d", ?}p1, {"d":(1)1}], replicated={"d"}> : tensor<8x4xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x4xf32>
    sdy.sharding_group %2 group_id=4 : tensor<8x4xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
}

// -----

// On one device a manual computation is its body.
// CHECK-LABEL: module @body
// CHECK: func.func @main(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK: %[[ADD:.*]] = "stablehlo.add"(%[[A]], %[[B]])
// CHECK: return %[[ADD]]
module @body {
  sdy.mesh @mesh = <["x"=1]>
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<4xf32>, %y: tensor<4xf32>) {
      %1 = stablehlo.add %x, %y : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// On several, over all of them, the function has the shards as arguments and results.
// CHECK-LABEL: module @shards
// CHECK: func.func @main(%[[A:[a-z0-9]*]]: tensor<4x2xf32> {{.*}}, %[[B:.*]]: tensor<6xf32>) -> (tensor<4x2xf32>, tensor<6xf32>)
// CHECK: %[[SINE:.*]] = "stablehlo.sine"(%[[A]]) : (tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK: return %[[SINE]], %[[B]]
module @shards attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<6xf32>) -> (tensor<8x4xf32>, tensor<6xf32>) {
    %0:2 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%c: tensor<4x2xf32>, %d: tensor<6xf32>) {
      %1 = stablehlo.sine %c : tensor<4x2xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}]> : tensor<4x2xf32>
      sdy.return %2, %d : tensor<4x2xf32>, tensor<6xf32>
    } : (tensor<8x4xf32>, tensor<6xf32>) -> (tensor<8x4xf32>, tensor<6xf32>)
    return %0#0, %0#1 : tensor<8x4xf32>, tensor<6xf32>
  }
}
