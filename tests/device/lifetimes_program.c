/* Messages from and to memory of a device through the driver's own interface alone, so that it runs
 * on a device and on the stand-in: what kinds of memory and forms of calls give (word `forms`),
 * data with gaps that kernels copy (`gaps N`), what is left open when allocations come and go
 * (`leaks N`), and a rank that dies with handles open
 * (`die`). DEVICE_LIBRARY names the driver's library (libcuda.so.1). See on_device.py and
 * lifetimes_test.py. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

#define HELD(condition)                                                                      \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
    }                                                                                        \
  } while (0)

/* ---- the driver ---- */

typedef unsigned long long Pointer;
static struct {
  int (*init)(unsigned);
  int (*retain)(void**, int);
  int (*set)(void*);
  int (*free_bytes)(size_t*, size_t*);
  int (*allocate)(Pointer*, size_t);
  int (*allocate_pooled)(Pointer*, size_t, void*);
  int (*make_pool)(void**, const void* properties);
  int (*allocate_from_pool)(Pointer*, size_t, void* pool, void* stream);
  int (*allocate_managed)(Pointer*, size_t, unsigned);
  int (*allocate_host)(void**, size_t);
  int (*release)(Pointer);
  int (*release_host)(void*);
  int (*copy)(Pointer, Pointer, size_t);
  int (*wait)(void*);
} driver;

static int local_device;

static void open_driver(void) {
  const char* name = getenv("DEVICE_LIBRARY");
  void* library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
  void* context;
  if (!library) fprintf(stderr, "%s\n", dlerror());
  HELD(library);
  *(void**)&driver.init = dlsym(library, "cuInit");
  *(void**)&driver.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void**)&driver.set = dlsym(library, "cuCtxSetCurrent");
  *(void**)&driver.free_bytes = dlsym(library, "cuMemGetInfo_v2");
  *(void**)&driver.allocate = dlsym(library, "cuMemAlloc_v2");
  *(void**)&driver.allocate_pooled = dlsym(library, "cuMemAllocAsync");
  *(void**)&driver.make_pool = dlsym(library, "cuMemPoolCreate");
  *(void**)&driver.allocate_from_pool = dlsym(library, "cuMemAllocFromPoolAsync");
  *(void**)&driver.allocate_managed = dlsym(library, "cuMemAllocManaged");
  *(void**)&driver.allocate_host = dlsym(library, "cuMemAllocHost_v2");
  *(void**)&driver.release = dlsym(library, "cuMemFree_v2");
  *(void**)&driver.release_host = dlsym(library, "cuMemFreeHost");
  *(void**)&driver.copy = dlsym(library, "cuMemcpy");
  *(void**)&driver.wait = dlsym(library, "cuStreamSynchronize");
  HELD(driver.init && driver.retain && driver.set && driver.allocate && driver.release);
  HELD(driver.copy && driver.wait && driver.free_bytes);
  const char* told = getenv("BATON_LOCAL_DEVICE");
  local_device = told ? atoi(told) : 0;
  HELD(driver.init(0) == 0);
  HELD(driver.retain(&context, local_device) == 0 && driver.set(context) == 0);
}

/* ---- memory of each kind ---- */

typedef enum { device, pool, shared_pool, managed, pinned, host, kinds } Kind;
static const char* const kind_names[] = {"device",  "pool",   "shared_pool",
                                         "managed", "pinned", "host"};

/* A pool of memory that other processes may open by a descriptor; null: there are none. */
static void* pool_with_descriptors(void) {
  static void* made;
  const struct { /* CUmemPoolProps */
    int allocation_type, handle_types, location_type, location;
    void* security;
    size_t bytes_max;
    char reserved[56];
  } properties = {1, 1, 1, local_device, NULL, 0, {0}};
  if (!made && driver.make_pool && driver.make_pool(&made, &properties) != 0) made = NULL;
  return made;
}

