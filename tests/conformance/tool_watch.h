/* What the programs about Baton's tool interface share: variables and events by name, in one
 * session. */
#ifndef CONFORMANCE_TOOL_WATCH_H
#define CONFORMANCE_TOOL_WATCH_H

#include "conformance.h"

typedef unsigned long long Value;

#define OK(call) CHECK((call) == MPI_SUCCESS)
enum {
  counter = MPI_T_PVAR_CLASS_COUNTER,
  sum = MPI_T_PVAR_CLASS_AGGREGATE,
  timer = MPI_T_PVAR_CLASS_TIMER
};

static MPI_T_pvar_session session;

/* A variable that has been started, and how many values it has. */
struct Watched {
  MPI_T_pvar_handle handle;
  int count;
};

static inline struct Watched watch(const char* name, int var_class, void* object) {
  struct Watched made;
  int index, continuous;
  OK(MPI_T_pvar_get_index(name, var_class, &index));
  OK(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                         &continuous, NULL));
  OK(MPI_T_pvar_handle_alloc(session, index, object, &made.handle, &made.count));
  if (!continuous) OK(MPI_T_pvar_start(session, made.handle));
  return made;
}

static inline Value value_of(struct Watched one) {
  Value value;
  CHECK(one.count == 1);
  OK(MPI_T_pvar_read(session, one.handle, &value));
  return value;
}

static inline double time_of(struct Watched one) {
  double value;
  CHECK(one.count == 1);
  OK(MPI_T_pvar_read(session, one.handle, &value));
  return value;
}

static inline void unwatch(struct Watched* one) {
  OK(MPI_T_pvar_handle_free(session, &one->handle));
}

/* All variables of MPI_COMM_WORLD's ranks whose names begin so: one for each way of messages. */
struct Ways {
  struct Watched one[16];
  int count;
};

static inline struct Ways watch_ways(const char* beginning, int var_class) {
  struct Ways ways = {.count = 0};
  MPI_Comm world = MPI_COMM_WORLD;
  int variables;
  OK(MPI_T_pvar_get_num(&variables));
  for (int i = 0; i < variables; ++i) {
    char name[64];
    int length = sizeof name;
    OK(MPI_T_pvar_get_info(i, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                           NULL));
    if (strncmp(name, beginning, strlen(beginning)) == 0)
      ways.one[ways.count++] = watch(name, var_class, &world);
  }
  CHECK(ways.count == 11);
  return ways;
}

/* What all ways together have counted for a rank. */
static inline Value total_of(const struct Ways* ways, int other) {
  Value total = 0, *values = malloc((size_t)size * sizeof *values);
  for (int i = 0; i < ways->count; ++i) {
    CHECK(ways->one[i].count == size);
    OK(MPI_T_pvar_read(session, ways->one[i].handle, values));
    total += values[other];
  }
  free(values);
  return total;
}

static inline void unwatch_ways(struct Ways* ways) {
  for (int i = 0; i < ways->count; ++i) unwatch(&ways->one[i]);
}

static inline MPI_T_event_registration listen_to(const char* name, void* object, void* data,
                                                 MPI_T_event_cb_function* callback) {
  MPI_T_event_registration made;
  int index;
  OK(MPI_T_event_get_index(name, &index));
  OK(MPI_T_event_handle_alloc(index, object, MPI_INFO_NULL, &made));
  OK(MPI_T_event_register_callback(made, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, data,
                                   callback));
  return made;
}

static inline void set(const char* name, MPI_Count value) {
  MPI_T_cvar_handle handle;
  int index, count;
  OK(MPI_T_cvar_get_index(name, &index));
  OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  OK(MPI_T_cvar_write(handle, &value));
  OK(MPI_T_cvar_handle_free(&handle));
}

static inline MPI_Count get(const char* name) {
  MPI_T_cvar_handle handle;
  MPI_Count value;
  int index, count;
  OK(MPI_T_cvar_get_index(name, &index));
  OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  OK(MPI_T_cvar_read(handle, &value));
  OK(MPI_T_cvar_handle_free(&handle));
  return value;
}

#endif
