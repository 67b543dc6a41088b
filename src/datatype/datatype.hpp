// Datatypes: what MPI_Datatype names. Size, extent and bounds, the shape of the data, and for
// predefined types the kind of element that operations work on. Used by floors 4 to 10.
// Invariant: after commit nothing but name, attributes and the reference count changes.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "datatype/element.hpp"
#include "datatype/shape.hpp"

namespace baton::datatype {

class Datatype {
 public:
  std::int64_t size = 0;    // bytes of data
  std::int64_t extent = 0;  // bytes from one to the next
  std::int64_t lower_bound = 0;
  std::int64_t true_lower_bound = 0;
  std::int64_t true_extent = 0;
  const Shape* shape = nullptr;
  // One after another, many of these are one run of bytes starting at the buffer's address.
  bool contiguous = false;
  bool committed = false;
  bool predefined = false;
  Element element = Element::none;
  // How many predefined elements one holds, and their type where all are alike (else null).
  std::int64_t elements = 0;
  Datatype* basic = nullptr;
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  void* attributes = nullptr;  // world/attribute.hpp's AttributeSet
  char name[MPI_MAX_OBJECT_NAME] = {};
  std::atomic<std::int32_t> references{1};
};

using DatatypeTable = HandleTable<Datatype, HandleTag::datatype>;
extern DatatypeTable datatypes;

// Fills the table of predefined types. Once, before anything else looks one up.
void make_predefined_datatypes();

// A freed type lives until the last communication that uses it has ended.
inline void retain(Datatype& type) {
  // relaxed: whoever retains already holds a reference.
  if (!type.predefined) type.references.fetch_add(1, std::memory_order_relaxed);
}
void release(Datatype& type);

// Packed bytes [position, position + bytes) of `count` elements at `buffer`, to or from `packed`.
void pack(const Datatype& type, const void* buffer, std::int64_t position, void* packed,
          std::int64_t bytes);
void unpack(const Datatype& type, void* buffer, std::int64_t position, const void* packed,
            std::int64_t bytes);

// Copies the first `bytes` of packed data from one typed buffer to another.
void copy(const Datatype& from_type, const void* from, const Datatype& to_type, void* to,
          std::int64_t bytes);

// Constructors. Each makes an uncommitted type with a handle, or explains why it cannot. Strides
// and displacements of the h-forms are bytes; the others count in the old type's extent.
Error make_contiguous(std::int64_t count, Datatype& old, Datatype** made);
Error make_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, Datatype& old,
                   Datatype** made);
// A struct of `count` blocks; `types` may repeat. Also serves the indexed forms.
struct StructBlock {
  std::int64_t length;
  std::int64_t displacement;
  Datatype* type;
};
Error make_struct(const StructBlock* blocks, std::int64_t count, Datatype** made);
Error make_resized(Datatype& old, std::int64_t lower_bound, std::int64_t extent, Datatype** made);
Error duplicate(Datatype& old, Datatype** made);

}  // namespace baton::datatype

namespace baton {
using datatype::Datatype;
}
