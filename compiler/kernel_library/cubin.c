//===- cubin.c - registers and spills in a cubin --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cubin is an ELF file. Its section ".nv.info" is a list of records, of which those with the attribute 0x2f have the
// registers of a thread (as cuobjdump prints them: EIATTR_REGCOUNT).
//
//===----------------------------------------------------------------------===//

#include "compiler/kernel_library/library_emit.h"

#include <elf.h>
#include <string.h>

/// A part of the file; NULL if it is not in it.
static const char *partAt(const LibraryImage *cubin, uint64_t offset, uint64_t size) {
  return offset <= cubin->size && size <= cubin->size - offset ? cubin->data + offset : NULL;
}

static bool readSection(const LibraryImage *cubin, const Elf64_Ehdr *header, uint64_t index, Elf64_Shdr *section) {
  const char *data =
      index < header->e_shnum ? partAt(cubin, header->e_shoff + index * sizeof(*section), sizeof(*section)) : NULL;
  if (data)
    memcpy(section, data, sizeof(*section));
  return data != NULL;
}

/// Whether a table of texts has `text` at an offset.
static bool isText(const LibraryImage *cubin, const Elf64_Shdr *table, uint64_t offset, const char *text) {
  uint64_t size = strlen(text) + 1;
  const char *data = offset + size <= table->sh_size ? partAt(cubin, table->sh_offset + offset, size) : NULL;
  return data && memcmp(data, text, size) == 0;
}

/// Whether symbol `index` has a name. `info` is the section that is linked with the table of symbols, that with texts.
static bool isSymbol(const LibraryImage *cubin, const Elf64_Ehdr *header, const Elf64_Shdr *info, uint32_t index,
                     const char *name) {
  Elf64_Shdr symbols, texts;
  Elf64_Sym symbol;
  if (!readSection(cubin, header, info->sh_link, &symbols) || !readSection(cubin, header, symbols.sh_link, &texts))
    return false;
  const char *data = partAt(cubin, symbols.sh_offset + (uint64_t)index * sizeof(symbol), sizeof(symbol));
  if (!data)
    return false;
  memcpy(&symbol, data, sizeof(symbol));
  return isText(cubin, &texts, symbol.st_name, name);
}

/// The records of a section: a byte each of format and attribute, two of a value or, in format 4, of a size.
static int64_t registersIn(const LibraryImage *cubin, const Elf64_Ehdr *header, const Elf64_Shdr *info,
                           const char *kernel) {
  enum { SIZED = 4, REGISTERS = 0x2f };
  struct {
    uint8_t format, attribute;
    uint16_t size;
    uint32_t symbol, count;
  } record;
  uint64_t at = 0, headBytes = 4;
  while (at + headBytes <= info->sh_size) {
    const char *data = partAt(cubin, info->sh_offset + at, headBytes);
    if (!data)
      return -1;
    memcpy(&record, data, headBytes);
    const char *rest = record.format == SIZED && record.attribute == REGISTERS && record.size == 8
                           ? partAt(cubin, info->sh_offset + at, sizeof(record))
                           : NULL;
    if (rest)
      memcpy(&record, rest, sizeof(record));
    if (rest && isSymbol(cubin, header, info, record.symbol, kernel))
      return record.count;
    at += headBytes + (record.format == SIZED ? record.size : 0);
  }
  return -1;
}

int64_t libraryRegisters(const LibraryImage *cubin, const char *kernel) {
  Elf64_Ehdr header;
  Elf64_Shdr names, section;
  const char *data = partAt(cubin, 0, sizeof(header));
  if (!data || memcmp(data, ELFMAG, SELFMAG) != 0)
    return -1;
  memcpy(&header, data, sizeof(header));
  if (!readSection(cubin, &header, header.e_shstrndx, &names))
    return -1;
  for (uint64_t i = 0; i < header.e_shnum; ++i)
    if (readSection(cubin, &header, i, &section) && isText(cubin, &names, section.sh_name, ".nv.info"))
      return registersIn(cubin, &header, &section, kernel);
  return -1;
}
