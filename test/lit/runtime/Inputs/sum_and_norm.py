"""A layer of tensor parallelism: a product, its sum between the processes, a residual, an RMS norm, and a quantised row.

    python3 sum_and_norm.py PROCESSES [ELEMENT] [ROWS] [GROUPS] > model.mlir

ELEMENT is f32, f16 or bf16; there may be several groups. Another product of the normalised rows is summed, too."""
import sys

count, element, rows = int(sys.argv[1]), (sys.argv[2:] or ["f32"])[0], int((sys.argv[3:] or ["12"])[0])
groups = int((sys.argv[4:] or ["1"])[0])
size = count // groups
table = str([list(range(first, first + size)) for first in range(0, count, size)])
inner, columns = 16, 48
wide = f"tensor<{rows}x{columns}x{element}>"


def all_reduce(result, operand):
    return f"""    {result} = "stablehlo.all_reduce"({operand}) <{{replica_groups = dense<{table}> : tensor<{groups}x{size}xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
    ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
      %s = stablehlo.add %x, %y : tensor<{element}>
      stablehlo.return %s : tensor<{element}>
    }}) : ({wide}) -> {wide}"""


print(f"""module attributes {{mhlo.num_partitions = {count} : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func @main(%h: tensor<{rows}x{inner}x{element}>, %w: tensor<{inner}x{columns}x{element}>, %r: {wide}, %v: tensor<{columns}x{columns}x{element}>)
      -> ({wide}, {wide}, tensor<{rows}x{columns}xi8>) {{
    %p = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<{rows}x{inner}x{element}>, tensor<{inner}x{columns}x{element}>) -> {wide}
{all_reduce("%sum", "%p")}
    %residual = stablehlo.add %sum, %r : {wide}
    %f = stablehlo.convert %residual : ({wide}) -> tensor<{rows}x{columns}xf32>
    %squares = stablehlo.multiply %f, %f : tensor<{rows}x{columns}xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %total = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<{rows}x{columns}xf32>, tensor<f32>) -> tensor<{rows}xf32>
    %size = stablehlo.constant dense<{columns}.0> : tensor<{rows}xf32>
    %mean = stablehlo.divide %total, %size : tensor<{rows}xf32>
    %inverse = stablehlo.rsqrt %mean : tensor<{rows}xf32>
    %scale = stablehlo.broadcast_in_dim %inverse, dims = [0] : (tensor<{rows}xf32>) -> tensor<{rows}x{columns}xf32>
    %norm = stablehlo.multiply %f, %scale : tensor<{rows}x{columns}xf32>
    %step = stablehlo.constant dense<32.0> : tensor<{rows}x{columns}xf32>
    %scaled = stablehlo.multiply %norm, %step : tensor<{rows}x{columns}xf32>
    %low = stablehlo.constant dense<-127.0> : tensor<f32>
    %high = stablehlo.constant dense<127.0> : tensor<f32>
    %clamped = stablehlo.clamp %low, %scaled, %high : (tensor<f32>, tensor<{rows}x{columns}xf32>, tensor<f32>) -> tensor<{rows}x{columns}xf32>
    %q = stablehlo.convert %clamped : (tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xi8>
    %n = stablehlo.convert %norm : (tensor<{rows}x{columns}xf32>) -> {wide}
    %next = stablehlo.dot_general %n, %v, contracting_dims = [1] x [0] : ({wide}, tensor<{columns}x{columns}x{element}>) -> {wide}
{all_reduce("%second", "%next")}
    %out = stablehlo.add %second, %residual : {wide}
    return %out, %residual, %q : {wide}, {wide}, tensor<{rows}x{columns}xi8>
  }}
}}""")
