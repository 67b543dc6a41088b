// Enumerations: names of the values of variables, and of the elements of events.
#pragma once

#include <mpi.h>

#include "base/event.hpp"
#include "base/settings.hpp"

namespace baton::tool {

struct Enumeration {
  const char* name;
  int count;
  const char* (*item)(const Enumeration& self, int index);
  const EventRow* event;  // of whose elements it is; null: of a variable's values
};

// Returns the enumeration behind a handle; null: there is none.
const Enumeration* find_enumeration(MPI_T_enum handle);
// Returns the handle of a setting's values; MPI_T_ENUM_NULL: it is a number.
MPI_T_enum enumeration_of(const SettingRow& row);
// Returns that of the states of the library, which count_phase numbers.
MPI_T_enum enumeration_of_phases();
// Returns that of the elements of an event.
MPI_T_enum enumeration_of(Event event);

}  // namespace baton::tool
