// Exchanges of ranks that do not share memory: of several nodes, or of one where the launcher gave
// none. One rank of each node, its aggregator, has a part of the file's range, and goes through it
// in windows of cb_buffer_size. In each window all ranks send it their runs, with their bytes in a
// write; it writes the window whole, or reads it and answers with the bytes.
// Invariant: each aggregator has one window at a time, and each rank the bytes that it has in the
// windows of one round.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "file/exchange.hpp"
#include "file/failure.hpp"
#include "platform/copy.hpp"
#include "platform/file.hpp"
#include "world/node_layout.hpp"

namespace baton::file {

namespace {

// Windows begin at multiples of this, so that no two aggregators write to one page. Guess.
constexpr std::int64_t boundary_bytes = 64 << 10;

// This goes before the runs and bytes of a rank in a window.
struct Header {
  std::int64_t runs, bytes;
};
// A run of a rank in a window, and in a message.
struct WindowRun {
  std::uint32_t offset, bytes;  // from the window's first byte
};

// This says who has which part of the range, in which rounds.
struct Aggregators {
  std::int32_t* ranks;  // by node
  int nodes;
  std::int64_t first, end;  // of all
  std::int64_t part_bytes;  // of each node
  std::int64_t window_bytes;

  std::int64_t rounds() const { return (part_bytes + window_bytes - 1) / window_bytes; }
  // Finds the window of a node in a round. Returns false where it has none.
  bool window(int node, std::int64_t round, ByteRun* found) const {
    const std::int64_t base = first / boundary_bytes * boundary_bytes;
    const std::int64_t part = base + node * part_bytes;
    const std::int64_t begin = std::max(first, part + round * window_bytes);
    const std::int64_t behind =
        std::min({end, part + part_bytes, part + (round + 1) * window_bytes});
    *found = {begin, behind - begin};
    return behind > begin;
  }
};

bool find_aggregators(collective::Run& run, Exchange& state, Aggregators& all) {
  File& file = state.file;
  all.nodes = 1;
  const world::NodeParts* parts = nullptr;
  if (world::node_layout(*file.comm).several) {
    parts = world::node_parts(*file.comm);
    if (parts) all.nodes = parts->nodes;
  }
  all.ranks = static_cast<std::int32_t*>(run.take(static_cast<std::size_t>(all.nodes) * 4));
  if (!all.ranks) return false;
  all.ranks[0] = 0;
  for (int rank = 0; parts && rank < file.ranks(); ++rank)
    if (parts->number_of[rank] == 0) all.ranks[parts->node_of[rank]] = rank;
  if (file.hints.aggregators > 0) all.nodes = std::min(all.nodes, file.hints.aggregators);
  all.first = state.plan.first;
  all.end = state.plan.end;
  const std::int64_t base = all.first / boundary_bytes * boundary_bytes;
  const std::int64_t each = (all.end - base + all.nodes - 1) / all.nodes;
  auto round_up = [](std::int64_t bytes) {
    return (bytes + boundary_bytes - 1) / boundary_bytes * boundary_bytes;
  };
  all.part_bytes = round_up(each);
  constexpr std::int64_t window_bytes_max = 1 << 30;  // runs have offsets of 32 bits there
  all.window_bytes = std::min(window_bytes_max, round_up(file.hints.collective_bytes));
  return true;
}

bool has_bytes(const Share& share, const ByteRun& window) {
  return share.bytes > 0 && share.first < window.offset + window.bytes && share.end > window.offset;
}

// This is what a rank has in an aggregator's window: its runs, and their bytes.
struct Part {
  Header header;
  WindowRun* runs;
  char* data;             // behind one another, in the order of the runs
  std::int64_t position;  // of the first byte among this rank's

