// RUN: stitch-opt %s --stitch-relaxed-arithmetic | FileCheck %s

// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32)
// CHECK-NEXT: %[[SUM:.*]] = math.fma %[[A]], %[[B]], %[[C]]
// CHECK-NEXT: %[[NOT_C:.*]] = arith.negf %[[C]]
// CHECK-NEXT: %[[LESS:.*]] = math.fma %[[A]], %[[B]], %[[NOT_C]]
// CHECK-NEXT: %[[NOT_A:.*]] = arith.negf %[[A]]
// CHECK-NEXT: %[[FROM:.*]] = math.fma %[[NOT_A]], %[[B]], %[[C]]
// CHECK-NEXT: return %[[SUM]], %[[LESS]], %[[FROM]]
func.func @sums(%a: f32, %b: f32, %c: f32) -> (f32, f32, f32) {
  %0 = arith.mulf %a, %b fastmath<contract> : f32
  %1 = arith.addf %c, %0 fastmath<contract> : f32
  %2 = arith.subf %0, %c fastmath<contract> : f32
  %3 = arith.subf %c, %0 fastmath<contract> : f32
  return %1, %2, %3 : f32, f32, f32
}

// Of two products the first one is fused.
// CHECK-LABEL: func.func @two_products(
// CHECK-SAME: %[[A:.*]]: f64, %[[B:.*]]: f64)
// CHECK-NEXT: %[[SECOND:.*]] = arith.mulf %[[B]], %[[B]] : f64
// CHECK-NEXT: %[[SUM:.*]] = math.fma %[[A]], %[[A]], %[[SECOND]]
// CHECK-NEXT: return %[[SUM]]
func.func @two_products(%a: f64, %b: f64) -> f64 {
  %0 = arith.mulf %a, %a fastmath<contract> : f64
  %1 = arith.mulf %b, %b fastmath<contract> : f64
  %2 = arith.addf %0, %1 fastmath<contract> : f64
  return %2 : f64
}

// Both must allow it, and nothing else may read the product, nor a loop that does not compute it.
// No compiler below may decide otherwise: no flag is left.
// CHECK-LABEL: func.func @not_allowed
// CHECK-NOT: math.fma
// CHECK-NOT: fastmath
func.func @not_allowed(%a: f32, %b: f32, %n: index) -> (f32, f32, f32, f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %0, %a fastmath<contract> : f32
  %2 = arith.mulf %a, %b fastmath<contract> : f32
  %3 = arith.addf %2, %a : f32
  %4 = arith.mulf %a, %a fastmath<contract> : f32
  %5 = arith.addf %4, %b fastmath<contract> : f32
  %6 = math.exp %4 : f32
  %7 = arith.mulf %b, %b fastmath<contract> : f32
  %8 = scf.for %i = %zero to %n step %one iter_args(%sum = %a) -> f32 {
    %9 = arith.addf %sum, %7 fastmath<contract> : f32
    scf.yield %9 : f32
  }
  %10 = arith.addf %5, %6 : f32
  return %1, %3, %10, %8 : f32, f32, f32, f32
}

// A quotient by one is the dividend.
// CHECK-LABEL: func.func @by_one(
// CHECK-SAME: %[[A:.*]]: f32)
// CHECK: return %[[A]]
func.func @by_one(%a: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %0 = arith.divf %a, %one fastmath<arcp> : f32
  return %0 : f32
}

