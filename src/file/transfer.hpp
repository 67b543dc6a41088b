// Moves one rank's bytes between its memory and the file, by this rank alone: whole where they lie
// together, else by a call for each run, or through a buffer that holds the runs with what lies
// between them (data sieving; Thakur, Gropp and Lusk, "Data Sieving and Collective I/O in ROMIO").
// Called by access.cpp and exchange.cpp.
// Invariant: bytes of the file between this rank's runs are written only where the hint
// romio_ds_write asks for that, under a lock of the range.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "file/file.hpp"

namespace baton::file {

// Data of the program in memory, as packed bytes.
class Memory {
 public:
  Memory(void* buffer, const Datatype& type);

  // Returns where `bytes` packed bytes from a position on lie in one piece; null: they do not, and
  // pack and unpack move them.
  char* piece(std::int64_t position) const { return run_ ? run_ + position : nullptr; }
  void pack(std::int64_t position, char* packed, std::int64_t bytes) const;
  void unpack(std::int64_t position, const char* packed, std::int64_t bytes) const;
  const Datatype& type() const { return *type_; }
  void* buffer() const { return buffer_; }

 private:
  void* buffer_;
  const Datatype* type_;
  char* run_;
};

// Moves `bytes` packed bytes of `memory` to or from the position of the file's view. `*moved` says
// how many have moved, also after an error; in a read fewer without an error mean the end of the
// file. Errors: those of failure.hpp.
Error transfer(File& file, bool writes, std::int64_t position, const Memory& memory,
               std::int64_t bytes, std::int64_t* moved);

// Keeps a write that goes through no sieve from going between a sieve's read and its write, for as
// long as the object lives: a lock that other such writes share. All ranks must have the same
// romio_ds_write.
class BesideSieves {
 public:
  // An access of `bytes` bytes at a position of the view.
  BesideSieves(File& file, bool writes, std::int64_t position, std::int64_t bytes);
  // A write of a range of addresses.
  BesideSieves(File& file, std::int64_t first, std::int64_t end);
  ~BesideSieves();
  BesideSieves(const BesideSieves&) = delete;
  BesideSieves& operator=(const BesideSieves&) = delete;

 private:
  void lock(std::int64_t first, std::int64_t end);

  File& file_;
  std::int64_t first_ = 0, bytes_ = 0;
  bool is_locked_ = false;
};

// Locks the addresses that an access of `bytes` bytes at a position touches, for as long as the
// object lives, where the file is in atomic mode.
class AtomicRange {
 public:
  AtomicRange(File& file, bool writes, std::int64_t position, std::int64_t bytes);
  ~AtomicRange();
  AtomicRange(const AtomicRange&) = delete;
  AtomicRange& operator=(const AtomicRange&) = delete;
  Error error() const { return error_; }

 private:
  File& file_;
  std::int64_t first_ = 0, bytes_ = 0;  // no bytes: up to any end
  bool is_locked_ = false;
  Error error_ = MPI_SUCCESS;
};

}  // namespace baton::file
