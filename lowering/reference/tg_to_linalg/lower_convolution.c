//===- lower_convolution.c - convolution ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of which the innermost runs along neighbouring elements in memory and has no branch, so that LLVM makes vector
// instructions of it. Three nests of loops:
//
// 1. the input, with padding and the holes of dilation as zeros, in the order [group, batch, spatial dimensions,
// feature];
// 2. the kernel, not reversed, in the order [group, spatial dimensions, input feature, output feature];
// 3. the result, a tile of positions along the last spatial dimension at a time: in a buffer of sums [position, output
//    feature] that fits the first cache, the products of each element of the window are added; then it is rounded.
//
// Where there are more groups than each has output features (a depthwise convolution) the group is the innermost
// dimension instead of the outermost.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/lower_body.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"

typedef struct {
  int64_t first, second; // batch and feature, or input and output feature
  IrShape spatial;
} Roles;

typedef struct {
  Roles input, kernel, output;
  IrShape lhs, rhs, result;
  LoopWindow window; // over the input's spatial dimensions
  int64_t featureGroups, batchGroups;
} ConvolutionLoops;

static Roles rolesOf(MlirOperation op, const char *first, const char *second, const char *spatial) {
  return (Roles){irGetInt(op, first, 0), irGetInt(op, second, 0), irGetDims(op, spatial)};
}

