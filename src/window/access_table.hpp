// This is the table of accesses of `mpiexec --check`: it records what has been done to one rank's
// window memory and is not ordered yet, in a table in that rank's memory, which all ranks of its
// node change. A copy of the window may follow the table: it holds the bytes that operations of
// active targets have left. It is used by check_access.cpp.
// Invariant: only the holder of the table's lock reads or changes it; a table of zeros is empty.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/datatype.hpp"
#include "lockfree/turn_lock.hpp"

namespace baton::window {

enum class Act : std::uint8_t {
  put,
  get,
  accumulate,  // from here on elements are changed as a whole
  get_accumulate,
  fetch_and_op,
  compare_and_swap,
};

// An era is the time in which nothing orders an access. It ends at the next fence, at the end of
// the target's exposure epoch, or at the origin's flush or unlock.
enum class Era : std::uint8_t { fence, started, passive };

// An access is a run of bytes that an origin reaches. It travels between ranks as it stands here.
struct Access {
  std::int64_t first;      // byte of the window; in dynamic windows an address
  std::int64_t last;       // behind the last byte
  std::int32_t rank;       // the origin's rank in the window
  std::int32_t operation;  // handle as an integer, for accumulates
  std::int32_t type;       // predefined datatype as an integer; 0: several
  datatype::Element element;
  Act act;
  Era era;
  bool reads_only;
};
static_assert(sizeof(Access) == 32);

// This is the reason why two accesses to the same bytes must not overlap in time, if there is one.
enum class Clash : std::uint8_t {
  none,
  order,       // one of them writes
  operations,  // accumulates of several operations
  types,       // accumulates of several predefined datatypes
};

// Returns why two accesses conflict. `same_op`: the window has the info accumulate_ops=same_op. The
// rules are in MPI 5.0, "Semantics and Correctness", and at the info keys of "Window Creation".
Clash clash_of(const Access& one, const Access& other, bool same_op);

class AccessTable {
 public:
  // The table keeps at most this many accesses. Each operation compares itself with all of them,
  // which costs it some microseconds when the table is full.
  static constexpr std::uint32_t accesses_max = 4096;

  // Returns the bytes that a table takes whose copy of the window has `copy_bytes`.
  static constexpr std::size_t bytes_for(std::size_t copy_bytes) {
    return sizeof(AccessTable) + copy_bytes;
  }

  // Takes the table's lock. It waits without progress, because the holder of this lock waits for
  // nobody.
  std::uint32_t lock();
  void unlock(std::uint32_t number);

  // Returns the first access in the table that conflicts with `access`; end(): there is none.
  const Access* find_clash(const Access& access, bool same_op, Clash* why) const;
  // Adds an access; it is joined with an equal one that it touches. Returns false if there is no
  // space.
  bool add(const Access& access);
  template <class Chosen>
  void remove(Chosen chosen) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i)
      if (!chosen(list_[i])) list_[kept++] = list_[i];
    count_ = kept;
  }
  const Access* begin() const { return list_; }
  const Access* end() const { return list_ + count_; }

  // The table has space for a copy of the window. This is set before other ranks see the table.
  bool has_copy = false;
  char* copy() { return reinterpret_cast<char*>(this + 1); }

 private:
  lockfree::TurnLock<lockfree::Hardware> turns_;
  std::uint32_t count_ = 0;
  Access list_[accesses_max];
};

// Says where two runs of bytes first differ, and how many bytes differ there. The function returns
// false if they are equal.
struct Difference {
  std::int64_t first;
  std::int64_t bytes;
};
bool find_difference(const char* one, const char* other, std::int64_t bytes, Difference* found);

}  // namespace baton::window
