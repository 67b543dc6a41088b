#include "platform/device/loader_watch.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "platform/lock.hpp"

namespace baton::platform {

namespace {

int take_additions(dl_phdr_info* info, std::size_t, void* additions) {
  *static_cast<unsigned long long*>(additions) = info->dlpi_adds;
  return 1;
}

unsigned long long count_additions() {
  unsigned long long additions = 0;
  ::dl_iterate_phdr(take_additions, &additions);
  return additions;
}

struct LastName {
  char text[4096];
};

int take_last_name(dl_phdr_info* info, std::size_t, void* last) {
  auto& name = *static_cast<LastName*>(last);
  if (info->dlpi_name && std::strlen(info->dlpi_name) < sizeof name.text)
    std::strcpy(name.text, info->dlpi_name);
  return 0;
}

struct Wanted {
  const char* name;
  char* path;
  std::size_t path_bytes;
};

int look_for(dl_phdr_info* info, std::size_t, void* argument) {
  const auto& wanted = *static_cast<const Wanted*>(argument);
  const char* path = info->dlpi_name ? info->dlpi_name : "";
  const char* slash = std::strrchr(path, '/');
  if (std::strncmp(slash ? slash + 1 : path, wanted.name, std::strlen(wanted.name)) != 0) return 0;
  std::snprintf(wanted.path, wanted.path_bytes, "%s", path);
  return 1;
}

}  // namespace

void LoaderWatch::begin() {
  additions_ = count_additions();
  LastName last{};
  ::dl_iterate_phdr(take_last_name, &last);
  void* handle = ::dlopen(last.text, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (!handle || ::dlinfo(handle, RTLD_DI_LINKMAP, &last_) != 0) last_ = nullptr;
  // Something was added meanwhile: then the count says it.
  if (last_ && last_->l_next) last_ = nullptr;
}

bool LoaderWatch::has_successor() const {
  return load_shared(last_->l_next) != nullptr;
}

bool LoaderWatch::has_news() {
  const unsigned long long before = additions_;
  additions_ = count_additions();
  return additions_ != before;
}

bool find_loaded(const char* name, char* path, std::size_t path_bytes) {
  Wanted wanted{name, path, path_bytes};
  return ::dl_iterate_phdr(look_for, &wanted) != 0;
}

}  // namespace baton::platform
