#include "topology/grid.hpp"

#include <limits>

namespace baton::topology {

namespace {

std::int64_t wrapped(std::int64_t coordinate, int extent) {
  std::int64_t rest = coordinate % extent;
  return rest < 0 ? rest + extent : rest;
}

// Whether `count` factors up to `factor` can give `size`: a necessary condition.
bool power_reaches(int factor, int count, int size) {
  std::int64_t power = 1;
  for (int i = 0; i < count && power < size; ++i) {
    if (factor == 1) return size == 1;
    power *= factor;
  }
  return power >= size;
}

// The divisors of a number, in rising order: `visit` until it says yes.
template <class Visit>
bool find_divisor(int number, Visit&& visit) {
  int divisor = 1;
  for (; divisor <= number / divisor; ++divisor)
    if (number % divisor == 0 && visit(divisor)) return true;
  while (--divisor > 0)
    if (number % divisor == 0 && divisor != number / divisor && visit(number / divisor))
      return true;
  return false;
}

// As fill_dimensions, with no factor above `most`.
bool fill_up_to(int size, int free, int most, int* dimensions) {
  if (free == 0) return size == 1;
  while (*dimensions != 0) ++dimensions;
  if (free == 1) {
    if (size <= most) *dimensions = size;
    return size <= most;
  }
  return find_divisor(size, [&](int factor) {
    if (factor > most || !power_reaches(factor, free, size)) return false;
    *dimensions = factor;
    if (fill_up_to(size / factor, free - 1, factor, dimensions + 1)) return true;
    *dimensions = 0;
    return false;
  });
}

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

int neighbour_along(const Grid& grid, int dimension, std::int64_t displacement) {
  std::int64_t rank = 0;
  for (int i = 0; i < grid.dimensions; ++i) {
    std::int64_t coordinate = grid.coordinates[i] + (i == dimension ? displacement : 0);
    if (!grid.periods[i] && (coordinate < 0 || coordinate >= grid.extents[i])) return MPI_PROC_NULL;
    rank = rank * grid.extents[i] + wrapped(coordinate, grid.extents[i]);
  }
  return static_cast<int>(rank);
}

bool fill_dimensions(int size, int free, int* dimensions) {
  return fill_up_to(size, free, size, dimensions);
}

}  // namespace baton::topology
