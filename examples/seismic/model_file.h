/* The file of a model, for those that write and read it: a header, then the speeds as floats, row
 * by row, in the byte order of the machine. */
#ifndef EXAMPLES_SEISMIC_MODEL_FILE_H
#define EXAMPLES_SEISMIC_MODEL_FILE_H

#include "seismic.h"

typedef struct {
  char magic[8];
  uint32_t version, across, down, nothing;
  double spacing;
  uint64_t checksum; /* of everything, this counting as 0 */
} ModelHeader;

/* Both return NULL or what is wrong. */
const char* check_header(const ModelHeader* header, uint64_t file_bytes);
const char* check_speeds(const float* speed, size_t count);

/* The checksum of a file is the sum of its parts', so that ranks can each add up their own. */
uint64_t checksum_of_header(ModelHeader header);
uint64_t checksum_of_speeds(const float* speed, size_t count, size_t cells_before);

const char* read_whole_model(const char* path, Model* model); /* NULL or what is wrong */

#endif
