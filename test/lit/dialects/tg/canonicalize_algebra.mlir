// RUN: stitch-opt %s -canonicalize -split-input-file | FileCheck %s

// Constants of sums are put together, modulo 2^n.
// CHECK-LABEL: @sums
func.func @sums(%x: tensor<8xi32>, %y: tensor<8xui8>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xui8>, tensor<8xi32>) {
  %c3 = tg.constant dense<3> : tensor<8xi32>
  %max = tg.constant dense<2147483647> : tensor<8xi32>
  %row = tg.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %c200 = tg.constant dense<200> : tensor<8xui8>
  // CHECK-DAG: %[[C6:.*]] = tg.constant dense<6> : tensor<8xi32>
  // CHECK-DAG: tg.add %arg0, %[[C6]]
  %0 = tg.add %x, %c3 : tensor<8xi32>
  %1 = tg.add %0, %c3 : tensor<8xi32>
  // CHECK-DAG: %[[WRAPPED:.*]] = tg.constant dense<-2147483646> : tensor<8xi32>
  // CHECK-DAG: tg.add %arg0, %[[WRAPPED]]
  %2 = tg.add %c3, %x : tensor<8xi32>
  %3 = tg.add %2, %max : tensor<8xi32>
  // CHECK-DAG: %[[DIFFERENCES:.*]] = tg.constant dense<[3, 2, 1, 0, -1, -2, -3, -4]> : tensor<8xi32>
  // CHECK-DAG: tg.sub %[[DIFFERENCES]], %arg0
  %4 = tg.add %x, %row : tensor<8xi32>
  %5 = tg.sub %c3, %4 : tensor<8xi32>
  // CHECK-DAG: %[[BACK:.*]] = tg.constant dense<[-3, -2, -1, 0, 1, 2, 3, 4]> : tensor<8xi32>
  // CHECK-DAG: tg.add %arg0, %[[BACK]]
  %6 = tg.sub %c3, %x : tensor<8xi32>
  %7 = tg.sub %row, %6 : tensor<8xi32>
  // CHECK-DAG: %[[C144:.*]] = tg.constant dense<144> : tensor<8xui8>
  // CHECK-DAG: tg.add %arg1, %[[C144]]
  %8 = tg.add %y, %c200 : tensor<8xui8>
  %9 = tg.add %8, %c200 : tensor<8xui8>
  // (x - 3) + 3 is x.
  // CHECK: return {{.*}}, %arg0
  %10 = tg.sub %x, %c3 : tensor<8xi32>
  %11 = tg.add %10, %c3 : tensor<8xi32>
  return %1, %3, %5, %7, %9, %11 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xui8>, tensor<8xi32>
}

// -----

// What something else reads, too, is there anyway.
// CHECK-LABEL: @read_twice
// CHECK: %[[SUM:.*]] = tg.add %arg0
// CHECK: tg.add %[[SUM]]
func.func @read_twice(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %c3 = tg.constant dense<3> : tensor<8xi32>
  %0 = tg.add %x, %c3 : tensor<8xi32>
  %1 = tg.add %0, %c3 : tensor<8xi32>
  return %0, %1 : tensor<8xi32>, tensor<8xi32>
}

// -----

// Multiples of one value are one product.
// CHECK-LABEL: @multiples
func.func @multiples(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  // CHECK-DAG: %[[C4:.*]] = tg.constant dense<4>
  // CHECK-DAG: %[[C12:.*]] = tg.constant dense<12>
  // CHECK-DAG: %[[C2:.*]] = tg.constant dense<-2>
  // CHECK-DAG: %[[C3:.*]] = tg.constant dense<3>
  %c3 = tg.constant dense<3> : tensor<8xi32>
  %c4 = tg.constant dense<4> : tensor<8xi32>
  // CHECK: %[[R0:.*]] = tg.mul %arg0, %[[C4]]
  %0 = tg.mul %x, %c3 : tensor<8xi32>
  %1 = tg.add %0, %x : tensor<8xi32>
  // CHECK: %[[R1:.*]] = tg.mul %arg0, %[[C12]]
  %2 = tg.mul %x, %c3 : tensor<8xi32>
  %3 = tg.mul %2, %c4 : tensor<8xi32>
  // CHECK: %[[R2:.*]] = tg.mul %arg0, %[[C2]]
  %4 = tg.mul %x, %c3 : tensor<8xi32>
  %5 = tg.sub %x, %4 : tensor<8xi32>
  // CHECK: %[[R3:.*]] = tg.mul %arg0, %[[C3]]
  %6 = tg.add %x, %x : tensor<8xi32>
  %7 = tg.add %6, %x : tensor<8xi32>
  // CHECK: %[[R4:.*]] = tg.neg %arg0
  %8 = tg.mul %x, %c3 : tensor<8xi32>
  %9 = tg.mul %x, %c4 : tensor<8xi32>
  %10 = tg.sub %8, %9 : tensor<8xi32>
  // A sum of two is no product.
  // CHECK: %[[R5:.*]] = tg.add %arg0, %arg0
  %11 = tg.add %x, %x : tensor<8xi32>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[R5]]
  return %1, %3, %5, %7, %10, %11 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}

