// Indices that are out of range take the last branch, however wide their type: %i * 2^32, and %i * 30 as eight bits without a sign.
func.func @main(%i: tensor<i32>, %x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %wide = tg.convert %i : (tensor<i32>) -> tensor<i64>
  %c32 = tg.constant dense<32> : tensor<i64>
  %far = tg.shl %wide, %c32 : tensor<i64>
  %a = tg.case %far : (tensor<i64>) -> tensor<5xf32> {
    %0 = tg.neg %x : tensor<5xf32>
    tg.yield %0 : tensor<5xf32>
  }, {
    %0 = tg.exp %x : tensor<5xf32>
    tg.yield %0 : tensor<5xf32>
  }, {
    %0 = tg.abs %x : tensor<5xf32>
    tg.yield %0 : tensor<5xf32>
  }
  %c30 = tg.constant dense<30> : tensor<i32>
  %product = tg.mul %i, %c30 : tensor<i32>
  %byte = tg.convert %product : (tensor<i32>) -> tensor<ui8>
  %b = tg.case %byte : (tensor<ui8>) -> tensor<5xf32> {
    %0 = tg.neg %x : tensor<5xf32>
    tg.yield %0 : tensor<5xf32>
  }, {
    %0 = tg.exp %x : tensor<5xf32>
    tg.yield %0 : tensor<5xf32>
  }
  return %a, %b : tensor<5xf32>, tensor<5xf32>
}
