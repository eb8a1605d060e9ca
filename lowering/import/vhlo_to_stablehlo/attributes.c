//===- attributes.c - StableHLO's attributes of a VHLO operation ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the attributes of a VHLO operation. Leaves those of its StableHLO operation, by a table of rules with the
// versions in which each holds. Attributes with their default value are left out, as StableHLO prints them.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/vhlo_to_stablehlo/attributes.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool vhloFail(VhloConversion *c, const char *format, ...) {
  char reason[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
  stitchEmitOpError(c->op, "cannot be converted to StableHLO: %s", reason);
  return false;
}

static void addAttribute(VhloConversion *c, const char *name, MlirAttribute value) {
  c->attributes[c->count++] = irNamed(c->context, name, value);
}

//===----------------------------------------------------------------------===//
// Attributes that are text
//===----------------------------------------------------------------------===//

/// Adds an attribute that StableHLO's reader keeps as text.
static void addText(VhloConversion *c, const char *name, const IrText *text) {
  addAttribute(c, name,
               mlirOpaqueAttrGet(c->context, mlirStringRefCreateFromCString("stablehlo"), (intptr_t)text->length,
                                 text->data, mlirNoneTypeGet(c->context)));
}

static bool hasText(MlirAttribute attribute, IrArena *arena, const char *expected) {
  IrText text = {.arena = arena};
  mlirAttributePrint(attribute, irTextAppend, &text);
  return text.data && !strcmp(text.data, expected);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool isI64List(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsADenseIntElements(attribute))
    return false;
  MlirType type = mlirAttributeGetType(attribute), element = irElementType(type);
  return mlirShapedTypeGetRank(type) == 1 && mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 64;
}

static bool getList(VhloConversion *c, const char *name, MlirAttribute *list) {
  *list = irGetAttr(c->op, name);
  return isI64List(*list) || vhloFail(c, "attribute '%s' is not a list of integers", name);
}

static bool getInt(VhloConversion *c, const char *name, int64_t *value) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return vhloFail(c, "attribute '%s' is not an integer", name);
  *value = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

static bool isFalse(MlirAttribute value) { return mlirAttributeIsABool(value) && !mlirBoolAttrGetValue(value); }

static bool isEmptyList(MlirAttribute value) {
  return (mlirAttributeIsAArray(value) && mlirArrayAttrGetNumElements(value) == 0) ||
         (mlirAttributeIsADictionary(value) && mlirDictionaryAttrGetNumElements(value) == 0) ||
         (mlirAttributeIsAString(value) && mlirStringAttrGetValue(value).length == 0) ||
         (isI64List(value) && mlirElementsAttrGetNumElements(value) == 0);
}

//===----------------------------------------------------------------------===//
// Rules for single attributes
//===----------------------------------------------------------------------===//

typedef struct AttributeRule {
  const char *name;
  bool (*convert)(VhloConversion *c, const struct AttributeRule *rule, MlirAttribute value);
  const char *standard; ///< the text of a value that is left out
} AttributeRule;

static bool keep(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  bool isStandard = rule->standard && hasText(value, c->arena, rule->standard);
  if (!isStandard && !isEmptyList(value))
    addAttribute(c, rule->name, value);
  return true;
}

static bool keepIfTrue(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  if (!isFalse(value))
    addAttribute(c, rule->name, value);
  return true;
}

/// A number of the element type of a list that is the same everywhere is left out: strides and dilations of 1.
static bool keepUnlessSplat(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  bool isSplat = mlirAttributeIsADenseIntElements(value) && mlirDenseElementsAttrIsSplat(value);
  bool isStandard = isSplat && hasText(mlirDenseElementsAttrGetSplatValue(value), c->arena, rule->standard);
  bool hasElements = !mlirAttributeIsADenseIntElements(value) || mlirElementsAttrGetNumElements(value) > 0;
  if (!isStandard && hasElements)
    addAttribute(c, rule->name, value);
  return true;
}

static bool keepUnlessAllStandard(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  bool isStandard = mlirAttributeIsAArray(value);
  for (intptr_t i = 0; isStandard && i < mlirArrayAttrGetNumElements(value); ++i)
    isStandard = hasText(mlirArrayAttrGetElement(value, i), c->arena, rule->standard);
  if (!isStandard)
    addAttribute(c, rule->name, value);
  return true;
}

static bool toUnit(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  if (!isFalse(value))
    addAttribute(c, rule->name, mlirUnitAttrGet(c->context));
  return true;
}

