/* What goes wrong when jobs meet, or are to. usage: failures_program CASE [WORDS], see main */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "tests/dynamic/meeting.h"

static int rank, size;

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

static void expect(int code, int class, const char* words) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length;
  MPI_Error_string(code, text, &length);
  if (class_of(code) != class || !strstr(text, words))
    fprintf(stderr, "class %d instead of %d, \"%s\": %s\n", class_of(code), class, words, text);
  CHECK(class_of(code) == class && strstr(text, words));
}

/* A port's name goes through a file that appears when it is complete; so does that something has
   happened. */
static void tell(const char* folder, const char* name, const char* words) {
  char path[512], fresh[520];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE* file = fopen(fresh, "w");
  CHECK(file && fputs(words, file) >= 0 && fclose(file) == 0 && rename(fresh, path) == 0);
}

static void hear(const char* folder, const char* name, char* words) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = NULL;
  while (!(file = fopen(path, "r"))) usleep(1000);
  CHECK(fgets(words, MPI_MAX_PORT_NAME, file));
  fclose(file);
}

static MPI_Info with_timeout(const char* seconds) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "timeout", seconds);
  return info;
}

static int spawn_on(const char* command, int root, MPI_Comm comm, MPI_Comm* inter) {
  return MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, root, comm, inter,
                        MPI_ERRCODES_IGNORE);
}

/* Arguments without sense are errors, at all ranks. */
static void argue(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm inter = MPI_COMM_WORLD;
  CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
  for (int root = -1; root <= size; root += size + 1) {
    expect(MPI_Comm_accept(port, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter), MPI_ERR_ROOT, "root");
    CHECK(inter == MPI_COMM_NULL);
    expect(MPI_Comm_connect(port, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter), MPI_ERR_ROOT, "root");
    expect(spawn_on("/bin/true", root, MPI_COMM_WORLD, &inter), MPI_ERR_ROOT, "root");
    expect(MPI_Comm_spawn_multiple(0, NULL, NULL, NULL, NULL, root, MPI_COMM_WORLD, &inter, NULL),
           MPI_ERR_ROOT, "root");
  }
  const char* of_port = rank == 0 ? "(port_name)" : "the local leader (rank 0) gave up";
  expect(MPI_Comm_accept(NULL, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_ARG, of_port);
  expect(MPI_Comm_connect(NULL, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_ARG, of_port);
  char* command = "/bin/true";
  const int one = 1;
  const MPI_Info none = MPI_INFO_NULL;
  const char* of_spawn = rank == 0 ? "(array_of_" : "the arguments of the root (rank 0)";
  expect(MPI_Comm_spawn_multiple(1, NULL, NULL, &one, &none, 0, MPI_COMM_WORLD, &inter, NULL),
         MPI_ERR_ARG, of_spawn);
  expect(MPI_Comm_spawn_multiple(1, &command, NULL, NULL, &none, 0, MPI_COMM_WORLD, &inter, NULL),
         MPI_ERR_ARG, of_spawn);
  expect(MPI_Comm_spawn_multiple(1, &command, NULL, &one, NULL, 0, MPI_COMM_WORLD, &inter, NULL),
         MPI_ERR_ARG, of_spawn);
  MPI_Info gone = with_timeout("1"), copy = gone;
  MPI_Info_free(&gone);
  expect(MPI_Comm_spawn(command, NULL, 1, copy, 0, MPI_COMM_WORLD, &inter, NULL), MPI_ERR_INFO,
         rank == 0 ? "(info)" : "the arguments of the root (rank 0)");
  CHECK(inter == MPI_COMM_NULL && MPI_Close_port(port) == MPI_SUCCESS);
}

/* As many as have given up wait at a port that nobody looks at, and one more. */
static void queue_up(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm inter;
  MPI_Info soon = with_timeout("0.001");
  CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
  port[strcspn(port, "@")] = 0; /* of this host */
  for (int i = 0; i < 200; ++i)
    expect(MPI_Comm_connect(port, soon, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "nobody has accepted");
  MPI_Info_free(&soon);
}

/* Clients that have given up, or died, are none of those that an accept waits for. */
static void accept_late(const char* folder) {
  char port[MPI_MAX_PORT_NAME], word[MPI_MAX_PORT_NAME];
  MPI_Comm inter;
  if (rank == 0) {
    CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
    tell(folder, "port", port);
    hear(folder, "given_up", word);
  }
  CHECK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter) == MPI_SUCCESS);
  exchange_messages(inter);
  MPI_Comm_disconnect(&inter);
  if (rank == 0) MPI_Close_port(port);
}

static void connect_twice(const char* folder) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm inter;
  MPI_Info soon = with_timeout("0.1");
  hear(folder, "port", port);
  expect(MPI_Comm_connect(port, soon, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT, "nobody has accepted");
  MPI_Info_free(&soon);
  tell(folder, "given_up", "yes");
  CHECK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter) == MPI_SUCCESS);
  exchange_messages(inter);
  MPI_Comm_disconnect(&inter);
}

