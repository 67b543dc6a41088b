// MPI_Datatype names a Datatype: size, extent and bounds, the shape of the data, and for predefined
// types the kind of element on which operations work. Layers 4 to 10 use it.
// Invariant: after commit nothing but name, attributes and the reference count changes.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "datatype/element.hpp"
#include "datatype/shape.hpp"
#include "datatype/signature.hpp"

namespace baton::datatype {

struct Contents;

class Datatype {
 public:
  std::int64_t size = 0;    // bytes of data
  std::int64_t extent = 0;  // bytes from one element to the next
  std::int64_t lower_bound = 0;
  std::int64_t true_lower_bound = 0;
  std::int64_t true_extent = 0;
  const Shape* shape = nullptr;
  // This says that consecutive elements are one run of bytes starting at the buffer's address.
  bool contiguous = false;
  bool committed = false;
  // This says that the bounds come from markers (MPI_Type_create_resized and arrays set them).
  bool marked = false;
  bool predefined = false;
  Element element = Element::none;
  // Addresses of its elements are multiples of this (the standard's k).
  std::uint8_t alignment = 1;
  // This is the number of basic elements in one element of the type (a pair has two); then follows
  // their predefined type where all are alike and no pairs (else null).
  std::int64_t elements = 0;
  Datatype* basic = nullptr;
  Signature signature;
  // This records how it was made (datatype/contents.hpp); it is null for named predefined types.
  Contents* contents = nullptr;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  void* attributes = nullptr;  // AttributeSet of world/attribute.hpp
  char name[MPI_MAX_OBJECT_NAME] = {};
  std::atomic<std::int32_t> references{1};
};

using DatatypeTable = HandleTable<Datatype, HandleTag::datatype>;
extern DatatypeTable datatypes;

// Fills the table of predefined types. It is called once, before any type is looked up.
void make_predefined_datatypes();

// A freed type lives until the last communication that uses it has ended, which holds a reference.
inline void retain(Datatype& type) {
  // relaxed: whoever retains already holds a reference.
  if (!type.predefined) type.references.fetch_add(1, std::memory_order_relaxed);
}
void release(Datatype& type);

}  // namespace baton::datatype

namespace baton {
using datatype::Datatype;
}
