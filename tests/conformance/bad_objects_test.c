/* Bad handles given to the procedures about objects: communicators, groups, datatypes, operations,
 * infos, error handlers, sessions, attributes, conversions. */
#include "bad_handles.h"

#define WORLD MPI_COMM_WORLD
#define BAD_INFO(null, argument, call) TRY(MPI_Info, info_kind, null, MPI_ERR_INFO, argument, call)

#define BAD_WIN(call) TRY(MPI_Win, win_kind, null_bad, MPI_ERR_WIN, 1, call)
/* MPI_FILE_NULL stands for the files that are to be opened. */
#define BAD_FILE(call) TRY(MPI_File, file_kind, null_good, MPI_ERR_FILE, 1, call)

static void communicators(void) {
  int n, flag, length;
  char name[MPI_MAX_OBJECT_NAME];
  void* value;
  MPI_Comm made;
  MPI_Group group;
  MPI_Errhandler handler;
  MPI_Info info;
  MPI_Request request;
  BAD_COMM(1, MPI_Comm_size(bad, &n))
  BAD_COMM(1, MPI_Comm_rank(bad, &n))
  BAD_COMM(1, MPI_Comm_remote_size(bad, &n))
  BAD_COMM(1, MPI_Comm_test_inter(bad, &flag))
  BAD_COMM(1, MPI_Comm_compare(bad, WORLD, &n))
  BAD_COMM(2, MPI_Comm_compare(WORLD, bad, &n))
  BAD_COMM(1, MPI_Comm_dup(bad, &made))
  BAD_COMM(1, MPI_Comm_dup_with_info(bad, MPI_INFO_NULL, &made))
  BAD_INFO(null_good, 2, MPI_Comm_dup_with_info(WORLD, bad, &made))
  BAD_COMM(1, MPI_Comm_split(bad, 0, 0, &made))
  BAD_COMM(1, MPI_Comm_split_type(bad, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made))
  BAD_INFO(null_good, 4, MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, bad, &made))
  BAD_COMM(1, MPI_Comm_create(bad, live_group, &made))
  BAD_GROUP(2, MPI_Comm_create(WORLD, bad, &made))
  BAD_COMM(1, MPI_Comm_create_group(bad, live_group, 0, &made))
  BAD_GROUP(2, MPI_Comm_create_group(WORLD, bad, 0, &made))
  BAD_COMM(1, MPI_Comm_free(&bad))
  BAD_COMM(1, MPI_Comm_disconnect(&bad))
  BAD_COMM(1, MPI_Comm_group(bad, &group))
  BAD_COMM(1, MPI_Comm_remote_group(bad, &group))
  BAD_COMM(1, MPI_Comm_idup(bad, &made, &request))
  BAD_COMM(1, MPI_Comm_idup_with_info(bad, MPI_INFO_NULL, &made, &request))
  BAD_INFO(null_good, 2, MPI_Comm_idup_with_info(WORLD, bad, &made, &request))
  BAD_COMM(1, MPI_Comm_set_info(bad, MPI_INFO_NULL))
  BAD_INFO(null_good, 2, MPI_Comm_set_info(live_comm, bad))
  BAD_COMM(1, MPI_Comm_get_info(bad, &info))
  BAD_COMM(1, MPI_Intercomm_create(bad, 0, WORLD, 0, 0, &made))
  BAD_COMM(1, MPI_Intercomm_merge(bad, 0, &made))
  BAD_COMM(1, MPI_Comm_set_name(bad, "name"))
  TRY(MPI_Comm, comm_kind, null_good, MPI_ERR_COMM, 1, MPI_Comm_get_name(bad, name, &length))
  TRY(MPI_Win, win_kind, null_good, MPI_ERR_WIN, 1, MPI_Win_get_name(bad, name, &length))
  BAD_COMM(1, MPI_Comm_set_errhandler(bad, MPI_ERRORS_RETURN))
  BAD_ERRHANDLER(2, MPI_Comm_set_errhandler(live_comm, bad))
  BAD_COMM(1, MPI_Comm_get_errhandler(bad, &handler))
  BAD_COMM(1, MPI_Comm_call_errhandler(bad, MPI_ERR_OTHER))
  BAD_WIN(MPI_Win_set_errhandler(bad, MPI_ERRORS_RETURN))
  BAD_WIN(MPI_Win_get_errhandler(bad, &handler))
  BAD_WIN(MPI_Win_call_errhandler(bad, MPI_ERR_OTHER))
  BAD_FILE(MPI_File_set_errhandler(bad, MPI_ERRORS_RETURN))
  BAD_FILE(MPI_File_get_errhandler(bad, &handler))
  BAD_FILE(MPI_File_call_errhandler(bad, MPI_ERR_OTHER))
  BAD_ERRHANDLER(2, MPI_File_set_errhandler(MPI_FILE_NULL, bad))
  BAD_COMM(1, MPI_Comm_set_attr(bad, MPI_TAG_UB, &n))
  BAD_COMM(1, MPI_Comm_get_attr(bad, MPI_TAG_UB, &value, &flag))
  BAD_COMM(1, MPI_Comm_delete_attr(bad, MPI_TAG_UB))
  BAD_COMM(1, MPI_Attr_put(bad, MPI_TAG_UB, &n))
  BAD_COMM(1, MPI_Attr_get(bad, MPI_TAG_UB, &value, &flag))
  BAD_COMM(1, MPI_Attr_delete(bad, MPI_TAG_UB))
  BAD_COMM(1, MPI_Abort(bad, 1))
}

