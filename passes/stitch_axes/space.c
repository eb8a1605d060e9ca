//===- space.c - stitch-axes: the axes that roots have in common ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each root begins with the dimensions that it goes through, its *digits*: a root's element is a mixed-radix number.
// Where a root reads another one's value, or two roots read one input, both say by linear indices of the value which of
// its elements belong together. Digits with one stride and one size are one axis; where the sizes differ, the longer
// digit is split, and all begins anew, until nothing changes. What reads a value at elements that are no such number of
// its digits cannot share a loop with the value's root.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_axes/stitch_axes.h"

#include "capi/diagnostics.h"
#include "ir/mlir/union_find.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 8, MOST_ROOTS = 96, MOST_ROUNDS = 64, MOST_FORMS = 1024 };

/// A root and the sizes of its digits, outermost first; dimensions of size one have none.
typedef struct {
  int64_t node;
  int64_t numDigits;
  int64_t sizes[MOST_DIGITS];
  bool isReduced[MOST_DIGITS];
  const IndexExpr *variables[MOST_DIGITS];
} Root;

/// A read of a value: its linear index is a sum of digits of the reader, in rising order of their strides.
typedef struct {
  int64_t reader; ///< index of a root
  int64_t owner;  ///< the root whose value it is; -1: an input, or a root of another loop
  MlirValue value;
  int64_t count;
  int64_t digits[MOST_DIGITS], strides[MOST_DIGITS];
} Form;

typedef struct {
  GroupView *view;
  bool *isIn; ///< by group
  bool *isRoot;
  int64_t *rootOf; ///< node -> index of a root in the loop, -1
  Root *roots;
  int64_t numRoots;
  int64_t reading; ///< the root whose reads are visited
  Form *forms;
  int64_t numForms;
  int64_t *parent; ///< union-find over digits: root * MOST_DIGITS + digit
  bool changed, failed;
} Space;

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// The group of a root goes by other loops.
static void leaveOut(Space *s, int64_t root, const char *reason) {
  s->isIn[s->view->group[s->roots[root].node]] = false;
  s->failed = true;
  stitchRemark(s->view->graph->nodes[s->roots[root].node].op, "group %lld has no axes in common with others: %s",
               (long long)s->view->group[s->roots[root].node], reason);
}

static bool isReducedDim(MlirOperation op, intptr_t dim) {
  return irContains(irGetDims(op, "dims"), dim) || irGetInt(op, "dim", -1) == dim;
}

static bool addRoot(Space *s, int64_t node) {
  MlirOperation op = s->view->graph->nodes[node].op;
  IrShape shape = planIterationShape(op);
  Root *root = &s->roots[s->numRoots];
  *root = (Root){.node = node};
  for (intptr_t d = 0; d < shape.rank; ++d) {
    if (shape.dims[d] == 1)
      continue;
    if (root->numDigits == MOST_DIGITS)
      return false;
    root->isReduced[root->numDigits] = s->view->graph->nodes[node].class == TG_CLASS_REDUCE && isReducedDim(op, d);
    root->sizes[root->numDigits++] = shape.dims[d];
  }
  s->rootOf[node] = s->numRoots++;
  return true;
}

/// Splits a digit: the inner one has `size`. False if there is no room for it.
static bool splitDigit(Space *s, int64_t number, int64_t digit, int64_t size) {
  Root *root = &s->roots[number];
  s->changed = true;
  if (root->numDigits == MOST_DIGITS) {
    leaveOut(s, number, "it would have too many");
    return false;
  }
  for (int64_t i = root->numDigits; i > digit + 1; --i) {
    root->sizes[i] = root->sizes[i - 1];
    root->isReduced[i] = root->isReduced[i - 1];
  }
  root->isReduced[digit + 1] = root->isReduced[digit];
  root->sizes[digit + 1] = size;
  root->sizes[digit] /= size;
  ++root->numDigits;
  return true;
}

//===----------------------------------------------------------------------===//
// Reads as sums of digits
//===----------------------------------------------------------------------===//

