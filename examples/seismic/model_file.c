/* What stands in the file of a model, and how one program alone writes and reads it. */
#include "model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'V', 'E', 'L', 'O', 'C', 'I', 'T', 'Y'};
enum { version = 2 };

/* Every word of 32 bits counts by its place. For each place different words give different numbers,
 * so that every single changed word is noticed. */
static uint64_t sum_of_words(const void* data, size_t bytes, uint64_t place) {
  uint64_t sum = 0;
  for (size_t at = 0; at < bytes; at += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, (const char*)data + at, sizeof word);
    uint64_t mixed = (word ^ ++place * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    sum += mixed ^ mixed >> 29;
  }
  return sum;
}

uint64_t checksum_of_header(ModelHeader header) {
  header.checksum = 0;
  return sum_of_words(&header, sizeof header, 0);
}

uint64_t checksum_of_speeds(const float* speed, size_t count, size_t cells_before) {
  return sum_of_words(speed, count * sizeof *speed,
                      sizeof(ModelHeader) / sizeof(uint32_t) + cells_before);
}

const char* write_model(const char* path, const Model* m) {
  size_t count = (size_t)m->across * (size_t)m->down;
  ModelHeader header = {.version = version,
                        .across = (uint32_t)m->across,
                        .down = (uint32_t)m->down,
                        .spacing = m->spacing};
  memcpy(header.magic, magic, sizeof magic);
  header.checksum = checksum_of_header(header) + checksum_of_speeds(m->speed, count, 0);
  FILE* file = fopen(path, "wb");
  int good = file && fwrite(&header, sizeof header, 1, file) == 1 &&
             fwrite(m->speed, sizeof *m->speed, count, file) == count;
  if (file && fclose(file) != 0) good = 0;
  return good ? NULL : "cannot be written";
}

/* As many bytes as asked for, or what is wrong. */
static const char* read_bytes(int file, void* data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t got = read(file, (char*)data + done, bytes - done);
    if (got == 0) return "is truncated";
    if (got < 0 && errno != EINTR) return "cannot be read";
    if (got > 0) done += (size_t)got;
  }
  return NULL;
}

const char* check_header(const ModelHeader* h, uint64_t file_bytes) {
  if (memcmp(h->magic, magic, sizeof magic) != 0) return "is not a model";
  if (h->version != version)
    return "is of another version or byte order; --make-model makes a new one";
  if (h->across < least_cells || h->across > most_cells || h->down < least_cells / 2 ||
      h->down > most_cells || !(h->spacing > 0) || !isfinite(h->spacing))
    return "is corrupt: its sizes make no sense";
  const uint64_t bytes = sizeof *h + (uint64_t)h->across * h->down * sizeof(float);
  if (file_bytes < bytes) return "is truncated";
  return file_bytes > bytes ? "is longer than its header says" : NULL;
}

const char* check_speeds(const float* speed, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!(speed[i] >= 1 && speed[i] <= 20000)) return "has speeds outside of 1 to 20000 m/s";
  return NULL;
}

static const char* read_open_model(int file, Model* m) {
  ModelHeader header;
  struct stat about;
  const char* why = read_bytes(file, &header, sizeof header);
  if (!why && fstat(file, &about) != 0) why = "cannot be read";
  if (!why) why = check_header(&header, (uint64_t)about.st_size);
  if (why) return why;
  const size_t count = (size_t)header.across * header.down;
  *m = (Model){.across = (int)header.across,
               .down = (int)header.down,
               .rows = (int)header.down,
               .spacing = header.spacing,
               .speed = malloc(count * sizeof *m->speed)};
  if (!m->speed) return "does not fit into memory";
  why = read_bytes(file, m->speed, count * sizeof *m->speed);
  if (!why &&
      checksum_of_header(header) + checksum_of_speeds(m->speed, count, 0) != header.checksum)
    why = "is corrupt: its checksum does not match";
  return why ? why : check_speeds(m->speed, count);
}

const char* read_whole_model(const char* path, Model* model) {
  int file = open(path, O_RDONLY);
  if (file < 0) return "cannot be opened";
  const char* why = read_open_model(file, model);
  close(file);
  return why;
}
