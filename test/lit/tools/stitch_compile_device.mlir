// RUN: stitch-compile %s --emit=plan | FileCheck %s --check-prefix=OWN
// RUN: stitch-compile %s --emit=plan --target=sm_80 | FileCheck %s --check-prefix=OWN-SM80
// RUN: stitch-compile %s --emit=plan --device=a100 | FileCheck %s --check-prefix=ASKED
// RUN: stitch-compile %s --stats=%t.json -o %t.so && FileCheck %s --check-prefix=STATS < %t.json

// A model that names its device is planned for it, unless the command line names another one.

// OWN: #stitch.device<h200, sms = 2>
// OWN: grid = 2, block = 1024, {{.*}}cluster = 2
// OWN-SM80: #stitch.device<h200, sms = 2, cluster_blocks = 1>
// ASKED: #stitch.device<a100>
// STATS: "device": "h200, sms = 2"
module attributes {stitch.device = #stitch.device<h200, sms = 2>} {
  func.func @main(%x: tensor<131001xf32>) -> tensor<f32> {
    %0 = tg.reduce add %x dims [0] : (tensor<131001xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
