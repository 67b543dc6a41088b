// Which procedure of the standard a call is, for comparing and naming: of `mpiexec --check` only.
#pragma once

#include <cstdint>

#include "collective/call.hpp"

namespace baton::collective {

enum class Form : std::uint8_t { blocking, nonblocking, persistent };
enum class Variant : std::uint8_t { plain, v, w, block };

struct Procedure {
  Kind kind = Kind::barrier;
  Form form = Form::blocking;
  Variant variant = Variant::plain;

  bool operator==(const Procedure&) const = default;
  bool is_rooted() const {
    return kind == Kind::broadcast || kind == Kind::gather || kind == Kind::scatter ||
           kind == Kind::reduce;
  }
  bool reduces() const { return kind >= Kind::reduce && kind <= Kind::exscan; }
};
// Travels between ranks as it is.
static_assert(sizeof(Procedure) == 3);

Procedure procedure_of(const Call& call, Form form);

// "MPI_Ialltoallv"; of both the int and the MPI_Count form.
struct ProcedureName {
  explicit ProcedureName(const Procedure& procedure);
  char text[48];
};

}  // namespace baton::collective
