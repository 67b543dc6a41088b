/* With BATON_PROGRESS_THREAD=1 messages go on while their program computes. No time is asserted:
 * one side computes, without a call of MPI, until the other says in shared memory that its part is
 * over; without the thread that would be never. usage: progress_thread_test [abort|kill|session] */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

enum { long_bytes = 4 << 20, short_bytes = 512, many = 2000 };

static atomic_int* word; /* shared by ranks 0 and 1 */

/* Rank 0 makes a memory file, rank 1 opens it by its number there. */
static void share_word(void) {
  int place[2] = {getpid(), -1};
  if (rank == 0) {
    place[1] = memfd_create("progress_thread_test", 0);
    CHECK(place[1] >= 0 && ftruncate(place[1], 4096) == 0);
  }
  MPI_Bcast(place, 2, MPI_INT, 0, MPI_COMM_WORLD);
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/fd/%d", place[0], place[1]);
  int file = open(name, O_RDWR);
  CHECK(file >= 0);
  word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(word != MAP_FAILED);
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Computes until the other has got as far. */
static void compute_until(int turn) {
  while (atomic_load(word) < turn) continue;
}

static void a_send_goes_on_while_its_sender_computes(int turn, unsigned char* data) {
  MPI_Request request;
  if (rank == 0) {
    fill_bytes(data, long_bytes, (uint64_t)turn);
    MPI_Isend(data, long_bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    compute_until(turn);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(data, long_bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(bytes_are(data, long_bytes, (uint64_t)turn));
    atomic_store(word, turn);
  }
}

static void a_receive_goes_on_while_its_receiver_computes(int turn, unsigned char* data) {
  MPI_Request request;
  if (rank == 0) {
    fill_bytes(data, long_bytes, (uint64_t)turn);
    MPI_Ssend(data, long_bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    atomic_store(word, turn);
  } else if (rank == 1) {
    MPI_Irecv(data, long_bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
    compute_until(turn);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(bytes_are(data, long_bytes, (uint64_t)turn));
  }
}

/* More than a ring and the staging take at once. */
static void many_short_sends_leave_while_their_sender_computes(int turn, unsigned char* data) {
  static MPI_Request requests[many];
  if (rank == 0) {
    for (int i = 0; i < many; ++i) {
      fill_bytes(data + i * short_bytes, short_bytes, (uint64_t)i);
      MPI_Isend(data + i * short_bytes, short_bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
    }
    compute_until(turn);
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    for (int i = 0; i < many; ++i) {
      MPI_Recv(data, short_bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(bytes_are(data, short_bytes, (uint64_t)i));
    }
    atomic_store(word, turn);
  }
}

static void a_persistent_send_and_an_exchange_go_on(int turn, unsigned char* data) {
  MPI_Request request;
  if (rank == 0) {
    fill_bytes(data, long_bytes, (uint64_t)turn);
    MPI_Send_init(data, long_bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    compute_until(turn);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else if (rank == 1) {
    MPI_Recv(data, long_bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    atomic_store(word, turn);
  }
  if (rank > 1) return;
  unsigned char* other = data + long_bytes;
  MPI_Isendrecv(data, long_bytes, MPI_BYTE, 1 - rank, 4, other, long_bytes, MPI_BYTE, 1 - rank, 4,
                MPI_COMM_WORLD, &request);
  if (rank == 0) compute_until(turn + 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) atomic_store(word, turn + 1);
  CHECK(bytes_are(other, long_bytes, (uint64_t)turn));
}

/* Threads of this process, as they are called. */
static int progress_threads(void) {
  DIR* folder = opendir("/proc/self/task");
  int found = 0;
  for (struct dirent* entry; folder && (entry = readdir(folder));) {
    char name[320], text[32] = {0};
    snprintf(name, sizeof name, "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = fopen(name, "r");
    if (file && fgets(text, sizeof text, file)) found += !strcmp(text, "baton-progress\n");
    if (file) fclose(file);
  }
  if (folder) closedir(folder);
  return found;
}

static void children_have_no_such_thread(void) {
  pid_t child = fork();
  if (child == 0) _exit(progress_threads());
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void die(const char* how, unsigned char* data) {
  MPI_Request requests[2];
  if (rank > 1) return;
  MPI_Isend(data, long_bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  if (rank == 1 && !strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 7);
  if (rank == 1) kill(getpid(), SIGKILL);
  MPI_Irecv(data + long_bytes, long_bytes, MPI_BYTE, 1, 9, MPI_COMM_WORLD, &requests[1]);
  compute_until(1000);
}

static void sessions_have_it_while_there_are_some(void) {
  for (int round = 0; round < 3; ++round) {
    MPI_Session one, two;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &one);
    CHECK(progress_threads() == 1);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &two);
    MPI_Session_finalize(&one);
    CHECK(progress_threads() == 1);
    MPI_Session_finalize(&two);
    CHECK(progress_threads() == 0);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "session")) {
    sessions_have_it_while_there_are_some();
    printf("all checks held on 2 ranks\n"); /* each by itself */
    return 0;
  }
  int level = -1, provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Query_thread(&level);
  CHECK(provided == MPI_THREAD_SINGLE && level == MPI_THREAD_SINGLE);
  CHECK(progress_threads() == 1);
  unsigned char* data = calloc(2, long_bytes);
  CHECK(data != NULL);
  share_word();
  if (argc > 1) die(argv[1], data);
  for (int turn = 1; turn < 41; turn += 5) {
    a_send_goes_on_while_its_sender_computes(turn, data);
    a_receive_goes_on_while_its_receiver_computes(turn + 1, data);
    many_short_sends_leave_while_their_sender_computes(turn + 2, data);
    a_persistent_send_and_an_exchange_go_on(turn + 3, data);
  }
  children_have_no_such_thread();
  free(data);
  int code = finish();
  CHECK(progress_threads() == 0);
  return code;
}
