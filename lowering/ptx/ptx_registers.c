//===- ptx_registers.c - the registers that PTX asks for -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has an unlimited number of registers; ptxas allocates those of the machine and spills the rest. The number of
// live values in the text's order is no exact measure of that, for ptxas moves instructions. But ptxas begins with it,
// and it is known without ptxas. The steps:
//
//   1. Reading of the kernel: of each statement the registers that it reads and writes; basic blocks and branches.
//   2. Liveness between blocks, register by register: from each block that reads it first, backwards to its definition
//      (Brandner, Boissinot et al., "Computing liveness sets for SSA-form programs", by variable).
//   3. Counting, through each block backwards.
//
//===----------------------------------------------------------------------===//

#include "lowering/ptx/ptx_registers.h"

#include "ir/mlir/arena.h"
#include "ir/plan/resources.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_CLASSES = 16, ///< of registers; LLVM declares nine
  MAX_NAME = 8,
};

/// The registers of a declaration `.reg .b32 %r<370>`: their numbers here begin with `first`.
typedef struct {
  char name[MAX_NAME];
  int first, count;
  int words; ///< of 32 bits; predicates are not among the registers
} RegisterClass;

/// A growable list of numbers.
typedef struct {
  int *data;
  int count, capacity;
} RegisterList;

typedef struct {
  int firstRead, firstWritten, end; ///< in Reader.operands: those that are read come first
} Statement;

typedef struct {
  int first, end;     ///< statements
  int next;           ///< the block that control falls into; negative: none
  const char *branch; ///< the label that control may go to instead; NULL: none
  size_t branchLength;
  const char *label; ///< NULL: none
  size_t labelLength;
  RegisterList predecessors;
  RegisterList liveOut; ///< registers
} PtxBlock;

typedef struct {
  StitchPTXRegisters result;
  RegisterClass classes[MAX_CLASSES];
  int numClasses, numRegisters;
  bool *isArgument; ///< by register: a parameter, or its address
  RegisterList operands;
  Statement *statements;
  int numStatements, statementCapacity;
  PtxBlock *blocks;
  int numBlocks, blockCapacity;
  int64_t loaded; ///< by movable loads since the last barrier
  bool failed;    ///< something cannot be followed
} PtxReader;

