// Kernels in the assembly language of NVIDIA's devices (PTX), as far as Baton's have it: the text
// is checked word by word, and threads are run one after the other, instruction by instruction.
// What is not known here, or does not fit together (undeclared registers, types of other widths),
// is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace standin {

// A register, by number, or a constant.
struct Operand {
  int reg = -1;
  std::uint64_t value = 0;
};

enum class Code : std::uint8_t {
  ld_param,
  ld_global,
  st_global,
  mov,
  cvt,
  cvta,
  add,
  sub,
  mul,
  mul_wide,
  setp,
  selp,
  bit_and,
  bit_or,
  bit_xor,
  bra,
  ret
};
enum class Compare : std::uint8_t { none, eq, ne, lt, gt, ge };

struct Instruction {
  Code code = Code::ret;
  Compare compare = Compare::none;
  char type = 'u';    // b, s, u, f, or p of predicates
  int bits = 32;      // of the type
  int from_bits = 0;  // cvt: of what is converted
  int guard = -1;     // a predicate's register: the instruction is left out where it is false
  int to = -1;
  Operand operands[3];
  std::int64_t offset = 0;  // of an address, or the number of a parameter
  int target = -1;          // of a branch
};

struct Kernel {
  std::string name;
  int parameters = 0;  // of 64 bits each
  int registers = 0;
  std::vector<Instruction> instructions;
};

// Reads a module with one kernel. Returns why it is refused; empty: it is not.
std::string read_kernel(const char* text, Kernel& kernel);

// Memory that a launch may touch, from `start` on.
struct Reachable {
  std::uint64_t start, bytes;
  char* view;
};
struct Launch {
  std::uint32_t blocks, blocks_y, threads, threads_y;
  std::vector<std::uint64_t> arguments;
  std::vector<Reachable> memory;  // in the order of addresses
};
// Runs all threads. False: one has left its memory, or an address was not aligned.
bool run_kernel(const Kernel& kernel, const Launch& launch);

}  // namespace standin
