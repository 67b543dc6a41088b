#include "topology/box.hpp"

#include <algorithm>
#include <limits>

namespace baton::topology {

namespace {

std::int64_t positions_in(const Slim& grid, const Box& box) {
  return position_count(grid.dimensions, box.extent);
}

// Returns whether the two ends of a box are neighbors.
bool is_ring(const Slim& grid, const Box& box, int dimension) {
  return grid.periods[dimension] && box.extent[dimension] == grid.extents[dimension];
}

// Tries all shapes, dimension by dimension. Of several equally good shapes the one that cuts early
// dimensions wins, since it is nearest to the numbering of ranks.
struct BlockSearch {
  const Slim& grid;
  const Box& box;
  std::int64_t positions;
  int current[box_dimensions_max] = {};
  int best[box_dimensions_max] = {};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();

  void try_from(int dimension, std::int64_t rest, std::int64_t surface) {
    if (surface >= least) return;
    if (dimension == grid.dimensions) {
      if (rest != 1) return;
      least = surface;
      std::copy_n(current, grid.dimensions, best);
      return;
    }
    int extent = box.extent[dimension];
    std::int64_t area = positions / extent;
    for (int block = 1; block <= extent; ++block) {
      if (extent % block != 0 || rest % block != 0) continue;
      int blocks = extent / block;
      int planes = blocks > 1 && is_ring(grid, box, dimension) ? blocks : blocks - 1;
      current[dimension] = block;
      try_from(dimension + 1, rest / block, surface + planes * area);
    }
  }
};

}  // namespace

bool Slim::take(const Grid& grid) {
  dimensions = 0;
  for (int i = 0; i < grid.dimensions; ++i) {
    if (grid.extents[i] == 1) continue;
    if (dimensions == box_dimensions_max) return false;
    extents[dimensions] = grid.extents[i];
    periods[dimensions++] = grid.periods[i];
  }
  return true;
}

Box Slim::whole() const {
  Box box{};
  std::copy_n(extents, dimensions, box.extent);
  return box;
}

std::int64_t Slim::rank_at(const int* coordinates) const {
  std::int64_t rank = 0;
  for (int i = 0; i < dimensions; ++i) rank = rank * extents[i] + coordinates[i];
  return rank;
}

bool choose_blocks(const Slim& grid, const Box& box, int positions, int* extents) {
  BlockSearch search{grid, box, positions_in(grid, box)};
  search.try_from(0, positions, 0);
  std::copy_n(search.best, grid.dimensions, extents);
  return search.least != std::numeric_limits<std::int64_t>::max();
}

int choose_plane(const Slim& grid, const Box& box, int positions) {
  int best = -1;
  std::int64_t all = positions_in(grid, box), least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < grid.dimensions; ++i) {
    std::int64_t area = all / box.extent[i];
    if (positions % area != 0) continue;
    std::int64_t surface = is_ring(grid, box, i) ? 2 * area : area;
    if (surface >= least) continue;
    least = surface;
    best = i;
  }
  return best;
}

}  // namespace baton::topology
