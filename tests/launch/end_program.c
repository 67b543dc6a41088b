/* Ends, crashes or gets a signal in the way that its first word names; "sessions" as the second one
 * does without MPI_Init where that is possible. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, sessions, linker_is_locked;
static volatile sig_atomic_t signals;
static const char* how;
static MPI_Session session;
static MPI_Comm comm;
static struct sigaction saved;

/* Instead of the C library's: a crash may leave the dynamic linker's lock taken. */
int dladdr(const void* address, Dl_info* info) {
  static int (*real)(const void*, Dl_info*);
  while (linker_is_locked) pause();
  if (!real) real = (int (*)(const void*, Dl_info*))dlsym(RTLD_NEXT, "dladdr");
  return real(address, info);
}

static void begin(void) {
  MPI_Group group;
  if (!sessions) {
    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  } else {
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "end_program", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
  }
  MPI_Comm_rank(comm, &rank);
}

static void finish(void) {
  MPI_Comm_free(&comm);
  if (sessions)
    MPI_Session_finalize(&session);
  else
    MPI_Finalize();
}

static void receive(int source) {
  int data;
  MPI_Recv(&data, 1, MPI_INT, source, 1, comm, MPI_STATUS_IGNORE);
}

static int overflow(int depth) {
  volatile char frame[64];
  frame[depth % 64] = (char)depth;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[(depth + 1) % 64];
}

/* A reduction that crashes, so that it happens within a call. Sanitizers are not to see it come. */
__attribute__((no_sanitize("undefined"))) static void crash(void* in, void* inout, int* length,
                                                            MPI_Datatype* type) {
  volatile int zero = *type == MPI_DATATYPE_NULL;
  char* beyond = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fileno(tmpfile()), 0);
  (void)in;
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "divide") == 0) *(int*)inout = *length / zero;
  if (strcmp(how, "bus") == 0) *(volatile char*)inout = *beyond;
  if (strcmp(how, "overflow") == 0) *(volatile int*)inout = overflow(0);
  *(volatile int*)8 = 1;
}

static void crash_within_a_call(void) {
  int in = 1, inout = 1;
  MPI_Op op;
  MPI_Op_create(crash, 0, &op);
  MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
}

static void own_handler(int number) {
  static const char text[] = "the program's own handler\n";
  if (write(2, text, sizeof text - 1) < 0 || number == 0) _exit(3);
  _exit(4);
}

static void handler_that_passes_on(int number, siginfo_t* info, void* context) {
  saved.sa_sigaction(number, info, context);
}

static void count(int number) {
  if (number) ++signals;
}

static void install(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &saved);
}

/* Rank 0 has ended with a code of its own, rank 2 waits for rank 1. */
static int one_after_the_other(const char* second) {
  if (rank == 0) {
    finish();
    return 3;
  }
  if (rank == 1) {
    usleep(300000);
    if (strcmp(second, "segfault") == 0) raise(SIGSEGV);
    if (strcmp(second, "mpi_abort") == 0) MPI_Abort(comm, 9);
    return 5;
  }
  receive(1);
  return 0;
}

static int with_a_signal(void) {
  int data = 7;
  signal(SIGUSR1, count);
  MPI_Barrier(comm);
  puts("ready");
  fflush(stdout);
  if (rank == 0) {
    while (!signals) usleep(1000);
    usleep(100000); /* the others get theirs in MPI_Recv */
    MPI_Send(&data, 1, MPI_INT, 1, 1, comm);
  } else {
    receive(0);
  }
  while (!signals) usleep(1000);
  finish();
  return 0;
}

static int between_sessions(void) {
  finish();
  if (rank == 0) return 3;
  begin();
  finish();
  return 0;
}

/* The others have still something to do. */
static int last(void) {
  finish();
  if (rank == 0) return 3;
  usleep(500000);
  puts("finished");
  return 0;
}

int main(int words_count, char** words) {
  int value = 0;
  how = words[1];
  sessions = words_count > 2 && strcmp(words[2], "sessions") == 0;
  begin();
  if (strncmp(how, "then_", 5) == 0) return one_after_the_other(how + 5);
  if (strcmp(how, "between") == 0) return between_sessions();
  if (strcmp(how, "last") == 0) return last();
  if (strcmp(how, "user_signal") == 0) return with_a_signal();
  if (rank == 1) {
    if (strcmp(how, "error") == 0) MPI_Send(&value, 1, MPI_INT, 99, 1, comm);
    if (strcmp(how, "own_handler") == 0) signal(SIGSEGV, own_handler);
    if (strcmp(how, "passes_on") == 0) install(handler_that_passes_on);
    if (strcmp(how, "locked") == 0) {
      sigset_t alarm;
      sigemptyset(&alarm);
      sigaddset(&alarm, SIGALRM);
      pthread_sigmask(SIG_BLOCK, &alarm, NULL);
      linker_is_locked = 1;
    }
    crash_within_a_call();
  }
  receive(1);
  return 0;
}
