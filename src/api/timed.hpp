// The timed forms of entry points (generated/timed.cpp) are written with these: how much data a
// call has, and which requests complete in it. Arguments are not checked yet, since the entry point
// is still to be called: a wrong argument counts as nothing here.
#pragma once

#include <mpi.h>

#include "api/generated/procedures.hpp"
#include "datatype/datatype.hpp"
#include "tool/time_record.hpp"
#include "tool/timing.hpp"

namespace baton::api::timed {

using tool::CallTimer;
static_assert(procedure_count <= tool::procedures_max);

template <class Count>
std::uint64_t bytes_of(Count count, MPI_Datatype datatype) {
  const Datatype* type = datatype::datatypes.find(datatype);
  return type && count > 0
             ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(type->size)
             : 0;
}
template <class Count>
std::uint64_t bytes_of_all(std::uint64_t ranks, const Count* counts, MPI_Datatype datatype) {
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; counts && i < ranks; ++i) sum += counts[i];
  return bytes_of(sum, datatype);
}
template <class Count>
std::uint64_t bytes_of_each(std::uint64_t ranks, bool none, const Count* counts,
                            const MPI_Datatype* types) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; !none && counts && types && i < ranks; ++i)
    sum += bytes_of(counts[i], types[i]);
  return sum;
}
// These return the number of ranks that a collective call gives blocks to (in an intercommunicator,
// the other group), of the own group, and of the neighbors.
std::uint64_t ranks_of(MPI_Comm comm);
std::uint64_t members_of(MPI_Comm comm);
std::uint64_t targets_of(MPI_Comm comm);
// Returns a window's own communicator.
MPI_Comm communicator_of(MPI_Win win);

// These are the requests that a call may complete, as they are before the call.
class Completions {
 public:
  Completions(CallTimer& timer, int count, const MPI_Request* requests);
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  // Returns the caller's statuses, or space for them where it wants none.
  MPI_Status* statuses(MPI_Status* wanted);
  void one(int index, const MPI_Status& status) const;
  // `failed`: the statuses say which requests failed.
  void all(const MPI_Status* statuses, bool failed = false) const;
  void some(int count, const int* indices, const MPI_Status* statuses, bool failed = false) const;

 private:
  static constexpr int few = 16;
  CallTimer& timer_;
  int count_ = 0;
  MPI_Request here_[few];
  MPI_Request* requests_ = here_;
  MPI_Status* statuses_ = nullptr;
};

}  // namespace baton::api::timed