/* The other job that all wait for does not come; rank 1 revokes the communicator, or dies. */
static void wait_in_vain(const char* way, const char* end) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm comm, inter;
  const int revokes = strcmp(end, "revoke") == 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (rank == 0) CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
  /* By TCP, if the port is not found on this host. */
  if (strcmp(way, "connect_far") == 0) port[strlen("baton:")] ^= 1;
  MPI_Barrier(comm);
  if (rank == 1) {
    usleep(300000); /* so that the others wait most likely */
    if (!revokes) raise(SIGKILL);
    CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
  }
  const int error = strcmp(way, "accept") == 0
                        ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, comm, &inter)
                        : MPI_Comm_connect(port, MPI_INFO_NULL, 0, comm, &inter);
  CHECK(class_of(error) == (revokes ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED));
  CHECK(inter == MPI_COMM_NULL);
  MPI_Comm_free(&comm);
}

static void* part(void* inter) {
  CHECK(MPI_Comm_disconnect(inter) == MPI_SUCCESS);
  return NULL;
}

/* Two jobs meet again while another thread ends all that they have had in common. */
static void meet_and_part(const char* role, const char* folder, int times) {
  const int accepts = strcmp(role, "part_accept") == 0;
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm last = MPI_COMM_NULL, next;
  if (accepts) {
    CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
    tell(folder, "port", port);
  } else {
    hear(folder, "port", port);
  }
  for (int i = 0; i < times; ++i) {
    pthread_t thread;
    if (i) CHECK(pthread_create(&thread, NULL, part, &last) == 0);
    expect((accepts ? MPI_Comm_accept : MPI_Comm_connect)(port, MPI_INFO_NULL, 0, MPI_COMM_SELF,
                                                          &next),
           MPI_SUCCESS, "");
    if (i) CHECK(pthread_join(thread, NULL) == 0);
    int got = -1;
    CHECK(MPI_Sendrecv(&i, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, next, MPI_STATUS_IGNORE) ==
              MPI_SUCCESS &&
          got == i);
    last = next;
  }
  CHECK(MPI_Comm_disconnect(&last) == MPI_SUCCESS);
  if (accepts) MPI_Close_port(port);
}

static int open_files(void) {
  int count = 0;
  DIR* list = opendir("/proc/self/fd");
  while (readdir(list)) ++count;
  closedir(list);
  return count;
}

/* Sockets whose connections end after ever more bytes: NUMBERS of descriptors. */
static void join_over(int count, char** numbers) {
  int before = 0, joined = 0;
  for (int i = 0; i < count; ++i) {
    MPI_Comm inter;
    if (MPI_Comm_join(atoi(numbers[i]), &inter) == MPI_SUCCESS) {
      exchange_messages(inter);
      MPI_Comm_disconnect(&inter);
      ++joined;
    } else {
      CHECK(inter == MPI_COMM_NULL);
    }
    if (i == 0) before = open_files();
  }
  CHECK(joined > 0 && joined < count);
  if (open_files() > before) fprintf(stderr, "%d descriptors more\n", open_files() - before);
  CHECK(open_files() <= before);
}

int main(int count, char** words) {
  const char* what = words[1];
  const int with_threads = strncmp(what, "part", 4) == 0;
  int level;
  MPI_Init_thread(&count, &words, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (strcmp(what, "argue") == 0) argue();
  if (strcmp(what, "queue") == 0) queue_up();
  if (strcmp(what, "accept_late") == 0) accept_late(words[2]);
  if (strcmp(what, "connect_twice") == 0) connect_twice(words[2]);
  if (strcmp(what, "in_vain") == 0) wait_in_vain(words[2], words[3]);
  if (with_threads) meet_and_part(what, words[2], atoi(words[3]));
  if (strcmp(what, "join") == 0) join_over(count - 2, words + 2);
  if (rank == 0) printf("%s: all checks held\n", what);
  MPI_Finalize();
  return 0;
}
