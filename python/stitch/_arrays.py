# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of NumPy and of every library that has DLPack, as StitchTensor and back, without copies where memory allows.

The runtime wants dense row-major elements, aligned to 16 bytes: arrays that are not are copied first.
"""
import ctypes
import math
from typing import Any

import numpy as np

from ._library import StitchError, check, ffi, runtime

ALIGNMENT = 64  # what JAX needs to take an array over without a copy; the runtime itself needs 16
_RUNTIME_ALIGNMENT = 16
_DLPACK_HOSTS = (1, 3)
_PLAIN = {"i1": "bool", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
_NAMES = {_code + str(_bits): f"{_name}{_bits}" for _code, _name in (("i", "int"), ("ui", "uint")) for _bits in (8, 16, 32, 64)} | _PLAIN
_OTHERS = {
    "bf16": "bfloat16", "i2": "int2", "i4": "int4", "ui2": "uint2", "ui4": "uint4", "f8E3M4": "float8_e3m4", "f8E4M3": "float8_e4m3",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz", "f8E4M3FN": "float8_e4m3fn", "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E8M0FNU": "float8_e8m0fnu", "f6E2M3FN": "float6_e2m3fn", "f6E3M2FN": "float6_e3m2fn",
    "f4E2M1FN": "float4_e2m1fn",
}  # those of ml_dtypes

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def _data_types() -> dict[str, tuple[int, int]]:
    """The runtime's name of each type -> code and bits of its StitchDataType."""
    result = {}
    for code in range(18):
        for bits in (2, 4, 6, 8, 16, 32, 64, 128):
            name = ffi.string(runtime.stitchDataTypeName({"code": code, "bits": bits, "lanes": 1})).decode()
            result[{"complex<f32>": "c64", "complex<f64>": "c128"}.get(name, name)] = (code, bits)
    return result


def _dtype(name: str) -> np.dtype[Any]:
    if name in _NAMES:
        return np.dtype(_NAMES[name])
    import ml_dtypes

    other: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _OTHERS[name]))
    return other


_BY_DATA_TYPE: dict[tuple[int, int], np.dtype[Any]] = {}
_BY_DTYPE: dict[np.dtype[Any], tuple[int, int, int]] = {}


def _fill_tables() -> None:
    for name, (code, bits) in _data_types().items():
        if name in _NAMES or name in _OTHERS:
            try:
                dtype = _dtype(name)
            except (ImportError, AttributeError):  # without ml_dtypes, or with one that has no such type
                continue
            _BY_DATA_TYPE[code, bits] = dtype
            _BY_DTYPE[dtype] = (code, bits, 1)


_fill_tables()


def dtype_of(data_type: Any) -> np.dtype[Any]:
    """NumPy's type for a StitchDataType."""
    dtype = _BY_DATA_TYPE.get((data_type.code, data_type.bits))
    if dtype is None:
        name = ffi.string(runtime.stitchDataTypeName(data_type)).decode()
        raise StitchError(f"NumPy has no type for {name}: pip install ml_dtypes", "STITCH_UNIMPLEMENTED")
    return dtype


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array that JAX can take over."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    begin = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[begin:begin + size].view(dtype).reshape(shape)


