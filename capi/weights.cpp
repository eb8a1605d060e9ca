//===- weights.cpp - large constants in a module's text ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/weights.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

/// No text that has this somewhere is shortened: its resources might have the names that are made here.
static constexpr StringLiteral keyPrefix = "stitch_weight_";

static constexpr StringLiteral opening = "dense<\"0x";

/// The openings of constants: places where a resource is read as well as elements (import-resources).
static constexpr StringLiteral constants[] = {
    "stablehlo.constant ", "\"stablehlo.constant\"() <{value = ", "\"stablehlo.constant\"() {value = "};

/// Of blobs: suits all elements.
static constexpr size_t alignment = 64;

/// Bytes of an element whose digits are as it lies in memory; 0: another one.
static uint64_t elementBytes(StringRef type) {
  for (StringRef name : {"f64", "i64"})
    if (type == name)
      return 8;
  for (StringRef name : {"f32", "i32"})
    if (type == name)
      return 4;
  for (StringRef name : {"f16", "bf16", "i16"})
    if (type == name)
      return 2;
  return type == "i8";
}

/// The bytes of the type in " : tensor<4x3xf32>"; 0 if it is not so, or they are too many to count.
static uint64_t bytesOf(StringRef text) {
  if (!text.consume_front(">"))
    return 0;
  text = text.ltrim(" ");
  if (!text.consume_front(":"))
    return 0;
  text = text.ltrim(" ");
  if (!text.consume_front("tensor<"))
    return 0;
  StringRef shape = text.take_until([](char c) { return c == '>' || c == ',' || c == ' ' || c == '\n'; });
  uint64_t bytes = 1, dimension = 0;
  while (!shape.empty() && isDigit(shape.front())) {
    if (shape.consumeInteger(10, dimension) || !shape.consume_front("x") ||
        __builtin_mul_overflow(bytes, dimension, &bytes))
      return 0;
  }
  return __builtin_mul_overflow(bytes, elementBytes(shape), &bytes) ? 0 : bytes;
}

static std::shared_ptr<char> ownerOf(const StitchFile &file) {
  return std::shared_ptr<char>(file.data, [file](char *) { stitchReleaseFile(file); });
}

/// The value of each character as a digit, 16 if it is none.
static std::array<uint8_t, 256> digitValues() {
  std::array<uint8_t, 256> values;
  values.fill(16);
  for (unsigned c = 0; c < 256; ++c)
    if (unsigned value = hexDigitValue(char(c)); value < 16)
      values[c] = uint8_t(value);
  return values;
}

static bool isConstant(StringRef before) {
  return any_of(constants, [&](StringRef constant) { return before.ends_with(constant); });
}

/// So much of a file is in memory at a time.
static constexpr size_t pieceSize = size_t(1) << 20;

TextWithoutWeights::TextWithoutWeights(StitchFile file, uint64_t minBytes)
    : data(ownerOf(file)), size(file.size), isMapped(file.isMapped), minBytes(minBytes) {
  StringRef whole(data.get(), size);
  size_t at = size < 2 * minBytes ? StringRef::npos : whole.find(opening);
  while (at != StringRef::npos) {
    size_t digits = at + opening.size(), quote = findQuote(digits);
    if (isConstant(whole.slice(copied, at)))
      take(at, digits, quote);
    at = whole.find(opening, quote);
  }
  if (weights.empty())
    return;
  appendUpTo(size);
  if (hasConflict)
    weights.clear();
}

MutableArrayRef<char> TextWithoutWeights::text() {
  return weights.empty() ? MutableArrayRef<char>(data.get(), size)
                         : MutableArrayRef<char>(shortened.data(), shortened.size());
}

size_t TextWithoutWeights::findQuote(size_t at) const {
  for (size_t end; at < size; at = end) {
    end = std::min(size, at + pieceSize);
    if (const void *quote = memchr(data.get() + at, '"', end - at))
      return size_t(static_cast<const char *>(quote) - data.get());
    giveBack(at, end);
  }
  return size;
}

void TextWithoutWeights::giveBack(size_t begin, size_t end) const {
  size_t page = size_t(sysconf(_SC_PAGESIZE)), first = (begin + page - 1) / page * page, last = end / page * page;
  if (isMapped && first < last)
    madvise(data.get() + first, last - first, MADV_DONTNEED);
}

bool TextWithoutWeights::decode(size_t digits, MutableArrayRef<char> bytes) const {
  static const std::array<uint8_t, 256> values = digitValues();
  for (size_t first = 0; first < bytes.size(); first += pieceSize / 2) {
    size_t last = std::min(bytes.size(), first + pieceSize / 2);
    const char *pair = data.get() + digits + 2 * first;
    uint8_t all = 0;
    for (size_t i = first; i < last; ++i, pair += 2) {
      uint8_t high = values[uint8_t(pair[0])], low = values[uint8_t(pair[1])];
      all |= high | low;
      bytes[i] = char(high << 4 | low);
    }
    if (all > 15)
      return false;
    giveBack(digits + 2 * first, digits + 2 * last);
  }
  return true;
}

void TextWithoutWeights::appendUpTo(size_t end) {
  StringRef piece(data.get() + copied, end - copied);
  hasConflict |= piece.contains(keyPrefix);
  shortened += piece;
}

const TextWithoutWeights::Weight &TextWithoutWeights::add(mlir::AsmResourceBlob elements) {
  static std::atomic<uint64_t> next{0};
  for (const Weight &other : weights)
    if (other.elements.getData() == elements.getData())
      return other;
  weights.push_back({keyPrefix.str() + std::to_string(next++), std::move(elements)});
  return weights.back();
}

void TextWithoutWeights::take(size_t constant, size_t digits, size_t quote) {
  uint64_t count = (quote - digits) / 2;
  if (count < minBytes || (quote - digits) % 2 != 0 || bytesOf(StringRef(data.get(), size).substr(quote + 1)) != count)
    return;
  mlir::AsmResourceBlob elements = mlir::HeapAsmResourceBlob::allocate(count, alignment, /*dataIsMutable=*/true);
  if (!decode(digits, elements.getMutableData()))
    return;
  appendUpTo(constant);
  copied = quote + 2; // behind the bracket
  shortened += "dense_resource<" + add(std::move(elements)).key + ">";
}

void TextWithoutWeights::addResources(mlir::MLIRContext *context) {
  auto &manager = mlir::DenseResourceElementsHandle::getManagerInterface(context).getBlobManager();
  for (Weight &weight : weights)
    if (manager.lookup(weight.key)) // the parser has come so far
      manager.update(weight.key, std::move(weight.elements));
}
