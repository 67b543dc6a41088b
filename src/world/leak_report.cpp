#include "world/leak_report.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "base/report.hpp"
#include "base/settings.hpp"
#include "datatype/datatype.hpp"
#include "datatype/operation.hpp"
#include "message/core/match.hpp"
#include "message/core/request.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "world/communicator.hpp"
#include "world/error_handler.hpp"
#include "world/group.hpp"
#include "world/info.hpp"
#include "world/session.hpp"
#include "world/words.hpp"

namespace baton::world {

namespace {

constexpr int named_per_kind = 4;

// Adds the name that the program gave the object, else its handle as the program sees it.
template <class Handle>
void add_name(Words& words, Handle handle, const char* name) {
  if (*name)
    words.add("\"%s\"", name);
  else
    words.add("0x%" PRIx64, reinterpret_cast<std::uint64_t>(handle));
}

const char* plural(std::int64_t count) {
  return count == 1 ? "" : "s";
}

void describe(Words& words, MPI_Comm handle, const Communicator& comm) {
  add_name(words, handle, comm.name);
  words.add(" of %d rank%s", comm.size(), plural(comm.size()));
}
void describe(Words& words, MPI_Datatype handle, const Datatype& type) {
  add_name(words, handle, type.name);
  words.add(" of %" PRId64 " byte%s%s", type.size, plural(type.size),
            type.committed ? "" : ", not committed");
}
void describe(Words& words, MPI_Group handle, const Group& group) {
  add_name(words, handle, "");
  words.add(" of %d rank%s", group.size, plural(group.size));
}
void describe(Words& words, MPI_Request handle, const message::Request& request) {
  const char* kind =
      request.kind == message::RequestKind::send                  ? "send"
      : request.kind == message::RequestKind::receive             ? "receive"
      : request.kind == message::RequestKind::partitioned_send    ? "partitioned send"
      : request.kind == message::RequestKind::partitioned_receive ? "partitioned receive"
      : request.kind == message::RequestKind::generalized ? "generalized request"
                                                          : "collective or combined operation";
  add_name(words, handle, "");
  words.add(" (%s%s%s)", request.recipe ? "persistent " : "", kind,
            !is_active(request)    ? ", inactive"
            : is_complete(request) ? ", complete but not waited for"
                                   : ", not complete");
}
void describe(Words& words, MPI_Op handle, const datatype::Operation& operation) {
  add_name(words, handle, "");
  words.add(" (%scommutative)", operation.commutative ? "" : "not ");
}
void describe(Words& words, MPI_Info handle, const Info& info) {
  add_name(words, handle, "");
  words.add(" of %d key%s", info.key_count(), plural(info.key_count()));
}
void describe(Words& words, MPI_Errhandler handle, const ErrorHandler& handler) {
  constexpr const char* kinds[] = {"communicators", "windows", "files", "sessions"};
  add_name(words, handle, "");
  words.add(" (for %s)", kinds[static_cast<int>(handler.kind)]);
}
void describe(Words& words, MPI_Message handle, const message::UnexpectedMessage& unexpected) {
  add_name(words, handle, "");
  words.add(" (from rank %d, tag %d, %" PRId64 " byte%s)", unexpected.source, unexpected.tag,
            unexpected.bytes, plural(unexpected.bytes));
}
void describe(Words& words, MPI_Session handle, const Session&) {
  add_name(words, handle, "");
}

// Returns whether the program is the one to free the object.
template <class Object>
bool is_of_program(const Object&) {
  return true;
}
bool is_of_program(const Datatype& type) {
  return !type.predefined;  // this also excludes Fortran kinds, which have a handle like the others
}
bool is_of_program(const message::Request& request) {
  return request.handle != message::completed_handle() && !is_freed(request);
}

template <class Table>
void add_kind(Words& words, Table& table, const char* noun) {
  std::int64_t count = 0;
  char list[6000];
  Words names(list, sizeof list);
  table.for_each([&](auto handle, auto* object) {
    if (!is_of_program(*object) || ++count > named_per_kind) return;
    names.add("%s", count > 1 ? ", " : "");
    describe(names, handle, *object);
  });
  if (count == 0) return;
  words.add("  %" PRId64 " %s%s: %s", count, noun, plural(count), names.text());
  if (count > named_per_kind) words.add(" and %" PRId64 " more", count - named_per_kind);
  words.add("\n");
}

}  // namespace

void report_leaks(const char* end) {
  if (!settings.leak_report) return;
  char list[6000];
  Words kinds(list, sizeof list);
  add_kind(kinds, communicators, "communicator");
  add_kind(kinds, datatype::datatypes, "datatype");
  add_kind(kinds, groups, "group");
  add_kind(kinds, message::requests, "request");
  add_kind(kinds, datatype::operations, "operation");
  add_kind(kinds, infos, "info object");
  add_kind(kinds, error_handlers, "error handler");
  add_kind(kinds, message::messages, "matched message");
  add_kind(kinds, sessions, "session");
  if (kinds.empty()) return;
  char text[7000];
  int length = std::snprintf(text, sizeof text, "baton: rank %d: not freed at %s:\n%s",
                             error_handling.rank, end, kinds.text());
  write_report(text, static_cast<std::size_t>(length));
}

}  // namespace baton::world
