// What the lowered operations compute, above all at the values where languages and machines differ.
// RUN: stitch-opt %s -pass-pipeline='builtin.module(convert-tg-to-linalg,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(stitch-release-buffers),stitch-outline-loops,func.func(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf),stitch-cpu-math,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF64(tensor<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(tensor<*xi64>) attributes {llvm.emit_c_interface}

func.func @main() {
  call @float_unary() : () -> ()
  call @float_functions() : () -> ()
  call @float_binary() : () -> ()
  call @float_compare() : () -> ()
  call @ternary() : () -> ()
  call @integers() : () -> ()
  call @unsigned() : () -> ()
  call @shifts() : () -> ()
  call @predicates() : () -> ()
  call @to_integers() : () -> ()
  call @to_floats() : () -> ()
  call @bitcasts() : () -> ()
  call @movement() : () -> ()
  call @computed_indices() : () -> ()
  call @reductions() : () -> ()
  call @exact_sum() : () -> ()
  call @arg_reductions() : () -> ()
  call @identities() : () -> ()
  call @dots() : () -> ()
  call @sixteen_bits() : () -> ()
  return
}

func.func private @float_unary() {
  %x = tg.constant dense<[0.0, -0.0, 1.5, 0x7F800000, 0xFF800000, 0x7FC00000, -2.5, 2.5]> : tensor<8xf32>
  %sign = tg.sign %x : tensor<8xf32>
  %round = tg.round %x : tensor<8xf32>
  %even = tg.round_even %x : tensor<8xf32>
  %ceil = tg.ceil %x : tensor<8xf32>
  %floor = tg.floor %x : tensor<8xf32>
  %abs = tg.abs %x : tensor<8xf32>
  %neg = tg.neg %x : tensor<8xf32>
  %finite = tg.is_finite %x : tensor<8xf32>
  %bits = tg.convert %finite : (tensor<8xi1>) -> tensor<8xi32>
  // CHECK: [0, -0, 1, 1, -1, {{-?nan}}, -1, 1]
  %print0 = tensor.cast %sign : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 2, inf, -inf, {{-?nan}}, -3, 3]
  %print1 = tensor.cast %round : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 2, inf, -inf, {{-?nan}}, -2, 2]
  %print2 = tensor.cast %even : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print2) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 2, inf, -inf, {{-?nan}}, -2, 3]
  %print3 = tensor.cast %ceil : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print3) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 1, inf, -inf, {{-?nan}}, -3, 2]
  %print4 = tensor.cast %floor : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print4) : (tensor<*xf32>) -> ()
  // CHECK: [0, 0, 1.5, inf, inf, {{-?nan}}, 2.5, 2.5]
  %print5 = tensor.cast %abs : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print5) : (tensor<*xf32>) -> ()
  // CHECK: [-0, 0, -1.5, -inf, inf, {{-?nan}}, 2.5, -2.5]
  %print6 = tensor.cast %neg : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print6) : (tensor<*xf32>) -> ()
  // CHECK: [1, 1, 1, 0, 0, 0, 1, 1]
  %print7 = tensor.cast %bits : tensor<8xi32> to tensor<*xi32>
  call @printMemrefI32(%print7) : (tensor<*xi32>) -> ()
  return
}

func.func private @float_functions() {
  %x = tg.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000]> : tensor<6xf32>
  %exp = tg.exp %x : tensor<6xf32>
  %log = tg.log %x : tensor<6xf32>
  %logistic = tg.logistic %x : tensor<6xf32>
  %tanh = tg.tanh %x : tensor<6xf32>
  %sqrt = tg.sqrt %x : tensor<6xf32>
  %rsqrt = tg.rsqrt %x : tensor<6xf32>
  %erf = tg.erf %x : tensor<6xf32>
  %tan = tg.tan %x : tensor<6xf32>
  %sin = tg.sin %x : tensor<6xf32>
  %cos = tg.cos %x : tensor<6xf32>
  %y = tg.constant dense<[-8.0, 27.0]> : tensor<2xf64>
  %cbrt = tg.cbrt %y : tensor<2xf64>
  %small = tg.constant dense<[1.0e-10, -1.0e-10]> : tensor<2xf32>
  %expm1 = tg.expm1 %small : tensor<2xf32>
  %log1p = tg.log1p %small : tensor<2xf32>
  // CHECK: [1, 1, 2.71828, 0.367879, inf, 0]
  %print0 = tensor.cast %exp : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [-inf, -inf, 0, {{-?nan}}, inf, {{-?nan}}]
  %print1 = tensor.cast %log : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  // CHECK: [0.5, 0.5, 0.731059, 0.268941, 1, 0]
  %print2 = tensor.cast %logistic : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print2) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 0.761594, -0.761594, 1, -1]
  %print3 = tensor.cast %tanh : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print3) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 1, {{-?nan}}, inf, {{-?nan}}]
  %print4 = tensor.cast %sqrt : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print4) : (tensor<*xf32>) -> ()
  // CHECK: [inf, -inf, 1, {{-?nan}}, 0, {{-?nan}}]
  %print5 = tensor.cast %rsqrt : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print5) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 0.842701, -0.842701, 1, -1]
  %print6 = tensor.cast %erf : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print6) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 1.55741, -1.55741, {{-?nan}}, {{-?nan}}]
  %print7 = tensor.cast %tan : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print7) : (tensor<*xf32>) -> ()
  // CHECK: [0, -0, 0.841471, -0.841471, {{-?nan}}, {{-?nan}}]
  %print8 = tensor.cast %sin : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print8) : (tensor<*xf32>) -> ()
  // CHECK: [1, 1, 0.540302, 0.540302, {{-?nan}}, {{-?nan}}]
  %print9 = tensor.cast %cos : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print9) : (tensor<*xf32>) -> ()
  // CHECK: [-2, 3]
  %print10 = tensor.cast %cbrt : tensor<2xf64> to tensor<*xf64>
  call @printMemrefF64(%print10) : (tensor<*xf64>) -> ()
  // CHECK: [1e-10, -1e-10]
  %print11 = tensor.cast %expm1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print11) : (tensor<*xf32>) -> ()
  // CHECK: [1e-10, -1e-10]
  %print12 = tensor.cast %log1p : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print12) : (tensor<*xf32>) -> ()
  return
}

