// Registrations: which events a tool wants to be told of, and by which callbacks (MPI 5.0,
// "Events"). Events come here from base/event.hpp.
// A callback needs a safety level. At the begin and end of the program's own calls it may do
// anything; inside the library it may call the tool interface alone; where threads of the program
// may call MPI at the same time it may also run in several threads at once. An event for which a
// registration has no callback that is safe enough is dropped, and so are events that come from
// within a callback; both are counted for the handler of dropped events.
// Invariant: callbacks run without the interface's lock. A registration that is freed meanwhile
// lives until the last of its callbacks has returned, which then calls the function for its end.
#pragma once

#include <mpi.h>

#include "base/event.hpp"

namespace baton::tool {

// All events have one source: this rank. Below MPI_THREAD_MULTIPLE they come in the order of their
// times.
inline constexpr int source_count = 1;

// An event while its callbacks run.
struct EventInstance {
  Event event;
  int level;  // the place of the safety level that its callbacks need
  std::int64_t time_ns;
  std::int64_t values[event_elements_max];
};

// Returns the instance behind a handle; null: it is not one whose callbacks this thread runs now.
const EventInstance* find_instance(MPI_T_event_instance handle);
bool is_in_callback();

// Returns the place of a safety level, from 0 on; -1: it is none.
int place_of(MPI_T_cb_safety safety);

// `object` points to the handle of the object that the event is bound to.
int make_registration(Event event, const void* object, MPI_T_event_registration* registration);
int free_registration(MPI_T_event_registration registration, void* user_data,
                      MPI_T_event_free_cb_function* freed);
void free_registrations();
bool is_registration(MPI_T_event_registration registration);
// Returns whether it has a callback for a safety level.
bool has_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety);
// Sets the callback for a safety level; null takes it away. The level is valid.
int set_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety, void* user_data,
                 MPI_T_event_cb_function* callback);
int set_dropped_handler(MPI_T_event_registration registration,
                        MPI_T_event_dropped_cb_function* handler);

}  // namespace baton::tool
