//===- syntax.cpp - the pretty forms of StableHLO and CHLO ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses what reader_ops.def describes. Each parser leaves in the operation's state what its generic form would.
//
//===----------------------------------------------------------------------===//

#include "dialects/stablehlo/reader.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace stablehlo_reader;

using Operands = SmallVector<OpAsmParser::UnresolvedOperand>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static Type realPart(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex = tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return complex ? tensor.clone(complex.getElementType()) : Type();
}

/// Fills in the types that are not written out: `written` stands for those of all operands and results.
static ParseResult expandTypes(OpAsmParser &parser, SMLoc loc, TypeForm form, ArrayRef<Type> written,
                               size_t numOperands, SmallVectorImpl<Type> &operands, SmallVectorImpl<Type> &results) {
  switch (form) {
  case TypeForm::Function:
    return parser.emitError(loc, "expected the types of operands and results: (...) -> ...");
  case TypeForm::Same:
    if (written.size() != 1)
      return parser.emitError(loc, "expected one type");
    operands.assign(numOperands, written[0]);
    results.assign(1, written[0]);
    return success();
  case TypeForm::Select:
    if (written.size() != 2)
      return parser.emitError(loc, "expected two types: the predicate's and the result's");
    operands.assign({written[0], written[1], written[1]});
    results.assign(1, written[1]);
    return success();
  case TypeForm::Complex:
    if (written.size() != 1 || !realPart(written[0]))
      return parser.emitError(loc, "expected one tensor type with complex elements");
    operands.assign(numOperands, realPart(written[0]));
    results.assign(1, written[0]);
    return success();
  case TypeForm::Tuple:
    if (written.size() != 1 || !isa<TupleType>(written[0]))
      return parser.emitError(loc, "expected one tuple type");
    operands.assign(cast<TupleType>(written[0]).begin(), cast<TupleType>(written[0]).end());
    results.assign(1, written[0]);
    return success();
  case TypeForm::Pairwise:
    operands.assign(written.begin(), written.end());
    results.assign(written.begin(), written.end());
    return success();
  }
  return failure();
}

/// `: (types) -> types`, CHLO's `: types -> types`, or a shorter form; resolves the operands.
static ParseResult parseTypes(OpAsmParser &parser, TypeForm form, const Operands &operands, OperationState &state) {
  SmallVector<Type> written, operandTypes, resultTypes;
  if (parser.parseColon())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(written))
    return failure();
  auto function = written.size() == 1 ? dyn_cast<FunctionType>(written[0]) : FunctionType();
  if (function) {
    llvm::append_range(operandTypes, function.getInputs());
    llvm::append_range(resultTypes, function.getResults());
  } else if (succeeded(parser.parseOptionalArrow())) {
    operandTypes = written;
    bool parenthesized = succeeded(parser.parseOptionalLParen());
    if (parser.parseTypeList(resultTypes) || (parenthesized && parser.parseRParen()))
      return failure();
  } else if (expandTypes(parser, loc, form, written, operands.size(), operandTypes, resultTypes)) {
    return failure();
  }
  state.addTypes(resultTypes);
  if (operands.size() != operandTypes.size())
    return parser.emitError(loc) << "'" << state.name.getStringRef() << "' has " << operands.size()
                                 << " operands and types for " << operandTypes.size();
  return parser.resolveOperands(operands, operandTypes, loc, state.operands);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Adds an attribute that the operation must not have yet.
static ParseResult addOnce(OpAsmParser &parser, SMLoc loc, OperationState &state, StringRef name, Attribute value) {
  if (state.attributes.get(name))
    return parser.emitError(loc) << "attribute '" << name << "' is given twice";
  state.addAttribute(name, value);
  return success();
}

static ParseResult parseAttributes(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (auto twice = state.attributes.findDuplicate())
    return parser.emitError(loc) << "attribute '" << twice->getName().getValue() << "' is given twice";
  return success();
}

/// `attr-dict : types`, the end of nearly every operation.
static ParseResult parseAttributesAndTypes(OpAsmParser &parser, TypeForm form, const Operands &operands,
                                           OperationState &state) {
  return failure(parseAttributes(parser, state) || parseTypes(parser, form, operands, state));
}