func.func private @float_binary() {
  %x = tg.constant dense<[0.0, -0.0, 1.5, 0x7F800000, 0xFF800000, 0x7FC00000, -2.5, 2.5]> : tensor<8xf32>
  %y = tg.constant dense<[-0.0, 0.0, 0x7FC00000, 1.0, 0xFF800000, 1.0, 2.0, 0.5]> : tensor<8xf32>
  %max = tg.max %x, %y : tensor<8xf32>
  %min = tg.min %x, %y : tensor<8xf32>
  %a = tg.constant dense<[5.5, -5.5, 5.5, -5.5, 1.0, 0x7F800000]> : tensor<6xf32>
  %b = tg.constant dense<[2.0, 2.0, -2.0, -2.0, 0.0, 1.0]> : tensor<6xf32>
  %rem = tg.rem %a, %b : tensor<6xf32>
  %div = tg.div %a, %b : tensor<6xf32>
  %c = tg.constant dense<[0.0, -2.0, -2.0, 0x7F800000, 2.0]> : tensor<5xf32>
  %d = tg.constant dense<[0.0, 3.0, 0.5, 0.0, -1.0]> : tensor<5xf32>
  %pow = tg.pow %c, %d : tensor<5xf32>
  %e = tg.constant dense<[1.0, -0.0, 0.0]> : tensor<3xf32>
  %f = tg.constant dense<[-1.0, -1.0, 1.0]> : tensor<3xf32>
  %atan2 = tg.atan2 %e, %f : tensor<3xf32>
  // CHECK: [0, 0, {{-?nan}}, inf, -inf, {{-?nan}}, 2, 2.5]
  %print0 = tensor.cast %max : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [-0, -0, {{-?nan}}, 1, -inf, {{-?nan}}, -2.5, 0.5]
  %print1 = tensor.cast %min : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  // CHECK: [1.5, -1.5, 1.5, -1.5, {{-?nan}}, {{-?nan}}]
  %print2 = tensor.cast %rem : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print2) : (tensor<*xf32>) -> ()
  // CHECK: [2.75, -2.75, -2.75, 2.75, inf, inf]
  %print3 = tensor.cast %div : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print3) : (tensor<*xf32>) -> ()
  // CHECK: [1, -8, {{-?nan}}, 1, 0.5]
  %print4 = tensor.cast %pow : tensor<5xf32> to tensor<*xf32>
  call @printMemrefF32(%print4) : (tensor<*xf32>) -> ()
  // CHECK: [2.35619, -3.14159, 0]
  %print5 = tensor.cast %atan2 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print5) : (tensor<*xf32>) -> ()
  return
}

func.func private @float_compare() {
  %x = tg.constant dense<[0.0, 0x7FC00000, 1.0, 0xFFC00000, 0x7F800000]> : tensor<5xf32>
  %y = tg.constant dense<[-0.0, 0x7FC00000, 0x7FC00000, 0xFF800000, 1.0]> : tensor<5xf32>
  %eq = tg.compare eq, %x, %y : tensor<5xf32>
  %eqi = tg.convert %eq : (tensor<5xi1>) -> tensor<5xi32>
  %ne = tg.compare ne, %x, %y : tensor<5xf32>
  %nei = tg.convert %ne : (tensor<5xi1>) -> tensor<5xi32>
  %lt = tg.compare lt, %x, %y : tensor<5xf32>
  %lti = tg.convert %lt : (tensor<5xi1>) -> tensor<5xi32>
  %le = tg.compare le, %x, %y : tensor<5xf32>
  %lei = tg.convert %le : (tensor<5xi1>) -> tensor<5xi32>
  %gt = tg.compare gt, %x, %y : tensor<5xf32>
  %gti = tg.convert %gt : (tensor<5xi1>) -> tensor<5xi32>
  %ge = tg.compare ge, %x, %y : tensor<5xf32>
  %gei = tg.convert %ge : (tensor<5xi1>) -> tensor<5xi32>
  %eqt = tg.compare eq, %x, %y total_order : tensor<5xf32>
  %eqti = tg.convert %eqt : (tensor<5xi1>) -> tensor<5xi32>
  %ltt = tg.compare lt, %x, %y total_order : tensor<5xf32>
  %ltti = tg.convert %ltt : (tensor<5xi1>) -> tensor<5xi32>
  %get = tg.compare ge, %x, %y total_order : tensor<5xf32>
  %geti = tg.convert %get : (tensor<5xi1>) -> tensor<5xi32>
  // CHECK: [1, 0, 0, 0, 0]
  %print0 = tensor.cast %eqi : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 1, 1, 1]
  %print1 = tensor.cast %nei : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 0, 0, 0]
  %print2 = tensor.cast %lti : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [1, 0, 0, 0, 0]
  %print3 = tensor.cast %lei : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 0, 0, 1]
  %print4 = tensor.cast %gti : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [1, 0, 0, 0, 1]
  %print5 = tensor.cast %gei : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print5) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 0, 0, 0]
  %print6 = tensor.cast %eqti : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print6) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 1, 1, 0]
  %print7 = tensor.cast %ltti : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print7) : (tensor<*xi32>) -> ()
  // CHECK: [1, 1, 0, 0, 1]
  %print8 = tensor.cast %geti : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print8) : (tensor<*xi32>) -> ()
  return
}

func.func private @ternary() {
  %p = tg.constant dense<[true, false, true]> : tensor<3xi1>
  %x = tg.constant dense<[-1.0, 0x7FC00000, 5.0]> : tensor<3xf32>
  %lo = tg.constant dense<0.0> : tensor<f32>
  %hi = tg.constant dense<[2.0, 2.0, 3.0]> : tensor<3xf32>
  %select = tg.select %p, %x, %hi : tensor<3xi1>, tensor<3xf32>
  %clamp = tg.clamp %lo, %x, %hi : tensor<f32>, tensor<3xf32>, tensor<3xf32>
  %u = tg.constant dense<[0, 100, 255]> : tensor<3xui8>
  %ulo = tg.constant dense<10> : tensor<ui8>
  %uhi = tg.constant dense<200> : tensor<ui8>
  %uclamp = tg.clamp %ulo, %u, %uhi : tensor<ui8>, tensor<3xui8>, tensor<ui8>
  %uclampi = tg.convert %uclamp : (tensor<3xui8>) -> tensor<3xi32>
  %a = tg.constant dense<[1.00000012, 2.0, 3.0]> : tensor<3xf32>
  %b = tg.constant dense<[1.00000012, 2.0, 3.0]> : tensor<3xf32>
  %c = tg.constant dense<[-1.00000024, 1.0, 1.0]> : tensor<3xf32>
  %fma = tg.fma %a, %b, %c : tensor<3xf32>
  // CHECK: [-1, 2, 5]
  %print0 = tensor.cast %select : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [0, {{-?nan}}, 3]
  %print1 = tensor.cast %clamp : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  // CHECK: [10, 100, 200]
  %print2 = tensor.cast %uclampi : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [1.42109e-14, 5, 10]
  %print3 = tensor.cast %fma : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print3) : (tensor<*xf32>) -> ()
  return
}

