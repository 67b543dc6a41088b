// This lays out MPI_Type_create_subarray and MPI_Type_create_darray (MPI 5.0, "Subarray Datatype
// Constructor" and "Distributed Array Datatype Constructor"). Either takes, of each dimension, some
// blocks at equal distances and perhaps a shorter one behind them; a dimension wraps the shape of
// the faster ones in at most two loops, so the space needed depends on the number of dimensions
// only.
#include <mpi.h>

#include <algorithm>

#include "datatype/draft.hpp"

namespace baton::datatype {

namespace {

// This is the part that is taken of one dimension, in units of its elements.
struct Dimension {
  std::int64_t size;          // of the whole array
  std::int64_t block_count;   // full blocks
  std::int64_t block_length;  // elements of one
  std::int64_t distance;      // from one block to the next
  std::int64_t first;         // where the first block begins
  std::int64_t tail_length;   // of a shorter block behind the full ones
  std::int64_t tail_first;

  std::int64_t taken() const { return block_count * block_length + tail_length; }
  std::int64_t lowest() const { return block_count > 0 ? first : tail_first; }
  std::int64_t highest() const {
    if (tail_length > 0) return tail_first + tail_length - 1;
    return first + (block_count - 1) * distance + block_length - 1;
  }
};

// This is the array so far: the dimensions that have been added, from the fastest on.
class Array {
 public:
  explicit Array(const Datatype& old) : old_(old), extent_(old.extent) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { release_shape(shape_); }

  void add(const Dimension& dimension) {
    Exact ends[] = {Exact(dimension.lowest()) * extent_, Exact(dimension.highest()) * extent_};
    low_ = low_ + least(ends[0], ends[1]);
    high_ = high_ + greatest(ends[0], ends[1]);
    copies_ = copies_ * dimension.taken();
    extent_ = extent_ * dimension.size;
  }

  // Sets everything but the shape.
  void cover(Draft& draft) const {
    draft.cover(old_, copies_, low_, high_);
    draft.mark(0, extent_);
  }

  // Starts a second pass over the dimensions, when all displacements are known to fit.
  void start_shape() {
    retain_shape(old_.shape);
    shape_ = old_.shape;
    extent_ = old_.extent;
  }
  bool wrap(const Dimension& dimension) {
    const Shape* wrapped = wrap_shape(dimension, extent_.value());
    release_shape(shape_);
    shape_ = wrapped;
    extent_ = extent_ * dimension.size;
    return wrapped != nullptr;
  }
  const Shape* take_shape() {
    const Shape* taken = shape_;
    shape_ = nullptr;
    return taken;
  }

 private:
  const Shape* wrap_shape(const Dimension& dimension, std::int64_t extent) const {
    const Shape* blocks = nullptr;
    if (dimension.block_count == 1 || dimension.block_count == 0) {
      std::int64_t length = dimension.block_count ? dimension.block_length : 0;
      blocks = make_loop(length, extent, dimension.first * extent, shape_);
    } else {
      const Shape* block = make_loop(dimension.block_length, extent, 0, shape_);
      if (block)
        blocks = make_loop(dimension.block_count, dimension.distance * extent,
                           dimension.first * extent, block);
      release_shape(block);
    }
    if (!blocks || dimension.tail_length == 0) return blocks;
    const Shape* tail =
        make_loop(dimension.tail_length, extent, dimension.tail_first * extent, shape_);
    Part parts[] = {{0, 0, blocks}, {0, 0, tail}};
    const Shape* both = tail ? make_sequence(parts, 2) : nullptr;
    release_shape(tail);
    release_shape(blocks);
    return both;
  }

  const Datatype& old_;
  Exact extent_;
  Exact low_ = 0;
  Exact high_ = 0;
  Exact copies_ = 1;
  const Shape* shape_ = nullptr;
};

// Lays all dimensions. `dimension_at(i)` counts from 0; in C order the last is the fastest.
template <class DimensionAt>
void lay_array(const Datatype& old, std::int64_t dimensions, int order, DimensionAt dimension_at,
               Draft& draft) {
  auto from_fastest = [&](std::int64_t i) {
    return dimension_at(order == MPI_ORDER_C ? dimensions - 1 - i : i);
  };
  Array array(old);
  bool any = old.size > 0;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    any = any && from_fastest(i).taken() > 0;
    array.add(from_fastest(i));
  }
  array.cover(draft);
  if (!draft.fits()) return;
  if (!any) {
    draft.shape = make_block(0);
    return;
  }
  array.start_shape();
  for (std::int64_t i = 0; i < dimensions; ++i)
    if (!array.wrap(from_fastest(i))) return;
  draft.shape = array.take_shape();
}

Error check_order(int order) {
  if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "order is %d; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
}

Error bad_place(const char* array, std::int64_t place, std::int64_t value, const char* rule) {
  return fail(MPI_ERR_ARG, "%s: element %lld is %lld; %s", array, static_cast<long long>(place),
              static_cast<long long>(value), rule);
}

// Returns the part of a dimension that belongs to process `place` of `processes`, in blocks of
// `length` dealt out in turn. A block distribution deals one round.
Dimension deal(std::int64_t size, std::int64_t length, std::int64_t processes, std::int64_t place) {
  // A length beyond the array's size means no more than the size; cut, its multiples stay in range.
  length = std::min(length, size);
  std::int64_t full_blocks = size / length;
  Dimension dimension{};
  dimension.size = size;
  dimension.block_length = length;
  dimension.first = place < full_blocks ? place * length : 0;
  dimension.block_count = place < full_blocks ? (full_blocks - 1 - place) / processes + 1 : 0;
  if (dimension.block_count > 1) dimension.distance = processes * length;
  if (full_blocks % processes == place) {
    dimension.tail_length = size % length;
    dimension.tail_first = full_blocks * length;
  }
  return dimension;
}

struct Distribution {
  std::int64_t dimensions;
  Numbers sizes, kinds, arguments, processes;

