// Info objects: ordered lists of (key, value) strings. They work before MPI_Init and after
// MPI_Finalize. Used by floors 7 to 10.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "base/handle_table.hpp"

namespace baton {

class Info {
 public:
  struct Entry {
    Entry* next;
    char* key;  // the value's text follows in `value`; both belong to the entry
    char* value;
  };

  Info() = default;
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info();

  // Adds or replaces. The caller has checked the lengths. MPI_ERR_NO_MEM.
  [[nodiscard]] Error set(const char* key, const char* value);
  // The value under `key`; null when there is none. Valid until the key is set again or removed.
  const char* get(const char* key) const;
  // False when there is no such key.
  bool remove(const char* key);
  int key_count() const { return count_; }
  // The key at `place` in the order they were first set; null when out of range.
  const char* key_at(int place) const;
  // Appends all of `other`. MPI_ERR_NO_MEM.
  [[nodiscard]] Error copy_from(const Info& other);

  MPI_Info handle = MPI_INFO_NULL;
  // MPI_INFO_ENV: programs may read it only.
  bool read_only = false;

 private:
  Entry* find(const char* key) const;

  Entry* first_ = nullptr;
  Entry** end_ = &first_;
  int count_ = 0;
};

extern HandleTable<Info, HandleTag::info> infos;

// A new empty info with a handle. MPI_ERR_NO_MEM.
[[nodiscard]] Error create_info(Info** info);

// Ends an info and its handle.
void free_info(Info& info);

// Fills `info` with what the standard lists for MPI_INFO_ENV and this process knows about itself:
// command, argv, host, arch, wdir, and maxprocs if positive, thread_level if not null.
[[nodiscard]] Error describe_environment(Info& info, int process_count, const char* thread_level);

// Puts an object behind MPI_INFO_ENV. Process start calls it once; before, the handle is invalid.
[[nodiscard]] Error make_environment_info(int process_count, const char* thread_level);

}  // namespace baton
