// Performance variables: rows that say how each is named, what kind it is, and how it is read. Most
// are counters that the library keeps anyway (base/counters.hpp, base/traffic.hpp and others).
// Values are 64-bit numbers here; timers count nanoseconds.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/part.hpp"
#include "tool/interface/text.hpp"

namespace baton::tool {

struct PerformanceVariable {
  const char* name;
  const char* words;
  const char* before_words;  // in a description
  Part part;
  int var_class;
  int bind;
  bool per_rank;  // of the communicator that it is bound to: one value for each
  int which;      // for `read`, which may serve several rows
  // Reads the values of an object, whose handle is given as a number. False: it is gone.
  bool (*read)(std::uint64_t object, int which, std::uint64_t* values);

  // Returns whether it sums up what has happened since it was started: it can be started, stopped,
  // reset and written.
  bool accumulates() const {
    return var_class == MPI_T_PVAR_CLASS_COUNTER || var_class == MPI_T_PVAR_CLASS_AGGREGATE ||
           var_class == MPI_T_PVAR_CLASS_TIMER;
  }
  // Returns whether it is the highest value since it was started, or reset.
  bool is_mark() const { return var_class == MPI_T_PVAR_CLASS_HIGHWATERMARK; }
  // Returns whether it always shows what is, and can only be read.
  bool is_continuous() const { return !accumulates() && !is_mark(); }
  MPI_Datatype datatype() const;
};

int performance_variable_count();
// Returns the variable with a number; null: there is none.
const PerformanceVariable* find_performance_variable(int index);
// Returns the number of the variable of a name and class; -1: there is none.
int index_of_performance_variable(const char* name, int var_class);
void describe(const PerformanceVariable& variable, Description& description);

}  // namespace baton::tool
