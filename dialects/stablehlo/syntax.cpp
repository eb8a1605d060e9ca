//===- syntax.cpp - the pretty forms of StableHLO and CHLO ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the syntax that reader_ops.def describes. Each parser leaves the generic form in the operation's state.
//
//===----------------------------------------------------------------------===//

#include "dialects/stablehlo/syntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace stablehlo_reader;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static ParseResult parseRegular(const OpSyntax &syntax, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  return failure(parseOperandsAndClauses(syntax, parser, operands, state) ||
                 parseAttributesAndTypes(parser, syntax.types, operands, state));
}

/// `constant() {value = dense<1> : tensor<2xi8>} : () -> type`: elements of another type than the result, which are
/// those of a quantised one.
static ParseResult parseConstantOfType(OpAsmParser &parser, OperationState &state) {
  Type type;
  Attribute properties;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLess())) {
    if (parser.parseAttribute(properties) || parser.parseGreater())
      return failure();
    auto dictionary = dyn_cast<DictionaryAttr>(properties);
    if (!dictionary)
      return parser.emitError(loc) << "expected a dictionary, got " << properties;
    state.attributes.append(dictionary.begin(), dictionary.end());
  }
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() || parser.parseLParen() ||
      parser.parseRParen() || parser.parseArrow() || parser.parseType(type))
    return failure();
  state.addTypes(type);
  return success();
}

/// `constant dense<1.0> : tensor<2xf32>`
static ParseResult parseConstant(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseRParen() || parseConstantOfType(parser, state));
  if (parseAttributes(parser, state))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  Attribute value;
  if (parser.parseAttribute(value))
    return failure();
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements)
    return parser.emitError(loc) << "expected the elements of a tensor, got " << value;
  state.addTypes(elements.getShapedType());
  return addOnce(parser, loc, state, "value", value);
}

/// `compare LT, %0, %1, FLOAT : types`
static ParseResult parseCompare(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands(2);
  Attribute direction, type;
  if (parseEnum(parser, "comparison_direction", direction) || parser.parseComma() || parser.parseOperand(operands[0]) ||
      parser.parseComma() || parser.parseOperand(operands[1]))
    return failure();
  state.addAttribute("comparison_direction", direction);
  if (succeeded(parser.parseOptionalComma())) {
    if (parseEnum(parser, "comparison_type", type))
      return failure();
    state.addAttribute("compare_type", type);
  }
  return parseAttributesAndTypes(parser, TypeForm::Function, operands, state);
}

/// `slice %0 [0:2, 0:3:2] : types`
static ParseResult parseSlice(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands(1);
  SmallVector<int64_t> starts, limits, strides;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() || parser.parseInteger(limits.emplace_back()))
      return failure();
    strides.push_back(1);
    return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(strides.back()) : success();
  };
  if (parser.parseOperand(operands[0]) || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  state.addAttribute("start_indices", builder.getDenseI64ArrayAttr(starts));
  state.addAttribute("limit_indices", builder.getDenseI64ArrayAttr(limits));
  state.addAttribute("strides", builder.getDenseI64ArrayAttr(strides));
  return parseAttributesAndTypes(parser, TypeForm::Function, operands, state);
}

/// Writes the four lists of a dot product as the attribute that holds them all; empty lists are left out.
static Attribute takeDotDimensions(MLIRContext *context, OperationState &state) {
  std::string text;
  for (StringRef name : {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
                         "rhs_contracting_dimensions"}) {
    auto list = dyn_cast_or_null<DenseI64ArrayAttr>(state.attributes.erase(name));
    if (!list || list.empty())
      continue;
    llvm::raw_string_ostream stream(text);
    stream << (text.empty() ? "" : ", ") << name << " = [";
    llvm::interleaveComma(list.asArrayRef(), stream);
    stream << "]";
  }
  return opaqueAttribute(context, "dot<" + text + ">");
}

/// `dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] :
/// types`
static ParseResult parseDotGeneral(const OpSyntax &syntax, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  if (parseOperandsAndClauses(syntax, parser, operands, state))
    return failure();
  state.addAttribute("dot_dimension_numbers", takeDotDimensions(parser.getContext(), state));
  return parseAttributesAndTypes(parser, TypeForm::Function, operands, state);
}