  std::int64_t run_list_bytes() const {
    return header.runs * static_cast<std::int64_t>(sizeof(WindowRun));
  }
};

void forget(Part& part) {
  std::free(part.runs);
  std::free(part.data);
  part = Part{};
}

bool take_space(Part& part) {
  part.runs = static_cast<WindowRun*>(
      std::malloc(static_cast<std::size_t>(part.header.runs) * sizeof(WindowRun) + 1));
  part.data = static_cast<char*>(std::malloc(static_cast<std::size_t>(part.header.bytes) + 1));
  return part.runs && part.data;
}

// Calls use(run) for each run of this rank in a window.
template <class Use>
void each_run(const View& view, std::int64_t position, std::int64_t bytes, Use&& use) {
  constexpr int space = 256;
  ByteRun runs[space];
  for (std::int64_t listed = 0; bytes > 0; position += listed, bytes -= listed) {
    const int count = view.list(position, bytes, runs, space, &listed);
    for (int i = 0; i < count; ++i) use(runs[i]);
  }
}

// Finds this rank's part of a window. Returns false without memory.
bool make_part(const Exchange& state, const ByteRun& window, Part& part) {
  const View& view = state.file.view;
  auto own = [&](std::int64_t address) {
    return std::clamp<std::int64_t>(view.position_before(address) - state.placed.position, 0,
                                    state.placed.bytes);
  };
  part = Part{};
  part.position = own(window.offset);
  part.header.bytes = own(window.offset + window.bytes) - part.position;
  const std::int64_t from = state.placed.position + part.position;
  each_run(view, from, part.header.bytes, [&](const ByteRun&) { ++part.header.runs; });
  if (!take_space(part)) return false;
  WindowRun* next = part.runs;
  each_run(view, from, part.header.bytes, [&](const ByteRun& run) {
    *next++ = {static_cast<std::uint32_t>(run.offset - window.offset),
               static_cast<std::uint32_t>(run.bytes)};
  });
  if (state.writes) state.memory.pack(part.position, part.data, part.header.bytes);
  return true;
}

// Moves a part's bytes to the window, or from there.
void move_part(const Part& part, char* window, bool writes) {
  char* data = part.data;
  for (std::int64_t i = 0; i < part.header.runs; ++i) {
    const WindowRun& run = part.runs[i];
    if (writes)
      platform::copy_run(window + run.offset, data, run.bytes);
    else
      platform::copy_run(data, window + run.offset, run.bytes);
    data += run.bytes;
  }
}

// Returns how many of a part's bytes lie before an offset of the window.
std::int64_t bytes_up_to(const Part& part, std::int64_t end) {
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < part.header.runs; ++i)
    bytes += std::clamp<std::int64_t>(end - part.runs[i].offset, 0, part.runs[i].bytes);
  return bytes;
}

Datatype& byte_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

// This is what a rank has under way in an exchange.
struct Rounds {
  Exchange& state;
  Aggregators all;
  int own_node;           // of which this rank is the aggregator; -1: none
  Part* own;              // of this rank, by node
  Part* others;           // of all ranks, at an aggregator
  std::int64_t* answers;  // by node: how many bytes of the window were there; -errno: it failed
  char* window;           // of this aggregator
  std::int64_t number;    // of the round
  bool aggregates;        // this rank has a window in it
  ByteRun at;             // which is that
  std::int64_t answer;    // to all that have bytes there

