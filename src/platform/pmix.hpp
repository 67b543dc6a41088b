// PMIx's client library is found at run time. Its types are declared here as its standard has them
// (versions 3 to 5 agree), so that building needs no package of it; a test compares them with its
// header where that is installed (tests/platform/pmix_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform::pmix {

constexpr std::size_t name_bytes = 256, key_bytes = 512;
constexpr std::uint32_t any_rank = 0xfffffffe;
constexpr int success = 0;
constexpr std::uint8_t scope_global = 3;
enum Type : std::uint16_t { boolean = 1, text = 3, uint32 = 14, process = 22, byte_object = 27 };

// Events that tell how a process has ended.
constexpr int killed_by_command = -400, killed_by_signal = -402, ended_with_error = -404,
              ended_without_finalizing = -200, asked_for_the_end = -8;
constexpr int event_is_handled = -334;

constexpr const char* job_size_key = "pmix.job.size";
constexpr const char* local_peers_key = "pmix.lpeers";
constexpr const char* collect_key = "pmix.collect";
constexpr const char* affected_process_key = "pmix.evproc";

struct Process {
  char job[name_bytes];
  std::uint32_t rank;
};

struct Bytes {
  char* bytes;
  std::size_t size;
};

struct Value {
  std::uint16_t type;
  union Data {
    bool boolean;
    char* text;
    std::uint32_t uint32;
    Bytes bytes;
    Process* process;
    struct {
      void* words[3];
    } longest;
  } data;
};

struct Info {
  char key[key_bytes];
  std::uint32_t directives;
  Value value;
};

// An event's handler calls this when it is done with the event.
using EventHandled = void (*)(int status, Info* results, std::size_t count,
                              void (*freed)(int, void*), void* freed_argument, void* argument);
// The library calls this in a thread of its own.
using EventHandler = void (*)(std::size_t handler, int status, const Process* source, Info* info,
                              std::size_t infos, Info* results, std::size_t result_count,
                              EventHandled handled, void* argument);

// These are the library's functions by their names without the prefix. open() sets them.
struct Functions {
  int (*init)(Process* self, Info* info, std::size_t infos);
  int (*finalize)(const Info* info, std::size_t infos);
  int (*put)(std::uint8_t scope, const char* key, Value* value);
  int (*commit)();
  int (*fence)(const Process* processes, std::size_t count, const Info* info, std::size_t infos);
  int (*get)(const Process* process, const char* key, const Info* info, std::size_t infos,
             Value** value);
  int (*abort)(int status, const char* words, Process* processes, std::size_t count);
  const char* (*error_string)(int status);
  int (*register_event_handler)(int* codes, std::size_t count, Info* info, std::size_t infos,
                                EventHandler handler,
                                void (*registered)(int status, std::size_t handler, void* argument),
                                void* argument);
};

// Loads the library. Returns null when this machine has none; `problem` then says why (a static
// text, or the loader's).
const Functions* open(const char** problem);

}  // namespace baton::platform::pmix
