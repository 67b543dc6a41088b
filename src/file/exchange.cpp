#include "file/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "datatype/pack.hpp"
#include "file/board.hpp"
#include "file/failure.hpp"
#include "message/core/notify.hpp"
#include "platform/file.hpp"

namespace baton::file {

namespace {

std::uint32_t slots_of(const File& file) {
  // Guess: enough that fillers run ahead of a mover.
  constexpr std::int64_t slots = 8, chunk_bytes_min = 64 << 10;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(file.hints.collective_bytes / chunk_bytes_min, 1, slots));
}
std::int64_t chunk_bytes_of(const File& file) {
  constexpr std::int64_t page = collective_bytes_min;
  return file.hints.collective_bytes / slots_of(file) / page * page;
}

// A piece of the file, and its turn of a slot.
struct Chunk {
  std::int64_t first, end;  // addresses
  lockfree::FileSlot<lockfree::Hardware>* slot;
  char* memory;  // has the bytes from `first` on
  std::uint64_t turn;
  std::uint64_t index;
};

// An exchange as one rank sees it, with its pieces by index.
class Pieces {
 public:
  explicit Pieces(Exchange& state)
      : state_(state),
        chunk_bytes_(chunk_bytes_of(state.file)),
        slots_(slots_of(state.file)),
        base_(state.plan.first / chunk_bytes_),
        count_(chunks_of(state.file, state.plan)) {}

  std::uint64_t count() const { return count_; }
  std::uint32_t slots() const { return slots_; }

  Chunk at(std::uint64_t index) const {
    const std::int64_t begin = (base_ + static_cast<std::int64_t>(index)) * chunk_bytes_;
    const std::uint64_t number = state_.first_chunk + index;
    const auto slot = static_cast<std::uint32_t>(number % slots_);
    return Chunk{std::max(begin, state_.plan.first),
                 std::min(begin + chunk_bytes_, state_.plan.end),
                 &state_.file.board->slots[slot],
                 state_.file.staging + slot * chunk_bytes_,
                 number / slots_,
                 index};
  }
  // Returns how many ranks have bytes in a piece.
  std::uint32_t expected(const Chunk& chunk) {
    Known& known = known_[chunk.index % std::size(known_)];
    if (known.index == chunk.index) return known.ranks;
    known = {chunk.index, 0};
    for (int r = 0; r < state_.file.ranks(); ++r) known.ranks += has_bytes(r, chunk);
    return known.ranks;
  }
  bool has_own_bytes(const Chunk& chunk) const { return has_bytes(state_.file.rank(), chunk); }
  // Returns how many pieces there are up to the last in which no rank has bytes.
  std::uint64_t count_to_last_of_nobody() {
    for (; to_nobodys_ == unknown; ++looked_from_end_) {
      if (looked_from_end_ == count_) return to_nobodys_ = 0;
      const std::uint64_t index = count_ - 1 - looked_from_end_;
      if (expected(at(index)) == 0) to_nobodys_ = index + 1;
    }
    return to_nobodys_;
  }

 private:
  bool has_bytes(int rank, const Chunk& chunk) const {
    const Share& share = state_.shares[rank];
    return share.bytes > 0 && share.first < chunk.end && share.end > chunk.first;
  }
  // The numbers of ranks of the pieces that were looked at last: they are asked for again and
  // again.
  struct Known {
    std::uint64_t index = UINT64_MAX;
    std::uint32_t ranks = 0;
  };

  static constexpr std::uint64_t unknown = UINT64_MAX;

  Exchange& state_;
  std::uint64_t to_nobodys_ = unknown, looked_from_end_ = 0;
  Known known_[Board::slots_max];
  std::int64_t chunk_bytes_;
  std::uint32_t slots_;
  std::int64_t base_;
  std::uint64_t count_;
};

// Moves this rank's bytes of a piece, up to an address, between its memory and the piece. Returns
// how many these are. The piece is host memory, as are a piece of the rank's and the buffer
// between.
std::int64_t move_own(Exchange& state, const Chunk& chunk, std::int64_t end) {
  const View& view = state.file.view;
  const std::int64_t position = state.placed.position, bytes = state.placed.bytes;
  auto own = [&](std::int64_t address) {
    return std::clamp<std::int64_t>(view.position_before(address) - position, 0, bytes);
  };
  const std::int64_t from = own(chunk.first), to = std::max(from, own(end));
  char* const origin = view.origin(chunk.memory, chunk.first);
  const Datatype& type = *view.stored_filetype;
  if (char* data = state.memory.piece(from)) {
    if (state.writes)
      datatype::unpack(type, origin, position + from, data, to - from, true);
    else
      datatype::pack(type, origin, position + from, data, to - from, true);
    return to - from;
  }
  for (std::int64_t at = from; at < to; at += Exchange::bounce_bytes) {
    const std::int64_t here = std::min(Exchange::bounce_bytes, to - at);
    if (state.writes) {
      state.memory.pack(at, state.bounce, here);
      datatype::unpack(type, origin, position + at, state.bounce, here, true);
    } else {
      datatype::pack(type, origin, position + at, state.bounce, here, true);
      state.memory.unpack(at, state.bounce, here);
    }
  }
  return to - from;
}

void wake_others(const File& file) {
  for (int r = 0; r < file.ranks(); ++r)
    if (r != file.rank()) message::wake_rank(file.comm->collective.process(r));
}

// Writes a piece to the file, or reads it from there, unless nobody has bytes in it.
void move_chunk(Exchange& state, const Chunk& chunk, std::uint32_t expected) {
  File& file = state.file;
  if (expected == 0) {
    chunk.slot->finish(chunk.turn);
    return wake_others(file);
  }
  std::int64_t moved = 0;
  const std::int64_t bytes = chunk.end - chunk.first;
  const int error =
      state.writes ? platform::write_file(file.descriptor, chunk.first, chunk.memory, bytes, &moved)
                   : platform::read_file(file.descriptor, chunk.first, chunk.memory, bytes, &moved);
  FileCounts::add(file.counts.system_calls, 1);
  if (error) file.board->note_failure(state.number, error);
  if (state.writes)
    chunk.slot->finish(chunk.turn);
  else
    chunk.slot->tell_loaded(chunk.turn, moved);
  wake_others(file);
}

bool may_move(const File& file) {
  return file.hints.aggregators == 0 || file.rank() < file.hints.aggregators;
}

// The pieces that are not over yet, and of these the one that this rank could move.
struct Progress {
  std::uint64_t next = 0;    // the piece that this rank fills or empties next
  std::uint64_t oldest = 0;  // all pieces before it are over

