//===- sdy_syntax.cpp - the pretty forms of Shardy -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/vhlo/sdy_syntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Takes one token of a mesh or sharding. `depth` counts the brackets that are open.
static bool takeToken(OpAsmParser &parser, int &depth) {
  if (succeeded(parser.parseOptionalLess()) || succeeded(parser.parseOptionalLSquare()) ||
      succeeded(parser.parseOptionalLBrace()) || succeeded(parser.parseOptionalLParen())) {
    ++depth;
    return true;
  }
  if (succeeded(parser.parseOptionalGreater()) || succeeded(parser.parseOptionalRSquare()) ||
      succeeded(parser.parseOptionalRBrace()) || succeeded(parser.parseOptionalRParen())) {
    --depth;
    return true;
  }
  std::string text;
  StringRef keyword;
  int64_t number;
  StringAttr symbol;
  return succeeded(parser.parseOptionalComma()) || succeeded(parser.parseOptionalColon()) ||
         succeeded(parser.parseOptionalEqual()) || succeeded(parser.parseOptionalQuestion()) ||
         succeeded(parser.parseOptionalString(&text)) || succeeded(parser.parseOptionalKeyword(&keyword)) ||
         succeeded(parser.parseOptionalSymbolName(symbol)) || parser.parseOptionalInteger(number).has_value();
}

/// A text in brackets, up to the one that closes the first.
static ParseResult parseBrackets(OpAsmParser &parser, StringRef name, OperationState &state) {
  SMLoc start = parser.getCurrentLocation();
  int depth = 0;
  do {
    if (!takeToken(parser, depth) || depth < 0)
      return parser.emitError(parser.getCurrentLocation()) << "'" << name << "' of Shardy is malformed";
  } while (depth > 0);
  // The text ends with the last bracket; the next token may have spaces before it.
  StringRef text(start.getPointer(), size_t(parser.getCurrentLocation().getPointer() - start.getPointer()));
  state.addAttribute(name, parser.getBuilder().getStringAttr(text.take_front(text.find_last_of(">]})") + 1)));
  return success();
}

/// `keyword=[...]`
static ParseResult parseNamed(OpAsmParser &parser, StringRef name, OperationState &state) {
  return failure(parser.parseKeyword(name) || parser.parseEqual() || parseBrackets(parser, name, state));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// `mesh @name = <["x"=2]> {...}`
static ParseResult parseMesh(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  return failure(parser.parseSymbolName(name, "sym_name", state.attributes) || parser.parseEqual() ||
                 parseBrackets(parser, "mesh", state) || parser.parseOptionalAttrDict(state.attributes));
}

/// `: type`, of an operand and, but for a statement, of a result.
static ParseResult parseTypeOfOne(OpAsmParser &parser, OpAsmParser::UnresolvedOperand operand, bool hasResult,
                                  OperationState &state) {
  Type type;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(operand, type, state.operands))
    return failure();
  if (hasResult)
    state.addTypes(type);
  return success();
}

/// `sharding_constraint %0 <@mesh, [...]> : type`
static ParseResult parseSharding(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand operand;
  return failure(parser.parseOperand(operand) || parseBrackets(parser, "sharding", state) ||
                 parseTypeOfOne(parser, operand, true, state));
}

/// `sharding_group %0 group_id=3 : type`
static ParseResult parseGroup(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand operand;
  int64_t id;
  if (parser.parseOperand(operand) || parser.parseKeyword("group_id") || parser.parseEqual() || parser.parseInteger(id))
    return failure();
  state.addAttribute("group_id", parser.getBuilder().getI64IntegerAttr(id));
  return parseTypeOfOne(parser, operand, false, state);
}

/// `propagation_barrier %0 allowed_direction=NONE : type`
static ParseResult parseBarrier(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand operand;
  StringRef direction;
  if (parser.parseOperand(operand) || parser.parseKeyword("allowed_direction") || parser.parseEqual() ||
      parser.parseKeyword(&direction))
    return failure();
  state.addAttribute("allowed_direction", parser.getBuilder().getStringAttr(direction));
  return parseTypeOfOne(parser, operand, true, state);
}

/// `manual_computation(%0) in_shardings=[...] out_shardings=[...] manual_axes={...} (%x: type) {...} : types`
static ParseResult parseManual(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parseNamed(parser, "in_shardings", state) ||
      parseNamed(parser, "out_shardings", state) || parseNamed(parser, "manual_axes", state) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc, state.operands);
}

/// `return %0, %1 : types`
static ParseResult parseReturn(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseOperandList(operands))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  return parser.resolveOperands(operands, types, loc, state.operands);
}

static const struct {
  const char *name;
  ParseResult (*parse)(OpAsmParser &parser, OperationState &state);
} forms[] = {
    {"sdy.manual_computation", parseManual}, {"sdy.mesh", parseMesh},     {"sdy.propagation_barrier", parseBarrier},
    {"sdy.reshard", parseSharding},          {"sdy.return", parseReturn}, {"sdy.sharding_constraint", parseSharding},
    {"sdy.sharding_group", parseGroup},
};

bool vhlo_reader::hasShardySyntax(StringRef name) {
  return llvm::any_of(forms, [&](const auto &form) { return name == form.name; });
}

ParseResult vhlo_reader::parseShardy(StringRef name, OpAsmParser &parser, OperationState &state) {
  for (const auto &form : forms)
    if (name == form.name)
      return form.parse(parser, state);
  return failure();
}
