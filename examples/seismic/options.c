/* The command line. Rank 0 reads it; all learn what it says. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seismic.h"

const char* const case_names[cases] = {"layered", "uniform"};
static const char* const reading_names[readings] = {"each", "one", "collective"};

static const char help[] =
    "usage: mpiexec -n RANKS seismic [options]\n"
    "Sound in the ground after a shot: the acoustic wave equation on all ranks and threads.\n"
    "  --case NAME         layered (default; with a fault) or uniform (exact solution known)\n"
    "  --cells N           cells across the ground, 32 to 30000; half as many down (2600)\n"
    "  --steps N           time steps (2600)\n"
    "  --make-model FILE   write the ground of the case and end\n"
    "  --model FILE        read the ground from such a file instead\n"
    "  --read HOW          collective (default): all ranks together, each only its rows;\n"
    "                      one: rank 0 reads all and broadcasts it; each: every rank reads all\n"
    "  --picture FILE      write the waves at the end on the ground as PNG\n"
    "  --seismogram FILE   write what a row of receivers hears as PNG, time going down\n"
    "  --help              print this\n"
    "It prints how far it is, a fingerprint of the waves at the end, which depends neither on\n"
    "ranks nor on threads, the seconds that reading and the steps took, and what memory the\n"
    "ranks took to read.\n";

/* Complains on one line. */
static int wrong(const char* word, const char* why) {
  fprintf(stderr, "seismic: %s %s; see --help\n", word, why);
  return 2;
}

static int read_number(const char* text, int least, int most, int* number) {
  char* end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (!*text || *end || errno || value < least || value > most) return -1;
  *number = (int)value;
  return 0;
}

/* The place of a name in a list, or -1. */
static int place_of(const char* name, const char* const* names, int count) {
  for (int i = 0; i < count; ++i)
    if (!strcmp(name, names[i])) return i;
  return -1;
}

static char* path_of(const char* word, Options* options) {
  if (!strcmp(word, "--make-model")) return options->make_model;
  if (!strcmp(word, "--model")) return options->model;
  if (!strcmp(word, "--picture")) return options->picture;
  if (!strcmp(word, "--seismogram")) return options->seismogram;
  return NULL;
}

static int read_word(const char* word, const char* value, Options* options) {
  char* path = path_of(word, options);
  if (!strcmp(word, "--case")) {
    int place = place_of(value, case_names, cases);
    options->which = (Case)place;
    return place < 0 ? wrong(word, "is layered or uniform") : 0;
  }
  if (!strcmp(word, "--read")) {
    int place = place_of(value, reading_names, readings);
    options->reading = (Reading)place;
    return place < 0 ? wrong(word, "is collective, one or each") : 0;
  }
  if (!strcmp(word, "--cells"))
    return read_number(value, least_cells, most_cells, &options->cells)
               ? wrong(word, "takes 32 to 30000")
               : 0;
  if (!strcmp(word, "--steps"))
    return read_number(value, 1, INT_MAX, &options->steps) ? wrong(word, "takes 1 or more") : 0;
  if (!path) return wrong(word, "is not known");
  if (!*value || strlen(value) >= path_bytes) return wrong(word, "takes the name of a file");
  strcpy(path, value);
  return 0;
}

/* Words that do not go together. What was not given is 0 yet. */
static int check_together(const Options* o) {
  if (*o->model && *o->make_model) return wrong("--model", "and --make-model exclude each other");
  if (*o->model && o->cells) return wrong("--cells", "is said by the file of --model");
  if (*o->model && o->which != case_layered)
    return wrong("--case", "and --model exclude each other");
  if (!*o->model && o->reading != readings) return wrong("--read", "needs --model");
  return 0;
}

int read_options(int count, char** words, int rank, Options* options) {
  int problem = 0;
  memset(options, 0, sizeof *options);
  options->reading = readings; /* not said */
  for (int i = 1; rank == 0 && i < count && !problem; i += 2) {
    if (!strcmp(words[i], "--help")) {
      fputs(help, stdout);
      problem = -1;
    } else {
      problem = read_word(words[i], i + 1 < count ? words[i + 1] : "", options);
    }
  }
  if (rank == 0 && !problem) problem = check_together(options);
  if (options->reading == readings) options->reading = read_collective;
  if (!options->cells) options->cells = 2600;
  if (!options->steps) options->steps = 2600;
  MPI_Bcast(&problem, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(options, sizeof *options, MPI_BYTE, 0, MPI_COMM_WORLD);
  return problem;
}
