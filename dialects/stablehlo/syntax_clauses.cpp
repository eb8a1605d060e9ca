//===- syntax_clauses.cpp - types, attributes and clauses of pretty forms -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/stablehlo/syntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace stablehlo_reader;

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

ParseResult stablehlo_reader::parseTypes(OpAsmParser &parser, TypeForm form, const Operands &operands,
                                         OperationState &state) {
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

Attribute stablehlo_reader::opaqueAttribute(MLIRContext *context, const Twine &text) {
  auto dialect = StringAttr::get(context, "stablehlo");
  return OpaqueAttr::get(dialect, text.str(), NoneType::get(context));
}

ParseResult stablehlo_reader::addOnce(OpAsmParser &parser, SMLoc loc, OperationState &state, StringRef name,
                                      Attribute value) {
  if (state.attributes.get(name))
    return parser.emitError(loc) << "attribute '" << name << "' is given twice";
  state.addAttribute(name, value);
  return success();
}

ParseResult stablehlo_reader::parseAttributes(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (auto twice = state.attributes.findDuplicate())
    return parser.emitError(loc) << "attribute '" << twice->getName().getValue() << "' is given twice";
  return success();
}

ParseResult stablehlo_reader::parseAttributesAndTypes(OpAsmParser &parser, TypeForm form, const Operands &operands,
                                                      OperationState &state) {
  return failure(parseAttributes(parser, state) || parseTypes(parser, form, operands, state));
}

static ParseResult parseInts(OpAsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

ParseResult stablehlo_reader::parseIntsAttribute(OpAsmParser &parser, Attribute &value) {
  SmallVector<int64_t> values;
  if (parseInts(parser, values))
    return failure();
  value = DenseI64ArrayAttr::get(parser.getContext(), values);
  return success();
}

ParseResult stablehlo_reader::parseEnum(OpAsmParser &parser, StringRef enumeration, Attribute &value) {
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

ParseResult stablehlo_reader::parseOperandsAndClauses(const OpSyntax &syntax, OpAsmParser &parser, Operands &operands,
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
