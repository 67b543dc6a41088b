// What a process manager other than Baton's mpiexec tells a rank, and by what ranks introduce
// themselves to each other before they can send messages. Start-up alone uses it, in one thread.
#pragma once

#include <cstddef>
#include <span>

#include "base/error.hpp"

namespace baton::world {

class ProcessManager {
 public:
  virtual ~ProcessManager() = default;
  // For messages: "PMI-1", "PMI-2", "PMIx".
  virtual const char* name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The job's name, unique among the jobs of this manager.
  virtual const char* job() const = 0;
  // The ranks on this node as far as the manager knows, sorted, this one among them; or empty. A
  // hint: hosts of a test, or containers, may be one node to the manager.
  virtual std::span<const int> ranks_here() const = 0;

  // Each rank publishes one record, and all are of one length; then comes a fence, which returns
  // when all have; then each rank's record can be read. Some managers fetch it only then from where
  // its rank runs, so nobody may finalize while others read: when all are read, fence again.
  virtual Error publish(const void* record, std::size_t bytes) = 0;
  virtual Error fence() = 0;
  virtual Error read(int rank, void* record, std::size_t bytes) = 0;

  // The orderly end: afterwards this rank may exit without being taken for dead. Nothing but the
  // destructor may follow.
  virtual Error finalize() = 0;
  // Asks the manager to end the whole job. It may kill this process at once, or take a moment.
  virtual void abort(int code, const char* words) = 0;
};

// How long a manager may take. A variable for tests.
struct Patience {
  int answer_ms = 10'000;  // to one question
  int fence_ms = 300'000;  // until the slowest rank of a large job has started; guess
};

// The manager whose variables are in the environment, connected; null where there are none. To be
// deleted by the caller.
Error connect_process_manager(ProcessManager** manager, Patience patience = {});

}  // namespace baton::world
