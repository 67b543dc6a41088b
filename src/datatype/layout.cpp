// This says, for each constructor but those of arrays, which old types lie where.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>

#include "datatype/draft.hpp"

namespace baton::datatype {

void Draft::Span::widen(Exact low, Exact high) {
  lower = any ? least(lower, low) : low;
  upper = any ? greatest(upper, high) : high;
  any = true;
}

void Draft::cover(const Datatype& old, Exact copies, Exact low, Exact high) {
  if ((copies.fits() && copies.value() == 0) || (old.size == 0 && !old.marked)) return;
  if (old.marked) markers_.widen(low + old.lower_bound, high + Exact(old.lower_bound) + old.extent);
  size_ = size_ + copies * old.size;
  elements_ = elements_ + copies * old.elements;
  alignment_ = std::max(alignment_, old.alignment);
  if (old.size == 0) return;
  mixed_ |= data_.any && basic_ != old.basic;
  basic_ = old.basic;
  data_.widen(low + old.true_lower_bound, high + Exact(old.true_lower_bound) + old.true_extent);
  bounds_.widen(low + old.lower_bound, high + Exact(old.lower_bound) + old.extent);
}

void Draft::mark(Exact lower_bound, Exact upper_bound) {
  markers_.any = true;
  markers_.lower = lower_bound;
  markers_.upper = upper_bound;
}

bool Draft::fits() const {
  auto span_fits = [](const Span& span) {
    return span.lower.fits() && span.upper.fits() && (span.upper - span.lower).fits();
  };
  Exact rounded = bounds_.upper - bounds_.lower + alignment_;
  return !refused_ && size_.fits() && span_fits(data_) && span_fits(bounds_) &&
         span_fits(markers_) && rounded.fits();
}

void Draft::fill(Datatype& type, bool rounded) {
  std::int64_t data_extent = (data_.upper - data_.lower).value();
  type.size = size_.value();
  type.elements = elements_.value();
  type.basic = mixed_ ? nullptr : basic_;
  type.alignment = alignment_;
  type.marked = markers_.any;
  type.true_lower_bound = data_.lower.value();
  type.true_extent = data_extent;
  if (markers_.any) {
    type.lower_bound = markers_.lower.value();
    type.extent = (markers_.upper - markers_.lower).value();
  } else {
    // This is the standard's epsilon: elements of an array of these stay aligned.
    std::int64_t unit = rounded ? alignment_ : 1;
    type.lower_bound = bounds_.lower.value();
    type.extent = ((bounds_.upper - bounds_.lower).value() + unit - 1) / unit * unit;
  }
  type.shape = shape;
  shape = nullptr;
  type.contiguous = is_block(type.shape) && type.extent == type.size && type.lower_bound == 0;
}

Error lay_contiguous(const Contents& contents, Draft& draft) {
  ArgumentReader read(contents);
  std::int64_t count = read.count();
  const Datatype& old = *contents.types[0];
  Exact last = (Exact(count) - 1) * old.extent;
  draft.cover(old, count, least(0, last), greatest(0, last));
  if (draft.fits()) draft.shape = make_loop(count, old.extent, 0, old.shape);
  return MPI_SUCCESS;
}

// This lays MPI_Type_vector and MPI_Type_create_hvector.
Error lay_vector(const Contents& contents, Draft& draft) {
  bool in_bytes = contents.combiner == MPI_COMBINER_HVECTOR;
  ArgumentReader read(contents);
  std::int64_t count = read.count();
  std::int64_t length = read.count();
  const Datatype& old = *contents.types[0];
  Exact stride = in_bytes ? Exact(read.address()) : Exact(read.count()) * old.extent;
  Exact last_row = (Exact(count) - 1) * stride;
  Exact last_column = (Exact(length) - 1) * old.extent;
  draft.cover(old, Exact(count) * length, least(0, last_row) + least(0, last_column),
              greatest(0, last_row) + greatest(0, last_column));
  if (!draft.fits()) return MPI_SUCCESS;
  const Shape* row = make_loop(length, old.extent, 0, old.shape);
  // A stride that does not fit is not used: there is one row then, or no data.
  if (row) draft.shape = make_loop(count, stride.fits() ? stride.value() : 0, 0, row);
  release_shape(row);
  return MPI_SUCCESS;
}

namespace {

// These are the blocks of the indexed constructors and of MPI_Type_create_struct.
struct Blocks {
  explicit Blocks(const Contents& contents) : contents_(contents), read_(contents) {
    int combiner = contents.combiner;
    bool one_length =
        combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
    count = read_.count();
    one_type = combiner != MPI_COMBINER_STRUCT;
    in_elements = combiner == MPI_COMBINER_INDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK;
    length_step = one_length ? 0 : 1;
    lengths = read_.counts(one_length ? 1 : count);
    displacements = in_elements ? read_.counts(count) : read_.addresses(count);
  }
  const Datatype& type(std::int64_t i) const { return *contents_.types[one_type ? 0 : i]; }
  std::int64_t length(std::int64_t i) const { return lengths[i * length_step]; }
  Exact displacement(std::int64_t i) const {
    return in_elements ? Exact(displacements[i]) * type(i).extent : Exact(displacements[i]);
  }

