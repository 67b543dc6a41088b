// This is the interface to a process manager other than Baton's mpiexec: it gives a rank its place
// in the job, and ranks introduce themselves to each other through it before they can send
// messages. Only start-up uses it, in one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"

namespace baton::world {

class ProcessManager {
 public:
  virtual ~ProcessManager() = default;
  // Returns the name for messages: "PMI-1", "PMI-2", "PMIx".
  virtual const char* name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns the job's name, unique among the jobs of this manager.
  virtual const char* job() const = 0;
  // Returns the ranks on this node as far as the manager knows, sorted, this rank among them; or
  // nothing. It is a hint: hosts of a test, or containers, may be one node to the manager.
  virtual std::span<const int> ranks_here() const = 0;

  // Publishes this rank's record. Each rank publishes one, and all are of one length; then comes a
  // fence, which returns when all have; then each rank's record can be read. Some managers fetch a
  // record only then from the node of its rank, so no rank may finalize while others read: when all
  // are read, ranks call the fence again.
  virtual Error publish(const void* record, std::size_t bytes) = 0;
  virtual Error fence() = 0;
  virtual Error read(int rank, void* record, std::size_t bytes) = 0;

  // Called before the first fence, where ranks may die while the others go on: what the launcher
  // does to others then must not end this process.
  virtual void survive_ends() {}
  // Prepares for ranks that die while the others go on. From now on the manager calls `tell`, where
  // it can, with each rank that has died, and with one that has asked for the end of the job, from
  // a thread of its own. It is called once in a process.
  enum class End : std::uint8_t { death, abort };
  virtual void hear_of_ends(void (*tell)(int rank, End end)) = 0;

  // Ends the connection in an orderly way: afterwards this rank may exit without being taken for
  // dead. Only the destructor may be called after it.
  virtual Error finalize() = 0;
  // Asks the manager to end the whole job. The manager may kill this process at once, or take a
  // moment.
  virtual void abort(int code, const char* words) = 0;
};

// This is the time that a manager may take. It is a variable only for tests.
struct Patience {
  int answer_ms = 10'000;  // to one question
  int fence_ms = 300'000;  // until the slowest rank of a large job has started; guess
};

// Connects to the manager whose variables are in the environment; null where there are none. The
// caller deletes it.
Error connect_process_manager(ProcessManager** manager, Patience patience = {});

}  // namespace baton::world
