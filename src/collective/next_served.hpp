// Whom a root serves next, of ranks that wait: the first idle one, else the one with least to do.
// Pure; the classes are whatever the status board says, right or wrong. Called by serving.hpp.
// Invariant: whatever it is told, each rank is chosen once.
#pragma once

#include <algorithm>

#include "lockfree/channel.hpp"

namespace baton::collective {

// No more are looked at for one choice, so that thousands of busy ranks cost no more; guess.
inline constexpr int looks_max = 64;

// An index of `waiting`; of equal ones the first. `class_of(rank)` says how busy a rank is.
template <class ClassOf>
int next_served(const int* waiting, int count, ClassOf&& class_of) {
  int best = 0, least = lockfree::channel_class_max + 1;
  for (int i = 0; i < std::min(count, looks_max) && least > lockfree::channel_idle; ++i) {
    const int size = class_of(waiting[i]);
    if (size < least) {
      best = i;
      least = size;
    }
  }
  return best;
}

// Takes one out; the others stay in their order. What it was; the array begins one further on.
inline int take_waiting(int*& waiting, int& count, int index) {
  const int rank = waiting[index];
  std::move_backward(waiting, waiting + index, waiting + index + 1);
  ++waiting;
  --count;
  return rank;
}

}  // namespace baton::collective
