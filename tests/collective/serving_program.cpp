// What the status board says, and roots that serve by it, also when it lies. Maps the board beside
// the library. usage: mpiexec -n RANKS serving_program truth|plain|lies|busy [ROUNDS]
// truth: the board tells what is outstanding. The others: uneven blocks, some empty, one huge, in
// every form, with every root; `lies`: a thread writes nonsense to all rows meanwhile; `busy`: the
// last rank never becomes idle, as the board has it.
#include <mpi.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "lockfree/job.hpp"

namespace {

using baton::lockfree::channel_class;
using baton::lockfree::ChannelClass;
using baton::lockfree::ChannelLine;

int rank, size;
baton::lockfree::JobHeader* job;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      std::fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                               \
    }                                                                                             \
  } while (0)

void map_board() {
  const char* text = std::getenv("BATON_JOB_FD");
  struct stat status {};
  CHECK(text && fstat(std::atoi(text), &status) == 0);
  void* memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE,
                      MAP_SHARED, std::atoi(text), 0);
  CHECK(memory != MAP_FAILED);
  job = static_cast<baton::lockfree::JobHeader*>(memory);
  CHECK(!baton::lockfree::job_header_problem(*job));
}

ChannelLine& line_of(int r) {
  return baton::lockfree::rank_row(job, static_cast<std::uint32_t>(r))->channel;
}
int said_of(int r) {
  return line_of(r).outstanding.load(std::memory_order_relaxed);
}

// ---- truth ----

void exchange(int partner, int bytes, std::vector<char>& out, std::vector<char>& in) {
  MPI_Request requests[2];
  MPI_Irecv(in.data(), bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out.data(), bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void short_messages_leave_the_board_alone() {
  constexpr ChannelClass untouched = 11;
  std::vector<char> out(4096), in(4096);
  const int partner = rank ^ 1;
  baton::lockfree::publish_channel(line_of(rank), untouched);
  for (int round = 0; round < 300 && partner < size; ++round)
    for (int bytes : {0, 8, 48, 49, 1000}) exchange(partner, bytes, out, in);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(said_of(rank) == untouched);
  baton::lockfree::publish_channel(line_of(rank), baton::lockfree::channel_idle);
}

// Rank 1 has a long send that nobody takes; rank 0 sees it without making progress.
void a_long_send_is_seen_until_it_has_ended(int bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Request request;
    MPI_Isend(data.data(), bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(said_of(1) == baton::lockfree::channel_idle);
  } else if (rank == 0) {
    while (said_of(1) != channel_class(bytes)) std::this_thread::yield();
    CHECK(said_of(0) == baton::lockfree::channel_idle);
    MPI_Recv(data.data(), bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(said_of(0) == baton::lockfree::channel_idle);
  }
}

// Whatever happens to messages, in the end nothing is outstanding.
void everything_ends_idle() {
  std::vector<char> out(4 << 20), in(4 << 20);  // also of 20 ranks
  const int partner = rank ^ 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int round = 0; round < 40 && partner < size; ++round) {
    const int bytes = (round * 7919 % 61 + 1) * 50000;
    MPI_Request requests[3];
    // Truncated every fifth time, cancelled every third, synchronous every second.
    MPI_Irecv(in.data(), round % 5 ? bytes : bytes / 2, MPI_BYTE, partner, 1, MPI_COMM_WORLD,
              &requests[0]);
    (round % 2 ? MPI_Isend : MPI_Issend)(out.data(), bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD,
                                         &requests[1]);
    MPI_Isend(out.data(), bytes, MPI_BYTE, partner, 99, MPI_COMM_WORLD, &requests[2]);
    if (round % 3 == 0) MPI_Cancel(&requests[2]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    exchange(partner, 8, out, in);
    int waits = 0;
    MPI_Status status;
    for (MPI_Iprobe(partner, 99, MPI_COMM_WORLD, &waits, &status); waits;
         MPI_Iprobe(partner, 99, MPI_COMM_WORLD, &waits, &status))
      MPI_Recv(in.data(), bytes, MPI_BYTE, partner, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  }
  constexpr int block = 200000;
  MPI_Allgather(out.data(), block, MPI_BYTE, in.data(), block, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  CHECK(said_of(rank) == baton::lockfree::channel_idle);
}

void tell_the_truth() {
  short_messages_leave_the_board_alone();
  for (int bytes : {100000, 1 << 20, 20 << 20}) a_long_send_is_seen_until_it_has_ended(bytes);
  everything_ends_idle();
}

// ---- serving ----

// Blocks of a call: how long a rank's is, in ints, and what is in it.
int count_of(int round, int r) {
  const int counts[] = {0, 1, 25, 1500, 20000, 0, 40};
  if (r == (round * 3 + 1) % size && round % 4 == 0) return 1 << 20;
  return counts[static_cast<std::size_t>((r * 5 + round * 11) % 7)];
}
int value_of(int round, int from, int to, int at) {
  return round * 1000003 + from * 10007 + to * 101 + at;
}

// One v collective of some form under way.
struct Served {
  MPI_Comm comm;
  int kind, round, root;
  std::vector<int> counts, places, out, in;
  MPI_Request request = MPI_REQUEST_NULL;

  Served(MPI_Comm which, int what, int number) : comm(which), kind(what), round(number) {
    root = round % size;
    counts.resize(static_cast<std::size_t>(size));
    places.resize(counts.size());
    for (int r = 0; r < size; ++r) counts[static_cast<std::size_t>(r)] = count_of(round, r);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    all = static_cast<std::size_t>(places.back() + counts.back());
    mine = static_cast<std::size_t>(count_of(round, rank));
    // An alltoallv: each rank gives rank r as much as r's block is long.
    const bool gives_all = kind == 2 || (kind == 0 && rank == root);
    out.resize((gives_all ? all : kind == 1 ? mine : 0) + 1);
    in.assign((kind == 2      ? mine * static_cast<std::size_t>(size)
               : kind == 0    ? mine
               : rank == root ? all
                              : 0) +
                  1,
              -1);
    for (int r = 0; gives_all && r < size; ++r)
      fill(&out[at(places[at(r)])], count_of(round, r), rank, r);
    if (kind == 1) fill(out.data(), static_cast<int>(mine), rank, root);
    same.assign(counts.size(), static_cast<int>(mine));
    rows.resize(counts.size());
    std::exclusive_scan(same.begin(), same.end(), rows.begin(), 0);
  }

  void begin(int form) {
    const int own = static_cast<int>(mine);
    if (form == 0) {
      if (kind == 0)
        MPI_Scatterv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), own, MPI_INT,
                     root, comm);
      else if (kind == 1)
        MPI_Gatherv(out.data(), own, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT,
                    root, comm);
      else
        MPI_Alltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), same.data(),
                      rows.data(), MPI_INT, comm);
    } else if (form == 1) {
      if (kind == 0)
        MPI_Iscatterv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), own, MPI_INT,
                      root, comm, &request);
      else if (kind == 1)
        MPI_Igatherv(out.data(), own, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT,
                     root, comm, &request);
      else
        MPI_Ialltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), same.data(),
                       rows.data(), MPI_INT, comm, &request);
    } else {
      if (kind == 0)
        MPI_Scatterv_init(out.data(), counts.data(), places.data(), MPI_INT, in.data(), own,
                          MPI_INT, root, comm, MPI_INFO_NULL, &request);
      else if (kind == 1)
        MPI_Gatherv_init(out.data(), own, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT,
                         root, comm, MPI_INFO_NULL, &request);
      else
        MPI_Alltoallv_init(out.data(), counts.data(), places.data(), MPI_INT, in.data(),
                           same.data(), rows.data(), MPI_INT, comm, MPI_INFO_NULL, &request);
      MPI_Start(&request);
    }
  }

  void end(int form) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == 2) MPI_Request_free(&request);
    const int own = static_cast<int>(mine);
    if (kind == 0) check(in.data(), own, root, rank);
    for (int r = 0; kind == 1 && rank == root && r < size; ++r)
      check(&in[at(places[at(r)])], count_of(round, r), r, root);
    for (int r = 0; kind == 2 && r < size; ++r) check(&in[at(rows[at(r)])], own, r, rank);
    CHECK(in.back() == -1);
  }

 private:
  static std::size_t at(int place) { return static_cast<std::size_t>(place); }
  void fill(int* data, int count, int from, int to) const {
    for (int i = 0; i < count; ++i) data[i] = value_of(round, from, to, i);
  }
  void check(const int* data, int count, int from, int to) const {
    for (int i = 0; i < count; ++i) CHECK(data[i] == value_of(round, from, to, i));
  }
  std::size_t all, mine;
  std::vector<int> same, rows;
};

