// NUMA policies, which say where memory is to lie: mpiexec --memory, BATON_MEMORY and the info key
// baton_memory of MPI_Alloc_mem have one parser. What a word means on a machine is decided in
// machine/memory_plan.hpp. Invariant: plain data of a fixed size, so that it may lie in the arena.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton {

// NUMA nodes that can be named or counted: those the kernel gives a number below this.
inline constexpr int numa_nodes_max = 64;

enum class MemoryWord : std::uint8_t { none, near, hbm, large, interleave, remote, node };
// Those whose order of nodes depends on the rank: all but none and node.
inline constexpr MemoryWord ordered_words[] = {MemoryWord::near, MemoryWord::hbm, MemoryWord::large,
                                               MemoryWord::interleave, MemoryWord::remote};
const char* word_name(MemoryWord word);

struct NumaPolicy {
  static constexpr int listed_max = 8;
  MemoryWord word = MemoryWord::none;   // none: where the kernel puts it
  bool strict = false;                  // there or an error; else other nodes follow in order
  bool huge = false;                    // in huge pages, where they can be had
  std::uint8_t listed = 0;              // of `node:2+0`
  std::uint8_t nodes[listed_max] = {};  // in the order in which they are tried

  bool asks() const { return word != MemoryWord::none || huge; }
};

struct NumaPolicies {
  NumaPolicy queues;  // what ranks receive through: rings, staging, rooms, all of a slice
  NumaPolicy heap;    // MPI_Alloc_mem
  NumaPolicy all;     // the whole process

  bool asks() const { return queues.asks() || heap.asks() || all.asks(); }
};

// What is wrong with a text, and what would be right.
struct MemoryWordError {
  char text[320];
};

// "hbm", "near!", "node:2+0", "huge", "hbm,huge". False: *error says why.
[[nodiscard]] bool parse_numa_policy(std::string_view text, NumaPolicy* policy,
                                     MemoryWordError* error);

// "queues=hbm,heap=node:1!,huge" (huge pages are for the heap). What is not said of queues and
// heap is as `all` has it. False: *error says why.
[[nodiscard]] bool parse_numa_policies(std::string_view text, NumaPolicies* policies,
                                       MemoryWordError* error);

// A policy as people say it: "hbm!", "node:2+0".
struct NumaPolicyText {
  char words[64];
};
NumaPolicyText policy_text(const NumaPolicy& policy);

}  // namespace baton
