/* Messages from and to device memory on one MPI; device.py runs it and reads its lines.
 * usage: device METRIC MILLISECONDS SIZE...
 * DEVICE_LIBRARY names the driver's library (libcuda.so.1). Each rank takes the device
 * BATON_LOCAL_DEVICE, else devices in turn. All data that a cell has moved is looked at once. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { window = 16 };

/* The driver's functions, by its documentation. */
typedef unsigned long long Pointer;
static struct {
  int (*init)(unsigned);
  int (*count)(int*);
  int (*get)(int*, int);
  int (*retain)(void**, int);
  int (*set)(void*);
  int (*allocate)(Pointer*, size_t);
  int (*release)(Pointer);
  int (*to_device)(Pointer, const void*, size_t);
  int (*to_host)(void*, Pointer, size_t);
  int (*stream)(void**, unsigned);
  int (*copy)(Pointer, Pointer, size_t, void*);
  int (*wait)(void*);
} driver;
static void* own_stream;

static void stop(const char* what, int result) {
  fprintf(stderr, "mpi_bench: %s: the driver's error %d\n", what, result);
  MPI_Abort(MPI_COMM_WORLD, 4);
}
#define MUST(call)                   \
  do {                               \
    const int result = (call);       \
    if (result) stop(#call, result); \
  } while (0)

static void load_driver(void) {
  const char* name = getenv("DEVICE_LIBRARY");
  void* library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "mpi_bench: %s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  const struct {
    const char* name;
    void* function;
  } wanted[] = {{"cuInit", &driver.init},
                {"cuDeviceGetCount", &driver.count},
                {"cuDeviceGet", &driver.get},
                {"cuDevicePrimaryCtxRetain", &driver.retain},
                {"cuCtxSetCurrent", &driver.set},
                {"cuMemAlloc_v2", &driver.allocate},
                {"cuMemFree_v2", &driver.release},
                {"cuMemcpyHtoD_v2", &driver.to_device},
                {"cuMemcpyDtoH_v2", &driver.to_host},
                {"cuStreamCreate", &driver.stream},
                {"cuMemcpyAsync", &driver.copy},
                {"cuStreamSynchronize", &driver.wait}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    void* found = dlsym(library, wanted[i].name);
    if (!found) stop(wanted[i].name, -1);
    *(void**)wanted[i].function = found;
  }
}

static void open_device(void) {
  const char* told = getenv("BATON_LOCAL_DEVICE");
  int count = 0, device;
  void* context;
  load_driver();
  MUST(driver.init(0));
  MUST(driver.count(&count));
  if (count == 0) stop("there is no device", 100);
  MUST(driver.get(&device, told ? atoi(told) : rank % count));
  MUST(driver.retain(&context, device));
  MUST(driver.set(context));
  MUST(driver.stream(&own_stream, 1));
}

/* Where a rank's buffers of a metric lie. */
typedef enum { on_host, by_mpi, on_device } Where;

static char* take(Where where, size_t bytes) {
  char* memory = NULL;
  Pointer pointer;
  if (where == on_host) return buffer_of(bytes);
  if (where == by_mpi) {
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    memset(memory, 1, bytes);
    return memory;
  }
  MUST(driver.allocate(&pointer, bytes));
  return (char*)(uintptr_t)pointer;
}

static void give_back(Where where, char* memory) {
  if (where == on_host)
    free(memory);
  else if (where == by_mpi)
    MPI_Free_mem(memory);
  else
    MUST(driver.release((Pointer)(uintptr_t)memory));
}

static unsigned char byte_of(size_t place, int key) {
  return (unsigned char)((place * 2654435761u >> 9) + 31u * (unsigned)key);
}

/* Fills a buffer with what a key says, or looks whether it holds that. */
static void fill(Where where, char* memory, size_t bytes, int key) {
  char* text = where == on_device ? buffer_of(bytes) : memory;
  for (size_t i = 0; i < bytes; ++i) text[i] = (char)byte_of(i, key);
  if (where != on_device) return;
  MUST(driver.to_device((Pointer)(uintptr_t)memory, text, bytes));
  free(text);
}
static void look(Where where, const char* memory, size_t bytes, int key) {
  char* text = where == on_device ? buffer_of(bytes) : NULL;
  if (text) MUST(driver.to_host(text, (Pointer)(uintptr_t)memory, bytes));
  const unsigned char* seen = (const unsigned char*)(text ? text : memory);
  for (size_t i = 0; i < bytes; ++i)
    if (seen[i] != byte_of(i, key)) {
      fprintf(stderr, "mpi_bench: rank %d: byte %zu of %zu is wrong\n", rank, i, bytes);
      MPI_Abort(MPI_COMM_WORLD, 5);
    }
  free(text);
}

