// RUN: stitch-opt %s -split-input-file -verify-diagnostics -stitch-reference-entry

// expected-error @+1 {{the module has no function @main to make the reference of}}
module {
  func.func @other() { return }
}

// -----

// expected-error @+1 {{'func.func' op returns values: buffer-results-to-out-params must make arguments of them first}}
func.func @main(%a: memref<2xf32>) -> memref<2xf32> {
  return %a : memref<2xf32>
}

// -----

// expected-error @+1 {{'func.func' op argument 1 of type memref<2xf32, strided<[2]>> is not a dense buffer}}
func.func @main(%a: memref<2xf32>, %b: memref<2xf32, strided<[2]>>) {
  return
}

// -----

// expected-error @+1 {{'func.func' op must have exactly one block to become the reference}}
func.func private @main(memref<2xf32>)

// -----

func.func private @dot_0(memref<2xf32>) attributes {stitch.library = {kind = "dot"}}
func.func @main(%a: memref<2xf32>) {
  call @helper(%a) : (memref<2xf32>) -> ()
  return
}
func.func private @helper(%a: memref<2xf32>) {
  // expected-error @+1 {{'func.call' op calls a library from elsewhere than @main: inline functions first}}
  call @dot_0(%a) : (memref<2xf32>) -> ()
  return
}
