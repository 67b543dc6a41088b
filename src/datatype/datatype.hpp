// Datatypes: what MPI_Datatype names. Size, extent and bounds, the shape of the data, and for
// predefined types the kind of element that operations work on. Used by floors 4 to 10.
// Invariant: after commit nothing but name, attributes and the reference count changes.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "datatype/shape.hpp"

namespace baton::datatype {

// What a predefined type's element is to an operation.
enum class Element : std::uint8_t {
  none,  // not predefined, or no operation is defined on it (MPI_PACKED, MPI_CHAR ...)
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  int128,
  float16,
  float32,
  float64,
  long_double,
  float128,
  complex32,
  complex64,
  complex_long_double,
  complex128,
  complex_half,
  bool8,
  logical8,
  logical16,
  logical32,
  logical64,
  logical128,
  byte,
  pair_float_int,
  pair_double_int,
  pair_long_int,
  pair_int_int,
  pair_short_int,
  pair_long_double_int,
  pair_float_float,
  pair_double_double,
};

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
