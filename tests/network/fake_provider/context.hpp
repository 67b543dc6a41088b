// The fi_context2 of each operation under way belongs to the provider, which writes into it and
// looks whether all that is still there in the end.
#pragma once

#include <rdma/fabric.h>

#include <array>
#include <cstdint>
#include <map>

#include "chance.hpp"

namespace fake {

class Contexts {
 public:
  explicit Contexts(Chance& chance) : chance_(chance) {}
  void begin(void* context, const char* what);
  void end(void* context);
  // Of operations that are called off, nothing is checked.
  void forget_all() { under_way_.clear(); }

 private:
  using Words = std::array<std::uint64_t, sizeof(fi_context2) / sizeof(std::uint64_t)>;
  static void scribble(Chance& chance, Words& words);

  std::map<std::uintptr_t, Words> under_way_;  // by address
  Chance& chance_;
};

}  // namespace fake
