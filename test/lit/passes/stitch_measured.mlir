// RUN: rm -rf %t && mkdir %t
// RUN: stitch-opt %s --pass-pipeline="builtin.module(stitch-set-device,stitch-outline,stitch-dominants,stitch-thread-mapping,stitch-schemes,stitch-schedule,stitch-buffers,stitch-launch,stitch-templates{write=true})" | grep -o 'kernel [0-9a-f]*' > %t/key
// RUN: echo "stitch-templates 1" > %t/times && sed 's/$/ on=sm_90 planned_ns=90000 tuned_ns=70000/' %t/key >> %t/times && echo 'kernel 0123456789abcdef on=simt tuned_ns=5' >> %t/times
// RUN: stitch-opt %s --pass-pipeline="builtin.module(stitch-measured{file=%t/times})" | FileCheck %s
// RUN: stitch-opt %s --pass-pipeline="builtin.module(stitch-measured{file=%t/times},stitch-pipeline{plan=astitch})" --stitch-remarks 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not stitch-opt %s --pass-pipeline="builtin.module(stitch-measured{file=%t/none})" 2>&1 | FileCheck %s --check-prefix=NONE

// What a GPU has timed counts in place of the model; what the device simt has timed does not.

// CHECK: module attributes {stitch.measured = {k{{[0-9a-f]+}} = 7.000000e+04 : f64}}
// COST: remark: {{.*}}70000 ns
// NONE: error: pass 'stitch-measured': option 'file' names a file that cannot be read: {{.*}}none: No such file or directory
func.func @main(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %e = tg.exp %x : tensor<4096x512xf32>
  return %e : tensor<4096x512xf32>
}
