// Info objects are ordered lists of (key, value) strings. They work before MPI_Init and after
// MPI_Finalize, in any thread and at any thread level. They are used by layers 7 to 10.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <mutex>

#include "base/error.hpp"
#include "base/handle_table.hpp"

namespace baton {

class Info {
 public:
  struct Entry {
    Entry* next;
    Entry* before;
    Entry* same;  // the next entry in its bucket
    std::size_t hash;
    char* key;  // the entry owns this and `value`
    char* value;
  };

  Info() = default;
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info();

  // Adds or replaces a value. The caller has checked the lengths. Error: MPI_ERR_NO_MEM.
  [[nodiscard]] Error set(const char* key, const char* value);
  // Copies the value under `key`, cut to `space` with its zero, and tells its whole length; returns
  // false when there is none.
  bool get(const char* key, char* value, std::size_t space, std::size_t* length = nullptr) const;
  // Returns false when there is no such key.
  bool remove(const char* key);
  int key_count() const;
  // Copies the key at `place` in the order in which keys were first set; returns false when out of
  // range.
  bool key_at(int place, char* key, std::size_t space) const;
  // Appends all of `other`. Error: MPI_ERR_NO_MEM.
  [[nodiscard]] Error copy_from(const Info& other);

  MPI_Info handle = MPI_INFO_NULL;
  // MPI_INFO_ENV is read-only: programs may only read it.
  bool read_only = false;

 private:
  // The caller of these holds the lock.
  Entry** find(const char* key) const;
  Entry* entry_at(int place) const;
  [[nodiscard]] Error put(const char* key, const char* value);
  bool widen();

  // The lock is always taken: these calls are rare, and allowed in all threads at once.
  mutable std::mutex lock_;
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  int count_ = 0;
  // The buckets are a hash table whose size is a power of two; there are none while there are no
  // entries.
  Entry** buckets_ = nullptr;
  std::size_t bucket_count_ = 0;
  // This is where key_at was last: programs ask for one place after the other. Null: nowhere.
  mutable Entry* seen_ = nullptr;
  mutable int seen_place_ = 0;
};

extern HandleTable<Info, HandleTag::info> infos;

// Creates an empty info with a handle. Error: MPI_ERR_NO_MEM.
[[nodiscard]] Error create_info(Info** info);

// Frees an info and its handle.
void free_info(Info& info);

// Fills `info` with those keys of MPI_INFO_ENV in the standard that this process knows: command,
// argv, host, arch, wdir, mpi_memory_alloc_kinds, mpi_initial_errhandler if mpiexec was told one,
// thread_level, and maxprocs if positive.
[[nodiscard]] Error describe_environment(Info& info, int process_count, const char* thread_level);

// Puts an object behind MPI_INFO_ENV. Process start calls it once; before that the handle is
// invalid.
[[nodiscard]] Error make_environment_info(int process_count, const char* thread_level);

}  // namespace baton