// The reciprocal is computed once for both quotients; a quotient that nothing is said of stays.
// CHECK-LABEL: func.func @quotients(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[ABS:.*]] = math.absf %[[Y]]
// CHECK: arith.cmpf ogt, %[[ABS]]
// CHECK: arith.cmpf olt, %[[ABS]]
// CHECK: %[[FOR_SMALL:.*]] = arith.select
// CHECK: %[[SCALE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[FOR_SMALL]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[Y]], %[[SCALE]]
// CHECK: %[[NEAREST:.*]] = arith.divf %{{.*}}, %[[SCALED]] : f32
// CHECK: %[[HIGH:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: %[[REST:.*]] = math.fma
// CHECK: %[[POSITIVE:.*]] = arith.maxnumf %[[REST]]
// CHECK: %[[LOW:.*]] = arith.mulf %[[POSITIVE]], %[[HIGH]]
// CHECK-NEXT: %[[A_SCALED:.*]] = arith.mulf %[[A]], %[[SCALE]]
// CHECK-NEXT: %[[A_LOW:.*]] = arith.mulf %[[A_SCALED]], %[[LOW]]
// CHECK-NEXT: math.fma %[[A_SCALED]], %[[HIGH]], %[[A_LOW]]
// CHECK-NEXT: %[[B_SCALED:.*]] = arith.mulf %[[B]], %[[SCALE]]
// CHECK-NEXT: %[[B_LOW:.*]] = arith.mulf %[[B_SCALED]], %[[LOW]]
// CHECK-NEXT: math.fma %[[B_SCALED]], %[[HIGH]], %[[B_LOW]]
// CHECK-NEXT: arith.divf %[[A]], %[[Y]] : f32
func.func @quotients(%a: f32, %b: f32, %y: f32) -> (f32, f32, f32) {
  %0 = arith.divf %a, %y fastmath<arcp> : f32
  %1 = arith.divf %b, %y fastmath<arcp> : f32
  %2 = arith.divf %a, %y : f32
  return %0, %1, %2 : f32, f32, f32
}

// What a GPU has not approximated is computed as without leave to do so: on a CPU, too.
// CHECK-LABEL: func.func @approximations(
// CHECK-NOT: fastmath
// CHECK: return
func.func @approximations(%a: f32, %b: f32) -> (f32, f32) {
  %0 = math.tanh %a fastmath<afn> : f32
  %1 = arith.divf %a, %b fastmath<afn> : f32
  return %0, %1 : f32, f32
}

// A logistic function's divisor lies between one and two: its reciprocal is rounded, and one times it is itself.
// CHECK-LABEL: func.func @logistic(
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[NEGATIVE:.*]] = arith.cmpf olt
// CHECK: %[[SUM:.*]] = arith.addf %[[ONE]], %[[E]]
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[SUM]] : f32
// CHECK-NEXT: %[[ER:.*]] = arith.mulf %[[E]], %[[R]]
// CHECK-NEXT: %[[S:.*]] = arith.select %[[NEGATIVE]], %[[ER]], %[[R]]
// CHECK: return %[[S]]
func.func @logistic(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = math.absf %x : f32
  %1 = arith.negf %0 : f32
  %2 = math.exp %1 : f32
  %3 = arith.cmpf olt, %x, %zero : f32
  %4 = arith.select %3, %2, %one : f32
  %5 = arith.addf %one, %2 : f32
  %6 = arith.divf %4, %5 fastmath<arcp> : f32
  return %6 : f32
}

// A divisor that is neither large nor small needs no scale.
// CHECK-LABEL: func.func @unscaled(
// CHECK-SAME: %[[A:.*]]: f32, %[[Y:.*]]: f32)
// CHECK-NOT: math.absf
// CHECK: %[[NEAREST:.*]] = arith.divf %{{.*}}, %[[Y]] : f32
// CHECK: %[[LOW:.*]] = arith.mulf
// CHECK-NEXT: %[[REST:.*]] = arith.mulf %[[A]], %[[LOW]]
// CHECK-NEXT: %[[Q:.*]] = math.fma %[[A]], %{{.*}}, %[[REST]]
// CHECK-NEXT: return %[[Q]]
func.func @unscaled(%a: f32, %y: f32) -> f32 {
  %0 = arith.divf %a, %y fastmath<arcp> {stitch.unscaled} : f32
  return %0 : f32
}
