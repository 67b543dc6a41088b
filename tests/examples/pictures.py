"""PNG files of the examples, read for their tests."""
import struct
import zlib


def picture_rows(path):
    """Width, height and the raw bytes of a PNG, every checksum checked."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), kind
        parts[kind] = body
        at += 12 + length
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    return width, height, zlib.decompress(parts[b"IDAT"])
