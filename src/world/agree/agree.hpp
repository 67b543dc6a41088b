// These are small agreements between some ranks of a context, over point-to-point: communicators
// need them before collectives exist. Every member calls with the same arguments; the tags are the
// library's own (negative) and keep agreements apart.
// Invariant: sources are ranks of the context, not positions among the members, so that two
// agreements whose members overlap are told apart by who sends.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "message/core/context.hpp"

namespace baton::world {

// This is the tag of agreements that a communicator's members make one after the other.
inline constexpr std::int32_t agreement_tag = -16;

// Agreements that may be under way at once have tags by kind and number; MPI_ANY_TAG, MPI_PROC_NULL
// and the collectives' tags stay clear.
enum class TagKind : std::int32_t {
  group,
  leaders,
  pairing,
  name,
  duplicate,
  collective,
  persistent,
  edges,  // only number 0 exists: more would not fit
};
constexpr std::int32_t own_tag(TagKind kind, std::uint32_t number) {
  return -64 -
         (static_cast<std::int32_t>(kind) << 28 | static_cast<std::int32_t>(number & 0x0fffffff));
}

// Returns the kind that a tag was made of.
constexpr TagKind kind_of_tag(std::int32_t tag) {
  return static_cast<TagKind>((-64 - tag) >> 28);
}
constexpr std::uint32_t number_of_tag(std::int32_t tag) {
  return static_cast<std::uint32_t>(-64 - tag) & 0x0fffffff;
}

// Returns a number whose bits depend on all bits of `value` (the finalizer of splitmix64).
inline std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// These are the members of an agreement, and the context in which their messages travel. The
// context outlives the agreement.
struct Members {
  const message::Context* context;
  std::int32_t tag;
  std::int32_t count;
  std::int32_t position;  // our position among them
  // These are the members' ranks in the context, by position; null: the positions themselves. In a
  // context whose ranks are all processes of the job they are processes.
  const std::int32_t* ranks = nullptr;
  const Process* processes = nullptr;

  std::int32_t rank_at(std::int32_t place) const {
    if (processes) return static_cast<std::int32_t>(number_of(processes[place]));
    return ranks ? ranks[place] : place;
  }
  Process process_at(std::int32_t place) const { return context->process(rank_at(place)); }
};

// Returns the members for all ranks of a context of one group.
inline Members all_of(const message::Context& context, std::int32_t tag) {
  return {&context, tag, context.size, context.rank};
}

// Gathers: all[i] = the `mine` of the member at position i, for every member; `bytes` each. It
// takes at most log2(count) rounds (Bruck et al., "Efficient algorithms for all-to-all
// communications in multiport message-passing systems").
Error agree_allgather(const Members& members, const void* mine, std::int64_t bytes, void* all);

// Sends `data` of the member at position `root` to every member, along a binomial tree.
Error agree_broadcast(const Members& members, std::int32_t root, void* data, std::int64_t bytes);

// Computes the bitwise and of all members' words, in steps that never wait: by dissemination, which
// may count a contribution twice, as an `and` allows. The object must not move between start and
// end.
class Dissemination {
 public:
  static constexpr int words_max = 66;

  // Starts; the caller has filled words[0..count-1]. `members` outlives the agreement.
  void start(const Members& members, int count);
  // Goes on as far as it can; returns true when it is over: `words` then are the result, or error()
  // says why not.
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
