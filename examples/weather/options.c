/* The command line. Rank 0 reads it; all learn what it says. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weather.h"

static const char help[] =
    "usage: mpiexec -n RANKS weather [options]\n"
    "The weather on a rotating plane: shallow water on all ranks and their OpenMP threads.\n"
    "  --case NAME      storm (default), geostrophic (steady; exact solution known) or\n"
    "                   wave (inertia-gravity wave; exact solution known)\n"
    "  --cells N        cells across the square plane, 2 to 20000 (1000)\n"
    "  --steps N        time steps (800)\n"
    "  --picture FILE   write vorticity and surface at the end as PNG\n"
    "  --help           print this\n"
    "It prints how far it is and whether mass is conserved, a fingerprint of the final state,\n"
    "which depends neither on ranks nor on threads, and the seconds that the steps took.\n";

/* Complains on one line. */
static int wrong(const char* word, const char* why) {
  fprintf(stderr, "weather: %s %s; see --help\n", word, why);
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

static int read_case(const char* text, Case* which) {
  for (int i = 0; i < cases; ++i)
    if (!strcmp(text, case_names[i])) {
      *which = (Case)i;
      return 0;
    }
  return -1;
}

static int read_word(const char* word, const char* value, Options* options) {
  if (!strcmp(word, "--case"))
    return read_case(value, &options->which) ? wrong(word, "is storm, geostrophic or wave") : 0;
  if (!strcmp(word, "--cells"))
    return read_number(value, 2, 20000, &options->cells) ? wrong(word, "takes 2 to 20000") : 0;
  if (!strcmp(word, "--steps"))
    return read_number(value, 1, INT_MAX, &options->steps) ? wrong(word, "takes 1 or more") : 0;
  if (strcmp(word, "--picture")) return wrong(word, "is not known");
  if (!*value || strlen(value) >= path_bytes) return wrong(word, "takes the name of a file");
  strcpy(options->picture, value);
  return 0;
}

int read_options(int count, char** words, int rank, Options* options) {
  int problem = 0;
  memset(options, 0, sizeof *options);
  options->cells = 1000;
  options->steps = 800;
  for (int i = 1; rank == 0 && i < count && !problem; i += 2) {
    if (!strcmp(words[i], "--help")) {
      fputs(help, stdout);
      problem = -1;
    } else {
      problem = read_word(words[i], i + 1 < count ? words[i + 1] : "", options);
    }
  }
  MPI_Bcast(&problem, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(options, sizeof *options, MPI_BYTE, 0, MPI_COMM_WORLD);
  return problem;
}