func.func private @integers() {
  %x = tg.constant dense<[7, -7, 7, -7, 5, -2147483648]> : tensor<6xi32>
  %y = tg.constant dense<[2, 2, -2, 0, 0, -1]> : tensor<6xi32>
  %div = tg.div %x, %y : tensor<6xi32>
  %rem = tg.rem %x, %y : tensor<6xi32>
  %abs = tg.abs %x : tensor<6xi32>
  %sign = tg.sign %y : tensor<6xi32>
  %max = tg.max %x, %y : tensor<6xi32>
  %neg = tg.neg %x : tensor<6xi32>
  %not = tg.not %y : tensor<6xi32>
  %clz = tg.clz %y : tensor<6xi32>
  %popcnt = tg.popcnt %y : tensor<6xi32>
  %b = tg.constant dense<[3, 2, 2, -1, 1, 2, 0, 0, -1]> : tensor<9xi32>
  %e = tg.constant dense<[4, 31, 40, -3, -5, -1, 0, -1, -2]> : tensor<9xi32>
  %pow = tg.pow %b, %e : tensor<9xi32>
  // CHECK: [3, -3, -3, -1, -1, -2147483648]
  %print0 = tensor.cast %div : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [1, -1, 1, -7, 5, 0]
  %print1 = tensor.cast %rem : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [7, 7, 7, 7, 5, -2147483648]
  %print2 = tensor.cast %abs : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [1, 1, -1, 0, 0, -1]
  %print3 = tensor.cast %sign : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [7, 2, 7, 0, 5, -1]
  %print4 = tensor.cast %max : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [-7, 7, -7, 7, -5, -2147483648]
  %print5 = tensor.cast %neg : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print5) : (tensor<*xi32>) -> ()
  // CHECK: [-3, -3, 1, -1, -1, 0]
  %print6 = tensor.cast %not : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print6) : (tensor<*xi32>) -> ()
  // CHECK: [30, 30, 0, 32, 32, 0]
  %print7 = tensor.cast %clz : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print7) : (tensor<*xi32>) -> ()
  // CHECK: [1, 1, 31, 0, 0, 32]
  %print8 = tensor.cast %popcnt : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print8) : (tensor<*xi32>) -> ()
  // CHECK: [81, -2147483648, 0, -1, 1, 0, 1, 0, 1]
  %print9 = tensor.cast %pow : tensor<9xi32> to tensor<*xi32>
  call @printMemrefI32(%print9) : (tensor<*xi32>) -> ()
  return
}

func.func private @unsigned() {
  %x = tg.constant dense<[7, 4294967295, 2147483648]> : tensor<3xui32>
  %y = tg.constant dense<[0, 2, 4294967295]> : tensor<3xui32>
  %div = tg.div %x, %y : tensor<3xui32>
  %rem = tg.rem %x, %y : tensor<3xui32>
  %max = tg.max %x, %y : tensor<3xui32>
  %min = tg.min %x, %y : tensor<3xui32>
  %sign = tg.sign %y : tensor<3xui32>
  %lt = tg.compare lt, %x, %y : tensor<3xui32>
  %pow = tg.pow %x, %y : tensor<3xui32>
  %divi = tg.convert %div : (tensor<3xui32>) -> tensor<3xi64>
  %remi = tg.convert %rem : (tensor<3xui32>) -> tensor<3xi64>
  %maxi = tg.convert %max : (tensor<3xui32>) -> tensor<3xi64>
  %mini = tg.convert %min : (tensor<3xui32>) -> tensor<3xi64>
  %signi = tg.convert %sign : (tensor<3xui32>) -> tensor<3xi64>
  %lti = tg.convert %lt : (tensor<3xi1>) -> tensor<3xi64>
  %powi = tg.convert %pow : (tensor<3xui32>) -> tensor<3xi64>
  // CHECK: [4294967295, 2147483647, 0]
  %print0 = tensor.cast %divi : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%print0) : (tensor<*xi64>) -> ()
  // CHECK: [7, 1, 2147483648]
  %print1 = tensor.cast %remi : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%print1) : (tensor<*xi64>) -> ()
  // CHECK: [7, 4294967295, 4294967295]
  %print2 = tensor.cast %maxi : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%print2) : (tensor<*xi64>) -> ()
  // CHECK: [0, 2, 2147483648]
  %print3 = tensor.cast %mini : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%print3) : (tensor<*xi64>) -> ()
  // CHECK: [0, 1, 1]
  %print4 = tensor.cast %signi : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%print4) : (tensor<*xi64>) -> ()
  // CHECK: [0, 0, 1]
  %print5 = tensor.cast %lti : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%print5) : (tensor<*xi64>) -> ()
  // CHECK: [1, 1, 0]
  %print6 = tensor.cast %powi : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%print6) : (tensor<*xi64>) -> ()
  return
}

func.func private @shifts() {
  %x = tg.constant dense<[1, 1, -1, 1, -128, 127]> : tensor<6xi8>
  %n = tg.constant dense<[7, 8, 1, -1, 7, 100]> : tensor<6xi8>
  %shl = tg.shl %x, %n : tensor<6xi8>
  %sra = tg.shr_arith %x, %n : tensor<6xi8>
  %srl = tg.shr_logic %x, %n : tensor<6xi8>
  %shli = tg.convert %shl : (tensor<6xi8>) -> tensor<6xi32>
  %srai = tg.convert %sra : (tensor<6xi8>) -> tensor<6xi32>
  %srli = tg.convert %srl : (tensor<6xi8>) -> tensor<6xi32>
  %u = tg.constant dense<[200, 200]> : tensor<2xui8>
  %m = tg.constant dense<[3, 200]> : tensor<2xui8>
  %usra = tg.shr_arith %u, %m : tensor<2xui8>
  %usrl = tg.shr_logic %u, %m : tensor<2xui8>
  %usrai = tg.convert %usra : (tensor<2xui8>) -> tensor<2xi32>
  %usrli = tg.convert %usrl : (tensor<2xui8>) -> tensor<2xi32>
  // CHECK: [-128, 0, -2, 0, 0, 0]
  %print0 = tensor.cast %shli : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, -1, 0, -1, 0]
  %print1 = tensor.cast %srai : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 127, 0, 1, 0]
  %print2 = tensor.cast %srli : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [249, 255]
  %print3 = tensor.cast %usrai : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [25, 0]
  %print4 = tensor.cast %usrli : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  return
}

