/* The file of a model: a header, then the speeds as floats, in the byte order of the machine. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "seismic.h"

typedef struct {
  char magic[8];
  uint32_t version, across, down, nothing;
  double spacing;
  uint64_t checksum; /* of everything, this counting as 0 */
} Header;

static const char magic[8] = {'V', 'E', 'L', 'O', 'C', 'I', 'T', 'Y'};
enum { version = 1 };

/* Fowler, Noll and Vo's 1a on words of 32 bits: notices every single changed word. */
static uint64_t add_words(uint64_t sum, const void* data, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, (const char*)data + at, sizeof word);
    sum = (sum ^ word) * 0x100000001b3u;
  }
  return sum;
}

static uint64_t checksum_of(Header header, const float* speed, size_t bytes) {
  header.checksum = 0;
  return add_words(add_words(0xcbf29ce484222325u, &header, sizeof header), speed, bytes);
}

const char* write_model(const char* path, const Model* m) {
  size_t bytes = (size_t)m->across * (size_t)m->down * sizeof *m->speed;
  Header header = {.version = version,
                   .across = (uint32_t)m->across,
                   .down = (uint32_t)m->down,
                   .spacing = m->spacing};
  memcpy(header.magic, magic, sizeof magic);
  header.checksum = checksum_of(header, m->speed, bytes);
  FILE* file = fopen(path, "wb");
  int good = file && fwrite(&header, sizeof header, 1, file) == 1 &&
             fwrite(m->speed, 1, bytes, file) == bytes;
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

static const char* check_header(const Header* h) {
  if (memcmp(h->magic, magic, sizeof magic) != 0) return "is not a model";
  if (h->version != version) return "is of another version or byte order";
  if (h->across < least_cells || h->across > most_cells || h->down < least_cells / 2 ||
      h->down > most_cells || !(h->spacing > 0) || !isfinite(h->spacing))
    return "is corrupt: its sizes make no sense";
  return NULL;
}

static const char* check_speeds(const float* speed, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!(speed[i] >= 1 && speed[i] <= 20000)) return "has speeds outside of 1 to 20000 m/s";
  return NULL;
}

static const char* read_open_model(int file, Model* m) {
  Header header;
  struct stat about;
  const char* why = read_bytes(file, &header, sizeof header);
  if (!why) why = check_header(&header);
  if (why) return why;
  size_t count = (size_t)header.across * header.down, bytes = count * sizeof *m->speed;
  if (fstat(file, &about) != 0) return "cannot be read";
  if ((size_t)about.st_size < sizeof header + bytes) return "is truncated";
  if ((size_t)about.st_size > sizeof header + bytes) return "is longer than its header says";
  *m = (Model){(int)header.across, (int)header.down, header.spacing, malloc(bytes)};
  if (!m->speed) return "does not fit into memory";
  why = read_bytes(file, m->speed, bytes);
  if (!why && checksum_of(header, m->speed, bytes) != header.checksum)
    why = "is corrupt: its checksum does not match";
  return why ? why : check_speeds(m->speed, count);
}

const char* read_model(const char* path, Model* model) {
  int file = open(path, O_RDONLY);
  if (file < 0) return "cannot be opened";
  const char* why = read_open_model(file, model);
  close(file);
  return why;
}

/* Rank 0 reads and broadcasts; or each rank reads all of it for itself, which takes as many times
 * the bandwidth of the disk as there are ranks. */
int read_model_by(Reading reading, const char* path, int rank, Model* m) {
  const char* why = reading == read_each || rank == 0 ? read_model(path, m) : NULL;
  if (anything_wrong(path, why)) return 1;
  if (reading == read_each) return 0;
  float* speed = m->speed;
  MPI_Bcast(m, sizeof *m, MPI_BYTE, 0, MPI_COMM_WORLD);
  size_t count = (size_t)m->across * (size_t)m->down;
  m->speed = rank == 0 ? speed : memory_for(count, sizeof *m->speed);
  MPI_Bcast(m->speed, (int)count, MPI_FLOAT, 0, MPI_COMM_WORLD);
  return 0;
}
