#include "world/portability.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "base/settings.hpp"
#include "transport/node.hpp"
#include "world/error_handler.hpp"

namespace baton {

namespace {

const char* words_of(Lenience what) {
  switch (what) {
    case Lenience::none:
      return nullptr;
    case Lenience::text_reduction:
      return "a reduction of MPI_CHAR (MPI_SIGNED_CHAR is portable)";
    case Lenience::address_logic:
      return "a logical reduction of MPI_AINT, MPI_COUNT or MPI_OFFSET";
    case Lenience::no_type:
      return "MPI_DATATYPE_NULL as the type of no elements";
    case Lenience::unset_attribute:
      return "deleting an attribute that is not set";
    case Lenience::detached_memory:
      return "an operation on memory that its owner has detached from the window";
    case Lenience::null_request_outside:
      return "MPI_Rput or the like to MPI_PROC_NULL outside an epoch of locks";
    case Lenience::byte_accumulate:
      return "an accumulate on MPI_BYTE that is not bitwise (MPI_UINT8_T is portable)";
    case Lenience::empty_grid:
      return "a Cartesian grid with a dimension of 0";
  }
  return nullptr;
}

// The notes are bits of JobHeader::notes_given; the lower bits are those of transport/placing.cpp.
constexpr unsigned first_bit = 16;

}  // namespace

void note_not_portable(Lenience what) {
  const char* words = words_of(what);
  if (!settings.check || !words || !transport::is_attached()) return;
  std::uint32_t bit = 1u << (first_bit + static_cast<unsigned>(what));
  // relaxed: no other data is published by this bit.
  if (std::atomic_ref(transport::job().notes_given).fetch_or(bit, std::memory_order_relaxed) & bit)
    return;
  char text[256];
  std::snprintf(text, sizeof text,
                "not portable: %s; other libraries may refuse it (said once; "
                "docs/from-another-mpi.md)",
                words);
  print_message(text);
}

}  // namespace baton