func.func private @predicates() {
  %p = tg.constant dense<[false, false, true, true]> : tensor<4xi1>
  %q = tg.constant dense<[false, true, false, true]> : tensor<4xi1>
  %add = tg.add %p, %q : tensor<4xi1>
  %addi = tg.convert %add : (tensor<4xi1>) -> tensor<4xi32>
  %mul = tg.mul %p, %q : tensor<4xi1>
  %muli = tg.convert %mul : (tensor<4xi1>) -> tensor<4xi32>
  %max = tg.max %p, %q : tensor<4xi1>
  %maxi = tg.convert %max : (tensor<4xi1>) -> tensor<4xi32>
  %min = tg.min %p, %q : tensor<4xi1>
  %mini = tg.convert %min : (tensor<4xi1>) -> tensor<4xi32>
  %and = tg.and %p, %q : tensor<4xi1>
  %andi = tg.convert %and : (tensor<4xi1>) -> tensor<4xi32>
  %or = tg.or %p, %q : tensor<4xi1>
  %ori = tg.convert %or : (tensor<4xi1>) -> tensor<4xi32>
  %xor = tg.xor %p, %q : tensor<4xi1>
  %xori = tg.convert %xor : (tensor<4xi1>) -> tensor<4xi32>
  %not = tg.not %p : tensor<4xi1>
  %noti = tg.convert %not : (tensor<4xi1>) -> tensor<4xi32>
  %lt = tg.compare lt, %p, %q : tensor<4xi1>
  %lti = tg.convert %lt : (tensor<4xi1>) -> tensor<4xi32>
  // CHECK: [0, 1, 1, 1]
  %print0 = tensor.cast %addi : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 0, 1]
  %print1 = tensor.cast %muli : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 1, 1]
  %print2 = tensor.cast %maxi : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 0, 1]
  %print3 = tensor.cast %mini : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 0, 1]
  %print4 = tensor.cast %andi : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 1, 1]
  %print5 = tensor.cast %ori : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print5) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 1, 0]
  %print6 = tensor.cast %xori : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print6) : (tensor<*xi32>) -> ()
  // CHECK: [1, 1, 0, 0]
  %print7 = tensor.cast %noti : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print7) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 0, 0]
  %print8 = tensor.cast %lti : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print8) : (tensor<*xi32>) -> ()
  return
}

func.func private @to_integers() {
  %x = tg.constant dense<[127.9, 128.0, -128.5, -129.0, 0x7FC00000, 0x7F800000, 0xFF800000, -0.7]> : tensor<8xf32>
  %i8 = tg.convert %x : (tensor<8xf32>) -> tensor<8xi8>
  %i8i = tg.convert %i8 : (tensor<8xi8>) -> tensor<8xi32>
  %u8 = tg.convert %x : (tensor<8xf32>) -> tensor<8xui8>
  %u8i = tg.convert %u8 : (tensor<8xui8>) -> tensor<8xi32>
  %y = tg.constant dense<[9.3e18, -9.3e18, 9007199254740991.0, 1.0e300]> : tensor<4xf64>
  %i64 = tg.convert %y : (tensor<4xf64>) -> tensor<4xi64>
  %z = tg.constant dense<[1.8446744073709552e19, 9.2233720368547758e18, -1.0]> : tensor<3xf32>
  %u64 = tg.convert %z : (tensor<3xf32>) -> tensor<3xui64>
  %u64f = tg.convert %u64 : (tensor<3xui64>) -> tensor<3xf64>
  %w = tg.constant dense<[0.0, -0.0, 0x7FC00000, 0.25]> : tensor<4xf32>
  %i1 = tg.convert %w : (tensor<4xf32>) -> tensor<4xi1>
  %i1i = tg.convert %i1 : (tensor<4xi1>) -> tensor<4xi32>
  %i1f = tg.convert %i1 : (tensor<4xi1>) -> tensor<4xf32>
  %h = tg.constant dense<[65504.0, -65504.0]> : tensor<2xf16>
  %hi = tg.convert %h : (tensor<2xf16>) -> tensor<2xi32>
  %hi8 = tg.convert %h : (tensor<2xf16>) -> tensor<2xi8>
  %hi8i = tg.convert %hi8 : (tensor<2xi8>) -> tensor<2xi32>
  %n = tg.constant dense<[300, -1, 256, 0]> : tensor<4xi32>
  %n8 = tg.convert %n : (tensor<4xi32>) -> tensor<4xi8>
  %n8i = tg.convert %n8 : (tensor<4xi8>) -> tensor<4xi64>
  %nu = tg.convert %n : (tensor<4xi32>) -> tensor<4xui8>
  %nui = tg.convert %nu : (tensor<4xui8>) -> tensor<4xi64>
  %n1 = tg.convert %n : (tensor<4xi32>) -> tensor<4xi1>
  %n1i = tg.convert %n1 : (tensor<4xi1>) -> tensor<4xi64>
  // CHECK: [127, 127, -128, -128, 0, 127, -128, 0]
  %print0 = tensor.cast %i8i : tensor<8xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [127, 128, 0, 0, 0, 255, 0, 0]
  %print1 = tensor.cast %u8i : tensor<8xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [9223372036854775807, -9223372036854775808, 9007199254740991, 9223372036854775807]
  %print2 = tensor.cast %i64 : tensor<4xi64> to tensor<*xi64>
  call @printMemrefI64(%print2) : (tensor<*xi64>) -> ()
  // CHECK: [1.84467e+19, 9.22337e+18, 0]
  %print3 = tensor.cast %u64f : tensor<3xf64> to tensor<*xf64>
  call @printMemrefF64(%print3) : (tensor<*xf64>) -> ()
  // CHECK: [0, 0, 1, 1]
  %print4 = tensor.cast %i1i : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0, 1, 1]
  %print5 = tensor.cast %i1f : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%print5) : (tensor<*xf32>) -> ()
  // CHECK: [65504, -65504]
  %print6 = tensor.cast %hi : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print6) : (tensor<*xi32>) -> ()
  // CHECK: [127, -128]
  %print7 = tensor.cast %hi8i : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print7) : (tensor<*xi32>) -> ()
  // CHECK: [44, -1, 0, 0]
  %print8 = tensor.cast %n8i : tensor<4xi64> to tensor<*xi64>
  call @printMemrefI64(%print8) : (tensor<*xi64>) -> ()
  // CHECK: [44, 255, 0, 0]
  %print9 = tensor.cast %nui : tensor<4xi64> to tensor<*xi64>
  call @printMemrefI64(%print9) : (tensor<*xi64>) -> ()
  // CHECK: [1, 1, 1, 0]
  %print10 = tensor.cast %n1i : tensor<4xi64> to tensor<*xi64>
  call @printMemrefI64(%print10) : (tensor<*xi64>) -> ()
  return
}

