//===- host.cpp - a plugin with StableHLO as a compiler registers it -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/ADT/TypeSwitch.h"

#include "host_dialect.h.inc"
#include "host_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "host_attrs.h.inc"
#define GET_OP_CLASSES
#include "host_ops.h.inc"

using namespace mlir;
using namespace stablehlo_host;

#include "host_dialect.cpp.inc"
#include "host_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "host_attrs.cpp.inc"
#define GET_OP_CLASSES
#include "host_ops.cpp.inc"

void Host::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "host_attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "host_ops.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Lists of numbers by name
//===----------------------------------------------------------------------===//

using List = SmallVector<int64_t>;

/// `<name = [0, 1], ..., number = 1>`, any of which may be missing.
static ParseResult parseFields(AsmParser &parser, ArrayRef<StringRef> names, MutableArrayRef<List> lists) {
  if (parser.parseLess())
    return failure();
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  do {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    size_t i = llvm::find(names, name) - names.begin();
    if (i == names.size())
      return parser.emitError(parser.getNameLoc()) << "unknown field " << name;
    auto number = [&] { return parser.parseInteger(lists[i].emplace_back()); };
    if (succeeded(parser.parseOptionalLSquare())) {
      if (failed(parser.parseOptionalRSquare()) && (parser.parseCommaSeparatedList(number) || parser.parseRSquare()))
        return failure();
    } else if (number()) {
      return failure();
    }
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

static void printList(AsmPrinter &printer, const char *&separator, StringRef name, ArrayRef<int64_t> list) {
  printer << separator << name << " = [";
  llvm::interleaveComma(list, printer);
  printer << ']';
  separator = ", ";
}

static void printLists(AsmPrinter &printer, ArrayRef<StringRef> names, ArrayRef<ArrayRef<int64_t>> lists) {
  const char *separator = "<";
  for (auto [name, list] : llvm::zip(names, lists))
    if (!list.empty())
      printList(printer, separator, name, list);
  if (names.size() > lists.size())
    printer << separator << names.back() << " = ";
}

static const StringRef dotFields[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                      "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
static const StringRef gatherFields[] = {"offset_dims",           "collapsed_slice_dims",
                                         "operand_batching_dims", "start_indices_batching_dims",
                                         "start_index_map",       "index_vector_dim"};
static const StringRef scatterFields[] = {"update_window_dims",           "inserted_window_dims",
                                          "input_batching_dims",          "scatter_indices_batching_dims",
                                          "scatter_dims_to_operand_dims", "index_vector_dim"};
static const StringRef aliasFields[] = {"output_tuple_indices", "operand_tuple_indices", "operand_index"};

static int64_t numberOf(const List &list) { return list.empty() ? 0 : list[0]; }

Attribute DotAttr::parse(AsmParser &parser, Type) {
  List l[4];
  return parseFields(parser, dotFields, l) ? nullptr : get(parser.getContext(), l[0], l[1], l[2], l[3]);
}
void DotAttr::print(AsmPrinter &printer) const {
  printLists(printer, dotFields, {getLhsBatch(), getRhsBatch(), getLhsContract(), getRhsContract()});
  printer << '>';
}

Attribute GatherAttr::parse(AsmParser &parser, Type) {
  List l[6];
  return parseFields(parser, gatherFields, l) ? nullptr
                                              : get(parser.getContext(), l[0], l[1], l[2], l[3], l[4], numberOf(l[5]));
}
void GatherAttr::print(AsmPrinter &printer) const {
  printLists(printer, gatherFields,
             {getOffset(), getCollapsed(), getOperandBatching(), getIndicesBatching(), getStartIndexMap()});
  printer << getIndexVectorDim() << '>';
}

Attribute ScatterAttr::parse(AsmParser &parser, Type) {
  List l[6];
  return parseFields(parser, scatterFields, l) ? nullptr
                                               : get(parser.getContext(), l[0], l[1], l[2], l[3], l[4], numberOf(l[5]));
}
void ScatterAttr::print(AsmPrinter &printer) const {
  printLists(printer, scatterFields,
             {getWindow(), getInserted(), getInputBatching(), getIndicesBatching(), getToOperand()});
  printer << getIndexVectorDim() << '>';
}

Attribute AliasAttr::parse(AsmParser &parser, Type) {
  List l[3];
  return parseFields(parser, aliasFields, l) ? nullptr : get(parser.getContext(), l[0], l[1], numberOf(l[2]));
}
void AliasAttr::print(AsmPrinter &printer) const {
  const char *separator = "<";
  printList(printer, separator, aliasFields[0], getOutputs());
  printer << ", operand_index = " << getOperand();
  printList(printer, separator, aliasFields[1], getOperands());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
//===----------------------------------------------------------------------===//

static ParseResult parseNames(AsmParser &parser, std::string &names) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    int64_t number;
    StringRef letter;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value())
      names += std::to_string(number);
    else if (parser.parseKeyword(&letter))
      return failure();
    else
      names += letter;
    return success();
  });
}

Attribute ConvAttr::parse(AsmParser &parser, Type) {
  std::string lhs, rhs, result;
  if (parser.parseLess() || parseNames(parser, lhs) || parser.parseKeyword("x") || parseNames(parser, rhs) ||
      parser.parseArrow() || parseNames(parser, result) || parser.parseGreater())
    return nullptr;
  return get(parser.getContext(), lhs, rhs, result);
}

static void printNames(AsmPrinter &printer, StringRef names) {
  printer << '[';
  llvm::interleaveComma(names, printer, [&](char name) { printer << StringRef(&name, 1); });
  printer << ']';
}

void ConvAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printNames(printer, getLhs());
  printer << 'x';
  printNames(printer, getRhs());
  printer << "->";
  printNames(printer, getResult());
  printer << '>';
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "StableHLOHost", "1", [](DialectRegistry *registry) { registry->insert<Host>(); }};
}