static int64_t digitOfVariable(const Root *root, const IndexAtom *atom) {
  for (int64_t i = 0; i < root->numDigits; ++i)
    if (root->variables[i]->terms[0].atom == atom)
      return i;
  return -1;
}

/// Splits the digit that an index divides, if a part of it is what is left.
static void splitDivided(Space *s, const IndexAtom *atom) {
  Root *root = &s->roots[s->reading];
  if (atom->kind == INDEX_VARIABLE || atom->inner->numTerms != 1 || atom->inner->constant != 0 ||
      atom->inner->terms[0].coefficient != 1)
    return;
  int64_t digit = digitOfVariable(root, atom->inner->terms[0].atom);
  if (digit >= 0 && atom->divisor < root->sizes[digit] && root->sizes[digit] % atom->divisor == 0)
    splitDigit(s, s->reading, digit, atom->divisor);
}

/// The linear index as a sum of digits. False if it is none, or has a constant.
static bool formOf(Space *s, const IndexExpr *linear, Form *form) {
  const Root *root = &s->roots[s->reading];
  form->count = 0;
  for (int32_t i = 0; i < linear->numTerms; ++i) {
    int64_t digit = digitOfVariable(root, linear->terms[i].atom), stride = linear->terms[i].coefficient;
    if (digit < 0) {
      if (!s->changed)
        splitDivided(s, linear->terms[i].atom);
      return false;
    }
    if (stride < 0 || form->count == MOST_DIGITS)
      return false;
    int64_t at = form->count++;
    for (; at > 0 && form->strides[at - 1] > stride; --at) {
      form->strides[at] = form->strides[at - 1];
      form->digits[at] = form->digits[at - 1];
    }
    form->strides[at] = stride;
    form->digits[at] = digit;
  }
  return true;
}

static void addRead(void *data, MlirValue value, int64_t root, const IndexVector *index) {
  Space *s = data;
  if (s->failed || s->changed || irNumElements(irShapeOf(value)) == 1)
    return;
  int64_t owner = root >= 0 ? s->rootOf[root] : -1;
  Form *form = &s->forms[s->numForms];
  *form = (Form){.reader = s->reading, .owner = owner, .value = value};
  const IndexExpr *linear = index ? indexLinearize(s->view->index, index, irShapeOf(value)) : NULL;
  bool isSum = linear && formOf(s, linear, form);
  if (s->changed || (!isSum && owner < 0))
    return;
  if (owner >= 0 && (!isSum || linear->constant != 0)) {
    leaveOut(s, s->reading, "it reads a root at elements that do not follow from its own");
    return;
  }
  if (s->numForms + 1 < MOST_FORMS)
    ++s->numForms;
  else
    leaveOut(s, s->reading, "the loop reads too much");
}

/// The digits of a root's value, which its readers must agree with.
static Form formOfValue(const Space *s, int64_t number, MlirValue value) {
  const Root *root = &s->roots[number];
  Form form = {.reader = number, .owner = number, .value = value};
  int64_t stride = 1;
  for (int64_t i = root->numDigits; i-- > 0;) {
    if (root->isReduced[i])
      continue;
    form.digits[form.count] = i;
    form.strides[form.count++] = stride;
    stride *= root->sizes[i];
  }
  return form;
}

static void findForms(Space *s) {
  s->numForms = 0;
  for (int64_t i = 0; i < s->numRoots && !s->failed && !s->changed; ++i) {
    Root *root = &s->roots[i];
    const IndexExpr *linear = indexConstant(s->view->index, 0);
    int64_t stride = 1;
    for (int64_t d = root->numDigits; d-- > 0;) {
      root->variables[d] = indexVariable(s->view->index, root->sizes[d]);
      linear = indexAdd(s->view->index, linear, indexScale(s->view->index, root->variables[d], stride));
      stride *= root->sizes[d];
    }
    s->reading = i;
    IndexVector index =
        indexDelinearize(s->view->index, linear, planIterationShape(s->view->graph->nodes[root->node].op));
    if (!axesVisitReads(s->view->index, s->view->graph, s->isRoot, root->node, &index, addRead, s))
      leaveOut(s, i, "it is computed from too much");
  }
}