  int ranks() const { return state.file.ranks(); }
  const message::Context& context() const { return state.file.comm->collective; }
  void send(collective::Run& run, const void* data, std::int64_t bytes, int rank) const {
    run.send(context(), data, bytes, byte_type(), rank);
  }
  void receive(collective::Run& run, void* data, std::int64_t bytes, int rank) const {
    run.receive(context(), data, bytes, byte_type(), rank);
  }
  // Calls act(part, rank) for each part that has runs: of this rank at the aggregators, and of
  // others at this one.
  template <class Do>
  void each_own(Do&& act) {
    for (int node = 0; node < all.nodes; ++node)
      if (own[node].header.runs > 0) act(own[node], node);
  }
  template <class Do>
  void each_other(Do&& act) {
    for (int rank = 0; rank < ranks(); ++rank)
      if (others[rank].header.runs > 0) act(others[rank], rank);
  }
};

// Takes the memory of an exchange. Returns false without memory, and the run has the error.
bool prepare(collective::Run& run, Rounds& rounds) {
  if (!find_aggregators(run, rounds.state, rounds.all)) return false;
  const auto nodes = static_cast<std::size_t>(rounds.all.nodes);
  rounds.own_node = -1;
  for (int node = 0; node < rounds.all.nodes; ++node)
    if (rounds.all.ranks[node] == rounds.state.file.rank()) rounds.own_node = node;
  rounds.own = static_cast<Part*>(run.take(nodes * sizeof(Part)));
  rounds.answers = static_cast<std::int64_t*>(run.take(nodes * sizeof(std::int64_t)));
  rounds.others =
      static_cast<Part*>(run.take(static_cast<std::size_t>(rounds.ranks()) * sizeof(Part)));
  if (rounds.own_node >= 0)
    rounds.window = static_cast<char*>(run.take(static_cast<std::size_t>(rounds.all.window_bytes)));
  return !run.error();
}

// Everybody tells each aggregator how much it has in its window.
collective::Task tell_sizes(collective::Run& run, Rounds& rounds) {
  Exchange& state = rounds.state;
  rounds.aggregates =
      rounds.own_node >= 0 && rounds.all.window(rounds.own_node, rounds.number, &rounds.at);
  for (int node = 0; node < rounds.all.nodes; ++node) {
    ByteRun window;
    Part& part = rounds.own[node];
    part = Part{};
    if (!rounds.all.window(node, rounds.number, &window) ||
        !has_bytes(state.shares[state.file.rank()], window))
      continue;
    if (!make_part(state, window, part)) {
      run.note(fail(MPI_ERR_NO_MEM, "no memory for a collective access to a file"));
      forget(part);
    }
    rounds.send(run, &part.header, sizeof part.header, rounds.all.ranks[node]);
  }
  for (int rank = 0; rank < rounds.ranks(); ++rank) {
    rounds.others[rank] = Part{};
    if (rounds.aggregates && has_bytes(state.shares[rank], rounds.at))
      rounds.receive(run, &rounds.others[rank].header, sizeof(Header), rank);
  }
  co_await run.all();
}

// Then the runs go there, and in a write their bytes.
collective::Task send_parts(collective::Run& run, Rounds& rounds) {
  const bool writes = rounds.state.writes;
  rounds.each_own([&](Part& part, int node) {
    const int to = rounds.all.ranks[node];
    rounds.send(run, part.runs, part.run_list_bytes(), to);
    if (writes) rounds.send(run, part.data, part.header.bytes, to);
  });
  rounds.each_other([&](Part& part, int rank) {
    // The other rank waits for this one, so the job ends here without memory for its part.
    const bool has_space = take_space(part);
    BATON_INVARIANT(has_space);
    rounds.receive(run, part.runs, part.run_list_bytes(), rank);
    if (writes) rounds.receive(run, part.data, part.header.bytes, rank);
  });
  co_await run.all();
}

// Carries out what the ranks want of this aggregator's window.
void move_window(collective::Run& run, Rounds& rounds) {
  Exchange& state = rounds.state;
  File& file = state.file;
  const ByteRun& at = rounds.at;
  char* const window = rounds.window;
  std::int64_t moved = 0;
  int error = 0;
  if (!state.writes) {
    error = platform::read_file(file.descriptor, at.offset, window, at.bytes, &moved);
    std::memset(window + moved, 0, static_cast<std::size_t>(at.bytes - moved));
  }
  rounds.each_other([&](Part& part, int) { move_part(part, window, state.writes); });
  if (state.writes)
    error = platform::write_file(file.descriptor, at.offset, window, at.bytes, &moved);
  FileCounts::add(file.counts.system_calls, 1);
  rounds.answer = error ? -error : moved;
  if (error) run.note(explain_errno(error, file.name, "moving data of a collective call"));
}

// The aggregators answer, in a read with the bytes.
collective::Task answer(collective::Run& run, Rounds& rounds) {
  const bool writes = rounds.state.writes;
  rounds.each_other([&](Part& part, int rank) {
    rounds.send(run, &rounds.answer, sizeof rounds.answer, rank);
    if (!writes) rounds.send(run, part.data, part.header.bytes, rank);
  });
  rounds.each_own([&](Part& part, int node) {
    const int from = rounds.all.ranks[node];
    rounds.receive(run, &rounds.answers[node], sizeof(std::int64_t), from);
    if (!writes) rounds.receive(run, part.data, part.header.bytes, from);
  });
  co_await run.all();
}

// Takes the answers in, and ends the round.
void end_round(collective::Run& run, Rounds& rounds) {
  Exchange& state = rounds.state;
  rounds.each_own([&](Part& part, int node) {
    const std::int64_t told = rounds.answers[node];
    if (told < 0) {
      run.note(explain_errno(static_cast<int>(-told), state.file.name,
                             "moving data of a collective call"));
    } else if (state.writes) {
      state.moved += part.header.bytes;
    } else {
      const std::int64_t found = bytes_up_to(part, told);
      state.memory.unpack(part.position, part.data, found);
      state.moved += found;
    }
    forget(part);
  });
  rounds.each_other([](Part& part, int) { forget(part); });
}

}  // namespace

collective::Task exchange_by_messages(collective::Run& run, Exchange& state) {
  void* memory = run.take(sizeof(Rounds));
  if (!memory) co_return;
  auto& rounds = *new (memory) Rounds{.state = state,
                                      .all = {},
                                      .own_node = -1,
                                      .own = nullptr,
                                      .others = nullptr,
                                      .answers = nullptr,
                                      .window = nullptr,
                                      .number = 0,
                                      .aggregates = false,
                                      .at = {},
                                      .answer = 0};
  if (!prepare(run, rounds)) co_return;
  for (; rounds.number < rounds.all.rounds(); ++rounds.number) {
    co_await tell_sizes(run, rounds);
    co_await send_parts(run, rounds);
    if (rounds.aggregates) move_window(run, rounds);
    co_await answer(run, rounds);
    end_round(run, rounds);
  }
}

}  // namespace baton::file