func.func private @to_floats() {
  // Each lies just above a tie of the 16-bit type, which rounding to f32 on the way would turn into the tie.
  %x = tg.constant dense<[1.0039062500009095, 1.0004882812509095]> : tensor<2xf64>
  %bf = tg.convert %x : (tensor<2xf64>) -> tensor<2xbf16>
  %bff = tg.convert %bf : (tensor<2xbf16>) -> tensor<2xf64>
  %h = tg.convert %x : (tensor<2xf64>) -> tensor<2xf16>
  %hf = tg.convert %h : (tensor<2xf16>) -> tensor<2xf64>
  %one = tg.constant dense<1.0> : tensor<2xf64>
  %bfd = tg.sub %bff, %one : tensor<2xf64>
  %hd = tg.sub %hf, %one : tensor<2xf64>
  %n = tg.constant dense<[16842753, 16842752, -16842753]> : tensor<3xi32>
  %nbf = tg.convert %n : (tensor<3xi32>) -> tensor<3xbf16>
  %nbfi = tg.convert %nbf : (tensor<3xbf16>) -> tensor<3xi32>
  %y = tg.constant dense<[65519.0, 65520.0, 0x7FC00000, 5.9604645e-08]> : tensor<4xf32>
  %yh = tg.convert %y : (tensor<4xf32>) -> tensor<4xf16>
  %yhf = tg.convert %yh : (tensor<4xf16>) -> tensor<4xf32>
  %z = tg.constant dense<[3.39e38, 0x7FF8000000000000, 1.0, 1.0e300]> : tensor<4xf64>
  %zbf = tg.convert %z : (tensor<4xf64>) -> tensor<4xbf16>
  %zf = tg.convert %zbf : (tensor<4xbf16>) -> tensor<4xf32>
  %zh = tg.convert %zbf : (tensor<4xbf16>) -> tensor<4xf16>
  %zhf = tg.convert %zh : (tensor<4xf16>) -> tensor<4xf32>
  %u = tg.constant dense<[255, 128]> : tensor<2xui8>
  %uf = tg.convert %u : (tensor<2xui8>) -> tensor<2xf32>
  %uh = tg.convert %u : (tensor<2xui8>) -> tensor<2xbf16>
  %uhf = tg.convert %uh : (tensor<2xbf16>) -> tensor<2xf32>
  %s = tg.constant dense<[-1, -128]> : tensor<2xi8>
  %sf = tg.convert %s : (tensor<2xi8>) -> tensor<2xf32>
  // CHECK: [0.0078125, 0]
  %print0 = tensor.cast %bfd : tensor<2xf64> to tensor<*xf64>
  call @printMemrefF64(%print0) : (tensor<*xf64>) -> ()
  // CHECK: [0.00390625, 0.000976562]
  %print1 = tensor.cast %hd : tensor<2xf64> to tensor<*xf64>
  call @printMemrefF64(%print1) : (tensor<*xf64>) -> ()
  // CHECK: [16908288, 16777216, -16908288]
  %print2 = tensor.cast %nbfi : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [65504, inf, {{-?nan}}, 5.96046e-08]
  %print3 = tensor.cast %yhf : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%print3) : (tensor<*xf32>) -> ()
  // CHECK: [3.38953e+38, {{-?nan}}, 1, inf]
  %print4 = tensor.cast %zf : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%print4) : (tensor<*xf32>) -> ()
  // CHECK: [inf, {{-?nan}}, 1, inf]
  %print5 = tensor.cast %zhf : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%print5) : (tensor<*xf32>) -> ()
  // CHECK: [255, 128]
  %print6 = tensor.cast %uf : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print6) : (tensor<*xf32>) -> ()
  // CHECK: [255, 128]
  %print7 = tensor.cast %uhf : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print7) : (tensor<*xf32>) -> ()
  // CHECK: [-1, -128]
  %print8 = tensor.cast %sf : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print8) : (tensor<*xf32>) -> ()
  return
}

func.func private @bitcasts() {
  %x = tg.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %i = tg.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>
  %n = tg.constant dense<[67305985, -1]> : tensor<2xi32>
  %bytes = tg.bitcast_convert %n : (tensor<2xi32>) -> tensor<2x4xi8>
  %bytesi = tg.convert %bytes : (tensor<2x4xi8>) -> tensor<2x4xi32>
  %back = tg.bitcast_convert %bytes : (tensor<2x4xi8>) -> tensor<2xi32>
  %halves = tg.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x2xui16>
  %halvesi = tg.convert %halves : (tensor<2x2xui16>) -> tensor<2x2xi32>
  %bf = tg.bitcast_convert %halves : (tensor<2x2xui16>) -> tensor<2x2xbf16>
  %bff = tg.convert %bf : (tensor<2x2xbf16>) -> tensor<2x2xf32>
  // CHECK: [1065353216, -2147483648]
  %print0 = tensor.cast %i : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [1, 2, 3, 4],
  // CHECK-NEXT: [-1, -1, -1, -1]
  %print1 = tensor.cast %bytesi : tensor<2x4xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [67305985, -1]
  %print2 = tensor.cast %back : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [0, 16256],
  // CHECK-NEXT: [0, 32768]
  %print3 = tensor.cast %halvesi : tensor<2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1],
  // CHECK-NEXT: [0, -0]
  %print4 = tensor.cast %bff : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%print4) : (tensor<*xf32>) -> ()
  return
}

