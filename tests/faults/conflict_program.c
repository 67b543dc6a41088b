/* Conflicting accesses of one-sided communication, and their correct neighbours, under mpiexec
 * --check; conflict_test.py says what has to come of each. Barriers make sure which access comes
 * first: they order no operations. usage: conflict_program WORD [fatal|return] [kind of window]
 * WORD: a case, or fitting: all that are correct. return: with MPI_ERRORS_RETURN; each error is
 * printed, and the window is used again. */
#include "conflict_fits.h"

static const struct {
  const char* word;
  void (*run)(void);
  int fits;
} cases[] = {
#define CASE(name) \
  { #name, name, 0 }
#define FITS(name) \
  { #name, name, 1 }
    CASE(two_puts),
    CASE(put_twice),
    CASE(put_of_gotten),
    CASE(get_of_put),
    CASE(accumulate_of_put),
    CASE(get_of_accumulated),
    CASE(put_of_fetched),
    CASE(put_of_swapped),
    CASE(put_of_read),
    CASE(two_operations),
    CASE(two_types),
    CASE(one_operation_promised),
    CASE(rows_and_column),
    CASE(own_put),
    CASE(one_exposure),
    CASE(shared_locks),
    CASE(one_lock),
    CASE(no_flush),
    CASE(requests),
    CASE(store_after_put),
    CASE(store_after_accumulate),
    CASE(store_between_accumulates),
    CASE(store_in_exposure),
    CASE(test_ends_exposure),
    CASE(other_ranks),
    CASE(no_name),
    FITS(fences),
    FITS(disjoint),
    FITS(gets),
    FITS(accumulates),
    FITS(lock_words),
    FITS(origin_order),
    FITS(flushes),
    FITS(local_completion),
    FITS(exclusive_locks),
    FITS(exposures),
    FITS(stores_elsewhere),
    FITS(stores_before),
    FITS(stores_with_gets),
    FITS(stores_between),
    FITS(stores_under_locks),
    FITS(next_window),
#undef CASE
#undef FITS
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc > 1 && size == 3);
  returns = argc > 2 && strcmp(argv[2], "return") == 0;
  kind = argc > 3 ? argv[3] : "allocate";
  make_window(MPI_COMM_WORLD, "grid");
  int all = strcmp(argv[1], "fitting") == 0, found = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    if (!(all ? cases[i].fits : strcmp(cases[i].word, argv[1]) == 0)) continue;
    cases[i].run();
    ++found;
  }
  CHECK(found > 0);
  use_again();
  free_window();
  printf("rank %d: %d conflicts\n", rank, conflicts);
  return MPI_Finalize();
}
