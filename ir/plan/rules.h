//===- rules.h - rules about kernels --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules come from a file and from hints on operations (docs/rules.md). The pass stitch-rules leaves them on the module,
// in the attribute stitch.rules, and all other passes read them here. An operation is known by its location, which
// survives rewriting of the graph: by the names in it, and by the positions in files.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_IR_PLAN_RULES_H
#define STITCH_IR_PLAN_RULES_H

#include "ir/mlir/arena.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#define RULES_ATTRIBUTE "stitch.rules"

typedef enum {
  RULE_TOGETHER, ///< all operations that match are in one kernel
  RULE_APART,    ///< no kernel has an operation of the first pattern and one of the second
  RULE_ALONE,    ///< nothing else is in the kernel of an operation that matches
  RULE_NEVER,    ///< nothing that it reads or that reads it is in its kernel
  RULE_PREFER,   ///< a kernel with operations of all patterns counts `factor` times its time
  RULE_SCHEME,   ///< how the value travels: `value` is local, regional or global
  RULE_TEMPLATE, ///< how it is computed: `value` is a schedule without a name (ir/plan/template.h)
  NUM_RULE_KINDS
} RuleKind;

/// Globs, with * for any text, ? for one character, and \ before one that stands for itself. NULL: anything.
typedef struct {
  const char *name; ///< any of the operation's names
  const char *op;   ///< "tg.add" or "add"
  const char *type; ///< of any result: "8x16xf32"
  const char *at;   ///< of any place in its location: "model.py:12:3", with or without folders, with or without column
} RulePattern;

typedef struct {
  RuleKind kind;
  bool isHint; ///< on an operation of the program, not in a file
  RulePattern *patterns;
  const char **texts; ///< of the patterns, as they are written
  int64_t numPatterns;
  double factor;
  const char *value;
  MlirLocation loc; ///< of the rule
} Rule;

typedef struct {
  IrArena arena;
  Rule *data;
  int64_t count;
} Rules;

/// As they are written: "together".
const char *ruleKindName(RuleKind kind);

/// The kind of that name, or NUM_RULE_KINDS.
RuleKind ruleKindOf(const char *name, size_t length);

/// The rules of the nearest operation around `op`, or of itself, that has some; none if there are none.
Rules rulesOf(MlirOperation op);
void rulesDestroy(Rules *rules);

/// The rules of exactly that module, as attributes; `ruleAttr` makes one, with `value` NULL where it has none.
void rulesSet(MlirOperation module, const MlirAttribute *rules, int64_t count);
MlirAttribute ruleAttr(MlirContext context, RuleKind kind, const char *const *patterns, int64_t numPatterns,
                       const char *value, bool isHint, MlirLocation loc);

/// Reads a file of rules and adds them to `*rules`, which has `*count` of them and which the caller frees. False after
/// located diagnostics, one for each line that is no rule.
bool rulesReadFile(MlirContext context, const char *path, MlirAttribute **rules, int64_t *count);

/// Reads a pattern as it stands in a file; false with a `problem`, which is in the arena, and the offset where it is.
bool rulePatternRead(IrArena *arena, const char *text, RulePattern *pattern, const char **problem, size_t *offset);

/// The pattern of operations with exactly that name, in the arena.
const char *rulePatternOfName(IrArena *arena, MlirStringRef name);

bool ruleMatches(const RulePattern *pattern, MlirOperation op);

/// Whether any pattern of a rule matches.
bool ruleMatchesAny(const Rule *rule, MlirOperation op);

/// Whether a rule names an operation, or one within it that is not free (ruleIsFree).
bool rulesName(const Rules *rules, MlirOperation op);

/// The operations that one operation of the program became have one number: its location, or, where that is unknown,
/// each its own.
const void *ruleUnitOf(MlirOperation op);

/// Whether an operation costs nothing where it is read, so that each kernel has its own: constants, iota, broadcasts,
/// reshapes, and slices of values in memory.
bool ruleIsFree(MlirOperation op);

/// The rule that forbids two operations to be in one kernel, or NULL. For RULE_NEVER it matters whether one reads the
/// other.
const Rule *ruleAgainst(const Rules *rules, MlirOperation a, MlirOperation b, bool isRead);

/// Whether a rule keeps the operation apart from others.
bool rulesSeparate(const Rules *rules, MlirOperation op);

/// Whether rules allow all that is in the bodies of fusions and library calls to be in one of them. An operation that
/// reads another one through free operations counts as reading it.
bool rulesAllow(const MlirOperation *kernels, int64_t count);

/// The factor of a person's preferences on the time of a kernel with these operations.
double rulesFactor(const Rules *rules, const MlirOperation *ops, int64_t count);

#endif // STITCH_IR_PLAN_RULES_H
