# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's C interface (runtime/stitch_runtime.h) for Python, by ctypes: what a benchmark needs of it."""
import ctypes
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p

HOST_MEMORY, CUDA_MEMORY = 1, 2


class Error(Exception):
    """What a StitchStatus says."""


class DataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(Structure):
    _fields_ = [("dtype", DataType), ("rank", c_int32), ("dims", POINTER(c_int64)), ("data", c_void_p),
                ("memory", c_int32), ("memory_id", c_int32)]


class InputInfo(Structure):
    _fields_ = [("name", c_char_p), ("dtype", DataType), ("rank", c_int32), ("dims", POINTER(c_int64)), ("role", c_int),
                ("low", c_double), ("high", c_double), ("sizes", c_void_p), ("initial", c_void_p), ("next", c_int64),
                ("updated", c_int64), ("poison", c_int64)]


class OutputInfo(Structure):
    _fields_ = [("name", c_char_p), ("dtype", DataType), ("rank", c_int32), ("dims", POINTER(c_int64)),
                ("error_variance", c_double), ("error_sum", c_double), ("largest_roundoff", c_double),
                ("longest_reduction", c_int64), ("depth", c_int64), ("discontinuous", c_bool), ("sizes", c_void_p)]


class CudaOptions(Structure):
    _fields_ = [("stream", c_void_p), ("eager", c_bool), ("pinned_staging", c_bool), ("tf32", c_bool),
                ("libraries", c_char_p)]


class AdaptiveOptions(Structure):
    _fields_ = [("explore", c_bool), ("profile_index", c_char_p), ("bitwise", c_bool), ("versions", c_char_p)]


class WorldOptions(Structure):
    _fields_ = [("rank", c_int64), ("size", c_int64), ("address", c_char_p), ("time_limit", c_double)]


class SessionOptions(Structure):
    _fields_ = [("device", c_char_p), ("thread_order_seed", c_uint64), ("cuda", CudaOptions), ("adaptive", AdaptiveOptions),
                ("world", WorldOptions)]


class SessionInfo(Structure):
    _fields_ = [("device", c_char_p), ("details", c_char_p)]


FUNCTIONS = {  # name -> (result, arguments)
    "stitchStatusMessage": (c_char_p, [c_void_p]),
    "stitchStatusFree": (None, [c_void_p]),
    "stitchDataTypeName": (c_char_p, [DataType]),
    "stitchModelLoad": (c_void_p, [c_char_p, POINTER(c_void_p)]),
    "stitchModelFree": (None, [c_void_p]),
    "stitchModelNumInputs": (c_int64, [c_void_p]),
    "stitchModelNumOutputs": (c_int64, [c_void_p]),
    "stitchModelInput": (InputInfo, [c_void_p, c_int64]),
    "stitchModelOutput": (OutputInfo, [c_void_p, c_int64]),
    "stitchSessionCreate": (c_void_p, [c_void_p, POINTER(SessionOptions), POINTER(c_void_p)]),
    "stitchSessionRun": (c_void_p, [c_void_p, POINTER(Tensor), c_int64, POINTER(Tensor), c_int64]),
    "stitchSessionSynchronize": (c_void_p, [c_void_p]),
    "stitchSessionInfo": (SessionInfo, [c_void_p]),
    "stitchSessionFree": (None, [c_void_p]),
}


class Runtime:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments

    def check(self, status):
        if status:
            message = self.lib.stitchStatusMessage(status).decode()
            self.lib.stitchStatusFree(status)
            raise Error(message)

    def dtype_name(self, dtype):
        return self.lib.stitchDataTypeName(dtype).decode()


class Model:
    """A model file. `inputs` and `outputs` are lists of InputInfo and OutputInfo."""

    def __init__(self, runtime, path):
        self.runtime, self.handle = runtime, c_void_p()
        runtime.check(runtime.lib.stitchModelLoad(path.encode(), self.handle))
        lib = runtime.lib
        self.inputs = [lib.stitchModelInput(self.handle, i) for i in range(lib.stitchModelNumInputs(self.handle))]
        self.outputs = [lib.stitchModelOutput(self.handle, i) for i in range(lib.stitchModelNumOutputs(self.handle))]

    def close(self):
        self.runtime.lib.stitchModelFree(self.handle)


def shape_of(info):
    return tuple(info.dims[i] for i in range(info.rank))


class Session:
    """A model on a device. `stream`: the CUDA stream to run on, as a number; 0: the session's own."""

    def __init__(self, model, device, stream=0, eager=False, tf32=False):
        self.model, self.runtime, self.handle = model, model.runtime, c_void_p()
        options = SessionOptions(device=device.encode(), cuda=CudaOptions(stream=stream or None, eager=eager, tf32=tf32))
        self.runtime.check(self.runtime.lib.stitchSessionCreate(model.handle, options, self.handle))

    def bind(self, inputs, outputs, memory=HOST_MEMORY, memory_id=0):
        """A function without arguments that runs the model on these addresses, which must stay valid."""
        def tensors(infos, addresses):
            return (Tensor * max(len(infos), 1))(*[Tensor(i.dtype, i.rank, i.dims, a, memory, memory_id)
                                                   for i, a in zip(infos, addresses, strict=True)])

        given, results = tensors(self.model.inputs, inputs), tensors(self.model.outputs, outputs)
        run, handle, counts = self.runtime.lib.stitchSessionRun, self.handle, (len(inputs), len(outputs))

        def call():
            status = run(handle, given, counts[0], results, counts[1])
            if status:
                self.runtime.check(status)

        return call

    def synchronize(self):
        self.runtime.check(self.runtime.lib.stitchSessionSynchronize(self.handle))

    def details(self):
        return self.runtime.lib.stitchSessionInfo(self.handle).details.decode()

    def close(self):
        self.runtime.lib.stitchSessionFree(self.handle)
