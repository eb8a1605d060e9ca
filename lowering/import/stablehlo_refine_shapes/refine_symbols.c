//===- refine_symbols.c - names and sizes of a model's unknown dimensions -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An unknown dimension of an argument of @main is named by the first of these that there is:
//
//   - `stitch.dims = ["b", ""]` on the argument
//   - jax.export's symbol: the size is passed to a function whose parameter has `jax.global_constant = "b"`, or a shape
//     assertion says that it equals one that is
//   - `arg0.1`: dimension 1 of argument 0
//
// Dimensions of one name have one size.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/refine.h"

#include "ir/mlir/function.h"
#include "ir/mlir/symbol.h"
#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Different products of open sizes that a model may have.
enum { MAX_DERIVED_SYMBOLS = 64 };

static char *copyText(Refiner *r, const char *text, size_t length) {
  char *copy = irArenaAllocate(&r->arena, length + 1);
  return length ? memcpy(copy, text, length) : copy; // an empty text of MLIR's may be null
}

static char *attributeText(Refiner *r, MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return copyText(r, "", 0);
  MlirStringRef text = mlirStringAttrGetValue(attribute);
  return copyText(r, text.data, text.length);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The names of the unknown dimensions of all arguments, null for the others.
typedef struct {
  MlirBlock block;
  intptr_t count;
  const char *(*names)[IR_MAX_RANK];
} DimNames;

/// Where the name of the dimension is kept whose size `value` is; null if it is not the size of an argument's
/// dimension.
static const char **nameOfSize(const DimNames *n, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "stablehlo.get_dimension_size"))
    return NULL;
  MlirValue of = irOperand(op, 0);
  int64_t dim = irGetInt(op, "dimension", -1);
  bool isArgument = mlirValueIsABlockArgument(of) && mlirBlockEqual(mlirBlockArgumentGetOwner(of), n->block);
  if (!isArgument || dim < 0 || dim >= irShapeOf(of).rank)
    return NULL;
  return &n->names[mlirBlockArgumentGetArgNumber(of)][dim];
}

static MlirAttribute argumentAttribute(MlirOperation function, intptr_t argument, const char *name) {
  MlirAttribute all = irGetAttr(function, "arg_attrs");
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) || argument >= mlirArrayAttrGetNumElements(all))
    return mlirAttributeGetNull();
  return mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, argument),
                                            mlirStringRefCreateFromCString(name));
}

static void nameByAttribute(Refiner *r, DimNames *n, MlirOperation main) {
  for (intptr_t i = 0; i < n->count; ++i) {
    MlirAttribute list = argumentAttribute(main, i, "stitch.dims");
    if (mlirAttributeIsNull(list) || !mlirAttributeIsAArray(list))
      continue;
    for (intptr_t d = 0; d < mlirArrayAttrGetNumElements(list) && d < IR_MAX_RANK; ++d) {
      char *name = attributeText(r, mlirArrayAttrGetElement(list, d));
      n->names[i][d] = *name ? name : NULL;
    }
  }
}

/// The sizes that `call` passes to parameters that have a symbol's name.
static void nameByCall(Refiner *r, DimNames *n, MlirOperation call) {
  MlirOperation function = refineFindFunction(r, irGetAttr(call, "callee"));
  for (intptr_t i = 0; !mlirOperationIsNull(function) && i < mlirOperationGetNumOperands(call); ++i) {
    const char **name = nameOfSize(n, irOperand(call, i));
    char *given = attributeText(r, argumentAttribute(function, i, "jax.global_constant"));
    if (name && !*name && *given)
      *name = given;
  }
}

/// Sizes that `assertion` says to be equal.
static void nameByAssertion(Refiner *r, DimNames *n, MlirOperation assertion) {
  if (!refineCallsTarget(assertion, "shape_assertion") || mlirOperationGetNumOperands(assertion) < 1)
    return;
  MlirOperation compare = irDefiningOp(irOperand(assertion, 0));
  HloConversion c = {.op = compare, .arena = &r->arena};
  if (mlirOperationIsNull(compare) || !irOpIs(compare, "stablehlo.compare") || hloCompareDirection(&c) != 0)
    return;
  const char **lhs = nameOfSize(n, irOperand(compare, 0)), **rhs = nameOfSize(n, irOperand(compare, 1));
  if (lhs && rhs && !*lhs)
    *lhs = *rhs;
  else if (lhs && rhs && !*rhs)
    *rhs = *lhs;
}

