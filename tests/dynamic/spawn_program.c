/* Programs that spawn, and those that are spawned. usage: spawn_program CASE [WORDS], see `cases`
 * and `be_child` */
#include <signal.h>
#include <unistd.h>

#include "tests/dynamic/meeting.h"

static int rank, size;
static const char* program;

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

/* Spawns children of this program; arguments count at the root only, which is the last rank. */
static MPI_Comm spawn(int children, MPI_Info info, char** words) {
  MPI_Comm inter;
  int codes[64];
  memset(codes, 0xff, sizeof codes);
  const int is_root = rank == size - 1;
  CHECK(MPI_Comm_spawn(is_root ? program : NULL, is_root ? words : NULL, is_root ? children : -1,
                       is_root ? info : MPI_INFO_NULL, size - 1, MPI_COMM_WORLD, &inter,
                       codes) == MPI_SUCCESS);
  int others;
  MPI_Comm_remote_size(inter, &others);
  CHECK(others <= children);
  for (int i = 0; i < children; ++i)
    CHECK(class_of(codes[i]) == (i < others ? MPI_SUCCESS : MPI_ERR_SPAWN));
  return inter;
}

static void use_children(int children) {
  char* words[] = {"child:use", "two words", "", ":", "--", NULL};
  MPI_Comm inter = spawn(children, MPI_INFO_NULL, words);
  use_intercommunicator(inter, 0);
  MPI_Comm_disconnect(&inter);
}

/* A communicator of both jobs from process sets alone: the parents first. `met` begins the name of
 * the other job's set, which there is as long as the intercommunicator. */
static void unite_process_sets(MPI_Comm inter, const char* met, int met_first) {
  MPI_Session session;
  MPI_Group own, theirs, all;
  MPI_Comm united;
  char name[64];
  int sets, length = sizeof name, others, sum, one = 1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  CHECK(sets == 3);
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 2, &length, name);
  CHECK(strncmp(name, met, strlen(met)) == 0 && length == (int)strlen(name) + 1);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &own);
  MPI_Group_from_session_pset(session, name, &theirs);
  MPI_Group_size(theirs, &others);
  int remote;
  MPI_Comm_remote_size(inter, &remote);
  CHECK(others == remote);
  MPI_Group_union(met_first ? theirs : own, met_first ? own : theirs, &all);
  MPI_Comm_create_from_group(all, "both jobs", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &united);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, united);
  CHECK(sum == size + remote);
  MPI_Comm_disconnect(&united);
  MPI_Comm_disconnect(&inter);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  CHECK(sets == 2);
  MPI_Group_free(&own);
  MPI_Group_free(&theirs);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}

static void name_process_sets(void) {
  char* words[] = {"child:sets", NULL};
  unite_process_sets(spawn(3, MPI_INFO_NULL, words), "baton://JOB/", 0);
}

/* Children on one node, of a job that is on several. */
static void use_near_children(int children) {
  unsetenv("BATON_RANKS_PER_NODE"); /* which their mpiexec reads */
  setenv("SEVERAL_NODES", "1", 1);
  use_children(children);
}

static void spawn_in_turn(int times) {
  char* words[] = {"child:leave", NULL};
  for (int i = 0; i < times; ++i) {
    MPI_Comm inter = spawn(1 + i % 2, MPI_INFO_NULL, words);
    MPI_Comm_disconnect(&inter);
  }
}

/* Spawns a program that spawns another one, and so on. */
static void nest(int depth) {
  char number[16];
  snprintf(number, sizeof number, "%d", depth - 1);
  char* words[] = {"child:nest", number, NULL};
  MPI_Comm inter = spawn(2, MPI_INFO_NULL, words);
  use_intercommunicator(inter, 0);
  MPI_Comm_disconnect(&inter);
}

/* Two jobs of children, which the parents connect. */
static void connect_children(void) {
  char* words[] = {"child:bridge", "0", NULL};
  MPI_Comm first = spawn(2, MPI_INFO_NULL, words), one, two, bridge;
  words[1] = "1";
  MPI_Comm second = spawn(1, MPI_INFO_NULL, words);
  MPI_Intercomm_merge(first, 0, &one);
  MPI_Intercomm_merge(second, 0, &two);
  MPI_Intercomm_create(one, 0, two, size, 4, &bridge);
  use_intercommunicator(bridge, 0);
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
  MPI_Comm_disconnect(&bridge);
  MPI_Comm_disconnect(&first);
  MPI_Comm_disconnect(&second);
}

