/* Baton's tool interface in jobs of several ranks: what variables count is what the program did,
 * settings that are written take effect, and events come with the right data. ARGUMENT "network":
 * messages go between nodes, where other ways and limits hold. */
#include <unistd.h>

#include "tool_watch.h"

/* Where one rank is to wait for another, one that is late does not: it is tried again. */
enum { long_bytes = 1 << 20, patience_us = 10000, rounds_max = 200 };

static int network;
static char* long_data;

static int is_so_everywhere(int here) {
  int all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all;
}

/* Every rank sends to the next: short messages, which the sender counts, and long ones, which one
 * of the two does. */
static void messages_are_counted_by_rank_and_way(void) {
  enum { shorts = 37, longs = 5, short_bytes = 8 };
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  struct Ways messages = watch_ways("messages_", counter), bytes = watch_ways("bytes_", sum);
  long long data = rank, got;
  MPI_Request request;
  /* Others' first messages may bring lines of their own: all begin together. */
  MPI_Sendrecv(&data, 1, MPI_LONG_LONG, next, 1, &got, 1, MPI_LONG_LONG, before, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  Value messages_before = total_of(&messages, next), bytes_before = total_of(&bytes, next);
  for (int i = 0; i < shorts; ++i) {
    MPI_Irecv(&got, 1, MPI_LONG_LONG, before, 2, MPI_COMM_WORLD, &request);
    MPI_Send(&data, 1, MPI_LONG_LONG, next, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (size > 2) { /* of two ranks the one before is the next one, too */
    CHECK(total_of(&messages, next) - messages_before == shorts);
    CHECK(total_of(&bytes, next) - bytes_before == shorts * short_bytes);
    CHECK(total_of(&messages, rank) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  /* Of each message one side counts. */
  messages_before = total_of(&messages, next);
  Value here = total_of(&bytes, next) + (size > 2 ? total_of(&bytes, before) : 0);
  for (int i = 0; i < longs; ++i) {
    MPI_Irecv(long_data, long_bytes, MPI_CHAR, before, 3, MPI_COMM_WORLD, &request);
    MPI_Send(long_data + long_bytes, long_bytes, MPI_CHAR, next, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  here = total_of(&bytes, next) + (size > 2 ? total_of(&bytes, before) : 0) - here;
  unsigned long long all = here, together = 0;
  MPI_Allreduce(&all, &together, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(together == (unsigned long long)size * longs * long_bytes);
  unwatch_ways(&messages);
  unwatch_ways(&bytes);
}

static void collectives_are_counted_by_communicator(void) {
  MPI_Comm world = MPI_COMM_WORLD, comm;
  MPI_Comm_dup(world, &comm);
  struct Watched of_world = watch("collectives", counter, &world),
                 of_comm = watch("collectives", counter, &comm);
  for (int i = 0; i < 7; ++i) MPI_Barrier(comm);
  int value = rank, total;
  MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, world);
  CHECK(value_of(of_comm) == 7);
  CHECK(value_of(of_world) == 1);
  unwatch(&of_world);
  unwatch(&of_comm);
  MPI_Comm_free(&comm);
}

struct Arrivals {
  int calls, source, tags;
  MPI_Count bytes, last;
};

static void note_arrival(MPI_T_event_instance instance, MPI_T_event_registration registration,
                         MPI_T_cb_safety safety, void* data) {
  struct Arrivals* arrivals = data;
  int tag;
  MPI_Count bytes, time;
  (void)registration, (void)safety;
  OK(MPI_T_event_read(instance, 0, &bytes));
  OK(MPI_T_event_read(instance, 1, &arrivals->source));
  OK(MPI_T_event_read(instance, 2, &tag));
  OK(MPI_T_event_get_timestamp(instance, &time));
  CHECK(time >= arrivals->last);
  arrivals->last = time;
  arrivals->bytes += bytes;
  arrivals->tags += tag;
  ++arrivals->calls;
}

/* Rank 0 sends to each other rank, which waits for the last message before it receives any. */
static void unexpected_messages_are_told(void) {
  enum { messages = 5, tag = 10 };
  int data[messages] = {1, 2, 3, 4, 5};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  struct Arrivals arrivals = {0}, elsewhere = {0};
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_event_registration here = listen_to("message_unexpected", &comm, &arrivals, note_arrival);
  MPI_T_event_registration there =
      listen_to("message_unexpected", &world, &elsewhere, note_arrival);
  struct Watched level = watch("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &comm);
  struct Watched most = watch("unexpected_messages", MPI_T_PVAR_CLASS_HIGHWATERMARK, &comm);
  struct Watched counted = watch("unexpected", counter, NULL);
  MPI_Barrier(comm);
  if (rank == 0)
    for (int to = 1; to < size; ++to)
      for (int i = 0; i < messages; ++i) MPI_Send(data, i, MPI_INT, to, tag + i, comm);
  if (rank != 0) {
    MPI_Probe(0, tag + messages - 1, comm, MPI_STATUS_IGNORE);
    CHECK(value_of(level) == messages);
    CHECK(value_of(counted) >= messages);
    CHECK(arrivals.calls == messages);
    CHECK(arrivals.source == 0);
    CHECK(arrivals.bytes == 4 * (0 + 1 + 2 + 3 + 4));
    CHECK(arrivals.tags == messages * tag + 0 + 1 + 2 + 3 + 4);
    CHECK(elsewhere.calls == 0);
    for (int i = 0; i < messages; ++i)
      MPI_Recv(data, messages, MPI_INT, 0, tag + i, comm, MPI_STATUS_IGNORE);
    CHECK(value_of(level) == 0);
    CHECK(value_of(most) == messages);
  }
  MPI_Barrier(comm);
  OK(MPI_T_event_handle_free(here, NULL, NULL));
  OK(MPI_T_event_handle_free(there, NULL, NULL));
  unwatch(&level);
  unwatch(&most);
  unwatch(&counted);
  MPI_Comm_free(&comm);
}

/* Each message waits for its answer, so that none finds the ring full. */
static Value sent_eagerly(int times) {
  enum { bytes = 1000 };
  int answer = 0;
  MPI_Comm world = MPI_COMM_WORLD;
  Value* values = calloc((size_t)size, sizeof *values);
  struct Watched eager = watch("messages_eager", counter, &world);
  for (int i = 0; i < times; ++i) {
    if (rank == 0) MPI_Send(long_data, bytes, MPI_CHAR, 1, 4, world);
    if (rank == 0) MPI_Recv(&answer, 1, MPI_INT, 1, 5, world, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Recv(long_data, bytes, MPI_CHAR, 0, 4, world, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&answer, 1, MPI_INT, 0, 5, world);
  }
  OK(MPI_T_pvar_read(session, eager.handle, values));
  const Value sent = rank == 0 ? values[1] : 0;
  unwatch(&eager);
  free(values);
  MPI_Barrier(world);
  return sent;
}

struct Protocols {
  int calls, last;
  MPI_Count bytes;
};

static void note_protocol(MPI_T_event_instance instance, MPI_T_event_registration registration,
                          MPI_T_cb_safety safety, void* data) {
  struct Protocols* protocols = data;
  (void)registration, (void)safety;
  MPI_Count bytes;
  OK(MPI_T_event_read(instance, 0, &bytes));
  OK(MPI_T_event_read(instance, 2, &protocols->last));
  protocols->bytes += bytes;
  ++protocols->calls;
}

/* The longest eager message is a setting that can be changed at any time. */
static void a_written_setting_takes_effect(void) {
  enum { times = 8 };
  struct Protocols protocols = {0};
  MPI_T_event_registration told = listen_to("protocol_chosen", NULL, &protocols, note_protocol);
  const MPI_Count before = get("eager_bytes_max");
  if (rank == 0) CHECK(sent_eagerly(times) == times);
  if (rank != 0) sent_eagerly(times);
  if (rank == 0) CHECK(protocols.calls >= times); /* messages that leave at once are told, too */
  set("eager_bytes_max", 48);
  CHECK(get("eager_bytes_max") == 48);
  protocols.calls = 0;
  protocols.bytes = 0;
  CHECK(sent_eagerly(times) == 0);
  int calls = protocols.calls, all = 0;
  MPI_Allreduce(&calls, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all >= times); /* one of the two sides tells of each */
  set("eager_bytes_max", before);
  if (rank == 0) CHECK(sent_eagerly(times) == times);
  if (rank != 0) sent_eagerly(times);
  OK(MPI_T_event_handle_free(told, NULL, NULL));
}

struct Sleeps {
  int sleeps, wakes;
  MPI_Count nanoseconds;
};

static void note_sleep(MPI_T_event_instance instance, MPI_T_event_registration registration,
                       MPI_T_cb_safety safety, void* data) {
  MPI_Count bound;
  (void)registration, (void)safety;
  OK(MPI_T_event_read(instance, 0, &bound));
  CHECK(bound > 0);
  ++((struct Sleeps*)data)->sleeps;
}

static void note_wake(MPI_T_event_instance instance, MPI_T_event_registration registration,
                      MPI_T_cb_safety safety, void* data) {
  struct Sleeps* sleeps = data;
  MPI_Count nanoseconds;
  (void)registration, (void)safety;
  OK(MPI_T_event_read(instance, 0, &nanoseconds));
  sleeps->nanoseconds += nanoseconds;
  ++sleeps->wakes;
}

/* Ranks that may not spin go to sleep while they wait. */
static void sleeps_are_told_and_timed(void) {
  struct Sleeps sleeps = {0};
  int data = 5;
  const MPI_Count spins = get("spin_count"), yields = get("yield_count");
  set("spin_count", 0);
  set("yield_count", 0);
  MPI_T_event_registration asleep = listen_to("rank_sleeps", NULL, &sleeps, note_sleep);
  MPI_T_event_registration awake = listen_to("rank_wakes", NULL, &sleeps, note_wake);
  struct Watched counted = watch("sleeps", counter, NULL), slept = watch("sleep_time", timer, NULL);
  int rounds = 0;
  do {
    CHECK(++rounds <= rounds_max);
    if (rank == 0) usleep(patience_us);
    if (rank == 0)
      for (int to = 1; to < size; ++to) MPI_Send(&data, 1, MPI_INT, to, 6, MPI_COMM_WORLD);
    if (rank != 0) MPI_Recv(&data, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } while (!is_so_everywhere(rank == 0 || value_of(counted) > 0));
  CHECK(sleeps.sleeps <= (int)value_of(counted));
  CHECK(sleeps.wakes == sleeps.sleeps);
  if (rank != 0) {
    CHECK(sleeps.sleeps > 0 && sleeps.nanoseconds > 0);
    const double seconds = time_of(slept), told = 1e-9 * (double)sleeps.nanoseconds;
    CHECK(seconds > 0.999 * told && seconds < 1.001 * told);
  }
  OK(MPI_T_event_handle_free(asleep, NULL, NULL));
  OK(MPI_T_event_handle_free(awake, NULL, NULL));
  unwatch(&counted);
  unwatch(&slept);
  set("spin_count", spins);
  set("yield_count", yields);
  MPI_Barrier(MPI_COMM_WORLD);
}

struct Waits {
  int calls, target, exclusive;
  MPI_Count nanoseconds;
};

static void note_wait(MPI_T_event_instance instance, MPI_T_event_registration registration,
                      MPI_T_cb_safety safety, void* data) {
  struct Waits* waits = data;
  (void)registration, (void)safety;
  OK(MPI_T_event_read(instance, 0, &waits->nanoseconds));
  OK(MPI_T_event_read(instance, 1, &waits->target));
  OK(MPI_T_event_read(instance, 2, &waits->exclusive));
  ++waits->calls;
}

static void windows_count_operations_and_locks(void) {
  MPI_Win win, other;
  int *memory, *unused, value = 3, got, swapped, gotten[4];
  struct Waits waits = {0};
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &other);
  struct Watched puts = watch("window_puts", counter, &win),
                 bytes = watch("window_put_bytes", sum, &win);
  struct Watched gets = watch("window_gets", counter, &win),
                 adds = watch("window_accumulates", counter, &win);
  struct Watched fetches = watch("window_get_accumulates", counter, &win);
  struct Watched others = watch("window_puts", counter, &other);
  struct Watched locks = watch("window_lock_waits", counter, &win);
  struct Watched waited = watch("window_lock_wait_time", timer, &win);
  MPI_T_event_registration told = listen_to("lock_waited", &win, &waits, note_wait);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 6; ++i) MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, i, 1, MPI_INT, win);
  for (int i = 0; i < 4; ++i) MPI_Get(&gotten[i], 1, MPI_INT, rank, 8, 1, MPI_INT, win);
  MPI_Accumulate(&value, 1, MPI_INT, rank, 9, 1, MPI_INT, MPI_SUM, win);
  MPI_Fetch_and_op(&value, &got, MPI_INT, rank, 10, MPI_SUM, win);
  MPI_Compare_and_swap(&value, &value, &swapped, MPI_INT, rank, 11, win);
  MPI_Win_unlock_all(win);
  CHECK(value_of(puts) == 6);
  CHECK(value_of(bytes) == 6 * sizeof(int));
  CHECK(value_of(gets) == 4);
  CHECK(value_of(adds) == 1);
  CHECK(value_of(fetches) == 2);
  CHECK(value_of(others) == 0);
  /* Rank 0 has its own lock first; the others come while it has. */
  MPI_Barrier(MPI_COMM_WORLD);
  waits.calls = 0;
  const Value before = value_of(locks);
  const double time_before = time_of(waited);
  int rounds = 0;
  do {
    CHECK(++rounds <= rounds_max);
    if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (rank == 0) MPI_Put(&value, 1, MPI_INT, 0, 12, 1, MPI_INT, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) usleep(patience_us);
    if (rank != 0) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (rank != 0) MPI_Get(&got, 1, MPI_INT, 0, 12, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    if (rank != 0) CHECK(got == value);
  } while (!is_so_everywhere(rank == 0 || value_of(locks) > before));
  if (rank != 0) {
    CHECK(value_of(locks) <= before + (Value)rounds);
    CHECK(value_of(locks) - before == (Value)waits.calls);
    CHECK(time_of(waited) > time_before);
    CHECK(waits.target == 0 && !waits.exclusive && waits.nanoseconds > 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  OK(MPI_T_event_handle_free(told, NULL, NULL));
  unwatch(&puts);
  unwatch(&locks);
  MPI_Win_free(&win);
  Value gone;
  CHECK(MPI_T_pvar_read(session, gets.handle, &gone) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(value_of(others) == 0);
  unwatch(&gets);
  unwatch(&others);
  MPI_Win_free(&other);
}

struct Accesses {
  int begun, planned, ended, collective;
  MPI_Count bytes;
};

static void note_begun(MPI_T_event_instance instance, MPI_T_event_registration registration,
                       MPI_T_cb_safety safety, void* data) {
  struct Accesses* accesses = data;
  (void)registration, (void)safety;
  OK(MPI_T_event_read(instance, 2, &accesses->collective));
  ++accesses->begun;
}

static void note_planned(MPI_T_event_instance instance, MPI_T_event_registration registration,
                         MPI_T_cb_safety safety, void* data) {
  struct Accesses* accesses = data;
  (void)instance, (void)registration, (void)safety;
  CHECK(accesses->begun == accesses->ended + 1);
  ++accesses->planned;
}

static void note_ended(MPI_T_event_instance instance, MPI_T_event_registration registration,
                       MPI_T_cb_safety safety, void* data) {
  struct Accesses* accesses = data;
  MPI_Count bytes;
  (void)registration, (void)safety;
  OK(MPI_T_event_read(instance, 0, &bytes));
  accesses->bytes += bytes;
  ++accesses->ended;
}

static void files_count_accesses_and_tell_their_phases(void) {
  enum { bytes = 3000 };
  MPI_File file;
  char name[64];
  struct Accesses accesses = {0};
  snprintf(name, sizeof name, "tool_%d%s.data", size, network ? "_network" : "");
  OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &file));
  struct Watched writes = watch("file_writes", counter, &file),
                 reads_all = watch("file_reads_all", counter, &file);
  struct Watched written = watch("file_written_bytes", sum, &file),
                 read = watch("file_read_bytes", sum, &file);
  MPI_T_event_registration begun = listen_to("file_access_begun", &file, &accesses, note_begun);
  MPI_T_event_registration planned =
      listen_to("file_access_planned", &file, &accesses, note_planned);
  MPI_T_event_registration ended = listen_to("file_access_ended", &file, &accesses, note_ended);
  MPI_File_write_at(file, rank * bytes, long_data, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
  CHECK(accesses.begun == 1 && accesses.ended == 1 && accesses.planned == 0);
  CHECK(!accesses.collective && accesses.bytes == bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i)
    MPI_File_read_at_all(file, rank * bytes, long_data, bytes, MPI_CHAR, MPI_STATUS_IGNORE);
  CHECK(accesses.begun == 4 && accesses.ended == 4);
  CHECK(accesses.planned == (size > 1 ? 3 : 0));
  CHECK(accesses.bytes == 4 * bytes);
  CHECK(value_of(writes) == 1 && value_of(written) == bytes);
  CHECK(value_of(reads_all) == (size > 1 ? 3 : 0) && value_of(read) == 3 * bytes);
  OK(MPI_T_event_handle_free(begun, NULL, NULL));
  OK(MPI_T_event_handle_free(planned, NULL, NULL));
  OK(MPI_T_event_handle_free(ended, NULL, NULL));
  MPI_File_close(&file);
  Value gone;
  CHECK(MPI_T_pvar_read(session, writes.handle, &gone) == MPI_T_ERR_INVALID_HANDLE);
}

int main(int argc, char** argv) {
  int provided;
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  start(&argc, &argv);
  network = argc > 1;
  long_data = calloc(2, long_bytes);
  OK(MPI_T_pvar_session_create(&session));
  messages_are_counted_by_rank_and_way();
  collectives_are_counted_by_communicator();
  unexpected_messages_are_told();
  if (!network) a_written_setting_takes_effect();
  sleeps_are_told_and_timed();
  windows_count_operations_and_locks();
  files_count_accesses_and_tell_their_phases();
  OK(MPI_T_pvar_session_free(&session));
  OK(MPI_T_finalize());
  free(long_data);
  return finish();
}