static void topologies(void) {
  int n, a[] = {1}, b[] = {0};
  MPI_Comm made;
  MPI_Info none = MPI_INFO_NULL;
  BAD_COMM(1, MPI_Topo_test(bad, &n))
  BAD_COMM(1, MPI_Cart_create(bad, 1, a, b, 0, &made))
  BAD_COMM(1, MPI_Cart_map(bad, 1, a, b, &n))
  BAD_COMM(1, MPI_Cart_sub(bad, a, &made))
  BAD_COMM(1, MPI_Cartdim_get(bad, &n))
  BAD_COMM(1, MPI_Cart_get(bad, 1, a, b, &n))
  BAD_COMM(1, MPI_Cart_rank(bad, a, &n))
  BAD_COMM(1, MPI_Cart_coords(bad, 0, 1, a))
  BAD_COMM(1, MPI_Cart_shift(bad, 0, 1, a, b))
  BAD_COMM(1, MPI_Graph_create(bad, 1, a, b, 0, &made))
  BAD_COMM(1, MPI_Graph_map(bad, 1, a, b, &n))
  BAD_COMM(1, MPI_Graphdims_get(bad, a, b))
  BAD_COMM(1, MPI_Graph_get(bad, 1, 1, a, b))
  BAD_COMM(1, MPI_Graph_neighbors_count(bad, 0, &n))
  BAD_COMM(1, MPI_Graph_neighbors(bad, 0, 1, a))
  BAD_COMM(1, MPI_Dist_graph_create(bad, 1, b, a, b, a, none, 0, &made))
  BAD_INFO(null_good, 7, MPI_Dist_graph_create(MPI_COMM_SELF, 1, b, a, b, a, bad, 0, &made))
  BAD_COMM(1, MPI_Dist_graph_create_adjacent(bad, 1, b, a, 1, b, a, none, 0, &made))
  BAD_INFO(null_good, 8,
           MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, b, a, 1, b, a, bad, 0, &made))
  BAD_COMM(1, MPI_Dist_graph_neighbors_count(bad, a, b, &n))
  BAD_COMM(1, MPI_Dist_graph_neighbors(bad, 1, a, b, 1, a, b))
}

