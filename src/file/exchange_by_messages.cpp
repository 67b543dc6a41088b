// Exchanges of ranks that do not share memory: of several nodes, or of one where the launcher gave
// none. One rank of each node, its aggregator, has a part of the file's range, and goes through it
// in windows of cb_buffer_size. In each window all ranks send it their runs, with their bytes in a
// write; it writes the window whole, or reads it and answers with the bytes.
// Invariant: each aggregator has one window at a time, and each rank the bytes that it has in the
// windows of one round.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "file/exchange.hpp"
#include "file/failure.hpp"
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

// What a rank tells an aggregator in a round, and gets or gives: its runs in the window and their
// bytes.
struct Part {
  Header header;
  WindowRun* runs;
  char* data;             // behind one another, in the order of the runs
  std::int64_t position;  // of the first byte among this rank's
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
      std::memcpy(window + run.offset, data, run.bytes);
    else
      std::memcpy(data, window + run.offset, run.bytes);
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

// What an aggregator has in a round: the parts of all ranks, and the window.
struct Round {
  Part* own;     // of this rank, by node
  Part* others;  // of all ranks, where this rank is an aggregator
  char* window;
  std::int64_t found;     // bytes of the window that are there, in a read
  std::int64_t* answers;  // by node: the same, from there
};

// Carries out what the ranks want of an aggregator's window.
void move_window(collective::Run& run, Exchange& state, const ByteRun& at, Round& round) {
  File& file = state.file;
  Part* const parts = round.others;
  std::int64_t moved = 0;
  int error = 0;
  if (!state.writes) {
    error = platform::read_file(file.descriptor, at.offset, round.window, at.bytes, &moved);
    round.found = moved;
    if (moved < at.bytes)
      std::memset(round.window + moved, 0, static_cast<std::size_t>(at.bytes - moved));
  }
  for (int rank = 0; rank < file.ranks(); ++rank)
    if (parts[rank].runs) move_part(parts[rank], round.window, state.writes);
  if (state.writes)
    error = platform::write_file(file.descriptor, at.offset, round.window, at.bytes, &moved);
  Counts::add(file.counts.system_calls, 1);
  if (error) {
    round.found = -error;
    run.note(explain_errno(error, file.name, "moving data of a collective call"));
  }
}

}  // namespace

collective::Task exchange_by_messages(collective::Run& run, Exchange& state) {
  File& file = state.file;
  const message::Context& context = file.comm->collective;
  const auto ranks = static_cast<std::size_t>(file.ranks());
  Aggregators all;
  if (!find_aggregators(run, state, all)) co_return;
  const auto nodes = static_cast<std::size_t>(all.nodes);
  int own_node = -1;
  for (int node = 0; node < all.nodes; ++node)
    if (all.ranks[node] == file.rank()) own_node = node;
  Round round{};
  round.own = static_cast<Part*>(run.take(nodes * sizeof(Part)));
  round.answers = static_cast<std::int64_t*>(run.take(nodes * sizeof(std::int64_t)));
  round.others = static_cast<Part*>(run.take(ranks * sizeof(Part)));
  if (own_node >= 0)
    round.window = static_cast<char*>(run.take(static_cast<std::size_t>(all.window_bytes)));
  if (!round.own || !round.answers || !round.others || (own_node >= 0 && !round.window)) co_return;
  for (std::int64_t number = 0; number < all.rounds(); ++number) {
    ByteRun at{};
    const bool aggregates = own_node >= 0 && all.window(own_node, number, &at);
    // Everybody tells what it has, in two messages: how much, and the runs.
    for (std::size_t node = 0; node < nodes; ++node) {
      ByteRun window;
      round.own[node] = Part{};
      if (!all.window(static_cast<int>(node), number, &window) ||
          !has_bytes(state.shares[file.rank()], window))
        continue;
      Part& part = round.own[node];
      if (!make_part(state, window, part)) {
        run.note(MPI_ERR_NO_MEM);
        part.header = {};
      }
      run.send(context, &part.header, sizeof part.header, byte_type(), all.ranks[node]);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      round.others[rank] = Part{};
      if (aggregates && has_bytes(state.shares[rank], at))
        run.receive(context, &round.others[rank].header, sizeof(Header), byte_type(),
                    static_cast<int>(rank));
    }
    co_await run.all();
    for (std::size_t node = 0; node < nodes; ++node) {
      Part& part = round.own[node];
      if (part.header.runs == 0) continue;
      run.send(context, part.runs, part.header.runs * static_cast<std::int64_t>(sizeof(WindowRun)),
               byte_type(), all.ranks[node]);
      if (state.writes)
        run.send(context, part.data, part.header.bytes, byte_type(), all.ranks[node]);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Part& part = round.others[rank];
      if (!aggregates || part.header.runs == 0) continue;
      // The other rank waits for this one, so the job ends here without memory for its part.
      const bool has_space = take_space(part);
      BATON_INVARIANT(has_space);
      const int from = static_cast<int>(rank);
      run.receive(context, part.runs,
                  part.header.runs * static_cast<std::int64_t>(sizeof(WindowRun)), byte_type(),
                  from);
      if (state.writes) run.receive(context, part.data, part.header.bytes, byte_type(), from);
    }
    co_await run.all();
    if (aggregates) move_window(run, state, at, round);
    // The aggregators answer: how much there was, or an error; and in a read the bytes.
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Part& part = round.others[rank];
      if (!aggregates || part.header.runs == 0) continue;
      const int to = static_cast<int>(rank);
      run.send(context, &round.found, sizeof round.found, byte_type(), to);
      if (!state.writes) run.send(context, part.data, part.header.bytes, byte_type(), to);
    }
    for (std::size_t node = 0; node < nodes; ++node) {
      Part& part = round.own[node];
      if (part.header.runs == 0) continue;
      run.receive(context, &round.answers[node], sizeof(std::int64_t), byte_type(),
                  all.ranks[node]);
      if (!state.writes)
        run.receive(context, part.data, part.header.bytes, byte_type(), all.ranks[node]);
    }
    co_await run.all();
    for (std::size_t node = 0; node < nodes; ++node) {
      Part& part = round.own[node];
      if (part.header.runs > 0) {
        const std::int64_t answer = round.answers[node];
        if (answer < 0)
          run.note(explain_errno(static_cast<int>(-answer), file.name,
                                 "moving data of a collective call"));
        const std::int64_t found =
            state.writes ? part.header.bytes : bytes_up_to(part, std::max<std::int64_t>(answer, 0));
        if (!state.writes) state.memory.unpack(part.position, part.data, found);
        if (answer >= 0) state.moved += found;
      }
      forget(part);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) forget(round.others[rank]);
  }
}

}  // namespace baton::file
