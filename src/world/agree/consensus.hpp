// Consensus that survives deaths: members agree on the bitwise and of words that each contributes,
// and on which members have failed to contribute. All that decide decide alike, whoever dies at
// whatever step; the living decide.
//
// The lowest member that is not lost coordinates. Each member sends it its state. Once the
// coordinator has the states of all that are not lost it proposes a value, and when all of these
// have adopted the proposal it decides. When it dies, members send their states to the next one,
// which takes over the proposal that the latest coordinator has made, if anybody has adopted one: a
// decision was adopted by all that are alive. So a member that has decided needs to remember
// nothing. (Source of the idea: T. D. Chandra, S. Toueg, "Unreliable Failure Detectors for Reliable
// Distributed Systems", the algorithm with a rotating coordinator; the detector here is exact.)
//
// The class only computes: its owner carries messages and knows who is lost. Invariant: who is lost
// stays lost, and no message from a lost member comes after its loss is known.
#pragma once

#include <cstdint>
#include <memory>

namespace baton::world {

class Consensus {
 public:
  enum class Kind : std::uint8_t {
    state,        // to the coordinator
    done,         // answers a coordinator that asks, and a state: this member has decided
    query,        // from a member that takes over as coordinator
    proposal,     // from the coordinator
    acknowledge,  // to it: the proposal is adopted
    decision      // from the coordinator
  };
  struct Message {
    Kind kind;
    std::int32_t coordinator;  // whose round this belongs to
    // In a state this is the coordinator whose proposal the member has adopted, which the words
    // are; or `nobody`: the words are the member's contribution.
    std::int32_t adopted;
    const std::uint64_t* words;  // value_words() of them; unused in done, query and acknowledge
  };
  static constexpr std::int32_t nobody = -1;

  class Surroundings {
   public:
    virtual void send(std::int32_t to, const Message& message) = 0;
    virtual bool is_lost(std::int32_t member) const = 0;

   protected:
    ~Surroundings() = default;
  };

  // `words`: how many each member contributes. `own`: the position of this member.
  Consensus(Surroundings& surroundings, std::int32_t members, std::int32_t own, std::int32_t words)
      : around_(surroundings), members_(members), own_(own), words_(words) {}
  // Returns false without memory.
  bool allocate();

  // Contributes words, which are copied. Called once, before all below.
  void start(const std::uint64_t* words);
  // Takes in a message from a member.
  void take(std::int32_t from, const Message& message);
  // Goes on after members were lost.
  void look();

  bool is_decided() const { return decided_; }
  // Return the decision: the words, and whether a member has failed to contribute.
  std::uint64_t word(std::int32_t index) const { return value_[index]; }
  bool has_failed(std::int32_t member) const { return bit(failed_of(value_.get()), member); }

  // Returns the length of a message's words: the contribution, and a bit for each member.
  std::int32_t value_words() const { return words_ + member_words(); }

 private:
  using Words = std::unique_ptr<std::uint64_t[]>;

  std::int32_t member_words() const { return (members_ + 63) / 64; }
  std::uint64_t* failed_of(std::uint64_t* value) const { return value + words_; }
  const std::uint64_t* failed_of(const std::uint64_t* value) const { return value + words_; }
  static bool bit(const std::uint64_t* bits, std::int32_t i) {
    return bits[i / 64] >> (i % 64) & 1;
  }
  static void set(std::uint64_t* bits, std::int32_t i) {
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void copy(std::uint64_t* to, const std::uint64_t* from) const;
  void send_to_others(Kind kind);
  bool all_are_in(const std::uint64_t* bits) const;
  Message own_state() const;
  void take_state(std::int32_t from, const Message& message);
  void take_done(std::int32_t from);
  void take_over(std::int32_t before);
  void lead();
  void propose();
  void decide();

  Surroundings& around_;
  std::int32_t members_;
  std::int32_t own_;
  std::int32_t words_;
  bool started_ = false;
  bool decided_ = false;
  bool proposed_ = false;
  std::int32_t coordinator_ = nobody;  // as this member knows it; it has our state
  std::int32_t adopted_ = nobody;      // coordinator whose proposal `value_` is
  Words value_;                        // our contribution, what we have adopted, the decision
  // The coordinator uses these; it may have states before it knows that it is one.
  std::int32_t latest_ = nobody;  // coordinator whose proposal `gathered_` is
  Words gathered_;                // the latest proposal, or the contributions so far
  Words states_;                  // who has sent its state
  Words done_;                    // who has decided and remembers nothing
  Words adopters_;                // who has adopted our proposal
  Words askers_;                  // who has asked for our state, as the next coordinator
};

}  // namespace baton::world
