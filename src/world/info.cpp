#include "world/info.hpp"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/environment.hpp"
#include "world/memory_kind.hpp"

namespace baton {

constinit HandleTable<Info, HandleTag::info> infos;

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for an info entry");
}

void free_entry(Info::Entry* entry) {
  std::free(entry->key);
  std::free(entry->value);
  delete entry;
}

// The hash function is FNV-1a.
std::size_t hash_of(const char* key) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (; *key; ++key) hash = (hash ^ static_cast<unsigned char>(*key)) * 0x100000001b3u;
  return hash;
}

// Sets a value, which is cut at the length that the standard lets a program read.
Error set_cut(Info& info, const char* key, char* value, size_t length) {
  if (length >= MPI_MAX_INFO_VAL) length = MPI_MAX_INFO_VAL - 1;
  value[length] = 0;
  return length ? info.set(key, value) : MPI_SUCCESS;
}

// Sets the command and its arguments from the command line as the kernel keeps it: words ended by
// zero bytes. The first word is the command; the others become one value, separated by spaces.
Error describe_command(Info& info) {
  char line[4096];
  int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return MPI_SUCCESS;
  ssize_t length = ::read(file, line, sizeof line - 1);
  ::close(file);
  if (length <= 0) return MPI_SUCCESS;
  line[length] = 0;
  size_t command_length = std::strlen(line);
  if (Error rc = set_cut(info, "command", line, command_length)) return rc;
  size_t start = command_length + 1;
  if (start >= static_cast<size_t>(length)) return MPI_SUCCESS;
  size_t end = static_cast<size_t>(length);
  while (end > start && line[end - 1] == 0) --end;
  for (size_t i = start; i < end; ++i)
    if (line[i] == 0) line[i] = ' ';
  return set_cut(info, "argv", line + start, end - start);
}

}  // namespace

Info::~Info() {
  while (Entry* entry = first_) {
    first_ = entry->next;
    free_entry(entry);
  }
  std::free(buckets_);
}

// Returns the link that leads to the entry, or would lead to it: there is a bucket.
Info::Entry** Info::find(const char* key) const {
  std::size_t hash = hash_of(key);
  Entry** link = &buckets_[hash & (bucket_count_ - 1)];
  while (*link && ((*link)->hash != hash || std::strcmp((*link)->key, key) != 0))
    link = &(*link)->same;
  return link;
}

// Makes sure that there are no more entries than buckets after one more is added.
bool Info::widen() {
  if (static_cast<std::size_t>(count_) < bucket_count_) return true;
  std::size_t space = bucket_count_ ? 2 * bucket_count_ : 16;
  auto** wider = static_cast<Entry**>(std::calloc(space, sizeof(Entry*)));
  if (!wider) return false;
  for (Entry* entry = first_; entry; entry = entry->next) {
    Entry** bucket = &wider[entry->hash & (space - 1)];
    entry->same = *bucket;
    *bucket = entry;
  }
  std::free(buckets_);
  buckets_ = wider;
  bucket_count_ = space;
  return true;
}

Error Info::set(const char* key, const char* value) {
  std::lock_guard guard(lock_);
  return put(key, value);
}

Error Info::put(const char* key, const char* value) {
  char* copy = widen() ? ::strdup(value) : nullptr;
  if (!copy) return no_memory();
  Entry** link = find(key);
  if (Entry* entry = *link) {
    std::free(entry->value);
    entry->value = copy;
    return MPI_SUCCESS;
  }
  char* key_copy = ::strdup(key);
  Entry* entry = key_copy ? new (std::nothrow)
                                Entry{nullptr, last_, nullptr, hash_of(key), key_copy, copy}
                          : nullptr;
  if (!entry) {
    std::free(key_copy);
    std::free(copy);
    return no_memory();
  }
  *link = entry;
  (last_ ? last_->next : first_) = entry;
  last_ = entry;
  ++count_;
  return MPI_SUCCESS;
}

bool Info::get(const char* key, char* value, std::size_t space, std::size_t* length) const {
  std::lock_guard guard(lock_);
  const Entry* entry = count_ ? *find(key) : nullptr;
  if (!entry) return false;
  std::snprintf(value, space, "%s", entry->value);
  if (length) *length = std::strlen(entry->value);
  return true;
}

