// An MPI program that makes ranks use all of Baton's memory and asks the kernel where each page of
// it lies: own slice, part by part, memory of MPI_Alloc_mem, the program's own, everything else.
// Run in the guest by placement_checks.py. Each rank prints one line of JSON; nothing here knows a
// policy.
//
// usage: places [--heap BYTES] [--plain BYTES] [--info KEY=VALUE]... [--refused-is-fine] [--again]
// --again: frees its memory of MPI_Alloc_mem and allocates as much anew, without info.
#include <linux/mempolicy.h>
#include <mpi.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lockfree/job.hpp"

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr int unknown_node = -1;
constexpr int message_bytes_max = 1 << 20;

using Pages = std::map<int, std::uint64_t>;  // node -> pages

struct Options {
  std::size_t heap_bytes = 0;
  std::size_t plain_bytes = 1 << 20;
  bool refused_is_fine = false;
  bool again = false;
  std::vector<std::string> info;
};

int rank, size;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "places: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word == "--refused-is-fine" || word == "--again") {
      (word == "--again" ? options.again : options.refused_is_fine) = true;
      continue;
    }
    if (i + 1 == count) give_up(word + " needs a value");
    std::string value = words[++i];
    if (word == "--heap")
      options.heap_bytes = std::strtoull(value.c_str(), nullptr, 10);
    else if (word == "--plain")
      options.plain_bytes = std::strtoull(value.c_str(), nullptr, 10);
    else if (word == "--info")
      options.info.push_back(value);
    else
      give_up("no option " + word);
  }
  return options;
}

// Where the pages are that this process has mapped; it has touched them all.
Pages located(const std::vector<void*>& pages) {
  Pages found;
  std::vector<int> nodes(pages.size(), unknown_node);
  if (!pages.empty() &&
      ::syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0)
    give_up(std::string("move_pages: ") + std::strerror(errno));
  for (int node : nodes) ++found[node < 0 ? unknown_node : node];
  return found;
}

void touch(const void* page) {
  // A read that the compiler cannot leave out.
  asm volatile("" : : "r"(*static_cast<const char*>(page)) : "memory");
}

// Of a range of shared memory: the pages that exist, whoever made them; `reserved`: all do.
Pages located_shared(char* start, std::size_t bytes, bool reserved) {
  std::vector<unsigned char> exists(bytes / page_bytes);
  if (::mincore(start, bytes, exists.data()) != 0)
    give_up(std::string("mincore: ") + std::strerror(errno));
  std::vector<void*> pages;
  for (std::size_t i = 0; i < exists.size(); ++i)
    if (reserved || (exists[i] & 1)) pages.push_back(start + i * page_bytes);
  for (void* page : pages) touch(page);
  return located(pages);
}

Pages located_own(const char* start, std::size_t bytes) {
  std::vector<void*> pages;
  auto first = reinterpret_cast<std::uintptr_t>(start) & ~(page_bytes - 1);
  auto end = reinterpret_cast<std::uintptr_t>(start) + bytes;
  for (; first < end; first += page_bytes) pages.push_back(reinterpret_cast<void*>(first));
  return located(pages);
}

// The job's memory as the library has mapped it here.
baton::lockfree::JobHeader* find_arena() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t start = 0, end = 0, offset = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) !=
            3 ||
        offset != 0 || line.find("memfd:baton") == std::string::npos)
      continue;
    auto* header = reinterpret_cast<baton::lockfree::JobHeader*>(start);
    if (header->magic == baton::lockfree::job_magic) return header;
  }
  give_up("the job's memory is not among /proc/self/maps");
}

// The kernel's policy of an address, MPOL_...; -1: unknown.
int policy_of(const void* address) {
  int mode = -1;
  return ::syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, address, MPOL_F_ADDR) == 0 ? mode : -1;
}

std::map<std::string, Pages> slice_pages() {
  auto* header = find_arena();
  auto layout = baton::lockfree::slice_layout(header->ranks, header->rings.deposit.ring_bytes);
  char* start = baton::lockfree::slice(header, static_cast<std::uint32_t>(rank));
  struct Part {
    const char* name;
    std::uint64_t begin, end;
    bool reserved;  // by the rank itself when it started
  } parts[] = {{"rendezvous entries", layout.rendezvous_entries, layout.heads, false},
               {"heads", layout.heads, layout.rings, true},
               {"rings", layout.rings, layout.adverts, false},
               {"adverts", layout.adverts, layout.rooms, false},
               {"rooms", layout.rooms, layout.progress, false},
               {"progress", layout.progress, layout.staging, true},
               {"staging", layout.staging, layout.record, false},
               {"rest", layout.record, layout.bytes, false}};
  std::map<std::string, Pages> found;
  found["mailbox"] =
      located_shared(baton::lockfree::mailbox(header, static_cast<std::uint32_t>(rank)),
                     header->mailbox_bytes, true);
  for (const Part& part : parts)
    found[part.name] = located_shared(start + part.begin, part.end - part.begin, part.reserved);
  return found;
}

// Returns whether all pages of a mapping are the process's own. Of a file's mapping (a library's
// data) some may be the file's still, and the kernel does not say which lie where.
bool is_anonymous(const std::string& line) {
  const auto number = [&line](const char* name) {
    const auto place = line.find(name);
    return place == std::string::npos ? 0 : std::atol(line.c_str() + place + std::strlen(name));
  };
  return number(" anon=") > 0 && number(" mapped=") <= number(" anon=");
}

