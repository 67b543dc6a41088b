// Array sections: what an assumed-rank buffer's descriptor says, as a datatype of MPI.
#pragma once

#include "convert.hpp"

namespace baton::fortran {

// Whether a descriptor's elements lie side by side. An array of assumed size does: it has no last
// extent.
inline bool is_contiguous(const Descriptor& array) {
  auto bytes = static_cast<std::int64_t>(array.elem_len);
  for (int i = 0; i < array.rank; ++i) {
    const Dimension& d = array.dimensions[i];
    if (d.extent == 0) return true;
    if (d.extent != 1 && d.stride != bytes) return false;
    bytes *= d.extent;
  }
  return true;
}

// The same for scalars and plain vectors alone; what it does not know is false.
inline bool is_plainly_contiguous(const Descriptor& array) {
  if (array.rank == 0) return true;
  return array.rank == 1 && array.dimensions[0].stride == static_cast<std::int64_t>(array.elem_len);
}

// Calls the error handler with a code of this class, whose text is the subject and the reason.
void refuse(int error_class, const char* subject, const char* reason, Fint* ierror);
inline void refuse_buffer(const char* argument, const char* reason, Fint* ierror) {
  refuse(MPI_ERR_BUFFER, argument, reason, ierror);
}

// A buffer that must lie in one piece.
class Whole {
 public:
  Whole(const Descriptor* array, const char* argument) : array_(array), argument_(argument) {}
  bool is_whole() const { return is_contiguous(*array_); }
  void* address() const { return fortran::address_of(array_->base_addr); }
  void refuse(Fint* ierror) const {
    refuse_buffer(
        argument_,
        "is an array section whose elements do not lie side by side, which this procedure cannot "
        "take; pass a contiguous array",
        ierror);
  }

 private:
  const Descriptor* array_;
  const char* argument_;
};

// A buffer with its count and datatype. A section's elements in their order take the place of the
// contiguous elements that count and datatype speak of (MPI 5.0, 19.1.12): a datatype is made of
// the descriptor, nothing is copied. Types of predefined datatypes are kept for the next call.
class Section {
 public:
  // in_blocks: count and datatype describe one of several blocks (one a rank), so that the type
  // must not depend on where a block begins.
  Section(const Descriptor* array, std::int64_t count, MPI_Datatype datatype, bool in_blocks,
          const char* argument)
      : base_(array->base_addr), count_(count), datatype_(datatype), argument_(argument) {
    if (__builtin_expect(!is_contiguous(*array), 0)) make(*array, in_blocks);
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  ~Section() {
    if (__builtin_expect(kept_ != nullptr || own_, 0)) let_go();
  }
  void* address() const { return fortran::address_of(base_); }
  std::int64_t count() const { return count_; }
  MPI_Datatype datatype() const { return datatype_; }
  bool is_refused() const { return reason_ != nullptr; }
  void refuse(Fint* ierror) const { refuse_buffer(argument_, reason_, ierror); }

 protected:
  void make(const Descriptor& array, bool in_blocks);
  void let_go();

  void* base_;
  std::int64_t count_;
  MPI_Datatype datatype_;
  const char* argument_;
  const char* reason_ = nullptr;
  void* kept_ = nullptr;
  bool own_ = false;
};

// A buffer with arrays of counts and displacements. The elements of the section need one stride;
// the datatype becomes one element whose extent is that stride, so that both mean what they meant.
class EvenSection : public Section {
 public:
  EvenSection(const Descriptor* array, MPI_Datatype datatype, const char* argument)
      : Section(array, 1, datatype, true, argument) {
    if (__builtin_expect(count_ != 1 || reason_, 0)) reason_ = uneven_;
  }

 private:
  static constexpr char uneven_[] =
      "is an array section for an array of counts: its elements need one stride, and the datatype "
      "has to be one element; pass such a section, or a contiguous array";
};

}  // namespace baton::fortran
