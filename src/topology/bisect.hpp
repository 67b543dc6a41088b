// This divides ranks in two parts of given sizes, so that they communicate little with each other:
// from two initial partitions (by number; grown from one end of the pattern), each improved by
// exchanges (Kernighan and Lin, "An efficient heuristic procedure for partitioning graphs"). It
// is pure; `reorder` calls it. Equal input gives equal parts everywhere.
#pragma once

#include <cstdint>

#include "topology/pattern.hpp"

namespace baton::topology {

class Bisection {
 public:
  // Prepares a division. False when memory is short. The pattern must outlive this object.
  bool prepare(const Pattern& pattern);

  // Puts the ranks of `ranks[0..count)` in an order in which the first `first_count` are the first
  // part. The ranks of a part are in ascending order, before and after.
  void divide(std::int32_t* ranks, int count, int first_count);

 private:
  enum class Side : std::int8_t { elsewhere, first, second };

  void number(const std::int32_t* ranks, int count, int first_count);
  void grow(const std::int32_t* ranks, int count, int first_count);
  std::int32_t find_end(const std::int32_t* ranks, int count);
  std::int64_t improve(const std::int32_t* ranks, int count);
  std::int64_t exchange_once(const std::int32_t* ranks, int count);
  std::int32_t best_of(Side side, const std::int32_t* ranks, int count) const;
  void find_gains(const std::int32_t* ranks, int count);
  void move(std::int32_t rank);
  std::int64_t cut(const std::int32_t* ranks, int count) const;

  const Pattern* pattern_ = nullptr;
  // This is indexed by rank.
  Array<Side> side_;
  Array<Side> kept_;
  Array<std::int64_t> gain_;  // by how much the cut shrinks when it changes sides
  Array<std::int64_t> tie_;   // weight to the rank that is moving, else 0
  Array<bool> fixed_;
  // These are scratch arrays.
  Array<std::int32_t> queue_;
  Array<std::int32_t> moved_;
};

}  // namespace baton::topology
