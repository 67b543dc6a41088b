// Explanations that name communicators, calls and ranks, for `mpiexec --check`. A text that is too
// long is cut.
#pragma once

#include <cstddef>

#include "collective/call_number.hpp"
#include "world/communicator.hpp"
#include "world/words.hpp"

namespace baton::collective {

class Words : public world::Words {
 public:
  template <std::size_t bytes>
  explicit Words(char (&text)[bytes]) : world::Words(text, bytes) {}

  // Adds words such as "call 3 on MPI_COMM_WORLD".
  void add_call(const Communicator& comm, CallNumber number);
  // Adds the members for which `chosen` is true, by position, such as "ranks 0-3,5 (4-7,9 in
  // MPI_COMM_WORLD)".
  template <class Chosen>
  void add_ranks(const Communicator& comm, Chosen chosen) {
    struct State {
      const Communicator& comm;
      Chosen& chosen;
    } state{comm, chosen};
    add_ranks(
        comm, [](void* s, int i) { return static_cast<State*>(s)->chosen(i); }, &state);
  }

  // Adds the members that take part (`part`) in groups that are alike (`same`), each with the words
  // that `say` adds about its first one: "rank 0 root 0; ranks 1-3 root 1".
  template <class Part, class Same, class Say>
  void add_groups(const Communicator& comm, int members, Part part, Same same, Say say) {
    constexpr int groups_max = 4;
    int first[groups_max], groups = 0;
    for (int i = 0; i < members; ++i) {
      bool known = !part(i);
      for (int g = 0; g < groups && !known; ++g) known = same(first[g], i);
      if (known) continue;
      if (groups == groups_max) return add("; others differ, too");
      if (groups > 0) add("; ");
      first[groups++] = i;
      add_ranks(comm, [&](int k) { return part(k) && same(i, k); });
      add(" ");
      say(i);
    }
  }

 private:
  void add_ranks(const Communicator& comm, bool (*chosen)(void*, int), void* state);
  template <class Number>
  void add_ranges(int members, bool (*chosen)(void*, int), void* state, Number number);
};

}  // namespace baton::collective
