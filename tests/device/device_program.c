/* Messages from and to device memory between two ranks, and sums and broadcasts among all that
 * there are, as its words say, in their order; see device_test.py. Each word that moves data
 * compares all of it. */
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "any_memory.h"

/* Rank 0 sends `count` messages, each from an allocation of its own that is freed at once. */
static void send_new(const char* from, const char* to, size_t bytes, int count) {
  void* in = rank == 1 ? take(to, bytes) : NULL;
  for (int i = 0; i < count; ++i) {
    if (rank == 0) {
      void* out = take(from, bytes);
      fill(out, bytes, (unsigned)i);
      MPI_Send(out, (int)bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
      give_back(from, out);
    } else {
      MPI_Recv(in, (int)bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      HELD(holds(in, bytes, (unsigned)i));
    }
  }
  if (rank == 1) give_back(to, in);
}

/* Both ranks send and receive `count` pieces of one allocation at the same time. */
static void exchange(const char* from, const char* to, size_t bytes, int count) {
  char *out = take(from, bytes * (size_t)count), *in = take(to, bytes * (size_t)count);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * 2 * (size_t)count);
  for (int i = 0; i < count; ++i) fill(out + (size_t)i * bytes, bytes, (unsigned)(i + rank));
  for (int i = 0; i < count; ++i) {
    MPI_Irecv(in + (size_t)i * bytes, (int)bytes, MPI_BYTE, 1 - rank, i, MPI_COMM_WORLD,
              &requests[i]);
    MPI_Isend(out + (size_t)i * bytes, (int)bytes, MPI_BYTE, 1 - rank, i, MPI_COMM_WORLD,
              &requests[count + i]);
  }
  MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i)
    HELD(holds(in + (size_t)i * bytes, bytes, (unsigned)(i + 1 - rank)));
  free(requests);
  give_back(from, out), give_back(to, in);
}

/* What comes from the host to a device in other ways than as a whole: to the middle of memory, cut
 * by a receive that is shorter, and two at once, one of them synchronous. */
