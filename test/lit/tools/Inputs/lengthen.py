"""usage: lengthen.py BYTECODE ARRAY ELEMENTS

Writes two damaged copies of the bytecode of dense.mlir: in ARRAY the one-element array `dims = [1]` says that it has 65
elements, in ELEMENTS the constant's five numbers have the type of another tensor."""
import sys

ONE = b"\x11" + (1).to_bytes(8, "little")  # a blob: 8 bytes, the number 1
NUMBERS = b"\x29" + bytes.fromhex("0000c03f000020400000604000009040")


def replace(data, old, new):
    assert data.count(old) == 1, f"{data.count(old)} times {old}"
    return data.replace(old, new)


source, array, elements = sys.argv[1:]
data = open(source, "rb").read()
open(array, "wb").write(replace(data, b"\x03" + ONE, b"\x83" + ONE))
open(elements, "wb").write(replace(data, b"\x03" + NUMBERS, b"\x07" + NUMBERS))
