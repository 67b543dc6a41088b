/* Wrong calls about communicators, groups, attributes, error handlers, infos, the environment, and
 * of collectives. */
#include "wrong.h"

#define WORLD MPI_COMM_WORLD

static MPI_Comm freed_comm;
static MPI_Group freed_group;

static void prepare(void) {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Comm_dup(WORLD, &comm);
  freed_comm = comm;
  MPI_Comm_free(&comm);
  MPI_Comm_group(WORLD, &group);
  freed_group = group;
  MPI_Group_free(&group);
}

static void communicators(void) {
  MPI_Comm comm = MPI_COMM_NULL, world = WORLD, self = MPI_COMM_SELF, copy = freed_comm;
  MPI_Group group;
  int n, flag;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_group(WORLD, &group);
  WRONG(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM, "MPI_COMM_NULL");
  WRONG(MPI_Comm_size(WORLD, NULL), MPI_ERR_ARG, "argument 2 (size)");
  WRONG(MPI_Comm_rank(freed_comm, &n), MPI_ERR_COMM, "freed");
  WRONG(MPI_Comm_rank((MPI_Comm)MPI_SUM, &n), MPI_ERR_COMM, "another kind");
  WRONG(MPI_Comm_rank(WORLD, NULL), MPI_ERR_ARG, "argument 2 (rank)");
  WRONG(MPI_Comm_remote_size(WORLD, &n), MPI_ERR_COMM, "intercommunicator");
  WRONG(MPI_Comm_test_inter(MPI_COMM_NULL, &flag), MPI_ERR_COMM, "MPI_COMM_NULL");
  WRONG(MPI_Comm_test_inter(WORLD, NULL), MPI_ERR_ARG, "argument 2 (flag)");
  WRONG(MPI_Comm_compare(WORLD, freed_comm, &n), MPI_ERR_COMM, "argument 2 (comm2)");
  WRONG(MPI_Comm_compare(WORLD, WORLD, NULL), MPI_ERR_ARG, "argument 3 (result)");
  WRONG(MPI_Comm_dup(freed_comm, &comm), MPI_ERR_COMM, "MPI_Comm_dup");
  WRONG(MPI_Comm_dup(WORLD, NULL), MPI_ERR_ARG, "argument 2 (newcomm)");
  WRONG(MPI_Comm_dup_with_info(WORLD, (MPI_Info)0x12345, &comm), MPI_ERR_INFO, "(info)");
  WRONG(MPI_Comm_free(&comm), MPI_ERR_COMM, "argument 1 (comm)");
  WRONG(MPI_Comm_free(&world), MPI_ERR_COMM, "MPI_COMM_WORLD");
  WRONG(MPI_Comm_free(&self), MPI_ERR_COMM, "argument 1 (comm)");
  WRONG(MPI_Comm_free(&copy), MPI_ERR_COMM, "argument 1 (comm)");
  WRONG(MPI_Comm_free(NULL), MPI_ERR_ARG, "argument 1 (comm)");
  WRONG(MPI_Comm_disconnect(&world), MPI_ERR_COMM, "MPI_COMM_WORLD");
  WRONG(MPI_Comm_disconnect(&copy), MPI_ERR_COMM, "argument 1 (comm)");
  WRONG(MPI_Comm_split(WORLD, -5, 0, &comm), MPI_ERR_ARG, "argument 2 (color)");
  WRONG(MPI_Comm_split(WORLD, 1, 0, NULL), MPI_ERR_ARG, "argument 4 (newcomm)");
  WRONG(MPI_Comm_split_type(WORLD, 12345, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG, "(split_type)");
  WRONG(MPI_Comm_create(WORLD, MPI_GROUP_NULL, &comm), MPI_ERR_GROUP, "MPI_GROUP_NULL");
  WRONG(MPI_Comm_create(WORLD, freed_group, &comm), MPI_ERR_GROUP, "freed");
  WRONG(MPI_Comm_create(WORLD, group, NULL), MPI_ERR_ARG, "argument 3 (newcomm)");
  WRONG(MPI_Comm_create_group(WORLD, group, -1, &comm), MPI_ERR_TAG, "argument 3 (tag)");
  WRONG(MPI_Comm_group(freed_comm, &group), MPI_ERR_COMM, "freed");
  WRONG(MPI_Comm_group(WORLD, NULL), MPI_ERR_ARG, "argument 2 (group)");
  WRONG(MPI_Comm_set_name(WORLD, NULL), MPI_ERR_ARG, "argument 2 (comm_name)");
  WRONG(MPI_Comm_get_name(WORLD, name, NULL), MPI_ERR_ARG, "argument 3 (resultlen)");
  WRONG(MPI_Comm_get_name(freed_comm, name, &n), MPI_ERR_COMM, "freed");
  WRONG(MPI_Topo_test(MPI_COMM_NULL, &n), MPI_ERR_COMM, "MPI_COMM_NULL");
  MPI_Group_free(&group);
  CHECK(world == WORLD && self == MPI_COMM_SELF);
}

static void groups(void) {
  MPI_Group group, none = MPI_GROUP_NULL, empty = MPI_GROUP_EMPTY, copy = freed_group, made;
  int n, ranks[] = {0, 0}, outside[] = {size}, minus[] = {-1};
  int twice[2][3] = {{0, 0, 1}, {0, 0, 1}}, standing[1][3] = {{0, 0, 0}},
      far[1][3] = {{0, size, 1}};
  MPI_Comm_group(WORLD, &group);
  WRONG(MPI_Group_size(none, &n), MPI_ERR_GROUP, "MPI_GROUP_NULL");
  WRONG(MPI_Group_size(group, NULL), MPI_ERR_ARG, "argument 2 (size)");
  WRONG(MPI_Group_rank(freed_group, &n), MPI_ERR_GROUP, "freed");
  WRONG(MPI_Group_free(&none), MPI_ERR_GROUP, "argument 1 (group)");
  WRONG(MPI_Group_free(&copy), MPI_ERR_GROUP, "argument 1 (group)");
  WRONG(MPI_Group_free(NULL), MPI_ERR_ARG, "argument 1 (group)");
  WRONG(MPI_Group_incl(group, -1, ranks, &made), MPI_ERR_ARG, "argument 2 (n)");
  WRONG(MPI_Group_incl(group, 1, NULL, &made), MPI_ERR_ARG, "argument 3 (ranks)");
  WRONG(MPI_Group_incl(group, 1, outside, &made), MPI_ERR_RANK, "argument 3 (ranks)");
  WRONG(MPI_Group_incl(group, 1, minus, &made), MPI_ERR_RANK, "argument 3 (ranks)");
  WRONG(MPI_Group_incl(group, 2, ranks, &made), MPI_ERR_RANK, "twice");
  WRONG(MPI_Group_incl(empty, 1, ranks, &made), MPI_ERR_RANK, "argument 3 (ranks)");
  WRONG(MPI_Group_excl(group, 2, ranks, &made), MPI_ERR_RANK, "twice");
  WRONG(MPI_Group_excl(group, 1, outside, &made), MPI_ERR_RANK, "argument 3 (ranks)");
  WRONG(MPI_Group_range_incl(group, 1, standing, &made), MPI_ERR_ARG, "stride");
  WRONG(MPI_Group_range_incl(group, 1, far, &made), MPI_ERR_RANK, "argument 3 (ranges)");
  WRONG(MPI_Group_range_incl(group, 2, twice, &made), MPI_ERR_RANK, "twice");
  WRONG(MPI_Group_range_excl(group, 1, NULL, &made), MPI_ERR_ARG, "argument 3 (ranges)");
  WRONG(MPI_Group_union(group, none, &made), MPI_ERR_GROUP, "argument 2 (group2)");
  WRONG(MPI_Group_intersection(freed_group, group, &made), MPI_ERR_GROUP, "argument 1 (group1)");
  WRONG(MPI_Group_difference(group, group, NULL), MPI_ERR_ARG, "argument 3 (newgroup)");
  WRONG(MPI_Group_compare(group, freed_group, &n), MPI_ERR_GROUP, "argument 2 (group2)");
  WRONG(MPI_Group_translate_ranks(group, 1, outside, group, &n), MPI_ERR_RANK, "rank");
  WRONG(MPI_Group_translate_ranks(group, 1, ranks, group, NULL), MPI_ERR_ARG,
        "argument 5 (ranks2)");
  WRONG(MPI_Group_translate_ranks(group, -1, ranks, group, &n), MPI_ERR_ARG, "argument 2 (n)");
  MPI_Group_free(&group);
}

static void attributes(void) {
  int keyval = MPI_KEYVAL_INVALID, tag_key = MPI_TAG_UB, flag, mine, dead;
  void* value;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &mine, NULL);
  dead = mine;
  MPI_Comm_free_keyval(&dead);
  WRONG(MPI_Comm_set_attr(WORLD, MPI_KEYVAL_INVALID, &flag), MPI_ERR_KEYVAL,
        "argument 2 (comm_keyval)");
  WRONG(MPI_Comm_set_attr(WORLD, mine, &flag), MPI_ERR_KEYVAL, "key");
  WRONG(MPI_Comm_set_attr(WORLD, MPI_TAG_UB, &flag), MPI_ERR_KEYVAL, "predefined");
  WRONG(MPI_Comm_set_attr(freed_comm, mine, &flag), MPI_ERR_COMM, "freed");
  WRONG(MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &value, NULL), MPI_ERR_ARG, "argument 4 (flag)");
  WRONG(MPI_Comm_get_attr(WORLD, MPI_TAG_UB, NULL, &flag), MPI_ERR_ARG, "argument 3");
  WRONG(MPI_Comm_get_attr(WORLD, 123456, &value, &flag), MPI_ERR_KEYVAL,
        "argument 2 (comm_keyval)");
  WRONG(MPI_Comm_delete_attr(WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL, "predefined");
  WRONG(MPI_Comm_delete_attr(WORLD, mine), MPI_ERR_KEYVAL, "key");
  WRONG(MPI_Comm_free_keyval(&keyval), MPI_ERR_KEYVAL, "argument 1 (comm_keyval)");
  WRONG(MPI_Comm_free_keyval(&tag_key), MPI_ERR_KEYVAL, "predefined");
  WRONG(MPI_Attr_put(WORLD, MPI_KEYVAL_INVALID, &flag), MPI_ERR_KEYVAL, "argument 2 (keyval)");
  WRONG(MPI_Comm_free_keyval(NULL), MPI_ERR_ARG, "argument 1");
  WRONG(MPI_Comm_create_keyval(NULL, NULL, NULL, NULL), MPI_ERR_ARG, "argument 3");
  WRONG(MPI_Type_set_attr(MPI_DATATYPE_NULL, mine, &flag), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  WRONG(MPI_Type_get_attr(MPI_INT, MPI_KEYVAL_INVALID, &value, &flag), MPI_ERR_KEYVAL,
        "argument 2 (type_keyval)");
}

static void error_handlers_and_codes(void) {
  MPI_Errhandler none = MPI_ERRHANDLER_NULL, fatal = MPI_ERRORS_ARE_FATAL, handler;
  int n, bad;
  char text[MPI_MAX_ERROR_STRING];
  WRONG(MPI_Comm_set_errhandler(WORLD, none), MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL");
  WRONG(MPI_Comm_set_errhandler(WORLD, (MPI_Errhandler)0x4455), MPI_ERR_ERRHANDLER, "argument 2");
  WRONG(MPI_Comm_set_errhandler(freed_comm, fatal), MPI_ERR_COMM, "freed");
  WRONG(MPI_Comm_get_errhandler(WORLD, NULL), MPI_ERR_ARG, "argument 2 (errhandler)");
  WRONG(MPI_Comm_get_errhandler(MPI_COMM_NULL, &handler), MPI_ERR_COMM, "MPI_COMM_NULL");
  WRONG(MPI_Comm_create_errhandler(NULL, &handler), MPI_ERR_ARG, "argument 1");
  WRONG(MPI_Errhandler_free(&none), MPI_ERR_ERRHANDLER, "(errhandler)");
  WRONG(MPI_Errhandler_free(NULL), MPI_ERR_ARG, "argument 1 (errhandler)");
  WRONG(MPI_Error_class(-77, &n), MPI_ERR_ARG, "-77");
  WRONG(MPI_Error_class(MPI_ERR_ARG, NULL), MPI_ERR_ARG, "argument 2 (errorclass)");
  WRONG(MPI_Error_string(1 << 29, text, &n), MPI_ERR_ARG, "536870912");
  WRONG(MPI_Error_string(MPI_ERR_ARG, NULL, &n), MPI_ERR_ARG, "argument 2 (string)");
  WRONG(MPI_Add_error_class(NULL), MPI_ERR_ARG, "argument 1 (errorclass)");
  WRONG(MPI_Add_error_code(1 << 28, &n), MPI_ERR_ARG, "class");
  WRONG(MPI_Add_error_string(MPI_ERR_ARG, "mine"), MPI_ERR_ARG, "this program added");
  bad = MPI_ERR_ARG;
  WRONG(MPI_Remove_error_class(bad), MPI_ERR_ARG, "this program added");
  WRONG(MPI_Remove_error_code(1 << 28), MPI_ERR_ARG, "code");
}

static void infos(void) {
  MPI_Info info, none = MPI_INFO_NULL, copy, made;
  int n, flag, length = 10;
  char key[MPI_MAX_INFO_KEY + 2], value[16];
  memset(key, 'k', sizeof key);
  key[sizeof key - 1] = 0;
  MPI_Info_create(&info);
  WRONG(MPI_Info_create(NULL), MPI_ERR_ARG, "argument 1 (info)");
  WRONG(MPI_Info_set(none, "k", "v"), MPI_ERR_INFO, "MPI_INFO_NULL");
  WRONG(MPI_Info_set(info, NULL, "v"), MPI_ERR_ARG, "argument 2 (key)");
  WRONG(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY, "argument 2 (key)");
  WRONG(MPI_Info_set(info, key, "v"), MPI_ERR_INFO_KEY, "argument 2 (key)");
  WRONG(MPI_Info_set(info, "k", NULL), MPI_ERR_ARG, "argument 3 (value)");
  WRONG(MPI_Info_delete(info, "missing"), MPI_ERR_INFO_NOKEY, "missing");
  WRONG(MPI_Info_get_nkeys(info, NULL), MPI_ERR_ARG, "argument 2 (nkeys)");
  WRONG(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG, "argument 2 (n)");
  WRONG(MPI_Info_get_nthkey(info, -1, key), MPI_ERR_ARG, "argument 2 (n)");
  WRONG(MPI_Info_get_string(info, "k", NULL, value, &flag), MPI_ERR_ARG, "argument 3 (buflen)");
  WRONG(MPI_Info_get_string(info, "k", &length, value, NULL), MPI_ERR_ARG, "argument 5 (flag)");
  WRONG(MPI_Info_dup(none, &made), MPI_ERR_INFO, "MPI_INFO_NULL");
  WRONG(MPI_Info_free(&none), MPI_ERR_INFO, "(info)");
  copy = info;
  MPI_Info_free(&info);
  WRONG(MPI_Info_get_nkeys(copy, &n), MPI_ERR_INFO, "freed");
  WRONG(MPI_Info_free(&copy), MPI_ERR_INFO, "(info)");
}

static void collectives(void) {
  int a[64] = {0}, b[64] = {0}, counts[64], places[64] = {0};
  for (int i = 0; i < 64; ++i) counts[i] = -1;
  WRONG(MPI_Barrier(freed_comm), MPI_ERR_COMM, "freed");
  WRONG(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
  WRONG(MPI_Bcast(a, 1, MPI_INT, size, WORLD), MPI_ERR_ROOT, "argument 4 (root)");
  WRONG(MPI_Bcast(a, 1, MPI_INT, -1, WORLD), MPI_ERR_ROOT, "argument 4 (root)");
  WRONG(MPI_Bcast(a, 1, MPI_INT, MPI_PROC_NULL, WORLD), MPI_ERR_ROOT, "argument 4 (root)");
  WRONG(MPI_Bcast(a, -1, MPI_INT, 0, WORLD), MPI_ERR_COUNT, "argument 2 (count)");
  WRONG(MPI_Bcast(NULL, 1, MPI_INT, 0, WORLD), MPI_ERR_BUFFER, "argument 1 (buffer)");
  WRONG(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, WORLD), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
  WRONG(MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, WORLD), MPI_ERR_OP, "MPI_OP_NULL");
  WRONG(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, size, WORLD), MPI_ERR_ROOT, "argument 6 (root)");
  WRONG(MPI_Reduce(a, b, 1, MPI_FLOAT, MPI_BAND, 0, WORLD), MPI_ERR_OP, "MPI_BAND");
  WRONG(MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, WORLD), MPI_ERR_BUFFER, "MPI_IN_PLACE");
  WRONG(MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, WORLD), MPI_ERR_OP, "MPI_REPLACE");
  WRONG(MPI_Allreduce(a, NULL, 1, MPI_INT, MPI_SUM, WORLD), MPI_ERR_BUFFER, "(recvbuf)");
  WRONG(MPI_Gather(a, -1, MPI_INT, b, 1, MPI_INT, 0, WORLD), MPI_ERR_COUNT, "(sendcount)");
  WRONG(MPI_Scatter(a, 1, MPI_INT, b, -1, MPI_INT, 0, WORLD), MPI_ERR_COUNT, "(recvcount)");
  WRONG(MPI_Allgather(a, 1, MPI_INT, b, -1, MPI_INT, WORLD), MPI_ERR_COUNT, "(recvcount)");
  WRONG(MPI_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, WORLD), MPI_ERR_COUNT, "(sendcount)");
  WRONG(MPI_Allgatherv(a, 1, MPI_INT, b, counts, places, MPI_INT, WORLD), MPI_ERR_COUNT,
        "element 0 is -1");
  WRONG(MPI_Alltoallv(a, counts, places, MPI_INT, b, counts, places, MPI_INT, WORLD), MPI_ERR_COUNT,
        "(sendcounts)");
  WRONG(MPI_Allgatherv(a, 1, MPI_INT, b, NULL, places, MPI_INT, WORLD), MPI_ERR_ARG,
        "(recvcounts)");
}

