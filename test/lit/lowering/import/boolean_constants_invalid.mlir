// What neither form has is refused, at its place.
// RUN: stitch-opt %s -split-input-file -verify-diagnostics --convert-stablehlo-to-tg

func.func @size() -> tensor<3xi1> {
  // expected-error @+1 {{elements hex data size is invalid for provided type: 'tensor<3xi1>'}}
  %0 = stablehlo.constant dense<"0x01000100"> : tensor<3xi1>
  return %0 : tensor<3xi1>
}

// -----

func.func @value() -> tensor<3xi1> {
  // expected-error @+1 {{elements hex data size is invalid for provided type: 'tensor<3xi1>'}}
  %0 = stablehlo.constant dense<"0x010002"> : tensor<3xi1>
  return %0 : tensor<3xi1>
}

// -----

// The text behind a constant that has become shorter is still where it was.
func.func @place() -> tensor<3xi1> {
  // expected-error @+1 {{custom op 'extra' is unknown}}
  %0 = stablehlo.constant dense<"0x010001"> : tensor<3xi1> extra
  return %0 : tensor<3xi1>
}

// -----

func.func @huge() {
  // expected-error @+1 {{elements hex data size is invalid}}
  %0 = stablehlo.constant dense<"0x0100"> : tensor<4294967296x4294967296xi1>
  return
}