  void pass_over(const Pieces& pieces) {
    while (oldest < pieces.count()) {
      const Chunk chunk = pieces.at(oldest);
      if (!chunk.slot->is_over(chunk.turn)) return;
      ++oldest;
    }
  }
  // Finds a piece whose bytes are all there (a write), or whose slot is free (a read).
  bool find_movable(Pieces& pieces, bool writes, std::uint64_t* found) const {
    const std::uint64_t end = std::min(pieces.count(), oldest + pieces.slots());
    for (std::uint64_t i = oldest; i < end; ++i) {
      const Chunk chunk = pieces.at(i);
      if (!chunk.slot->is_free(chunk.turn) || chunk.slot->is_claimed(chunk.turn)) continue;
      if (writes && !chunk.slot->all_arrived(pieces.expected(chunk))) continue;
      *found = i;
      return true;
    }
    return false;
  }
};

// Fills or empties the next piece if it is this rank's turn there. Returns false if it is not.
bool do_next(Exchange& state, Pieces& pieces, Progress& progress) {
  const Chunk chunk = pieces.at(progress.next);
  if (!pieces.has_own_bytes(chunk)) {
    ++progress.next;
    return true;
  }
  if (state.writes) {
    if (!chunk.slot->is_free(chunk.turn)) return false;
    state.moved += move_own(state, chunk, chunk.end);
    if (chunk.slot->arrive(pieces.expected(chunk))) wake_others(state.file);
  } else {
    if (!chunk.slot->is_loaded(chunk.turn)) return false;
    state.moved += move_own(state, chunk, chunk.first + chunk.slot->found());
    if (chunk.slot->arrive(pieces.expected(chunk))) {
      chunk.slot->finish(chunk.turn);
      wake_others(state.file);
    }
  }
  ++progress.next;
  return true;
}

// Returns whether this rank's part of the exchange is over. A write is over when all is in the
// file, so that all ranks hear of failures. Who reads may go when it has its bytes, unless others
// may not read theirs themselves; and not before the pieces of nobody are over, which no other rank
// may be waiting for.
bool is_over(const Exchange& state, Pieces& pieces, const Progress& progress) {
  if (progress.next < pieces.count()) return false;
  if (state.writes) return progress.oldest == pieces.count();
  if (state.file.hints.aggregators > 0)
    return !may_move(state.file) || progress.oldest == pieces.count();
  return progress.oldest >= pieces.count_to_last_of_nobody();
}

// Returns whether a rank that waits can go on.
bool can_go_on(const Exchange& state, Pieces& pieces, Progress& progress) {
  progress.pass_over(pieces);
  if (is_over(state, pieces, progress)) return true;
  if (progress.next < pieces.count()) {
    const Chunk chunk = pieces.at(progress.next);
    if (state.writes ? chunk.slot->is_free(chunk.turn) : chunk.slot->is_loaded(chunk.turn))
      return true;
  }
  std::uint64_t found;
  return may_move(state.file) && progress.find_movable(pieces, state.writes, &found);
}

void report_failure(collective::Run& run, const Exchange& state) {
  const int error = state.file.board->failure_of(state.number);
  if (BATON_LIKELY(error == 0)) return;
  const Error why = explain_errno(
      error, state.file.name,
      state.writes ? "writing data of a collective call" : "reading data of a collective call");
  constexpr std::size_t space = sizeof(Explanation::text);
  auto* words = static_cast<char*>(run.take(space));
  if (!words) return;
  std::memcpy(words, last_explanation().text, space);
  run.refuse(why, words);
}

}  // namespace

std::uint64_t chunks_of(const File& file, const Plan& plan) {
  const std::int64_t each = chunk_bytes_of(file);
  return static_cast<std::uint64_t>((plan.end - 1) / each - plan.first / each + 1);
}

collective::Task exchange(collective::Run& run, Exchange& state) {
  Pieces pieces(state);
  Progress progress;
  while (!is_over(state, pieces, progress)) {
    if (progress.next < pieces.count() && do_next(state, pieces, progress)) continue;
    progress.pass_over(pieces);
    std::uint64_t movable;
    if (may_move(state.file) && progress.find_movable(pieces, state.writes, &movable)) {
      const Chunk chunk = pieces.at(movable);
      if (chunk.slot->claim(chunk.turn)) move_chunk(state, chunk, pieces.expected(chunk));
      continue;
    }
    co_await run.until([&] { return can_go_on(state, pieces, progress); });
  }
  report_failure(run, state);
}

}  // namespace baton::file
