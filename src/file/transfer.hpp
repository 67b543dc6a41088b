// Moves one rank's bytes between its memory and the file, by this rank alone: whole where they lie
// together, else through a mapping of the file (mapped_transfer.hpp), by a call for each run, or,
// in a read, through a buffer that holds short runs with what lies between them (data sieving;
// Thakur, Gropp and Lusk, "Data Sieving and Collective I/O in ROMIO"). Called by access.cpp.
// Invariant: no byte of the file between this rank's runs is written: another rank or another job
// may write it at the same time.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "datatype/foreign.hpp"
#include "file/file.hpp"

namespace baton::file {

// Data of the program in memory, as packed bytes.
class Memory {
 public:
  // `is_host`: it is host memory for certain, and nobody need ask.
  Memory(void* buffer, const Datatype& type, bool is_host);

  // Returns where `bytes` packed bytes from a position on lie in one piece; null: they do not, and
  // pack and unpack move them.
  char* piece(std::int64_t position) const { return run_ ? run_ + position : nullptr; }
  void pack(std::int64_t position, char* packed, std::int64_t bytes) const;
  void unpack(std::int64_t position, const char* packed, std::int64_t bytes) const;
  const Datatype& type() const { return *type_; }
  void* buffer() const { return buffer_; }
  // Returns whether the processor must not touch it.
  bool is_foreign() const { return !is_host_ && datatype::kind_of(*type_, buffer_) != nullptr; }

 private:
  void* buffer_;
  const Datatype* type_;
  bool is_host_;
  char* run_;
};

// Moves `bytes` packed bytes of `memory` to or from the position of the file's view. `*moved` says
// how many have moved, also after an error; in a read fewer without an error mean the end of the
// file. Errors: those of failure.hpp.
Error transfer(File& file, bool writes, std::int64_t position, const Memory& memory,
               std::int64_t bytes, std::int64_t* moved);

// Locks the addresses that an access of `bytes` bytes at a position touches, for as long as the
// object lives, where the file is in atomic mode. The kernel's locks belong to the descriptor,
// which all threads of this rank share: one thread at a time has one.
class AtomicRange {
 public:
  AtomicRange(File& file, bool writes, std::int64_t position, std::int64_t bytes);
  ~AtomicRange();
  AtomicRange(const AtomicRange&) = delete;
  AtomicRange& operator=(const AtomicRange&) = delete;
  Error error() const { return error_; }

 private:
  File& file_;
  std::unique_lock<std::mutex> in_this_rank_;
  std::int64_t first_ = 0, bytes_ = 0;  // no bytes: up to any end
  bool is_locked_ = false;
  Error error_ = MPI_SUCCESS;
};

}  // namespace baton::file