bool Info::remove(const char* key) {
  std::lock_guard guard(lock_);
  Entry** link = count_ ? find(key) : nullptr;
  Entry* entry = link ? *link : nullptr;
  if (!entry) return false;
  *link = entry->same;
  (entry->before ? entry->before->next : first_) = entry->next;
  (entry->next ? entry->next->before : last_) = entry->before;
  // The entry seen last is often the one that is removed; the place of another entry is not known.
  seen_place_ -= entry->next ? 0 : 1;
  seen_ = seen_ != entry ? nullptr : entry->next ? entry->next : entry->before;
  free_entry(entry);
  --count_;
  return true;
}

int Info::key_count() const {
  std::lock_guard guard(lock_);
  return count_;
}

// Walks from the beginning, the end or the place that was asked for last, whichever is nearest.
Info::Entry* Info::entry_at(int place) const {
  Entry* entry = first_;
  int at = 0;
  if (count_ - 1 - place < place) {
    entry = last_;
    at = count_ - 1;
  }
  if (seen_ && std::abs(seen_place_ - place) < std::abs(at - place)) {
    entry = seen_;
    at = seen_place_;
  }
  for (; at < place; ++at) entry = entry->next;
  for (; at > place; --at) entry = entry->before;
  seen_ = entry;
  seen_place_ = place;
  return entry;
}

bool Info::key_at(int place, char* key, std::size_t space) const {
  std::lock_guard guard(lock_);
  if (place < 0 || place >= count_) return false;
  std::snprintf(key, space, "%s", entry_at(place)->key);
  return true;
}

Error Info::copy_from(const Info& other) {
  std::scoped_lock guard(lock_, other.lock_);
  for (const Entry* entry = other.first_; entry; entry = entry->next)
    if (Error rc = put(entry->key, entry->value)) return rc;
  return MPI_SUCCESS;
}

Error create_info(Info** info) {
  Info* made = new (std::nothrow) Info;
  if (made) made->handle = infos.add(made);
  if (!made || !made->handle) {
    delete made;
    return fail(MPI_ERR_NO_MEM, "no memory for an info object");
  }
  *info = made;
  return MPI_SUCCESS;
}

void free_info(Info& info) {
  infos.remove(info.handle);
  delete &info;
}

Error describe_environment(Info& info, int process_count, const char* thread_level) {
  if (Error rc = describe_command(info)) return rc;
  char text[PATH_MAX + 1];
  if (process_count > 0) {
    int length = std::snprintf(text, sizeof text, "%d", process_count);
    if (Error rc = set_cut(info, "maxprocs", text, static_cast<size_t>(length))) return rc;
  }
  if (::gethostname(text, MPI_MAX_INFO_VAL) == 0) {
    text[MPI_MAX_INFO_VAL - 1] = 0;
    if (Error rc = set_cut(info, "host", text, std::strlen(text))) return rc;
  }
  utsname names;
  if (::uname(&names) == 0)
    if (Error rc = set_cut(info, "arch", names.machine, std::strlen(names.machine))) return rc;
  if (::getcwd(text, sizeof text))
    if (Error rc = set_cut(info, "wdir", text, std::strlen(text))) return rc;
  if (Error rc = info.set(world::memory_kinds_key, world::all_memory_kinds)) return rc;
  // mpiexec sets this variable for its option -initial-errhandler.
  if (const char* handler = environment_variable("BATON_INITIAL_ERRHANDLER"))
    if (Error rc = info.set("mpi_initial_errhandler", handler)) return rc;
  return info.set("thread_level", thread_level);
}

Error make_environment_info(int process_count, const char* thread_level) {
  Info* info = new (std::nothrow) Info;
  if (!info) return fail(MPI_ERR_NO_MEM, "no memory for MPI_INFO_ENV");
  if (Error rc = describe_environment(*info, process_count, thread_level)) {
    delete info;
    return rc;
  }
  info->handle = MPI_INFO_ENV;
  info->read_only = true;
  infos.set_predefined(MPI_INFO_ENV, info);
  return MPI_SUCCESS;
}

}  // namespace baton