static void ping_pong(Exchange* x) {
  const int other = 1 - rank;
  if (rank == 0) MPI_Send(x->out, (int)x->bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
  MPI_Recv(x->in, (int)x->bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(x->out, (int)x->bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
}

/* Sixteen messages under way from rank 0 to rank 1, which answers. */
static void send_window(Exchange* x) {
  MPI_Request requests[window];
  char answer = 0;
  for (int i = 0; i < window; ++i)
    if (rank == 0)
      MPI_Isend(x->out + (size_t)i * x->bytes, (int)x->bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD,
                &requests[i]);
    else
      MPI_Irecv(x->in + (size_t)i * x->bytes, (int)x->bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD,
                &requests[i]);
  MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  if (rank == 1) MPI_Send(&answer, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&answer, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void messages(const char* metric, Where first, Where second, int together, int count,
                     char** sizes) {
  const Where here = rank == 0 ? first : second;
  for (int i = 0; i < count; ++i) {
    Exchange x = {.bytes = strtoul(sizes[i], NULL, 10)};
    const size_t bytes = x.bytes * (together ? window : 1);
    x.out = take(here, bytes), x.in = take(here, bytes);
    fill(here, x.out, bytes, rank), fill(here, x.in, bytes, 7);
    const double value = measure(together ? send_window : ping_pong, &x);
    if (!together || rank == 1) look(here, x.in, bytes, 1 - rank);
    print_cell(metric, "", x.bytes, value / (together ? window : 2));
    give_back(here, x.out), give_back(here, x.in);
  }
}

/* What the driver takes for a copy in a rank's own memory; only rank 0 copies. */
static void copy_alone(Exchange* x) {
  if (rank != 0) return;
  MUST(driver.copy((Pointer)(uintptr_t)x->in, (Pointer)(uintptr_t)x->out, x->bytes, own_stream));
  MUST(driver.wait(own_stream));
}
static void copies(int count, char** sizes) {
  for (int i = 0; i < count; ++i) {
    Exchange x = {.bytes = strtoul(sizes[i], NULL, 10), .apart = 1};
    x.out = take(on_device, x.bytes), x.in = take(on_device, x.bytes);
    fill(on_device, x.out, x.bytes, rank);
    print_cell("copy", "", x.bytes, measure(copy_alone, &x));
    give_back(on_device, x.out), give_back(on_device, x.in);
  }
}

static void sum_up(Exchange* x) {
  MPI_Allreduce(x->out, x->in, (int)(x->bytes / sizeof(float)), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void sums(int count, char** sizes) {
  for (int i = 0; i < count; ++i) {
    Exchange x = {.bytes = strtoul(sizes[i], NULL, 10)};
    const size_t elements = x.bytes / sizeof(float);
    x.out = take(on_device, x.bytes), x.in = take(on_device, x.bytes);
    float* values = buffer_of(x.bytes);
    for (size_t k = 0; k < elements; ++k) values[k] = (float)(k % 1000 + (size_t)rank);
    MUST(driver.to_device((Pointer)(uintptr_t)x.out, values, x.bytes));
    const double value = measure(sum_up, &x);
    MUST(driver.to_host(values, (Pointer)(uintptr_t)x.in, x.bytes));
    for (size_t k = 0; k < elements; ++k)
      if (values[k] != (float)((k % 1000) * (size_t)ranks + (size_t)(ranks * (ranks - 1) / 2))) {
        fprintf(stderr, "mpi_bench: rank %d: the sum of element %zu is %g\n", rank, k, values[k]);
        MPI_Abort(MPI_COMM_WORLD, 5);
      }
    print_cell("allreduce", "", x.bytes, value);
    free(values);
    give_back(on_device, x.out), give_back(on_device, x.in);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4 || ranks < 2) {
    fprintf(stderr, "mpi_bench: METRIC MILLISECONDS SIZE..., with two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const char* metric = argv[1];
  budget_us = 1000 * atof(argv[2]);
  const int count = argc - 3;
  char** sizes = argv + 3;
  if (strcmp(metric, "host") == 0) {
    messages(metric, on_host, on_host, 0, count, sizes);
    return MPI_Finalize();
  }
  open_device();
  if (strcmp(metric, "host-context") == 0)
    messages(metric, on_host, on_host, 0, count, sizes);
  else if (strcmp(metric, "copy") == 0)
    copies(count, sizes);
  else if (strcmp(metric, "device") == 0)
    messages(metric, on_device, on_device, 0, count, sizes);
  else if (strcmp(metric, "device-16") == 0)
    messages(metric, on_device, on_device, 1, count, sizes);
  else if (strcmp(metric, "host-device") == 0)
    messages(metric, on_host, on_device, 0, count, sizes);
  else if (strcmp(metric, "alloc-device") == 0)
    messages(metric, by_mpi, on_device, 0, count, sizes);
  else if (strcmp(metric, "host-device-16") == 0)
    messages(metric, on_host, on_device, 1, count, sizes);
  else if (strcmp(metric, "allreduce") == 0)
    sums(count, sizes);
  else
    MPI_Abort(MPI_COMM_WORLD, 2);
  return MPI_Finalize();
}