static ConvolutionLoops readConvolution(MlirOperation op) {
  ConvolutionLoops c = {
      .input = rolesOf(op, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"),
      .kernel =
          rolesOf(op, "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions"),
      .output = rolesOf(op, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"),
      .lhs = irShapeOf(irOperand(op, 0)),
      .rhs = irShapeOf(irOperand(op, 1)),
      .result = irShapeOf(irResult(op, 0)),
      .featureGroups = irGetInt(op, "feature_group_count", 1),
      .batchGroups = irGetInt(op, "batch_group_count", 1),
  };
  c.window = (LoopWindow){.strides = irGetDims(op, "window_strides"),
                          .low = irGetDims(op, "padding_low"),
                          .baseDilations = irGetDims(op, "lhs_dilation"),
                          .windowDilations = irGetDims(op, "rhs_dilation")};
  c.window.sizes.rank = c.input.spatial.rank;
  for (intptr_t d = 0; d < c.input.spatial.rank; ++d)
    c.window.sizes.dims[d] = c.lhs.dims[c.input.spatial.dims[d]];
  return c;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// The axes of an element. They are its group, its image in the group, feature of the group's input and of its output,
/// the position in a tile, the tile, positions in spatial dimensions, and in the window's.
enum { GROUP, BATCH, FEATURE, OUTPUT, INSIDE, TILE, POSITION, WINDOW = POSITION + IR_MAX_RANK };
enum { NUM_AXES = WINDOW + IR_MAX_RANK };

/// Axes in some order: loops over them, or how an array has its elements, the last side by side.
typedef struct {
  intptr_t count;
  int axes[IR_MAX_RANK + 4];
} AxisOrder;

/// The numbers on each axis at a place in the loops.
typedef struct {
  MlirValue at[NUM_AXES];
} AxisNumbers;

typedef struct {
  const Lowering *lowering;
  ConvolutionLoops convolution;
  intptr_t rank;           ///< spatial dimensions
  int64_t sizes[NUM_AXES]; ///< POSITION: of the padded input
  bool groupsInside;       ///< the group is the innermost axis
  MlirType sumType;
  AxisOrder inputOrder, kernelOrder, sumOrder;
  MlirValue input, kernel, sums; ///< arrays
} Nest;

/// About how many sums the first cache holds.
enum { TILE_ELEMENTS = 4096 };

static int64_t atLeast(int64_t least, int64_t value) { return value > least ? value : least; }

static void addAxis(AxisOrder *order, int axis) { order->axes[order->count++] = axis; }

static void addEach(AxisOrder *order, int axis, intptr_t count) {
  for (intptr_t d = 0; d < count; ++d)
    addAxis(order, axis + (int)d);
}

static int64_t elementsInOrder(const Nest *n, const AxisOrder *order) {
  int64_t elements = 1;
  for (intptr_t i = 0; i < order->count; ++i)
    elements *= n->sizes[order->axes[i]];
  return elements;
}

static void orderAxes(Nest *n) {
  AxisOrder *const all[] = {&n->inputOrder, &n->kernelOrder, &n->sumOrder};
  for (int i = 0; i < 2 && !n->groupsInside; ++i)
    addAxis(all[i], GROUP);
  addAxis(&n->inputOrder, BATCH);
  addEach(&n->inputOrder, POSITION, n->rank);
  addAxis(&n->inputOrder, FEATURE);
  addEach(&n->kernelOrder, WINDOW, n->rank);
  addAxis(&n->kernelOrder, FEATURE);
  addAxis(&n->kernelOrder, OUTPUT);
  addAxis(&n->sumOrder, INSIDE);
  addAxis(&n->sumOrder, OUTPUT);
  for (int i = 0; i < 3 && n->groupsInside; ++i)
    addAxis(all[i], GROUP);
}

static Nest nestOf(const Lowering *l) {
  Nest n = {.lowering = l, .convolution = readConvolution(l->op)};
  const ConvolutionLoops *c = &n.convolution;
  n.rank = c->window.sizes.rank;
  n.sumType = accumulatorType(TG_add, resultElementType(l));
  n.sizes[GROUP] = c->featureGroups * c->batchGroups; // one of them is 1
  n.sizes[BATCH] = c->result.dims[c->output.first];
  n.sizes[FEATURE] = c->rhs.dims[c->kernel.first];
  n.sizes[OUTPUT] = c->result.dims[c->output.second] / n.sizes[GROUP];
  n.groupsInside = n.sizes[GROUP] > n.sizes[OUTPUT];
  int64_t last = n.rank > 0 ? c->result.dims[c->output.spatial.dims[n.rank - 1]] : 1;
  int64_t most = atLeast(1, TILE_ELEMENTS / atLeast(1, n.sizes[OUTPUT] * (n.groupsInside ? n.sizes[GROUP] : 1)));
  n.sizes[TILE] = (last + most - 1) / most;
  n.sizes[INSIDE] = n.sizes[TILE] > 0 ? (last + n.sizes[TILE] - 1) / n.sizes[TILE] : 0;
  for (intptr_t d = 0; d < n.rank; ++d) {
    int64_t positions = c->result.dims[c->output.spatial.dims[d]], window = c->rhs.dims[c->kernel.spatial.dims[d]];
    if (d == n.rank - 1)
      positions = n.sizes[TILE] * n.sizes[INSIDE];
    n.sizes[WINDOW + d] = window;
    n.sizes[POSITION + d] =
        atLeast(0, (positions - 1) * c->window.strides.dims[d] + (window - 1) * c->window.windowDilations.dims[d] + 1);
  }
  orderAxes(&n);
  return n;
}

/// Loops over the axes, whose numbers the body has; none over an axis with a single one.
static void beginAxes(IrBuilder *b, const Nest *n, const AxisOrder *order, LoopNest *loops, AxisNumbers *numbers) {
  IrShape sizes = {0};
  MlirValue zero = irConstantIndex(b, 0);
  for (intptr_t i = 0; i < order->count; ++i)
    if (n->sizes[order->axes[i]] != 1)
      sizes.dims[sizes.rank++] = n->sizes[order->axes[i]];
  beginLoops(b, loops, sizes, IR_NO_VALUES);
  intptr_t loop = 0;
  for (intptr_t i = 0; i < order->count; ++i)
    numbers->at[order->axes[i]] = n->sizes[order->axes[i]] == 1 ? zero : loops->index[loop++];
}

static MlirValue linearIndexIn(IrBuilder *b, const Nest *n, const AxisOrder *order, const AxisNumbers *numbers) {
  MlirValue place = irConstantIndex(b, 0);
  for (intptr_t i = 0; i < order->count; ++i) {
    int axis = order->axes[i];
    if (n->sizes[axis] != 1)
      place = irAddI(b, irMulI(b, place, irConstantIndex(b, n->sizes[axis])), numbers->at[axis]);
  }
  return place;
}

static MlirValue newArray(IrBuilder *b, const Nest *n, const AxisOrder *order, MlirType element) {
  int64_t size = elementsInOrder(n, order);
  return newBuffer(b, mlirRankedTensorTypeGet(1, &size, storageType(element), mlirAttributeGetNull()));
}

/// A number that counts `size` of them in each group.
static MlirValue inGroup(IrBuilder *b, bool hasGroups, const AxisNumbers *numbers, int64_t size, MlirValue number) {
  return hasGroups ? irAddI(b, irMulI(b, numbers->at[GROUP], irConstantIndex(b, size)), number) : number;
}

//===----------------------------------------------------------------------===//
// The input and the kernel
//===----------------------------------------------------------------------===//

/// Elements of f32 stay f32 until they are multiplied in f64: less memory traffic. Others have the type of the sums
/// from the beginning.
static MlirType arrayType(const Nest *n, intptr_t operand) {
  MlirType element = operandElementType(n->lowering, operand);
  return mlirTypeIsAF32(element) && mlirTypeIsAF64(n->sumType) ? element : n->sumType;
}

/// Padding, and the holes of dilation in the input, are zero; zero times infinity is NaN.
static void copyInput(IrBuilder *b, Nest *n) {
  const ConvolutionLoops *c = &n->convolution;
  MlirType from = operandElementType(n->lowering, 0), to = arrayType(n, 0);
  MlirValue buffer = operandBuffer(n->lowering, 0), place[IR_MAX_RANK], lhs[IR_MAX_RANK], noWindow[IR_MAX_RANK];
  n->input = newArray(b, n, &n->inputOrder, to);
  LoopNest loops;
  AxisNumbers numbers;
  beginAxes(b, n, &n->inputOrder, &loops, &numbers);
  IrBuilder *body = &loops.body;
  LoopWindow elements = c->window;
  for (intptr_t d = 0; d < n->rank; ++d) {
    elements.strides.dims[d] = 1;
    noWindow[d] = irConstantIndex(body, 0);
  }
  MlirValue isElement = windowPosition(body, &elements, numbers.at + POSITION, noWindow, place);
  MlirOperation choice = irIf(body, isElement, IR_TYPES(storageType(to)), true);
  IrBuilder inside = irBuilderAtEnd(irBody(choice, 0), b->loc), outside = irBuilderAtEnd(irBody(choice, 1), b->loc);
  for (intptr_t d = 0; d < n->rank; ++d)
    lhs[c->input.spatial.dims[d]] = place[d];
  lhs[c->input.first] = inGroup(&inside, c->batchGroups > 1, &numbers, n->sizes[BATCH], numbers.at[BATCH]);
  lhs[c->input.second] = inGroup(&inside, c->featureGroups > 1, &numbers, n->sizes[FEATURE], numbers.at[FEATURE]);
  irYield(&inside, IR_VALUES(scalarConvert(&inside, loadElement(&inside, buffer, lhs), from, to)));
  irYield(&outside, IR_VALUES(scalarZero(&outside, to)));
  MlirValue target = linearIndexIn(body, n, &n->inputOrder, &numbers);
  storeElement(body, irResult(choice, 0), n->input, &target);
  endLoops(&loops, IR_NO_VALUES);
}

static void copyKernel(IrBuilder *b, Nest *n) {
  const ConvolutionLoops *c = &n->convolution;
  MlirType from = operandElementType(n->lowering, 1), to = arrayType(n, 1);
  MlirAttribute reversal = irGetAttr(n->lowering->op, "window_reversal");
  MlirValue buffer = operandBuffer(n->lowering, 1), rhs[IR_MAX_RANK];
  n->kernel = newArray(b, n, &n->kernelOrder, to);
  LoopNest loops;
  AxisNumbers numbers;
  beginAxes(b, n, &n->kernelOrder, &loops, &numbers);
  IrBuilder *body = &loops.body;
  for (intptr_t d = 0; d < n->rank; ++d) {
    MlirValue *place = &rhs[c->kernel.spatial.dims[d]];
    *place = numbers.at[WINDOW + d];
    if (d < mlirDenseArrayGetNumElements(reversal) && mlirDenseBoolArrayGetElement(reversal, d))
      *place = irSubI(body, irConstantIndex(body, n->sizes[WINDOW + d] - 1), *place);
  }
  rhs[c->kernel.first] = numbers.at[FEATURE];
  rhs[c->kernel.second] = inGroup(body, n->sizes[GROUP] > 1, &numbers, n->sizes[OUTPUT], numbers.at[OUTPUT]);
  MlirValue element = scalarConvert(body, loadElement(body, buffer, rhs), from, to);
  MlirValue target = linearIndexIn(body, n, &n->kernelOrder, &numbers);
  storeElement(body, element, n->kernel, &target);
  endLoops(&loops, IR_NO_VALUES);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

static void clearSums(IrBuilder *b, const Nest *n, const AxisNumbers *outer) {
  LoopNest loops;
  AxisNumbers numbers = *outer;
  beginAxes(b, n, &n->sumOrder, &loops, &numbers);
  MlirValue place = linearIndexIn(&loops.body, n, &n->sumOrder, &numbers);
  storeElement(&loops.body, scalarZero(&loops.body, n->sumType), n->sums, &place);
  endLoops(&loops, IR_NO_VALUES);
}

/// The number of a result's position in the last spatial dimension.
static MlirValue lastPosition(IrBuilder *b, const Nest *n, const AxisNumbers *numbers) {
  return irAddI(b, irMulI(b, numbers->at[TILE], irConstantIndex(b, n->sizes[INSIDE])), numbers->at[INSIDE]);
}

static void addProducts(IrBuilder *b, const Nest *n, const AxisNumbers *outer) {
  const LoopWindow *w = &n->convolution.window;
  LoopNest windows, loops;
  AxisNumbers numbers = *outer;
  AxisOrder inWindow = {0};
  addEach(&inWindow, WINDOW, n->rank);
  addAxis(&inWindow, FEATURE);
  beginAxes(b, n, &inWindow, &windows, &numbers);
  beginAxes(&windows.body, n, &n->sumOrder, &loops, &numbers);
  IrBuilder *body = &loops.body;
  MlirValue sum = linearIndexIn(body, n, &n->sumOrder, &numbers),
            kernel = linearIndexIn(body, n, &n->kernelOrder, &numbers);
  for (intptr_t d = 0; d < n->rank; ++d) {
    MlirValue position = d < n->rank - 1 ? outer->at[POSITION + d] : lastPosition(body, n, &numbers);
    MlirValue start = irMulI(body, position, irConstantIndex(body, w->strides.dims[d]));
    MlirValue step = irMulI(body, numbers.at[WINDOW + d], irConstantIndex(body, w->windowDilations.dims[d]));
    numbers.at[POSITION + d] = irAddI(body, start, step);
  }
  MlirValue input = linearIndexIn(body, n, &n->inputOrder, &numbers);
  MlirValue x = scalarConvert(body, loadElement(body, n->input, &input), arrayType(n, 0), n->sumType);
  MlirValue y = scalarConvert(body, loadElement(body, n->kernel, &kernel), arrayType(n, 1), n->sumType);
  MlirValue product = scalarCombine(body, TG_mul, n->sumType, x, y);
  MlirValue sumSoFar = loadElement(body, n->sums, &sum);
  storeElement(body, scalarCombine(body, TG_add, n->sumType, sumSoFar, product), n->sums, &sum);
  endLoops(&loops, IR_NO_VALUES);
  endLoops(&windows, IR_NO_VALUES);
}

static void roundSums(IrBuilder *b, const Nest *n, const AxisNumbers *outer, MlirValue result) {
  const ConvolutionLoops *c = &n->convolution;
  MlirValue at[IR_MAX_RANK];
  LoopNest loops;
  AxisNumbers numbers = *outer;
  beginAxes(b, n, &n->sumOrder, &loops, &numbers);
  IrBuilder *body = &loops.body, inside = *body;
  if (n->rank > 0) { // the last tile may be larger than the rest
    int64_t dim = c->output.spatial.dims[n->rank - 1];
    at[dim] = lastPosition(body, n, &numbers);
    MlirValue isElement = irCmpI(body, IR_CMPI_ULT, at[dim], irConstantIndex(body, c->result.dims[dim]));
    inside = irBuilderAtEnd(irBody(irIf(body, isElement, IR_NO_TYPES, false), 0), b->loc);
  }
  for (intptr_t d = 0; d < n->rank - 1; ++d)
    at[c->output.spatial.dims[d]] = outer->at[POSITION + d];
  at[c->output.first] = numbers.at[BATCH];
  at[c->output.second] = inGroup(&inside, n->sizes[GROUP] > 1, &numbers, n->sizes[OUTPUT], numbers.at[OUTPUT]);
  MlirValue place = linearIndexIn(&inside, n, &n->sumOrder, &numbers);
  MlirValue sum = loadElement(&inside, n->sums, &place);
  storeElement(&inside, scalarConvert(&inside, sum, n->sumType, resultElementType(n->lowering)), result, at);
  if (n->rank > 0)
    irYield(&inside, IR_NO_VALUES);
  endLoops(&loops, IR_NO_VALUES);
}

/// Whether each nest of loops has at most as many as a nest can have.
static bool fits(const Nest *n) {
  const AxisOrder *const orders[] = {&n->inputOrder, &n->kernelOrder};
  for (int i = 0; i < 2; ++i) {
    intptr_t loops = 0;
    for (intptr_t j = 0; j < orders[i]->count; ++j)
      loops += n->sizes[orders[i]->axes[j]] != 1;
    if (loops > IR_MAX_RANK)
      return false;
  }
  return n->rank + 2 <= IR_MAX_RANK;
}

MlirValue lowerConvolution(const Lowering *l) {
  bool isFloat = irIsFloat(resultElementType(l));
  if (irIsFloat(operandElementType(l, 0)) != isFloat || irIsFloat(operandElementType(l, 1)) != isFloat)
    return (MlirValue){NULL};
  Nest n = nestOf(l);
  if (!fits(&n))
    return (MlirValue){NULL};
  copyInput(l->b, &n);
  copyKernel(l->b, &n);
  n.sums = newArray(l->b, &n, &n.sumOrder, n.sumType);
  MlirType type = resultStorageType(l, 0);
  MlirValue result = newBuffer(l->b, type);
  AxisOrder outer = {0};
  if (!n.groupsInside)
    addAxis(&outer, GROUP);
  addAxis(&outer, BATCH);
  addEach(&outer, POSITION, n.rank - 1);
  addAxis(&outer, TILE);
  Nest positions = n; // of the result, not of the padded input
  for (intptr_t d = 0; d < n.rank - 1; ++d)
    positions.sizes[POSITION + d] = n.convolution.result.dims[n.convolution.output.spatial.dims[d]];
  LoopNest loops;
  AxisNumbers numbers;
  beginAxes(l->b, &positions, &outer, &loops, &numbers);
  clearSums(&loops.body, &n, &numbers);
  addProducts(&loops.body, &n, &numbers);
  roundSums(&loops.body, &n, &numbers, result);
  endLoops(&loops, IR_NO_VALUES);
  return bufferContents(l->b, result, type);
}
