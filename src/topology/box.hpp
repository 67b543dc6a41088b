// These are boxes of a cartesian grid; they are cut into equal blocks or in two with little
// surface. This is pure; `reorder` gives the parts to the objects of the machine.
#pragma once

#include <cstdint>

#include "topology/grid.hpp"

namespace baton::topology {

// Dimensions of extent 1 do not matter; any grid that a job can fill has few others.
inline constexpr int box_dimensions_max = 16;

struct Box {
  int begin[box_dimensions_max];
  int extent[box_dimensions_max];
};

// This is a grid without the dimensions of extent 1. False when there are too many others.
struct Slim {
  int dimensions = 0;
  int extents[box_dimensions_max];
  int periods[box_dimensions_max];

  bool take(const Grid& grid);
  Box whole() const;
  std::int64_t rank_at(const int* coordinates) const;
};

// Chooses the extents of equal blocks with `positions` each that fill the box, with the least
// surface between them. False when no blocks fit.
bool choose_blocks(const Slim& grid, const Box& box, int positions, int* extents);

// Returns the dimension in which a plane cuts off the first `positions`, the one with the least
// surface;
// -1 when there is none.
int choose_plane(const Slim& grid, const Box& box, int positions);

}  // namespace baton::topology