static void nameByPosition(Refiner *r, DimNames *n) {
  for (intptr_t i = 0; i < n->count; ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(n->block, i));
    for (intptr_t d = 0; mlirTypeIsARankedTensor(type) && d < irTypeShape(type).rank; ++d) {
      char text[64];
      int length = snprintf(text, sizeof(text), "arg%ld.%ld", (long)i, (long)d);
      if (!mlirShapedTypeIsDynamicDim(type, d))
        n->names[i][d] = NULL;
      else if (!n->names[i][d])
        n->names[i][d] = copyText(r, text, (size_t)length);
    }
  }
}

static DimNames findNames(Refiner *r, MlirOperation main) {
  MlirBlock block = irBody(main, 0);
  DimNames n = {.block = block, .count = mlirBlockGetNumArguments(block)};
  n.names = irArenaAllocate(&r->arena, sizeof(*n.names) * (size_t)(n.count + 1));
  nameByAttribute(r, &n, main);
  IR_FOR_EACH_OP(op, block)
    if (irOpIs(op, "func.call"))
      nameByCall(r, &n, op);
  IR_FOR_EACH_OP(op, block)
    if (irOpIs(op, "stablehlo.custom_call"))
      nameByAssertion(r, &n, op);
  nameByPosition(r, &n);
  return n;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static int findSymbol(const Refiner *r, const char *name, size_t length) {
  for (int i = 0; i < r->numSymbols; ++i)
    if (strlen(r->symbols[i].name) == length && !memcmp(r->symbols[i].name, name, length))
      return i;
  return -1;
}

/// "37" or "1..128".
static bool parseSizes(const char *text, RefineSymbol *symbol) {
  char *end;
  errno = 0;
  symbol->low = symbol->high = strtoll(text, &end, 10);
  bool hasDigits = end != text;
  if (hasDigits && !strncmp(end, "..", 2)) {
    text = end + 2;
    symbol->high = strtoll(text, &end, 10);
    hasDigits = end != text;
  }
  return hasDigits && !errno && (*end == '\0' || *end == ',') && symbol->low >= (symbol->low < symbol->high) &&
         symbol->low <= symbol->high;
}

/// Reads "b=37,s=1..128".
static bool parseSymbols(Refiner *r, MlirOperation main, const char *text) {
  int capacity = 1;
  for (const char *at = text; *at; ++at)
    capacity += *at == ',';
  r->symbolCapacity = capacity + MAX_DERIVED_SYMBOLS;
  r->symbols = IR_NEW_ARRAY(&r->arena, RefineSymbol, r->symbolCapacity);
  for (const char *entry = text; *entry;) {
    const char *equals = strchr(entry, '='), *comma = strchr(entry, ',');
    RefineSymbol symbol = {0};
    if (!equals || equals == entry || (comma && comma < equals) || !parseSizes(equals + 1, &symbol))
      return refineFail(main, "needs sizes such as b=37 or b=1..128, separated by commas, not '%s'", text);
    symbol.name = copyText(r, entry, (size_t)(equals - entry));
    if (findSymbol(r, symbol.name, strlen(symbol.name)) >= 0)
      return refineFail(main, "is given two sizes of '%s'", symbol.name);
    r->symbols[r->numSymbols++] = symbol;
    entry = comma ? comma + 1 : "";
  }
  return true;
}

/// The next of the names behind `at`, a position that starts at -1; null at the end.
static const char *nextName(const DimNames *n, intptr_t *at) {
  while (++*at < n->count * IR_MAX_RANK)
    if (n->names[*at / IR_MAX_RANK][*at % IR_MAX_RANK])
      return n->names[*at / IR_MAX_RANK][*at % IR_MAX_RANK];
  return NULL;
}

/// All names, for messages; in the arena.
static const char *namesText(Refiner *r, const DimNames *n) {
  size_t length = 1;
  intptr_t at = -1;
  for (const char *name; (name = nextName(n, &at));)
    length += strlen(name) + strlen(", ");
  char *text = irArenaAllocate(&r->arena, length), *end = text;
  at = -1;
  for (const char *name; (name = nextName(n, &at));)
    end += sprintf(end, "%s%s", end > text ? ", " : "", name);
  return *text ? text : "none";
}

/// Whether the model has each of the symbols.
static bool checkSymbols(Refiner *r, MlirOperation main, const DimNames *n) {
  for (int s = 0; s < r->numSymbols; ++s) {
    intptr_t at = -1;
    const char *name;
    while ((name = nextName(n, &at)) && strcmp(name, r->symbols[s].name))
      ;
    if (!name)
      return refineFail(main, "has no dimension '%s' of unknown size; there are: %s", r->symbols[s].name,
                        namesText(r, n));
  }
  return true;
}

/// The limit of dimension `d` in "#stablehlo.bounds<128, ?>"; -1 if there is none.
static int64_t boundOf(Refiner *r, MlirType type, intptr_t d) {
  const char *at = strstr(refineEncodingText(r, type), "bounds<");
  if (!at)
    return -1;
  at += strlen("bounds<");
  for (intptr_t i = 0; i < d; ++i) {
    at += strcspn(at, ",>");
    if (*at++ != ',')
      return -1;
  }
  at += strspn(at, " ");
  return *at >= '0' && *at <= '9' ? strtoll(at, NULL, 10) : -1;
}

/// The shape of an argument; false after an error.
static bool argumentShape(Refiner *r, MlirOperation main, const DimNames *n, intptr_t argument, MlirType type,
                          RefineShape *shape) {
  IrShape declared = irTypeShape(type);
  shape->rank = declared.rank;
  for (intptr_t d = 0; d < declared.rank; ++d) {
    const char *name = n->names[argument][d];
    shape->dims[d] = refineConstant(declared.dims[d]);
    if (!name)
      continue;
    int symbol = findSymbol(r, name, strlen(name));
    if (symbol < 0)
      return refineFail(main, "has dimension %ld of argument %ld, '%s', without a size: give one, as in --dim %s=8",
                        (long)d, (long)argument, name, name);
    int64_t bound = boundOf(r, type, d);
    if (bound >= 0 && r->symbols[symbol].high > bound)
      return refineFail(main, "has dimension %ld of argument %ld, '%s', of at most %" PRId64 ", got %" PRId64, (long)d,
                        (long)argument, name, bound, r->symbols[symbol].high);
    bool isOne = r->symbols[symbol].low == r->symbols[symbol].high;
    shape->dims[d] = isOne ? refineConstant(r->symbols[symbol].low) : (RefineSize){symbol, 1, 0};
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments for open sizes
//===----------------------------------------------------------------------===//

static void addSymbolArguments(Refiner *r, MlirOperation main, MlirBlock block) {
  intptr_t before = mlirBlockGetNumArguments(block), count = 0;
  MlirAttribute *attributes = IR_NEW_ARRAY(&r->arena, MlirAttribute, r->numSymbols + 1);
  for (int s = 0; s < r->numSymbols; ++s)
    if (r->symbols[s].low != r->symbols[s].high)
      attributes[count++] = refineAddArgument(r, block, mlirOperationGetLocation(main), s);
  if (count)
    irAppendBorderAttrs(main, "arg_attrs", before, count, attributes);
}

bool refineArguments(Refiner *r, MlirOperation main, const char *text) {
  DimNames n = findNames(r, main);
  if (!parseSymbols(r, main, text) || !checkSymbols(r, main, &n))
    return false;
  for (intptr_t i = 0; i < n.count; ++i) {
    MlirValue argument = mlirBlockGetArgument(n.block, i);
    MlirType type = mlirValueGetType(argument);
    RefineShape shape;
    if (!refineIsDynamic(type))
      continue;
    if (!mlirTypeIsARankedTensor(type))
      return refineFail(main, "has an argument without a rank");
    if (!argumentShape(r, main, &n, i, type, &shape))
      return false;
    type = refineType(r, main, type, &shape);
    if (mlirTypeIsNull(type))
      return false;
    mlirValueSetType(argument, type);
    if (r->pads)
      refineSetShape(r, argument, &shape);
  }
  addSymbolArguments(r, main, n.block);
  return true;
}
