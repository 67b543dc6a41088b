// A draft is a datatype under construction: the bounds, size, elements and shape that follow from
// its constructor's arguments (MPI 5.0, "Derived Datatypes" and "Lower-Bound and Upper-Bound
// Markers"). construct.cpp, layout.cpp and array.cpp use it.
#pragma once

#include <cstdint>

#include "datatype/contents.hpp"
#include "datatype/datatype.hpp"
#include "datatype/exact.hpp"

namespace baton::datatype {

class Draft {
 public:
  ~Draft() { release_shape(shape); }

  // Adds `copies` of `old`, the lowest at displacement `low`, the highest at `high` (bytes).
  void cover(const Datatype& old, Exact copies, Exact low, Exact high);

  // Sets both markers, in place of those that the covered types have.
  void mark(Exact lower_bound, Exact upper_bound);

  // Notes that some displacement is no 64-bit number.
  void refuse() { refused_ = true; }
  // Returns whether size, bounds and all displacements are 64-bit numbers.
  bool fits() const;

  // Moves all of it into `type`; fits() must hold and there must be a shape. `rounded`: the extent
  // becomes a multiple of the alignment, where no marker sets it.
  void fill(Datatype& type, bool rounded);

  // The shape is null until it is laid, or when memory was short. It is owned.
  const Shape* shape = nullptr;
  // Shares the shape of a type instead of laying a new one.
  void share_shape(const Datatype& old) {
    retain_shape(old.shape);
    shape = old.shape;
  }

 private:
  // These spans are the first and last byte of the data, the bounds of the parts, and the markers.
  // Without data or markers a span is empty.
  struct Span {
    bool any = false;
    Exact lower = 0;
    Exact upper = 0;
    void widen(Exact low, Exact high);
  };
  Span data_;
  Span bounds_;
  Span markers_;
  Exact size_ = 0;
  Exact elements_ = 0;
  Datatype* basic_ = nullptr;
  bool mixed_ = false;
  bool refused_ = false;
  std::uint8_t alignment_ = 1;
};

// Each function fills a draft from a record, or explains what is wrong with an argument. fits()
// finds numbers beyond 64 bits later; then no shape is laid.
Error lay_contiguous(const Contents& contents, Draft& draft);
Error lay_vector(const Contents& contents, Draft& draft);
Error lay_blocks(const Contents& contents, Draft& draft);
Error lay_resized(const Contents& contents, Draft& draft);
Error lay_duplicate(const Contents& contents, Draft& draft);
Error lay_subarray(const Contents& contents, Draft& draft);
Error lay_darray(const Contents& contents, Draft& draft);

}  // namespace baton::datatype
