/* Windows of every kind with one face: the programs on one-sided communication run the same checks
 * over each. A byte of a target is named by its number; `place` makes it the displacement that this
 * window wants. */
#ifndef WINDOW_KINDS_H
#define WINDOW_KINDS_H

#include <sys/mman.h>

#include "conformance.h"
#include "opaque_memory.h"

typedef enum { allocated, shared, noncontig, created, exported, dynamic, kind_count } WindowKind;
static const char* const kind_names[] = {"allocate", "shared",   "noncontig",
                                         "create",   "exported", "dynamic"};

typedef struct {
  WindowKind kind;
  MPI_Win win;
  MPI_Comm comm; /* not its own */
  int ranks, me;
  unsigned char* base; /* the own part, as the program touches it */
  void* given;         /* its address, as calls get it */
  MPI_Aint bytes;
  int unit;
  /* Of each rank: */
  MPI_Aint* begins; /* displacement of its first byte */
  MPI_Aint* sizes;
  int* units;
} Window;

static inline void share_places(Window* w) {
  MPI_Aint begin = 0;
  int unit = w->kind == dynamic ? 1 : w->unit;
  if (w->kind == dynamic) MPI_Get_address(w->given, &begin);
  w->begins = malloc((size_t)w->ranks * sizeof *w->begins);
  w->sizes = malloc((size_t)w->ranks * sizeof *w->sizes);
  w->units = malloc((size_t)w->ranks * sizeof *w->units);
  MPI_Allgather(&begin, 1, MPI_AINT, w->begins, 1, MPI_AINT, w->comm);
  MPI_Allgather(&w->bytes, 1, MPI_AINT, w->sizes, 1, MPI_AINT, w->comm);
  MPI_Allgather(&unit, 1, MPI_INT, w->units, 1, MPI_INT, w->comm);
}

/* Memory of the program's own. Under TEST_XPMEM it is shared to begin with, which
 * tests/transport/fake_xpmem.c can map; and stays, since that cannot see what XPMEM does, that
 * addresses have become those of other memory. Where there is memory that nobody may touch, it is
 * that. */
static inline void* take_own(size_t bytes) {
  if (opaque_is_there()) return opaque_allocate(bytes);
  if (!getenv("TEST_XPMEM")) return malloc(bytes);
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  return memory;
}
static inline void give_back_own(void* memory) {
  if (opaque_free(memory)) return;
  if (!getenv("TEST_XPMEM")) free(memory);
}

/* Size and unit may differ between ranks. Memory of `create` is the program's own, of `exported`
 * MPI's; of `dynamic` it is either, by rank. All begins as zeros. */
static inline Window make_window(WindowKind kind, MPI_Aint bytes, int unit, MPI_Comm comm) {
  Window w = {.kind = kind, .win = MPI_WIN_NULL, .comm = comm, .bytes = bytes, .unit = unit};
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm_rank(comm, &w.me);
  MPI_Comm_size(comm, &w.ranks);
  if (kind == noncontig) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
  }
  if (kind == created || (kind == dynamic && w.me % 2 == 0)) w.given = take_own((size_t)bytes + 1);
  if (kind == exported || (kind == dynamic && w.me % 2 == 1))
    MPI_Alloc_mem(bytes + 1, MPI_INFO_NULL, &w.given);
  if (kind == allocated)
    MPI_Win_allocate(bytes, unit, info, comm, &w.given, &w.win);
  else if (kind == shared || kind == noncontig)
    MPI_Win_allocate_shared(bytes, unit, info, comm, &w.given, &w.win);
  else if (kind == dynamic)
    MPI_Win_create_dynamic(info, comm, &w.win);
  else
    MPI_Win_create(w.given, bytes, unit, info, comm, &w.win);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (kind == dynamic && bytes > 0) MPI_Win_attach(w.win, w.given, bytes);
  w.base = opaque_view(w.given);
  if (bytes > 0) memset(w.base, 0, (size_t)bytes);
  share_places(&w);
  MPI_Barrier(comm); /* all is attached and zero */
  return w;
}

static inline void free_window(Window* w) {
  if (w->kind == dynamic) {
    MPI_Barrier(w->comm); /* nobody needs it any more */
    if (w->bytes > 0) MPI_Win_detach(w->win, w->given);
  }
  MPI_Win_free(&w->win);
  CHECK(w->win == MPI_WIN_NULL);
  if (w->kind == created || (w->kind == dynamic && w->me % 2 == 0)) give_back_own(w->given);
  if (w->kind == exported || (w->kind == dynamic && w->me % 2 == 1)) MPI_Free_mem(w->given);
  free(w->begins), free(w->sizes), free(w->units);
}

static inline MPI_Aint place(const Window* w, int target, MPI_Aint byte) {
  CHECK(byte % w->units[target] == 0);
  return MPI_Aint_add(w->begins[target], byte / w->units[target]);
}

/* Around loads and stores of the own part while no epoch is open. */
static inline void begin_local(const Window* w) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, w->me, 0, w->win);
}
static inline void end_local(const Window* w) {
  MPI_Win_unlock(w->me, w->win);
}

static inline int has_word(int count, char** words, const char* wanted) {
  for (int i = 1; i < count; ++i)
    if (strcmp(words[i], wanted) == 0) return 1;
  return 0;
}

/* Runs a program's checks over the kinds that its arguments name; over all if they name none. */
static inline void over_kinds(int count, char** words, void (*run)(WindowKind)) {
  int named = 0;
  for (int pass = 0; pass < 2 && !named; ++pass)
    for (int kind = 0; kind < kind_count; ++kind) {
      int wanted = pass || has_word(count, words, kind_names[kind]);
      if (wanted) run((WindowKind)kind);
      named |= wanted;
    }
}

#endif
