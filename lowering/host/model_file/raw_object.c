//===- raw_object.c - an object file of bytes ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes pieces of bytes with symbols. Leaves an ELF relocatable for x86-64 that defines the symbols, and is linked next
// to LLVM's object file.
//
//===----------------------------------------------------------------------===//

#include "lowering/host/model_file/raw_object.h"

#include "ir/mlir/arena.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHF_X86_64_LARGE // of the System V ABI for x86-64
#define SHF_X86_64_LARGE 0x10000000
#endif

enum { PART_ALIGNMENT = 256 };
enum { NO_SECTION, BYTES, SYMBOLS, NAMES, SECTION_NAMES, STACK, NUM_SECTIONS };

static const char sectionNames[] = "\0" RAW_OBJECT_SECTION "\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack";

static int64_t alignedTo16(int64_t offset) { return (offset + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT; }

int64_t rawObjectAdd(RawObject *object, const char *bytes, int64_t size) {
  RawPart part = {bytes, alignedTo16(object->size), size};
  IR_RESERVE_ONE(object->parts, object->numParts, object->partCapacity);
  object->parts[object->numParts++] = part;
  object->size = part.offset + size;
  return part.offset;
}

void rawObjectDefine(RawObject *object, const char *name, size_t length, int64_t offset) {
  RawSymbol symbol = {irAllocateZeroed(length + 1, 1), offset};
  memcpy(symbol.name, name, length);
  IR_RESERVE_ONE(object->symbols, object->numSymbols, object->symbolCapacity);
  object->symbols[object->numSymbols++] = symbol;
}

void rawObjectDestroy(RawObject *object) {
  for (intptr_t i = 0; i < object->numSymbols; ++i)
    free(object->symbols[i].name);
  free(object->symbols);
  free(object->parts);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Writes zeros up to an offset.
static void fillTo(FILE *file, int64_t *at, int64_t offset) {
  for (; *at < offset; ++*at)
    putc(0, file);
}

static void writeBytes(FILE *file, int64_t *at, const void *bytes, int64_t size) {
  fwrite(bytes, 1, (size_t)size, file);
  *at += size;
}

static void writeSymbols(const RawObject *object, FILE *file, int64_t *at) {
  Elf64_Word name = 1;
  writeBytes(file, at, &(Elf64_Sym){0}, sizeof(Elf64_Sym));
  for (intptr_t i = 0; i < object->numSymbols; ++i) {
    Elf64_Sym symbol = {.st_name = name,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                        .st_other = STV_HIDDEN,
                        .st_shndx = BYTES,
                        .st_value = (Elf64_Addr)object->symbols[i].offset};
    writeBytes(file, at, &symbol, sizeof(symbol));
    name += (Elf64_Word)strlen(object->symbols[i].name) + 1;
  }
}

static void writeNames(const RawObject *object, FILE *file, int64_t *at) {
  fillTo(file, at, *at + 1);
  for (intptr_t i = 0; i < object->numSymbols; ++i)
    writeBytes(file, at, object->symbols[i].name, (int64_t)strlen(object->symbols[i].name) + 1);
}

static void nameSections(Elf64_Shdr *sections) {
  const char *name = sectionNames;
  for (int i = 0; i < NUM_SECTIONS; ++i, name += strlen(name) + 1)
    sections[i].sh_name = (Elf64_Word)(name - sectionNames);
}

/// The ELF flags of the section with the bytes.
static Elf64_Xword bytesFlags(const Elf64_Ehdr *header) {
  return header->e_machine == EM_X86_64 ? SHF_ALLOC | SHF_X86_64_LARGE : SHF_ALLOC;
}

/// Sets the offsets of the sections; returns the offset of their headers.
static int64_t layOut(const RawObject *object, const Elf64_Ehdr *header, Elf64_Shdr *sections) {
  int64_t namesSize = 1;
  for (intptr_t i = 0; i < object->numSymbols; ++i)
    namesSize += (int64_t)strlen(object->symbols[i].name) + 1;
  int64_t sizes[NUM_SECTIONS] = {0,         object->size,         (object->numSymbols + 1) * (int64_t)sizeof(Elf64_Sym),
                                 namesSize, sizeof(sectionNames), 0};
  static const Elf64_Word types[NUM_SECTIONS] = {SHT_NULL,   SHT_PROGBITS, SHT_SYMTAB,
                                                 SHT_STRTAB, SHT_STRTAB,   SHT_PROGBITS};
  int64_t at = alignedTo16(sizeof(Elf64_Ehdr));
  nameSections(sections);
  for (int i = BYTES; i < NUM_SECTIONS; ++i) {
    sections[i].sh_type = types[i];
    sections[i].sh_offset = (Elf64_Off)at;
    sections[i].sh_size = (Elf64_Xword)sizes[i];
    sections[i].sh_addralign = i == BYTES ? PART_ALIGNMENT : i == SYMBOLS ? sizeof(Elf64_Xword) : 1;
    at = alignedTo16(at + sizes[i]);
  }
  sections[BYTES].sh_flags = bytesFlags(header);
  sections[SYMBOLS].sh_link = NAMES;
  sections[SYMBOLS].sh_info = 1; // the first that is not local
  sections[SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
  return at;
}

static void writeFile(const RawObject *object, Elf64_Ehdr header, FILE *file) {
  Elf64_Shdr sections[NUM_SECTIONS] = {0};
  int64_t at = 0, headers = layOut(object, &header, sections);
  header.e_type = ET_REL;
  header.e_shoff = (Elf64_Off)headers;
  header.e_shnum = NUM_SECTIONS;
  header.e_shstrndx = SECTION_NAMES;
  writeBytes(file, &at, &header, sizeof(header));
  for (intptr_t i = 0; i < object->numParts; ++i) {
    fillTo(file, &at, (int64_t)sections[BYTES].sh_offset + object->parts[i].offset);
    writeBytes(file, &at, object->parts[i].bytes, object->parts[i].size);
  }
  fillTo(file, &at, (int64_t)sections[SYMBOLS].sh_offset);
  writeSymbols(object, file, &at);
  fillTo(file, &at, (int64_t)sections[NAMES].sh_offset);
  writeNames(object, file, &at);
  fillTo(file, &at, (int64_t)sections[SECTION_NAMES].sh_offset);
  writeBytes(file, &at, sectionNames, sizeof(sectionNames));
  fillTo(file, &at, headers);
  writeBytes(file, &at, sections, sizeof(sections));
}

int rawObjectWrite(const RawObject *object, const void *like, const char *path) {
  Elf64_Ehdr other, header = {.e_version = EV_CURRENT, .e_ehsize = sizeof(header), .e_shentsize = sizeof(Elf64_Shdr)};
  memcpy(&other, like, sizeof(other));
  memcpy(header.e_ident, other.e_ident, sizeof(header.e_ident));
  header.e_machine = other.e_machine;
  header.e_flags = other.e_flags;
  FILE *file = fopen(path, "wb");
  if (!file)
    return errno;
  writeFile(object, header, file);
  int error = fflush(file) || ferror(file) ? errno : 0;
  return fclose(file) && !error ? errno : error;
}