func.func private @movement() {
  %iota = tg.iota dim 1 : tensor<2x4xf32>
  %u = tg.iota dim 0 : tensor<3xui8>
  %ui = tg.convert %u : (tensor<3xui8>) -> tensor<3xi32>
  %bf = tg.iota dim 0 : tensor<3xbf16>
  %bff = tg.convert %bf : (tensor<3xbf16>) -> tensor<3xf32>
  %n = tg.constant dense<[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]> : tensor<3x4xi32>
  %slice = tg.slice %n [0:3:2, 1:4:2] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  %reverse = tg.reverse %n dims [0, 1] : tensor<3x4xi32>
  %transpose = tg.transpose %n permutation [1, 0] : (tensor<3x4xi32>) -> tensor<4x3xi32>
  %v = tg.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %broadcast = tg.broadcast %v dims [1, 0] : (tensor<2x1xi32>) -> tensor<3x2xi32>
  %c = tg.constant dense<-1> : tensor<i32>
  %pad = tg.pad %n, %c low [1, -1] high [-1, 1] interior [0, 1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<3x7xi32>
  %concat = tg.concatenate %slice, %v, %slice dim 1 : (tensor<2x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
  %reshape = tg.reshape %n : (tensor<3x4xi32>) -> tensor<2x6xi32>
  // CHECK: [0, 1, 2, 3],
  // CHECK-NEXT: [0, 1, 2, 3]
  %print0 = tensor.cast %iota : tensor<2x4xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [0, 1, 2]
  %print1 = tensor.cast %ui : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 2]
  %print2 = tensor.cast %bff : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print2) : (tensor<*xf32>) -> ()
  // CHECK: [1, 3],
  // CHECK-NEXT: [21, 23]
  %print3 = tensor.cast %slice : tensor<2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [23, 22, 21, 20],
  // CHECK-NEXT: [13, 12, 11, 10],
  // CHECK-NEXT: [3, 2, 1, 0]
  %print4 = tensor.cast %reverse : tensor<3x4xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [0, 10, 20],
  // CHECK-NEXT: [1, 11, 21],
  // CHECK-NEXT: [2, 12, 22],
  // CHECK-NEXT: [3, 13, 23]
  %print5 = tensor.cast %transpose : tensor<4x3xi32> to tensor<*xi32>
  call @printMemrefI32(%print5) : (tensor<*xi32>) -> ()
  // CHECK: [7, 8],
  // CHECK-NEXT: [7, 8],
  // CHECK-NEXT: [7, 8]
  %print6 = tensor.cast %broadcast : tensor<3x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print6) : (tensor<*xi32>) -> ()
  // CHECK: [-1, -1, -1, -1, -1, -1, -1],
  // CHECK-NEXT: [-1, 1, -1, 2, -1, 3, -1],
  // CHECK-NEXT: [-1, 11, -1, 12, -1, 13, -1]
  %print7 = tensor.cast %pad : tensor<3x7xi32> to tensor<*xi32>
  call @printMemrefI32(%print7) : (tensor<*xi32>) -> ()
  // CHECK: [1, 3, 7, 1, 3],
  // CHECK-NEXT: [21, 23, 8, 21, 23]
  %print8 = tensor.cast %concat : tensor<2x5xi32> to tensor<*xi32>
  call @printMemrefI32(%print8) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 2, 3, 10, 11],
  // CHECK-NEXT: [12, 13, 20, 21, 22, 23]
  %print9 = tensor.cast %reshape : tensor<2x6xi32> to tensor<*xi32>
  call @printMemrefI32(%print9) : (tensor<*xi32>) -> ()
  return
}

func.func private @computed_indices() {
  %n = tg.constant dense<[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]> : tensor<3x4xi32>
  %minus = tg.constant dense<-5> : tensor<i8>
  %large = tg.constant dense<200> : tensor<ui8>
  %ds = tg.dynamic_slice %n[%minus, %minus] sizes [2, 2] : (tensor<3x4xi32>, tensor<i8>, tensor<i8>) -> tensor<2x2xi32>
  %dsu = tg.dynamic_slice %n[%large, %large] sizes [2, 2] : (tensor<3x4xi32>, tensor<ui8>, tensor<ui8>) -> tensor<2x2xi32>
  %one = tg.constant dense<1> : tensor<i64>
  %far = tg.constant dense<9223372036854775807> : tensor<i64>
  %update = tg.constant dense<[[-1, -2]]> : tensor<1x2xi32>
  %dus = tg.dynamic_update_slice %n[%one, %far], %update : (tensor<3x4xi32>, tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<3x4xi32>
  %rows = tg.constant dense<[2, -1, 7]> : tensor<3xi32>
  %gather = tg.gather %n, %rows offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 2] : (tensor<3x4xi32>, tensor<3xi32>) -> tensor<3x2xi32>
  // Start indices (1, 2) and (0, 3) are columns; slices of 2 x 1 with both dimensions kept, the second index clamped.
  %points = tg.constant dense<[[1, 0], [2, 3]]> : tensor<2x2xi32>
  %gather2 = tg.gather %n, %points offset_dims [0, 1] start_index_map [0, 1] index_vector_dim 0 slice_sizes [2, 1] : (tensor<3x4xi32>, tensor<2x2xi32>) -> tensor<2x1x2xi32>
  %gather2r = tg.reshape %gather2 : (tensor<2x1x2xi32>) -> tensor<2x2xi32>
  // Row b of the operand at the column that row b of the indices names.
  %columns = tg.constant dense<[[3], [0], [1]]> : tensor<3x1xi32>
  %gather3 = tg.gather %n, %columns collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 1 slice_sizes [1, 1] : (tensor<3x4xi32>, tensor<3x1xi32>) -> tensor<3xi32>
  %unsigned = tg.constant dense<[255, 1]> : tensor<2xui8>
  %gather4 = tg.gather %n, %unsigned offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<3x4xi32>, tensor<2xui8>) -> tensor<2x4xi32>
  // CHECK: [0, 1],
  // CHECK-NEXT: [10, 11]
  %print0 = tensor.cast %ds : tensor<2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [12, 13],
  // CHECK-NEXT: [22, 23]
  %print1 = tensor.cast %dsu : tensor<2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 2, 3],
  // CHECK-NEXT: [10, 11, -1, -2],
  // CHECK-NEXT: [20, 21, 22, 23]
  %print2 = tensor.cast %dus : tensor<3x4xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [20, 21],
  // CHECK-NEXT: [0, 1],
  // CHECK-NEXT: [20, 21]
  %print3 = tensor.cast %gather : tensor<3x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [12, 3],
  // CHECK-NEXT: [22, 13]
  %print4 = tensor.cast %gather2r : tensor<2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [3, 10, 21]
  %print5 = tensor.cast %gather3 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%print5) : (tensor<*xi32>) -> ()
  // CHECK: [20, 21, 22, 23],
  // CHECK-NEXT: [10, 11, 12, 13]
  %print6 = tensor.cast %gather4 : tensor<2x4xi32> to tensor<*xi32>
  call @printMemrefI32(%print6) : (tensor<*xi32>) -> ()
  return
}