static int has(Kind kind) {
  if (kind == pool) return driver.allocate_pooled != NULL;
  if (kind == shared_pool) return driver.allocate_from_pool && pool_with_descriptors();
  if (kind == managed) return driver.allocate_managed != NULL;
  return kind != pinned || (driver.allocate_host && driver.release_host);
}

static char* take(Kind kind, size_t bytes) {
  Pointer made = 0;
  void* memory = NULL;
  if (kind == host) return malloc(bytes);
  if (kind == pinned) {
    HELD(driver.allocate_host(&memory, bytes) == 0);
    return memory;
  }
  if (kind == device) HELD(driver.allocate(&made, bytes) == 0);
  /* 1: CU_MEM_ATTACH_GLOBAL */
  if (kind == managed) HELD(driver.allocate_managed(&made, bytes, 1) == 0);
  if (kind == pool) HELD(driver.allocate_pooled(&made, bytes, NULL) == 0 && driver.wait(NULL) == 0);
  if (kind == shared_pool)
    HELD(driver.allocate_from_pool(&made, bytes, pool_with_descriptors(), NULL) == 0 &&
         driver.wait(NULL) == 0);
  return (char*)(uintptr_t)made;
}
static void give_back(Kind kind, char* memory) {
  if (kind == host)
    free(memory);
  else if (kind == pinned)
    HELD(driver.release_host(memory) == 0);
  else
    HELD(driver.release((Pointer)(uintptr_t)memory) == 0);
}

static void move(void* to, const void* from, size_t bytes) {
  HELD(driver.copy((Pointer)(uintptr_t)to, (Pointer)(uintptr_t)from, bytes) == 0);
  HELD(driver.wait(NULL) == 0);
}

/* Number i of data with a key is what `number` says. */
static int number(int i, int key) {
  return (int)((unsigned)i * 2654435761u >> 8) + 1000 * key;
}
static void fill(Kind kind, char* memory, int count, int key) {
  int* numbers = malloc(sizeof(int) * (size_t)count);
  for (int i = 0; i < count; ++i) numbers[i] = number(i, key);
  if (kind == host)
    memcpy(memory, numbers, sizeof(int) * (size_t)count);
  else
    move(memory, numbers, sizeof(int) * (size_t)count);
  free(numbers);
}
static int* seen(Kind kind, const char* memory, int count) {
  int* numbers = malloc(sizeof(int) * (size_t)count);
  if (kind == host)
    memcpy(numbers, memory, sizeof(int) * (size_t)count);
  else
    move(numbers, memory, sizeof(int) * (size_t)count);
  return numbers;
}
/* Every `step`th number is that of the key, `times` over and `more`. */
static void expect(Kind kind, const char* memory, int count, int step, int key, int times,
                   int more) {
  int* numbers = seen(kind, memory, count);
  for (int i = 0; i < count; i += step) HELD(numbers[i] == times * number(i, key) + more);
  free(numbers);
}

/* ---- forms ---- */