//===----------------------------------------------------------------------===//
// Digits -> axes
//===----------------------------------------------------------------------===//

static int64_t axisOf(const Space *s, int64_t root, int64_t digit) {
  return unionFindRoot(s->parent, root * MOST_DIGITS + digit);
}

/// Makes two digits one axis, unless a root would have it twice.
static bool unite(Space *s, int64_t a, int64_t digitOfA, int64_t b, int64_t digitOfB) {
  int64_t x = axisOf(s, a, digitOfA), y = axisOf(s, b, digitOfB);
  if (x == y)
    return true;
  for (int64_t i = 0; i < s->numRoots; ++i) {
    bool hasX = false, hasY = false;
    for (int64_t d = 0; d < s->roots[i].numDigits; ++d) {
      hasX |= axisOf(s, i, d) == x;
      hasY |= axisOf(s, i, d) == y;
    }
    if (hasX && hasY)
      return false;
  }
  unionFindUnite(s->parent, x, y);
  return true;
}

/// Unites the digits of two reads of one value, or splits one of them. False if they do not agree.
static bool uniteForms(Space *s, const Form *a, const Form *b) {
  int64_t i = 0;
  for (; i < a->count && i < b->count; ++i) {
    int64_t sizeOfA = s->roots[a->reader].sizes[a->digits[i]], sizeOfB = s->roots[b->reader].sizes[b->digits[i]];
    if (a->strides[i] != b->strides[i])
      return false;
    if (sizeOfA == sizeOfB && unite(s, a->reader, a->digits[i], b->reader, b->digits[i]))
      continue;
    if (sizeOfA > sizeOfB && sizeOfA % sizeOfB == 0)
      return splitDigit(s, a->reader, a->digits[i], sizeOfB);
    if (sizeOfB > sizeOfA && sizeOfB % sizeOfA == 0)
      return splitDigit(s, b->reader, b->digits[i], sizeOfA);
    return false;
  }
  return i == a->count && i == b->count;
}

/// Reads of roots' values must agree with these; reads of inputs are one loop's where they do.
static void uniteAll(Space *s) {
  for (int64_t i = 0; i < s->numRoots * MOST_DIGITS; ++i)
    s->parent[i] = i;
  for (int64_t i = 0; i < s->numForms && !s->changed && !s->failed; ++i) {
    const Form *form = &s->forms[i];
    if (form->owner < 0)
      continue;
    Form own = formOfValue(s, form->owner, form->value);
    if (!uniteForms(s, form, &own) && !s->changed)
      leaveOut(s, form->reader, "it reads a root at other elements than its own");
  }
  for (int64_t i = 0; i < s->numForms && !s->changed && !s->failed; ++i)
    for (int64_t j = 0; j < i && !s->changed; ++j) {
      const Form *a = &s->forms[i], *b = &s->forms[j];
      if (a->owner < 0 && b->owner < 0 && a->reader != b->reader && mlirValueEqual(a->value, b->value)) {
        uniteForms(s, a, b);
        break;
      }
    }
}

//===----------------------------------------------------------------------===//
// Axes -> loops
//===----------------------------------------------------------------------===//

/// Roots that share an axis, or of which one reads the other, are of one loop.
static int64_t *findComponents(Space *s) {
  int64_t *parent = unionFindCreate(&s->view->arena, s->numRoots);
  for (int64_t i = 0; i < s->numRoots; ++i)
    for (int64_t j = 0; j < i; ++j)
      for (int64_t a = 0; a < s->roots[i].numDigits; ++a)
        for (int64_t b = 0; b < s->roots[j].numDigits; ++b)
          if (axisOf(s, i, a) == axisOf(s, j, b))
            unionFindUnite(parent, i, j);
  for (int64_t i = 0; i < s->numForms; ++i)
    if (s->forms[i].owner >= 0)
      unionFindUnite(parent, s->forms[i].reader, s->forms[i].owner);
  for (int64_t i = 0; i < s->numRoots; ++i) // roots of one group have one loop
    for (int64_t j = 0; j < i; ++j)
      if (s->view->group[s->roots[i].node] == s->view->group[s->roots[j].node])
        unionFindUnite(parent, i, j);
  for (int64_t i = 0; i < s->numRoots; ++i)
    parent[i] = unionFindRoot(parent, i);
  return parent;
}

