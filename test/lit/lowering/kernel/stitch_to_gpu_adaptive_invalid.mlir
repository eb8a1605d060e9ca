// RUN: stitch-opt %s --split-input-file --verify-diagnostics --convert-stitch-to-gpu

func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stitch.adaptive "p" ["apart", "all"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }, {
    stitch.yield %y : tensor<8xf32>
  }
  // expected-error@+1 {{has other versions than another operation of its variable}}
  %1 = stitch.adaptive "p" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{has a stitch.update that does not explore 'p'}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {stitch.update = ["parallel"]} {
  %0 = stitch.adaptive "p" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{has a stitch.update that explores twice 'p'}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {stitch.update = ["parallel", "p", ["prefix", "p"]]} {
  %0 = stitch.adaptive "p" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{has a stitch.update that explores something unknown: 'q'}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {stitch.update = ["parallel", "p", "q"]} {
  %0 = stitch.adaptive "p" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{has a stitch.update that has a context not explored before: 'q'}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {stitch.update = ["parallel", {context = ["q"], variable = "p"}]} {
  %0 = stitch.adaptive "p" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{is neither a variable nor a list that begins with a mode}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {stitch.update = ["random", "p"]} {
  %0 = stitch.adaptive "p" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{has a malformed stitch.streams (docs/ir.md, section 2)}}
  %0 = stitch.adaptive "p" ["apart"] attributes {stitch.streams = {epoch = 1 : i64, on = array<i64: 0, 9>, super_epoch = 0 : i64, variable = "streams_0", versions = ["one", "0+1"]}} : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{has a malformed stitch.streams (docs/ir.md, section 2)}}
  %0 = stitch.adaptive "p" ["apart"] attributes {stitch.streams = {epoch = 1 : i64, super_epoch = 0 : i64, variable = "streams_0", versions = ["one", "0+1"]}} : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{has a malformed stitch.streams (docs/ir.md, section 2)}}
  %0 = stitch.adaptive "p" ["apart"] attributes {stitch.streams = 3 : i64} : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
