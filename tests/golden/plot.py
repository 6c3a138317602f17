# SPDX-License-Identifier: MIT
"""Compare pictures with accepted ones, coarsely, so that another font or
another cairo passes and a missing curve does not.

plot.py ACCEPTED PICTURE...: each line of ACCEPTED is a picture's name and the
mean lightness of its 16 x 10 parts in hexadecimal.  With UPDATE set, writes
it.  A picture whose outermost pixels are not white has something cut off.
"""
import os
import struct
import sys
import zlib

ACROSS, DOWN = 16, 10
TOLERANCE = 20  # of 255, of one part
MEAN_TOLERANCE = 3  # over all parts


def read_png(path):
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += 12 + size
    assert depth == 8 and colour in (2, 6)
    step = 3 if colour == 2 else 4
    raw, rows = zlib.decompress(packed), []
    before = bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        how, row = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for i in range(len(row)):
            left = row[i - step] if i >= step else 0
            up, corner = before[i], before[i - step] if i >= step else 0
            if how == 4:
                guess = left + up - corner
                near = min((abs(guess - left), 0, left),
                           (abs(guess - up), 1, up),
                           (abs(guess - corner), 2, corner))[2]
            else:
                near = (0, left, up, (left + up) // 2)[how]
            row[i] = (row[i] + near) & 255
        rows.append([sum(row[i:i + 3]) // 3 for i in range(0, len(row), step)])
        before = row
    return rows


def parts(rows):
    height, width = len(rows), len(rows[0])
    result = []
    for y in range(DOWN):
        band = rows[y * height // DOWN:(y + 1) * height // DOWN]
        for x in range(ACROSS):
            cells = [v for row in band
                     for v in row[x * width // ACROSS:(x + 1) * width // ACROSS]]
            result.append(sum(cells) // len(cells))
    return bytes(result)


def main():
    accepted_path, bad, now = sys.argv[1], 0, {}
    for path in sys.argv[2:]:
        rows = read_png(path)
        name = os.path.basename(path)
        border = rows[0] + rows[-1] + [r[0] for r in rows] + [r[-1] for r in rows]
        if min(border) < 250:
            print(f"{name}: something reaches the edge")
            bad = 1
        now[name] = parts(rows)
    if os.environ.get("UPDATE"):
        with open(accepted_path, "w") as out:
            for name in sorted(now):
                out.write(f"{name} {now[name].hex()}\n")
        return bad
    accepted = dict(line.split() for line in open(accepted_path))
    for name, have in now.items():
        want = bytes.fromhex(accepted.get(name, ""))
        apart = [abs(a - b) for a, b in zip(want, have)]
        if len(want) != len(have) or max(apart) > TOLERANCE or \
                sum(apart) > MEAN_TOLERANCE * len(apart):
            print(f"{name}: is another picture than the accepted one")
            bad = 1
    return bad


sys.exit(main())