  // Returns the number of elements of a block; 0 where the argument is wrong.
  std::int64_t block_length(std::int64_t i) const {
    bool by_default = arguments[i] == MPI_DISTRIBUTE_DFLT_DARG;
    if (kinds[i] == MPI_DISTRIBUTE_NONE) return sizes[i];
    if (kinds[i] == MPI_DISTRIBUTE_CYCLIC)
      return by_default ? 1 : std::max(arguments[i], std::int64_t{0});
    std::int64_t enough = sizes[i] / processes[i] + (sizes[i] % processes[i] != 0);
    if (by_default) return enough;
    return arguments[i] >= enough ? arguments[i] : 0;
  }
  Error check(std::int64_t i) const;
};

Error Distribution::check(std::int64_t i) const {
  if (sizes[i] < 1) return bad_place("array_of_gsizes", i, sizes[i], "it must be at least 1");
  if (processes[i] < 1)
    return bad_place("array_of_psizes", i, processes[i], "it must be at least 1");
  std::int64_t kind = kinds[i];
  if (kind != MPI_DISTRIBUTE_NONE && kind != MPI_DISTRIBUTE_BLOCK && kind != MPI_DISTRIBUTE_CYCLIC)
    return bad_place("array_of_distribs", i, kind,
                     "it must be MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or "
                     "MPI_DISTRIBUTE_NONE");
  if (kind == MPI_DISTRIBUTE_NONE && processes[i] != 1)
    return bad_place("array_of_psizes", i, processes[i],
                     "it must be 1 where the distribution is MPI_DISTRIBUTE_NONE");
  if (block_length(i) < 1)
    return bad_place("array_of_dargs", i, arguments[i],
                     "it must be positive, and a block distribution must have space for the whole "
                     "dimension");
  return MPI_SUCCESS;
}

}  // namespace

Error lay_subarray(const Contents& contents, Draft& draft) {
  ArgumentReader read(contents);
  std::int64_t dimensions = read.integer();
  Numbers sizes = read.counts(dimensions);
  Numbers subsizes = read.counts(dimensions);
  Numbers starts = read.counts(dimensions);
  int order = read.integer();
  if (Error error = check_order(order)) return error;
  for (std::int64_t i = 0; i < dimensions; ++i) {
    if (sizes[i] < 1) return bad_place("array_of_sizes", i, sizes[i], "it must be at least 1");
    if (subsizes[i] < 1 || subsizes[i] > sizes[i])
      return bad_place("array_of_subsizes", i, subsizes[i], "it must be between 1 and the size");
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
      return bad_place("array_of_starts", i, starts[i],
                       "it must be at least 0 and leave space for the subarray");
  }
  auto dimension_at = [&](std::int64_t i) {
    return Dimension{sizes[i], 1, subsizes[i], 0, starts[i], 0, 0};
  };
  lay_array(*contents.types[0], dimensions, order, dimension_at, draft);
  return MPI_SUCCESS;
}

Error lay_darray(const Contents& contents, Draft& draft) {
  ArgumentReader read(contents);
  std::int64_t size = read.integer();
  std::int64_t rank = read.integer();
  Distribution all{};
  all.dimensions = read.integer();
  all.sizes = read.counts(all.dimensions);
  all.kinds = read.integers(all.dimensions);
  all.arguments = read.integers(all.dimensions);
  all.processes = read.integers(all.dimensions);
  int order = read.integer();
  if (size < 1)
    return fail(MPI_ERR_ARG, "size is %lld; it must be at least 1", static_cast<long long>(size));
  if (rank < 0 || rank >= size)
    return fail(MPI_ERR_RANK, "rank %lld is not in a group of %lld", static_cast<long long>(rank),
                static_cast<long long>(size));
  if (Error error = check_order(order)) return error;
  Exact grid = 1;
  for (std::int64_t i = 0; i < all.dimensions; ++i) {
    if (Error error = all.check(i)) return error;
    grid = grid * all.processes[i];
  }
  if (!grid.fits() || grid.value() != size)
    return fail(MPI_ERR_ARG, "array_of_psizes: the product of its elements is not size (%lld)",
                static_cast<long long>(size));
  // Ranks are laid on the process grid in row-major order, whatever the array's own order is.
  auto dimension_at = [&](std::int64_t i) {
    std::int64_t slower = 1;
    for (std::int64_t k = i + 1; k < all.dimensions; ++k) slower *= all.processes[k];
    return deal(all.sizes[i], all.block_length(i), all.processes[i],
                rank / slower % all.processes[i]);
  };
  lay_array(*contents.types[0], all.dimensions, order, dimension_at, draft);
  return MPI_SUCCESS;
}

}  // namespace baton::datatype