static void spawn_several(void) {
  const int is_root = rank == 0;
  char* commands[] = {(char*)program, (char*)program, (char*)program};
  char* first[] = {"child:number", "0", NULL};
  char* second[] = {"child:number", "1", NULL};
  char* third[] = {"child:number", "2", NULL};
  char** arguments[] = {first, second, third};
  const int counts[] = {1, 2, 3};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL};
  int codes[6] = {9, 9, 9, 9, 9, 9};
  MPI_Comm inter;
  MPI_Comm_spawn_multiple(is_root ? 3 : -1, is_root ? commands : NULL, is_root ? arguments : NULL,
                          is_root ? counts : NULL, is_root ? infos : NULL, 0, MPI_COMM_WORLD,
                          &inter, codes);
  for (int i = 0; i < 6; ++i) CHECK(codes[i] == MPI_SUCCESS);
  int sum = 0;
  const int none = 0;
  MPI_Allreduce(&none, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK(sum == 0 + 2 * 1 + 3 * 2);
  MPI_Comm_disconnect(&inter);
}

/* Info keys: WORDS are key=value, and then what the child is to find. */
static void use_info(int count, char** given) {
  MPI_Info info;
  MPI_Info_create(&info);
  int at = 0;
  for (; at < count && strcmp(given[at], "--") != 0; ++at) {
    char* equals = strchr(given[at], '=');
    *equals = 0;
    MPI_Info_set(info, given[at], equals + 1);
  }
  char* words[8] = {"child:look"};
  for (int i = 1; ++at < count; ++i) words[i] = given[at];
  MPI_Comm inter = spawn(4, info, words);
  MPI_Info_free(&info);
  MPI_Comm_disconnect(&inter);
}

/* WORDS: the command, the children, and words that the error says. */
static void fail(char** given) {
  MPI_Comm inter = MPI_COMM_WORLD;
  char* words[] = {"child:fail", given[2], NULL};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int children = atoi(given[1]);
  int* codes = calloc((size_t)(children > 0 ? children : 1), sizeof *codes);
  const int code = MPI_Comm_spawn(given[0][0] == '.' ? program : given[0], words, children,
                                  MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
  CHECK(code != MPI_SUCCESS && inter == MPI_COMM_NULL);
  if (children > 0)
    CHECK(class_of(code) == MPI_ERR_SPAWN && class_of(codes[children - 1]) == MPI_ERR_SPAWN);
  free(codes);
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  if (rank == 0 && !strstr(text, given[3])) fprintf(stderr, "no \"%s\" in: %s\n", given[3], text);
  CHECK(rank != 0 || strstr(text, given[3]));
  /* Afterwards all is as before. */
  use_children(1);
}

/* A child ends while its parents wait for it. */
static void lose_child(char* how) {
  char* words[] = {"child:end", how, NULL};
  MPI_Comm inter = spawn(2, MPI_INFO_NULL, words);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  (void)MPI_Barrier(inter); /* the child ends when all have made the communicator */
  int value = 0;
  CHECK(class_of(MPI_Recv(&value, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE)) == MPIX_ERR_PROC_FAILED);
  use_children(1);
  MPI_Comm_disconnect(&inter);
}

/* Children on the hosts that are named. */
static MPI_Comm spawn_there(char* hosts, int children, char** words) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "hosts", hosts);
  MPI_Comm inter = spawn(children, info, words);
  MPI_Info_free(&info);
  return inter;
}

static void use_children_there(char* hosts, int children) {
  char* words[] = {"child:use_plain", NULL};
  MPI_Comm inter = spawn_there(hosts, children, words);
  use_intercommunicator(inter, 0);
  MPI_Comm_disconnect(&inter);
}

static void lose_child_there(char* host) {
  char* words[] = {"child:end", "kill", NULL};
  MPI_Comm inter = spawn_there(host, 1, words);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  (void)MPI_Barrier(inter); /* the child ends when all have made the communicator */
  int value = 0;
  CHECK(class_of(MPI_Recv(&value, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE)) == MPIX_ERR_PROC_FAILED);
  MPI_Comm_disconnect(&inter);
}

static void fail_there(char* host) {
  MPI_Comm inter = MPI_COMM_WORLD;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "host", host);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD,
                                &inter, MPI_ERRCODES_IGNORE)) == MPI_ERR_SPAWN);
  MPI_Info_free(&info);
}

/* Parents that end before their children do. */
static void leave_children(char* token) {
  char* words[] = {"child:stay", token, NULL};
  MPI_Comm inter = spawn(2, MPI_INFO_NULL, words);
  MPI_Comm_disconnect(&inter);
}

static void die_beside_children(char* token) {
  char* words[] = {"child:linger", token, NULL};
  (void)spawn(2, MPI_INFO_NULL, words);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) raise(SIGKILL);
  sleep(100);
}

static void stay_beside_children(char* token) {
  char* words[] = {"child:linger", token, NULL};
  (void)spawn(2, MPI_INFO_NULL, words);
  sleep(100);
}

