// RUN: stitch-opt %s -stitch-pipeline="plan=astitch" -split-input-file -verify-diagnostics=only-expected -o /dev/null
// RUN: stitch-opt %s -convert-stablehlo-to-tg -stitch-pipeline=plan=cheapest -split-input-file -verify-diagnostics=only-expected -o /dev/null
// RUN: stitch-opt %s -convert-tosa-to-tg -stitch-pipeline=plan=cheapest -split-input-file -verify-diagnostics=only-expected -o /dev/null
// RUN: stitch-opt %s -convert-linalg-to-tg -stitch-pipeline=plan=cheapest -split-input-file -verify-diagnostics=only-expected -o /dev/null

// Hints that are none.

func.func @kind(%a: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{'tg.exp' op has the hint 'stitch.fuse', which is a text, but not of this kind}}
  %0 = tg.exp %a {stitch.fuse} : tensor<64xf32>
  // expected-error @+1 {{'tg.tanh' op has the hint stitch.fuse = "with:": expected with:NAME, alone or never}}
  %1 = tg.tanh %0 {stitch.fuse = "with:"} : tensor<64xf32>
  // expected-error @+1 {{'tg.sin' op has the hint stitch.fuse = "always": expected with:NAME, alone or never}}
  %2 = tg.sin %1 {stitch.fuse = "always"} : tensor<64xf32>
  // expected-error @+1 {{'tg.cos' op has the hint stitch.scheme = "shared": expected local, regional or global}}
  %3 = tg.cos %2 {stitch.scheme = "shared"} : tensor<64xf32>
  // expected-error @+1 {{'tg.exp' op has the hint stitch.template = "CTA_32": expected a schedule without a name, as in docs/templates.md: [GRID-WARP_4,CTA_32]S}}
  %4 = tg.exp %3 {stitch.template = "CTA_32"} : tensor<64xf32>
  return %4 : tensor<64xf32>
}

// -----

func.func @nobody(%a: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{hint 'stitch.fuse = "with:nobody"': no operation of the model matches name="nobody"}}
  %0 = tg.exp %a {stitch.fuse = "with:nobody"} : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Hints that cannot be obeyed, each with the reason.

func.func @library(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
  // expected-error @+1 {{hint 'stitch.fuse = "with:after"' cannot be obeyed for tg.exp at}}
  %0 = tg.exp %a {stitch.fuse = "with:after"} : tensor<256x256xf32>
  %1 = tg.dot %0, %a contract [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = tg.tanh %1 {stitch.name = "after"} : tensor<256x256xf32>
  return %2 : tensor<256x256xf32>
}

// -----

func.func @product(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
  // expected-error @+1 {{needs a library call}}
  %0 = tg.dot %a, %a contract [1] x [0] {stitch.name = "product", stitch.fuse = "with:after"} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = tg.tanh %0 {stitch.name = "after"} : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}

// -----

func.func @scan(%a: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %0 = tg.exp %a {stitch.name = "exp"} : tensor<256xf32>
  // expected-error @+1 {{is always a kernel of its own}}
  %1 = tg.cumulative add %0 dim 0 {stitch.fuse = "with:exp"} : tensor<256xf32>
  return %0, %1 : tensor<256xf32>, tensor<256xf32>
}

// -----

func.func @free(%a: tensor<64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{tg.broadcast at}}
  %0 = tg.broadcast %a dims [1] {stitch.fuse = "alone"} : (tensor<64xf32>) -> tensor<8x64xf32>
  %1 = tg.exp %0 : tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// -----

// Hints against each other.

func.func @against(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tg.exp %a {stitch.name = "exp", stitch.fuse = "alone"} : tensor<64xf32>
  // expected-error @+1 {{hint 'stitch.fuse = "with:exp"' contradicts the hint 'stitch.fuse = "alone"' at}}
  %1 = tg.tanh %0 {stitch.fuse = "with:exp"} : tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

func.func @between(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tg.exp %a {stitch.name = "exp"} : tensor<64xf32>
  // expected-error @+1 {{hint 'stitch.fuse = "never"' cannot be obeyed for}}
  %1 = tg.sin %0 {stitch.fuse = "never"} : tensor<64xf32>
  %2 = tg.tanh %1 {stitch.fuse = "with:exp"} : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

func.func @schemes(%a: tensor<64x64xf32>) -> tensor<64xf32> {
  %0 = tg.exp %a : tensor<64x64xf32>
  // expected-error @+1 {{'reduce_0' is a reduction, which is never computed where it is read}}
  %1 = tg.reduce add %0 dims [1] {stitch.scheme = "local"} : (tensor<64x64xf32>) -> tensor<64xf32>
  // expected-error @+1 {{nothing in its kernel reads 'exp_1'}}
  %2 = tg.exp %1 {stitch.scheme = "regional"} : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

func.func @loop(%n: tensor<i32>, %a: tensor<64xf32>) -> tensor<64xf32> {
  %i = tg.constant dense<0> : tensor<i32>
  // expected-error @+1 {{they are in different graphs}}
  %0 = tg.exp %a {stitch.fuse = "with:inside"} : tensor<64xf32>
  %1:2 = tg.while(%j = %i, %x = %0) : tensor<i32>, tensor<64xf32> cond {
    %2 = tg.compare lt, %j, %n : tensor<i32>
    tg.yield %2 : tensor<i1>
  } do {
    %one = tg.constant dense<1> : tensor<i32>
    %3 = tg.add %j, %one : tensor<i32>
    %4 = tg.tanh %x {stitch.name = "inside"} : tensor<64xf32>
    tg.yield %3, %4 : tensor<i32>, tensor<64xf32>
  }
  return %1#1 : tensor<64xf32>
}
