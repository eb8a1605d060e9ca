// RUN: stitch-opt %s -stitch-outline -verify-diagnostics=only-expected
// RUN: not stitch-opt %s -stitch-outline=scope=all 2>&1 | FileCheck %s

// CHECK: option 'scope' must be exhaustive, xla, apollo, fusionstitching or cheapest, and is 'all'

// expected-error @below {{has several blocks: a graph has one}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}
