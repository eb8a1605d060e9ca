// RUN: stitch-opt %s --convert-tosa-to-tg -split-input-file | FileCheck %s
// RUN: stitch-opt %s --convert-tosa-to-tg -split-input-file -mlir-print-debuginfo | FileCheck %s --check-prefix=NAME

// A variable is an argument, and a result if it is written. Reads see the writes before them.

tosa.variable @counter = dense<[7]> : tensor<1xi32>
tosa.variable @unused : tensor<3xf32>

// CHECK-NOT: tosa.variable
// CHECK: func.func @read_write(%[[X:.*]]: tensor<1xi32>, %[[C:.*]]: tensor<1xi32> {stitch.variable = {initial = dense<7> : tensor<1xi32>, name = "counter"}})
// CHECK-SAME: -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32> {stitch.variable = {name = "counter"}})
// CHECK:   %[[A:.*]] = tg.add %[[C]], %[[X]]
// CHECK:   %[[B:.*]] = tg.add %[[A]], %[[A]]
// CHECK:   return %[[C]], %[[A]], %[[B]]
// NAME: func.func @read_write(%{{.*}}: tensor<1xi32>{{.*}}, %{{.*}}: tensor<1xi32> {stitch.variable = {{{.*}}}} loc("counter"({{.*}})))
func.func @read_write(%x: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %first = tosa.variable_read @counter : tensor<1xi32>
  %a = tosa.add %first, %x : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  tosa.variable_write @counter, %a : tensor<1xi32>
  %second = tosa.variable_read @counter : tensor<1xi32>
  %b = tosa.add %second, %second : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  tosa.variable_write @counter, %b : tensor<1xi32>
  return %first, %second : tensor<1xi32>, tensor<1xi32>
}

// What is only read is no result; attributes of other arguments stay.
// CHECK: func.func @read(%{{.*}}: tensor<i1> {stitch.note}, %[[C:.*]]: tensor<1xi32> {stitch.variable = {{.*}}}) -> tensor<1xi32> {
// CHECK:   return %[[C]] :
func.func @read(%x: tensor<i1> {stitch.note}) -> tensor<1xi32> {
  %c = tosa.variable_read @counter : tensor<1xi32>
  return %c : tensor<1xi32>
}

// CHECK: func.func @neither(%{{.*}}: tensor<i1>) -> tensor<i1> {
func.func @neither(%x: tensor<i1>) -> tensor<i1> {
  return %x : tensor<i1>
}

// -----

// Through calls, also of functions that come later, and only what each of them needs.

tosa.variable @a : tensor<2xf32>
tosa.variable @b : tensor<3xf32>
tosa.variable @scalar = dense<2.5> : tensor<f32>

// CHECK: func.func @main(%[[X:.*]]: tensor<2xf32>, %[[A:[^:]*]]: tensor<2xf32> {stitch.variable = {name = "a"}}, %[[B:[^:]*]]: tensor<3xf32> {stitch.variable = {name = "b"}},
// CHECK-SAME: %[[S:[^:]*]]: tensor<f32> {stitch.variable = {initial = dense<2.500000e+00> : tensor<f32>, name = "scalar"}})
// CHECK-SAME: -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<2xf32> {stitch.variable = {name = "a"}})
// CHECK:   %[[R:.*]]:2 = call @swap(%[[X]], %[[A]]) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK:   %[[G:.*]]:2 = call @get(%[[B]], %[[S]])
// CHECK:   return %[[R]]#0, %[[G]]#0, %[[G]]#1, %[[R]]#1
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>) {
  %r = call @swap(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %g:2 = call @get() : () -> (tensor<3xf32>, tensor<f32>)
  return %r, %g#0, %g#1 : tensor<2xf32>, tensor<3xf32>, tensor<f32>
}

// CHECK: func.func private @swap(%[[X:.*]]: tensor<2xf32>, %[[A:.*]]: tensor<2xf32> {{.*}}) -> (tensor<2xf32>, tensor<2xf32> {{.*}})
// CHECK:   return %[[A]], %[[X]]
func.func private @swap(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = tosa.variable_read @a : tensor<2xf32>
  tosa.variable_write @a, %x : tensor<2xf32>
  return %a : tensor<2xf32>
}

func.func private @get() -> (tensor<3xf32>, tensor<f32>) {
  %b = tosa.variable_read @b : tensor<3xf32>
  %s = tosa.variable_read @scalar : tensor<f32>
  return %b, %s : tensor<3xf32>, tensor<f32>
}

// -----

// Through branches: one that does not write it leaves it as it was.

tosa.variable @v : tensor<2xf32>

// CHECK: func.func @branches(%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<2xf32>, %[[V:.*]]: tensor<2xf32> {{.*}}) ->
// CHECK:   %[[R:.*]]:2 = tg.if %[[P]] {{.*}} {
// CHECK:     tg.yield %[[V]], %[[X]]
// CHECK:   } else {
// CHECK:     tg.yield %[[X]], %[[V]]
// CHECK:   }
// CHECK:   return %[[R]]#0, %[[R]]#1, %[[R]]#1
func.func @branches(%p: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r = tosa.cond_if %p (%a = %x) : tensor<i1> (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %old = tosa.variable_read @v : tensor<2xf32>
    tosa.variable_write @v, %a : tensor<2xf32>
    tosa.yield %old : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<2xf32>):
    tosa.yield %a : tensor<2xf32>
  }
  %v = tosa.variable_read @v : tensor<2xf32>
  return %r, %v : tensor<2xf32>, tensor<2xf32>
}

// -----

// Through loops, which carry what they read only, too.

tosa.variable @limit = dense<10> : tensor<i32>
tosa.variable @sum : tensor<i32>

// CHECK: func.func @loop(%[[X:.*]]: tensor<i32>, %[[L:[^:]*]]: tensor<i32> {{.*}}, %[[S:[^:]*]]: tensor<i32> {{.*}}) ->
// CHECK:   %[[R:.*]]:3 = tg.while(%[[I:.*]] = %[[X]], %[[LIMIT:.*]] = %[[L]], %[[SUM:.*]] = %[[S]]) {{.*}} cond {
// CHECK:     tg.compare gt, %[[LIMIT]], %[[I]]
// CHECK:   } do {
// CHECK:     %[[NEW:.*]] = tg.add %[[SUM]], %[[I]]
// CHECK:     %[[NEXT:.*]] = tg.add %[[I]],
// CHECK:     tg.yield %[[NEXT]], %[[LIMIT]], %[[NEW]]
// CHECK:   return %[[R]]#0, %[[R]]#2 :
func.func @loop(%x: tensor<i32>) -> tensor<i32> {
  %one = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
  %r = tosa.while_loop (%a = %x) : (tensor<i32>) -> tensor<i32> {
    %limit = tosa.variable_read @limit : tensor<i32>
    %p = tosa.greater %limit, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>):
    %sum = tosa.variable_read @sum : tensor<i32>
    %new = tosa.add %sum, %a : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.variable_write @sum, %new : tensor<i32>
    %next = tosa.add %a, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %next : tensor<i32>
  }
  return %r : tensor<i32>
}
