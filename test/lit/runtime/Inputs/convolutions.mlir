// One convolution of each sort: element types, layouts, and what the attributes can say. test/lit/unit/cudnn_plans.test
// numbers them from 0.
func.func @main(%x0: tensor<2x9x8x16xf32>,
                %k0: tensor<3x3x16x8xf32>,
                %x1: tensor<2x16x9x8xf32>,
                %k1: tensor<8x16x3x3xf32>,
                %x2: tensor<2x9x8x16xf16>,
                %k2: tensor<3x3x16x8xf16>,
                %x3: tensor<2x16x9x8xf16>,
                %k3: tensor<8x16x3x3xf16>,
                %x4: tensor<2x9x8x16xbf16>,
                %k4: tensor<3x3x16x8xbf16>,
                %x5: tensor<2x16x9x8xbf16>,
                %k5: tensor<8x16x3x3xbf16>,
                %x6: tensor<2x9x8x16xf64>,
                %k6: tensor<3x3x16x8xf64>,
                %x7: tensor<2x16x9x8xf64>,
                %k7: tensor<8x16x3x3xf64>,
                %x8: tensor<2x9x8x16xf16>,
                %k8: tensor<8x3x3x16xf16>,
                %x9: tensor<2x8x8x4xf32>,
                %k9: tensor<1x1x4x8xf32>,
                %x10: tensor<3x20x6xf32>,
                %k10: tensor<5x6x7xf32>,
                %x11: tensor<3x6x20xf32>,
                %k11: tensor<7x6x5xf32>,
                %x12: tensor<2x5x6x4x3xf32>,
                %k12: tensor<2x3x2x3x5xf32>,
                %x13: tensor<2x8x5x6x4xbf16>,
                %k13: tensor<8x8x2x3x2xbf16>,
                %x14: tensor<4x6xf32>,
                %k14: tensor<6x5xf32>,
                %x15: tensor<2x8x7x8xf32>,
                %k15: tensor<3x3x2x12xf32>,
                %x16: tensor<2x8x7x16xf16>,
                %k16: tensor<3x3x1x16xf16>,
                %x17: tensor<1x6x9x9xf32>,
                %k17: tensor<12x1x3x3xf32>,
                %x18: tensor<2x5x4x8xf32>,
                %k18: tensor<3x3x8x6xf32>,
                %x19: tensor<2x8x5x4xf16>,
                %k19: tensor<8x8x4x4xf16>,
                %x20: tensor<2x5x4x8xf32>,
                %k20: tensor<3x3x1x8xf32>,
                %x21: tensor<2x5x4x8xf32>,
                %k21: tensor<3x3x4x6xf32>,
                %x22: tensor<1x5x4x2xf32>,
                %k22: tensor<3x3x2x3xf32>,
                %x23: tensor<1x5x4x2xf32>,
                %k23: tensor<2x2x2x3xf32>,
                %x24: tensor<2x7x6x4xf32>,
                %k24: tensor<3x2x4x5xf32>,
                %x25: tensor<2x7x6x4xf32>,
                %k25: tensor<3x2x4x5xf32>,
                %x26: tensor<2x5x4x8xf32>,
                %k26: tensor<3x3x6x8xf32>,
                %x27: tensor<2x9x8x4xf32>,
                %k27: tensor<3x3x4x8xf32>,
                %x28: tensor<4x9x8x6xf32>,
                %k28: tensor<4x7x6x8xf32>,
                %x29: tensor<4x9x9x8xf16>,
                %k29: tensor<4x4x4x8xf16>,
                %x30: tensor<4x9x8x8xf32>,
                %k30: tensor<4x7x6x12xf32>,
                %x31: tensor<6x5x5x3xf32>,
                %k31: tensor<3x3x3x4xf32>,
                %x32: tensor<1x6x6x8xi8>,
                %k32: tensor<3x3x8x4xi8>,
                %x33: tensor<1x6x6x2xi32>,
                %k33: tensor<3x3x2x4xi32>,
                %x34: tensor<1x3x3x3x3x2xf32>,
                %k34: tensor<2x2x2x2x2x2xf32>,
                %x35: tensor<9x2x8x5xf32>,
                %k35: tensor<5x3x6x3xf32>,
                %x36: tensor<2x6x7x8xf32>,
                %k36: tensor<3x3x6x8xf32>,
                %x37: tensor<2x8x9x8xbf16>,
                %k37: tensor<8x8x3x3xbf16>,
                %x38: tensor<1x9x8x8xf16>,
                %k38: tensor<8x3x3x8xf16>,
                %x39: tensor<2x6x5x8xf32>,
                %k39: tensor<3x3x1x16xf32>,
                %x40: tensor<2x8x5x4xf16>,
                %k40: tensor<16x4x3x3xf16>,
                %x41: tensor<2x6x5x8xf16>,
                %k41: tensor<3x3x8x8xf16>,
                %x42: tensor<4x5x2x6x4xf16>,
                %k42: tensor<4x2x8x3x2xf16>,
                %x43: tensor<2x4x5x5x8xbf16>,
                %k43: tensor<2x3x4x4x8xbf16>,
                %x44: tensor<2x8x7x6xf16>,
                %k44: tensor<3x2x8x8xf16>)
    -> (tensor<2x5x8x8xf32>,
        tensor<2x8x9x8xf32>,
        tensor<2x5x8x8xf16>,
        tensor<2x8x9x8xf16>,
        tensor<2x5x8x8xbf16>,
        tensor<2x8x9x8xbf16>,
        tensor<2x5x8x8xf64>,
        tensor<2x8x9x8xf64>,
        tensor<2x7x6x8xf32>,
        tensor<2x4x4x8xf32>,
        tensor<3x20x7xf32>,
        tensor<3x7x20xf32>,
        tensor<2x5x6x4x5xf32>,
        tensor<2x8x4x4x3xbf16>,
        tensor<4x5xf32>,
        tensor<2x8x7x12xf32>,
        tensor<2x8x7x16xf16>,
        tensor<1x12x9x9xf32>,
        tensor<2x10x8x6xf32>,
        tensor<2x8x10x8xf16>,
        tensor<2x10x8x8xf32>,
        tensor<2x10x8x6xf32>,
        tensor<1x8x9x3xf32>,
        tensor<1x16x13x3xf32>,
        tensor<2x6x7x5xf32>,
        tensor<2x6x7x5xf32>,
        tensor<2x10x8x6xf32>,
        tensor<2x4x4x8xf32>,
        tensor<3x4x6x8xf32>,
        tensor<3x3x8x8xf16>,
        tensor<3x3x2x12xf32>,
        tensor<3x5x5x4xf32>,
        tensor<1x4x4x4xi32>,
        tensor<1x4x4x4xi32>,
        tensor<1x2x2x2x2x2xf32>,
        tensor<6x6x7x2xf32>,
        tensor<2x8x7x8xf32>,
        tensor<2x8x6x6xbf16>,
        tensor<1x6x6x8xf16>,
        tensor<2x6x5x16xf32>,
        tensor<2x16x10x8xf16>,
        tensor<2x8x6x5xf16>,
        tensor<5x8x4x2x4xf16>,
        tensor<2x2x2x8x8xbf16>,
        tensor<2x8x5x5xf16>) {
  // NHWC, f32
  %o0 = stablehlo.convolution(%x0, %k0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xf32>, tensor<3x3x16x8xf32>) -> tensor<2x5x8x8xf32>
  // NCHW, f32
  %o1 = stablehlo.convolution(%x1, %k1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x9x8xf32>, tensor<8x16x3x3xf32>) -> tensor<2x8x9x8xf32>
  // NHWC, f16
  %o2 = stablehlo.convolution(%x2, %k2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xf16>, tensor<3x3x16x8xf16>) -> tensor<2x5x8x8xf16>
  // NCHW, f16
  %o3 = stablehlo.convolution(%x3, %k3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x9x8xf16>, tensor<8x16x3x3xf16>) -> tensor<2x8x9x8xf16>
  // NHWC, bf16
  %o4 = stablehlo.convolution(%x4, %k4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xbf16>, tensor<3x3x16x8xbf16>) -> tensor<2x5x8x8xbf16>
  // NCHW, bf16
  %o5 = stablehlo.convolution(%x5, %k5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x9x8xbf16>, tensor<8x16x3x3xbf16>) -> tensor<2x8x9x8xbf16>
  // NHWC, f64
  %o6 = stablehlo.convolution(%x6, %k6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xf64>, tensor<3x3x16x8xf64>) -> tensor<2x5x8x8xf64>
  // NCHW, f64
  %o7 = stablehlo.convolution(%x7, %k7) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x9x8xf64>, tensor<8x16x3x3xf64>) -> tensor<2x8x9x8xf64>
  // f16 to f32
  %o8 = stablehlo.convolution(%x8, %k8) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x16xf16>, tensor<8x3x3x16xf16>) -> tensor<2x7x6x8xf32>
  // 1x1, stride that leaves the last column out
  %o9 = stablehlo.convolution(%x9, %k9) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<1x1x4x8xf32>) -> tensor<2x4x4x8xf32>
  // one spatial dimension
  %o10 = stablehlo.convolution(%x10, %k10) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[2, 2]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x20x6xf32>, tensor<5x6x7xf32>) -> tensor<3x20x7xf32>
  // one spatial dimension, NCW
  %o11 = stablehlo.convolution(%x11, %k11) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, 2]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x6x20xf32>, tensor<7x6x5xf32>) -> tensor<3x7x20xf32>
  // three
  %o12 = stablehlo.convolution(%x12, %k12) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {stride = [1, 1, 1], pad = [[1, 0], [1, 1], [0, 1]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x6x4x3xf32>, tensor<2x3x2x3x5xf32>) -> tensor<2x5x6x4x5xf32>
  // three, NCDHW, bf16
  %o13 = stablehlo.convolution(%x13, %k13) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {stride = [1, 1, 1], pad = [[0, 0], [0, 0], [0, 0]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x5x6x4xbf16>, tensor<8x8x2x3x2xbf16>) -> tensor<2x8x4x4x3xbf16>
  // no spatial dimension
  %o14 = stablehlo.convolution(%x14, %k14) dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  // groups
  %o15 = stablehlo.convolution(%x15, %k15) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x8x7x8xf32>, tensor<3x3x2x12xf32>) -> tensor<2x8x7x12xf32>
  // depthwise, f16
  %o16 = stablehlo.convolution(%x16, %k16) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<2x8x7x16xf16>, tensor<3x3x1x16xf16>) -> tensor<2x8x7x16xf16>
  // depthwise, dilated, NCHW
  %o17 = stablehlo.convolution(%x17, %k17) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<1x6x9x9xf32>, tensor<12x1x3x3xf32>) -> tensor<1x12x9x9xf32>
  // transposed
  %o18 = stablehlo.convolution(%x18, %k18) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x4x8xf32>, tensor<3x3x8x6xf32>) -> tensor<2x10x8x6xf32>
  // transposed, NCHW, f16, asymmetric
  %o19 = stablehlo.convolution(%x19, %k19) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [1, 3]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x5x4xf16>, tensor<8x8x4x4xf16>) -> tensor<2x8x10x8xf16>
  // transposed, depthwise
  %o20 = stablehlo.convolution(%x20, %k20) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x5x4x8xf32>, tensor<3x3x1x8xf32>) -> tensor<2x10x8x8xf32>
  // transposed, groups
  %o21 = stablehlo.convolution(%x21, %k21) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x4x8xf32>, tensor<3x3x4x6xf32>) -> tensor<2x10x8x6xf32>
  // transposed with a stride
  %o22 = stablehlo.convolution(%x22, %k22) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [3, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x8x9x3xf32>
  // transposed, padded far
  %o23 = stablehlo.convolution(%x23, %k23) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[4, 4], [0, 7]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x2xf32>, tensor<2x2x2x3xf32>) -> tensor<1x16x13x3xf32>
  // reversed in all dimensions
  %o24 = stablehlo.convolution(%x24, %k24) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x4x5xf32>) -> tensor<2x6x7x5xf32>
  // reversed in one dimension
  %o25 = stablehlo.convolution(%x25, %k25) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<3x2x4x5xf32>) -> tensor<2x6x7x5xf32>
  // transposed and reversed
  %o26 = stablehlo.convolution(%x26, %k26) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x4x8xf32>, tensor<3x3x6x8xf32>) -> tensor<2x10x8x6xf32>
  // negative padding
  %o27 = stablehlo.convolution(%x27, %k27) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[-1, -2], [2, -1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  // gradient of a filter (JAX: NHWC)
  %o28 = stablehlo.convolution(%x28, %k28) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x8x6xf32>, tensor<4x7x6x8xf32>) -> tensor<3x4x6x8xf32>
  // gradient of a filter with a stride
  %o29 = stablehlo.convolution(%x29, %k29) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x9x9x8xf16>, tensor<4x4x4x8xf16>) -> tensor<3x3x8x8xf16>
  // gradient of a filter with groups of the batch
  %o30 = stablehlo.convolution(%x30, %k30) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<4x9x8x8xf32>, tensor<4x7x6x12xf32>) -> tensor<3x3x2x12xf32>
  // groups of the batch, small windows
  %o31 = stablehlo.convolution(%x31, %k31) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<6x5x5x3xf32>, tensor<3x3x3x4xf32>) -> tensor<3x5x5x4xf32>
  // i8
  %o32 = stablehlo.convolution(%x32, %k32) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x8xi8>, tensor<3x3x8x4xi8>) -> tensor<1x4x4x4xi32>
  // i32
  %o33 = stablehlo.convolution(%x33, %k33) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x2xi32>, tensor<3x3x2x4xi32>) -> tensor<1x4x4x4xi32>
  // four spatial dimensions
  %o34 = stablehlo.convolution(%x34, %k34) dim_numbers = [b, 0, 1, 2, 3, f]x[0, 1, 2, 3, i, o]->[b, 0, 1, 2, 3, f], window = {stride = [1, 1, 1, 1], pad = [[0, 0], [0, 0], [0, 0], [0, 0]], lhs_dilate = [1, 1, 1, 1], rhs_dilate = [1, 1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x3x3x3x2xf32>, tensor<2x2x2x2x2x2xf32>) -> tensor<1x2x2x2x2x2xf32>
  // an order of dimensions of its own
  %o35 = stablehlo.convolution(%x35, %k35) dim_numbers = [0, b, 1, f]x[i, 0, o, 1]->[f, 1, 0, b], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<9x2x8x5xf32>, tensor<5x3x6x3xf32>) -> tensor<6x6x7x2xf32>
  // a filter with its outputs last, NCHW
  %o36 = stablehlo.convolution(%x36, %k36) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x7x8xf32>, tensor<3x3x6x8xf32>) -> tensor<2x8x7x8xf32>
  // negative padding, NCHW
  %o37 = stablehlo.convolution(%x37, %k37) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[-1, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x9x8xbf16>, tensor<8x8x3x3xbf16>) -> tensor<2x8x6x6xbf16>
  // negative padding of the outermost dimension
  %o38 = stablehlo.convolution(%x38, %k38) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[-1, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x8x8xf16>, tensor<8x3x3x8xf16>) -> tensor<1x6x6x8xf16>
  // depthwise with a multiplier
  %o39 = stablehlo.convolution(%x39, %k39) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x6x5x8xf32>, tensor<3x3x1x16xf32>) -> tensor<2x6x5x16xf32>
  // transposed, groups, NCHW
  %o40 = stablehlo.convolution(%x40, %k40) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x5x4xf16>, tensor<16x4x3x3xf16>) -> tensor<2x16x10x8xf16>
  // image and result of different layouts
  %o41 = stablehlo.convolution(%x41, %k41) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x8xf16>, tensor<3x3x8x8xf16>) -> tensor<2x8x6x5xf16>
  // three spatial dimensions, in an order of their own
  %o42 = stablehlo.convolution(%x42, %k42) dim_numbers = [1, 0, b, 2, f]x[i, 0, o, 2, 1]->[0, f, 2, b, 1], window = {stride = [1, 1, 1], pad = [[0, 1], [0, 1], [0, 0]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x5x2x6x4xf16>, tensor<4x2x8x3x2xf16>) -> tensor<5x8x4x2x4xf16>
  // gradient of a filter, three spatial dimensions
  %o43 = stablehlo.convolution(%x43, %k43) dim_numbers = [f, 0, 1, 2, b]x[i, 0, 1, 2, o]->[0, 1, 2, b, f], window = {stride = [1, 1, 1], pad = [[0, 0], [0, 0], [0, 0]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x5x5x8xbf16>, tensor<2x3x4x4x8xbf16>) -> tensor<2x2x2x8x8xbf16>
  // reversed in one dimension, NCHW
  %o44 = stablehlo.convolution(%x44, %k44) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x7x6xf16>, tensor<3x2x8x8xf16>) -> tensor<2x8x5x5xf16>
  return %o0, %o1, %o2, %o3, %o4, %o5, %o6, %o7, %o8, %o9, %o10, %o11, %o12, %o13, %o14, %o15, %o16, %o17, %o18, %o19, %o20, %o21, %o22, %o23, %o24, %o25, %o26, %o27, %o28, %o29, %o30, %o31, %o32, %o33, %o34, %o35, %o36, %o37, %o38, %o39, %o40, %o41, %o42, %o43, %o44
      : tensor<2x5x8x8xf32>, tensor<2x8x9x8xf32>, tensor<2x5x8x8xf16>, tensor<2x8x9x8xf16>, tensor<2x5x8x8xbf16>, tensor<2x8x9x8xbf16>, tensor<2x5x8x8xf64>, tensor<2x8x9x8xf64>, tensor<2x7x6x8xf32>, tensor<2x4x4x8xf32>, tensor<3x20x7xf32>, tensor<3x7x20xf32>, tensor<2x5x6x4x5xf32>, tensor<2x8x4x4x3xbf16>, tensor<4x5xf32>, tensor<2x8x7x12xf32>, tensor<2x8x7x16xf16>, tensor<1x12x9x9xf32>, tensor<2x10x8x6xf32>, tensor<2x8x10x8xf16>, tensor<2x10x8x8xf32>, tensor<2x10x8x6xf32>, tensor<1x8x9x3xf32>, tensor<1x16x13x3xf32>, tensor<2x6x7x5xf32>, tensor<2x6x7x5xf32>, tensor<2x10x8x6xf32>, tensor<2x4x4x8xf32>, tensor<3x4x6x8xf32>, tensor<3x3x8x8xf16>, tensor<3x3x2x12xf32>, tensor<3x5x5x4xf32>, tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>, tensor<1x2x2x2x2x2xf32>, tensor<6x6x7x2xf32>, tensor<2x8x7x8xf32>, tensor<2x8x6x6xbf16>, tensor<1x6x6x8xf16>, tensor<2x6x5x16xf32>, tensor<2x16x10x8xf16>, tensor<2x8x6x5xf16>, tensor<5x8x4x2x4xf16>, tensor<2x2x2x8x8xbf16>, tensor<2x8x5x5xf16>
}