/// An axis of a component, with the facts that decide about merging it with its neighbours.
typedef struct {
  int64_t class; ///< of digits
  int64_t size;
} Axis;

typedef struct {
  Space *s;
  const int64_t *component;
  int64_t number;
  Axis axes[MOST_ROOTS];
  int64_t count;
  int64_t *into; ///< class of digits -> the class that it has been merged into, as its inner part; -1
} Component;

static bool isMember(const Component *c, int64_t root) { return c->component[root] == c->number; }

/// The digit of a root that is of a class; -1.
static int64_t digitOf(const Component *c, int64_t root, int64_t class) {
  for (int64_t d = 0; d < c->s->roots[root].numDigits; ++d)
    if (axisOf(c->s, root, d) == class)
      return d;
  return -1;
}

/// Whether all roots and reads have the axes `outer` and `inner` side by side, as one, or neither.
static bool areOne(const Component *c, int64_t outer, int64_t inner) {
  const Space *s = c->s;
  int64_t innerSize = 1;
  for (int64_t i = 0; i < s->numRoots; ++i) {
    if (!isMember(c, i))
      continue;
    int64_t a = digitOf(c, i, outer), b = digitOf(c, i, inner);
    if ((a < 0) != (b < 0) || (a >= 0 && (b != a + 1 || s->roots[i].isReduced[a] != s->roots[i].isReduced[b])))
      return false;
    innerSize = a >= 0 ? s->roots[i].sizes[b] : innerSize;
  }
  for (int64_t i = 0; i < s->numForms; ++i) {
    const Form *form = &s->forms[i];
    int64_t strideOfOuter = 0, strideOfInner = 0;
    for (int64_t d = 0; d < form->count && isMember(c, form->reader); ++d) {
      int64_t class = axisOf(s, form->reader, form->digits[d]);
      strideOfOuter = class == outer ? form->strides[d] : strideOfOuter;
      strideOfInner = class == inner ? form->strides[d] : strideOfInner;
    }
    if (strideOfOuter != strideOfInner * innerSize)
      return false;
  }
  return true;
}

static void addAxis(Component *c, int64_t class, int64_t size) {
  for (int64_t i = 0; i < c->count; ++i)
    if (c->axes[i].class == class)
      return;
  if (c->count < MOST_ROOTS)
    c->axes[c->count++] = (Axis){class, size};
}

/// Merges digits of a root: of neighbours that are one axis for all, the inner one goes into the outer one.
static void mergeAxes(Component *c) {
  Space *s = c->s;
  for (int64_t i = 0; i < s->numRoots; ++i) {
    Root *root = &s->roots[i];
    for (int64_t d = 0; isMember(c, i) && d + 1 < root->numDigits; ++d) {
      int64_t outer = axisOf(s, i, d), inner = axisOf(s, i, d + 1);
      if (c->into[inner] < 0 && areOne(c, outer, inner))
        c->into[inner] = outer;
    }
  }
}

/// The class that a digit's is merged into at last.
static int64_t mergedClass(const Component *c, int64_t class) {
  while (c->into[class] >= 0)
    class = c->into[class];
  return class;
}

/// Axes in the order of the strides of the largest value, the outermost first: those that it does not have come before.
static void orderAxes(Component *c, const int64_t *strides) {
  for (int64_t i = 1; i < c->count; ++i)
    for (int64_t j = i; j > 0; --j) {
      int64_t a = strides[c->axes[j - 1].class], b = strides[c->axes[j].class];
      if (a == 0 || (b != 0 && a >= b))
        break;
      Axis swapped = c->axes[j];
      c->axes[j] = c->axes[j - 1];
      c->axes[j - 1] = swapped;
    }
}