func.func private @reductions() {
  %x = tg.constant dense<[[16777216.0, 1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 0x7FC00000, 4.0, 5.0]]> : tensor<2x5xf32>
  %sum = tg.reduce add %x dims [1] : (tensor<2x5xf32>) -> tensor<2xf32>
  %max = tg.reduce max %x dims [1] : (tensor<2x5xf32>) -> tensor<2xf32>
  %min = tg.reduce min %x dims [0] : (tensor<2x5xf32>) -> tensor<5xf32>
  %ones = tg.constant dense<1.0> : tensor<2x512xbf16>
  %bf = tg.reduce add %ones dims [1] : (tensor<2x512xbf16>) -> tensor<2xbf16>
  %bff = tg.convert %bf : (tensor<2xbf16>) -> tensor<2xf32>
  %n = tg.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi32>
  %sums = tg.reduce add %n dims [0, 2] : (tensor<2x2x2xi32>) -> tensor<2xi32>
  %products = tg.reduce mul %n dims [0, 1, 2] : (tensor<2x2x2xi32>) -> tensor<i32>
  %product = tg.reshape %products : (tensor<i32>) -> tensor<1xi32>
  %and = tg.reduce and %n dims [1, 2] : (tensor<2x2x2xi32>) -> tensor<2xi32>
  %or = tg.reduce or %n dims [1, 2] : (tensor<2x2x2xi32>) -> tensor<2xi32>
  %xor = tg.reduce xor %n dims [1, 2] : (tensor<2x2x2xi32>) -> tensor<2xi32>
  %u = tg.constant dense<[[1, 255], [128, 7]]> : tensor<2x2xui8>
  %umax = tg.reduce max %u dims [1] : (tensor<2x2xui8>) -> tensor<2xui8>
  %umaxi = tg.convert %umax : (tensor<2xui8>) -> tensor<2xi32>
  %p = tg.constant dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  %any = tg.reduce add %p dims [1] : (tensor<2x2xi1>) -> tensor<2xi1>
  %all = tg.reduce min %p dims [1] : (tensor<2x2xi1>) -> tensor<2xi1>
  %anyi = tg.convert %any : (tensor<2xi1>) -> tensor<2xi32>
  %alli = tg.convert %all : (tensor<2xi1>) -> tensor<2xi32>
  %none = tg.constant dense<> : tensor<2x0xi32>
  %least = tg.reduce max %none dims [1] : (tensor<2x0xi32>) -> tensor<2xi32>
  %zero = tg.reduce add %none dims [1] : (tensor<2x0xi32>) -> tensor<2xi32>
  // CHECK: [1.67772e+07, {{-?nan}}]
  %print0 = tensor.cast %sum : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [1.67772e+07, {{-?nan}}]
  %print1 = tensor.cast %max : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  // CHECK: [1, 1, {{-?nan}}, 1, 1]
  %print2 = tensor.cast %min : tensor<5xf32> to tensor<*xf32>
  call @printMemrefF32(%print2) : (tensor<*xf32>) -> ()
  // CHECK: [512, 512]
  %print3 = tensor.cast %bff : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print3) : (tensor<*xf32>) -> ()
  // CHECK: [14, 22]
  %print4 = tensor.cast %sums : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [40320]
  %print5 = tensor.cast %product : tensor<1xi32> to tensor<*xi32>
  call @printMemrefI32(%print5) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0]
  %print6 = tensor.cast %and : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print6) : (tensor<*xi32>) -> ()
  // CHECK: [7, 15]
  %print7 = tensor.cast %or : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print7) : (tensor<*xi32>) -> ()
  // CHECK: [4, 12]
  %print8 = tensor.cast %xor : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print8) : (tensor<*xi32>) -> ()
  // CHECK: [255, 128]
  %print9 = tensor.cast %umaxi : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print9) : (tensor<*xi32>) -> ()
  // CHECK: [1, 1]
  %print10 = tensor.cast %anyi : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print10) : (tensor<*xi32>) -> ()
  // CHECK: [1, 0]
  %print11 = tensor.cast %alli : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print11) : (tensor<*xi32>) -> ()
  // CHECK: [-2147483648, -2147483648]
  %print12 = tensor.cast %least : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print12) : (tensor<*xi32>) -> ()
  // CHECK: [0, 0]
  %print13 = tensor.cast %zero : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print13) : (tensor<*xi32>) -> ()
  return
}

