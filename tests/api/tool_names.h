/* Finds variables, events and categories of the tool interface by name, as a tool would. Each ends
 * the test where the name is not there. */
#ifndef BATON_TESTS_TOOL_NAMES_H
#define BATON_TESTS_TOOL_NAMES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static inline int found(int code, int index, const char* name) {
  if (code == MPI_SUCCESS) return index;
  fprintf(stderr, "the tool interface has no \"%s\" (code %d)\n", name, code);
  exit(1);
}

static inline int cvar(const char* name) {
  int index = -1;
  const int code = MPI_T_cvar_get_index(name, &index);
  return found(code, index, name);
}

static inline int pvar(const char* name, int var_class) {
  int index = -1;
  const int code = MPI_T_pvar_get_index(name, var_class, &index);
  return found(code, index, name);
}

static inline int event(const char* name) {
  int index = -1;
  const int code = MPI_T_event_get_index(name, &index);
  return found(code, index, name);
}

static inline int category(const char* name) {
  int index = -1;
  const int code = MPI_T_category_get_index(name, &index);
  return found(code, index, name);
}

#endif
