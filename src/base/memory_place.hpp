// The words by which people say where memory is to lie: mpiexec --memory, BATON_MEMORY and the info
// key baton_memory of MPI_Alloc_mem have one parser. What a word means on a machine is decided in
// machine/memory_plan.hpp. Invariant: plain data of a fixed size, so that it may lie in the arena.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton {

// Memory nodes that can be named or counted: those the kernel gives a number below this.
inline constexpr int memory_nodes_max = 64;

enum class MemoryWord : std::uint8_t { none, near, fast, large, interleave, remote, node };
// Those whose order of nodes depends on the rank: all but none and node.
inline constexpr MemoryWord ordered_words[] = {MemoryWord::near, MemoryWord::fast,
                                               MemoryWord::large, MemoryWord::interleave,
                                               MemoryWord::remote};
const char* word_name(MemoryWord word);

struct MemoryPlace {
  static constexpr int listed_max = 8;
  MemoryWord word = MemoryWord::none;   // none: where the kernel puts it
  bool strict = false;                  // there or an error; else other nodes follow in order
  bool huge = false;                    // in huge pages, where they can be had
  std::uint8_t listed = 0;              // of `node:2+0`
  std::uint8_t nodes[listed_max] = {};  // in the order in which they are tried

  bool asks() const { return word != MemoryWord::none || huge; }
};

struct MemoryPolicy {
  MemoryPlace queues;  // what ranks receive through: rings, staging, rooms, all of a slice
  MemoryPlace heap;    // MPI_Alloc_mem
  MemoryPlace all;     // the whole process

  bool asks() const { return queues.asks() || heap.asks() || all.asks(); }
};

// What is wrong with a text, and what would be right.
struct MemoryWordError {
  char text[320];
};

// "fast", "near!", "node:2+0", "huge", "fast,huge". False: *error says why.
[[nodiscard]] bool parse_memory_place(std::string_view text, MemoryPlace* place,
                                      MemoryWordError* error);

// "queues=fast,heap=node:1!,huge" (huge pages are for the heap). What is not said of queues and
// heap is as `all` has it. False: *error says why.
[[nodiscard]] bool parse_memory_policy(std::string_view text, MemoryPolicy* policy,
                                       MemoryWordError* error);

// A place as people say it: "fast!", "node:2+0".
struct MemoryPlaceText {
  char words[64];
};
MemoryPlaceText place_text(const MemoryPlace& place);

}  // namespace baton
