// Notices when the program has loaded a library, at the price of a load and a compare as long as it
// has loaded none. The dynamic linker lists what is loaded in the order of loading; while the
// library that was the last one when the watch began has no successor, nothing was added. That
// library is kept from being unloaded, so that its entry in the list stays. Once something was
// added, the linker's own count of additions is asked. Invariant: entries are read, never changed.
#pragma once

#include <cstddef>

struct link_map;

namespace baton::platform {

class LoaderWatch {
 public:
  // The watch begins: whatever is there now is no addition.
  void begin();
  // Returns whether libraries may have been added since `begin`. Any thread.
  bool may_have_news() const { return !last_ || has_successor(); }
  // Returns whether some were added since the last call, or since `begin`. One thread at a time.
  bool has_news();

 private:
  bool has_successor() const;
  link_map* last_ = nullptr;  // the last one, when the watch began; null: not known
  unsigned long long additions_ = 0;
};

// Finds a library of this process whose file's name begins so. Returns whether it is loaded; its
// path is then in `path`.
bool find_loaded(const char* name, char* path, std::size_t path_bytes);

}  // namespace baton::platform