// KiB by node of all that this process has mapped, by what it is.
std::map<std::string, Pages> process_kib() {
  std::map<std::string, Pages> found;
  std::ifstream maps("/proc/self/numa_maps");
  for (std::string line; std::getline(maps, line);) {
    std::string kind = line.find("memfd:baton") != std::string::npos ? "arena"
                       : is_anonymous(line)                          ? "anonymous"
                                                                     : "files";
    std::uint64_t unit = 4;
    Pages pages;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      int node = 0;
      std::uint64_t value = 0;
      if (std::sscanf(word.c_str(), "N%d=%" SCNu64, &node, &value) == 2) pages[node] += value;
      std::sscanf(word.c_str(), "kernelpagesize_kB=%" SCNu64, &unit);
    }
    for (auto [node, count] : pages) found[kind][node] += count * unit;
  }
  return found;
}

std::string text_of(const Pages& pages) {
  std::string text;
  for (auto [node, count] : pages)
    text += (text.empty() ? "\"" : ", \"") + std::to_string(node) + "\": " + std::to_string(count);
  return "{" + text + "}";
}

std::string text_of(const std::map<std::string, Pages>& parts) {
  std::string text;
  for (const auto& [name, pages] : parts)
    text += (text.empty() ? "\"" : ", \"") + name + "\": " + text_of(pages);
  return "{" + text + "}";
}

std::string cpus_allowed() {
  cpu_set_t set;
  std::string text;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return "[]";
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) text += (text.empty() ? "" : ", ") + std::to_string(cpu);
  return "[" + text + "]";
}

// Messages of all lengths from everyone to everyone, and collectives long and short.
void exchange(char* memory, std::size_t bytes) {
  int limit = static_cast<int>(std::min<std::size_t>(bytes / 2, message_bytes_max));
  char* incoming = memory + bytes / 2;
  for (int length = 8; length <= limit; length *= 8)
    for (int step = 1; step < size; ++step)
      MPI_Sendrecv(memory, length, MPI_BYTE, (rank + step) % size, 0, incoming, length, MPI_BYTE,
                   (rank + size - step) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int length : {8, 4096, 65536})
    if (length <= limit) MPI_Allreduce(memory, incoming, length, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

char* allocate(const Options& options, int* code) {
  MPI_Info info = MPI_INFO_NULL;
  if (!options.info.empty()) MPI_Info_create(&info);
  for (const std::string& pair : options.info) {
    auto equals = pair.find('=');
    MPI_Info_set(info, pair.substr(0, equals).c_str(), pair.substr(equals + 1).c_str());
  }
  char* memory = nullptr;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  *code = MPI_Alloc_mem(static_cast<MPI_Aint>(options.heap_bytes), info, &memory);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return *code == MPI_SUCCESS ? memory : nullptr;
}

std::string node_used_kib() {
  std::string text;
  for (int node = 0; node < 64; ++node) {
    std::ifstream file("/sys/devices/system/node/node" + std::to_string(node) + "/meminfo");
    for (std::string line; std::getline(file, line);) {
      std::uint64_t used = 0;
      if (std::sscanf(line.c_str(), "Node %*d MemUsed: %" SCNu64, &used) == 1)
        text +=
            (text.empty() ? "\"" : ", \"") + std::to_string(node) + "\": " + std::to_string(used);
    }
  }
  return "{" + text + "}";
}

void report(const Options& options, const char* heap, int code, const char* plain) {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, reason, &length);
  std::string line =
      "{\"rank\": " + std::to_string(rank) + ", \"cpus\": " + cpus_allowed() +
      ", \"slice\": " + text_of(slice_pages()) +
      ", \"heap\": " + text_of(heap ? located_own(heap, options.heap_bytes) : Pages{}) +
      ", \"heap_error\": " + std::to_string(code) + ", \"policies\": {\"queues\": " +
      std::to_string(
          policy_of(baton::lockfree::slice(find_arena(), static_cast<std::uint32_t>(rank)))) +
      ", \"heap\": " + std::to_string(heap ? policy_of(heap) : -1) + "}" +
      ", \"plain\": " + text_of(located_own(plain, options.plain_bytes)) +
      ", \"process\": " + text_of(process_kib()) + ", \"used_kib\": " + node_used_kib() + "}\n";
  if (::write(1, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    give_up("the report cannot be written");
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Options options = read_options(count, words);
  int code = MPI_SUCCESS;
  char* heap = options.heap_bytes ? allocate(options, &code) : nullptr;
  if (options.heap_bytes && !heap && !options.refused_is_fine)
    give_up("MPI_Alloc_mem failed with code " + std::to_string(code));
  if (heap) std::memset(heap, rank + 1, options.heap_bytes);
  if (heap && options.again) {
    MPI_Free_mem(heap);
    options.info.clear();
    heap = allocate(options, &code);
    if (!heap) give_up("there is no memory the second time");
    std::memset(heap, rank + 1, options.heap_bytes);
  }
  auto* plain = static_cast<char*>(std::malloc(options.plain_bytes));
  if (!plain) give_up("no memory");
  std::memset(plain, rank + 1, options.plain_bytes);
  int all_have_heap = heap != nullptr;
  MPI_Allreduce(MPI_IN_PLACE, &all_have_heap, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  exchange(plain, options.plain_bytes);
  if (all_have_heap) exchange(heap, options.heap_bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  report(options, heap, code, plain);
  MPI_Barrier(MPI_COMM_WORLD);  // all still have what they have reported
  if (heap) MPI_Free_mem(heap);
  std::free(plain);
  return MPI_Finalize();
}
