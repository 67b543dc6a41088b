// A datatype under construction: what its constructor's arguments say about its bounds, size,
// elements and shape (MPI 5.0, "Derived Datatypes" and "Lower-Bound and Upper-Bound Markers").
// Used by construct.cpp, layout.cpp and array.cpp.
#pragma once

#include <cstdint>

#include "datatype/contents.hpp"
#include "datatype/datatype.hpp"
#include "datatype/exact.hpp"

namespace baton::datatype {

class Draft {
 public:
  ~Draft() { release_shape(shape); }

  // `copies` of `old`, the lowest at displacement `low`, the highest at `high` (bytes).
  void cover(const Datatype& old, Exact copies, Exact low, Exact high);

  // Puts both markers, in place of those that the covered types have.
  void mark(Exact lower_bound, Exact upper_bound);

  // Some displacement is no 64-bit number.
  void refuse() { refused_ = true; }
  // Whether size, bounds and all displacements are 64-bit numbers.
  bool fits() const;

  // Moves it all into `type`; fits() holds and there is a shape. `rounded`: the extent becomes a
  // multiple of the alignment, where no marker says what it is.
  void fill(Datatype& type, bool rounded);

  // Null until laid, or when memory was short. Owned.
  const Shape* shape = nullptr;
  // Shared with a type instead of newly laid.
  void share_shape(const Datatype& old) {
    retain_shape(old.shape);
    shape = old.shape;
  }

 private:
  // Of the data, first and last byte; of the parts' own bounds; of the markers. Without data or
  // markers the pair is empty.
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

// Each fills a draft from a record, or explains what is wrong with an argument. What does not fit
// 64 bits is left for fits() to find, and then no shape is laid.
Error lay_contiguous(const Contents& contents, Draft& draft);
Error lay_vector(const Contents& contents, Draft& draft);
Error lay_blocks(const Contents& contents, Draft& draft);
Error lay_resized(const Contents& contents, Draft& draft);
Error lay_duplicate(const Contents& contents, Draft& draft);
Error lay_subarray(const Contents& contents, Draft& draft);
Error lay_darray(const Contents& contents, Draft& draft);

}  // namespace baton::datatype
