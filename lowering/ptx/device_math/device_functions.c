//===- device_functions.c - math functions for GPUs without a CUDA toolkit ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libdevice's names for the functions of LLVM's libclc, which implements OpenCL's. The build compiles this file to
// bitcode, links the functions of libclc that it calls, and puts that into the compiler (device_math.h, which states
// the errors).
//
//===----------------------------------------------------------------------===//

/// `name` of one argument, which C++ mangles to `mangled` and a letter for the type.
#define UNARY(name, mangled)                                                                                           \
  double clc_##name(double) __asm__("_Z" mangled "d");                                                                 \
  double __nv_##name(double x);                                                                                        \
  double __nv_##name(double x) { return clc_##name(x); }                                                               \
  float clc_##name##f(float) __asm__("_Z" mangled "f");                                                                \
  float __nv_##name##f(float x);                                                                                       \
  float __nv_##name##f(float x) { return clc_##name##f(x); }

#define BINARY(name, mangled)                                                                                          \
  double clc_##name(double, double) __asm__("_Z" mangled "dd");                                                        \
  double __nv_##name(double x, double y);                                                                              \
  double __nv_##name(double x, double y) { return clc_##name(x, y); }                                                  \
  float clc_##name##f(float, float) __asm__("_Z" mangled "ff");                                                        \
  float __nv_##name##f(float x, float y);                                                                              \
  float __nv_##name##f(float x, float y) { return clc_##name##f(x, y); }

UNARY(acos, "4acos")
UNARY(acosh, "5acosh")
UNARY(asin, "4asin")
UNARY(asinh, "5asinh")
UNARY(atan, "4atan")
UNARY(atanh, "5atanh")
UNARY(cbrt, "4cbrt")
UNARY(ceil, "4ceil")
UNARY(cos, "3cos")
UNARY(cosh, "4cosh")
UNARY(erf, "3erf")
UNARY(expm1, "5expm1")
UNARY(fabs, "4fabs")
UNARY(floor, "5floor")
UNARY(log, "3log")
UNARY(log10, "5log10")
UNARY(log1p, "5log1p")
UNARY(log2, "4log2")
UNARY(rint, "4rint")
UNARY(round, "5round")
UNARY(rsqrt, "5rsqrt")
UNARY(sin, "3sin")
UNARY(sinh, "4sinh")
UNARY(sqrt, "4sqrt")
UNARY(tan, "3tan")
UNARY(tanh, "4tanh")

BINARY(atan2, "5atan2")
BINARY(copysign, "8copysign")
BINARY(fmax, "4fmax")
BINARY(fmin, "4fmin")

double clc_pown(double, int) __asm__("_Z4powndi");
double __nv_powi(double x, int n);
double __nv_powi(double x, int n) { return clc_pown(x, n); }
float clc_pownf(float, int) __asm__("_Z4pownfi");
float __nv_powif(float x, int n);
float __nv_powif(float x, int n) { return clc_pownf(x, n); }

// libclc's functions of f32 know no subnormal numbers. Here they are results, or arguments.

double clc_exp(double) __asm__("_Z3expd");
float clc_expf(float) __asm__("_Z3expf");
double __nv_exp(double x);
double __nv_exp(double x) { return clc_exp(x); }
float __nv_expf(float x);
float __nv_expf(float x) {
  return x < -80.0f ? clc_expf(x + 40.0f) * 0x1.397924p-58f : clc_expf(x); // the sum is exact, the factor exp(-40)
}

double clc_exp2(double) __asm__("_Z4exp2d");
float clc_exp2f(float) __asm__("_Z4exp2f");
double __nv_exp2(double x);
double __nv_exp2(double x) { return clc_exp2(x); }
float __nv_exp2f(float x);
float __nv_exp2f(float x) { return x < -120.0f ? clc_exp2f(x + 64.0f) * 0x1p-64f : clc_exp2f(x); }

double clc_erfc(double) __asm__("_Z4erfcd");
float clc_erfcf(float) __asm__("_Z4erfcf");
double __nv_erfc(double x);
double __nv_erfc(double x) { return clc_erfc(x); }
float __nv_erfcf(float x);
float __nv_erfcf(float x) { return x > 9.0f ? (float)clc_erfc((double)x) : clc_erfcf(x); }

double clc_fmod(double, double) __asm__("_Z4fmoddd");
double __nv_fmod(double x, double y);
double __nv_fmod(double x, double y) { return clc_fmod(x, y); }
float __nv_fmodf(float x, float y);
float __nv_fmodf(float x, float y) { return (float)clc_fmod((double)x, (double)y); } // exact in both types

// Powers with larger exponents than these are powers with these: even ones, which give 0, 1 or infinity. libclc's
// arithmetic overflows there.

double clc_pow(double, double) __asm__("_Z3powdd");
float clc_powf(float, float) __asm__("_Z3powff");
double __nv_pow(double x, double y);
double __nv_pow(double x, double y) { return clc_pow(x, y > 0x1p80 ? 0x1p80 : y < -0x1p80 ? -0x1p80 : y); }
float __nv_powf(float x, float y);
float __nv_powf(float x, float y) { return clc_powf(x, y > 0x1p40f ? 0x1p40f : y < -0x1p40f ? -0x1p40f : y); }
