//===- tg_control.cpp - control flow -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_verify.h"

using namespace mlir;
using namespace tg;

/// The yield of `region` has exactly the types `expected`.
static LogicalResult verifyYield(Region &region, TypeRange expected) {
  Operation *yield = region.front().getTerminator();
  if (llvm::equal(yield->getOperandTypes(), expected))
    return success();
  return yield->emitOpError("yields (") << yield->getOperandTypes() << ") where (" << expected << ") is expected";
}

static LogicalResult verifyArguments(Operation *op, StringRef name, Region &region, TypeRange expected) {
  if (llvm::equal(region.getArgumentTypes(), expected))
    return success();
  return op->emitOpError(name) << " takes (" << region.getArgumentTypes() << ") where (" << expected << ") is expected";
}

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyArguments(*this, "on_true", getOnTrue(), {})) ||
      failed(verifyArguments(*this, "on_false", getOnFalse(), {})) ||
      failed(verifyYield(getOnTrue(), getResultTypes())))
    return failure();
  return verifyYield(getOnFalse(), getResultTypes());
}

LogicalResult CaseOp::verifyRegions() {
  if (getBranches().empty())
    return emitOpError("has no regions");
  for (Region &branch : getBranches())
    if (failed(verifyArguments(*this, "branch", branch, {})) || failed(verifyYield(branch, getResultTypes())))
      return failure();
  return success();
}

LogicalResult WhileOp::verifyRegions() {
  if (!llvm::equal(getOperandTypes(), getResultTypes()))
    return emitOpError("has results (") << getResultTypes() << ") but 'inits' (" << getOperandTypes() << ")";
  auto predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(verifyArguments(*this, "condition", getCondition(), getOperandTypes())) ||
      failed(verifyArguments(*this, "body", getBody(), getOperandTypes())) ||
      failed(verifyYield(getCondition(), Type(predicate))))
    return failure();
  return verifyYield(getBody(), getResultTypes());
}

/// `(%x = %init, ...) : types [attributes {...}] cond { ... } do { ... }`
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  result.addTypes(types);
  Region *condition = result.addRegion(), *body = result.addRegion();
  if (parser.parseKeyword("cond") || parser.parseRegion(*condition, arguments) || parser.parseKeyword("do") ||
      parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void WhileOp::print(OpAsmPrinter &printer) {
  // Both regions name their arguments alike; the printer knows those of the first.
  Block &condition = getCondition().front();
  printer.shadowRegionArgs(getBody(), condition.getArguments());
  printer << "(";
  llvm::interleaveComma(llvm::zip(condition.getArguments(), getInits()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ")";
  if (!getInits().empty())
    printer << " : " << getInits().getTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " cond ";
  printer.printRegion(getCondition(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &results) {
  llvm::append_range(results, adaptor.getInputs().getTypes());
  return success();
}

void CustomCallOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