// -----

// x y + z x is x (y + z).
// CHECK-LABEL: @products
// CHECK: %[[SUM:.*]] = tg.add %arg1, %arg2
// CHECK: tg.mul %arg0, %[[SUM]]
// CHECK: %[[DIFFERENCE:.*]] = tg.sub %arg1, %arg2
// CHECK: tg.mul %arg0, %[[DIFFERENCE]]
// CHECK-NOT: tg.mul
func.func @products(%x: tensor<8xi64>, %y: tensor<8xi64>, %z: tensor<8xi64>) -> (tensor<8xi64>, tensor<8xi64>) {
  %0 = tg.mul %x, %y : tensor<8xi64>
  %1 = tg.mul %z, %x : tensor<8xi64>
  %2 = tg.add %0, %1 : tensor<8xi64>
  %3 = tg.mul %x, %y : tensor<8xi64>
  %4 = tg.mul %z, %x : tensor<8xi64>
  %5 = tg.sub %3, %4 : tensor<8xi64>
  return %2, %5 : tensor<8xi64>, tensor<8xi64>
}

// -----

// Sums of floats round, and predicates have no sums.
// CHECK-LABEL: @neither
// CHECK-COUNT-4: tg.add
// CHECK-COUNT-2: tg.mul
// CHECK: tg.add
func.func @neither(%x: tensor<8xf32>, %p: tensor<8xi1>, %q: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xi1>, tensor<8xf32>) {
  %c3 = tg.constant dense<3.0> : tensor<8xf32>
  %0 = tg.add %x, %c3 : tensor<8xf32>
  %1 = tg.add %0, %c3 : tensor<8xf32>
  %2 = tg.add %p, %q : tensor<8xi1>
  %3 = tg.add %2, %p : tensor<8xi1>
  %4 = tg.mul %x, %c3 : tensor<8xf32>
  %5 = tg.mul %4, %x : tensor<8xf32>
  %6 = tg.add %5, %x : tensor<8xf32>
  return %1, %3, %6 : tensor<8xf32>, tensor<8xi1>, tensor<8xf32>
}

// -----

