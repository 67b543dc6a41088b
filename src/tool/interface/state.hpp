// The tool interface of MPI 5.0 ("The MPI Tool Information Interface") as a whole: how often it was
// initialized, and what it shows, which does not change while the process runs.
// Invariant: one lock is held for all that tools make (handles, sessions, registrations), at every
// thread level, since tools may have threads where the program has none. No callback runs under it.
// So no procedure of the interface may be called from a signal handler.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>

#include "base/file_counts.hpp"
#include "base/one_sided.hpp"

namespace baton::tool {

// These find objects of layer 9, which this folder does not know, by their handles; api/ gives
// them. Null: there is no such object now.
struct ObjectFinder {
  // Finds the counts of a window that is watched.
  const WindowCounts* (*window_counts)(MPI_Win win) = nullptr;
  // Watches a window from now on, or no longer. False: there is no such window, or no memory.
  bool (*watch_window)(MPI_Win win, bool watches) = nullptr;
  bool (*is_window)(MPI_Win win) = nullptr;
  const FileCounts* (*file_counts)(MPI_File file) = nullptr;
};

struct Interface {
  std::mutex lifetime_lock;  // held while the interface begins or ends; before `lock`
  std::mutex lock;
  int references = 0;
  ObjectFinder objects;
};
extern constinit Interface interface;

// Returns whether procedures may be called.
bool is_initialized();

}  // namespace baton::tool
