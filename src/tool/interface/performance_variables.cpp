#include "tool/interface/performance_variables.hpp"

#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>

#include "base/reason.hpp"
#include "message/core/engine.hpp"
#include "tool/interface/enumerations.hpp"
#include "tool/interface/readers.hpp"
#include "tool/interface/state.hpp"

namespace baton::tool {

namespace {

using Row = PerformanceVariable;

// The place of a member of a struct that consists of 64-bit numbers.
#define BATON_PLACE(Struct, member) \
  static_cast<int>(offsetof(Struct, member) / sizeof(std::uint64_t))

constexpr int counter = MPI_T_PVAR_CLASS_COUNTER, sum = MPI_T_PVAR_CLASS_AGGREGATE,
              level = MPI_T_PVAR_CLASS_LEVEL, timer = MPI_T_PVAR_CLASS_TIMER;

// A variable of the process, and one of an object.
constexpr Row own(const char* name, const char* words, Part part, int var_class,
                  decltype(Row::read) read, int which = 0, const char* before = "") {
  return {name, words, before, part, var_class, MPI_T_BIND_NO_OBJECT, false, which, read};
}
constexpr Row bound(const char* name, const char* words, int bind, Part part, int var_class,
                    decltype(Row::read) read, int which = 0, const char* before = "") {
  return {name, words, before, part, var_class, bind, false, which, read};
}
// A variable of a communicator with a value for each rank.
constexpr Row per_rank(const char* name, const char* words, Part part, int var_class,
                       decltype(Row::read) read, int which = 0, const char* before = "") {
  return {name, words, before, part, var_class, MPI_T_BIND_MPI_COMM, true, which, read};
}

constexpr Row counters[] = {
#define BATON_VARIABLE(name, part, what) \
  own(#name, what, Part::part, counter, read_counter, BATON_PLACE(Counters, name)),
    BATON_COUNTERS(BATON_VARIABLE)
#undef BATON_VARIABLE
};

constexpr int comm = MPI_T_BIND_MPI_COMM;
constexpr Row general[] = {
    own("library_phase", "whether MPI is initialized, by MPI_Init or a session", Part::library,
        MPI_T_PVAR_CLASS_STATE, read_phase),
    own("live_communicators", "communicators that the program has made and not freed",
        Part::library, level, read_communicators),
    own("sleep_time", "seconds that threads of this rank slept while they waited", Part::waiting,
        timer, read_slept),
    own("queued_requests", "requests that wait for space on the way to another rank",
        Part::messages, level, read_queued),
    own("outstanding_bytes", "bytes of long messages that are under way from or to this rank",
        Part::messages, level, read_outstanding),
    bound("unexpected_messages", "messages that have arrived and whose receive is not posted", comm,
          Part::messages, level, read_unexpected),
    bound("unexpected_messages", "most messages at a time whose receive was not posted", comm,
          Part::messages, MPI_T_PVAR_CLASS_HIGHWATERMARK, read_unexpected),
    bound("posted_receives", "receives that are posted and have met no message", comm,
          Part::messages, level, read_posted),
    per_rank("unexpected_bytes",
             "bytes kept of messages from each rank, in all communicators, whose receive is not "
             "posted",
             Part::messages, level, read_unexpected_bytes),
    bound("collectives", "collective calls begun, except persistent ones", comm, Part::collectives,
          counter, read_collectives),
};

constexpr char messages_words[] =
    "messages between this rank and each of the communicator's, counted by one of the two, in all "
    "communicators, that went: ";
constexpr char bytes_words[] =
    "bytes of messages between this rank and each of the communicator's, counted by one of the "
    "two, in all communicators, that went: ";
constexpr Row message_ways[] = {
#define BATON_VARIABLE(name, words)                                           \
  per_rank("messages_" #name, words, Part::protocols, counter, read_messages, \
           static_cast<int>(Way::name), messages_words),
    BATON_WAYS(BATON_VARIABLE)
#undef BATON_VARIABLE
};
constexpr Row byte_ways[] = {
#define BATON_VARIABLE(name, words)                                                              \
  per_rank("bytes_" #name, words, Part::protocols, sum, read_bytes, static_cast<int>(Way::name), \
           bytes_words),
    BATON_WAYS(BATON_VARIABLE)
#undef BATON_VARIABLE
};

constexpr Row reasons[] = {
#define BATON_VARIABLE(name, words)                                  \
  own("reason_" #name, words, Part::protocols, counter, read_reason, \
      static_cast<int>(Reason::name), "messages that took no cheaper way. Why not "),
    BATON_REASONS(BATON_VARIABLE)
#undef BATON_VARIABLE
};

constexpr Row algorithms[] = {
#define BATON_VARIABLE(name, kind, rounds, needs, words)                \
  own("calls_" #name, words, Part::algorithms, counter, read_algorithm, \
      static_cast<int>(Algorithm::name), "collective calls by an algorithm: "),
    BATON_ALGORITHMS(BATON_VARIABLE)
#undef BATON_VARIABLE
};

constexpr Row of_window(const char* name, const char* words, int var_class, int place,
                        const char* before = "") {
  return bound(name, words, MPI_T_BIND_MPI_WIN, Part::windows, var_class, read_window, place,
               before);
}
#define BATON_OPERATION(name, member) \
  BATON_PLACE(WindowCounts, operations[static_cast<int>(WindowOperation::name)].member)
constexpr Row windows[] = {
#define BATON_VARIABLE(name)                                                        \
  of_window("window_" #name "s", #name, counter, BATON_OPERATION(name, messages),   \
            "operations of this rank on the window, of the kind "),                 \
      of_window("window_" #name "_bytes", #name, sum, BATON_OPERATION(name, bytes), \
                "bytes of operations of this rank on the window, of the kind "),
    BATON_WINDOW_OPERATIONS(BATON_VARIABLE)
#undef BATON_VARIABLE
        of_window("window_lock_waits", "locks of the window for which this rank had to wait",
                  counter, BATON_PLACE(WindowCounts, lock_waits)),
    of_window("window_lock_wait_time", "seconds that this rank waited for locks of the window",
              timer, BATON_PLACE(WindowCounts, lock_wait_ns)),
};
#undef BATON_OPERATION

constexpr Row of_file(const char* name, const char* words, int var_class, int place,
                      const char* before = "") {
  return bound(name, words, MPI_T_BIND_MPI_FILE, Part::files, var_class, read_file, place, before);
}
constexpr Row files[] = {
    of_file("file_reads", "reads of this rank alone", counter, BATON_PLACE(FileCounts, reads)),
    of_file("file_writes", "writes of this rank alone", counter, BATON_PLACE(FileCounts, writes)),
    of_file("file_reads_all", "collective reads", counter, BATON_PLACE(FileCounts, reads_all)),
    of_file("file_writes_all", "collective writes", counter, BATON_PLACE(FileCounts, writes_all)),
    of_file("file_read_bytes", "bytes read", sum, BATON_PLACE(FileCounts, read_bytes)),
    of_file("file_written_bytes", "bytes written", sum, BATON_PLACE(FileCounts, written_bytes)),
    of_file("file_system_calls", "system calls that moved data of the file", sum,
            BATON_PLACE(FileCounts, system_calls)),
#define BATON_VARIABLE(name, words)        \
  of_file("file_bytes_" #name, words, sum, \
          BATON_PLACE(FileCounts, bytes[static_cast<int>(FileWay::name)]), "bytes moved: "),
    BATON_FILE_WAYS(BATON_VARIABLE)
#undef BATON_VARIABLE
#define BATON_VARIABLE(name, words)                                             \
  of_file("file_reason_" #name, words, counter,                                 \
          BATON_PLACE(FileCounts, reasons[static_cast<int>(FileReason::name)]), \
          "collective accesses, by how they went and why; counted by the first rank. "),
        BATON_FILE_REASONS(BATON_VARIABLE)
#undef BATON_VARIABLE
};
#undef BATON_PLACE

// All variables. Messages to itself have no counts by ranks, and no reason is none.
constexpr std::span<const Row> groups[] = {counters,
                                           general,
                                           std::span(message_ways).first<peer_way_count>(),
                                           std::span(byte_ways).first<peer_way_count>(),
                                           std::span(reasons).subspan<1>(),
                                           algorithms,
                                           windows,
                                           files};

}  // namespace

MPI_Datatype PerformanceVariable::datatype() const {
  if (var_class == MPI_T_PVAR_CLASS_STATE) return MPI_INT;
  return var_class == MPI_T_PVAR_CLASS_TIMER ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
}

int performance_variable_count() {
  std::size_t count = 0;
  for (const auto& group : groups) count += group.size();
  return static_cast<int>(count);
}

const PerformanceVariable* find_performance_variable(int index) {
  if (index < 0) return nullptr;
  auto place = static_cast<std::size_t>(index);
  for (const auto& group : groups) {
    if (place < group.size()) return &group[place];
    place -= group.size();
  }
  return nullptr;
}

int index_of_performance_variable(const char* name, int var_class) {
  for (int index = 0; const Row* row = find_performance_variable(index); ++index)
    if (row->var_class == var_class && std::strcmp(row->name, name) == 0) return index;
  return -1;
}

void describe(const PerformanceVariable& variable, Description& description) {
  description.add(variable.before_words).add_words(variable.words);
}

}  // namespace baton::tool
