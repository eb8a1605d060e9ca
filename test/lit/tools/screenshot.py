# Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens a page in headless Chromium and says which of the page's colours its picture shows, in how many pixels.

usage: screenshot.py CHROMIUM PAGE PICTURE.png [NAME=RRGGBB ...]

Fonts differ from machine to machine, so no picture is compared with another: that a colour is there, in about the amount of a box
or a line, shows that what it stands for is drawn.
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib


def take(chromium, page, picture):
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={profile}", "--force-device-scale-factor=1", "--window-size=1200,1400",
                   f"--screenshot={os.path.abspath(picture)}", "file://" + os.path.abspath(page)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if not os.path.exists(picture):
        sys.exit(f"no picture: {result.stderr[-2000:]}")


def unfilter(kind, line, before, step):
    """Undoes a PNG line's filter in place."""
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        up = before[i]
        corner = before[i - step] if i >= step else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + up) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        elif kind == 4:
            estimate = left + up - corner
            nearest = min((abs(estimate - left), 0, left), (abs(estimate - up), 1, up), (abs(estimate - corner), 2, corner))
            line[i] = (line[i] + nearest[2]) & 255


def colours(path):
    """Width, height and how many pixels have which colour, of an 8-bit RGB or RGBA picture."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
    position, packed = 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        chunk = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            packed += chunk
        position += 12 + length
    assert depth == 8 and colour in (2, 6), "not RGB or RGBA"
    step = 3 if colour == 2 else 4
    raw, counts, before = zlib.decompress(packed), {}, bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        line = bytearray(raw[start + 1:start + 1 + width * step])
        unfilter(raw[start], line, before, step)
        before = line
        for x in range(0, len(line), step):
            pixel = bytes(line[x:x + 3])
            counts[pixel] = counts.get(pixel, 0) + 1
    return width, height, counts


def main():
    chromium, page, picture = sys.argv[1:4]
    take(chromium, page, picture)
    width, height, counts = colours(picture)
    print(f"{width} x {height} pixels, {len(counts)} colours")
    for argument in sys.argv[4:]:
        name, value = argument.split("=")
        print(f"{name}: {counts.get(bytes.fromhex(value), 0)} pixels")


if __name__ == "__main__":
    main()
