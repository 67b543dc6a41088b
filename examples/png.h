/* Writes a picture as PNG without any library: the pixels are stored, not compressed. */
#ifndef EXAMPLES_PNG_H
#define EXAMPLES_PNG_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void png_number(unsigned char* at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* The checksum of a chunk: its type and its data. */
static inline uint32_t png_crc(const unsigned char* data, size_t bytes) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < bytes; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

/* `chunk` has space for length, type, `bytes` of data and checksum; type and data are in place. */
static inline int png_chunk(FILE* file, unsigned char* chunk, size_t bytes) {
  png_number(chunk, (uint32_t)bytes);
  png_number(chunk + 8 + bytes, png_crc(chunk + 4, bytes + 4));
  return fwrite(chunk, 1, bytes + 12, file) == bytes + 12;
}

/* The image data as a zlib stream of stored blocks, each row led by filter type 0. */
static inline size_t png_stored(unsigned char* out, const unsigned char* rgb, int width,
                                int height) {
  size_t row = (size_t)width * 3, total = (row + 1) * (size_t)height, at = 0;
  uint32_t a = 1, b = 0;
  out[at++] = 0x78;
  out[at++] = 0x01;
  for (size_t done = 0; done < total;) {
    size_t block = total - done < 65535 ? total - done : 65535;
    out[at++] = done + block == total;
    out[at++] = (unsigned char)(block & 255);
    out[at++] = (unsigned char)(block >> 8);
    out[at++] = (unsigned char)(~block & 255);
    out[at++] = (unsigned char)((~block >> 8) & 255);
    for (size_t end = done + block; done < end; ++done) {
      size_t column = done % (row + 1);
      unsigned char byte = column ? rgb[done / (row + 1) * row + column - 1] : 0;
      out[at++] = byte;
      a = (a + byte) % 65521;
      b = (b + a) % 65521;
    }
  }
  png_number(out + at, b << 16 | a);
  return at + 4;
}

/* Returns 0 when all of it is on disk. */
static inline int png_write(const char* path, const unsigned char* rgb, int width, int height) {
  size_t raw = ((size_t)width * 3 + 1) * (size_t)height;
  unsigned char* chunk = malloc(raw + raw / 65535 * 5 + 64);
  FILE* file = fopen(path, "wb");
  int good = chunk && file && fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) == 8;
  if (good) {
    memcpy(chunk + 4, "IHDR", 4);
    png_number(chunk + 8, (uint32_t)width);
    png_number(chunk + 12, (uint32_t)height);
    memcpy(chunk + 16, "\x08\x02\0\0\0", 5); /* eight bits, red green blue */
    good = png_chunk(file, chunk, 13);
    memcpy(chunk + 4, "IDAT", 4);
    good = good && png_chunk(file, chunk, png_stored(chunk + 8, rgb, width, height));
    memcpy(chunk + 4, "IEND", 4);
    good = good && png_chunk(file, chunk, 0);
  }
  if (file && fclose(file) != 0) good = 0;
  free(chunk);
  return good ? 0 : -1;
}

#endif
