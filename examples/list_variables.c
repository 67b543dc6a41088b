/* Lists what an MPI library shows to tools: settings with their values, counters and events, each
 * with its description. It needs neither mpiexec nor MPI_Init, and runs on any library:
 *   mpicc list_variables.c -o list_variables && ./list_variables */
#include <mpi.h>
#include <stdio.h>

enum { text_bytes = 2048 };
static char name[text_bytes], words[text_bytes];

static void list_settings(void) {
  int count = 0;
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_length = text_bytes, words_length = text_bytes, values, narrow = 0;
    MPI_Count wide = 0;
    MPI_Datatype type;
    MPI_T_cvar_handle handle;
    MPI_T_cvar_get_info(i, name, &name_length, NULL, &type, NULL, words, &words_length, NULL, NULL);
    if ((type != MPI_INT && type != MPI_COUNT) ||
        MPI_T_cvar_handle_alloc(i, NULL, &handle, &values) != MPI_SUCCESS)
      continue;
    MPI_T_cvar_read(handle, type == MPI_INT ? (void*)&narrow : (void*)&wide);
    MPI_T_cvar_handle_free(&handle);
    printf("setting %s = %lld: %s\n", name, type == MPI_INT ? narrow : (long long)wide, words);
  }
}

static void list_counters_and_events(void) {
  int count = 0;
  MPI_T_pvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_length = text_bytes, words_length = text_bytes;
    MPI_T_pvar_get_info(i, name, &name_length, NULL, NULL, NULL, NULL, words, &words_length, NULL,
                        NULL, NULL, NULL);
    printf("counter %s: %s\n", name, words);
  }
  MPI_T_event_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_length = text_bytes, words_length = text_bytes;
    MPI_T_event_get_info(i, name, &name_length, NULL, NULL, NULL, NULL, NULL, NULL, words,
                         &words_length, NULL);
    printf("event %s: %s\n", name, words);
  }
}

int main(void) {
  int provided;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return 1;
  list_settings();
  list_counters_and_events();
  return MPI_T_finalize() != MPI_SUCCESS;
}
