/* Data in memory that nobody may touch: messages in all ways, packing, local reductions and
 * one-sided operations, from and to such memory, with every byte of it and around it compared.
 * usage: foreign_memory_test [host] [multiple] [messages | local | windows ...]; with `host` all
 * memory is ordinary, `multiple` is MPI_THREAD_MULTIPLE, and the other words name the parts that
 * are wanted. Collectives have programs of their own, which take such memory if there is any. */
#include "foreign_local.h"
#include "foreign_messages.h"
#include "foreign_windows.h"

static const char* const part_names[] = {"messages", "local", "windows"};
enum { part_messages, part_local, part_windows, part_count };

static unsigned parts_of(int argc, char** argv) {
  unsigned found = 0;
  for (int i = 1; i < argc; ++i)
    for (int k = 0; k < part_count; ++k)
      if (strcmp(argv[i], part_names[k]) == 0) found |= 1u << k;
  return found ? found : (1u << part_count) - 1;
}

int main(int argc, char** argv) {
  int wanted = MPI_THREAD_SINGLE, provided;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "multiple") == 0) wanted = MPI_THREAD_MULTIPLE;
    if (strcmp(argv[i], "host") == 0) on_host = 1;
  }
  unsigned chosen = parts_of(argc, argv);
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided >= wanted);
  catch_signals();
  make_layouts();
  if (chosen >> part_messages & 1) {
    check_messages(MPI_COMM_WORLD, (rank + 1) % size, (rank + size - 1) % size, 5 << 20);
    check_messages(MPI_COMM_WORLD, rank, rank, 100000);
  }
  if (chosen >> part_local & 1) check_packing(), check_reduce_local();
  if (chosen >> part_windows & 1) {
    check_windows();
    check_windows_over_it(1);
    check_windows_over_it(0);
  }
  CHECK(on_host ? opaque_copies() == 0 : opaque_copies() > 0);
  free_layouts();
  return finish();
}
