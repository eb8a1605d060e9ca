//===- ptx_registers.c - the registers that PTX asks for -----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include "lowering/ptx/ptx_registers.h"

#include <stdlib.h>

/// Measures a kernel with these statements and a bound of 40 registers.
static StitchPTXRegisters measure(const char *statements) {
  static const char head[] =
      ".version 7.8\n.target sm_70\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n"
      ".reqntid 256, 1, 1\n.maxnreg 40\n{\n"
      "\t.reg .pred \t%p<3>;\n\t.reg .b16 \t%rs<9>;\n\t.reg .b32 \t%r<20>;\n\t.reg .b64 \t%rd<9>;\n\n";
  char text[2000];
  int length = snprintf(text, sizeof text, "%s%s}\n", head, statements);
  return stitchMeasurePTXRegisters(&(StitchLLVMCode){text, (size_t)length});
}

/// A load's address takes none, for it is the argument's; the loaded value does until it is stored.
static void testStraight(void) {
  StitchPTXRegisters r = measure("\tld.param.b64 \t%rd1, [k_param_0];\n"
                                 "\tcvta.to.global.u64 \t%rd2, %rd1;\n"
                                 "\tld.global.nc.v4.b32 \t{%r1, %r2, %r3, %r4}, [%rd2+16];\n"
                                 "\tadd.rn.f32 \t%r5, %r1, %r2;\n" // r3 and r4 wait
                                 "\tadd.rn.f32 \t%r6, %r3, %r4;\n"
                                 "\tst.global.v2.b32 \t[%rd2], {%r5, %r6};\n"
                                 "\tret;\n");
  CHECK(r.bound == 40);
  CHECK(r.live == 4);
  CHECK(r.movable == 4);
}

/// Registers of 64 bits are two, of 16 bits one, predicates none; special registers are none of the kernel's.
static void testWidths(void) {
  StitchPTXRegisters r = measure("\tmov.u32 \t%r1, %tid.x;\n"
                                 "\tcvt.u64.u32 \t%rd1, %r1;\n"
                                 "\tcvt.u16.u32 \t%rs1, %r1;\n"
                                 "\tsetp.eq.b32 \t%p1, %r1, 0;\n"
                                 "\tadd.s64 \t%rd2, %rd1, %rd1;\n" // rd1, rd2, rs1
                                 "\tst.global.b64 \t[%rd2], %rd1;\n"
                                 "\tst.global.b16 \t[%rd2], %rs1;\n"
                                 "\tret;\n");
  CHECK(r.live == 5);
  CHECK(r.movable == 0);
}

/// A register that is read in a loop and written before it is live in all of the loop; so is one that is carried around
/// it.
static void testLoop(void) {
  const char *text = "\tmov.b32 \t%r1, 1;\n"
                     "\tmov.b32 \t%r2, 0;\n"
                     "$L__BB0_1:                               // =>This Inner Loop Header: Depth=1\n"
                     "\tld.global.b32 \t%r3, [%rd1+8];\n"
                     "\tadd.s32 \t%r2, %r2, %r3;\n"
                     "\tld.global.v2.b32 \t{%r4, %r5}, [%rd1+16];\n"
                     "\tadd.s32 \t%r6, %r4, %r5;\n"
                     "\tst.global.b32 \t[%rd1], %r6;\n"
                     "\tadd.s32 \t%r2, %r2, %r1;\n"
                     "\tsetp.lt.s32 \t%p1, %r2, 100;\n"
                     "\t@%p1 bra \t$L__BB0_1;\n"
                     "// %bb.2:\n"
                     "\tst.global.b32 \t[%rd1], %r2;\n"
                     "\tret;\n";
  CHECK(measure(text).live == 2 + 1 + 1 + 2); // rd1, r1, r2, and r4 with r5
}

/// Both sides of a branch count, the one that is not taken, too; a result under a condition may be the old value.
static void testBranches(void) {
  const char *text = "\tmov.b32 \t%r1, 1;\n"
                     "\tmov.b32 \t%r2, 2;\n"
                     "\t@%p1 bra \t$L__BB0_2;\n"
                     "\tst.global.b32 \t[%rd1], %r1;\n"
                     "\tbra.uni \t$L__BB0_3;\n"
                     "$L__BB0_2:\n"
                     "\tmov.b32 \t%r3, 7;\n"
                     "\tmov.b32 \t%r4, 7;\n"
                     "\t@%p2 mov.b32 \t%r2, 3;\n"
                     "\tst.global.v2.b32 \t[%rd1], {%r3, %r4};\n"
                     "\tst.global.b32 \t[%rd1], %r2;\n"
                     "$L__BB0_3:\n"
                     "\tret;\n";
  CHECK(measure(text).live == 2 + 3);
}

/// Loads stay behind a barrier, so that those before it do not count with them.
static void testBarrier(void) {
  StitchPTXRegisters r = measure("\tld.global.nc.v4.b32 \t{%r1, %r2, %r3, %r4}, [%rd1];\n"
                                 "\tst.global.v4.b32 \t[%rd2], {%r1, %r2, %r3, %r4};\n"
                                 "\tld.global.nc.b32 \t%r1, [%rd1+16];\n"
                                 "\tbar.sync \t0;\n"
                                 "\tld.global.nc.v2.b32 \t{%r1, %r2}, [%rd1];\n"
                                 "\tld.global.v4.b32 \t{%r3, %r4, %r5, %r6}, [%rd1];\n"
                                 "\tret;\n");
  CHECK(r.movable == 5);
}

/// Inline assembly has registers of its own, comments and scopes.
static void testInline(void) {
  StitchPTXRegisters r = measure("\t// begin inline asm\n"
                                 "\t{ .reg .b32 t; mov.b32 t, %r1; add.u32 %r2, t, %r3; }\n"
                                 "\t// end inline asm\n"
                                 "\tst.global.b32 \t[%rd1], %r2;\n"
                                 "\tret;\n");
  CHECK(r.live == 2 + 2);
}

/// A text that cannot be followed has no registers, and neither has one without a kernel.
static void testUnknown(void) {
  CHECK(measure("\tmov.b32 \t%r1, 1;\n\tbrx.idx \t%r1, table;\n").live == 0);
  CHECK(measure("\tbra \t$L__BB0_9;\n").live == 0);
  CHECK(stitchMeasurePTXRegisters(&(StitchLLVMCode){".version 7.8\n", 13}).live == 0);
}

int main(void) {
  testStraight();
  testWidths();
  testLoop();
  testBranches();
  testBarrier();
  testInline();
  testUnknown();
  return checksFailed > 0;
}
