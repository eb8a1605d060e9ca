// Library calls with gelu, its gradient and the gradients of biases, in sizes that are odd where they may be.
module {
  func.func @main(%x: tensor<5x7xf16>, %w: tensor<7x24xf16>, %b: tensor<24xf16>, %v: tensor<24x9xf16>, %g: tensor<5x9xf16>,
                  %p: tensor<3x11x6xbf16>, %q: tensor<3x6x13xbf16>, %r: tensor<2x9x7xbf16>, %s: tensor<7x3x8xbf16>, %c: tensor<3x8xbf16>,
                  %t: tensor<3x8x5xbf16>, %h: tensor<2x9x5xbf16>, %i: tensor<9x15xf16>, %j: tensor<9x11xf16>, %k: tensor<15x9xf16>)
      -> (tensor<5x9xf16>, tensor<24xf16>, tensor<7x24xf16>, tensor<3x11x13xbf16>, tensor<2x9x3x8xbf16>, tensor<2x9x3x8xbf16>,
          tensor<3x8xbf16>, tensor<15x11xf16>, tensor<11xf16>, tensor<15x11xf16>, tensor<15xf16>) {
    // A layer and its gradient.
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<5x7xf16>, tensor<7x24xf16>) -> tensor<5x24xf16>
    %1 = tg.broadcast %b dims [1] : (tensor<24xf16>) -> tensor<5x24xf16>
    %2 = tg.add %0, %1 : tensor<5x24xf16>
    %3 = tg.gelu %2 approximate : tensor<5x24xf16>
    %4 = tg.dot %3, %v contract [1] x [0] : (tensor<5x24xf16>, tensor<24x9xf16>) -> tensor<5x9xf16>
    %5 = tg.dot %g, %v contract [1] x [1] : (tensor<5x9xf16>, tensor<24x9xf16>) -> tensor<5x24xf16>
    %6 = tg.gelu_gradient %2, %5 approximate : tensor<5x24xf16>
    %7 = tg.reduce add %6 dims [0] : (tensor<5x24xf16>) -> tensor<24xf16>
    %8 = tg.dot %x, %6 contract [0] x [0] : (tensor<5x7xf16>, tensor<5x24xf16>) -> tensor<7x24xf16>

    // A batch, without a bias.
    %9 = tg.dot %p, %q batch [0] x [0] contract [2] x [1] : (tensor<3x11x6xbf16>, tensor<3x6x13xbf16>) -> tensor<3x11x13xbf16>
    %10 = tg.gelu %9 approximate : tensor<3x11x13xbf16>

    // Rows and columns of several dimensions; no sum.
    %11 = tg.dot %r, %s contract [2] x [0] : (tensor<2x9x7xbf16>, tensor<7x3x8xbf16>) -> tensor<2x9x3x8xbf16>
    %12 = tg.broadcast %c dims [2, 3] : (tensor<3x8xbf16>) -> tensor<2x9x3x8xbf16>
    %13 = tg.add %11, %12 : tensor<2x9x3x8xbf16>
    %14 = tg.gelu %13 approximate : tensor<2x9x3x8xbf16>
    %15 = tg.dot %h, %t contract [2] x [2] : (tensor<2x9x5xbf16>, tensor<3x8x5xbf16>) -> tensor<2x9x3x8xbf16>
    %16 = tg.gelu_gradient %13, %15 approximate : tensor<2x9x3x8xbf16>
    %17 = tg.reduce add %16 dims [0, 1] : (tensor<2x9x3x8xbf16>) -> tensor<3x8xbf16>

    // Sums of either operand, one of them transposed.
    %18 = tg.dot %i, %j contract [0] x [0] : (tensor<9x15xf16>, tensor<9x11xf16>) -> tensor<15x11xf16>
    %19 = tg.reduce add %j dims [0] : (tensor<9x11xf16>) -> tensor<11xf16>
    %20 = tg.dot %k, %j contract [1] x [0] : (tensor<15x9xf16>, tensor<9x11xf16>) -> tensor<15x11xf16>
    %21 = tg.reduce add %k dims [1] : (tensor<15x9xf16>) -> tensor<15xf16>
    return %4, %7, %8, %10, %14, %16, %17, %18, %19, %20, %21
        : tensor<5x9xf16>, tensor<24xf16>, tensor<7x24xf16>, tensor<3x11x13xbf16>, tensor<2x9x3x8xbf16>, tensor<2x9x3x8xbf16>,
          tensor<3x8xbf16>, tensor<15x11xf16>, tensor<11xf16>, tensor<15x11xf16>, tensor<15xf16>
  }
}
