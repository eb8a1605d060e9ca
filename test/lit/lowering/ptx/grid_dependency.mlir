// RUN: stitch-compile %s --target=sm_90 --emit=ptx -o - | FileCheck %s
// RUN: stitch-compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=BEFORE

// A kernel waits by itself for those before it: the runtime launches it before they have ended (programmatic dependent launch). It loads nothing
// before, as it returns where its first argument is an address that there is not. A variable says so.

// CHECK: .visible .global .align 1 .b8 stitch_waits_for_grids[1];
// CHECK: .visible .entry fusion_0(
// CHECK-NOT: ld.
// CHECK: griddepcontrol.launch_dependents;
// CHECK-NEXT: griddepcontrol.wait;
// CHECK-NOT: ld.global
// CHECK: ld.param.b64 %first, [fusion_0_param_0];
// CHECK-NEXT: setp.eq.b64 %isNone, %first, -16;
// CHECK-NEXT: @%isNone ret;
// CHECK: ld.global

// BEFORE-NOT: stitch_waits_for_grids
// BEFORE-NOT: griddepcontrol
// BEFORE: ret;
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.exponential %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
