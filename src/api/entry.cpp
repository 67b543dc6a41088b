#include "api/entry.hpp"

#include <atomic>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/failure_class.hpp"
#include "datatype/pack.hpp"
#include "message/core/progress.hpp"
#include "world/portability.hpp"

namespace baton::api {

namespace {

struct HandleWords {
  Error error_class;
  const char* noun;
  const char* null_name;
  std::uint64_t null_value;
};

constexpr HandleWords handle_words[] = {
    {MPI_ERR_COMM, "communicator", "MPI_COMM_NULL", 0x100},
    {MPI_ERR_TYPE, "datatype", "MPI_DATATYPE_NULL", 0x200},
    {MPI_ERR_GROUP, "group", "MPI_GROUP_NULL", 0x108},
    {MPI_ERR_OP, "operation", "MPI_OP_NULL", 0x20},
    {MPI_ERR_INFO, "info object", "MPI_INFO_NULL", 0x130},
    {MPI_ERR_ERRHANDLER, "error handler", "MPI_ERRHANDLER_NULL", 0x140},
    {MPI_ERR_REQUEST, "request", "MPI_REQUEST_NULL", 0x180},
    {MPI_ERR_WIN, "window", "MPI_WIN_NULL", 0x110},
    {MPI_ERR_FILE, "file", "MPI_FILE_NULL", 0x118},
    {MPI_ERR_SESSION, "session", "MPI_SESSION_NULL", 0x120},
};

// These are words such as "argument 4 (dest)", for the beginning of an explanation.
struct Where {
  Where(Procedure procedure, int argument) {
    char name[64];
    std::snprintf(text, sizeof text, "argument %d (%s)", argument,
                  argument_name(procedure, argument, name));
  }
  char text[96];
};

// Returns the number of the argument with this name, which may be a number itself; 0: none.
int argument_number(Procedure procedure, const char* wanted) {
  if (*wanted >= '0' && *wanted <= '9') return std::atoi(wanted);
  char name[64];
  for (int argument = 1; *argument_name(procedure, argument, name); ++argument)
    if (std::strcmp(name, wanted) == 0) return argument;
  return 0;
}

// Completes the name of an argument. Bodies that serve several procedures call an argument by its
// number or its name alone: "argument 2: ..." or "argument ranks: ...". Both become "argument 2
// (ranks): ...".
void complete_argument(Procedure procedure, Explanation& explanation) {
  char wanted[64], cause[sizeof explanation.text];
  int length = 0;
  if (std::sscanf(explanation.text, "argument %63[A-Za-z0-9_]:%n", wanted, &length) != 1) return;
  int argument = length > 0 ? argument_number(procedure, wanted) : 0;
  if (argument == 0) return;
  std::memcpy(cause, explanation.text, sizeof cause);
  Where where(procedure, argument);
  int space = static_cast<int>(sizeof explanation.text - std::strlen(where.text) - sizeof ":");
  std::snprintf(explanation.text, sizeof explanation.text, "%s:%.*s", where.text, space,
                cause + length);
}

// Returns whether nothing was said about the procedure before, since each message is given once.
// Threads may call at the same time.
bool is_first_time(Procedure procedure) {
  constexpr unsigned bits = 64;
  static std::atomic<std::uint64_t> told[1024 / bits];
  auto number = static_cast<unsigned>(procedure);
  std::uint64_t bit = std::uint64_t{1} << number % bits;
  // relaxed: no other data is published by this bit.
  return (told[number / bits].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  print_message(text);
}

}  // namespace

const char* procedure_name(Procedure procedure) {
  return procedure_words[static_cast<int>(procedure)].name;
}

const char* argument_name(Procedure procedure, int argument, char (&name)[64]) {
  const char* word = procedure_words[static_cast<int>(procedure)].arguments;
  for (int i = 1; i < argument && word; ++i) {
    word = std::strchr(word, ' ');
    if (word) ++word;
  }
  std::size_t length = word ? std::strcspn(word, " ") : 0;
  if (length >= sizeof name) length = sizeof name - 1;
  std::memcpy(name, word ? word : "", length);
  name[length] = 0;
  return name;
}

namespace {

// Calls that fail at once by a death make progress, too: a program may repeat them until it hears
// of a revocation, which comes as a message.
void hear_of_revocations(Explanation& explanation) {
  const Explanation kept = explanation;
  message::progress();
  explanation = kept;
}

}  // namespace

int report(Procedure procedure, ErrorTarget* target, Error code) {
  Explanation& explanation = last_explanation();
  // The handler gets the error of the request, which is the one that is explained.
  const Error raised = code == MPI_ERR_IN_STATUS ? explanation.error_class : code;
  if (raised == error_process_failed) hear_of_revocations(explanation);
  if (explanation.error_class == raised) complete_argument(procedure, explanation);
  raise(procedure_name(procedure), target, raised);
  if (raised != code && explanation.error_class == -raised) explanation.error_class = -code;
  return code;
}

int not_running(Procedure procedure) {
  bool finalized = library_state.phase == LibraryState::Phase::finalized;
  if (library_state.forked)
    return report(procedure, nullptr,
                  fail(MPI_ERR_OTHER,
                       "called in a child process of a rank; only the process that called MPI_Init "
                       "is one"));
  return report(procedure, nullptr,
                fail(MPI_ERR_OTHER, finalized ? "called after MPI_Finalize"
                                              : "called before MPI_Init or MPI_Init_thread"));
}

int bad_handle(Procedure procedure, int argument, ErrorTarget* target, const void* value,
               Error error_class) {
  Where where(procedure, argument);
  const HandleWords* words = handle_words;
  while (words->error_class != error_class) ++words;
  std::uint64_t bits = reinterpret_cast<std::uint64_t>(value);
  if (bits == words->null_value)
    return report(procedure, target, fail(error_class, "%s is %s", where.text, words->null_name));
  return report(procedure, target,
                fail(error_class,
                     "%s: 0x%" PRIx64 " is no live %s; it was freed, is of another kind or was "
                     "never one",
                     where.text, bits, words->noun));
}

int null_argument(Procedure procedure, int argument, ErrorTarget* target) {
  Where where(procedure, argument);
  return report(procedure, target, fail(MPI_ERR_ARG, "%s is a null pointer", where.text));
}

int bad_number(Procedure procedure, int argument, ErrorTarget* target, std::int64_t value,
               int minimum, Error error_class) {
  Where where(procedure, argument);
  return report(
      procedure, target,
      fail(error_class, "%s is %" PRId64 "; it must be at least %d", where.text, value, minimum));
}

int bad_element(Procedure procedure, int argument, ErrorTarget* target, std::int64_t value,
                std::int64_t place, Error error_class) {
  Where where(procedure, argument);
  return report(procedure, target,
                fail(error_class, "%s: element %" PRId64 " is %" PRId64 "; it must be at least 0",
                     where.text, place, value));
}

int bad_rank(Procedure procedure, int argument, ErrorTarget* target, int rank, int size,
             bool any_source_allowed) {
  Where where(procedure, argument);
  if (rank == MPI_ANY_SOURCE && !any_source_allowed)
    return report(procedure, target,
                  fail(MPI_ERR_RANK,
                       "%s: MPI_ANY_SOURCE is for receives, unless they are partitioned, and for "
                       "probes; name a rank",
                       where.text));
  return report(procedure, target,
                fail(MPI_ERR_RANK, "%s: rank %d is not in this communicator of %d rank%s",
                     where.text, rank, size, size == 1 ? "" : "s"));
}

int bad_root(Procedure procedure, int argument, ErrorTarget* target, int root, int size,
             bool is_inter) {
  Where where(procedure, argument);
  return report(
      procedure, target,
      fail(MPI_ERR_ROOT, "%s: root %d is not in this communicator's %s of %d rank%s%s", where.text,
           root, is_inter ? "remote group" : "group", size, size == 1 ? "" : "s",
           !is_inter && root == MPI_ROOT ? " (MPI_ROOT is for intercommunicators)" : ""));
}

int bad_tag(Procedure procedure, int argument, ErrorTarget* target, int tag, bool any_tag_allowed) {
  Where where(procedure, argument);
  if (tag == MPI_ANY_TAG && !any_tag_allowed)
    return report(procedure, target,
                  fail(MPI_ERR_TAG,
                       "%s: MPI_ANY_TAG is for receives, unless they are partitioned, and for "
                       "probes; name a tag",
                       where.text));
  return report(procedure, target,
                fail(MPI_ERR_TAG, "%s: tag %d is not between 0 and MPI_TAG_UB (%d)", where.text,
                     tag, tag_upper_bound));
}

int uncommitted(Procedure procedure, int argument, ErrorTarget* target, const char* type_name) {
  Where where(procedure, argument);
  return report(procedure, target,
                fail(MPI_ERR_TYPE, "%s: the datatype%s%s is not committed; call MPI_Type_commit",
                     where.text, *type_name ? " " : "", type_name));
}

int aliased(Procedure procedure, int argument, ErrorTarget* target) {
  Where where(procedure, argument);
  return report(procedure, target,
                fail(MPI_ERR_BUFFER,
                     "%s is also the send buffer; pass MPI_IN_PLACE to work in place", where.text));
}

const void* take_as_in_place(Procedure procedure, int argument, bool speaks) {
  Where where(procedure, argument);
  if (speaks && is_first_time(procedure))
    say("%s: %s is also the send buffer, which MPI forbids; taken for MPI_IN_PLACE (said once)",
        procedure_name(procedure), where.text);
  return MPI_IN_PLACE;
}

Error move_own_block(const void* from, std::int64_t count, const Datatype& type, void* place,
                     const Datatype& place_type) {
  if (place == from && &type == &place_type) return MPI_SUCCESS;
  // The two blocks may overlap.
  std::int64_t bytes = count * type.size;
  void* packed = std::malloc(static_cast<std::size_t>(bytes));
  if (!packed) return fail(MPI_ERR_NO_MEM, "no memory to move this rank's block to its place");
  datatype::pack(type, from, 0, packed, bytes);
  datatype::unpack(place_type, place, 0, packed, bytes);
  std::free(packed);
  return MPI_SUCCESS;
}

Datatype* type_of_no_data(MPI_Datatype type, std::int64_t count) {
  if (type != MPI_DATATYPE_NULL || count != 0) return nullptr;
  note_not_portable(Lenience::no_type);
  return datatype::datatypes.find(MPI_BYTE);
}

int check_special_buffer(Procedure procedure, int argument, ErrorTarget* target, const void* buffer,
                         bool no_data, bool null_allowed) {
  if (no_data || (!buffer && null_allowed)) return MPI_SUCCESS;
  Where where(procedure, argument);
  const char* why = !buffer                  ? "is a null pointer, but the count is not 0"
                    : buffer == MPI_IN_PLACE ? "must not be MPI_IN_PLACE here"
                                             : "must not be MPI_BUFFER_AUTOMATIC here";
  return report(procedure, target, fail(MPI_ERR_BUFFER, "%s %s", where.text, why));
}

}  // namespace baton::api