func.func private @exact_sum() {
  %x = tg.constant dense<[16777216.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf32>
  %sum = tg.reduce add %x dims [0] : (tensor<5xf32>) -> tensor<f32>
  %sumi = tg.convert %sum : (tensor<f32>) -> tensor<i32>
  %r = tg.reshape %sumi : (tensor<i32>) -> tensor<1xi32>
  // CHECK: [16777220]
  %print0 = tensor.cast %r : tensor<1xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  return
}

func.func private @arg_reductions() {
  %x = tg.constant dense<[[1.0, 3.0, 3.0, 2.0], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [1.0, 0x7FC00000, 0x7FC00000, 9.0]]> : tensor<3x4xf32>
  %v, %i = tg.arg_reduce max %x dim 1 : (tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  %w, %j = tg.arg_reduce min %x dim 0 : (tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  %u = tg.constant dense<[1, 200, 7]> : tensor<3xui8>
  %a, %k = tg.arg_reduce max %u dim 0 : (tensor<3xui8>) -> (tensor<ui8>, tensor<ui8>)
  %kr = tg.reshape %k : (tensor<ui8>) -> tensor<1xui8>
  %ki = tg.convert %kr : (tensor<1xui8>) -> tensor<1xi32>
  // CHECK: [3, -inf, {{-?nan}}]
  %print0 = tensor.cast %v : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [1, 0, 1]
  %print1 = tensor.cast %i : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [-inf, {{-?nan}}, {{-?nan}}, -inf]
  %print2 = tensor.cast %w : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%print2) : (tensor<*xf32>) -> ()
  // CHECK: [1, 2, 2, 1]
  %print3 = tensor.cast %j : tensor<4xi64> to tensor<*xi64>
  call @printMemrefI64(%print3) : (tensor<*xi64>) -> ()
  // CHECK: [1]
  %print4 = tensor.cast %ki : tensor<1xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  return
}

// Windows of nothing but padding, and what is before the first element: the identity of the element type, which is not
// that of the type that the reference accumulates in.
func.func private @identities() {
  %x = tg.constant dense<[3, -5]> : tensor<2xi4>
  %max = "tg.reduce_window"(%x) {kind = 3 : i32, window_dimensions = array<i64: 1>, window_strides = array<i64: 1>, padding_low = array<i64: 1>, padding_high = array<i64: 1>, base_dilations = array<i64: 2>, window_dilations = array<i64: 1>} : (tensor<2xi4>) -> tensor<5xi4>
  %min = "tg.reduce_window"(%x) {kind = 2 : i32, window_dimensions = array<i64: 1>, window_strides = array<i64: 1>, padding_low = array<i64: 1>, padding_high = array<i64: 1>, base_dilations = array<i64: 2>, window_dilations = array<i64: 1>} : (tensor<2xi4>) -> tensor<5xi4>
  %before = "tg.cumulative"(%x) {kind = 3 : i32, dim = 0 : i64, exclusive} : (tensor<2xi4>) -> tensor<2xi4>
  %i0 = tg.convert %max : (tensor<5xi4>) -> tensor<5xi32>
  %i1 = tg.convert %min : (tensor<5xi4>) -> tensor<5xi32>
  %i2 = tg.convert %before : (tensor<2xi4>) -> tensor<2xi32>
  // CHECK: [-8, 3, -8, -5, -8]
  %print0 = tensor.cast %i0 : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print0) : (tensor<*xi32>) -> ()
  // CHECK: [7, 3, 7, -5, 7]
  %print1 = tensor.cast %i1 : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [-8, 3]
  %print2 = tensor.cast %i2 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  %f = tg.constant dense<[-2.5, 3.0]> : tensor<2xf8E4M3FN>
  %least = "tg.cumulative"(%f) {kind = 3 : i32, dim = 0 : i64, exclusive} : (tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN>
  %f0 = tg.convert %least : (tensor<2xf8E4M3FN>) -> tensor<2xf32>
  // CHECK: [-448, -2.5]
  %print3 = tensor.cast %f0 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print3) : (tensor<*xf32>) -> ()
  return
}

func.func private @dots() {
  %h = tg.constant dense<[[2048.0, 1.0, 1.0]]> : tensor<1x3xf16>
  %ones = tg.constant dense<1.0> : tensor<3x1xf16>
  %hd = tg.dot %h, %ones contract [1] x [0] : (tensor<1x3xf16>, tensor<3x1xf16>) -> tensor<1x1xf16>
  %hdf = tg.convert %hd : (tensor<1x1xf16>) -> tensor<1x1xf32>
  %b = tg.constant dense<-128> : tensor<2xi8>
  %bi = tg.dot %b, %b contract [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
  %bir = tg.reshape %bi : (tensor<i32>) -> tensor<1xi32>
  %bu = tg.constant dense<255> : tensor<2xui8>
  %bui = tg.dot %bu, %bu contract [0] x [0] : (tensor<2xui8>, tensor<2xui8>) -> tensor<ui32>
  %bur = tg.reshape %bui : (tensor<ui32>) -> tensor<1xui32>
  %buri = tg.convert %bur : (tensor<1xui32>) -> tensor<1xi32>
  %x = tg.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi32>
  %batched = tg.dot %x, %x batch [1] x [0] contract [0] x [2] : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2xi32>
  %rows = tg.reshape %batched : (tensor<2x2x2xi32>) -> tensor<4x2xi32>
  %v = tg.constant dense<[1, 2]> : tensor<2xi32>
  %outer = tg.dot %v, %v : (tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %p = tg.constant dense<[true, false]> : tensor<2xi1>
  %q = tg.constant dense<[true, true]> : tensor<2xi1>
  %pq = tg.dot %p, %q contract [0] x [0] : (tensor<2xi1>, tensor<2xi1>) -> tensor<i1>
  %pqi = tg.convert %pq : (tensor<i1>) -> tensor<i32>
  %pqr = tg.reshape %pqi : (tensor<i32>) -> tensor<1xi32>
  // CHECK: [2050]
  %print0 = tensor.cast %hdf : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [32768]
  %print1 = tensor.cast %bir : tensor<1xi32> to tensor<*xi32>
  call @printMemrefI32(%print1) : (tensor<*xi32>) -> ()
  // CHECK: [130050]
  %print2 = tensor.cast %buri : tensor<1xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [11, 23],
  // CHECK-NEXT: [14, 30],
  // CHECK-NEXT: [57, 77],
  // CHECK-NEXT: [68, 92]
  %print3 = tensor.cast %rows : tensor<4x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [1, 2],
  // CHECK-NEXT: [2, 4]
  %print4 = tensor.cast %outer : tensor<2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%print4) : (tensor<*xi32>) -> ()
  // CHECK: [1]
  %print5 = tensor.cast %pqr : tensor<1xi32> to tensor<*xi32>
  call @printMemrefI32(%print5) : (tensor<*xi32>) -> ()
  return
}

func.func private @sixteen_bits() {
  %x = tg.constant dense<[1.0, 3.0, 0x7FC0]> : tensor<3xbf16>
  %y = tg.constant dense<[3.0, -0.0, 1.0]> : tensor<3xbf16>
  %div = tg.div %x, %y : tensor<3xbf16>
  %divf = tg.convert %div : (tensor<3xbf16>) -> tensor<3xf32>
  %max = tg.max %x, %y : tensor<3xbf16>
  %maxf = tg.convert %max : (tensor<3xbf16>) -> tensor<3xf32>
  %lt = tg.compare lt, %x, %y : tensor<3xbf16>
  %lti = tg.convert %lt : (tensor<3xi1>) -> tensor<3xi32>
  %lt2 = tg.compare lt, %y, %x total_order : tensor<3xbf16>
  %lt2i = tg.convert %lt2 : (tensor<3xi1>) -> tensor<3xi32>
  %h = tg.constant dense<[0.1, 2048.0]> : tensor<2xf16>
  %g = tg.constant dense<[0.2, 1.0]> : tensor<2xf16>
  %sum = tg.add %h, %g : tensor<2xf16>
  %sumf = tg.convert %sum : (tensor<2xf16>) -> tensor<2xf32>
  // CHECK: [0.333984, -inf, {{-?nan}}]
  %print0 = tensor.cast %divf : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [3, 3, {{-?nan}}]
  %print1 = tensor.cast %maxf : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  // CHECK: [1, 0, 0]
  %print2 = tensor.cast %lti : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%print2) : (tensor<*xi32>) -> ()
  // CHECK: [0, 1, 1]
  %print3 = tensor.cast %lt2i : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%print3) : (tensor<*xi32>) -> ()
  // CHECK: [0.299805, 2048]
  %print4 = tensor.cast %sumf : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%print4) : (tensor<*xf32>) -> ()
  return
}