static int64_t numberOfClass(const Component *c, int64_t class) {
  for (int64_t i = 0; i < c->count; ++i)
    if (c->axes[i].class == class)
      return i;
  return -1;
}

/// Of each class of digits its stride in a read, of merged ones the innermost's.
static void stridesOf(const Component *c, const Form *form, int64_t *strides) {
  memset(strides, 0, sizeof(int64_t) * (size_t)(c->s->numRoots * MOST_DIGITS));
  for (int64_t d = form->count; d-- > 0;) // falling strides: the innermost comes last
    strides[mergedClass(c, axisOf(c->s, form->reader, form->digits[d]))] = form->strides[d];
}

static bool fillRoots(Component *c, AxesLoop *loop) {
  Space *s = c->s;
  for (int64_t i = 0; i < s->numRoots; ++i) {
    if (!isMember(c, i))
      continue;
    StitchMapping *m = &loop->mappings[loop->numRoots];
    *m = (StitchMapping){.kind = STITCH_MAPPING_AXES, .numAxes = c->count};
    for (int64_t d = 0; d < s->roots[i].numDigits; ++d) {
      int64_t class = axisOf(s, i, d), axis = numberOfClass(c, mergedClass(c, class));
      loop->reduced |= s->roots[i].isReduced[d] ? (AxisSet)1 << axis : 0;
      if (c->into[class] < 0)
        m->dims[m->numDims++] = axis;
    }
    for (int64_t axis = 0; axis < c->count; ++axis)
      m->axes[axis].size = loop->sizes[axis];
    loop->roots[loop->numRoots++] = s->roots[i].node;
  }
  return loop->numRoots > 0;
}

static int64_t largestRoot(const Component *c) {
  int64_t most = 1;
  for (int64_t i = 0; i < c->s->numRoots; ++i) {
    int64_t elements = 1;
    for (int64_t d = 0; d < c->s->roots[i].numDigits; ++d)
      elements *= c->s->roots[i].sizes[d];
    most = isMember(c, i) ? max64(most, elements) : most;
  }
  return most;
}

static void addValue(AxesLoop *loop, const Component *c, const Form *form, int64_t *strides) {
  for (int64_t i = 0; i < loop->numValues; ++i)
    if (mlirValueEqual(loop->values[i].value, form->value))
      return;
  AxesValue *value = &loop->values[loop->numValues++];
  *value = (AxesValue){.value = form->value,
                       .bytes = irTensorBytes(mlirValueGetType(form->value)),
                       .elementBytes = irElementBytes(irElementTypeOf(form->value))};
  stridesOf(c, form, strides);
  for (int64_t axis = 0; axis < c->count; ++axis)
    value->strides[axis] = strides[c->axes[axis].class];
}

/// The large values that the loop reads, and then those that its roots write.
static void fillValues(Component *c, AxesLoop *loop, int64_t *strides) {
  Space *s = c->s;
  int64_t most = largestRoot(c);
  for (int64_t i = 0; i < s->numForms; ++i)
    if (isMember(c, s->forms[i].reader) && s->forms[i].owner < 0 && irNumElements(irShapeOf(s->forms[i].value)) >= most)
      addValue(loop, c, &s->forms[i], strides);
  for (int64_t i = 0; i < s->numRoots; ++i) {
    MlirOperation op = s->view->graph->nodes[s->roots[i].node].op;
    bool isLarge = isMember(c, i) && irNumElements(irShapeOf(irResult(op, 0))) >= most;
    Form form = formOfValue(s, i, irResult(op, 0));
    if (isLarge && s->view->graph->nodes[s->roots[i].node].yielded)
      addValue(loop, c, &form, strides);
  }
}