static bool toSymbol(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  if (!mlirAttributeIsAString(value))
    return vhloFail(c, "attribute '%s' is not a name", rule->name);
  addAttribute(c, rule->name, mlirFlatSymbolRefAttrGet(c->context, mlirStringAttrGetValue(value)));
  return true;
}

static bool toSymbols(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  intptr_t count = mlirAttributeIsAArray(value) ? mlirArrayAttrGetNumElements(value) : -1;
  MlirAttribute *symbols = IR_NEW_ARRAY(c->arena, MlirAttribute, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute name = mlirArrayAttrGetElement(value, i);
    if (!mlirAttributeIsAString(name))
      return vhloFail(c, "attribute '%s' is not a list of names", rule->name);
    symbols[i] = mlirFlatSymbolRefAttrGet(c->context, mlirStringAttrGetValue(name));
  }
  if (count < 0)
    return vhloFail(c, "attribute '%s' is not a list of names", rule->name);
  if (count > 0)
    addAttribute(c, rule->name, mlirArrayAttrGet(c->context, count, symbols));
  return true;
}

/// A list that StableHLO has as array<i64: ...>.
static bool toArray(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  if (!isI64List(value))
    return vhloFail(c, "attribute '%s' is not a list of integers", rule->name);
  intptr_t count = mlirElementsAttrGetNumElements(value);
  int64_t *values = IR_NEW_ARRAY(c->arena, int64_t, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = mlirDenseElementsAttrGetInt64Value(value, i);
  if (count > 0)
    addAttribute(c, rule->name, mlirDenseI64ArrayGet(c->context, count, values));
  return true;
}

/// The channel of communication; 0 is none. Its kind is in artifacts of transfers alone.
static bool toChannel(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  (void)value;
  int64_t handle = 0, kind = 0;
  bool isTransfer = irHasAttr(c->op, "channel_type");
  if (!getInt(c, rule->name, &handle) || (isTransfer && !getInt(c, "channel_type", &kind)))
    return false;
  IrText text = {.arena = c->arena};
  irTextFormat(&text, "channel_handle<handle = %" PRId64 ", type = %" PRId64 ">", handle, kind);
  if (handle != 0 || isTransfer)
    addText(c, "channel_handle", &text);
  return true;
}

/// A triangular_solve always says which triangle it is.
static bool keepLower(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  if (!isFalse(value) || !irOpIs(c->op, "vhlo.cholesky_v1"))
    addAttribute(c, rule->name, value);
  return true;
}

static bool drop(VhloConversion *c, const AttributeRule *rule, MlirAttribute value) {
  (void)c, (void)rule, (void)value;
  return true;
}

#define DEFAULT_PRECISION "#stablehlo<precision DEFAULT>"
#define DEFAULT_ACCURACY "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>"

static const AttributeRule rules[] = {
    {"api_version", keep, "1 : i32"},
    {"arg_attrs", keep, NULL},
    {"backend_config", keep, NULL},
    {"base_dilations", keepUnlessSplat, "1 : i64"},
    {"callee", toSymbol, NULL},
    {"called_computations", toSymbols, NULL},
    {"channel_id", toChannel, NULL},
    {"channel_type", drop, NULL},
    {"compare_type", keep, "#stablehlo<comparison_type NOTYPE>"},
    {"composite_attributes", keep, NULL},
    {"decomposition", toSymbol, NULL},
    {"has_dynamic_root", keepIfTrue, NULL},
    {"has_side_effect", keepIfTrue, NULL},
    {"indices_are_sorted", keepIfTrue, NULL},
    {"infeed_config", keep, NULL},
    {"is_host_transfer", keepIfTrue, NULL},
    {"is_stable", keepIfTrue, NULL},
    {"known_expanding_dimensions", toArray, NULL},
    {"known_nonexpanding_dimensions", toArray, NULL},
    {"layout", keep, NULL},
    {"lhs_dilation", keepUnlessSplat, "1 : i64"},
    {"lower", keepLower, NULL},
    {"operand_layouts", keep, NULL},
    {"outfeed_config", keep, NULL},
    {"output_operand_aliases", keep, NULL},
    {"padding", keepUnlessSplat, "0 : i64"},
    {"precision_config", keepUnlessAllStandard, DEFAULT_PRECISION},
    {"res_attrs", keep, NULL},
    {"result_accuracy", keep, DEFAULT_ACCURACY},
    {"result_layouts", keep, NULL},
    {"result_tilings", keep, NULL},
    {"rhs_dilation", keepUnlessSplat, "1 : i64"},
    {"source_target_pairs", keep, NULL},
    {"sym_visibility", keep, NULL},
    {"unique_indices", keepIfTrue, NULL},
    {"use_global_device_ids", toUnit, NULL},
    {"version", keep, "0 : i64"},
    {"window_dilations", keepUnlessSplat, "1 : i64"},
    {"window_reversal", keepUnlessSplat, "false"},
    {"window_strides", keepUnlessSplat, "1 : i64"},
};

static bool convertSingle(VhloConversion *c, MlirNamedAttribute attribute) {
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(rules[i].name)))
      return rules[i].convert(c, &rules[i], attribute.attribute);
  c->attributes[c->count++] = attribute;
  return true;
}

