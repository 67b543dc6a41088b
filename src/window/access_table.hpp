// `mpiexec --check`: what has been done to one rank's window memory and is not ordered yet, in a
// table of that rank's memory which all ranks of its node change; behind it, of the bytes that
// operations of active targets have changed, what they were then. Used by check_access.cpp.
// Invariant: all of it belongs to who holds the table's lock; zeros are the beginning.
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

// What ends the time in which nothing orders an access: the next fence; the end of the target's
// exposure epoch; the origin's flush or unlock.
enum class Era : std::uint8_t { fence, started, passive };

// Some bytes that an origin reaches. Travels between ranks as it is.
struct Access {
  std::int64_t first;      // byte of the window; in dynamic windows an address
  std::int64_t last;       // behind it
  std::int32_t rank;       // the origin, in the window
  std::int32_t operation;  // handles, as integers; of accumulates
  std::int32_t type;       // predefined; 0: of several
  datatype::Element element;
  Act act;
  Era era;
  bool reads_only;
};
static_assert(sizeof(Access) == 32);

// Why two accesses to the same bytes must not be at the same time, if they must not.
enum class Clash : std::uint8_t {
  none,
  order,       // one of them writes
  operations,  // accumulates of several operations
  types,       // accumulates of several predefined datatypes
};

// `same_op`: the window has the info accumulate_ops=same_op. Rules: MPI 5.0, "Semantics and
// Correctness", and the info keys of "Window Creation".
Clash clash_of(const Access& one, const Access& other, bool same_op);

class AccessTable {
 public:
  // More are not kept. Each operation looks at all there are: this many cost it some microseconds.
  static constexpr std::uint32_t accesses_max = 4096;

  // The memory of one whose copy has so many bytes.
  static constexpr std::size_t bytes_for(std::size_t copy_bytes) {
    return sizeof(AccessTable) + copy_bytes;
  }

  // Waits for the lock, without progress: whoever holds it waits for nobody.
  std::uint32_t lock();
  void unlock(std::uint32_t number);

  // The first one that must not be together with `access`; end(): none.
  const Access* find_clash(const Access& access, bool same_op, Clash* why) const;
  // Joined with an equal one that it touches. False: there is no room.
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

  // Nobody but this rank has it, and finds its own conflicts alone.
  bool is_private = false;
  // There is room for a copy of the window. Stands before others see the table.
  bool has_copy = false;
  char* copy() { return reinterpret_cast<char*>(this + 1); }

 private:
  lockfree::TurnLock<lockfree::Hardware> turns_;
  std::uint32_t count_ = 0;
  Access list_[accesses_max];
};

// Where two runs of bytes first differ, and how many do there. False: they are the same.
struct Difference {
  std::int64_t first;
  std::int64_t bytes;
};
bool find_difference(const char* one, const char* other, std::int64_t bytes, Difference* found);

}  // namespace baton::window
