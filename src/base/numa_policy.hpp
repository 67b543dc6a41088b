// A NUMA policy says where memory is to lie. mpiexec --memory, BATON_MEMORY and the info key
// baton_memory of MPI_Alloc_mem have this parser in common. machine/memory_plan.hpp decides the
// meaning of a word on a machine. Invariant: a policy is plain data of a fixed size, so that it may
// lie in the arena.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton {

// This is the limit of NUMA nodes that can be named: nodes to which the kernel gives a smaller
// number.
inline constexpr int numa_nodes_max = 64;

enum class MemoryWord : std::uint8_t { none, near, hbm, large, interleave, remote, node };
// For these words the order of nodes depends on the rank: all words but none and node.
inline constexpr MemoryWord ordered_words[] = {MemoryWord::near, MemoryWord::hbm, MemoryWord::large,
                                               MemoryWord::interleave, MemoryWord::remote};
const char* word_name(MemoryWord word);

struct NumaPolicy {
  static constexpr int listed_max = 8;
  MemoryWord word = MemoryWord::none;  // none: the kernel's own placement
  bool strict = false;      // on these nodes or an error; else other nodes follow in order
  bool huge = false;        // in huge pages, where they can be had
  std::uint8_t listed = 0;  // number of nodes that `node:2+0` lists
  std::uint8_t nodes[listed_max] = {};  // in the order in which they are tried

  bool asks() const { return word != MemoryWord::none || huge; }
};

struct NumaPolicies {
  NumaPolicy queues;  // what ranks receive through: rings, staging, rooms, all of a slice
  NumaPolicy heap;    // MPI_Alloc_mem
  NumaPolicy all;     // the whole process

  bool asks() const { return queues.asks() || heap.asks() || all.asks(); }
};

// This says what is wrong with a text, and what would be right.
struct MemoryWordError {
  char text[320];
};

// Parses a policy such as "hbm", "near!", "node:2+0", "huge" or "hbm,huge". False: *error says why.
[[nodiscard]] bool parse_numa_policy(std::string_view text, NumaPolicy* policy,
                                     MemoryWordError* error);

// Parses policies such as "queues=hbm,heap=node:1!,huge" (huge pages are for the heap). Queues and
// heap have the policy of `all` where the text does not name them. False: *error says why.
[[nodiscard]] bool parse_numa_policies(std::string_view text, NumaPolicies* policies,
                                       MemoryWordError* error);

// This is a policy as users write it: "hbm!", "node:2+0".
struct NumaPolicyText {
  char words[64];
};
NumaPolicyText policy_text(const NumaPolicy& policy);

}  // namespace baton