//===----------------------------------------------------------------------===//
// Several attributes that are one: #stablehlo.gather<offset_dims = [1], ..., index_vector_dim = 1>
//===----------------------------------------------------------------------===//

enum { MAX_FIELDS = 9 };

typedef struct {
  const char *ops[2]; ///< names behind "vhlo." and before the version
  const char *attribute, *mnemonic;
  const char *lists[6]; ///< left out if empty
  const char *integer;
  bool (*convert)(VhloConversion *c); ///< in place of the fields
  const char *others[MAX_FIELDS];     ///< fields that `convert` reads
} AttributeGroup;

static bool convertConvolutionDims(VhloConversion *c);
static bool convertDotAlgorithm(VhloConversion *c);

static const AttributeGroup groups[] = {
    {.ops = {"gather", "dynamic_gather"},
     .attribute = "dimension_numbers",
     .mnemonic = "gather",
     .lists = {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
               "start_index_map"},
     .integer = "index_vector_dim"},
    {.ops = {"scatter"},
     .attribute = "scatter_dimension_numbers",
     .mnemonic = "scatter",
     .lists = {"update_window_dims", "inserted_window_dims", "input_batching_dims", "scatter_indices_batching_dims",
               "scatter_dims_to_operand_dims"},
     .integer = "index_vector_dim"},
    {.ops = {"dot_general"},
     .attribute = "dot_dimension_numbers",
     .mnemonic = "dot",
     .lists = {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
               "rhs_contracting_dimensions"}},
    {.ops = {"dot_general"},
     .convert = convertDotAlgorithm,
     .others = {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
                "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"}},
    {.ops = {"convolution", "dynamic_conv"},
     .convert = convertConvolutionDims,
     .others = {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
                "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions",
                "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"}},
};

/// A version of an operation that is older than batching dimensions has none.
static bool appendListField(VhloConversion *c, IrText *text, const char *name) {
  MlirAttribute list;
  bool isOptional = strstr(name, "batching_dims") != NULL;
  if (isOptional && !irHasAttr(c->op, name))
    return true;
  if (!getList(c, name, &list))
    return false;
  intptr_t count = mlirElementsAttrGetNumElements(list);
  for (intptr_t i = 0; i < count; ++i) {
    if (i == 0)
      irTextFormat(text, "%s%s = [", text->data[text->length - 1] == '<' ? "" : ", ", name);
    irTextFormat(text, "%s%" PRId64, i ? ", " : "", mlirDenseElementsAttrGetInt64Value(list, i));
  }
  if (count > 0)
    irTextFormat(text, "]");
  return true;
}

static bool convertFields(VhloConversion *c, const AttributeGroup *group) {
  IrText text = {.arena = c->arena};
  irTextFormat(&text, "%s<", group->mnemonic);
  for (int i = 0; i < 6 && group->lists[i]; ++i)
    if (!appendListField(c, &text, group->lists[i]))
      return false;
  int64_t value;
  if (group->integer && !getInt(c, group->integer, &value))
    return false;
  if (group->integer && value != 0)
    irTextFormat(&text, "%s%s = %" PRId64, text.data[text.length - 1] == '<' ? "" : ", ", group->integer, value);
  irTextFormat(&text, ">");
  addText(c, group->attribute, &text);
  return true;
}

/// Appends "[b, 0, 1, f]".
static bool appendDimensionNames(VhloConversion *c, IrText *text, const char *letters, const char *const names[3]) {
  int64_t first, second;
  MlirAttribute spatial;
  if (!getInt(c, names[0], &first) || !getInt(c, names[1], &second) || !getList(c, names[2], &spatial))
    return false;
  int64_t rank = mlirElementsAttrGetNumElements(spatial) + 2;
  char labels[IR_MAX_RANK][8] = {{0}};
  bool ok = rank <= IR_MAX_RANK && first >= 0 && first < rank && second >= 0 && second < rank && first != second;
  if (ok) {
    labels[first][0] = letters[0];
    labels[second][0] = letters[1];
  }
  for (int64_t i = 0; ok && i < rank - 2; ++i) {
    int64_t dim = mlirDenseElementsAttrGetInt64Value(spatial, i);
    ok = dim >= 0 && dim < rank && !labels[dim][0];
    if (ok)
      snprintf(labels[dim], sizeof(labels[dim]), "%d", (int)i);
  }
  if (!ok)
    return vhloFail(c, "attributes '%s', '%s' and '%s' are not the dimensions of a tensor", names[0], names[1],
                    names[2]);
  for (int64_t i = 0; i < rank; ++i)
    irTextFormat(text, "%s%s", i ? ", " : "[", labels[i]);
  irTextFormat(text, "]");
  return true;
}

