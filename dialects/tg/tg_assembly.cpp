//===- tg_assembly.cpp - custom directives of the assembly ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tg/tg_assembly.h"

#include <map>
#include <string>

using namespace mlir;
using namespace tg;

void ConstantOp::getAsmResultNames(function_ref<void(Value, StringRef)> setName) { setName(getResult(), "cst"); }

ParseResult tg::parseRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts, DenseI64ArrayAttr &limits,
                            DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() || parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(stride.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return success();
}

void tg::printRanges(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                     DenseI64ArrayAttr strides) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), printer,
                        [&](auto range) {
                          auto [start, limit, stride] = range;
                          printer << start << ":" << limit;
                          if (stride != 1)
                            printer << ":" << stride;
                        });
  printer << "]";
}

ParseResult tg::parseDimensions(OpAsmParser &parser, char firstRole, char secondRole, IntegerAttr &first,
                                IntegerAttr &second, DenseI64ArrayAttr &spatial) {
  constexpr int64_t missing = -1;
  SmallVector<int64_t> roles = {missing, missing};
  std::map<int64_t, int64_t> spatialDims;
  int64_t dim = 0;
  SMLoc start = parser.getCurrentLocation();
  auto parseRole = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t number = 0;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      if (failed(*isNumber))
        return failure();
      if (!spatialDims.emplace(number, dim++).second)
        return parser.emitError(loc) << "spatial dimension " << number << " is there twice";
      return success();
    }
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    bool isFirst = keyword == StringRef(&firstRole, 1);
    if (!isFirst && keyword != StringRef(&secondRole, 1))
      return parser.emitError(loc) << "expected '" << firstRole << "', '" << secondRole << "' or a number";
    int64_t &role = roles[isFirst ? 0 : 1];
    if (role != missing)
      return parser.emitError(loc) << "dimension '" << keyword << "' is there twice";
    role = dim++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRole))
    return failure();
  if (roles[0] == missing || roles[1] == missing)
    return parser.emitError(start) << "expected dimensions '" << firstRole << "' and '" << secondRole << "'";
  SmallVector<int64_t> dims;
  for (auto [number, position] : spatialDims) {
    if (number != static_cast<int64_t>(dims.size()))
      return parser.emitError(start) << "spatial dimensions must be numbered from 0";
    dims.push_back(position);
  }
  first = parser.getBuilder().getI64IntegerAttr(roles[0]);
  second = parser.getBuilder().getI64IntegerAttr(roles[1]);
  spatial = parser.getBuilder().getDenseI64ArrayAttr(dims);
  return success();
}

void tg::printDimensions(OpAsmPrinter &printer, Operation *, char firstRole, char secondRole, IntegerAttr first,
                         IntegerAttr second, DenseI64ArrayAttr spatial) {
  std::map<int64_t, std::string> roles = {{first.getInt(), std::string(1, firstRole)},
                                          {second.getInt(), std::string(1, secondRole)}};
  for (auto [number, dim] : llvm::enumerate(spatial.asArrayRef()))
    roles[dim] = std::to_string(number);
  printer << "[";
  llvm::interleaveComma(roles, printer, [&](const auto &role) { printer << role.second; });
  printer << "]";
}