class Packed:
    """The elements of an array of two or four bits each as the runtime has them: packed into bytes, the first one in the lowest bits."""

    def __init__(self, array: np.ndarray[Any, Any], bits: int) -> None:
        self._array, self._bits, self._per_byte = array, bits, 8 // bits
        self.bytes = empty((-(-array.size // self._per_byte),), np.dtype(np.uint8))
        elements = np.zeros(self.bytes.size * self._per_byte, np.uint8)
        elements[:array.size] = np.ascontiguousarray(array).reshape(-1).view(np.uint8) & ((1 << bits) - 1)
        self.bytes[:] = np.bitwise_or.reduce(elements.reshape(-1, self._per_byte) << self._shifts, axis=1, dtype=np.uint8)

    @property
    def _shifts(self) -> np.ndarray[Any, Any]:
        return np.arange(self._per_byte, dtype=np.uint8) * np.uint8(self._bits)

    def unpack(self) -> None:
        """Gives the array the elements that the bytes have become."""
        bits = (self.bytes[:, None] >> self._shifts & ((1 << self._bits) - 1)).reshape(-1)[:self._array.size].astype(np.uint8)
        if self._array.dtype.name.startswith("int"):  # a byte extends the sign
            above = 8 - self._bits
            bits = (bits.view(np.int8) << above >> above).view(np.uint8)
        self._array.reshape(-1).view(np.uint8)[:] = bits


def unpack(kept: list[Any]) -> None:
    """Behind a run: gives arrays that were packed what it has written."""
    for each in kept:
        if isinstance(each, tuple) and isinstance(each[0], Packed):
            each[0].unpack()


def _view_numpy(array: np.ndarray[Any, Any], tensor: Any) -> Any:
    """Makes `tensor` a view of an array; returns what has to live as long."""
    data_type = _BY_DTYPE.get(array.dtype)
    if data_type is None:
        raise TypeError(f"Stitch has no type {array.dtype}")
    if runtime.stitchDataTypeIsPacked({"code": data_type[0], "bits": data_type[1], "lanes": 1}):
        packed = Packed(array, data_type[1])
        return packed, _set_tensor(tensor, data_type, array.shape, packed.bytes.__array_interface__["data"][0])
    address = array.__array_interface__["data"][0]
    if not array.flags.c_contiguous or address % _RUNTIME_ALIGNMENT:
        copy = empty(array.shape, array.dtype)
        copy[...] = array
        array, address = copy, copy.__array_interface__["data"][0]
    return array, _set_tensor(tensor, data_type, array.shape, address)


def _set_tensor(tensor: Any, data_type: tuple[int, int, int], shape: tuple[int, ...], address: int) -> Any:
    dims = ffi.new("int64_t[]", shape)
    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = data_type
    tensor.rank, tensor.dims, tensor.data = len(shape), dims, ffi.cast("void *", address)
    tensor.memory, tensor.memoryId = runtime.STITCH_MEMORY_HOST, 0
    return dims


def _view_dlpack(array: Any, tensor: Any) -> Any:
    capsule = array.__dlpack__()
    pointer = ffi.cast("DLManagedTensor *", _pointer_of(capsule, b"dltensor"))
    status = runtime.stitchTensorFromDLPack(ffi.addressof(pointer.dl_tensor), tensor)
    on_host = pointer.dl_tensor.device.device_type in _DLPACK_HOSTS
    misplaced = int(ffi.cast("uintptr_t", tensor.data)) % _RUNTIME_ALIGNMENT if not status else 1
    if on_host and (status or misplaced):  # not dense or not aligned, unless NumPy cannot read it either
        if status:
            runtime.stitchStatusFree(status)
        return _view_numpy(np.from_dlpack(array), tensor)
    check(status)
    return capsule


def view(array: Any, tensor: Any) -> Any:
    """Makes `tensor` a view of an array, or of a copy that the runtime can use; returns what has to live as long."""
    if isinstance(array, np.ndarray):
        return _view_numpy(array, tensor)
    if hasattr(array, "__dlpack__") and not isinstance(array, np.generic):
        return _view_dlpack(array, tensor)
    return _view_numpy(np.asarray(array), tensor)


class DeviceTensor:
    """A tensor in a session's memory, for any library that has DLPack: `torch.from_dlpack(tensor)`. It can be taken over once."""

    def __init__(self, session: Any, data_type: Any, shape: tuple[int, ...]) -> None:
        made = ffi.new("DLManagedTensorVersioned **")
        check(runtime.stitchSessionAllocate(session, data_type, len(shape), ffi.new("int64_t[]", shape), made))
        self.shape, self.dtype = shape, dtype_of(data_type)
        self._session, self._tensor, self._capsule = session, made[0], None
        self._device = (made[0].dl_tensor.device.device_type, made[0].dl_tensor.device.device_id)

    def view(self, tensor: Any) -> Any:
        """Makes `tensor` a view of it."""
        check(runtime.stitchTensorFromDLPackVersioned(self._tensor, tensor))
        return self

    def numpy(self) -> np.ndarray[Any, Any]:
        """Its elements, copied; the model must still be there."""
        if self._tensor is None:
            raise BufferError("the tensor has been taken over already")
        result, tensors = empty(self.shape, self.dtype), ffi.new("StitchTensor[2]")
        self.view(tensors)
        kept = view(result, tensors + 1)
        check(runtime.stitchSessionCopy(self._session, tensors, tensors + 1))
        unpack([kept])
        del kept
        return result

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, **_wishes: Any) -> Any:
        if self._tensor is None:
            raise BufferError("the tensor has been taken over already")
        legacy = runtime.stitchDLPackLegacy(self._tensor)
        self._tensor, self._legacy = None, legacy
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self._capsule = new(int(ffi.cast("uintptr_t", legacy)), b"dltensor", None)
        return self._capsule

    def __del__(self) -> None:
        if getattr(self, "_tensor", None):
            self._tensor.deleter(self._tensor)
        elif getattr(self, "_capsule", None) is not None and _is_valid(self._capsule, b"dltensor"):  # nobody has taken it
            self._legacy.deleter(self._legacy)