static void sessions(void) {
  MPI_Session session, none = MPI_SESSION_NULL, dead;
  MPI_Group group, all;
  MPI_Comm comm;
  MPI_Info info;
  int n, length = 0;
  char name[64];
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Comm_group(WORLD, &all);
  WRONG(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG, "(session)");
  WRONG(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &dead), MPI_ERR_ERRHANDLER,
        "MPI_ERRHANDLER_NULL");
  WRONG(MPI_Session_get_num_psets(none, MPI_INFO_NULL, &n), MPI_ERR_SESSION, "MPI_SESSION_NULL");
  WRONG(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL), MPI_ERR_ARG, "argument 3");
  WRONG(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, name), MPI_ERR_ARG, "(n)");
  WRONG(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, NULL, name), MPI_ERR_ARG, "(pset_len)");
  length = 5;
  WRONG(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL), MPI_ERR_ARG,
        "(pset_name)");
  WRONG(MPI_Session_get_pset_info(session, "mpi://OTHER", &info), MPI_ERR_ARG, "mpi://OTHER");
  WRONG(MPI_Session_get_pset_info(session, NULL, &info), MPI_ERR_ARG, "(pset_name)");
  WRONG(MPI_Group_from_session_pset(session, "mine", &group), MPI_ERR_ARG, "\"mine\"");
  WRONG(MPI_Comm_create_from_group(freed_group, "t", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
        MPI_ERR_GROUP, "freed");
  WRONG(MPI_Comm_create_from_group(all, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_ERR_ARG,
        "(stringtag)");
  WRONG(MPI_Session_set_errhandler(session, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER, "argument 2");
  WRONG(MPI_Session_call_errhandler(session, -5), MPI_ERR_ARG, "-5");
  WRONG(MPI_Session_flush_buffer(session), MPI_ERR_BUFFER, "no buffer is attached");
  dead = session;
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  WRONG(MPI_Session_finalize(&dead), MPI_ERR_SESSION, "(session)");
  WRONG(MPI_Session_finalize(&none), MPI_ERR_SESSION, "(session)");
  WRONG(MPI_Session_get_info(dead, &info), MPI_ERR_SESSION, "freed");
  MPI_Group_free(&all);
}

static void environment(void) {
  int n;
  char name[MPI_MAX_PROCESSOR_NAME];
  WRONG(MPI_Init(NULL, NULL), MPI_ERR_OTHER, "MPI_Init");
  WRONG(MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &n), MPI_ERR_OTHER, "MPI_Init_thread");
  WRONG(MPI_Initialized(NULL), MPI_ERR_ARG, "argument 1 (flag)");
  WRONG(MPI_Query_thread(NULL), MPI_ERR_ARG, "argument 1 (provided)");
  WRONG(MPI_Get_version(&n, NULL), MPI_ERR_ARG, "argument 2 (subversion)");
  WRONG(MPI_Get_processor_name(name, NULL), MPI_ERR_ARG, "argument 2 (resultlen)");
  WRONG(MPI_Get_processor_name(NULL, &n), MPI_ERR_ARG, "argument 1 (name)");
}

int main(int argc, char** argv) {
  start_wrong(&argc, &argv);
  prepare();
  communicators();
  groups();
  attributes();
  error_handlers_and_codes();
  infos();
  collectives();
  sessions();
  environment();
  return finish_wrong(140);
}