static ParseResult parseInts(OpAsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

static ParseResult parseIntsAttribute(OpAsmParser &parser, Attribute &value) {
  SmallVector<int64_t> values;
  if (parseInts(parser, values))
    return failure();
  value = DenseI64ArrayAttr::get(parser.getContext(), values);
  return success();
}

static ParseResult parseEnum(OpAsmParser &parser, StringRef enumeration, Attribute &value) {
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  value = opaqueAttribute(parser.getContext(), enumeration + " " + keyword);
  return success();
}

/// `[DEFAULT, HIGHEST]`
static ParseResult parsePrecision(OpAsmParser &parser, Attribute &value) {
  SmallVector<Attribute> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseEnum(parser, "precision", values.emplace_back()); }))
    return failure();
  value = ArrayAttr::get(parser.getContext(), values);
  return success();
}

/// `<lhs_precision_type = tf32, ..., allow_imprecise_accumulation = false>`
static ParseResult parseAlgorithm(OpAsmParser &parser, Attribute &value) {
  std::string text;
  auto parseField = [&]() -> ParseResult {
    StringRef name, keyword;
    int64_t number = 0;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    // Keywords first: an integer may be written as true or false.
    bool isKeyword = succeeded(parser.parseOptionalKeyword(&keyword));
    if (!isKeyword && parser.parseInteger(number))
      return failure();
    text += (text.empty() ? "" : ", ") + name.str() + " = " + (isKeyword ? keyword.str() : std::to_string(number));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return failure();
  value = opaqueAttribute(parser.getContext(), "dot_algorithm<" + text + ">");
  return success();
}

/// `e5m10`
static ParseResult parseBits(OpAsmParser &parser, Attribute &exponent, Attribute &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef format;
  if (parser.parseKeyword(&format))
    return failure();
  int32_t exponentBits, mantissaBits;
  auto [left, right] = format.drop_front(1).split('m');
  if (!format.starts_with("e") || left.getAsInteger(10, exponentBits) || right.getAsInteger(10, mantissaBits))
    return parser.emitError(loc) << "expected a format such as e5m10, got '" << format << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

static ParseResult parseInt(OpAsmParser &parser, Attribute &value) {
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static ParseResult parseClauseValue(const Clause &clause, OpAsmParser &parser, Attribute &value, Attribute &second) {
  switch (clause.kind) {
  case ClauseKind::Ints:
    return parseIntsAttribute(parser, value);
  case ClauseKind::Int:
    return parseInt(parser, value);
  case ClauseKind::Bits:
    return parseBits(parser, value, second);
  case ClauseKind::Enum:
    return parseEnum(parser, clause.second, value);
  case ClauseKind::Precision:
    return parsePrecision(parser, value);
  case ClauseKind::Pair:
    return failure(parseIntsAttribute(parser, value) || parser.parseKeyword("x") || parseIntsAttribute(parser, second));
  case ClauseKind::Algorithm:
    return parseAlgorithm(parser, value);
  case ClauseKind::Value:
    // A type keeps the parser from taking the operation's types for the attribute's.
    return parser.parseAttribute(value, parser.getBuilder().getNoneType());
  }
  return failure();
}

static ParseResult parseClause(const OpSyntax &syntax, OpAsmParser &parser, SMLoc loc, StringRef keyword,
                               OperationState &state) {
  for (const Clause &clause : syntax.clauses) {
    if (!clause.keyword || keyword != clause.keyword)
      continue;
    Attribute value, second;
    if (parser.parseEqual() || parseClauseValue(clause, parser, value, second) ||
        addOnce(parser, loc, state, clause.attribute, value))
      return failure();
    return second ? addOnce(parser, loc, state, clause.second, second) : success();
  }
  return parser.emitError(loc) << "'" << syntax.name << "' has no '" << keyword << " = ...'";
}

static ParseResult checkClauses(const OpSyntax &syntax, OpAsmParser &parser, OperationState &state) {
  for (const Clause &clause : syntax.clauses)
    if (clause.keyword && !clause.optional && !state.attributes.get(clause.attribute))
      return parser.emitError(parser.getCurrentLocation())
             << "'" << syntax.name << "' needs '" << clause.keyword << " = ...'";
  return success();
}

/// `%0, %1, keyword = value, ...`, possibly nothing.
static ParseResult parseOperandsAndClauses(const OpSyntax &syntax, OpAsmParser &parser, Operands &operands,
                                           OperationState &state) {
  bool more = true;
  for (bool first = true; more; first = false) {
    SMLoc loc = parser.getCurrentLocation();
    OpAsmParser::UnresolvedOperand operand;
    StringRef keyword;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (isOperand.has_value()) {
      if (failed(*isOperand))
        return failure();
      operands.push_back(operand);
    } else if (succeeded(parser.parseOptionalKeyword(&keyword))) {
      if (parseClause(syntax, parser, loc, keyword, state))
        return failure();
    } else if (first) {
      break;
    } else {
      return parser.emitError(loc, "expected an operand or 'keyword = value'");
    }
    more = succeeded(parser.parseOptionalComma());
  }
  return checkClauses(syntax, parser, state);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static ParseResult parseRegular(const OpSyntax &syntax, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  return failure(parseOperandsAndClauses(syntax, parser, operands, state) ||
                 parseAttributesAndTypes(parser, syntax.types, operands, state));
}

/// `constant dense<1.0> : tensor<2xf32>`
static ParseResult parseConstant(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
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
// stablehlo.convolution
//===----------------------------------------------------------------------===//

/// `[b, 0, 1, f]`, appended to `text`.
static ParseResult parseDimensionNames(OpAsmParser &parser, std::string &text) {
  bool first = true;
  text += "[";
  auto parseName = [&]() -> ParseResult {
    StringRef keyword;
    int64_t number;
    text += first ? "" : ", ";
    first = false;
    if (succeeded(parser.parseOptionalKeyword(&keyword))) {
      text += keyword;
      return success();
    }
    if (succeeded(parser.parseOptionalQuestion())) {
      text += "?";
      return success();
    }
    if (parser.parseInteger(number))
      return failure();
    text += std::to_string(number);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName))
    return failure();
  text += "]";
  return success();
}

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
static ParseResult parseConvolutionDimensions(OpAsmParser &parser, OperationState &state) {
  std::string text = "conv<";
  if (parseDimensionNames(parser, text) || parser.parseKeyword("x"))
    return failure();
  text += "x";
  if (parseDimensionNames(parser, text) || parser.parseArrow())
    return failure();
  text += "->";
  if (parseDimensionNames(parser, text))
    return failure();
  state.addAttribute("dimension_numbers", opaqueAttribute(parser.getContext(), text + ">"));
  return success();
}

/// `[[0, 1], [2, 3]]` as a tensor of two columns.
static ParseResult parsePadding(OpAsmParser &parser, Attribute &value) {
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseLSquare() || parser.parseInteger(values.emplace_back()) || parser.parseComma() ||
                   parser.parseInteger(values.emplace_back()) || parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2}, parser.getBuilder().getI64Type());
  value = DenseIntElementsAttr::get(type, values);
  return success();
}

static ParseResult parseBools(OpAsmParser &parser, Attribute &value) {
  SmallVector<bool> values;
  auto parseBool = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    if (keyword != "true" && keyword != "false")
      return parser.emitError(loc, "expected true or false");
    values.push_back(keyword == "true");
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBool))
    return failure();
  value = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

/// `stride = [1, 1]` and the like, inside `window = {...}`.
static ParseResult parseWindowField(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  Attribute value;
  if (parser.parseKeyword(&keyword) || parser.parseEqual())
    return failure();
  StringRef name = llvm::StringSwitch<StringRef>(keyword)
                       .Case("stride", "window_strides")
                       .Case("pad", "padding")
                       .Case("lhs_dilate", "lhs_dilation")
                       .Case("rhs_dilate", "rhs_dilation")
                       .Case("reverse", "window_reversal")
                       .Default("");
  if (name.empty())
    return parser.emitError(loc) << "a window has no '" << keyword << "'";
  if (name == "padding"           ? parsePadding(parser, value)
      : name == "window_reversal" ? parseBools(parser, value)
                                  : parseIntsAttribute(parser, value))
    return failure();
  return addOnce(parser, loc, state, name, value);
}

/// `convolution(%0, %1) dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [1]} {...} : types`
static ParseResult parseConvolution(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  return failure(
      parser.parseOperandList(operands, AsmParser::Delimiter::Paren) || parser.parseKeyword("dim_numbers") ||
      parser.parseEqual() || parseConvolutionDimensions(parser, state) || parser.parseComma() ||
      parser.parseKeyword("window") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] { return parseWindowField(parser, state); }) ||
      parseAttributesAndTypes(parser, TypeForm::Function, operands, state));
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
