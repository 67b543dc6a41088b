// This is the arithmetic of cartesian grids: ranks count in row-major order, the last dimension
// fastest. It is pure; the MPI procedures about grids call it, and the code that maps grids onto
// machines.
#pragma once

#include <cstdint>

#include "world/topology.hpp"

namespace baton::topology {

using Grid = world::Topology::Grid;

// Returns how many positions a grid has; more than any job when an int cannot hold it.
std::int64_t position_count(int dimensions, const int* extents);

// Returns the rank at these coordinates, which wrap where the dimension is periodic and are inside
// elsewhere.
int rank_at(const Grid& grid, const int* coordinates);
// Returns the first coordinate that is outside of a dimension that is not periodic, or -1.
int find_outside(const Grid& grid, const int* coordinates);
void find_coordinates(int dimensions, const int* extents, int rank, int* coordinates);

// Returns the rank `displacement` steps along a dimension from the grid's own coordinates;
// MPI_PROC_NULL beyond the edge.
int neighbor_along(const Grid& grid, int dimension, std::int64_t displacement);

// Fills the `free` dimensions that are 0 with factors of `size`, in falling order and as near to
// each other as can be: with the least difference between the largest and the smallest; of several
// solutions the one with the smallest largest, then the smallest next. False when there is no way.
bool fill_dimensions(int size, int free, int* dimensions);

}  // namespace baton::topology
