/* Sessions: without MPI_Init, several at once, before, beside and after the world model; process
 * sets, groups and communicators from them; their buffers and error handlers. usage: session_test
 * [world]: with a world model in the middle */
#include "conformance.h"

enum { big = 100000 };

static int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

static MPI_Session new_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  CHECK(session != MPI_SESSION_NULL);
  return session;
}

static MPI_Comm comm_of(MPI_Session session, const char* set, const char* tag) {
  MPI_Group group;
  MPI_Comm comm;
  CHECK(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS);
  CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
        MPI_SUCCESS);
  MPI_Group_free(&group);
  return comm;
}

static void ring(MPI_Comm comm) {
  int mine, number, got = -1, sum = 0;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &number);
  MPI_Sendrecv(&mine, 1, MPI_INT, (mine + 1) % number, 1, &got, 1, MPI_INT,
               (mine + number - 1) % number, 1, comm, MPI_STATUS_IGNORE);
  CHECK(got == (mine + number - 1) % number);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == number * (number - 1) / 2);
}

static void process_sets(MPI_Session session) {
  int count, length = 0, n;
  char name[MPI_MAX_PSET_NAME_LEN], text[16];
  MPI_Info info;
  MPI_Group group;
  CHECK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count) == MPI_SUCCESS && count >= 2);
  for (int i = 0; i < count; ++i) {
    length = 0;
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL) == MPI_SUCCESS);
    int needed = length;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
    CHECK(length == needed && (int)strlen(name) + 1 == needed);
    length = 4;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
    CHECK(length == needed && strlen(name) == 3);
  }
  CHECK(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, &length, name)) ==
        MPI_ERR_ARG);
  MPI_Session_get_pset_info(session, "mpi://SELF", &info);
  length = sizeof text;
  MPI_Info_get_string(info, "mpi_size", &length, text, &n);
  CHECK(n && atoi(text) == 1);
  MPI_Info_free(&info);
  CHECK(class_of(MPI_Session_get_pset_info(session, "mpi://none", &info)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Group_from_session_pset(session, "mpi://none", &group)) == MPI_ERR_ARG);
  CHECK(group == MPI_GROUP_NULL);
  MPI_Session_get_info(session, &info);
  char level[64];
  length = sizeof level;
  MPI_Info_get_string(info, "thread_level", &length, level, &n);
  CHECK(n && strncmp(level, "MPI_THREAD_", 11) == 0);
  MPI_Info_free(&info);
}

static void check_value(MPI_Info info, const char* key, const char* wanted) {
  char value[MPI_MAX_INFO_VAL] = "none";
  int length = sizeof value, found;
  MPI_Info_get_string(info, key, &length, value, &found);
  if (strcmp(value, wanted) != 0) fprintf(stderr, "%s is %s, not %s\n", key, value, wanted);
  CHECK(strcmp(value, wanted) == 0);
}