static void cut_ends(size_t bytes) {
  char* memory = take(rank == 0 ? "host" : "device", 2 * bytes);
  MPI_Request requests[2];
  MPI_Status status;
  int count, error, class;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    fill(memory, 2 * bytes, 5);
    MPI_Send(memory, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Send(memory, (int)(2 * bytes), MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    MPI_Isend(memory + bytes, (int)bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(memory, (int)bytes, MPI_BYTE, 1, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    fill(memory, 2 * bytes, 6);
    MPI_Recv(memory + 100, (int)(2 * bytes) - 100, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    HELD(count == (int)bytes && view(memory)[99] == byte_of(99, 6));
    HELD(holds(memory + 100, bytes, 5) && view(memory)[bytes + 100] == byte_of(bytes + 100, 6));
    fill(memory, 2 * bytes, 7);
    error = MPI_Recv(memory, (int)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
    MPI_Error_class(error, &class);
    HELD(class == MPI_ERR_TRUNCATE && holds(memory, bytes, 5));
    HELD(view(memory)[bytes] == byte_of(bytes, 7));
    MPI_Irecv(memory + bytes, (int)bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(memory, (int)bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    HELD(holds(memory, 2 * bytes, 5));
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  give_back(rank == 0 ? "host" : "device", memory);
}

/* Rank 1 dies while rank 0 copies to its device memory; rank 0 lives on. */
static void die_meanwhile(size_t bytes) {
  char* memory = take(rank == 0 ? "host" : "device", bytes);
  MPI_Request request;
  int done = 0, error, class;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  fill(memory, bytes, 1);
  if (rank == 1) {
    MPI_Irecv(memory, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 20; ++i) MPI_Test(&request, &done, MPI_STATUS_IGNORE), usleep(10000);
    raise(SIGKILL);
  }
  MPI_Isend(memory, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
  error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Error_class(error, &class);
  HELD(class == MPIX_ERR_PROC_FAILED);
  give_back("host", memory);
  printf("rank 0 lives on, and has %ld copies behind it\n", device.counts().copies);
}

static const char* kind_here(char** kinds) {
  return kinds[rank % 2];
}

/* A type of runs without a rule, from the last to the first. Returns the bytes that it spans. */
static size_t make_gaps(int runs, MPI_Datatype* type) {
  int* lengths = malloc(sizeof(int) * 2 * (size_t)runs);
  int *places = lengths + runs, place = 0;
  for (int i = runs - 1; i >= 0; --i) {
    lengths[i] = 1 + i * i % 11;
    places[i] = place + 1 + i * i % 7;
    place = places[i] + lengths[i];
  }
  MPI_Type_indexed(runs, lengths, places, MPI_BYTE, type);
  MPI_Type_commit(type);
  free(lengths);
  return (size_t)place;
}
/* Rank 0 sends elements of such a type; bytes between the runs stay as they are. */
static void send_gaps(char** kinds, int runs, int count) {
  MPI_Datatype type;
  const size_t bytes = make_gaps(runs, &type);
  int packed;
  MPI_Type_size(type, &packed);
  char *memory = take(kinds[rank], bytes), *plain = malloc(bytes), *got = malloc((size_t)packed);
  for (int i = 0; i < count; ++i) {
    fill(memory, bytes, (unsigned)(2 * i + rank));
    if (rank == 0) {
      MPI_Send(memory, 1, type, 1, 7, MPI_COMM_WORLD);
      continue;
    }
    /* What it must be: the same on the host. */
    int position = 0;
    for (size_t k = 0; k < bytes; ++k) plain[k] = (char)byte_of(k, (unsigned)(2 * i));
    MPI_Pack(plain, 1, type, got, packed, &position, MPI_COMM_WORLD);
    for (size_t k = 0; k < bytes; ++k) plain[k] = (char)byte_of(k, (unsigned)(2 * i + 1));
    position = 0;
    MPI_Unpack(got, packed, &position, plain, 1, type, MPI_COMM_WORLD);
    MPI_Recv(memory, 1, type, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    HELD(memcmp(view(memory), plain, bytes) == 0);
  }
  MPI_Type_free(&type);
  free(plain), free(got);
  give_back(kinds[rank], memory);
}

/* Sums of all ranks, each in memory of its own kind. `form`: allreduce, iallreduce, in_place,
 * persistent, reduce (to the last rank). */
static void sum_up(const char* form, char** kinds, size_t numbers, int count) {
  const size_t bytes = numbers * sizeof(int);
  int *out = take(kind_here(kinds), bytes), *in = take(kind_here(kinds), bytes);
  int *out_seen = device.view ? device.view(out) : out,
      *in_seen = device.view ? device.view(in) : in;
  const int persists = strcmp(form, "persistent") == 0;
  MPI_Request request;
  if (persists)
    MPI_Allreduce_init(out, in, (int)numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
  for (int turn = 0; turn < count; ++turn) {
    const int in_place = strcmp(form, "in_place") == 0;
    for (size_t i = 0; i < numbers; ++i) {
      out_seen[i] = (int)i * (rank + 1) + turn;
      in_seen[i] = in_place ? out_seen[i] : -1;
    }
    if (persists) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(form, "iallreduce") == 0) {
      MPI_Iallreduce(out, in, (int)numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(form, "reduce") == 0) {
      MPI_Reduce(out, in, (int)numbers, MPI_INT, MPI_SUM, ranks - 1, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(in_place ? MPI_IN_PLACE : out, in, (int)numbers, MPI_INT, MPI_SUM,
                    MPI_COMM_WORLD);
    }
    for (size_t i = 0; i < numbers; ++i) {
      HELD((strcmp(form, "reduce") == 0 && rank != ranks - 1) ||
           in_seen[i] == ranks * (ranks + 1) / 2 * (int)i + ranks * turn);
      HELD(out_seen[i] == (int)i * (rank + 1) + turn);
    }
  }
  if (persists) MPI_Request_free(&request);
  give_back(kind_here(kinds), out), give_back(kind_here(kinds), in);
}

/* Broadcasts from each rank in turn. */
static void broadcast(char** kinds, size_t bytes, int count) {
  void* memory = take(kind_here(kinds), bytes);
  for (int turn = 0; turn < count; ++turn) {
    fill(memory, bytes, (unsigned)(rank == turn % ranks ? turn : 1000));
    MPI_Bcast(memory, (int)bytes, MPI_BYTE, turn % ranks, MPI_COMM_WORLD);
    HELD(holds(memory, bytes, (unsigned)turn));
  }
  give_back(kind_here(kinds), memory);
}

/* Many sums under way at once, with short calls between them and a blocking one behind them. Rank 1
 * completes them from the last to the first. */
static void overlap(char** kinds, int numbers, int count) {
  const size_t bytes = (size_t)numbers * sizeof(int);
  enum { calls_max = 40 };
  MPI_Request requests[2 * calls_max];
  char* memory[calls_max];
  int short_one[calls_max], total = 0, one = 1;
  HELD(count <= calls_max);
  for (int i = 0; i < count; ++i) {
    memory[i] = take(kinds[rank], bytes);
    short_one[i] = rank + i;
    for (int k = 0; k < numbers; ++k) ((int*)view(memory[i]))[k] = k * (rank + 1) + i;
    MPI_Iallreduce(MPI_IN_PLACE, memory[i], numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                   &requests[2 * i]);
    MPI_Iallreduce(MPI_IN_PLACE, &short_one[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                   &requests[2 * i + 1]);
    if (i % 7 == 3) MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1 && i % 3 == 0) usleep(1000);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2 * count; ++i)
    MPI_Wait(&requests[rank == 0 ? i : 2 * count - 1 - i], MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) {
    HELD(short_one[i] == 1 + 2 * i);
    for (int k = 0; k < numbers; ++k) HELD(((int*)view(memory[i]))[k] == 3 * k + 2 * i);
    give_back(kinds[rank], memory[i]);
  }
}

/* Rank 0 sends, in parts; each round by another order of the parts. */
static void send_parts(char** kinds, size_t part_bytes, int parts, int rounds) {
  const size_t bytes = part_bytes * (size_t)parts;
  char* memory = take(kind_here(kinds), bytes);
  MPI_Request request;
  if (rank == 0)
    MPI_Psend_init(memory, parts, (MPI_Count)part_bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(memory, parts, (MPI_Count)part_bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  for (int round = 0; round < rounds; ++round) {
    fill(memory, bytes, (unsigned)(rank == 0 ? round : 1000));
    MPI_Start(&request);
    for (int i = 0; i < parts && rank == 0; ++i) MPI_Pready((i + round) % parts, request);
    for (int i = 0, there = 0; i < parts && rank == 1; ++i, there = 0)
      while (!there) MPI_Parrived(request, i, &there);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    HELD(holds(memory, bytes, (unsigned)round));
  }
  MPI_Request_free(&request);
  give_back(kind_here(kinds), memory);
}

/* Each rank writes its part of a file and reads the other's, alone and together with the other. */
static void use_file(const char* path, char** kinds, size_t bytes) {
  char* memory = take(kind_here(kinds), bytes);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  for (int together = 0; together < 3; ++together) {
    const MPI_Offset own = (MPI_Offset)bytes * rank, other = (MPI_Offset)bytes * (1 - rank);
    MPI_Request request;
    fill(memory, bytes, (unsigned)(10 * together + rank));
    if (together == 0)
      MPI_File_write_at(file, own, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    if (together == 1)
      MPI_File_write_at_all(file, own, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    if (together == 2) {
      MPI_File_iwrite_at(file, own, memory, (int)bytes, MPI_BYTE, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    fill(memory, bytes, 77);
    if (together == 0)
      MPI_File_read_at(file, other, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    if (together == 1)
      MPI_File_read_at_all(file, other, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    if (together == 2) {
      MPI_File_iread_at(file, other, memory, (int)bytes, MPI_BYTE, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    HELD(holds(memory, bytes, (unsigned)(10 * together + 1 - rank)));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_File_close(&file);
  give_back(kind_here(kinds), memory);
}

/* A message that is longer than its receive, and one that is taken back. */
static void odd_ends(void) {
  char* memory = take("device", 100000);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  fill(memory, 100000, rank == 0 ? 3 : 4);
  if (rank == 0) {
    MPI_Request request;
    MPI_Status status;
    int cancelled, flag;
    MPI_Send(memory, 100000, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Isend(memory, 100000, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    HELD(!flag);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    HELD(cancelled);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    MPI_Send(memory, 50, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    int error = MPI_Recv(memory, 60000, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status), class, count;
    MPI_Error_class(error, &class);
    HELD(class == MPI_ERR_TRUNCATE && holds(memory, 60000, 3));
    HELD(((unsigned char*)device.view(memory))[60000] == byte_of(60000, 4));
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Probe(0, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    HELD(count == 50);
    fill(memory, 100, 9);
    MPI_Recv(memory, 100, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
    HELD(holds(memory, 50, 3));
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  give_back("device", memory);
}

/* A child of rank 0 may not use the device, and rank 0 goes on. */
static void fork_one(void) {
  if (rank == 0) {
    pid_t child = fork();
    int status;
    if (child == 0) _exit(device.allocate(standin_device, 8, NULL) == NULL ? 0 : 1);
    HELD(waitpid(child, &status, 0) == child && status == 0);
  }
  send_new("device", "device", 1000, 3);
}

/* What lies where device memory would, without a driver, or with that of another maker. */
static void send_unreadable(const char* library) {
  if (library) HELD(dlopen(library, RTLD_NOW));
  void* memory =
      mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  HELD(memory != MAP_FAILED);
  if (rank == 0) MPI_Send(memory, 1000, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(malloc(1000), 1000, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tell_counts(void) {
  StandinCounts c = device.counts();
  printf("rank %d has %ld streams, %ld events, %ld imports, %ld blocks\n", rank, c.streams,
         c.events, c.imports, c.blocks);
  printf("rank %d: %ld launches, %ld modules, %ld registered, %ld once, %ld copies, %ld flushes\n",
         rank, c.launches, c.modules, c.registered, c.registrations, c.copies, c.flushes);
}

/* Returns how many words it has taken. */
static int run(char** words) {
  const char* word = words[0];
  if (strcmp(word, "load") == 0) return open_device(), 1;
  if (strcmp(word, "send") == 0)
    return send_new(words[1], words[2], (size_t)atol(words[3]), atoi(words[4])), 5;
  if (strcmp(word, "load_second") == 0) return rank == 1 ? open_device() : (void)0, 1;
  if (strcmp(word, "exchange") == 0)
    return exchange("device", "device", (size_t)atol(words[1]), atoi(words[2])), 3;
  if (strcmp(word, "cross") == 0)
    return exchange(words[1], words[2], (size_t)atol(words[3]), atoi(words[4])), 5;
  if (strcmp(word, "cut") == 0) return cut_ends((size_t)atol(words[1])), 2;
  if (strcmp(word, "die") == 0) return die_meanwhile((size_t)atol(words[1])), 2;
  if (strcmp(word, "allreduce") == 0 || strcmp(word, "iallreduce") == 0 ||
      strcmp(word, "in_place") == 0 || strcmp(word, "persistent") == 0 ||
      strcmp(word, "reduce") == 0)
    return sum_up(word, words + 1, (size_t)atol(words[3]), atoi(words[4])), 5;
  if (strcmp(word, "bcast") == 0)
    return broadcast(words + 1, (size_t)atol(words[3]), atoi(words[4])), 5;
  if (strcmp(word, "gaps") == 0) return send_gaps(words + 1, atoi(words[3]), atoi(words[4])), 5;
  if (strcmp(word, "overlap") == 0) return overlap(words + 1, atoi(words[3]), atoi(words[4])), 5;
  if (strcmp(word, "parts") == 0)
    return send_parts(words + 1, (size_t)atol(words[3]), atoi(words[4]), 5), 5;
  if (strcmp(word, "file") == 0) return use_file(words[1], words + 2, (size_t)atol(words[4])), 5;
  if (strcmp(word, "odd") == 0) return odd_ends(), 1;
  if (strcmp(word, "fork") == 0) return fork_one(), 1;
  if (strcmp(word, "unreadable") == 0) return send_unreadable(words[1]), 2;
  if (strcmp(word, "counts") == 0) return tell_counts(), 1;
  if (strcmp(word, "lose") == 0) return rank == 0 ? device.lose() : (void)0, 1;
  if (strcmp(word, "new_context") == 0) {
    device.destroy_context(device.context);
    HELD(device.create_context(&device.context, 0, 0) == 0);
    return 1;
  }
  HELD(!"a word");
  return 1;
}

int main(int argc, char** argv) {
  int i = 1;
  if (i < argc && strcmp(argv[i], "first") == 0) open_device(), ++i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  while (i < argc) i += run(argv + i);
  MPI_Finalize();
  if (device.counts) tell_counts();
  printf("rank %d came to the end\n", rank);
  return 0;
}