static void two_ranks(Kind from, Kind to, int count) {
  const int other = rank ^ 1;
  if (other >= size) return;
  char *out = take(from, sizeof(int) * (size_t)count), *in = take(to, sizeof(int) * (size_t)count);
  MPI_Request requests[2];
  MPI_Datatype gaps;
  fill(from, out, count, rank), fill(to, in, count, 99);
  if (rank < other) MPI_Send(out, count, MPI_INT, other, 1, MPI_COMM_WORLD);
  MPI_Recv(in, count, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > other) MPI_Ssend(out, count, MPI_INT, other, 1, MPI_COMM_WORLD);
  expect(to, in, count, 1, other, 1, 0);
  fill(to, in, count, 99);
  MPI_Recv_init(in, count, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, count, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]), MPI_Request_free(&requests[1]);
  expect(to, in, count, 1, other, 1, 0);
  if (count >= 8) {
    fill(to, in, count, 99);
    MPI_Type_vector(count / 4, 1, 4, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Sendrecv(out, 1, gaps, other, 3, in, 1, gaps, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(to, in, count / 4 * 4, 4, other, 1, 0);
    MPI_Type_free(&gaps);
  }
  give_back(from, out), give_back(to, in);
}

/* Runs without a rule, so that kernels copy them, once that pays. `downwards`: from the last to the
 * first, in elements of negative extent. */
static void runs_without_rule(Kind from, Kind to, int runs, int downwards) {
  const int other = rank ^ 1;
  if (other >= size) return;
  enum { elements = 3 };
  int* lengths = malloc(sizeof(int) * 2 * (size_t)runs);
  int *places = lengths + runs, end = 0, count, packed;
  for (int i = 0; i < runs; ++i) {
    const int at = downwards ? runs - 1 - i : i;
    lengths[at] = 1 + i * i % 5;
    places[at] = end + 1 + i * i % 7;
    end = places[at] + lengths[at];
  }
  count = elements * end;
  MPI_Datatype one, type;
  MPI_Type_indexed(runs, lengths, places, MPI_INT, &one);
  MPI_Type_create_resized(one, 0, (downwards ? -1 : 1) * (MPI_Aint)sizeof(int) * end, &type);
  MPI_Type_commit(&type);
  MPI_Type_size(type, &packed);
  packed *= elements;
  const size_t bytes = sizeof(int) * (size_t)count;
  const size_t first = downwards ? sizeof(int) * (size_t)end * (elements - 1) : 0;
  char *out = take(from, bytes), *in = take(to, bytes), *should = take(host, bytes),
       *middle = malloc((size_t)packed);
  int position = 0;
  fill(from, out, count, rank), fill(to, in, count, 99);
  MPI_Sendrecv(out + first, elements, type, other, 4, in + first, elements, type, other, 4,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  /* What it must be: the same on the host. */
  fill(host, should, count, other);
  MPI_Pack(should + first, elements, type, middle, packed, &position, MPI_COMM_WORLD);
  fill(host, should, count, 99);
  position = 0;
  MPI_Unpack(middle, packed, &position, should + first, elements, type, MPI_COMM_WORLD);
  int* got = seen(to, in, count);
  HELD(memcmp(got, should, bytes) == 0);
  free(got), free(lengths), free(middle), free(should);
  MPI_Type_free(&one), MPI_Type_free(&type);
  give_back(from, out), give_back(to, in);
}

static void all_ranks(Kind kind, int count) {
  const size_t bytes = sizeof(int) * (size_t)count;
  char *out = take(kind, bytes), *in = take(kind, bytes * (size_t)size);
  fill(kind, out, count, rank);
  MPI_Allreduce(out, in, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  expect(kind, in, count, 1, size - 1, 1, 0);
  MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) expect(kind, in + (size_t)r * bytes, count, 1, r, 1, 0);
  MPI_Bcast(out, count, MPI_INT, size - 1, MPI_COMM_WORLD);
  expect(kind, out, count, 1, size - 1, 1, 0);
  fill(kind, out, count, 0);
  MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) expect(kind, in, count, 1, 0, size, 0);
  give_back(kind, out), give_back(kind, in);
}

/* The origin's data lies in memory of a kind, the window's on the host. */
static void operations(Kind kind, int count) {
  const size_t bytes = sizeof(int) * (size_t)count;
  char *data = take(kind, bytes), *memory;
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  fill(kind, data, count, rank);
  MPI_Win_fence(0, win);
  MPI_Put(data, count, MPI_INT, (rank + 1) % size, 0, count, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get(data, count, MPI_INT, rank, 0, count, MPI_INT, win);
  MPI_Win_fence(0, win);
  expect(kind, data, count, 1, (rank + size - 1) % size, 1, 0);
  MPI_Win_free(&win);
  give_back(kind, data);
}

/* How long messages of such types take: the first ones by copies, the later ones by kernels. */
static void gaps(int runs) {
  enum { messages = 12 };
  for (int downwards = 0; downwards < 2; ++downwards)
    for (int i = 0; i < messages; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      runs_without_rule(device, i % 2 ? host : device, runs, downwards);
      if (rank == 0 && (i == 0 || i == messages - 1))
        printf("%d runs %s, message %d: %.0f us with its tests\n", 3 * runs,
               downwards ? "downwards" : "upwards", i + 1, 1e6 * (MPI_Wtime() - start));
    }
}

static void forms(void) {
  const int counts[] = {1, 100, 10000, 1 << 20};
  for (Kind from = device; from < kinds; ++from) {
    if (!has(from)) {
      if (rank == 0) printf("no memory of the kind %s\n", kind_names[from]);
      continue;
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
      for (Kind to = device; to < kinds; ++to)
        if (has(to)) two_ranks(from, to, counts[i]);
      for (Kind to = device; to < kinds && i < 2; ++to)
        if (has(to)) runs_without_rule(from, to, 10 + 190 * (int)i, (int)i);
      all_ranks(from, counts[i]);
      operations(from, counts[i]);
    }
    if (rank == 0) printf("%s: messages, collectives and operations hold\n", kind_names[from]);
  }
}

/* ---- what is left open ---- */

static long files(void) {
  long count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++count;
  if (folder) closedir(folder);
  return count;
}
static long mappings(void) {
  long count = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  for (int c; maps && (c = fgetc(maps)) != EOF;) count += c == '\n';
  if (maps) fclose(maps);
  return count;
}
static long free_mib(void) {
  size_t unused = 0, all = 0;
  HELD(driver.free_bytes(&unused, &all) == 0);
  return (long)(unused >> 20);
}

/* Each message comes from an allocation of its own, which is freed at once, and goes to another. */
static void come_and_go(int count) {
  const int elements = 3000;
  for (int i = 0; i < count; ++i) {
    char* memory = take(device, sizeof(int) * (size_t)elements);
    if (rank == 0) {
      fill(device, memory, elements, i % 100);
      MPI_Send(memory, elements, MPI_INT, 1, 7, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Recv(memory, elements, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(device, memory, elements, 7, i % 100, 1, 0);
    }
    give_back(device, memory);
  }
}

static void leaks(int count) {
  enum { first = 300, files_more = 2, mappings_more = 64, mib_less = 64 };
  come_and_go(first);
  MPI_Barrier(MPI_COMM_WORLD);
  const long files_before = files(), mappings_before = mappings(), mib_before = free_mib();
  MPI_Barrier(MPI_COMM_WORLD);
  come_and_go(count);
  MPI_Barrier(MPI_COMM_WORLD);
  const long more = files() - files_before, mapped = mappings() - mappings_before;
  const long less = mib_before - free_mib();
  printf("rank %d after %d allocations: %+ld descriptors, %+ld mappings, %+ld MiB of the device\n",
         rank, count, more, mapped, less);
  HELD(more <= files_more && mapped <= mappings_more && less <= mib_less);
}

static void die(void) {
  char* memory = take(device, 1 << 20);
  fill(device, memory, 1000, 1);
  if (rank == 0) MPI_Send(memory, 1000, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(memory, 1000, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d has handles open\n", rank);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) raise(SIGKILL);
  MPI_Recv(memory, 1000, MPI_INT, size - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  open_driver();
  const char* word = argc > 1 ? argv[1] : "forms";
  if (strcmp(word, "forms") == 0) forms();
  if (strcmp(word, "gaps") == 0) gaps(argc > 2 ? atoi(argv[2]) : 20000);
  if (strcmp(word, "leaks") == 0) leaks(argc > 2 ? atoi(argv[2]) : 10000);
  if (strcmp(word, "die") == 0) die();
  MPI_Finalize();
  printf("rank %d came to the end\n", rank);
  return 0;
}
