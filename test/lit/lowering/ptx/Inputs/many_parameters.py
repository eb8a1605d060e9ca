# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: many_parameters.py COUNT    a kernel with so many buffers for parameters, and an index before the last"""
import sys

buffers = [f"%a{i}: memref<64xf32>" for i in range(int(sys.argv[1]))]
buffers.insert(len(buffers) - 1, "%n: index")
print(f"""gpu.module @kernels {{
  gpu.func @kernel({", ".join(buffers)}) kernel {{
    %x = memref.load %a0[%n] : memref<64xf32>
    memref.store %x, %a1[%n] : memref<64xf32>
    gpu.return
  }}
}}""")
