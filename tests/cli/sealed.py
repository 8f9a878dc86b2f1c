# SPDX-License-Identifier: BSD-3-Clause
"""A snapshot's file taken apart and put together again, its hash and its seal made right (src/results/files/snapshot_file.c)."""
import ctypes
import os
import pathlib
import struct

zstd = ctypes.CDLL("libzstd.so.1")
xxhash = ctypes.CDLL("libxxhash.so.0")
for name in ("ZSTD_compress", "ZSTD_compressBound", "ZSTD_decompress"):
    getattr(zstd, name).restype = ctypes.c_size_t
xxhash.XXH3_64bits.restype = ctypes.c_uint64
ONES = 2 ** 64 - 1


def siphash(key, data):
    """SipHash-2-4 of bytes under two words."""
    v = [key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573]

    def rounds(count):
        a, b, c, d = v
        for _ in range(count):
            a, c = (a + b) & ONES, (c + d) & ONES
            b, d = ((b << 13 | b >> 51) & ONES) ^ a, ((d << 16 | d >> 48) & ONES) ^ c
            a = ((a << 32 | a >> 32) & ONES) + d & ONES
            c = (c + b) & ONES
            b, d = ((b << 17 | b >> 47) & ONES) ^ c, ((d << 21 | d >> 43) & ONES) ^ a
            c = (c << 32 | c >> 32) & ONES
        v[:] = a, b, c, d

    last = len(data) % 8
    words = [*struct.unpack(f"<{len(data) // 8}Q", data[:len(data) - last]),
             int.from_bytes(data[len(data) - last:], "little") | (len(data) & 255) << 56]
    for word in words:
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 255
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def key_of_user():
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    text = (pathlib.Path(base) / "maniple" / "snapshot.key").read_text()
    return int(text[:16], 16), int(text[16:32], 16)


class Snapshot:
    """`head`: what says of which run it is; `launch`; `state`: the machine's, unpacked. `length` and `packed`, when set, are
    stated in place of the true ones."""

    def __init__(self, data):
        at = 16
        for field in "tt8tt8t": # texts and numbers (put_heading)
            at += 8 + (struct.unpack_from("<Q", data, at)[0] if field == "t" else 0)
        self.head = data[:at]
        self.launch, length, packed = struct.unpack_from("<3Q", data, at)
        frame = data[at + 24:at + 24 + packed]
        room = ctypes.create_string_buffer(length + 1)
        assert zstd.ZSTD_decompress(room, ctypes.c_size_t(length), frame, ctypes.c_size_t(packed)) == length
        self.state = room.raw[:length]
        self.length = self.packed = self.frame = None

    def bytes(self, key):
        room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(self.state))))
        done = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), self.state, ctypes.c_size_t(len(self.state)), 1)
        frame = room.raw[:done] if self.frame is None else self.frame
        data = self.head + struct.pack("<3Q", self.launch, len(self.state) if self.length is None else self.length,
                                       len(frame) if self.packed is None else self.packed) + frame
        data += struct.pack("<Q", siphash(key, data))
        return data + struct.pack("<Q", xxhash.XXH3_64bits(data, ctypes.c_size_t(len(data))))
