// Two recurrences on a device with so few multiprocessors that a part of the weights finds room: by columns of the weights, in registers and in shared
// memory; and by their rows, of which a block has several.
module attributes {stitch.device = #stitch.device<h200, sms = 3, gpc_sms = 3, shared_per_sm = 98304>} {
  func.func @main(%w: tensor<331x512xf32>, %h0: tensor<331xf32>, %v: tensor<301x640xf32>, %g0: tensor<301xf32>) -> (tensor<331xf32>, tensor<301xf32>) {
    %first = tg.constant dense<0> : tensor<i32>
    %r:2 = tg.while(%i = %first, %h = %h0) : tensor<i32>, tensor<331xf32> cond {
      %n = tg.constant dense<6> : tensor<i32>
      %c = tg.compare lt, %i, %n : tensor<i32>
      tg.yield %c : tensor<i1>
    } do {
      %one = tg.constant dense<1> : tensor<i32>
      %next = tg.add %i, %one : tensor<i32>
      %hb = tg.broadcast %h dims [0] : (tensor<331xf32>) -> tensor<331x512xf32>
      %p = tg.mul %hb, %w : tensor<331x512xf32>
      %s = tg.reduce add %p dims [0] : (tensor<331x512xf32>) -> tensor<512xf32>
      %f = tg.slice %s [0:331] : (tensor<512xf32>) -> tensor<331xf32>
      %g = tg.slice %s [181:512] : (tensor<512xf32>) -> tensor<331xf32>
      %t = tg.tanh %f : tensor<331xf32>
      %u = tg.sin %g : tensor<331xf32>
      %m = tg.mul %t, %u : tensor<331xf32>
      tg.yield %next, %m : tensor<i32>, tensor<331xf32>
    }
    %q:2 = tg.while(%i = %first, %h = %g0) : tensor<i32>, tensor<301xf32> cond {
      %n = tg.constant dense<5> : tensor<i32>
      %c = tg.compare lt, %i, %n : tensor<i32>
      tg.yield %c : tensor<i1>
    } do {
      %one = tg.constant dense<1> : tensor<i32>
      %next = tg.add %i, %one : tensor<i32>
      %half = tg.constant dense<0.5> : tensor<f32>
      %l = tg.pad %h, %half low [3] high [336] interior [0] : (tensor<301xf32>, tensor<f32>) -> tensor<640xf32>
      %hb = tg.broadcast %l dims [1] : (tensor<640xf32>) -> tensor<301x640xf32>
      %p = tg.mul %hb, %v : tensor<301x640xf32>
      %s = tg.reduce add %p dims [1] : (tensor<301x640xf32>) -> tensor<301xf32>
      %t = tg.tanh %s : tensor<301xf32>
      tg.yield %next, %t : tensor<i32>, tensor<301xf32>
    }
    return %r#1, %q#1 : tensor<331xf32>, tensor<301xf32>
  }
}
