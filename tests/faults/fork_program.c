/* A rank that starts other processes between its messages. Its first word says how; none of them
 * may disturb the job. Run by fork_test.py. usage: fork_program HOW [ROUNDS |
 * CHILD_NAME] */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;
static pid_t rank_process;
static char* program;

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
      if (getpid() != rank_process) _exit(99);                                               \
      MPI_Abort(MPI_COMM_WORLD, 99);                                                         \
    }                                                                                        \
  } while (0)

/* What an interpreter's MPI package does at exit. */
static void finalize_at_exit(void) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (getpid() != rank_process) CHECK(initialized && finalized);
  if (initialized && !finalized) MPI_Finalize();
}

static int code_of(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What a child does, and the exit code that it must have then (-1: any failure of its own). */
static int child_does(const char* how) {
  int value = 0, provided;
  if (strcmp(how, "_exit") == 0) _exit(7);
  if (strcmp(how, "exit") == 0) exit(7);
  if (strcmp(how, "send") == 0) MPI_Send(&value, 1, MPI_INT, rank, 66, MPI_COMM_WORLD);
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 55);
  if (strcmp(how, "finalize") == 0) MPI_Finalize();
  if (strcmp(how, "init") == 0) MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
  if (strcmp(how, "session") == 0) {
    MPI_Session session;
    _exit(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS ? 0 : 7);
  }
  if (strcmp(how, "program") == 0) execl(program, program, "nothing", NULL);
  if (strcmp(how, "signal") == 0) raise(SIGKILL);
  _exit(0);
}

/* Neither the job's memory nor a descriptor of it reaches a child or its programs. */
static void look_for_inherited_parts(void) {
  char line[512];
  FILE* output = popen("ls -l /proc/self/fd", "r");
  CHECK(output != NULL);
  while (fgets(line, sizeof line, output)) CHECK(!strstr(line, "memfd"));
  CHECK(pclose(output) == 0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    FILE* maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps)) CHECK(!strstr(line, "memfd"));
    _exit(7);
  }
  CHECK(code_of(child) == 7);
}

static void start_another(const char* how) {
  char word[16] = "";
  if (strcmp(how, "system") == 0) {
    CHECK(system("exit 7") == 7 << 8);
  } else if (strcmp(how, "popen") == 0) {
    FILE* output = popen("echo word", "r");
    CHECK(output && fgets(word, sizeof word, output) && strcmp(word, "word\n") == 0);
    CHECK(pclose(output) == 0);
  } else if (strcmp(how, "inherited") == 0) {
    look_for_inherited_parts();
  } else {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) child_does(how);
    int code = code_of(child);
    int returns =
        strcmp(how, "exit") == 0 || strcmp(how, "_exit") == 0 || strcmp(how, "session") == 0;
    CHECK(returns ? code == 7 : code != 0);
  }
}

/* Messages of all ways are under way while the other process lives. */
static void round_of_messages(const char* how, int round) {
  enum { bytes = 300000 };
  static unsigned char out[bytes], in[bytes];
  int next = (rank + 1) % size, previous = (rank + size - 1) % size, got = -1, early = -1, sum = 0;
  MPI_Request requests[4];
  memset(out, rank + round + 1, bytes);
  MPI_Irecv(in, bytes, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&got, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, bytes, MPI_BYTE, next, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&round, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[3]);
  if (round % size == rank || round % 3 == 0) start_another(how);
  MPI_Send(&round, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
  MPI_Recv(&early, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(got == round && early == round);
  for (int i = 0; i < bytes; ++i) CHECK(in[i] == (unsigned char)(previous + round + 1));
  MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == round * size);
}

/* A child that stays when its rank has gone, in a session of its own, with all it inherited. */
static void leave_a_child(const char* name) {
  fflush(NULL);
  if (fork() == 0) {
    setsid();
    execlp("sleep", name, "1000", NULL);
    _exit(1);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "nothing";
  int rounds = argc > 2 ? atoi(argv[2]) : 1;
  program = argv[0];
  rank_process = getpid();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  atexit(finalize_at_exit);
  if (strncmp(how, "stays", 5) == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    leave_a_child(argc > 2 ? argv[2] : "sleep");
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "stays-killed") == 0 && rank == size - 1) raise(SIGKILL);
    if (strcmp(how, "stays-killed") == 0) MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "waits") == 0) {
    pause();
  } else if (strcmp(how, "nothing") != 0) {
    for (int round = 0; round < rounds; ++round) round_of_messages(how, round);
  }
  if (rank == 0) printf("came to the end\n");
  return fflush(stdout) == 0 ? 0 : 1; /* finalize_at_exit does the rest */
}
