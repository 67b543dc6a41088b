/* Collective calls that do not fit together, under mpiexec --check; mismatch_test.py says what has
 * to come of it. usage: mismatch_program WORD [return|ROUNDS] return: with MPI_ERRORS_RETURN; what
 * the call returned is printed, and the communicator is used again. */
#include "mismatch_blocks.h"
#include "mismatch_waits.h"

static const struct {
  const char* word;
  int (*call)(void);
  int fits;
} cases[] = {
#define CASE(name) \
  { #name, name, 0 }
#define FITS(name) \
  { #name, name, 1 }
    CASE(kind),
    CASE(third_call),
    CASE(nonblocking_with_blocking),
    CASE(gather_with_gatherv),
    CASE(block_with_counts),
    CASE(nonblocking_kind),
    CASE(persistent_kind),
    CASE(persistent_order),
    CASE(root_bcast),
    CASE(root_reduce),
    CASE(root_gather),
    CASE(root_scatterv),
    CASE(root_ibcast),
    CASE(root_persistent),
    CASE(op_allreduce),
    CASE(op_scan),
    CASE(op_user),
    CASE(op_commutes),
    CASE(count_bcast),
    CASE(type_bcast),
    CASE(long_bcast),
    CASE(count_reduce),
    CASE(type_allreduce),
    CASE(count_exscan),
    CASE(count_block),
    CASE(counts_reduce_scatter),
    CASE(count_iallreduce),
    CASE(count_persistent),
    CASE(gather_count),
    CASE(gatherv_count),
    CASE(scatter_type),
    CASE(scatterv_count),
    CASE(allgather_count),
    CASE(allgatherv_count),
    CASE(alltoall_type),
    CASE(alltoallv_count),
    CASE(alltoallw_type),
    CASE(ialltoallv_in_place),
    CASE(persistent_gather),
    CASE(in_place_allgather),
    CASE(in_place_alltoall),
    CASE(in_place_allreduce),
    CASE(neighbor_kind),
    CASE(neighbor_count),
    CASE(inter_kind),
    CASE(inter_root),
    CASE(inter_count),
    CASE(inter_blocks),
    CASE(reversed),
    CASE(unnamed),
    CASE(comm_order),
    CASE(comm_order_later),
    CASE(nonblocking_order),
    CASE(persistent_with_blocking),
    CASE(cycle_of_three),
    CASE(finalize),
    CASE(first_finalizes),
    CASE(finalize_receive),
    CASE(receive_with_barrier),
    CASE(wrong_tag),
    CASE(both_receive),
    CASE(both_probe),
    CASE(both_send),
    FITS(late),
    FITS(overlapped),
    FITS(late_message),
    FITS(message_on_its_way),
    FITS(two_threads),
    FITS(same_signatures),
    FITS(any_order),
    FITS(barriers),
#undef CASE
#undef FITS
};

/* The communicator is as good as before. */
static void use_again(void) {
  int sum = 0, one = 1;
  MPI_Request request;
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(sum == size);
  CHECK(MPI_Ibarrier(comm, &request) == MPI_SUCCESS);
  CHECK(wait_for(request) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  int threads = argc > 1 && strcmp(argv[1], "two_threads") == 0, provided;
  threads |= getenv("MISMATCH_THREADS") != NULL;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  CHECK(argc > 1 && size >= 2 && size <= 64);
  odd = rank == size - 1;
  int returns = argc > 2 && strcmp(argv[2], "return") == 0;
  if (returns) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (argc > 2 && !returns) rounds = atoi(argv[2]);
  size_t i = 0;
  while (i < sizeof cases / sizeof cases[0] && strcmp(cases[i].word, argv[1]) != 0) ++i;
  CHECK(i < sizeof cases / sizeof cases[0]);
  int rc = cases[i].call(), class, length;
  if (cases[i].fits) {
    CHECK(rc == MPI_SUCCESS);
    use_again();
    printf("rank %d: it fits\n", rank);
    return MPI_Finalize();
  }
  CHECK(returns && rc != MPI_SUCCESS); /* it was to end the job, or to fail */
  char text[MPI_MAX_ERROR_STRING];
  MPI_Error_class(rc, &class);
  MPI_Error_string(rc, text, &length);
  printf("rank %d: class %d: %s\n", rank, class, text);
  fflush(stdout);
  use_again();
  MPI_Finalize();
  return 0;
}