// A factor that is a power of two is part of another one where neither makes a number subnormal or brings back what has
// become infinite.
// CHECK-LABEL: @powers_of_two
func.func @powers_of_two(%x: tensor<8xf32>, %y: tensor<8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %two = tg.constant dense<2.0> : tensor<8xf32>
  %four = tg.constant dense<4.0> : tensor<8xf32>
  %half = tg.constant dense<0.5> : tensor<8xf32>
  %three = tg.constant dense<-3.0> : tensor<8xf32>
  %large = tg.constant dense<32768.0> : tensor<8xf16>
  // CHECK-DAG: %[[C8:.*]] = tg.constant dense<8.000000e+00> : tensor<8xf32>
  // CHECK-DAG: %[[C6:.*]] = tg.constant dense<-6.000000e+00> : tensor<8xf32>
  // CHECK-DAG: %[[HALF:.*]] = tg.constant dense<5.000000e-01> : tensor<8xf32>
  // CHECK-DAG: %[[TWO:.*]] = tg.constant dense<2.000000e+00> : tensor<8xf32>
  // CHECK-DAG: %[[THREE:.*]] = tg.constant dense<-3.000000e+00> : tensor<8xf32>
  // CHECK-DAG: %[[LARGE:.*]] = tg.constant dense<3.276800e+04> : tensor<8xf16>
  // CHECK: tg.mul %arg0, %[[C8]]
  %0 = tg.mul %x, %two : tensor<8xf32>
  %1 = tg.mul %0, %four : tensor<8xf32>
  // CHECK: tg.mul %arg0, %[[C6]]
  %2 = tg.mul %x, %two : tensor<8xf32>
  %3 = tg.mul %2, %three : tensor<8xf32>
  // The product of the factors would be infinite, and 0 times it NaN.
  // CHECK: %[[ONCE:.*]] = tg.mul %arg1, %[[LARGE]]
  // CHECK: tg.mul %[[ONCE]], %[[LARGE]]
  %4 = tg.mul %y, %large : tensor<8xf16>
  %5 = tg.mul %4, %large : tensor<8xf16>
  // CHECK: %[[SMALL:.*]] = tg.mul %arg0, %[[HALF]]
  // CHECK: tg.mul %[[SMALL]], %[[TWO]]
  %6 = tg.mul %x, %half : tensor<8xf32>
  %7 = tg.mul %6, %two : tensor<8xf32>
  // CHECK: %[[DOUBLE:.*]] = tg.mul %arg0, %[[TWO]]
  // CHECK: tg.mul %[[DOUBLE]], %[[HALF]]
  %8 = tg.mul %x, %two : tensor<8xf32>
  %9 = tg.mul %8, %half : tensor<8xf32>
  // 3 x rounds where it is subnormal.
  // CHECK: %[[THRICE:.*]] = tg.mul %arg0, %[[THREE]]
  // CHECK: tg.mul %[[THRICE]], %[[TWO]]
  %10 = tg.mul %x, %three : tensor<8xf32>
  %11 = tg.mul %10, %two : tensor<8xf32>
  return %1, %3, %5, %7, %9, %11 : tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Negations end in sums, differences and constants.
// CHECK-LABEL: @negations
func.func @negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c3 = tg.constant dense<3.0> : tensor<8xf32>
  %one = tg.constant dense<-1.0> : tensor<8xf32>
  %zero = tg.constant dense<-0.0> : tensor<8xf32>
  // CHECK: %[[C:.*]] = tg.constant dense<-3.000000e+00>
  %n = tg.neg %y : tensor<8xf32>
  // CHECK: %[[R0:.*]] = tg.sub %arg0, %arg1
  %0 = tg.add %x, %n : tensor<8xf32>
  // CHECK: %[[R1:.*]] = tg.add %arg0, %arg1
  %1 = tg.sub %x, %n : tensor<8xf32>
  // CHECK: %[[R2:.*]] = tg.mul %arg1, %[[C]]
  %2 = tg.mul %n, %c3 : tensor<8xf32>
  // CHECK: %[[R3:.*]] = tg.div %arg0, %[[C]]
  %3 = tg.div %x, %c3 : tensor<8xf32>
  %4 = tg.neg %3 : tensor<8xf32>
  // CHECK: %[[R4:.*]] = tg.neg %arg0
  %5 = tg.mul %x, %one : tensor<8xf32>
  %6 = tg.sub %zero, %x : tensor<8xf32>
  // CHECK: %[[R6:.*]] = tg.neg %arg0
  // CHECK: %[[R7:.*]] = tg.div %arg0, %arg1
  %m = tg.neg %x : tensor<8xf32>
  %7 = tg.div %m, %n : tensor<8xf32>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[R6]], %[[R7]]
  return %0, %1, %2, %4, %5, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// -(x - y) is y - x of integers; of floats x - x is 0, and its negation -0. The smallest integer is its own negation, so
// that its quotients stay.
// CHECK-LABEL: @differences
func.func @differences(%x: tensor<8xi32>, %y: tensor<8xi32>, %u: tensor<8xf32>, %v: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>, tensor<8xi32>, tensor<8xf32>) {
  %zero = tg.constant dense<0.0> : tensor<8xf32>
  // CHECK: %[[R0:.*]] = tg.sub %arg1, %arg0
  %0 = tg.sub %x, %y : tensor<8xi32>
  %1 = tg.neg %0 : tensor<8xi32>
  // CHECK: %[[D:.*]] = tg.sub %arg2, %arg3
  // CHECK: %[[R1:.*]] = tg.neg %[[D]]
  %2 = tg.sub %u, %v : tensor<8xf32>
  %3 = tg.neg %2 : tensor<8xf32>
  // CHECK: %[[N:.*]] = tg.neg %arg0
  // CHECK: %[[M:.*]] = tg.neg %arg1
  // CHECK: %[[R2:.*]] = tg.div %[[N]], %[[M]]
  %4 = tg.neg %x : tensor<8xi32>
  %5 = tg.neg %y : tensor<8xi32>
  %6 = tg.div %4, %5 : tensor<8xi32>
  // 0 - 0 is 0, and not -0.
  // CHECK: %[[R3:.*]] = tg.sub %{{.*}}, %arg2
  %7 = tg.sub %zero, %u : tensor<8xf32>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]]
  return %1, %3, %6, %7 : tensor<8xi32>, tensor<8xf32>, tensor<8xi32>, tensor<8xf32>
}