/// `custom_call @name(%0) {...} : types`
static ParseResult parseCustomCall(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  StringAttr target;
  if (parser.parseSymbolName(target) || parser.parseOperandList(operands, AsmParser::Delimiter::Paren))
    return failure();
  state.addAttribute("call_target_name", target);
  return parseAttributesAndTypes(parser, TypeForm::Function, operands, state);
}

/// `composite "name" %0 {...} : types`
static ParseResult parseComposite(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  std::string name;
  if (parser.parseString(&name) || parser.parseOperandList(operands))
    return failure();
  state.addAttribute("name", parser.getBuilder().getStringAttr(name));
  return parseAttributesAndTypes(parser, TypeForm::Function, operands, state);
}

/// `get_tuple_element %0[1] : types`
static ParseResult parseGetTupleElement(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands(1);
  int32_t index;
  if (parser.parseOperand(operands[0]) || parser.parseLSquare() || parser.parseInteger(index) || parser.parseRSquare())
    return failure();
  state.addAttribute("index", parser.getBuilder().getI32IntegerAttr(index));
  return parseAttributesAndTypes(parser, TypeForm::Function, operands, state);
}

/// `attr-dict %0, %1 : types`, where there may be no operands.
static ParseResult parseForwarding(OpAsmParser &parser, OperationState &state) {
  Operands operands;
  if (parseAttributes(parser, state) || parser.parseOperandList(operands))
    return failure();
  return operands.empty() ? success() : parseTypes(parser, TypeForm::Pairwise, operands, state);
}

static ParseResult parseOptimizationBarrier(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  return parseForwarding(parser, state);
}

static ParseResult parseReturn(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  if (parseForwarding(parser, state))
    return failure();
  state.types.clear();
  return success();
}

/// `top_k(%0, k = 3) : types`
static ParseResult parseTopK(const OpSyntax &syntax, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  return failure(parser.parseLParen() || parseOperandsAndClauses(syntax, parser, operands, state) ||
                 parser.parseRParen() || parseAttributesAndTypes(parser, TypeForm::Function, operands, state));
}

//===----------------------------------------------------------------------===//
// stablehlo.reduce
//===----------------------------------------------------------------------===//

/// `(%0 init: %2), (%1 init: %3)`: all inputs, then all initial values.
static ParseResult parseReduceInputs(OpAsmParser &parser, Operands &operands) {
  Operands inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) || parser.parseKeyword("init") ||
        parser.parseColon() || parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  llvm::append_range(operands, inits);
  return success();
}

/// The body of `applies stablehlo.add`: that operation on the two scalars.
static ParseResult buildReduceBody(OpAsmParser &parser, SMLoc loc, OperationName name, Location opLoc,
                                   OperationState &state) {
  auto result = state.types.size() == 1 ? dyn_cast<RankedTensorType>(state.types[0]) : RankedTensorType();
  if (!result)
    return parser.emitError(loc, "'applies' needs one result of ranked tensor type");
  Type scalar = RankedTensorType::get({}, result.getElementType());
  Block &body = state.addRegion()->emplaceBlock();
  body.addArguments({scalar, scalar}, {opLoc, opLoc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&body);
  OperationState inner(opLoc, name);
  inner.addOperands(body.getArguments());
  inner.addTypes(scalar);
  Value value = builder.create(inner)->getResult(0);
  OperationState end(opLoc, "stablehlo.return");
  end.addOperands(value);
  builder.create(end);
  return success();
}

/// `reducer(%x0: type, %y0: type) (%x1: type, %y1: type) {...}`: the block takes all x, then all y.
static ParseResult parseReducer(OpAsmParser &parser, size_t numInputs, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments, right;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < numInputs; ++i)
    if (parser.parseLParen() || parser.parseArgument(arguments.emplace_back(), true) || parser.parseComma() ||
        parser.parseArgument(right.emplace_back(), true) || parser.parseRParen())
      return failure();
  llvm::append_range(arguments, right);
  return parser.parseRegion(*state.addRegion(), arguments);
}

