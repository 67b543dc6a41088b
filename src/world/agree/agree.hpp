// Small agreements between some ranks of a context, over point-to-point: what communicators need
// before collectives exist. Every member calls with the same arguments; the tags are the library's
// own (negative) and keep agreements apart.
// Invariant: sources are ranks of the context, not positions among the members, so that two
// agreements whose members overlap are told apart by who sends.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "message/core/context.hpp"

namespace baton::world {

// The tag of what a communicator's members agree one after the other.
inline constexpr std::int32_t agreement_tag = -16;

// Agreements that may be under way at once have tags by kind and number; MPI_ANY_TAG,
// MPI_PROC_NULL and the collectives' tags stay clear.
enum class TagKind : std::int32_t {
  group,
  leaders,
  pairing,
  name,
  duplicate,
  collective,
  persistent,
  edges,  // of which there is only number 0: more would not fit
};
constexpr std::int32_t own_tag(TagKind kind, std::uint32_t number) {
  return -64 -
         (static_cast<std::int32_t>(kind) << 28 | static_cast<std::int32_t>(number & 0x0fffffff));
}

// What it was made of.
constexpr TagKind kind_of_tag(std::int32_t tag) {
  return static_cast<TagKind>((-64 - tag) >> 28);
}
constexpr std::uint32_t number_of_tag(std::int32_t tag) {
  return static_cast<std::uint32_t>(-64 - tag) & 0x0fffffff;
}

// A number whose bits depend on all bits of `value` (the finalizer of splitmix64).
inline std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Who agrees, and where their messages travel. The context outlives the agreement.
struct Members {
  const message::Context* context;
  std::int32_t tag;
  std::int32_t count;
  std::int32_t position;  // ours among them
  // Ranks of the context, by position; null: the same numbers. Or, of a context that has all
  // processes for its ranks, those.
  const std::int32_t* ranks = nullptr;
  const Process* processes = nullptr;

  std::int32_t rank_at(std::int32_t place) const {
    if (processes) return static_cast<std::int32_t>(number_of(processes[place]));
    return ranks ? ranks[place] : place;
  }
  Process process_at(std::int32_t place) const { return context->process(rank_at(place)); }
};

// All ranks of a context of one group.
inline Members all_of(const message::Context& context, std::int32_t tag) {
  return {&context, tag, context.size, context.rank};
}

// all[i] = the `mine` of the member at position i, for every member; `bytes` each. At most
// log2(count) rounds (Bruck et al., "Efficient algorithms for all-to-all communications in
// multiport message-passing systems").
Error agree_allgather(const Members& members, const void* mine, std::int64_t bytes, void* all);

// `data` of the member at position `root`, for every member: along a binomial tree.
Error agree_broadcast(const Members& members, std::int32_t root, void* data, std::int64_t bytes);

// The bitwise and of everybody's words, in steps that never wait: by dissemination, which may count
// a contribution twice, as an `and` allows. Stays where it is from start to the end.
class Dissemination {
 public:
  static constexpr int words_max = 65;

  // Fill words[0..count-1], then start. `members` outlives it.
  void start(const Members& members, int count);
  // Goes on as far as it can; true when it is over: `words` then are the result, or error() says
  // why not.
  bool advance();
  Error error() const { return error_; }

  std::uint64_t words[words_max];

 private:
  void begin_round();

  const Members* members_ = nullptr;
  int count_ = 0;
  std::int32_t distance_ = 0;  // 0: over
  Error error_ = MPI_SUCCESS;
  message::Request send_;
  message::Request receive_;
  std::uint64_t incoming_[words_max];
};

}  // namespace baton::world