static void groups(void) {
  int n, ranks[] = {0}, ranges[1][3] = {{0, 0, 1}};
  MPI_Group made;
  MPI_Comm comm;
  BAD_GROUP(1, MPI_Group_size(bad, &n))
  BAD_GROUP(1, MPI_Group_rank(bad, &n))
  BAD_GROUP(1, MPI_Group_compare(bad, live_group, &n))
  BAD_GROUP(2, MPI_Group_compare(live_group, bad, &n))
  BAD_GROUP(1, MPI_Group_union(bad, live_group, &made))
  BAD_GROUP(2, MPI_Group_union(live_group, bad, &made))
  BAD_GROUP(1, MPI_Group_intersection(bad, live_group, &made))
  BAD_GROUP(2, MPI_Group_intersection(live_group, bad, &made))
  BAD_GROUP(1, MPI_Group_difference(bad, live_group, &made))
  BAD_GROUP(2, MPI_Group_difference(live_group, bad, &made))
  BAD_GROUP(1, MPI_Group_incl(bad, 1, ranks, &made))
  BAD_GROUP(1, MPI_Group_excl(bad, 1, ranks, &made))
  BAD_GROUP(1, MPI_Group_range_incl(bad, 1, ranges, &made))
  BAD_GROUP(1, MPI_Group_range_excl(bad, 1, ranges, &made))
  BAD_GROUP(1, MPI_Group_translate_ranks(bad, 1, ranks, live_group, &n))
  BAD_GROUP(4, MPI_Group_translate_ranks(live_group, 1, ranks, bad, &n))
  BAD_GROUP(1, MPI_Group_free(&bad))
  BAD_GROUP(1, MPI_Comm_create_from_group(bad, "t", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm))
  BAD_INFO(null_good, 3, MPI_Comm_create_from_group(live_group, "t", bad, MPI_ERRORS_RETURN, &comm))
  BAD_ERRHANDLER(4, MPI_Comm_create_from_group(live_group, "t", MPI_INFO_NULL, bad, &comm))
  BAD_GROUP(1, MPI_Intercomm_create_from_groups(bad, 0, live_group, 0, "t", MPI_INFO_NULL,
                                                MPI_ERRORS_RETURN, &comm))
  BAD_INFO(null_good, 6,
           MPI_Intercomm_create_from_groups(live_group, 0, live_group, 0, "t", bad,
                                            MPI_ERRORS_RETURN, &comm))
  BAD_ERRHANDLER(7, MPI_Intercomm_create_from_groups(live_group, 0, live_group, 0, "t",
                                                     MPI_INFO_NULL, bad, &comm))
  BAD_SESSION(1, MPI_Group_from_session_pset(bad, "mpi://SELF", &made))
}

