// Procedures of which the table cannot say how their arguments are converted (bodies.py says why).
// Each is a template over the C procedure, as the generated ones are.
#pragma once

#include "by_hand_attributes.hpp"
#include "by_hand_functions.hpp"
#include "by_hand_text.hpp"
#include "section.hpp"

namespace baton::fortran::by_hand {

// --- start.

// Tells MPI of this compiler's LOGICAL, where nothing else has (MPI 5.0, 20.4.3): after the start,
// since some libraries know of nothing before it. Where that is refused, LOGICAL stays as it is
// there.
void introduce_fortran();

template <auto Call>
void init(Fint* ierror) {
  const int error = Call(nullptr, nullptr);
  if (!error) introduce_fortran();
  tell(ierror, error);
}

template <auto Call>
void init_thread(int* required, int* provided, Fint* ierror) {
  const int error = Call(nullptr, nullptr, *required, provided);
  if (!error) introduce_fortran();
  tell(ierror, error);
}

template <auto Call>
void info_create_env(Fint* info, Fint* ierror) {
  MPI_Info made{};
  const int error = Call(0, nullptr, &made);
  if (!error) *info = number(made);
  tell(ierror, error);
}

// --- some of several requests. Indices begin at 1.

template <auto Call>
void waitany(int* count, Fint* requests, int* index, Fint* place, Fint* ierror) {
  Handles<MPI_Request> c_requests(requests, *count);
  const int error = Call(*count, c_requests.data(), index, status_at(place));
  if (*index != MPI_UNDEFINED && *index >= 0 && *index < *count) {
    requests[*index] = number(c_requests.data()[*index]);
    ++*index;
  }
  tell(ierror, error);
}

template <auto Call>
void any(int* count, Fint* requests, int* index, int* flag, Fint* place, Fint* ierror) {
  Handles<MPI_Request> c_requests(requests, *count);
  const int error = Call(*count, c_requests.data(), index, flag, status_at(place));
  if (*flag && *index != MPI_UNDEFINED && *index >= 0 && *index < *count) {
    requests[*index] = number(c_requests.data()[*index]);
    ++*index;
  }
  tell(ierror, error);
}

template <auto Call>
void testany(int* count, Fint* requests, int* index, int* flag, Fint* place, Fint* ierror) {
  any<Call>(count, requests, index, flag, place, ierror);
}

template <auto Call>
void request_get_status_any(int* count, Fint* requests, int* index, int* flag, Fint* place,
                            Fint* ierror) {
  any<Call>(count, requests, index, flag, place, ierror);
}

template <auto Call>
void some(int* count, Fint* requests, int* done, int* indices, Fint* places, Fint* ierror) {
  Handles<MPI_Request> c_requests(requests, *count);
  const int error = Call(*count, c_requests.data(), done, indices, statuses_at(places));
  if (*done != MPI_UNDEFINED) {
    for (int i = 0; i < *done; ++i) {
      requests[indices[i]] = number(c_requests.data()[indices[i]]);
      ++indices[i];
    }
  }
  tell(ierror, error);
}

template <auto Call>
void waitsome(int* count, Fint* requests, int* done, int* indices, Fint* places, Fint* ierror) {
  some<Call>(count, requests, done, indices, places, ierror);
}

template <auto Call>
void testsome(int* count, Fint* requests, int* done, int* indices, Fint* places, Fint* ierror) {
  some<Call>(count, requests, done, indices, places, ierror);
}

template <auto Call>
void request_get_status_some(int* count, Fint* requests, int* done, int* indices, Fint* places,
                             Fint* ierror) {
  some<Call>(count, requests, done, indices, places, ierror);
}

// --- a datatype for each rank.

// How many ranks a communicator's collective sends to and receives from.
struct Neighbors {
  int sources = 0, destinations = 0;
};
Neighbors neighbors_of(MPI_Comm comm, bool of_topology);

// Datatypes that must stay where they are until a nonblocking operation is over. Equal arrays are
// kept once, for good: nothing tells when a persistent operation's last round is over.
const MPI_Datatype* kept_types(const Fint* numbers, int count);

class Types {
 public:
  Types(const Fint* numbers, int count, bool stay)
      : now_(numbers, stay ? 0 : count), kept_(stay ? kept_types(numbers, count) : nullptr) {}
  const MPI_Datatype* data() { return kept_ ? kept_ : now_.data(); }

 private:
  Handles<MPI_Datatype> now_;
  const MPI_Datatype* kept_;
};

// --- statuses of both forms are the same bytes.

template <auto Call>
void status_f2f08(Fint* from, Fint* to, Fint* ierror) {
  std::memcpy(to, from, sizeof(MPI_Status));
  tell(ierror, MPI_SUCCESS);
}

template <auto Call>
void status_f082f(Fint* from, Fint* to, Fint* ierror) {
  std::memcpy(to, from, sizeof(MPI_Status));
  tell(ierror, MPI_SUCCESS);
}

}  // namespace baton::fortran::by_hand