// -----

// -0 + 0 is 0: a zero goes where there is no -0.
// CHECK-LABEL: @zeros
func.func @zeros(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = tg.constant dense<0.0> : tensor<8xf32>
  // CHECK: %[[R0:.*]] = tg.add %arg0
  %0 = tg.add %x, %zero : tensor<8xf32>
  %1 = tg.add %0, %zero : tensor<8xf32>
  // CHECK: %[[R1:.*]] = tg.exp %arg0
  %2 = tg.exp %x : tensor<8xf32>
  %3 = tg.add %2, %zero : tensor<8xf32>
  // CHECK: %[[R2:.*]] = tg.convert %arg1
  %4 = tg.convert %i : (tensor<8xi32>) -> tensor<8xf32>
  %5 = tg.add %4, %zero : tensor<8xf32>
  // CHECK: %[[R3:.*]] = tg.mul %arg0, %arg0
  %6 = tg.mul %x, %x : tensor<8xf32>
  %7 = tg.add %zero, %6 : tensor<8xf32>
  // CHECK: %[[ROOT:.*]] = tg.sqrt %arg0
  // CHECK: %[[R4:.*]] = tg.add %[[ROOT]]
  %8 = tg.sqrt %x : tensor<8xf32>
  %9 = tg.add %8, %zero : tensor<8xf32>
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]]
  return %1, %3, %5, %7, %9 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Constants of one sum or product that are apart meet.
// CHECK-LABEL: @apart
func.func @apart(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  %c3 = tg.constant dense<3> : tensor<8xi32>
  %c5 = tg.constant dense<5> : tensor<8xi32>
  // CHECK-DAG: %[[C8:.*]] = tg.constant dense<8>
  // CHECK-DAG: %[[C15:.*]] = tg.constant dense<15>
  // CHECK-DAG: %[[MINUS2:.*]] = tg.constant dense<-2>
  // CHECK-DAG: %[[SUM:.*]] = tg.add %arg0, %arg1
  // CHECK-DAG: %[[PRODUCT:.*]] = tg.mul %arg0, %arg1
  // CHECK-DAG: tg.add %[[SUM]], %[[C8]]
  %0 = tg.add %x, %c3 : tensor<8xi32>
  %1 = tg.add %y, %c5 : tensor<8xi32>
  %2 = tg.add %0, %1 : tensor<8xi32>
  %3 = tg.add %x, %c3 : tensor<8xi32>
  %4 = tg.add %3, %y : tensor<8xi32>
  %5 = tg.add %4, %c5 : tensor<8xi32>
  // CHECK-DAG: %[[REVERSED:.*]] = tg.add %arg1, %arg0
  // CHECK-DAG: tg.add %[[REVERSED]], %[[MINUS2]]
  %6 = tg.add %y, %c3 : tensor<8xi32>
  %7 = tg.add %x, %6 : tensor<8xi32>
  %8 = tg.sub %7, %c5 : tensor<8xi32>
  // CHECK-DAG: tg.mul %[[PRODUCT]], %[[C15]]
  %9 = tg.mul %x, %c3 : tensor<8xi32>
  %10 = tg.mul %y, %c5 : tensor<8xi32>
  %11 = tg.mul %9, %10 : tensor<8xi32>
  %12 = tg.mul %x, %c3 : tensor<8xi32>
  %13 = tg.mul %12, %y : tensor<8xi32>
  %14 = tg.mul %13, %c5 : tensor<8xi32>
  // CHECK-NOT: tg.constant dense<3>
  // CHECK-NOT: tg.constant dense<5>
  return %2, %5, %8, %11, %14 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}
