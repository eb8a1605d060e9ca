//===- syntax_convolution.cpp - the pretty form of convolutions ----------===//
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
ParseResult stablehlo_reader::parseConvolution(const OpSyntax &, OpAsmParser &parser, OperationState &state) {
  Operands operands;
  return failure(
      parser.parseOperandList(operands, AsmParser::Delimiter::Paren) || parser.parseKeyword("dim_numbers") ||
      parser.parseEqual() || parseConvolutionDimensions(parser, state) || parser.parseComma() ||
      parser.parseKeyword("window") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] { return parseWindowField(parser, state); }) ||
      parseAttributesAndTypes(parser, TypeForm::Function, operands, state));
}
