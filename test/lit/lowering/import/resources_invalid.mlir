// RUN: stitch-opt %s -split-input-file -verify-diagnostics --import-resources

func.func @elided() -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.constant' op has elements that are not in the file: the text was printed without its weights (dense_resource<__elided__>)}}
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @missing() -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.constant' op has elements that are not in the file: there is no resource 'weight' in its '{-# ... #-}'}}
  %0 = stablehlo.constant dense_resource<weight> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @short() -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.constant' op has elements that do not fit: resource 'weight' has 8 bytes, and its type needs 16}}
  %0 = stablehlo.constant dense_resource<weight> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F00000040"
    }
  }
#-}
