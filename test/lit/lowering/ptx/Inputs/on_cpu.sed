# Turns LLVM IR for NVIDIA GPUs into IR for this machine: conversions to integers saturate there.
/^target /d
s/ addrspace(4)//g
s/"target-[a-z]*"="[^"]*"//g
s/= fpto\([su]\)i float \(%[^ ]*\) to i\([0-9]*\)/= call i\3 @llvm.fpto\1i.sat.i\3.f32(float \2)/
s/= fpto\([su]\)i double \(%[^ ]*\) to i\([0-9]*\)/= call i\3 @llvm.fpto\1i.sat.i\3.f64(double \2)/
$a declare i32 @llvm.fptosi.sat.i32.f32(float)
$a declare i32 @llvm.fptosi.sat.i32.f64(double)
$a declare i64 @llvm.fptosi.sat.i64.f32(float)
$a declare i64 @llvm.fptosi.sat.i64.f64(double)
$a declare i32 @llvm.fptoui.sat.i32.f32(float)
$a declare i32 @llvm.fptoui.sat.i32.f64(double)
$a declare i64 @llvm.fptoui.sat.i64.f32(float)
$a declare i64 @llvm.fptoui.sat.i64.f64(double)
