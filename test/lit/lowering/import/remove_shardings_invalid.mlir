// RUN: stitch-opt %s --remove-shardings -split-input-file -verify-diagnostics

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @constraint(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'sdy.sharding_constraint' op shards a value over several devices: Stitch partitions no programs: write it with jax.shard_map, which has the program of each device}}
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  // expected-error @+1 {{'func.func' op argument 0 is sharded over several devices: Stitch partitions no programs: write it with jax.shard_map, which has the program of each device}}
  func.func @argument(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  // expected-error @+1 {{'func.func' op result 0 is sharded over several devices}}
  func.func @result(%a: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %a : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @axes(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'sdy.manual_computation' op leaves axes of its mesh to a partitioner}}
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<2xf32>) {
      sdy.return %x : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  func.func @order(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'sdy.manual_computation' op is over a mesh whose devices are not in their order}}
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<2xf32>) {
      sdy.return %x : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @outside(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = stablehlo.sine %a : tensor<4xf32>
    // expected-error @+1 {{'sdy.manual_computation' op takes shards of a value that is computed outside of it}}
    %0 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<2xf32>) {
      sdy.return %x : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @read(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'sdy.manual_computation' op makes shards of a value that is read outside of it}}
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<2xf32>) {
      sdy.return %x : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.sine %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{'mesh' of Shardy is malformed}}
sdy.mesh @mesh = <["x"=2 * 3]>

// -----

func.func @collective(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'sdy.all_gather' op of Shardy has no counterpart}}
  %0 = "sdy.all_gather"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
