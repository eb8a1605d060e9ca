// RUN: stitch-opt %s --convert-tosa-to-tg | FileCheck %s

// The scale of a block multiplies its 32 elements, in f32.
// CHECK-LABEL: func.func @from(
// CHECK-SAME: %[[DATA:.*]]: tensor<3x64xf8E5M2>, %[[SCALE:.*]]: tensor<3x2xf8E8M0FNU>
// CHECK:   %[[WIDE:.*]] = tg.convert %[[DATA]] : {{.*}} -> tensor<3x64xf32>
// CHECK:   %[[BLOCKS:.*]] = tg.reshape %[[WIDE]] : {{.*}} -> tensor<3x2x32xf32>
// CHECK:   %[[SCALES:.*]] = tg.convert %[[SCALE]] : {{.*}} -> tensor<3x2xf32>
// CHECK:   %[[EACH:.*]] = tg.broadcast %[[SCALES]] dims [0, 1] : {{.*}} -> tensor<3x2x32xf32>
// CHECK:   %[[PRODUCT:.*]] = tg.mul %[[BLOCKS]], %[[EACH]]
// CHECK:   %[[RESULT:.*]] = tg.reshape %[[PRODUCT]] : {{.*}} -> tensor<3x64xf32>
// CHECK:   tg.convert %[[RESULT]] : {{.*}} -> tensor<3x64xbf16>
func.func @from(%data: tensor<3x64xf8E5M2>, %scale: tensor<3x2xf8E8M0FNU>) -> tensor<3x64xbf16> {
  %0 = tosa.cast_from_block_scaled %data, %scale {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<3x64xf8E5M2>, tensor<3x2xf8E8M0FNU>) -> tensor<3x64xbf16>
  return %0 : tensor<3x64xbf16>
}

// The largest magnitude over the largest number of the format, as a power of two that is not less.
// CHECK-LABEL: func.func @to(
// CHECK:   %[[LARGEST:.*]] = tg.reduce max %{{.*}} dims [2] : (tensor<3x2x32xf32>) -> tensor<3x2xf32>
// CHECK:   %[[MOST:.*]] = tg.constant dense<5.734400e+04>
// CHECK:   %[[RATIO:.*]] = tg.div %[[LARGEST]], %[[MOST]]
// CHECK:   %[[BITS:.*]] = tg.bitcast_convert %[[RATIO]]
// CHECK:   tg.add %[[BITS]]
// CHECK:   %[[SCALE:.*]] = tg.bitcast_convert %{{.*}} : (tensor<3x2xi8>) -> tensor<3x2xf8E8M0FNU>
// CHECK:   tg.div
// CHECK:   %[[DATA:.*]] = tg.convert %{{.*}} : (tensor<3x64xf32>) -> tensor<3x64xf8E5M2>
// CHECK:   return %[[DATA]], %[[SCALE]]
func.func @to(%x: tensor<3x64xf32>) -> (tensor<3x64xf8E5M2>, tensor<3x2xf8E8M0FNU>) {
  %0:2 = tosa.cast_to_block_scaled %x {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<3x64xf32>) -> (tensor<3x64xf8E5M2>, tensor<3x2xf8E8M0FNU>)
  return %0#0, %0#1 : tensor<3x64xf8E5M2>, tensor<3x2xf8E8M0FNU>
}

// One right-hand side for all is not repeated: the rows of the left-hand sides are those of one matrix.
// CHECK-LABEL: func.func @one_for_all(
// CHECK:   %[[LHS:.*]] = tg.reshape %{{.*}} : (tensor<4x3x32xf32>) -> tensor<1x12x32xf32>
// CHECK:   %[[DOT:.*]] = tg.dot %[[LHS]], %{{.*}} batch [0] x [0] contract [2] x [2] : {{.*}} -> tensor<1x12x5xf32>
// CHECK:   tg.reshape %[[DOT]] : {{.*}} -> tensor<4x3x5xf32>
func.func @one_for_all(%a: tensor<4x3x32xf8E4M3FN>, %p: tensor<4x3x1xf8E8M0FNU>, %b: tensor<1x5x32xf8E4M3FN>, %q: tensor<1x5x1xf8E8M0FNU>) -> tensor<4x3x5xf32> {
  %0 = tosa.matmul_t_block_scaled %a, %p, %b, %q {block_size = #tosa.block_size<BLOCK_SIZE_32>} : (tensor<4x3x32xf8E4M3FN>, tensor<4x3x1xf8E8M0FNU>, tensor<1x5x32xf8E4M3FN>, tensor<1x5x1xf8E8M0FNU>) -> tensor<4x3x5xf32>
  return %0 : tensor<4x3x5xf32>
}
