module {}
// RUN: stitch-opt %s | FileCheck %s
// CHECK: module
