#include "world/leak_report.hpp"

#include <cinttypes>
#include <cstdarg>
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

namespace baton::world {

namespace {

constexpr int named_per_kind = 4;

// This is text that grows to the end of its space and no further.
class Block {
 public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list values;
    va_start(values, format);
    int length = std::vsnprintf(text_ + used_, sizeof text_ - used_, format, values);
    va_end(values);
    if (length > 0) used_ += static_cast<std::size_t>(length);
    if (used_ >= sizeof text_) used_ = sizeof text_ - 1;
  }
  bool empty() const { return used_ == 0; }
  const char* text() const { return text_; }

 private:
  char text_[6000] = {};
  std::size_t used_ = 0;
};

// Adds the name that the program gave the object, else its handle as the program sees it.
template <class Handle>
void add_name(Block& block, Handle handle, const char* name) {
  if (*name)
    block.add("\"%s\"", name);
  else
    block.add("0x%" PRIx64, reinterpret_cast<std::uint64_t>(handle));
}

const char* plural(std::int64_t count) {
  return count == 1 ? "" : "s";
}

void describe(Block& block, MPI_Comm handle, const Communicator& comm) {
  add_name(block, handle, comm.name);
  block.add(" of %d rank%s", comm.size(), plural(comm.size()));
}
void describe(Block& block, MPI_Datatype handle, const Datatype& type) {
  add_name(block, handle, type.name);
  block.add(" of %" PRId64 " byte%s%s", type.size, plural(type.size),
            type.committed ? "" : ", not committed");
}
void describe(Block& block, MPI_Group handle, const Group& group) {
  add_name(block, handle, "");
  block.add(" of %d rank%s", group.size, plural(group.size));
}
void describe(Block& block, MPI_Request handle, const message::Request& request) {
  const char* kind = request.kind == message::RequestKind::send      ? "send"
                     : request.kind == message::RequestKind::receive ? "receive"
                     : request.kind == message::RequestKind::generalized
                         ? "generalized request"
                         : "collective or combined operation";
  add_name(block, handle, "");
  block.add(" (%s%s%s)", request.recipe ? "persistent " : "", kind,
            !is_active(request)    ? ", inactive"
            : is_complete(request) ? ", complete but not waited for"
                                   : ", not complete");
}
void describe(Block& block, MPI_Op handle, const datatype::Operation& operation) {
  add_name(block, handle, "");
  block.add(" (%scommutative)", operation.commutative ? "" : "not ");
}
void describe(Block& block, MPI_Info handle, const Info& info) {
  add_name(block, handle, "");
  block.add(" of %d key%s", info.key_count(), plural(info.key_count()));
}
void describe(Block& block, MPI_Errhandler handle, const ErrorHandler& handler) {
  constexpr const char* kinds[] = {"communicators", "windows", "files", "sessions"};
  add_name(block, handle, "");
  block.add(" (for %s)", kinds[static_cast<int>(handler.kind)]);
}
void describe(Block& block, MPI_Message handle, const message::UnexpectedMessage& unexpected) {
  add_name(block, handle, "");
  block.add(" (from rank %d, tag %d, %" PRId64 " byte%s)", unexpected.source, unexpected.tag,
            unexpected.bytes, plural(unexpected.bytes));
}
void describe(Block& block, MPI_Session handle, const Session&) {
  add_name(block, handle, "");
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
void add_kind(Block& block, Table& table, const char* noun) {
  std::int64_t count = 0;
  Block names;
  table.for_each([&](auto handle, auto* object) {
    if (!is_of_program(*object) || ++count > named_per_kind) return;
    names.add("%s", count > 1 ? ", " : "");
    describe(names, handle, *object);
  });
  if (count == 0) return;
  block.add("  %" PRId64 " %s%s: %s", count, noun, plural(count), names.text());
  if (count > named_per_kind) block.add(" and %" PRId64 " more", count - named_per_kind);
  block.add("\n");
}

}  // namespace

void report_leaks(const char* end) {
  if (!settings.leak_report) return;
  Block kinds;
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
