/* MPI_Comm_split_type by every standard type, against what MPI_Get_hw_resource_info says. */
#include "conformance.h"

static MPI_Comm split_by(MPI_Comm comm, int type, const char* key, const char* value) {
  MPI_Info info;
  MPI_Comm part;
  MPI_Info_create(&info);
  if (key) MPI_Info_set(info, key, value);
  MPI_Comm_split_type(comm, type, -rank, info, &part);
  MPI_Info_free(&info);
  return part;
}

static int size_of(MPI_Comm comm) {
  int n = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &n);
  return n;
}

static void drop(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void shared_memory_is_one_domain_ordered_by_key(void) {
  MPI_Comm part = split_by(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, NULL, NULL);
  int r;
  MPI_Comm_rank(part, &r);
  CHECK(size_of(part) == size && r == size - 1 - rank);
  drop(part);
  MPI_Comm_split_type(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                      &part);
  CHECK(size_of(part) == (rank == 0));
  drop(part);
  const char* key = "mpi_hw_resource_type";
  part = split_by(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, key, "mpi_shared_memory");
  CHECK(size_of(part) == size);
  drop(part);
}

static void nothing_to_go_by_gives_no_communicator(void) {
  int types[] = {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED};
  for (int i = 0; i < 2; ++i) {
    MPI_Comm part;
    MPI_Comm_split_type(MPI_COMM_WORLD, types[i], 0, MPI_INFO_NULL, &part);
    CHECK(part == MPI_COMM_NULL);
    CHECK(split_by(MPI_COMM_WORLD, types[i], NULL, NULL) == MPI_COMM_NULL);
    CHECK(split_by(MPI_COMM_WORLD, types[i], "mpi_hw_resource_type", "no such thing") ==
          MPI_COMM_NULL);
  }
  /* Process sets guide by resource only. */
  CHECK(split_by(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "mpi_pset_name", "mpi://WORLD") ==
        MPI_COMM_NULL);
}

static void process_sets_guide(void) {
  int type = MPI_COMM_TYPE_RESOURCE_GUIDED;
  MPI_Comm all = split_by(MPI_COMM_WORLD, type, "mpi_pset_name", "MPI://world");
  MPI_Comm own = split_by(MPI_COMM_WORLD, type, "mpi_pset_name", "mpi://SELF");
  CHECK(size_of(all) == size && size_of(own) == 1);
  CHECK(split_by(MPI_COMM_WORLD, type, "mpi_pset_name", "app://ocean") == MPI_COMM_NULL);
  drop(all);
  drop(own);
}

/* Every name that the library gives guides a split: those restricted to one instance get in. */
static void every_resource_that_is_named_guides(void) {
  MPI_Info info;
  int count;
  MPI_Get_hw_resource_info(&info);
  MPI_Info_get_nkeys(info, &count);
  CHECK(count > 0);
  for (int i = 0; i < count; ++i) {
    char name[MPI_MAX_INFO_KEY], value[8];
    int length = sizeof value, found;
    MPI_Info_get_nthkey(info, i, name);
    CHECK(strncmp(name, "hwloc://", 8) == 0);
    MPI_Info_get_string(info, name, &length, value, &found);
    int restricted = strcmp(value, "true") == 0;
    CHECK(found && (restricted || strcmp(value, "false") == 0));
    MPI_Comm guided =
        split_by(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", name);
    MPI_Comm again =
        split_by(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_hw_resource_type", name);
    MPI_Comm bare =
        split_by(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", name + 8);
    CHECK((guided != MPI_COMM_NULL) == restricted);
    CHECK(size_of(again) == size_of(guided) && size_of(bare) == size_of(guided));
    if (strcmp(name, "hwloc://Machine") == 0) CHECK(size_of(guided) == size);
    drop(guided);
    drop(again);
    drop(bare);
  }
  MPI_Info_free(&info);
}

/* Down the hardware until it cannot be divided any more; each step names what it went by. */
static void unguided_splits_end_with_strict_parts(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int level = 0; comm != MPI_COMM_NULL; ++level) {
    CHECK(level < 10);
    MPI_Info info;
    MPI_Comm part;
    char value[64];
    int length = sizeof value, found;
    MPI_Info_create(&info);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, rank, info, &part);
    MPI_Info_get_string(info, "mpi_hw_resource_type", &length, value, &found);
    CHECK(found == (part != MPI_COMM_NULL));
    if (found) {
      /* All of a part were told the same. */
      char first[64];
      memset(value + strlen(value), 0, sizeof value - strlen(value));
      memcpy(first, value, sizeof first);
      MPI_Bcast(first, sizeof first, MPI_CHAR, 0, part);
      CHECK(memcmp(first, value, sizeof first) == 0);
      CHECK(size_of(part) < size_of(comm));
    }
    MPI_Info_free(&info);
    drop(comm);
    comm = part;
  }
}

static void wrong_types_are_refused(void) {
  MPI_Comm part, twin;
  MPI_Info info;
  int class;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Comm_split_type(twin, 12345, 0, MPI_INFO_NULL, &part), &class);
  CHECK(class == MPI_ERR_ARG);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://Core");
  MPI_Info_set(info, "mpi_pset_name", "mpi://WORLD");
  MPI_Error_class(MPI_Comm_split_type(twin, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part), &class);
  CHECK(class == MPI_ERR_INFO);
  MPI_Info_free(&info);
  MPI_Comm_free(&twin);
}

static int class_of(int code) {
  int its_class;
  MPI_Error_class(code, &its_class);
  return its_class;
}

/* Ranks that do not agree on the type all learn it, whatever they gave, and nothing is left behind;
 * MPI_UNDEFINED goes with every type. */
static void different_types_are_refused_on_all_ranks(void) {
  static const int types[] = {MPI_COMM_TYPE_SHARED, MPI_COMM_TYPE_HW_UNGUIDED,
                              MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED};
  MPI_Comm comm, part;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int i = 0; i < 4 && size > 1; ++i) {
    int type = types[rank == size - 1 ? i : (i + 1) % 4];
    CHECK(class_of(MPI_Comm_split_type(comm, type, 0, MPI_INFO_NULL, &part)) == MPI_ERR_ARG);
    MPI_Error_string(MPI_ERR_ARG, text, &length);
    CHECK(strstr(text, "argument 2 (split_type)") && strstr(text, "MPI_COMM_TYPE_"));
    int code = rank == 0 ? MPI_Comm_split(comm, 0, 0, &part)
                         : MPI_Comm_split_type(comm, type, 0, MPI_INFO_NULL, &part);
    CHECK(class_of(code) == MPI_ERR_ARG);
  }
  int type = rank == 0 && size > 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED;
  CHECK(MPI_Comm_split_type(comm, type, 0, MPI_INFO_NULL, &part) == MPI_SUCCESS);
  CHECK((part == MPI_COMM_NULL) == (type == MPI_UNDEFINED));
  if (part != MPI_COMM_NULL) {
    CHECK(size_of(part) == (size > 1 ? size - 1 : 1));
    drop(part);
  }
  MPI_Barrier(comm);
  drop(comm);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  shared_memory_is_one_domain_ordered_by_key();
  nothing_to_go_by_gives_no_communicator();
  process_sets_guide();
  every_resource_that_is_named_guides();
  unguided_splits_end_with_strict_parts();
  wrong_types_are_refused();
  different_types_are_refused_on_all_ranks();
  return finish();
}