static void be_child(const char* what, int count, char** words, MPI_Comm parent) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(parent, name, &length);
  CHECK(strcmp(name, "MPI_COMM_PARENT") == 0);
  if (strcmp(what, "use") == 0) {
    CHECK(count == 4 && !strcmp(words[0], "two words") && !strcmp(words[1], "") &&
          !strcmp(words[2], ":") && !strcmp(words[3], "--"));
    use_intercommunicator(parent, 1);
  }
  if (strcmp(what, "use_plain") == 0) use_intercommunicator(parent, 1);
  if (strcmp(what, "nest") == 0) {
    use_intercommunicator(parent, 1);
    if (atoi(words[0]) > 0) nest(atoi(words[0]));
  }
  if (strcmp(what, "bridge") == 0) {
    MPI_Comm both, bridge;
    const int high = atoi(words[0]);
    MPI_Intercomm_merge(parent, 1, &both);
    if (high)
      MPI_Intercomm_create(MPI_COMM_WORLD, 0, both, 0, 4, &bridge);
    else
      MPI_Intercomm_create(both, 0, MPI_COMM_SELF, 0, 4, &bridge);
    use_intercommunicator(bridge, high);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&bridge);
  }
  if (strcmp(what, "number") == 0) {
    int *number, found, sum = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    CHECK(found && *number == atoi(words[0]));
    CHECK(size == 6 && (rank == 0 ? 0 : rank < 3 ? 1 : 2) == *number);
    MPI_Allreduce(number, &sum, 1, MPI_INT, MPI_SUM, parent);
    CHECK(sum == 0);
  }
  if (strcmp(what, "look") == 0) {
    char folder[4096];
    CHECK(size == atoi(words[0]));
    if (count > 1) CHECK(getcwd(folder, sizeof folder) && !strcmp(folder, words[1]));
    if (count > 2) CHECK(getenv("CHILD_WORD") && !strcmp(getenv("CHILD_WORD"), words[2]));
  }
  if (strcmp(what, "fail") == 0) CHECK(!"a child that was to fail has begun");
  if (strcmp(what, "end") == 0) {
    MPI_Barrier(parent);
    if (rank == 0 && strcmp(words[0], "kill") == 0) raise(SIGKILL);
    if (rank == 0 && strcmp(words[0], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(words[0], "kill") == 0 || strcmp(words[0], "abort") == 0) sleep(100);
    return;
  }
  if (strcmp(what, "linger") == 0) sleep(100);
  if (strcmp(what, "sets") == 0) {
    unite_process_sets(parent, "baton://PARENT", 1);
    return;
  }
  MPI_Comm_disconnect(&parent);
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
  if (strcmp(what, "stay") == 0) {
    usleep(500000);
    if (rank == 0) printf("%s\n", words[0]);
  }
}

int main(int count, char** words) {
  program = words[0];
  const char* what = words[1];
  int level;
  if (strcmp(what, "child:fail") == 0 && strcmp(words[2], "early") == 0) return 5;
  if (strcmp(what, "child:fail") == 0 && strcmp(words[2], "quietly") == 0) return 0;
  MPI_Init_thread(&count, &words, getenv("THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (strncmp(what, "child:", 6) == 0) {
    CHECK(parent != MPI_COMM_NULL);
    be_child(what + 6, count - 2, words + 2, parent);
    MPI_Finalize();
    return 0;
  }
  CHECK(parent == MPI_COMM_NULL);
  if (strcmp(what, "use") == 0) use_children(atoi(words[2]));
  if (strcmp(what, "use_near") == 0) use_near_children(atoi(words[2]));
  if (strcmp(what, "turns") == 0) spawn_in_turn(atoi(words[2]));
  if (strcmp(what, "sets") == 0) name_process_sets();
  if (strcmp(what, "nest") == 0) nest(atoi(words[2]));
  if (strcmp(what, "bridge") == 0) connect_children();
  if (strcmp(what, "several") == 0) spawn_several();
  if (strcmp(what, "info") == 0) use_info(count - 2, words + 2);
  if (strcmp(what, "fail") == 0) fail(words + 2);
  if (strcmp(what, "lose") == 0) lose_child(words[2]);
  if (strcmp(what, "hosts") == 0) use_children_there(words[2], atoi(words[3]));
  if (strcmp(what, "lose_there") == 0) lose_child_there(words[2]);
  if (strcmp(what, "fail_there") == 0) fail_there(words[2]);
  if (strcmp(what, "leave") == 0) leave_children(words[2]);
  if (strcmp(what, "stay") == 0) stay_beside_children(words[2]);
  if (strcmp(what, "die") == 0) die_beside_children(words[2]);
  if (strcmp(what, "universe") == 0) {
    int *universe, found;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found);
    CHECK(found && *universe == atoi(words[2]));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s: all checks held\n", what);
  MPI_Finalize();
  return 0;
}