static void making_datatypes(void) {
  int one[] = {1}, zero[] = {0}, none[] = {MPI_DISTRIBUTE_NONE},
      whole[] = {MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Aint far[] = {0};
  MPI_Count one_c[] = {1}, zero_c[] = {0};
  MPI_Datatype made;
  BAD_TYPE(2, MPI_Type_contiguous(1, bad, &made))
  BAD_TYPE(2, MPI_Type_contiguous_c(1, bad, &made))
  BAD_TYPE(4, MPI_Type_vector(1, 1, 1, bad, &made))
  BAD_TYPE(4, MPI_Type_vector_c(1, 1, 1, bad, &made))
  BAD_TYPE(4, MPI_Type_create_hvector(1, 1, 8, bad, &made))
  BAD_TYPE(4, MPI_Type_create_hvector_c(1, 1, 8, bad, &made))
  BAD_TYPE(4, MPI_Type_indexed(1, one, zero, bad, &made))
  BAD_TYPE(4, MPI_Type_indexed_c(1, one_c, zero_c, bad, &made))
  BAD_TYPE(4, MPI_Type_create_hindexed(1, one, far, bad, &made))
  BAD_TYPE(4, MPI_Type_create_hindexed_c(1, one_c, zero_c, bad, &made))
  BAD_TYPE(4, MPI_Type_create_indexed_block(1, 1, zero, bad, &made))
  BAD_TYPE(4, MPI_Type_create_indexed_block_c(1, 1, zero_c, bad, &made))
  BAD_TYPE(4, MPI_Type_create_hindexed_block(1, 1, far, bad, &made))
  BAD_TYPE(4, MPI_Type_create_hindexed_block_c(1, 1, zero_c, bad, &made))
  BAD_TYPE(4, MPI_Type_create_struct(1, one, far, &bad, &made))
  BAD_TYPE(4, MPI_Type_create_struct_c(1, one_c, zero_c, &bad, &made))
  BAD_TYPE(6, MPI_Type_create_subarray(1, one, one, zero, MPI_ORDER_C, bad, &made))
  BAD_TYPE(6, MPI_Type_create_subarray_c(1, one_c, one_c, zero_c, MPI_ORDER_C, bad, &made))
  BAD_TYPE(9, MPI_Type_create_darray(1, 0, 1, one, none, whole, one, MPI_ORDER_C, bad, &made))
  BAD_TYPE(9, MPI_Type_create_darray_c(1, 0, 1, one_c, none, whole, one, MPI_ORDER_C, bad, &made))
  BAD_TYPE(1, MPI_Type_create_resized(bad, 0, 8, &made))
  BAD_TYPE(1, MPI_Type_create_resized_c(bad, 0, 8, &made))
  BAD_TYPE(1, MPI_Type_dup(bad, &made))
  BAD_TYPE(1, MPI_Type_get_value_index(bad, MPI_INT, &made))
  BAD_TYPE(2, MPI_Type_get_value_index(MPI_INT, bad, &made))
}

static void datatypes(void) {
  int n, i[8], flag;
  char name[MPI_MAX_OBJECT_NAME];
  void* value;
  MPI_Aint low, extent, a[8];
  MPI_Count c[8], low_c, extent_c;
  MPI_Datatype types[8];
  MPI_Status status;
  memset(&status, 0, sizeof status);
  BAD_TYPE(1, MPI_Type_commit(&bad))
  BAD_TYPE(1, MPI_Type_free(&bad))
  BAD_TYPE(1, MPI_Type_size(bad, &n))
  BAD_TYPE(1, MPI_Type_size_c(bad, c))
  BAD_TYPE(1, MPI_Type_size_x(bad, c))
  BAD_TYPE(1, MPI_Type_get_extent(bad, &low, &extent))
  BAD_TYPE(1, MPI_Type_get_extent_c(bad, &low_c, &extent_c))
  BAD_TYPE(1, MPI_Type_get_extent_x(bad, &low_c, &extent_c))
  BAD_TYPE(1, MPI_Type_get_true_extent(bad, &low, &extent))
  BAD_TYPE(1, MPI_Type_get_true_extent_c(bad, &low_c, &extent_c))
  BAD_TYPE(1, MPI_Type_get_true_extent_x(bad, &low_c, &extent_c))
  BAD_TYPE(1, MPI_Type_get_envelope(bad, i, i + 1, i + 2, i + 3))
  BAD_TYPE(1, MPI_Type_get_envelope_c(bad, c, c + 1, c + 2, c + 3, &n))
  BAD_TYPE(1, MPI_Type_get_contents(bad, 1, 0, 1, i, a, types))
  BAD_TYPE(1, MPI_Type_get_contents_c(bad, 1, 0, 0, 1, i, a, c, types))
  BAD_TYPE(1, MPI_Type_set_name(bad, "name"))
  TRY(MPI_Datatype, type_kind, null_good, MPI_ERR_TYPE, 1, MPI_Type_get_name(bad, name, &n))
  BAD_TYPE(1, MPI_Type_set_attr(bad, MPI_TAG_UB, &n))
  BAD_TYPE(1, MPI_Type_get_attr(bad, MPI_TAG_UB, &value, &flag))
  BAD_TYPE(1, MPI_Type_delete_attr(bad, MPI_TAG_UB))
  BAD_TYPE(2, MPI_Get_count(&status, bad, &n))
  BAD_TYPE(2, MPI_Get_count_c(&status, bad, c))
  BAD_TYPE(2, MPI_Get_elements(&status, bad, &n))
  BAD_TYPE(2, MPI_Get_elements_c(&status, bad, c))
  BAD_TYPE(2, MPI_Get_elements_x(&status, bad, c))
  BAD_TYPE(2, MPI_Status_set_elements(&status, bad, 1))
  BAD_TYPE(2, MPI_Status_set_elements_c(&status, bad, 1))
  BAD_TYPE(2, MPI_Status_set_elements_x(&status, bad, 1))
}

static void operations_and_infos(void) {
  int n, flag, length = 16;
  char text[64] = "";
  void* memory;
  MPI_Info made;
  BAD_OP(1, MPI_Op_commutative(bad, &n))
  BAD_OP(1, MPI_Op_free(&bad))
  BAD_INFO(null_bad, 1, MPI_Info_set(bad, "key", "value"))
  BAD_INFO(null_bad, 1, MPI_Info_delete(bad, "key"))
  BAD_INFO(null_bad, 1, MPI_Info_get(bad, "key", 8, text, &flag))
  BAD_INFO(null_bad, 1, MPI_Info_get_string(bad, "key", &length, text, &flag))
  BAD_INFO(null_bad, 1, MPI_Info_get_valuelen(bad, "key", &n, &flag))
  BAD_INFO(null_bad, 1, MPI_Info_get_nkeys(bad, &n))
  BAD_INFO(null_bad, 1, MPI_Info_get_nthkey(bad, 0, text))
  BAD_INFO(null_bad, 1, MPI_Info_dup(bad, &made))
  BAD_INFO(null_bad, 1, MPI_Info_free(&bad))
  BAD_INFO(null_good, 2, MPI_Alloc_mem(8, bad, &memory))
}

static void error_handlers_and_sessions(void) {
  int n, length = 0;
  char text[64];
  MPI_Errhandler handler;
  MPI_Info info;
  MPI_Session made;
  BAD_ERRHANDLER(1, MPI_Errhandler_free(&bad))
  BAD_INFO(null_good, 1, MPI_Session_init(bad, MPI_ERRORS_RETURN, &made))
  BAD_ERRHANDLER(2, MPI_Session_init(MPI_INFO_NULL, bad, &made))
  BAD_SESSION(1, MPI_Session_get_num_psets(bad, MPI_INFO_NULL, &n))
  BAD_INFO(null_good, 2, MPI_Session_get_num_psets(live_session, bad, &n))
  BAD_SESSION(1, MPI_Session_get_nth_pset(bad, MPI_INFO_NULL, 0, &length, text))
  BAD_INFO(null_good, 2, MPI_Session_get_nth_pset(live_session, bad, 0, &length, text))
  BAD_SESSION(1, MPI_Session_get_pset_info(bad, "mpi://SELF", &info))
  BAD_SESSION(1, MPI_Session_get_info(bad, &info))
  BAD_SESSION(1, MPI_Session_get_errhandler(bad, &handler))
  BAD_SESSION(1, MPI_Session_set_errhandler(bad, MPI_ERRORS_RETURN))
  BAD_ERRHANDLER(2, MPI_Session_set_errhandler(live_session, bad))
  BAD_SESSION(1, MPI_Session_call_errhandler(bad, MPI_ERR_OTHER))
  BAD_SESSION(1, MPI_Session_finalize(&bad))
}

/* An error handler of another kind of object is alive and yet wrong. */
static void session_error(MPI_Session* session, int* code, ...) {
  (void)session, (void)code;
}
static void error_handlers_of_another_kind(void) {
  MPI_Errhandler of_sessions, of_comms = live_handles[errhandler_kind];
  MPI_Session made;
  MPI_Comm comm;
  MPI_Session_create_errhandler(session_error, &of_sessions);
  WRONG(MPI_Comm_create_from_group(live_group, "t", MPI_INFO_NULL, of_sessions, &comm),
        MPI_ERR_ERRHANDLER, "argument 4");
  WRONG(MPI_Comm_set_errhandler(live_comm, of_sessions), MPI_ERR_ERRHANDLER, "argument 2");
  WRONG(MPI_Session_set_errhandler(live_session, of_comms), MPI_ERR_ERRHANDLER, "argument 2");
  WRONG(MPI_Session_init(MPI_INFO_NULL, of_comms, &made), MPI_ERR_ERRHANDLER, "argument 2");
  MPI_Errhandler_free(&of_sessions);
}

/* Whatever an integer is, its handle is refused; the integers of live handles lead back to them. */
static void conversions(void) {
  uint64_t state = 5;
  int n;
  void* value;
  MPI_Aint low, extent;
  for (int i = 0; i < 200; ++i) {
    int number = (int)next_random(&state);
    WRONG(MPI_Comm_size(MPI_Comm_fromint(number), &n), MPI_ERR_COMM, "argument 1");
    WRONG(MPI_Type_get_extent(MPI_Type_fromint(number), &low, &extent), MPI_ERR_TYPE, "argument 1");
    WRONG(MPI_Group_size(MPI_Group_fromint(number), &n), MPI_ERR_GROUP, "argument 1");
    WRONG(MPI_Op_commutative(MPI_Op_fromint(number), &n), MPI_ERR_OP, "argument 1");
    WRONG(MPI_Info_get_nkeys(MPI_Info_fromint(number), &n), MPI_ERR_INFO, "argument 1");
    WRONG(MPI_Comm_get_attr(MPI_Comm_f2c(number), MPI_TAG_UB, &value, &n), MPI_ERR_COMM,
          "argument");
  }
  CHECK(MPI_Comm_fromint(MPI_Comm_toint(live_comm)) == live_comm);
  CHECK(MPI_Type_fromint(MPI_Type_toint(live_type)) == live_type);
  CHECK(MPI_Group_fromint(MPI_Group_toint(live_group)) == live_group);
  CHECK(MPI_Info_fromint(MPI_Info_toint(live_info)) == live_info);
  CHECK(MPI_Session_fromint(MPI_Session_toint(live_session)) == live_session);
  for (int at = 0; at < bad_handles[comm_kind].count; ++at) /* no crash, whatever comes out */
    CHECK(MPI_Comm_toint(bad_handles[comm_kind].values[at]) >= 0);
}

int main(int argc, char** argv) {
  start_bad(&argc, &argv);
  communicators();
  topologies();
  groups();
  making_datatypes();
  datatypes();
  operations_and_infos();
  error_handlers_and_sessions();
  error_handlers_of_another_kind();
  conversions();
  return finish_bad(150);
}