/// One component as a loop. False if it has too many axes.
static bool makeLoop(Component *c, AxesLoop *loop) {
  Space *s = c->s;
  IrArena *arena = &s->view->arena;
  int64_t classes = s->numRoots * MOST_DIGITS, *strides = IR_NEW_ARRAY(arena, int64_t, classes);
  c->into = IR_NEW_ARRAY(arena, int64_t, classes);
  memset(c->into, -1, sizeof(int64_t) * (size_t)classes);
  mergeAxes(c);
  int64_t *sizes = IR_NEW_ARRAY(arena, int64_t, classes);
  for (int64_t i = 0; i < s->numRoots; ++i)
    for (int64_t d = 0; isMember(c, i) && d < s->roots[i].numDigits; ++d)
      sizes[axisOf(s, i, d)] = s->roots[i].sizes[d];
  for (int64_t i = 0; i < s->numRoots; ++i)
    for (int64_t d = 0; isMember(c, i) && d < s->roots[i].numDigits; ++d) {
      int64_t class = axisOf(s, i, d);
      if (c->into[class] < 0)
        addAxis(c, class, 1);
    }
  for (int64_t class = 0; class < classes; ++class)
    if (sizes[class] > 0 && numberOfClass(c, mergedClass(c, class)) >= 0)
      c->axes[numberOfClass(c, mergedClass(c, class))].size *= sizes[class];
  if (c->count > STITCH_MAX_AXES || c->count == 0)
    return false;
  *loop = (AxesLoop){.numAxes = c->count,
                     .roots = IR_NEW_ARRAY(arena, int64_t, s->numRoots),
                     .mappings = IR_NEW_ARRAY(arena, StitchMapping, s->numRoots),
                     .values = IR_NEW_ARRAY(arena, AxesValue, s->numForms + s->numRoots)};
  fillValues(c, loop, strides);
  if (loop->numValues > 0) {
    for (int64_t axis = 0; axis < c->count; ++axis)
      strides[c->axes[axis].class] = loop->values[0].strides[axis];
    orderAxes(c, strides);
    loop->numValues = 0;
    fillValues(c, loop, strides);
  }
  for (int64_t axis = 0; axis < c->count; ++axis)
    loop->sizes[axis] = c->axes[axis].size;
  return fillRoots(c, loop);
}

/// Digits of all roots until nothing changes. False if some group had to be left out.
static bool findDigits(Space *s) {
  s->numRoots = 0;
  s->failed = false;
  for (int64_t i = 0; i < s->view->graph->numNodes; ++i) {
    s->rootOf[i] = -1;
    if (!s->isRoot[i] || !s->isIn[s->view->group[i]])
      continue;
    if (s->numRoots == MOST_ROOTS || !addRoot(s, i)) {
      s->isIn[s->view->group[i]] = false;
      return false;
    }
  }
  s->changed = true;
  for (int64_t round = 0; s->changed && !s->failed; ++round) {
    s->changed = false;
    if (round == MOST_ROUNDS)
      leaveOut(s, 0, "its axes are split too often");
    findForms(s);
    if (!s->changed && !s->failed)
      uniteAll(s);
  }
  return !s->failed;
}

int64_t findAxesLoops(GroupView *view, bool *isIn, AxesLoop **loops) {
  IrArena *arena = &view->arena;
  Space s = {.view = view, .isIn = isIn};
  s.isRoot = IR_NEW_ARRAY(arena, bool, view->graph->numNodes);
  s.rootOf = IR_NEW_ARRAY(arena, int64_t, view->graph->numNodes);
  s.roots = IR_NEW_ARRAY(arena, Root, MOST_ROOTS);
  s.forms = irAllocate(sizeof(Form) * MOST_FORMS);
  s.parent = IR_NEW_ARRAY(arena, int64_t, MOST_ROOTS *MOST_DIGITS);
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    s.isRoot[i] = groupIsRoot(view, i);
  while (!findDigits(&s))
    continue;
  const int64_t *component = findComponents(&s);
  *loops = IR_NEW_ARRAY(arena, AxesLoop, s.numRoots);
  int64_t count = 0;
  for (int64_t i = 0; i < s.numRoots; ++i) {
    Component c = {.s = &s, .component = component, .number = i};
    if (component[i] == i)
      count += makeLoop(&c, &(*loops)[count]);
  }
  free(s.forms);
  return count;
}