void serve(int rounds) {
  MPI_Comm comms[3];
  const char* orders[] = {"status", "rank", "blocking"};
  for (int c = 0; c < 3; ++c) {
    MPI_Info info;
    MPI_Info_create(&info);
    if (c) MPI_Info_set(info, "baton_order", orders[c]);  // the first has the setting's
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comms[c]);
    MPI_Info_free(&info);
  }
  for (int round = 0; round < rounds; ++round)
    for (int form = 0; form < 3; ++form) {
      // Several at once, on several communicators, where the form permits it.
      std::vector<Served> under_way;
      for (int i = 0; i < 4; ++i)
        under_way.emplace_back(comms[i % 3], (round + i) % 3, round * 4 + i);
      for (Served& one : under_way) {
        one.begin(form);
        if (form == 0) one.end(form);
      }
      for (int i = 3; form > 0 && i >= 0; --i) under_way[static_cast<std::size_t>(i)].end(form);
    }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

std::atomic<bool> over{false};

void lie(bool nonsense) {
  unsigned seed = static_cast<unsigned>(rank) + 1;
  while (!over.load(std::memory_order_relaxed)) {
    if (nonsense)
      for (int r = 0; r < size; ++r)
        line_of(r).outstanding.store(static_cast<ChannelClass>((seed = seed * 69069 + 1) >> 24),
                                     std::memory_order_relaxed);
    else
      line_of(size - 1).outstanding.store(baton::lockfree::channel_class_max,
                                          std::memory_order_relaxed);
    std::this_thread::yield();
  }
}

}  // namespace

int main(int count, char** words) {
  map_board();  // before the library keeps its descriptor to itself
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string mode = count > 1 ? words[1] : "";
  const int rounds = count > 2 ? std::atoi(words[2]) : 8;
  if (mode == "truth") {
    tell_the_truth();
  } else {
    CHECK(mode == "plain" || mode == "lies" || mode == "busy");
    std::thread liar;
    if (mode != "plain") liar = std::thread(lie, mode == "lies");
    serve(rounds);
    over.store(true, std::memory_order_relaxed);
    if (liar.joinable()) liar.join();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("all checks held on %d ranks\n", size);
  MPI_Finalize();
}