/* The level that was asked for, as it was provided: multiple is always to be had. */
static void a_session_says_its_thread_level(void) {
  const char* levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_MULTIPLE"};
  for (int i = 0; i < 2; ++i) {
    MPI_Info asked, told;
    MPI_Session session;
    MPI_Info_create(&asked);
    MPI_Info_set(asked, "thread_level", levels[i]);
    CHECK(MPI_Session_init(asked, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    MPI_Session_get_info(session, &told);
    check_value(told, "thread_level", levels[i]);
    MPI_Info_free(&asked);
    MPI_Info_free(&told);
    MPI_Session_finalize(&session);
  }
}

/* A session says which kinds of memory it supports, and so do its communicators, which keep what
 * the program promises of them. */
static void memory_kinds(void) {
  const char *kinds = "mpi_memory_alloc_kinds", *promised = "mpi_assert_memory_alloc_kinds";
  MPI_Info info, used;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, copy;
  MPI_Info_create(&info);
  MPI_Info_set(info, kinds, "cuda:device,mpi:alloc_mem,system");
  CHECK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  MPI_Session_get_info(session, &used);
  check_value(used, kinds, "mpi,system,mpi:alloc_mem");
  MPI_Info_free(&used);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Info_set(info, promised, "system");
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Comm_create_from_group(group, "kinds", info, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  MPI_Comm_get_info(comm, &used);
  check_value(used, kinds, "mpi,system,mpi:alloc_mem");
  check_value(used, promised, "system");
  check_value(used, "mpi_assert_no_any_tag", "true");
  MPI_Info_free(&used);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_info(copy, &used);
  check_value(used, kinds, "mpi,system,mpi:alloc_mem");
  check_value(used, promised, "none");
  MPI_Info_free(&used);
  MPI_Info_set(info, promised, "rocm:device");
  MPI_Comm_set_info(comm, info);
  MPI_Comm_get_info(comm, &used);
  check_value(used, promised, "system");
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}

/* Odd and even ranks each make theirs, from groups that are made of a session's. */
static void communicators_of_subgroups(MPI_Session session) {
  MPI_Group all, half;
  MPI_Comm comm;
  int mine, number;
  MPI_Group_from_session_pset(session, "mpi://world", &all);
  MPI_Group_rank(all, &mine);
  MPI_Group_size(all, &number);
  int range[1][3] = {{mine % 2, number - 1, 2}};
  MPI_Group_range_incl(all, 1, range, &half);
  MPI_Comm_create_from_group(half, "halves", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&half);
  MPI_Group_free(&all);
  ring(comm);
  MPI_Comm_free(&comm);
}

static void buffered(MPI_Comm comm, int ok) {
  int mine, number;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &number);
  unsigned char *out = malloc(big), *in = malloc(big);
  fill_bytes(out, big, (uint64_t)mine);
  int code = MPI_Bsend(out, big, MPI_BYTE, (mine + 1) % number, 2, comm);
  CHECK(class_of(code) == (ok ? MPI_SUCCESS : MPI_ERR_BUFFER));
  int from = (mine + number - 1) % number;
  if (ok) MPI_Recv(in, big, MPI_BYTE, from, 2, comm, MPI_STATUS_IGNORE);
  CHECK(!ok || bytes_are(in, big, (uint64_t)from));
  free(out);
  free(in);
}

/* A session's buffer serves its communicators and theirs, after their own. */
static void a_sessions_buffer(MPI_Session session, MPI_Comm comm) {
  MPI_Session other_session = new_session();
  MPI_Comm other = comm_of(other_session, "mpi://WORLD", "other"), copy;
  char* memory = malloc(big + MPI_BSEND_OVERHEAD);
  char little[MPI_BSEND_OVERHEAD + 8];
  void* back;
  int bytes;
  MPI_Request flush;
  MPI_Comm_dup(comm, &copy);
  buffered(comm, 0);
  CHECK(class_of(MPI_Session_flush_buffer(session)) == MPI_ERR_BUFFER);
  MPI_Session_attach_buffer(session, memory, big + MPI_BSEND_OVERHEAD);
  CHECK(class_of(MPI_Session_attach_buffer(session, memory, 10)) == MPI_ERR_BUFFER);
  buffered(comm, 1);
  MPI_Session_iflush_buffer(session, &flush);
  MPI_Wait(&flush, MPI_STATUS_IGNORE);
  buffered(copy, 1);
  CHECK(MPI_Session_flush_buffer(session) == MPI_SUCCESS);
  buffered(other, 0);
  MPI_Comm_attach_buffer(copy, little, sizeof little);
  buffered(copy, 0);
  MPI_Comm_detach_buffer(copy, &back, &bytes);
  CHECK(back == little);
  MPI_Session_detach_buffer(session, &back, &bytes);
  CHECK(back == memory && bytes == big + MPI_BSEND_OVERHEAD);
  MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, 0);
  buffered(comm, 1);
  buffered(copy, 1);
  MPI_Session_detach_buffer(session, &back, &bytes);
  CHECK(back == MPI_BUFFER_AUTOMATIC);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&other);
  MPI_Session_finalize(&other_session);
  free(memory);
}

static int handled;
static void handle(MPI_Session* session, int* code, ...) {
  CHECK(*session != MPI_SESSION_NULL && *code != MPI_SUCCESS);
  ++handled;
}

static void error_handlers(void) {
  MPI_Errhandler handler, got;
  MPI_Session session;
  MPI_Group group;
  handled = 0;
  MPI_Session_create_errhandler(handle, &handler);
  CHECK(MPI_Session_init(MPI_INFO_NULL, handler, &session) == MPI_SUCCESS);
  CHECK(class_of(MPI_Group_from_session_pset(session, "nothing", &group)) == MPI_ERR_ARG);
  CHECK(handled == 1);
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  CHECK(handled == 2);
  MPI_Session_get_errhandler(session, &got);
  CHECK(got == handler);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&handler);
  MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
  MPI_Session_get_errhandler(session, &got);
  CHECK(got == MPI_ERRORS_RETURN);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS && session == MPI_SESSION_NULL);
}

int main(int argc, char** argv) {
  int with_world = argc > 1 && strcmp(argv[1], "world") == 0, flag;
  a_session_says_its_thread_level();
  for (int turn = 0; turn < 3; ++turn) {
    if (with_world && turn == 1) MPI_Init(&argc, &argv);
    MPI_Session session = new_session();
    MPI_Initialized(&flag);
    CHECK(flag == (with_world && turn > 0));
    MPI_Finalized(&flag);
    CHECK(flag == (with_world && turn == 2));
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "first");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    ring(comm);
    process_sets(session);
    communicators_of_subgroups(session);
    a_sessions_buffer(session, comm);
    error_handlers();
    memory_kinds();
    MPI_Comm self = comm_of(session, "mpi://SELF", "self");
    ring(self);
    MPI_Comm_free(&self);
    if (with_world && turn == 1) {
      ring(MPI_COMM_WORLD);
      MPI_Info used;
      MPI_Comm_get_info(MPI_COMM_WORLD, &used);
      check_value(used, "mpi_memory_alloc_kinds", "mpi,system");
      MPI_Info_free(&used);
      check_value(MPI_INFO_ENV, "mpi_memory_alloc_kinds", "mpi,system");
      CHECK(MPI_Query_thread(&flag) == MPI_SUCCESS && flag == MPI_THREAD_SINGLE);
      MPI_Finalize();
      ring(comm); /* the session's objects live on */
    }
    MPI_Barrier(comm);
    if (turn == 2 && rank == 0) printf("all checks held on %d ranks\n", size);
    MPI_Comm_free(&comm);
    CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  }
  return 0;
}
