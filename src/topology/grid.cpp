#include "topology/grid.hpp"

#include <algorithm>
#include <limits>

namespace baton::topology {

namespace {

std::int64_t wrapped(std::int64_t coordinate, int extent) {
  std::int64_t rest = coordinate % extent;
  return rest < 0 ? rest + extent : rest;
}

// Returns `factor` to the power of `count`, or any number above `enough` if the power is greater.
std::int64_t power_up_to(std::int64_t factor, int count, int enough) {
  if (factor <= 1) return 1;
  std::int64_t power = 1;
  for (int i = 0; i < count && power <= enough; ++i) power *= factor;
  return power;
}

// Finds numbers in falling order with a given product that have the least spread, which is the
// difference between the first and the last. It tries the first number from the smallest on, then
// the second in the same way; a later solution has to be better.
class Factors {
 public:
  Factors(int product, int count) : product_(product), count_(count) {
    for (int divisor = 1; divisor <= product / divisor; ++divisor) {
      if (product % divisor != 0) continue;
      divisors_[divisor_count_++] = divisor;
      if (divisor != product / divisor) divisors_[divisor_count_++] = product / divisor;
    }
    std::sort(divisors_, divisors_ + divisor_count_);
  }

  void find() {
    for (int i = 0; i < divisor_count_ && may_improve(divisors_[i], count_, product_); ++i) {
      if (power_up_to(divisors_[i], count_, product_) < product_) continue;
      current_[0] = divisors_[i];
      descend(product_ / divisors_[i], 1, i);
    }
  }
  int operator[](int i) const { return i < length_max ? best_[i] : 1; }

 private:
  static constexpr int length_max = 31;      // no int has more factors above 1
  static constexpr int divisors_max = 1600;  // no int has more divisors

  // Returns whether `left` numbers with the product `rest` can be near enough to `first`.
  bool may_improve(int first, int left, int rest) const {
    return power_up_to(first - spread_ + 1, left, rest) <= rest;
  }

  // Tries the number at `place` and those behind it, none above the divisor at `most`.
  void descend(int rest, int place, int most) {
    int left = count_ - place;
    if (left == 0 || rest == 1) return finish(rest, place);
    if (!may_improve(current_[0], left, rest)) return;
    for (int i = 1; i <= most; ++i) {
      int factor = divisors_[i];
      if (rest % factor != 0 || power_up_to(factor, left, rest) < rest) continue;
      current_[place] = factor;
      descend(rest / factor, place + 1, i);
    }
  }

  void finish(int rest, int place) {
    int spread = current_[0] - (place == count_ ? current_[place - 1] : 1);
    if (rest != 1 || spread >= spread_) return;
    spread_ = spread;
    for (int i = 0; i < length_max; ++i) best_[i] = i < place ? current_[i] : 1;
  }

  int product_;
  int count_;
  int divisors_[divisors_max];
  int divisor_count_ = 0;
  int current_[length_max] = {};
  int best_[length_max] = {};
  int spread_ = std::numeric_limits<int>::max();
};

}  // namespace

std::int64_t position_count(int dimensions, const int* extents) {
  std::int64_t count = 1;
  for (int i = 0; i < dimensions; ++i) {
    count *= extents[i];
    if (count > std::numeric_limits<int>::max()) return std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

int rank_at(const Grid& grid, const int* coordinates) {
  std::int64_t rank = 0;
  for (int i = 0; i < grid.dimensions; ++i)
    rank = rank * grid.extents[i] + wrapped(coordinates[i], grid.extents[i]);
  return static_cast<int>(rank);
}

int find_outside(const Grid& grid, const int* coordinates) {
  for (int i = 0; i < grid.dimensions; ++i)
    if (!grid.periods[i] && (coordinates[i] < 0 || coordinates[i] >= grid.extents[i])) return i;
  return -1;
}

void find_coordinates(int dimensions, const int* extents, int rank, int* coordinates) {
  for (int i = dimensions - 1; i >= 0; --i) {
    coordinates[i] = rank % extents[i];
    rank /= extents[i];
  }
}

int neighbor_along(const Grid& grid, int dimension, std::int64_t displacement) {
  std::int64_t rank = 0;
  for (int i = 0; i < grid.dimensions; ++i) {
    std::int64_t coordinate = grid.coordinates[i] + (i == dimension ? displacement : 0);
    if (!grid.periods[i] && (coordinate < 0 || coordinate >= grid.extents[i])) return MPI_PROC_NULL;
    rank = rank * grid.extents[i] + wrapped(coordinate, grid.extents[i]);
  }
  return static_cast<int>(rank);
}

bool fill_dimensions(int size, int free, int* dimensions) {
  if (free == 0) return size == 1;
  Factors factors(size, free);
  factors.find();
  for (int i = 0; i < free; ++dimensions)
    if (*dimensions == 0) *dimensions = factors[i++];
  return true;
}

}  // namespace baton::topology