  std::int64_t count;

 private:
  const Contents& contents_;
  ArgumentReader read_;
  bool one_type;
  bool in_elements;
  std::int64_t length_step;
  Numbers lengths{};
  Numbers displacements{};
};

// Blocks that are alike share one shape: neighbors usually are.
class BlockShapes {
 public:
  ~BlockShapes() { release_shape(last_); }
  const Shape* find(const Datatype& type, std::int64_t length) {
    if (last_ && type_ == &type && length_ == length) return last_;
    release_shape(last_);
    type_ = &type;
    length_ = length;
    return last_ = make_loop(length, type.extent, 0, type.shape);
  }

 private:
  const Shape* last_ = nullptr;
  const Datatype* type_ = nullptr;
  std::int64_t length_ = 0;
};

const Shape* lay_sequence(const Blocks& blocks) {
  auto space = static_cast<std::size_t>(std::max<std::int64_t>(blocks.count, 1));
  auto* parts = static_cast<Part*>(std::calloc(space, sizeof(Part)));
  if (!parts) return nullptr;
  std::int64_t used = 0;
  bool complete = true;
  {
    BlockShapes shapes;
    for (std::int64_t i = 0; i < blocks.count && complete; ++i) {
      const Datatype& type = blocks.type(i);
      if (blocks.length(i) == 0 || type.size == 0) continue;
      const Shape* shape = shapes.find(type, blocks.length(i));
      complete = shape != nullptr;
      if (!complete) break;
      retain_shape(shape);
      parts[used++] = {blocks.displacement(i).value(), 0, shape};
    }
  }
  const Shape* sequence = complete ? make_sequence(parts, used) : nullptr;
  for (std::int64_t i = 0; i < used; ++i) release_shape(parts[i].shape);
  std::free(parts);
  return sequence;
}

}  // namespace

Error lay_blocks(const Contents& contents, Draft& draft) {
  Blocks blocks(contents);
  for (std::int64_t i = 0; i < blocks.count; ++i) {
    const Datatype& type = blocks.type(i);
    Exact first = blocks.displacement(i);
    Exact last = first + (Exact(blocks.length(i)) - 1) * type.extent;
    draft.cover(type, blocks.length(i), least(first, last), greatest(first, last));
    if (!first.fits() && blocks.length(i) > 0 && type.size > 0) draft.refuse();
  }
  if (draft.fits()) draft.shape = lay_sequence(blocks);
  return MPI_SUCCESS;
}

Error lay_resized(const Contents& contents, Draft& draft) {
  ArgumentReader read(contents);
  const Datatype& old = *contents.types[0];
  std::int64_t lower_bound = read.address();
  std::int64_t extent = read.address();
  draft.cover(old, 1, 0, 0);
  draft.mark(lower_bound, Exact(lower_bound) + extent);
  draft.share_shape(old);
  return MPI_SUCCESS;
}

Error lay_duplicate(const Contents& contents, Draft& draft) {
  const Datatype& old = *contents.types[0];
  draft.cover(old, 1, 0, 0);
  draft.share_shape(old);
  return MPI_SUCCESS;
}

}  // namespace baton::datatype
