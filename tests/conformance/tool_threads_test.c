/* Threads that use the tool interface at the same time, each with its own session, communicator and
 * registration, while one more samples variables that all of them move: THREADS ROUNDS. */
#include <pthread.h>
#include <stdatomic.h>

#include "tool_watch.h"

static int threads, rounds;
static atomic_int under_way;

struct Told {
  atomic_int calls, ends;
};

static void note(MPI_T_event_instance instance, MPI_T_event_registration registration,
                 MPI_T_cb_safety safety, void* data) {
  int kind = -1, source = -1;
  (void)registration;
  CHECK(safety == MPI_T_CB_REQUIRE_THREAD_SAFE);
  OK(MPI_T_event_read(instance, 0, &kind));
  OK(MPI_T_event_get_source(instance, &source));
  CHECK(kind == 0 && source == 0);
  ++((struct Told*)data)->calls;
}

static void note_end(MPI_T_event_registration registration, MPI_T_cb_safety safety, void* data) {
  (void)registration, (void)safety;
  ++((struct Told*)data)->ends;
}

static void* work(void* argument) {
  MPI_Comm comm = *(MPI_Comm*)argument;
  MPI_T_pvar_session own;
  MPI_T_pvar_handle handle, second;
  int provided, index, count;
  struct Told told = {0};
  OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
  OK(MPI_T_pvar_session_create(&own));
  OK(MPI_T_pvar_get_index("collectives", counter, &index));
  OK(MPI_T_pvar_handle_alloc(own, index, &comm, &handle, &count));
  OK(MPI_T_pvar_start(own, handle));
  for (int i = 1; i <= rounds; ++i) {
    MPI_T_event_registration registration = listen_to("collective_entered", &comm, &told, note);
    Value value = 0;
    MPI_Barrier(comm);
    OK(MPI_T_pvar_read(own, handle, &value));
    CHECK(value == (Value)i);
    CHECK(told.calls == i);
    OK(MPI_T_pvar_handle_alloc(own, index, &comm, &second, &count));
    OK(MPI_T_pvar_start(own, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_read(own, second, &value));
    CHECK(value == 0);
    OK(MPI_T_pvar_handle_free(own, &second));
    OK(MPI_T_event_handle_free(registration, &told, note_end));
  }
  OK(MPI_T_pvar_session_free(&own));
  OK(MPI_T_finalize());
  /* A thread that told others at the end may be the one that ends a registration. */
  while (told.ends < rounds) sched_yield();
  CHECK(told.ends == rounds && told.calls == rounds);
  --under_way;
  return NULL;
}

static void* sample(void* unused) {
  Value last = 0;
  (void)unused;
  struct Watched barriers = watch("wakeups", counter, NULL);
  struct Watched sleeps = watch("sleep_time", timer, NULL);
  double asleep = 0;
  while (under_way > 0) {
    const Value now = value_of(barriers);
    const double seconds = time_of(sleeps);
    CHECK(now >= last && seconds >= asleep);
    last = now;
    asleep = seconds;
    CHECK(get("eager_bytes_max") >= 48);
  }
  unwatch(&barriers);
  unwatch(&sleeps);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  threads = atoi(argv[1]);
  rounds = atoi(argv[2]);
  OK(MPI_T_pvar_session_create(&session));
  MPI_Comm* comms = malloc((size_t)threads * sizeof *comms);
  pthread_t* ids = malloc((size_t)(threads + 1) * sizeof *ids);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  under_way = threads;
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, work, &comms[i]);
  pthread_create(&ids[threads], NULL, sample, NULL);
  for (int i = 0; i <= threads; ++i) pthread_join(ids[i], NULL);
  for (int i = 0; i < threads; ++i) MPI_Comm_free(&comms[i]);
  free(comms);
  free(ids);
  OK(MPI_T_finalize());
  return finish();
}
