// This is the procedure of the standard that a call is, for comparing and naming under `mpiexec
// --check`.
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
// The struct travels between ranks as it is.
static_assert(sizeof(Procedure) == 3);

Procedure procedure_of(const Call& call, Form form);

// Gives a name such as "MPI_Ialltoallv"; the MPI_Count form has the name of the int form.
struct ProcedureName {
  explicit ProcedureName(const Procedure& procedure);
  char text[48];
};

}  // namespace baton::collective