static bool convertConvolutionDims(VhloConversion *c) {
  static const char *const input[] = {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"};
  static const char *const kernel[] = {"kernel_input_feature_dimension", "kernel_output_feature_dimension",
                                       "kernel_spatial_dimensions"};
  static const char *const output[] = {"output_batch_dimension", "output_feature_dimension",
                                       "output_spatial_dimensions"};
  IrText text = {.arena = c->arena};
  irTextFormat(&text, "conv<");
  if (!appendDimensionNames(c, &text, "bf", input))
    return false;
  irTextFormat(&text, "x");
  if (!appendDimensionNames(c, &text, "io", kernel))
    return false;
  irTextFormat(&text, "->");
  if (!appendDimensionNames(c, &text, "bf", output))
    return false;
  irTextFormat(&text, ">");
  addText(c, "dimension_numbers", &text);
  return true;
}

/// There is no algorithm where types and counts are all `none`.
static bool convertDotAlgorithm(VhloConversion *c) {
  static const char *const names[] = {"lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
                                      "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
                                      "allow_imprecise_accumulation"};
  MlirAttribute type = irGetAttr(c->op, names[0]);
  if (mlirAttributeIsNull(type) || hasText(type, c->arena, "none"))
    return true;
  IrText text = {.arena = c->arena};
  irTextFormat(&text, "dot_algorithm<");
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    MlirAttribute value = irGetAttr(c->op, names[i]);
    if (mlirAttributeIsNull(value))
      return vhloFail(c, "attribute '%s' is missing", names[i]);
    irTextFormat(&text, "%s%s = ", i ? ", " : "", names[i]);
    bool isInteger = mlirAttributeIsAInteger(value) && !mlirAttributeIsABool(value);
    if (isInteger)
      irTextFormat(&text, "%" PRId64, mlirIntegerAttrGetValueInt(value)); // without its type
    else
      mlirAttributePrint(value, irTextAppend, &text);
  }
  irTextFormat(&text, ">");
  addText(c, "algorithm", &text);
  return true;
}

//===----------------------------------------------------------------------===//
// All attributes
//===----------------------------------------------------------------------===//

/// Whether the operation is "vhlo.NAME_vN".
static bool isVersionOf(MlirOperation op, const char *name) {
  MlirStringRef full = irOpName(op);
  size_t prefix = strlen("vhlo."), length = strlen(name);
  return full.length > prefix + length + 2 && !memcmp(full.data + prefix, name, length) &&
         !memcmp(full.data + prefix + length, "_v", 2);
}

static bool groupIsOf(const AttributeGroup *group, MlirOperation op) {
  return isVersionOf(op, group->ops[0]) || (group->ops[1] && isVersionOf(op, group->ops[1]));
}

static bool isAnyOf(MlirStringRef name, const char *const *names, int count) {
  for (int i = 0; i < count && names[i]; ++i)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(names[i])))
      return true;
  return false;
}

static bool isInGroup(VhloConversion *c, MlirStringRef name) {
  for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); ++i)
    if (groupIsOf(&groups[i], c->op) && (isAnyOf(name, groups[i].lists, 6) || isAnyOf(name, &groups[i].integer, 1) ||
                                         isAnyOf(name, groups[i].others, MAX_FIELDS)))
      return true;
  return false;
}

bool vhloConvertAttributes(VhloConversion *c) {
  intptr_t count = mlirOperationGetNumAttributes(c->op);
  c->attributes = IR_NEW_ARRAY(c->arena, MlirNamedAttribute, count + 2);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(c->op, i);
    if (!isInGroup(c, mlirIdentifierStr(attribute.name)) && !convertSingle(c, attribute))
      return false;
  }
  for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); ++i)
    if (groupIsOf(&groups[i], c->op) && !(groups[i].convert ? groups[i].convert(c) : convertFields(c, &groups[i])))
      return false;
  return true;
}