static ParseResult parseAppliedName(OpAsmParser &parser, std::optional<OperationName> &applied) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<OperationName> name = parser.parseCustomOperationName();
  if (failed(name))
    return failure();
  StringRef full = name->getStringRef();
  for (const OpSyntax &syntax : stablehloSyntax())
    if (full == syntax.name && syntax.types == TypeForm::Same && syntax.parse == parseRegular) {
      applied = *name;
      return success();
    }
  return parser.emitError(loc) << "'" << full << "' cannot be applied by stablehlo.reduce";
}

/// `reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : types`, or without `applies` and with a body
/// after the types.
static ParseResult parseReduce(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  std::optional<OperationName> applied;
  if (parseReduceInputs(parser, operands))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("applies")) && parseAppliedName(parser, applied))
    return failure();
  Attribute dimensions;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseIntsAttribute(parser, dimensions))
    return failure();
  state.addAttribute("dimensions", dimensions);
  if (parseAttributesAndTypes(parser, TypeForm::Function, operands, state))
    return failure();
  if (!applied)
    return parseReducer(parser, operands.size() / 2, state);
  return buildReduceBody(parser, loc, *applied, parser.getEncodedSourceLoc(loc), state);
}

//===----------------------------------------------------------------------===//
// stablehlo.while
//===----------------------------------------------------------------------===//

/// `while(%a = %0, ...) : types attributes {...} cond {...} do {...}`
static ParseResult parseWhile(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  Operands operands;
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (types.size() != operands.size())
    return parser.emitError(loc) << "'stablehlo.while' has " << operands.size() << " operands and types for "
                                 << types.size();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  state.addTypes(types);
  return failure(parser.resolveOperands(operands, types, loc, state.operands) ||
                 parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseKeyword("cond") ||
                 parser.parseRegion(*state.addRegion(), arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

static constexpr Clause optionalClause(Clause clause) {
  clause.optional = true;
  return clause;
}

#define INTS(keyword, attribute)                                                                                       \
  Clause { keyword, ClauseKind::Ints, attribute }
#define INT(keyword, attribute)                                                                                        \
  Clause { keyword, ClauseKind::Int, attribute }
#define BITS(keyword, attribute, second)                                                                               \
  Clause { keyword, ClauseKind::Bits, attribute, second }
#define ENUM(keyword, enumeration, attribute)                                                                          \
  Clause { keyword, ClauseKind::Enum, attribute, enumeration }
#define PRECISION(keyword, attribute)                                                                                  \
  Clause { keyword, ClauseKind::Precision, attribute }
#define PAIR(keyword, attribute, second)                                                                               \
  Clause { keyword, ClauseKind::Pair, attribute, second }
#define ALGORITHM(keyword, attribute)                                                                                  \
  Clause { keyword, ClauseKind::Algorithm, attribute }
#define VALUE(keyword, attribute)                                                                                      \
  Clause { keyword, ClauseKind::Value, attribute }
#define OPTIONAL(clause) optionalClause(clause)

#define REGULAR(name, types, ...) {PREFIX #name, parseRegular, TypeForm::types, {__VA_ARGS__}},
#define ELEMENTWISE(name, types, operands, tg) REGULAR(name, types)
#define CUSTOM(name, function, ...) {PREFIX #name, function, TypeForm::Function, {__VA_ARGS__}},
#define GENERIC(name) {PREFIX #name, nullptr, TypeForm::Function, {}},

#define STABLEHLO
#define PREFIX "stablehlo."
static constexpr OpSyntax stablehloOperations[] = {
#include "dialects/stablehlo/reader_ops.def"
};
#undef PREFIX
#undef STABLEHLO

#define CHLO
#define PREFIX "chlo."
static constexpr OpSyntax chloOperations[] = {
#include "dialects/stablehlo/reader_ops.def"
};
#undef PREFIX
#undef CHLO

ArrayRef<OpSyntax> stablehlo_reader::stablehloSyntax() { return stablehloOperations; }
ArrayRef<OpSyntax> stablehlo_reader::chloSyntax() { return chloOperations; }
