// RUN: stitch-opt %s --stitch-set-device --stitch-outline -verify-diagnostics=only-expected

// expected-error@+1 {{'func.func' op has an argument of type tensor<?xf32>, whose dynamic shape cannot be planned}}
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}