static void appendNumber(RegisterList *numbers, int number) {
  IR_RESERVE_ONE(numbers->data, numbers->count, numbers->capacity);
  numbers->data[numbers->count++] = number;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static bool startsWith(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static const char *skipSpace(const char *text) { return text + strspn(text, " \t\n"); }

static bool isNameCharacter(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static size_t nameLength(const char *text) {
  size_t length = 0;
  while (isNameCharacter(text[length]))
    ++length;
  return length;
}

/// Skips white space, comments and the braces of scopes.
static const char *skipToStatement(const char *text) {
  for (;;) {
    text = skipSpace(text);
    if (startsWith(text, "//"))
      text += strcspn(text, "\n");
    else if (*text == '{' || *text == '}')
      ++text;
    else
      return text;
  }
}

/// `.reg .b32 %r<370>`, from the type on.
static void readDeclaration(PtxReader *r, const char *text) {
  text = skipSpace(text);
  bool isPredicate = startsWith(text, ".pred");
  int bits = isPredicate ? 0 : atoi(text + strcspn(text, "0123456789;"));
  const char *name = text + strcspn(text, "%;");
  size_t length = strcspn(name, "<;");
  if (*name != '%' || name[length] != '<' || length > MAX_NAME || r->numClasses == MAX_CLASSES)
    return; // a register of inline assembly
  RegisterClass *class = &r->classes[r->numClasses++];
  memcpy(class->name, name + 1, length - 1);
  class->name[length - 1] = '\0';
  class->first = r->numRegisters;
  class->count = atoi(name + length + 1);
  class->words = (bits + 31) / 32;
  r->numRegisters += class->count;
}

/// The class of the register `%name12` after the percent sign, and its number there; NULL: another register.
static const RegisterClass *findRegister(const PtxReader *r, const char *name, int *number) {
  size_t letters = 0;
  while (isalpha((unsigned char)name[letters]))
    ++letters;
  for (int i = 0; i < r->numClasses; ++i) {
    const RegisterClass *class = &r->classes[i];
    if (strlen(class->name) != letters || memcmp(class->name, name, letters) != 0 ||
        !isdigit((unsigned char)name[letters]))
      continue;
    *number = class->first + atoi(name + letters);
    return *number < class->first + class->count ? class : NULL;
  }
  return NULL;
}

static int registerWords(const PtxReader *r, int number) {
  for (int i = 0; i < r->numClasses; ++i)
    if (number < r->classes[i].first + r->classes[i].count)
      return r->classes[i].words;
  return 0;
}

/// Appends the registers of a piece of text; returns their words.
static int readOperands(PtxReader *r, const char *text, const char *end) {
  int words = 0, number;
  for (; text < end; ++text) {
    const RegisterClass *class = *text == '%' ? findRegister(r, text + 1, &number) : NULL;
    if (!class || class->words == 0)
      continue;
    appendNumber(&r->operands, number);
    words += class->words;
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Statements and blocks
//===----------------------------------------------------------------------===//

static PtxBlock *beginBlock(PtxReader *r) {
  IR_RESERVE_ONE(r->blocks, r->numBlocks, r->blockCapacity);
  PtxBlock *block = &r->blocks[r->numBlocks++];
  *block = (PtxBlock){.first = r->numStatements, .end = r->numStatements, .next = r->numBlocks};
  return block;
}

static PtxBlock *currentBlock(PtxReader *r) { return &r->blocks[r->numBlocks - 1]; }

static void readLabel(PtxReader *r, const char *text, size_t length) {
  PtxBlock *block = beginBlock(r);
  block->label = text;
  block->labelLength = length;
}

/// Instructions without a result.
static bool hasNoResult(const char *opcode) {
  static const char *const names[] = {"st.",   "bra",      "ret", "exit",     "bar",       "red.", "membar",
                                      "fence", "mbarrier", "cp.", "prefetch", "nanosleep", "trap", "call"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (startsWith(opcode, names[i]))
      return true;
  return false;
}

static bool isBarrier(const char *opcode) { return startsWith(opcode, "bar"); }

/// The end of the first operand: a vector in braces, or the text before the first comma.
static const char *endOfOperand(const char *text, const char *end) {
  const char *close = *text == '{' ? memchr(text, '}', (size_t)(end - text)) : NULL;
  const char *comma = memchr(close ? close : text, ',', (size_t)(end - (close ? close : text)));
  return comma ? comma : end;
}

/// A branch, or the end of the kernel, which also ends the block.
static void endBlock(PtxReader *r, const char *opcode, const char *operands, bool isConditional) {
  PtxBlock *block = currentBlock(r);
  if (startsWith(opcode, "bra")) {
    block->branch = operands;
    block->branchLength = nameLength(operands);
  }
  if (!isConditional)
    block->next = -1;
  beginBlock(r);
}

/// The parameters, and addresses made of nothing else, are in constant memory.
static void findArgument(PtxReader *r, const char *opcode, const Statement *s) {
  bool isArgument = startsWith(opcode, "ld.param");
  if (startsWith(opcode, "cvta.to.global"))
    isArgument = s->firstWritten == s->firstRead + 1 && r->isArgument[r->operands.data[s->firstRead]];
  for (int i = s->firstWritten; i < s->end && isArgument; ++i)
    r->isArgument[r->operands.data[i]] = true;
}

/// A barrier keeps the loads behind it there. Loads of memory that is not written meanwhile may otherwise go anywhere.
static void countMovable(PtxReader *r, const char *opcode, int words) {
  if (isBarrier(opcode))
    r->loaded = 0;
  if (startsWith(opcode, "ld.global.nc"))
    r->loaded += words;
  if (r->loaded > r->result.movable)
    r->result.movable = r->loaded;
}

static void readInstruction(PtxReader *r, const char *text, const char *end) {
  bool isConditional = *text == '@';
  if (isConditional)
    text = skipSpace(text + strcspn(text, " \t"));
  const char *opcode = text, *operands = skipSpace(text + strcspn(text, " \t;"));
  r->failed |= startsWith(opcode, "brx");
  Statement s = {.firstRead = r->operands.count};
  const char *sources = hasNoResult(opcode) ? operands : endOfOperand(operands, end);
  readOperands(r, sources, end);
  if (isConditional) // which may leave the result as it was
    readOperands(r, operands, sources);
  s.firstWritten = r->operands.count;
  int words = readOperands(r, operands, sources);
  s.end = r->operands.count;
  findArgument(r, opcode, &s);
  countMovable(r, opcode, words);
  IR_RESERVE_ONE(r->statements, r->numStatements, r->statementCapacity);
  r->statements[r->numStatements++] = s;
  currentBlock(r)->end = r->numStatements;
  if (startsWith(opcode, "bra") || startsWith(opcode, "ret") || startsWith(opcode, "exit"))
    endBlock(r, opcode, operands, isConditional);
}

static void readBody(PtxReader *r, const char *text, const char *endOfBody) {
  beginBlock(r);
  for (text = skipToStatement(text); text < endOfBody && !r->failed; text = skipToStatement(text)) {
    size_t length = nameLength(text);
    if (length > 0 && text[length] == ':') {
      readLabel(r, text, length);
      text += length + 1;
      continue;
    }
    const char *end = text + strcspn(text, ";");
    if (startsWith(text, ".reg")) {
      readDeclaration(r, text + strlen(".reg"));
      r->isArgument = irReallocate(r->isArgument, (size_t)r->numRegisters + 1);
      memset(r->isArgument, 0, (size_t)r->numRegisters + 1);
    } else if (*text != '.') {
      readInstruction(r, text, end);
    }
    text = *end ? end + 1 : end;
  }
}

//===----------------------------------------------------------------------===//
// Liveness
//===----------------------------------------------------------------------===//

static int findBlock(const PtxReader *r, const char *label, size_t length) {
  for (int i = 0; i < r->numBlocks; ++i)
    if (r->blocks[i].labelLength == length && memcmp(r->blocks[i].label, label, length) == 0)
      return i;
  return -1;
}

static void findPredecessors(PtxReader *r) {
  for (int i = 0; i < r->numBlocks; ++i) {
    const PtxBlock *block = &r->blocks[i];
    int target = block->branch ? findBlock(r, block->branch, block->branchLength) : -1;
    r->failed |= block->branch && target < 0;
    if (target >= 0)
      appendNumber(&r->blocks[target].predecessors, i);
    if (block->next >= 0 && block->next < r->numBlocks)
      appendNumber(&r->blocks[block->next].predecessors, i);
  }
}

/// For each register blocks, those of register `n` from first[n] on.
typedef struct {
  int *first;
  RegisterList blocks;
} BlocksOf;

/// The (register, block) pairs, as they were found block by block, ordered by register.
static BlocksOf orderByRegister(const PtxReader *r, const RegisterList *registers, const RegisterList *blocks) {
  BlocksOf result = {.first = irAllocateZeroed((size_t)r->numRegisters + 2, sizeof(int))};
  result.blocks.data = irAllocate(sizeof(int) * (size_t)(blocks->count + 1));
  result.blocks.count = blocks->count;
  for (int i = 0; i < registers->count; ++i)
    ++result.first[registers->data[i] + 2];
  for (int n = 0; n < r->numRegisters; ++n)
    result.first[n + 2] += result.first[n + 1];
  for (int i = 0; i < registers->count; ++i)
    result.blocks.data[result.first[registers->data[i] + 1]++] = blocks->data[i];
  return result;
}

static void blocksDestroy(BlocksOf *b) {
  free(b->first);
  free(b->blocks.data);
}

/// The blocks that read a register before they write it, and those that write it.
static void findAccesses(const PtxReader *r, BlocksOf *readers, BlocksOf *writers) {
  RegisterList read = {0}, readIn = {0}, written = {0}, writtenIn = {0};
  int *lastRead = irAllocateZeroed((size_t)r->numRegisters + 1, sizeof(int)); // 1 + block
  int *lastWritten = irAllocateZeroed((size_t)r->numRegisters + 1, sizeof(int));
  for (int b = 0; b < r->numBlocks; ++b)
    for (int i = r->blocks[b].first; i < r->blocks[b].end; ++i) {
      const Statement *s = &r->statements[i];
      for (int j = s->firstRead; j < s->end; ++j) {
        int number = r->operands.data[j];
        bool writes = j >= s->firstWritten;
        int *last = writes ? lastWritten : lastRead;
        if (last[number] == b + 1 || lastWritten[number] == b + 1)
          continue;
        last[number] = b + 1;
        appendNumber(writes ? &written : &read, number);
        appendNumber(writes ? &writtenIn : &readIn, b);
      }
    }
  *readers = orderByRegister(r, &read, &readIn);
  *writers = orderByRegister(r, &written, &writtenIn);
  free(lastRead);
  free(lastWritten);
  free(read.data);
  free(readIn.data);
  free(written.data);
  free(writtenIn.data);
}

/// Finds the registers that are live at the end of each block.
static void findLiveOut(PtxReader *r) {
  BlocksOf readers, writers;
  findAccesses(r, &readers, &writers);
  int *liveIn = irAllocateZeroed((size_t)r->numBlocks + 1, sizeof(int)); // 1 + register: the last one that was seen
  int *liveOut = irAllocateZeroed((size_t)r->numBlocks + 1, sizeof(int));
  RegisterList pending = {0};
  for (int n = 0; n < r->numRegisters; ++n) {
    for (int i = writers.first[n]; i < writers.first[n + 1]; ++i)
      liveIn[writers.blocks.data[i]] = n + 1; // the way back ends there
    for (int i = readers.first[n]; i < readers.first[n + 1]; ++i)
      appendNumber(&pending, readers.blocks.data[i]);
    while (pending.count > 0) {
      const PtxBlock *block = &r->blocks[pending.data[--pending.count]];
      for (int i = 0; i < block->predecessors.count; ++i) {
        int before = block->predecessors.data[i];
        if (liveOut[before] == n + 1)
          continue;
        liveOut[before] = n + 1;
        appendNumber(&r->blocks[before].liveOut, n);
        if (liveIn[before] == n + 1)
          continue;
        liveIn[before] = n + 1;
        appendNumber(&pending, before);
      }
    }
  }
  free(pending.data);
  free(liveIn);
  free(liveOut);
  blocksDestroy(&readers);
  blocksDestroy(&writers);
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

typedef struct {
  const PtxReader *reader;
  bool *isLive;
  int64_t words;
} Live;

static void setLive(Live *live, int number, bool isLive) {
  if (live->isLive[number] == isLive || live->reader->isArgument[number])
    return;
  live->isLive[number] = isLive;
  int words = registerWords(live->reader, number);
  live->words += isLive ? words : -words;
}

static void setAllLive(Live *live, int first, int end, bool isLive) {
  for (int i = first; i < end; ++i)
    setLive(live, live->reader->operands.data[i], isLive);
}

/// The most that is live in a block. Leaves nothing live.
static int64_t mostLive(Live *live, const PtxBlock *block) {
  for (int i = 0; i < block->liveOut.count; ++i)
    setLive(live, block->liveOut.data[i], true);
  int64_t most = live->words;
  for (int i = block->end - 1; i >= block->first; --i) {
    const Statement *s = &live->reader->statements[i];
    setAllLive(live, s->firstWritten, s->end, true);
    most = live->words > most ? live->words : most;
    setAllLive(live, s->firstWritten, s->end, false);
    setAllLive(live, s->firstRead, s->firstWritten, true);
  }
  most = live->words > most ? live->words : most;
  for (int i = block->first; i < block->end; ++i)
    setAllLive(live, live->reader->statements[i].firstRead, live->reader->statements[i].end, false);
  for (int i = 0; i < block->liveOut.count; ++i)
    setLive(live, block->liveOut.data[i], false);
  return most;
}

static void countLive(PtxReader *r) {
  Live live = {.reader = r, .isLive = irAllocateZeroed((size_t)r->numRegisters + 1, sizeof(bool))};
  for (int i = 0; i < r->numBlocks; ++i) {
    int64_t most = mostLive(&live, &r->blocks[i]);
    r->result.live = most > r->result.live ? most : r->result.live;
  }
  free(live.isLive);
}

static void readerDestroy(PtxReader *r) {
  for (int i = 0; i < r->numBlocks; ++i) {
    free(r->blocks[i].predecessors.data);
    free(r->blocks[i].liveOut.data);
  }
  free(r->blocks);
  free(r->statements);
  free(r->operands.data);
  free(r->isArgument);
}

StitchPTXRegisters stitchMeasurePTXRegisters(const StitchLLVMCode *ptx) {
  PtxReader r = {.result.bound = PLAN_MOST_REGISTERS};
  const char *entry = strstr(ptx->data, ".entry ");
  const char *body = entry ? strchr(entry, '{') : NULL;
  const char *end = body ? strstr(body, "\n}") : NULL;
  if (!end)
    return r.result;
  const char *bound = strstr(entry, ".maxnreg ");
  if (bound && bound < body)
    r.result.bound = atoi(bound + strlen(".maxnreg "));
  readBody(&r, body, end);
  if (!r.failed)
    findPredecessors(&r);
  if (!r.failed) {
    findLiveOut(&r);
    countLive(&r);
  }
  readerDestroy(&r);
  return r.result;
}
